//! What a token may call: the scopes of OAuth tokens and which of them covers which.
//!
//! Knows nothing of tokens, applications or requests. Whether a person may do a thing at all is
//! for [`crate::roles`]; a scope only says whether the *application* may do it in their name.
//!
//! The scopes form a lattice. Every scope stands for a set of powers, and one covers another when
//! it has all of its powers:
//! - `read:statuses` and its like are one power each;
//! - `read`, `write`, `admin:read`, `admin:write` have those of their children and one of their
//!   own, so that all children together are still less than the parent (which also has what later
//!   children will bring);
//! - `follow` (deprecated) has exactly the powers of reading and writing blocks, follows and mutes,
//!   so `read write` covers it.

mod required;
mod scope;
mod set;

pub use required::*;
pub use scope::{Scope, UnknownScope};
pub use set::Scopes;
