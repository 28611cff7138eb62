//! Relationships between accounts: their views, their changes, and the lists of related accounts.

mod account_relations;
mod between;
mod domains;
mod familiar;
mod follows;
mod lists;
mod load;
mod one_sided;
mod relations;
mod viewer_relations;

pub(crate) use account_relations::{
    ACCOUNT_RELATIONS, AccountRelation, RelationRow, select_options,
};
pub use between::{any_block_between, blocking_accounts, blocks_account};
pub use domains::{
    block_domain, blocks_domain, count_blocked_domains, domains_page, related_to_domain,
    unblock_domain,
};
pub use familiar::familiar_followers;
pub use lists::{
    Direction, FollowRecord, ListedAccount, blocked_accounts, endorsed_accounts, followed_accounts,
    follows_after, muted_accounts, requesting_accounts,
};
pub use load::{Suspended, load};
pub use relations::{relations, requests_to, save};
pub(crate) use viewer_relations::{
    RelationsVersion, key as relations_key, of_keys as relations_of_keys, relations_of_version,
    relations_version,
};
pub use viewer_relations::{relations_of_viewers, viewer_relations};

/// Serialises a list of languages for its column. `None` stands for all languages.
fn languages_to_column(languages: Option<&[String]>) -> Option<String> {
    languages.map(|languages| languages.join(","))
}

/// Parses the languages of a column.
fn languages_of_column(column: Option<String>) -> Option<Vec<String>> {
    column.map(|codes| codes.split(',').map(str::to_owned).collect())
}
