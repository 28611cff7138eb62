//! `/api/v1/tags`, and following hashtags.

mod follow;
mod name;
