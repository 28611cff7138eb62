//! Lists of accounts, visible only to their owners. Other callers get the same error as for a list
//! that does not exist.

use std::{collections::HashSet, sync::Arc};

use siskin_entities::{Account, List, Page, PageRequest, RepliesPolicy, Timestamp};
use siskin_ids::{AccountId, ListId};
use siskin_persistence::{
    Conn, Tx, accounts as account_rows,
    lists::{self as rows, ListFacts},
};
use siskin_policy::limits::{MAX_LIST_TITLE_CHARS, MAX_LISTS};
use siskin_text::{TextLimit, is_blank};

use crate::{
    Error, Result,
    accounts::{
        self,
        listed::{ONLY_ACTIVE, list_accounts},
    },
    id_list,
    viewing::Viewing,
};

/// Number of members that are deleted in one transaction, so that other writers get their turn.
const DELETE_BATCH: usize = 200;

/// Parameters of a list; `None` keeps the current value, or uses the default.
#[derive(Debug, Clone, Default)]
pub struct ListForm {
    pub title: Option<String>,
    pub replies_policy: Option<String>,
    pub exclusive: Option<bool>,
}

/// Returns all lists of `owner`, the oldest first.
///
/// # Errors
/// Storage errors only.
pub fn all(conn: &mut Conn, owner: AccountId) -> Result<Vec<List>> {
    Ok(rows::of_owner(conn, owner)?)
}

/// Returns the lists of `owner` that contain the account with this id.
///
/// # Errors
/// [`Error::NotFound`] if there is no reachable account with this id.
pub fn containing(conn: &mut Conn, owner: AccountId, account: &str) -> Result<Vec<List>> {
    let account = accounts::reachable(conn, account)?;
    Ok(rows::containing(conn, owner, account.id)?)
}

/// Returns a list of `owner`.
///
/// # Errors
/// [`Error::NotFound`] if it does not exist, or belongs to another account.
pub fn find(conn: &mut Conn, owner: AccountId, id: &str) -> Result<List> {
    let id: ListId = id.parse().map_err(|_| Error::NotFound)?;
    rows::find(conn, owner, id)?.ok_or(Error::NotFound)
}

/// Creates a list.
///
/// # Errors
/// [`Error::Invalid`] for a title that is blank or too long, for an unknown policy, and if `owner`
/// has the maximum number of lists.
pub fn create(tx: &mut Tx<'_>, owner: AccountId, form: &ListForm) -> Result<List> {
    let defaults = List {
        id: ListId::new(0),
        title: String::new(),
        replies_policy: RepliesPolicy::default(),
        exclusive: false,
    };
    let list = with_form(&defaults, form)?;
    // The lock prevents two simultaneous requests from both taking the last free place.
    account_rows::lock(tx, &[owner])?;
    if rows::count(tx, owner)? >= MAX_LISTS {
        return Err(Error::validation(format!("At most {MAX_LISTS} lists can be made")));
    }
    let id = rows::insert(tx, owner, &facts(&list))?;
    Ok(List { id, ..list })
}

/// Changes a list of `owner`.
///
/// # Errors
/// [`Error::NotFound`] as for [`find`]; [`Error::Invalid`] as for [`create`].
pub fn update(tx: &mut Tx<'_>, owner: AccountId, id: &str, form: &ListForm) -> Result<List> {
    account_rows::lock(tx, &[owner])?;
    let list = with_form(&find(tx, owner, id)?, form)?;
    if !rows::update(tx, owner, list.id, &facts(&list))? {
        return Err(Error::NotFound);
    }
    Ok(list)
}

/// Deletes some members of a list of `owner`, and the list itself with the last ones. Returns
/// `true` if members are left. To delete the list, callers repeat it until it returns `false`.
///
/// # Errors
/// [`Error::NotFound`] as for [`find`].
pub fn delete_some(tx: &mut Tx<'_>, owner: AccountId, id: &str) -> Result<bool> {
    // No member is added meanwhile.
    account_rows::lock(tx, &[owner])?;
    let list = find(tx, owner, id)?;
    Ok(!rows::remove_some(tx, list.id, DELETE_BATCH)?)
}

