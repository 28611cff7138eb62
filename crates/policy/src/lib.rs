//! Pure decisions: who may see, who may act, what a token may call, and the limits.
//!
//! Nothing here reads a row, a clock or a request; the caller brings what it knows.

pub mod limits;
pub mod roles;
pub mod scopes;
pub mod visibility;
