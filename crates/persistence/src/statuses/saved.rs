//! Pages of bookmarked and favourited statuses.

/// Loads a page of the statuses to which the rows of a table refer for `$account`. The newest row
/// comes first; the cursor is the id of the row. Leaves out statuses that are not visible to the
/// account any more.
macro_rules! saved_page {
    ($conn:expr, $table:ident[$id:ty], $account:expr, $request:expr) => {{
        use $crate::schema::{$table, statuses};
        let request: siskin_entities::PageRequest = $request;
        let query = $table::table
            .inner_join(statuses::table)
            .filter($table::account_id.eq($account))
            .filter($crate::statuses::may_see!(
                $account,
                id: statuses::id,
                account: statuses::account_id,
                visibility: statuses::visibility
            ))
            .select(($table::id, $table::status_id));
        let rows: Vec<($id, siskin_ids::StatusId)> =
            $crate::page::cut_rows!($conn, query, $table::id, request)?;
        let page = $crate::page::page(rows, request, |(id, _)| id.get());
        let statuses = page.items.iter().map(|(_, status)| *status).collect();
        page.with_items(statuses)
    }};
}

pub(super) use saved_page;
