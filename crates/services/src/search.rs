//! Search for accounts. Statuses and hashtags cannot be searched yet.

use std::sync::Arc;

use siskin_entities::{Account, Settings, Timestamp};
use siskin_ids::AccountId;
use siskin_persistence::{
    Conn,
    accounts::{self as rows, Search, SearchTarget},
};
use siskin_policy::limits::{ACCOUNT_PAGE, PageLimit};
use siskin_text::{Handle, TextLimit, search_fold, username_key};

use crate::{Error, Instance, OffsetPage, Result, addresses, named};

/// Default number of results of a kind.
const DEFAULT_LIMIT: i64 = 20;
/// Maximum length of a search text, in characters; no name is longer.
const MAX_QUERY_CHARS: usize = 500;
/// Maximum number of words in a search.
const MAX_WORDS: usize = 8;

/// Request parameters, as sent.
#[derive(Debug, Clone, Default)]
pub struct Query {
    pub q: String,
    /// `accounts`, `statuses` or `hashtags`; `None` means all.
    pub kind: Option<String>,
    pub limit: Option<String>,
    pub offset: Option<String>,
    /// Whether `min_id` or `max_id` was sent.
    pub by_id: bool,
    /// Only accounts that the viewer follows.
    pub following: bool,
}

/// Search with checked parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepared {
    q: String,
    following: bool,
    page: OffsetPage,
}

/// Checks the parameters.
///
/// # Errors
/// [`Error::Malformed`] for negative numbers; [`Error::Invalid`] for page parameters without a
/// kind, and for kinds that cannot be searched.
pub fn prepare(settings: &Settings, query: Query) -> Result<Prepared> {
    let given = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.trim().is_empty());
    let kind = query.kind.as_deref().filter(|kind| !kind.is_empty());
    if kind.is_none() && (given(&query.offset) || query.by_id) {
        return Err(Error::invalid("offset, min_id and max_id need a type"));
    }
    match kind {
        None | Some("accounts") => {}
        Some(kind @ ("statuses" | "hashtags")) => {
            return Err(Error::invalid(format!("This server cannot search {kind}")));
        }
        Some(_) => return Err(Error::invalid("type must be accounts, statuses or hashtags")),
    }
    let most = i64::from(settings.max_search_results);
    with_page(query, PageLimit { default: DEFAULT_LIMIT, max: most })
}

/// Checks a search for accounts only. Its pages have the same limits as other lists of accounts.
///
/// # Errors
/// [`Error::Malformed`] for negative numbers.
pub fn prepare_accounts(query: Query) -> Result<Prepared> {
    with_page(query, ACCOUNT_PAGE)
}

fn with_page(query: Query, page: PageLimit) -> Result<Prepared> {
    let page = OffsetPage::read(query.limit.as_deref(), query.offset.as_deref(), page)?;
    Ok(Prepared { q: query.q, following: query.following, page })
}

/// Returns the matching accounts, the best match first.
///
/// # Errors
/// Storage errors only.
pub fn accounts(
    conn: &mut Conn,
    instance: &Instance,
    viewer: Option<AccountId>,
    query: &Prepared,
    now: Timestamp,
) -> Result<Vec<Arc<Account>>> {
    let finds_nothing = query.following && viewer.is_none();
    let typed = query.q.trim();
    if finds_nothing
        || query.page.limit == 0
        || !TextLimit::of(MAX_QUERY_CHARS).fits_code_points(typed)
    {
        return Ok(Vec::new());
    }
    // Ignores a trailing `@`, which users type before the domain.
    let handle = Handle::parse(typed.trim_end_matches('@'))
        .map(|handle| named::key(&handle, &instance.urls));
    if handle.is_none() && is_like_a_handle(typed) {
        return Ok(Vec::new());
    }
    let words = words(typed);
    // The stored forms of handles and addresses of local accounts differ from what users type.
    let local = addresses::local_username(&instance.urls, typed).map(|name| username_key(&name));
    let what = if let Some(name) = &local {
        SearchTarget::Local(name)
    } else if is_address(typed) {
        SearchTarget::Address(typed)
    } else if words.is_empty() {
        return Ok(Vec::new());
    } else {
        SearchTarget::Words(&words)
    };
    let search = Search {
        what,
        handle: handle.as_ref(),
        viewer,
        followed: query.following,
        now,
        limit: query.page.limit,
        offset: query.page.offset,
    };
    Ok(rows::search(conn, &search)?)
}

/// Returns `true` if the text looks like a handle. An invalid handle matches no account.
fn is_like_a_handle(typed: &str) -> bool {
    let one_word = !typed.contains(char::is_whitespace);
    one_word && !is_address(typed) && typed.trim_end_matches('@').contains(['@', '\u{ff20}'])
}

fn is_address(typed: &str) -> bool {
    typed.starts_with("https://") || typed.starts_with("http://")
}

/// Returns the normalised search words. A handle is one word, as in the stored names.
fn words(typed: &str) -> Vec<String> {
    let folded = search_fold(typed.trim_matches('@'));
    folded.split_whitespace().take(MAX_WORDS).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prepared(query: Query) -> Result<(i64, i64)> {
        prepare(&Settings::default(), query)
            .map(|prepared| (prepared.page.limit, prepared.page.offset))
    }

    fn page(kind: Option<&str>, limit: &str, offset: &str) -> Query {
        Query {
            q: "x".to_owned(),
            kind: kind.map(str::to_owned),
            limit: Some(limit.to_owned()),
            offset: Some(offset.to_owned()),
            ..Query::default()
        }
    }

    #[test]
    fn search_limits_are_capped_by_the_setting() {
        let limit = |text: &str| prepared(page(None, text, "")).unwrap().0;
        assert_eq!(limit("5"), 5);
        assert_eq!(limit(""), 20);
        assert_eq!(limit("0"), 0);
        assert_eq!(limit("abc"), 0);
        assert_eq!(limit("100000"), 40);
        assert_eq!(limit("99999999999999999999"), 40);
    }

    #[test]
    fn pages_need_a_kind() {
        assert!(matches!(prepared(page(None, "", "20")), Err(Error::Invalid(_))));
        let by_id = Query { by_id: true, ..page(None, "", "") };
        assert!(matches!(prepared(by_id), Err(Error::Invalid(_))));
        assert_eq!(prepared(page(Some("accounts"), "10", "20")).unwrap(), (10, 20));
    }

    #[test]
    fn kinds_that_cannot_be_searched_are_refused() {
        for kind in ["statuses", "hashtags", "cats"] {
            assert!(matches!(prepared(page(Some(kind), "", "")), Err(Error::Invalid(_))));
        }
    }
}
