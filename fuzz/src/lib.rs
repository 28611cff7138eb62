//! Mistreats what reads untrusted input: makes inputs at random, by changing those that were
//! interesting before, and reports the smallest one that breaks a promise.
//!
//! It runs on the stable toolchain and knows nothing of the code under test but what its target
//! says of an input: [`Target::check`] panics for a fault, and returns what was seen otherwise. An
//! input that shows something new is kept, to be changed further. Inputs that broke something once
//! lie in a folder of their own and are tried first, always: `fuzz/corpus/NAME`.
//!
//! How long it goes on is said by `SISKIN_FUZZ_SECONDS`; without, a fixed series is tried that is
//! the same every time.

mod mutate;
mod random;
mod run;
mod shrink;

pub use run::{Target, run};
