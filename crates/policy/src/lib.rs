//! Pure decisions: visibility, roles, scopes and limits.
//!
//! This crate reads no rows, clock or requests; callers pass in all facts.

pub mod limits;
pub mod roles;
pub mod scopes;
pub mod visibility;
