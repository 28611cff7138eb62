//! Senders of notifications, with what decides whether the recipient sees them.

use diesel::{
    prelude::*,
    sql_types::{BigInt, Bool, Nullable, Text},
};
use siskin_entities::AccountState;
use siskin_ids::AccountId;
use siskin_policy::visibility::AccountFacts;

/// Columns of [`Sender`] after the id of the account, which a query names `sender`.
pub(super) const SENDER: &str = "accounts.domain, accounts.suspended_at IS NOT NULL AS suspended,
    accounts.silenced_at IS NOT NULL AS silenced, accounts.reachable";

/// The sender of a notification. The recipient may not see it.
#[derive(Debug, Clone, PartialEq, Eq, QueryableByName)]
pub struct Sender {
    #[diesel(sql_type = BigInt, column_name = sender)]
    pub id: AccountId,
    #[diesel(sql_type = Nullable<Text>)]
    domain: Option<String>,
    #[diesel(sql_type = Bool)]
    suspended: bool,
    #[diesel(sql_type = Bool)]
    silenced: bool,
    #[diesel(sql_type = Bool)]
    reachable: bool,
}

impl Sender {
    /// Returns the facts that visibility depends on.
    #[must_use]
    pub fn facts(&self) -> AccountFacts<'_> {
        let Self { suspended, silenced, reachable, .. } = *self;
        AccountFacts {
            id: self.id,
            domain: self.domain.as_deref(),
            state: AccountState { suspended, silenced, reachable },
        }
    }
}
