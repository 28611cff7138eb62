//! Search for accounts.

use std::sync::Arc;

use siskin_entities::{Account, Timestamp};
use siskin_ids::AccountId;
use siskin_persistence::{
    Conn,
    accounts::{self as rows, Search, SearchTarget},
};
use siskin_text::{Handle, TextLimit, search_fold, username_key};

use super::{MAX_QUERY_CHARS, Prepared};
use crate::{Instance, Result, addresses, named};

/// Maximum number of words in a search.
const MAX_WORDS: usize = 8;

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

pub(super) fn is_address(typed: &str) -> bool {
    typed.starts_with("https://") || typed.starts_with("http://")
}

/// Returns the normalised search words. A handle is one word, as in the stored names.
fn words(typed: &str) -> Vec<String> {
    let folded = search_fold(typed.trim_matches('@'));
    folded.split_whitespace().take(MAX_WORDS).map(str::to_owned).collect()
}
