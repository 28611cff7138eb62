//! Filters for statuses, which are visible only to their owner.
//!
//! Every change of filters writes exactly one event. A request that changes nothing writes none.
//! `siskin_entities::filters` decides which statuses match a filter.

mod draft;
mod legacy;
mod preview;
mod read;
mod write;

pub use draft::{
    Expiry, FilterDraft, KeywordDraft, NewFilter, NewKeyword, PreparedEdit, WHOLE_WORD,
    prepare_edit, prepare_keyword, prepare_new,
};
pub use legacy::{
    LegacyDraft, PreparedLegacy, change_legacy, create_legacy, find_legacy, list_legacy,
    prepare_legacy, prepare_new_legacy,
};
pub use preview::{PreparedPreview, prepare_preview, preview};
pub use read::{find, find_keyword, find_status, list, load};
pub use write::{
    add_keyword, add_status, change_keyword, create, edit, remove, remove_keyword, remove_status,
};

/// Parses an id of a filter, a keyword or a filter status. An invalid id counts as not found.
fn id<T: std::str::FromStr>(text: &str) -> crate::Result<T> {
    text.parse().map_err(|_| crate::Error::NotFound)
}
