//! The HTTP adapter: routes, extractors, pages and the table of errors.
//!
//! A route extracts, calls a use case and renders; it holds no rule, no SQL and no JSON literal.

mod auth;
mod error;
mod paging;
pub mod params;
mod routes;
mod status_answers;

pub use auth::{AnyToken, Authorized, Optional};
pub use error::Error;
pub use routes::configure;

/// What every route returns beside its answer.
pub type Result<T, E = Error> = std::result::Result<T, E>;
