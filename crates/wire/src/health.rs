//! Health check of the server.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// Response of a server that is ready for requests.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Health {
    /// `UP`.
    pub status: Cow<'static, str>,
}

/// Returns the response of a server that is ready for requests.
#[must_use]
pub const fn up() -> Health {
    Health { status: Cow::Borrowed("UP") }
}
