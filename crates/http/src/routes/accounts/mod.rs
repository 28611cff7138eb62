//! `/api/v1/accounts`, and relationships between accounts.

mod actions;
mod credentials;
mod directory;
mod follows;
mod profile_form;
mod reads;
mod sign_up;
mod suggestions;

use crate::table::Table;

pub(super) fn configure(table: &mut Table) {
    table
        .configure(actions::configure)
        .configure(credentials::configure)
        .configure(directory::configure)
        .configure(follows::configure)
        .configure(sign_up::configure)
        .configure(suggestions::configure)
        // Last, because `/api/v1/accounts/{id}` also matches the paths of other modules.
        .configure(reads::configure);
}
