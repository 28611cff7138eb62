//! The binary siskin: command line, configuration, wiring. As a library it starts an instance
//! inside another program, which is how the tests over HTTP do it.
//!
//! A command opens the database beside a running server, calls a use case and prints what came of
//! it; rules and SQL are further down.

mod archive;
mod cli;
mod commands;
mod config;
mod demo;
mod emoji_archive;
mod files;
mod input;
mod output;
mod running;
mod seed;
mod site;
mod storage;
mod translation;

pub use cli::main;
pub use config::Config;
pub use running::{Running, start};
pub use translation::{Secret, Translation};
