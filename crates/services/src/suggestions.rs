//! Follow suggestions: accounts that the operator picked, then friends of friends.

use std::sync::Arc;

use siskin_entities::{Account, Settings, Suggestion, SuggestionSource, Timestamp, Urls};
use siskin_ids::AccountId;
use siskin_persistence::{
    Conn, Tx,
    accounts::{self as rows, HandleKey, SuggestionContext},
};
use siskin_text::Handle;

use crate::{Result, named};

/// Maximum number of accounts that an operator can pick.
const MAX_PICKS: usize = 100;

/// Accounts that the operator suggests to all users.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picks(Vec<HandleKey>);

impl Picks {
    /// Parses the operator's setting: handles separated by commas. Ignores invalid handles.
    #[must_use]
    pub fn read(settings: &Settings, urls: &Urls) -> Self {
        let handles = settings.suggestions_staff_picks.split(',').filter_map(Handle::parse);
        Self(handles.map(|handle| named::key(&handle, urls)).take(MAX_PICKS).collect())
    }
}

/// Returns suggestions for `viewer`, at most `limit` accounts. Excludes accounts that they follow,
/// requested to follow or dismissed, and blocks in either direction.
///
/// # Errors
/// Storage errors only.
pub fn list(
    conn: &mut Conn,
    picks: &Picks,
    viewer: AccountId,
    now: Timestamp,
    limit: usize,
) -> Result<Vec<Suggestion>> {
    let context = SuggestionContext { to: viewer, now };
    let staff_picks = rows::staff_picks(conn, context, &picks.0)?;
    let of_friends = rows::friends_of_friends(conn, context, limit)?;
    let mut ids = staff_picks.clone();
    ids.extend(of_friends.iter().filter(|id| !staff_picks.contains(id)));
    ids.truncate(limit);
    let suggestion = |account: Arc<Account>| {
        let from = |source, ids: &[AccountId]| ids.contains(&account.id).then_some(source);
        let sources = [
            from(SuggestionSource::Featured, &staff_picks),
            from(SuggestionSource::FriendsOfFriends, &of_friends),
        ];
        Suggestion { sources: sources.into_iter().flatten().collect(), account }
    };
    Ok(rows::load_in_order(conn, &ids)?.into_iter().map(suggestion).collect())
}

/// Stops suggesting an account to `viewer`. Ignores unknown ids.
///
/// # Errors
/// Storage errors only.
pub fn dismiss(tx: &mut Tx<'_>, viewer: AccountId, id: &str) -> Result<()> {
    let Ok(id) = id.parse() else { return Ok(()) };
    if rows::find(tx, id)?.is_some() {
        rows::dismiss(tx, viewer, id)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn picks_are_handles_of_this_server_and_others() {
        let urls = Urls::new("https://a.example", "a.example", "");
        let settings = Settings {
            suggestions_staff_picks: " @Ann, bob@A.example,,cat@far.example, not one,".to_owned(),
            ..Settings::default()
        };
        let key = |name: &str, domain: Option<&str>| (name.to_owned(), domain.map(str::to_owned));
        let read = vec![key("ann", None), key("bob", None), key("cat", Some("far.example"))];
        assert_eq!(Picks::read(&settings, &urls), Picks(read));
    }
}
