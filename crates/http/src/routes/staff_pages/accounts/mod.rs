//! `/admin/accounts`: accounts, what the moderators know about one, and what they do with it.

mod action;
mod bulk;
mod changes;
mod list;
mod posts;
mod show;

use crate::table::Table;

pub(super) fn configure(table: &mut Table) {
    table
        .configure(list::configure)
        .configure(show::configure)
        .configure(action::configure)
        .configure(changes::configure)
        .configure(posts::configure);
}
