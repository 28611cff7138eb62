//! Relations towards single accounts that decide what a viewer sees, described as data. Their rows
//! are read in two ways: `viewer_relations.rs` loads all rows of some viewers,
//! `notifications/facts.rs` only those towards some accounts.

use diesel::prelude::*;
use siskin_entities::{RelationParts, Timestamp, relationship::Mute};
use siskin_ids::AccountId;

/// A kind of relation. Each of its rows is about one other account.
pub(crate) struct AccountRelation {
    pub(crate) table: &'static str,
    /// Column of the viewer. An index starts with it. One index, perhaps the same, contains this
    /// column and `account`.
    pub(crate) viewer: &'static str,
    /// Column of the other account.
    pub(crate) account: &'static str,
    /// Further columns, named as in [`OPTIONS`].
    pub(crate) options: &'static [&'static str],
    /// Adds a row to the relations of its viewer.
    pub(crate) add: fn(&mut RelationParts, &RelationRow),
}

/// A row of a relation. A column is `None` if the table lacks it, or if it is NULL.
#[derive(Debug, Queryable)]
pub(crate) struct RelationRow {
    pub(crate) account: AccountId,
    pub(crate) hide_notifications: Option<bool>,
    pub(crate) expires_at: Option<i64>,
}

/// Columns of a [`RelationRow`] that a table may lack, with their types.
const OPTIONS: [(&str, &str); 2] = [("hide_notifications", "BOOLEAN"), ("expires_at", "BIGINT")];

/// All kinds. Follows are read elsewhere, because they are many and have other options.
pub(crate) const ACCOUNT_RELATIONS: [AccountRelation; 3] = [
    AccountRelation {
        table: "blocks",
        viewer: "account_id",
        account: "target_account_id",
        options: &[],
        add: |parts, row| parts.blocks.push(row.account),
    },
    AccountRelation {
        table: "blocks",
        viewer: "target_account_id",
        account: "account_id",
        options: &[],
        add: |parts, row| parts.blocked_by.push(row.account),
    },
    AccountRelation {
        table: "mutes",
        viewer: "account_id",
        account: "target_account_id",
        options: &["hide_notifications", "expires_at"],
        add: |parts, row| {
            let notifications = row.hide_notifications.unwrap_or_default();
            let until = row.expires_at.map(Timestamp::from_unix_ms);
            parts.mutes.push((row.account, Mute { notifications, until }));
        },
    },
];

/// Returns the SQL that selects the columns of [`OPTIONS`] from a table that has only `options`.
pub(crate) fn select_options(options: &[&str]) -> String {
    let select = |(name, sql_type)| {
        let value = if options.contains(&name) { name } else { "NULL" };
        format!("CAST({value} AS {sql_type}) AS {name}")
    };
    OPTIONS.map(select).join(", ")
}
