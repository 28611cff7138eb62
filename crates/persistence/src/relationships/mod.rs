//! How accounts stand to each other: what is shown of it, what actions change, and the lists of
//! those at the other end.

mod between;
mod domains;
mod familiar;
mod follows;
mod lists;
mod load;
mod marks;
mod ties;

pub use between::{avoid_each_other, avoiding, avoids};
pub use domains::{
    block_domain, blocks_domain, count_blocked_domains, domains_page, tied_to_domain,
    unblock_domain,
};
pub use familiar::familiar_followers;
pub use lists::{
    Direction, FollowRecord, Listing, blocks_page, endorsements_page, follows_after, follows_page,
    mutes_page, requests_page,
};
pub use load::{Suspended, load};
pub use ties::{requests_to, save, ties};

/// The stored form of a list of languages; None is every language.
fn languages_to_column(languages: Option<&[String]>) -> Option<String> {
    languages.map(|languages| languages.join(","))
}

/// The languages of a stored list.
fn languages_of_column(column: Option<String>) -> Option<Vec<String>> {
    column.map(|codes| codes.split(',').map(str::to_owned).collect())
}
