//! The binary siskin: command line, configuration, wiring.
