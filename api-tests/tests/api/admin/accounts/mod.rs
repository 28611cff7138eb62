//! `/api/v1/admin/accounts` and `/api/v2/admin/accounts`: accounts as staff see them, and decisions
//! about one or several.

mod bulk;
mod bulk_actions;
mod decisions;
mod lists;
mod notices;
mod states;
mod strikes;
mod wave;
