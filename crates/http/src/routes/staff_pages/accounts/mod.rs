//! `/admin/accounts`: accounts, what the moderators know about one, and what they do with it.

mod action;
mod changes;
mod list;
mod posts;
mod show;

use siskin_ids::AccountId;
use siskin_services::Error as Domain;

use crate::table::Table;

pub(super) fn configure(table: &mut Table) {
    table
        .configure(list::configure)
        .configure(show::configure)
        .configure(action::configure)
        .configure(changes::configure)
        .configure(posts::configure);
}

/// Parses the id of an account. An invalid id gives the same error as an unknown one.
fn account_id(text: &str) -> Result<AccountId, Domain> {
    text.parse().map_err(|_| Domain::NotFound)
}
