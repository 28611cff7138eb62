//! Black-box tests over HTTP live in `tests/api`.
