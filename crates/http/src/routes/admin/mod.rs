//! `/api/v1/admin`: the interface for staff. The extractor `Staff` checks scope and permission.

mod trends;

use crate::table::Table;

pub(super) fn configure(table: &mut Table) {
    table.configure(trends::configure);
}
