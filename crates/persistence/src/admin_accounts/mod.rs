//! Accounts as staff see them: the data of their users, and the addresses that these used.

mod ips;
mod list;
mod rejections;
mod sign_ups;

use std::sync::Arc;

use diesel::prelude::*;
use siskin_entities::{AdminAccount, AdminUser, Role, Timestamp, UsedIp};
use siskin_ids::{AccountId, ApplicationId};

use crate::{
    Conn, IdMap, Result,
    accounts::{self, RoleRow},
    equals_any::IdExpression as _,
    schema::{roles, users},
};

pub(crate) use ips::record as record_ip;
pub use list::{AdminFilter, list};
pub use rejections::{Identity, overdue, reject, rejected_named, restore};
pub use sign_ups::{
    Notices, SignUpState, WaitingSignUp, count_pending, notices, set_notices, sign_up, waiting,
};

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = users)]
struct UserRow {
    account_id: AccountId,
    email: String,
    locale: Option<String>,
    sign_up_reason: Option<String>,
    confirmed_at: Option<i64>,
    approved: bool,
    disabled: bool,
    created_by_application_id: Option<ApplicationId>,
    invited_by_account_id: Option<AccountId>,
    rejected_at: Option<i64>,
}

/// Loads the accounts with these ids in any state, for staff. Leaves out unknown ids. Runs a fixed
/// number of statements.
pub fn load(conn: &mut Conn, ids: &[AccountId]) -> Result<IdMap<AccountId, AdminAccount>> {
    let found = accounts::load(conn, ids)?;
    if found.is_empty() {
        return Ok(IdMap::default());
    }
    let users: Vec<(UserRow, Option<RoleRow>)> = users::table
        .left_join(roles::table)
        .filter(users::account_id.equals_any(ids))
        .select((UserRow::as_select(), Option::<RoleRow>::as_select()))
        .load(conn)?;
    let mut ips = ips::load(conn, ids)?;
    let mut users: IdMap<AccountId, AdminUser> = users
        .into_iter()
        .map(|(user, role)| {
            let ips = ips.remove(&user.account_id).unwrap_or_default();
            (user.account_id, user.with(role, ips))
        })
        .collect();
    let shown = |(id, account): (AccountId, Arc<_>)| {
        (id, AdminAccount { account, user: users.remove(&id) })
    };
    Ok(found.into_iter().map(shown).collect())
}

impl UserRow {
    fn with(self, role: Option<RoleRow>, ips: Vec<UsedIp>) -> AdminUser {
        AdminUser {
            email: self.email,
            ips,
            locale: self.locale,
            sign_up_reason: self.sign_up_reason,
            role: role.map(Role::from),
            confirmed: self.confirmed_at.is_some(),
            approved: self.approved,
            disabled: self.disabled,
            application: self.created_by_application_id,
            invited_by: self.invited_by_account_id,
            rejected_at: self.rejected_at.map(Timestamp::from_unix_ms),
        }
    }
}
