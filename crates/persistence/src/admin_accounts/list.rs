//! Lists of accounts for staff.
//!
//! A filter that few accounts match selects their ids by an index. So a page costs what its filters
//! match, and never all accounts.

use std::fmt::Write as _;

use diesel::{
    QueryableByName, RunQueryDsl,
    pg::Pg,
    sql_query,
    sql_types::{BigInt, Text},
    sqlite::Sqlite,
};
use siskin_entities::{AccountOrigin, AdminAccountState, Cursor, Network, Page, PageRequest};
use siskin_ids::{AccountId, RoleId};

use super::ips;
use crate::{Conn, Result, accounts::term_range, conn::OnEngine, page::page};

/// Which accounts a list for staff shows. Absent values restrict nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AdminFilter {
    pub origin: Option<AccountOrigin>,
    /// Without one, and with every other one, rejected sign-ups are left out.
    pub state: Option<AdminAccountState>,
    /// Only users with one of these roles.
    pub roles: Option<Vec<RoleId>>,
    /// Only users that this account invited.
    pub invited_by: Option<AccountId>,
    /// Folded beginning of the user name.
    pub username: Option<String>,
    /// Beginning of the display name, folded for search.
    pub display_name: Option<String>,
    /// Normalised domain of remote accounts.
    pub domain: Option<String>,
    /// Folded beginning of the email address.
    pub email: Option<String>,
    /// Only users that signed up or signed in from there.
    pub network: Option<Network>,
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = BigInt)]
    id: AccountId,
}

/// Loads the ids of a page of accounts, newest first.
pub fn list(
    conn: &mut Conn,
    filter: &AdminFilter,
    request: PageRequest,
) -> Result<Page<AccountId>> {
    let query = Query::of(filter, request, conn.is_sqlite());
    let rows: Vec<Row> = match conn.on_engine() {
        OnEngine::Postgres(pg) => {
            let mut bound = sql_query(query.sql).into_boxed::<Pg>();
            for value in query.values {
                bound = bound.bind::<Text, _>(value);
            }
            bound.load(pg)?
        }
        OnEngine::Sqlite(sqlite) => {
            let mut bound = sql_query(query.sql).into_boxed::<Sqlite>();
            for value in query.values {
                bound = bound.bind::<Text, _>(value);
            }
            bound.load(sqlite)?
        }
    };
    let ids = rows.into_iter().map(|row| row.id).collect();
    Ok(page(ids, request, |id: &AccountId| id.get()))
}

/// A query as text, with the values of its parameters. Numbers are part of the text.
struct Query {
    sql: String,
    values: Vec<String>,
    is_sqlite: bool,
    /// Range of the ids, exclusive.
    above: i64,
    below: i64,
}

impl Query {
    fn of(filter: &AdminFilter, request: PageRequest, is_sqlite: bool) -> Self {
        let Cursor { max, min, since } = request.cursor;
        let (above, below) = (min.or(since).unwrap_or(i64::MIN + 1), max.unwrap_or(i64::MAX));
        let sql = format!(
            "SELECT accounts.id AS id FROM accounts
             WHERE accounts.id > {above} AND accounts.id < {below}"
        );
        let mut query = Self { sql, values: Vec::new(), is_sqlite, above, below };
        query.add_names(filter);
        query.add_users(filter);
        query.add_state(filter.state);
        match filter.origin {
            Some(AccountOrigin::Local) => query.and("accounts.domain IS NULL"),
            Some(AccountOrigin::Remote) => query.and("accounts.domain IS NOT NULL"),
            None => {}
        }
        let order = if min.is_some() { "ASC" } else { "DESC" };
        // Writing to a `String` cannot fail.
        let _ = write!(query.sql, " ORDER BY accounts.id {order} LIMIT {}", request.limit);
        query
    }

