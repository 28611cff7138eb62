//! The binary siskin: command line, configuration, wiring. As a library it starts an instance
//! inside another program, as the tests over HTTP do.
//!
//! A command opens the database while a server may be running, calls a use case and prints the
//! result. Rules and SQL are in other crates.

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
