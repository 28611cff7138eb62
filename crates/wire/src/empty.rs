//! `{}`: the response of an operation that has no result.

use serde::Serialize;

/// `{}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Empty {}
