//! `/api/v1/admin`.

mod trend_races;
mod trends;
