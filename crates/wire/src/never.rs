//! Places in entities that nothing fills yet.

use serde::Serialize;

/// Has no value: a list of it is always `[]` and an option of it always `null`, which is what the
/// interface says of an entity that has no such part (no poll, no card, no attachment).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Never {}
