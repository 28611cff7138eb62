//! Health check of the server.

use serde::Serialize;

/// Response of a server that is ready for requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Health {
    pub status: &'static str,
}

/// Returns the response of a server that is ready for requests.
#[must_use]
pub const fn up() -> Health {
    Health { status: "UP" }
}
