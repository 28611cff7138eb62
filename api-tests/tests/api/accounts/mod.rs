//! `/api/v1/accounts`.

mod credentials;
mod follow;
mod id;
mod lists;
mod lookup;
mod pictures;
mod post;
mod relationships;
mod standing;
mod statuses;
mod verified_links;
