//! What other services say about who somebody is.

use crate::never::Never;

/// The proofs of an account: there are none, because no service is asked for them any more.
#[must_use]
pub const fn render_all() -> [Never; 0] {
    []
}
