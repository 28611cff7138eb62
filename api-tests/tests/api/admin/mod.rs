//! `/api/v1/admin`.

mod trends;
