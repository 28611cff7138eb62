//! Preview of the statuses that a new filter would match.

use siskin_entities::{
    PageRequest, Timestamp,
    filters::{Keywords, Preview},
};
use siskin_ids::AccountId;
use siskin_persistence::Conn;
use siskin_policy::limits::MAX_FILTER_PREVIEW_SPANS;

use super::draft::{FilterDraft, all_new, prepare_edit};
use crate::{Error, Result, timelines};

/// Keywords of a filter that does not exist yet.
#[derive(Debug, Clone)]
pub struct PreparedPreview {
    phrases: Vec<String>,
    keywords: Keywords,
}

impl PreparedPreview {
    /// Returns the keywords, in the order in which a preview counts them.
    #[must_use]
    pub fn phrases(&self) -> &[String] {
        &self.phrases
    }
}

/// Checks the parameters of a filter. Only keywords are required.
///
/// # Errors
/// As [`super::prepare_new`].
pub fn prepare_preview(draft: FilterDraft) -> Result<PreparedPreview> {
    let new = all_new(prepare_edit(draft)?.keywords)?;
    let keywords = Keywords::compile(new.iter().map(|new| (new.keyword.as_str(), new.whole_word)))
        .map_err(Error::internal)?;
    Ok(PreparedPreview { phrases: new.into_iter().map(|new| new.keyword).collect(), keywords })
}

/// Returns which of the newest `limit` statuses of the home timeline the filter would match.
/// Ignores its contexts and its expiry.
///
/// # Errors
/// Storage errors only.
pub fn preview(
    conn: &mut Conn,
    account: AccountId,
    prepared: &PreparedPreview,
    now: Timestamp,
    limit: i64,
) -> Result<Preview> {
    let page = timelines::home(conn, account, now, PageRequest::newest(limit))?;
    Ok(Preview::of(&prepared.keywords, page.page.items, MAX_FILTER_PREVIEW_SPANS))
}
