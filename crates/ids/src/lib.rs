//! 64-bit time-ordered identifiers and their generator.
