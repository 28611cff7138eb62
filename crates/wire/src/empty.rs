//! `{}`: the response of an operation that has no result.

use serde::{Deserialize, Serialize};

/// `{}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
pub struct Empty {}
