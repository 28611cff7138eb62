//! Lists of accounts as [sources](crate::pages::Source) of pages: rows from `persistence`,
//! decisions from `policy`.

use std::sync::Arc;

use siskin_entities::{Account, Page, PageRequest, Timestamp, ViewerRelations};
use siskin_persistence::{Conn, accounts, relationships::ListedAccount};
use siskin_policy::visibility::AccountFacts;

use crate::{
    Result,
    pages::{self, ById, Source},
    viewing::Viewing,
};

/// Decides whether a list shows an account to its viewer.
pub(crate) type ShowsAccount = fn(&ViewerRelations, &AccountFacts<'_>, Timestamp) -> bool;

/// Rule for the lists that only their owner sees.
pub(crate) const ONLY_ACTIVE: ShowsAccount = |_, account, _| account.is_active();

/// Loads a page of a list of accounts. `read` reads its rows, newest first. The cursor consists of
/// the ids of the rows, not of account ids.
pub(crate) fn list_accounts(
    viewing: Viewing<'_>,
    shows: ShowsAccount,
    request: PageRequest,
    read: impl FnMut(&mut Conn, PageRequest) -> siskin_persistence::Result<Vec<ListedAccount>>,
) -> Result<Page<Arc<Account>>> {
    pages::build(&mut AccountList { viewing, shows, read }, request)
}

struct AccountList<'c, R> {
    viewing: Viewing<'c>,
    shows: ShowsAccount,
    read: R,
}

impl pages::Candidate for ListedAccount {
    fn id(&self) -> i64 {
        self.row
    }
}

impl<R> Source for AccountList<'_, R>
where
    R: FnMut(&mut Conn, PageRequest) -> siskin_persistence::Result<Vec<ListedAccount>>,
{
    type Candidate = ListedAccount;
    type Item = Arc<Account>;
    const NEAR: usize = 0;

    fn read(&mut self, request: PageRequest) -> Result<Vec<ListedAccount>> {
        Ok((self.read)(self.viewing.conn, request)?)
    }

    fn may_show(&self, _candidate: &ListedAccount) -> bool {
        true
    }

    fn shown(&mut self, listed: &[ListedAccount]) -> Result<ById<Arc<Account>>> {
        let Viewing { conn, viewer, now } = &mut self.viewing;
        let ids: Vec<_> = listed.iter().map(|one| one.account).collect();
        let accounts = accounts::load(conn, &ids)?;
        let shown = |one: &ListedAccount| {
            let account = accounts.get(&one.account)?;
            let is_shown = (self.shows)(viewer, &AccountFacts::of(account), *now);
            is_shown.then(|| (one.row, Arc::clone(account)))
        };
        Ok(listed.iter().filter_map(shown).collect())
    }
}
