//! Fuzzing of the code that reads untrusted input. Random inputs are made by mutation of earlier
//! interesting ones. The smallest input that violates a property is reported.
//!
//! It runs on the stable toolchain. All that it knows of the code under test comes from the target:
//! [`Target::check`] panics if a property is violated, and otherwise returns the observed features.
//! An input with a new feature is kept for further mutation. Inputs that once violated a property
//! are stored in `fuzz/corpus/NAME` and are always tried first.
//!
//! `SISKIN_FUZZ_SECONDS` sets the duration. Without it, a fixed sequence of inputs is tried, the
//! same in every run.

mod mutate;
mod random;
mod run;
mod shrink;

pub use run::{Target, run};
