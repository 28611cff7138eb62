//! `/api/v1/admin/accounts` and `/api/v2/admin/accounts`: accounts as staff see them, and decisions
//! about sign-ups.

mod bulk;
mod decisions;
mod lists;
mod notices;
mod wave;
