//! The binary siskin: command line, configuration, wiring. As a library it starts an instance
//! inside another program, which is how the tests over HTTP do it.

mod config;
mod running;

pub use config::Config;
pub use running::{Running, start};
