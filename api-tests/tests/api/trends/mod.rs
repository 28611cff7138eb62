//! `/api/v1/trends`.

mod links;
mod notices;
mod statuses;
mod tags;
