//! Whether the server is up.

use serde::Serialize;

/// The answer of a server that is ready for requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Health {
    pub status: &'static str,
}

/// The answer of a server that is ready for requests.
#[must_use]
pub const fn up() -> Health {
    Health { status: "UP" }
}
