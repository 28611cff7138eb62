//! The store on both engines: what is answered is written, and nothing else is.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod faults;
mod full_disk;
mod postgres;
mod processes;
mod queue;
mod rows;
mod soak;
mod writes;
