//! `{}`: the answer of an operation that has nothing to tell but that it was done.

use serde::Serialize;

/// `{}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Empty {}
