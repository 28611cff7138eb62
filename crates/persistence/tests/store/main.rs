//! The store on both engines: acknowledged writes are stored, and no others.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod faults;
mod full_disk;
mod postgres;
mod processes;
mod queue;
mod rows;
mod soak;
mod writes;
