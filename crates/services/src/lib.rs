//! Use cases: one function each, without JSON or HTTP.
