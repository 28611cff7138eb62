//! Lists of statuses that somebody keeps: bookmarks and favourites.

/// A page of the statuses that the rows of a table keep for `$account`, the row made last first,
/// cut by the ids of the rows. Left out is what the account may not see any more.
macro_rules! kept_page {
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
            .select(($table::id, $table::status_id))
            .into_boxed();
        let rows: Vec<($id, siskin_ids::StatusId)> = $crate::page::cut!(query, $table::id, request).load($conn)?;
        let page = $crate::page::page(rows, request, |(id, _)| id.get());
        let statuses = page.items.iter().map(|(_, status)| *status).collect();
        page.with_items(statuses)
    }};
}

pub(super) use kept_page;
