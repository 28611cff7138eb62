//! OAuth scopes of tokens, and which scopes cover which others.
//!
//! This module knows no tokens, applications or requests. [`crate::roles`] decides whether a user
//! may do something at all. A scope only decides whether the *application* may do it for the user.
//!
//! The scopes form a lattice. Every scope stands for a set of powers. A scope covers another scope
//! if it has all powers of the other:
//! - scopes like `read:statuses` have one power each;
//! - `read`, `write`, `admin:read` and `admin:write` have the powers of their children and one of
//!   their own. So all children together are still less than the parent, which also includes
//!   children that are added later;
//! - `follow` (deprecated) has exactly the powers of reading and writing blocks, follows and mutes.
//!   So `read write` covers it.

mod required;
mod scope;
mod set;

pub use required::*;
pub use scope::{Scope, UnknownScope};
pub use set::Scopes;
