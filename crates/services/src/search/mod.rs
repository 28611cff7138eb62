//! Search for accounts, statuses and hashtags.

mod accounts;
mod hashtags;
mod index;
mod statuses;

use std::sync::Arc;

use siskin_entities::{
    Account, Cursor, PageRequest, Settings, Status, Tag, Timestamp, filters::ContainsStatuses,
};
use siskin_ids::AccountId;
use siskin_persistence::Conn;
use siskin_policy::limits::{ACCOUNT_PAGE, PageLimit};
use siskin_text::TextLimit;

use crate::{
    Error, Instance, OffsetPage, Result,
    addresses::{self, Local},
};

pub use accounts::accounts;
pub(crate) use index::enqueue_author;
pub use index::{IndexAuthor, IndexStatuses, ensure_indexed, index_author, index_some};

/// Default number of results of a kind.
const DEFAULT_LIMIT: i64 = 20;
/// Maximum length of a search text, in characters; no name is longer.
const MAX_QUERY_CHARS: usize = 500;

/// Kind of results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Accounts,
    Statuses,
    Hashtags,
}

/// Request parameters, as sent.
#[derive(Debug, Clone, Default)]
pub struct Query {
    pub q: String,
    /// `accounts`, `statuses` or `hashtags`; `None` means all.
    pub kind: Option<String>,
    pub limit: Option<String>,
    pub offset: Option<String>,
    /// Range of ids of statuses.
    pub cursor: Cursor,
    /// Only statuses of the account with this id.
    pub account_id: Option<String>,
    /// Only accounts that the viewer follows.
    pub following: bool,
    /// Without hashtags that no moderator approved, unless they are typed completely.
    pub exclude_unreviewed: bool,
}

/// Search with checked parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepared {
    q: String,
    /// `None` means all.
    kind: Option<Kind>,
    cursor: Cursor,
    account_id: Option<String>,
    following: bool,
    exclude_unreviewed: bool,
    page: OffsetPage,
}

/// Results of a search, those of each kind in their order. Kinds that were not requested are empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Results {
    pub accounts: Vec<Arc<Account>>,
    pub statuses: Vec<Status>,
    pub hashtags: Vec<Tag>,
}

impl ContainsStatuses for Results {
    fn for_each_status(&mut self, visit: &mut dyn FnMut(&mut Status)) {
        self.statuses.for_each_status(visit);
    }

    fn statuses(&self) -> usize {
        self.statuses.len()
    }
}

/// Checks the parameters.
///
/// # Errors
/// [`Error::Malformed`] for negative numbers; [`Error::Invalid`] for page parameters without a
/// kind, and for an unknown kind.
pub fn prepare(settings: &Settings, query: Query) -> Result<Prepared> {
    let kind = query.kind.as_deref().filter(|kind| !kind.is_empty());
    let kind = match kind {
        None => None,
        Some("accounts") => Some(Kind::Accounts),
        Some("statuses") => Some(Kind::Statuses),
        Some("hashtags") => Some(Kind::Hashtags),
        Some(_) => return Err(Error::invalid("type must be accounts, statuses or hashtags")),
    };
    let page = PageLimit { default: DEFAULT_LIMIT, max: i64::from(settings.max_search_results) };
    let prepared = Prepared { kind, ..with_page(query, page)? };
    let Prepared { cursor, page, .. } = &prepared;
    if kind.is_none() && (page.offset != 0 || cursor.max.is_some() || cursor.min.is_some()) {
        return Err(Error::invalid("offset, min_id and max_id need a type"));
    }
    Ok(prepared)
}

/// Checks a search for accounts only. Its pages have the same limits as other lists of accounts.
///
/// # Errors
/// [`Error::Malformed`] for negative numbers.
pub fn prepare_accounts(query: Query) -> Result<Prepared> {
    let prepared = with_page(query, ACCOUNT_PAGE)?;
    Ok(Prepared { kind: Some(Kind::Accounts), ..prepared })
}

fn with_page(query: Query, page: PageLimit) -> Result<Prepared> {
    let page = OffsetPage::read(query.limit.as_deref(), query.offset.as_deref(), page)?;
    let Query { q, cursor, account_id, following, exclude_unreviewed, .. } = query;
    Ok(Prepared { q, kind: None, cursor, account_id, following, exclude_unreviewed, page })
}

impl Prepared {
    fn wants(&self, kind: Kind) -> bool {
        self.kind.is_none_or(|wanted| wanted == kind)
    }

    /// Returns `true` if the search cannot have results with any content of the database.
    fn finds_nothing(&self) -> bool {
        self.page.limit == 0 || !TextLimit::of(MAX_QUERY_CHARS).fits_code_points(self.q.trim())
    }

    /// Returns the request for a page of statuses, with the entries before it.
    fn status_page(&self) -> PageRequest {
        let limit = self.page.offset.saturating_add(self.page.limit);
        PageRequest { cursor: self.cursor, limit }
    }
}

/// Returns the results of the requested kinds. The address of an account, a status or a hashtag of
/// this server finds only that one.
///
/// # Errors
/// Storage errors only.
pub fn all(
    conn: &mut Conn,
    instance: &Instance,
    viewer: Option<AccountId>,
    query: &Prepared,
    now: Timestamp,
) -> Result<Results> {
    if query.finds_nothing() {
        return Ok(Results::default());
    }
    let typed = query.q.trim();
    let local = addresses::local(&instance.urls, typed);
    let is_tag = typed.starts_with(['#', '\u{FF03}']);
    let accounts = match local {
        None if is_tag => Vec::new(),
        None | Some(Local::Profile(_)) if query.wants(Kind::Accounts) => {
            accounts(conn, instance, viewer, query, now)?
        }
        _ => Vec::new(),
    };
    let statuses = match &local {
        _ if !query.wants(Kind::Statuses) => Vec::new(),
        // A search for one hashtag finds hashtags, unless the client asks for statuses.
        None if is_tag && query.kind.is_none() && !typed.contains(char::is_whitespace) => {
            Vec::new()
        }
        None => statuses::search(conn, instance, viewer, query, now)?,
        Some(Local::Status(username, id)) => {
            statuses::at_address(conn, viewer, query, username, *id)?
        }
        Some(_) => Vec::new(),
    };
    let hashtags = match &local {
        _ if !query.wants(Kind::Hashtags) => Vec::new(),
        None => hashtags::search(conn, viewer, query, typed, now)?,
        Some(Local::Tag(name)) => hashtags::named(conn, viewer, query, name, now)?,
        Some(_) => Vec::new(),
    };
    Ok(Results { accounts, statuses, hashtags })
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
        for cursor in [
            Cursor { max: Some(1), ..Cursor::default() },
            Cursor { min: Some(1), ..Cursor::default() },
        ] {
            let by_id = Query { cursor, ..page(None, "", "") };
            assert!(matches!(prepared(by_id), Err(Error::Invalid(_))));
        }
        for first in ["", "0", "abc"] {
            assert_eq!(prepared(page(None, "10", first)).unwrap(), (10, 0));
        }
        for kind in ["accounts", "statuses", "hashtags"] {
            assert_eq!(prepared(page(Some(kind), "10", "20")).unwrap(), (10, 20));
        }
    }

    #[test]
    fn unknown_kinds_are_refused() {
        assert!(matches!(prepared(page(Some("cats"), "", "")), Err(Error::Invalid(_))));
    }
}
