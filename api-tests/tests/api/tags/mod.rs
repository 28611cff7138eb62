//! `/api/v1/tags` and what people do with hashtags.

mod follow;
mod name;
