//! The HTTP adapter: routes, extractors, pages and the error table.
//!
//! A route extracts its input, calls a use case and renders the result. It holds no rule, no SQL
//! and no JSON literal.

mod accept;
pub mod access_log;
mod account_responses;
mod address;
mod admission;
mod auth;
mod browser;
mod connections;
mod error;
mod hashing;
mod instant;
mod languages;
mod limits;
mod metrics;
mod middleware;
mod pages;
mod paging;
pub mod params;
mod pictures;
mod ranges;
mod routes;
mod serving;
mod staff;
mod status_responses;
mod table;
mod wording;

pub use address::{InvalidProxy, TrustedProxies};
pub use auth::{AnyToken, Authorized, Optional, StreamListener};
pub use connections::{ConnectionLimits, listen};
pub use error::Error;
pub use metrics::Metrics;
pub use middleware::apply_middleware;
pub use serving::Serving;
pub use staff::Staff;

/// Result of routes and extractors.
pub type Result<T, E = Error> = std::result::Result<T, E>;