/// Loads a page of the members of a list of `owner`, the latest added first.
///
/// # Errors
/// [`Error::NotFound`] as for [`find`].
pub fn members(
    conn: &mut Conn,
    owner: AccountId,
    id: &str,
    now: Timestamp,
    page: PageRequest,
) -> Result<Page<Arc<Account>>> {
    let list = find(conn, owner, id)?;
    let viewing = Viewing::of(conn, Some(owner), now)?;
    list_accounts(viewing, ONLY_ACTIVE, page, |conn, page| rows::members(conn, list.id, page))
}

/// Adds accounts that `owner` follows to a list: all of them, or none.
///
/// # Errors
/// [`Error::NotFound`] as for [`find`], and if `owner` does not follow one of them;
/// [`Error::Invalid`] if one of them is in the list already, if no accounts are given, and for too
/// many at once.
pub fn add(tx: &mut Tx<'_>, owner: AccountId, id: &str, accounts: &[String]) -> Result<()> {
    // An unfollow locks both accounts, so no follow ends while this lock is held.
    account_rows::lock(tx, &[owner])?;
    let list = find(tx, owner, id)?;
    let requested = account_ids(accounts)?;
    let followed = rows::followed(tx, owner, &requested)?;
    if followed.len() < requested.len() {
        return Err(Error::NotFound);
    }
    // Keeps the order of the request.
    let position = |account| requested.iter().position(|requested| *requested == account);
    let mut members = followed;
    members.sort_by_key(|member| position(member.account));
    if rows::add_members(tx, list.id, &members)? < members.len() {
        return Err(Error::validation("Account has already been taken"));
    }
    Ok(())
}

/// Removes accounts from a list. Ignores accounts that are not in it.
///
/// # Errors
/// [`Error::NotFound`] as for [`find`]; [`Error::Invalid`] for too many at once.
pub fn remove(tx: &mut Tx<'_>, owner: AccountId, id: &str, accounts: &[String]) -> Result<()> {
    let list = find(tx, owner, id)?;
    let accounts: Vec<AccountId> = id_list::parse(accounts, id_list::MAX_IDS)?;
    Ok(rows::remove_members(tx, list.id, &accounts)?)
}

/// Parses account ids, without duplicates. An invalid id counts as an account that does not exist.
fn account_ids(texts: &[String]) -> Result<Vec<AccountId>> {
    if texts.is_empty() {
        return Err(Error::validation("Account ids can't be blank"));
    }
    let ids = id_list::parse(texts, id_list::MAX_IDS)?;
    let named: HashSet<&String> = texts.iter().collect();
    if ids.len() < named.len() { Err(Error::NotFound) } else { Ok(ids) }
}

fn with_form(list: &List, form: &ListForm) -> Result<List> {
    let title = form.title.as_deref().map_or(list.title.as_str(), str::trim);
    if is_blank(title) {
        return Err(Error::validation("Title can't be blank"));
    }
    if !TextLimit::of(MAX_LIST_TITLE_CHARS).fits_code_points(title) {
        let message = format!("Title cannot be longer than {MAX_LIST_TITLE_CHARS} characters");
        return Err(Error::validation(message));
    }
    let policy = form.replies_policy.as_deref().filter(|name| !name.is_empty());
    let policy = policy.map(str::parse::<RepliesPolicy>).transpose();
    let policy = policy.map_err(|why| Error::validation(format!("Replies policy {why}")))?;
    Ok(List {
        id: list.id,
        title: title.to_owned(),
        replies_policy: policy.unwrap_or(list.replies_policy),
        exclusive: form.exclusive.unwrap_or(list.exclusive),
    })
}

fn facts(list: &List) -> ListFacts<'_> {
    ListFacts { title: &list.title, replies_policy: list.replies_policy, exclusive: list.exclusive }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn account_ids_are_unique_and_invalid_ones_are_not_found() {
        let texts =
            |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let ids = account_ids(&texts(&["7", "3", "7"])).unwrap();
        assert_eq!(ids, [AccountId::new(7), AccountId::new(3)]);
        assert!(matches!(account_ids(&texts(&["7", "x"])), Err(Error::NotFound)));
        assert!(matches!(account_ids(&texts(&[""])), Err(Error::NotFound)));
    }
}
