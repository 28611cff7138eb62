//! `/api/v1/accounts`.

mod credentials;
mod follow;
mod handles;
mod id;
mod index;
mod lists;
mod lookup;
mod moved;
mod pictures;
mod post;
mod relationships;
mod search;
mod standing;
mod statuses;
mod unconfirmed;
mod verified_links;
