//! Type of the fields of API entities that never have a value on this server.

use serde::Serialize;

/// Type without values: a list of it is always `[]` and an option of it always `null`. This is the
/// representation in the API for an entity without such a part (no poll, no card, no attachment).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Never {}
