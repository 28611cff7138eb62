//! Accounts as staff see them: one, and lists by what staff look for.

use std::str::FromStr;

use siskin_entities::{AccountOrigin, AdminAccount, AdminAccountState, Network, Page, PageRequest};
use siskin_ids::{AccountId, RoleId};
use siskin_persistence::{
    Conn, IdMap,
    admin_accounts::{self as rows, AdminFilter},
    roles as role_rows,
};
use siskin_policy::roles::{EVERYONE_PERMISSIONS, Permission, Permissions, effective};
use siskin_text::{normalise_domain, search_fold, username_key};

use crate::{Error, Result, accounts::email_key, roles};

/// Loads the accounts with these ids in any state, for staff. Their roles are those in effect.
/// Leaves out unknown ids. Runs a fixed number of statements.
///
/// # Errors
/// Storage errors only.
pub fn load(conn: &mut Conn, ids: &[AccountId]) -> Result<IdMap<AccountId, AdminAccount>> {
    let mut found = rows::load(conn, ids)?;
    let everyone = roles::everyone(conn)?;
    for user in found.values_mut().filter_map(|account| account.user.as_mut()) {
        user.role = Some(effective(user.role.as_ref(), &everyone));
    }
    Ok(found)
}

/// Returns one account, for staff.
///
/// # Errors
/// [`Error::NotFound`] if there is none with this id, and for a rejected sign-up.
pub fn find(conn: &mut Conn, id: AccountId) -> Result<AdminAccount> {
    let found = load(conn, &[id])?.remove(&id);
    found.filter(|account| !account.is_rejected()).ok_or(Error::NotFound)
}

/// What staff look for, as sent by the client. Blank and absent values restrict nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AccountQuery {
    pub origin: Option<AccountOrigin>,
    pub state: Option<AdminAccountState>,
    /// Only users with a role that gives them more than everyone has.
    pub staff: bool,
    /// Ids of roles. Unknown ids match no user.
    pub roles: Vec<String>,
    /// Id of the account that invited the users.
    pub invited_by: Option<String>,
    /// Beginning of the user name.
    pub username: Option<String>,
    /// Beginning of the display name.
    pub display_name: Option<String>,
    pub domain: Option<String>,
    /// Beginning of the email address.
    pub email: Option<String>,
    /// An IP address, or a network such as `10.0.0.0/8`.
    pub ip: Option<String>,
}

/// Loads a page of accounts, newest first.
///
/// # Errors
/// [`Error::Invalid`] if `ip` is no network.
pub fn list(
    conn: &mut Conn,
    query: &AccountQuery,
    request: PageRequest,
) -> Result<Page<AdminAccount>> {
    let Some(filter) = query.filter(conn)? else {
        return Ok(Page::of(Vec::new(), request.limit, |_| 0));
    };
    let page = rows::list(conn, &filter, request)?;
    let mut found = load(conn, &page.items)?;
    let items = page.items.iter().filter_map(|id| found.remove(id)).collect();
    Ok(page.with_items(items))
}

/// Parses a parameter with a fixed set of values. A blank text counts as absent.
///
/// # Errors
/// [`Error::Invalid`] with the message `refusal`, for a value that is none of those.
pub fn parse_choice<T: FromStr>(refusal: &'static str, text: Option<&str>) -> Result<Option<T>> {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else { return Ok(None) };
    text.parse().map(Some).map_err(|_| Error::invalid(refusal))
}

const INVALID_IP: &str = "Invalid parameter: ip must be an address or a network such as 10.0.0.0/8";
/// Refusal of an unknown origin.
pub const UNKNOWN_ORIGIN: &str = "Invalid parameter: origin is not included in the list";
/// Refusal of an unknown state.
pub const UNKNOWN_STATE: &str = "Invalid parameter: status is not included in the list";
/// Refusal of unknown permissions.
pub const UNKNOWN_PERMISSIONS: &str = "Invalid parameter: permissions is not included in the list";

impl AccountQuery {
    /// Returns the parsed filter. Returns `None` if nothing can match.
    fn filter(&self, conn: &mut Conn) -> Result<Option<AdminFilter>> {
        let network = given(self.ip.as_deref()).map(str::parse::<Network>).transpose();
        let network = network.map_err(|_| Error::invalid(INVALID_IP))?;
        let Ok(invited_by) = given(self.invited_by.as_deref()).map(str::parse).transpose() else {
            return Ok(None);
        };
        let domain = given(self.domain.as_deref());
        let username = given(self.username.as_deref());
        Ok(Some(AdminFilter {
            origin: self.origin,
            state: self.state,
            roles: self.roles(conn)?,
            invited_by,
            username: username.map(|name| username_key(name.trim_start_matches('@'))),
            display_name: folded(self.display_name.as_deref()),
            domain: domain.map(|name| normalise_domain(name).unwrap_or_else(|| name.to_owned())),
            email: given(self.email.as_deref()).map(email_key),
            network,
        }))
    }

    fn roles(&self, conn: &mut Conn) -> Result<Option<Vec<RoleId>>> {
        let sent: Vec<&str> = self.roles.iter().filter_map(|id| given(Some(id))).collect();
        let mut roles: Option<Vec<RoleId>> =
            (!sent.is_empty()).then(|| sent.iter().filter_map(|id| id.parse().ok()).collect());
        if self.staff {
            let all = role_rows::permissions(conn)?.into_iter();
            let staff = all.filter(|(_, bits)| is_of_staff(*bits)).map(|(id, _)| id);
            let is_wanted = |id: &RoleId| roles.as_ref().is_none_or(|roles| roles.contains(id));
            roles = Some(staff.filter(is_wanted).collect());
        }
        Ok(roles)
    }
}

/// Returns `true` if a role with these flags makes its holders members of staff.
fn is_of_staff(bits: i64) -> bool {
    let of_users = EVERYONE_PERMISSIONS.with(Permission::ViewLiveAndTopicFeeds);
    Permissions::from_bits(bits).without_all(of_users) != Permissions::NONE
}

fn given(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}

fn folded(text: Option<&str>) -> Option<String> {
    let folded = search_fold(given(text)?);
    given(Some(&folded)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use siskin_policy::roles::DefaultRole;

    use super::*;

    #[test]
    fn only_roles_with_more_than_everyone_has_are_of_staff() {
        for role in DefaultRole::ALL {
            let is_staff = is_of_staff(role.permissions().bits());
            assert_eq!(is_staff, role != DefaultRole::Everyone, "{role:?}");
        }
        assert!(!is_of_staff(EVERYONE_PERMISSIONS.bits()));
        assert!(is_of_staff(Permissions::NONE.with(Permission::ManageRules).bits()));
    }

    #[test]
    fn a_choice_is_a_known_value_or_absent() {
        let state = |text| parse_choice::<AdminAccountState>(UNKNOWN_STATE, text);
        assert_eq!(state(Some(" pending ")).unwrap(), Some(AdminAccountState::Pending));
        assert_eq!(state(Some("")).unwrap(), None);
        assert_eq!(state(None).unwrap(), None);
        assert_eq!(state(Some("x")).unwrap_err().to_string(), UNKNOWN_STATE);
    }
}