    fn add_names(&mut self, filter: &AdminFilter) {
        if let Some(domain) = &filter.domain {
            let domain = self.value(domain.clone());
            self.and(&format!("accounts.domain = {domain}"));
        }
        if let Some(name) = &filter.username {
            let range = self.prefix("named.username_key", name);
            self.and(&format!(
                "accounts.id IN (SELECT named.id FROM accounts AS named WHERE {range})"
            ));
        }
        if let Some(name) = &filter.display_name {
            let (from, before) = term_range(name);
            let (from, before) = (self.value(from), self.value(before));
            let beginning = self.value(format!("%\n{}%", escaped(name)));
            self.and(&format!(
                "accounts.id IN (SELECT account_id FROM account_terms
                     WHERE term >= {from} AND term < {before})
                 AND accounts.search_text LIKE {beginning} ESCAPE '\\'"
            ));
        }
    }

    fn add_users(&mut self, filter: &AdminFilter) {
        if let Some(email) = &filter.email {
            let range = self.prefix("users.email_key", email);
            self.and_users(&range);
        }
        if let Some(network) = filter.network {
            let (first, last) = ips::range(network);
            let (first, last) = (self.value(first), self.value(last));
            self.and(&format!(
                "accounts.id IN (SELECT account_id FROM account_ips
                     WHERE ip >= {first} AND ip <= {last})"
            ));
        }
        if let Some(inviter) = filter.invited_by {
            self.and_users(&format!("users.invited_by_account_id = {inviter}"));
        }
        if let Some(roles) = &filter.roles {
            let roles: Vec<String> = roles.iter().map(|role| role.get().to_string()).collect();
            // No role has the id 0.
            let roles = if roles.is_empty() { "0".to_owned() } else { roles.join(", ") };
            self.and_users(&format!("users.role_id IN ({roles})"));
        }
    }

    fn add_state(&mut self, state: Option<AdminAccountState>) {
        if state == Some(AdminAccountState::Rejected) {
            self.and_users("users.rejected_at IS NOT NULL");
            return;
        }
        match state {
            Some(AdminAccountState::Active) => self.and("accounts.suspended_at IS NULL"),
            Some(AdminAccountState::Pending) => {
                self.and_users_in_range("NOT users.approved AND users.rejected_at IS NULL");
            }
            Some(AdminAccountState::Disabled) => {
                self.and_users_in_range("users.disabled");
                self.and("accounts.suspended_at IS NULL");
            }
            Some(AdminAccountState::Sensitized) => self.and("accounts.sensitized_at IS NOT NULL"),
            Some(AdminAccountState::Silenced) => self.and("accounts.silenced_at IS NOT NULL"),
            Some(AdminAccountState::Suspended) => self.and("accounts.suspended_at IS NOT NULL"),
            Some(AdminAccountState::Rejected) | None => {}
        }
        self.and(
            "NOT EXISTS (SELECT 1 FROM users
                 WHERE users.account_id = accounts.id AND users.rejected_at IS NOT NULL)",
        );
    }

    fn and(&mut self, condition: &str) {
        self.sql += " AND ";
        self.sql += condition;
    }

    fn and_users(&mut self, condition: &str) {
        self.and(&format!("accounts.id IN (SELECT users.account_id FROM users WHERE {condition})"));
    }

    /// As [`and_users`](Self::and_users), for an index that is ordered by the ids.
    fn and_users_in_range(&mut self, condition: &str) {
        let Self { above, below, .. } = *self;
        self.and_users(&format!(
            "{condition} AND users.account_id > {above} AND users.account_id < {below}"
        ));
    }

    /// Returns the condition that a column begins with a text, which is a range in byte order.
    fn prefix(&mut self, column: &str, text: &str) -> String {
        let (from, before) =
            (self.value(text.to_owned()), self.value(format!("{text}{}", char::MAX)));
        let collation = if self.is_sqlite { "" } else { " COLLATE \"C\"" };
        format!("{column}{collation} >= {from} AND {column}{collation} < {before}")
    }

    /// Adds the value of a parameter, and returns the parameter. Parameters must appear in the text
    /// in the order in which they are added, because SQLite numbers them so.
    fn value(&mut self, value: String) -> String {
        self.values.push(value);
        format!("${}", self.values.len())
    }
}

/// Escapes `text` for use as a LIKE pattern that matches only the text itself.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_")
}
