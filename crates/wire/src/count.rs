//! `{"count": 3}`: the response of an operation that counts.

use serde::{Deserialize, Serialize};

/// A number of entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
pub struct Count {
    /// The number.
    pub count: usize,
}
