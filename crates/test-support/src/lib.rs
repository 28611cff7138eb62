//! Support for tests in `tests/` folders. It provides a fresh database for each test on both
//! engines, builders of rows, an S3 server, and stand-ins for remote servers. This crate knows
//! `persistence` and below; `api-tests` starts whole servers.

pub mod builders;
mod database;
mod dns_server;
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
pub use dns_server::DnsServer;
pub use engine::Engine;
pub use mail_sink::{MailSink, Received};
pub use redis::RedisServer;
pub use s3::S3Server;
pub use site::Site;
