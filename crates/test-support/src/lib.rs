//! For tests only, and only for those in `tests/` folders: a fresh database for each test, on
//! both engines, and builders of rows. Knows `persistence` and below; starting a whole server is
//! for `api-tests`.

pub mod builders;
mod database;
mod engine;
mod postgres;
mod scratch;
pub mod standing;
mod template;

pub use database::TestDatabase;
pub use engine::Engine;
