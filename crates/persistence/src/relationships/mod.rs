//! How accounts stand to each other: what is shown of it, what actions change, and the lists of
//! followers.

mod lists;
mod load;
mod ties;

pub use lists::{Direction, FollowRecord, Listing, follows_after, follows_page};
pub use load::{Suspended, load};
pub use ties::{blocked_either_way, blocks, requests_to, save, ties};

/// The stored form of a list of languages; None is every language.
fn languages_to_column(languages: Option<&[String]>) -> Option<String> {
    languages.map(|languages| languages.join(","))
}

/// The languages of a stored list.
fn languages_of_column(column: Option<String>) -> Option<Vec<String>> {
    column.map(|codes| codes.split(',').map(str::to_owned).collect())
}
