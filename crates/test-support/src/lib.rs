//! For tests only, and only for those in `tests/` folders: a fresh database for each test, on
//! both engines, builders of rows, an S3 server, and what stands for other people's servers. Knows
//! `persistence` and below; starting a whole server is for `api-tests`.

pub mod builders;
mod database;
pub mod due;
mod engine;
mod mail_sink;
mod postgres;
mod redis;
mod s3;
mod scratch;
mod services;
pub mod site;
pub mod standing;
mod template;

pub use database::TestDatabase;
pub use engine::Engine;
pub use mail_sink::{MailSink, Received};
pub use redis::RedisServer;
pub use s3::S3Server;
pub use site::Site;
