//! Keeps prepared what diesel would have parsed anew each time.
//!
//! diesel keeps no prepared statement of an UPDATE, of an upsert or of a `sql_query`, as their text
//! may be another one each time. Those that are written here have few texts, and are kept under them.
//! A statement whose text grows with its values does not belong here: each length would be kept. It runs
//! on either engine's own connection, as `each!` has it.

use diesel::{
    backend::Backend,
    // What a connection to either of two engines is made of; `Cargo.lock` names the version that has it.
    internal::derives::multiconnection::AstPassHelper as _,
    pg::Pg,
    query_builder::{AstPass, Query, QueryBuilder as _, QueryFragment, QueryId},
    query_dsl::RunQueryDsl,
    result::QueryResult,
    sqlite::Sqlite,
};

/// A statement that is kept under its text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Prepared<Q>(Q);

/// The same statement, prepared once for each connection.
pub(crate) const fn prepared<Q>(statement: Q) -> Prepared<Q> {
    Prepared(statement)
}

impl<Q> QueryId for Prepared<Q> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<Q: Query> Query for Prepared<Q> {
    type SqlType = Q::SqlType;
}

impl<Q, C> RunQueryDsl<C> for Prepared<Q> {}

macro_rules! kept_by {
    ($($engine:ident)+) => { $(
        impl<Q: QueryFragment<$engine>> QueryFragment<$engine> for Prepared<Q> {
            fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, $engine>) -> QueryResult<()> {
                if out.bind_collector().is_some() || out.debug_binds().is_some() {
                    return self.0.walk_ast(out);
                }
                // As a text it does not say that it may not be kept.
                let mut text = <$engine as Backend>::QueryBuilder::default();
                self.0.to_sql(&mut text, out.backend())?;
                out.push_sql(&text.finish());
                Ok(())
            }
        }
    )+ };
}

kept_by! { Pg Sqlite }

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use diesel::{
        Connection as _, connection::InstrumentationEvent, prelude::*, sql_query, sql_types::BigInt,
    };

    use super::*;
    use crate::{Conn, conn::each, schema::status_stats};

    /// The texts that a connection keeps prepared from now on.
    fn kept(conn: &mut Conn) -> Arc<Mutex<Vec<String>>> {
        let texts = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&texts);
        conn.set_instrumentation(move |event: InstrumentationEvent<'_>| {
            if let InstrumentationEvent::CacheQuery { sql, .. } = event {
                noted.lock().unwrap().push(sql.to_owned());
            }
        });
        texts
    }

    #[test]
    fn an_update_is_kept_once_whatever_its_values() {
        let mut conn = Conn::open("sqlite://:memory:").unwrap();
        crate::migrations::run(&mut conn).unwrap();
        let texts = kept(&mut conn);
        for by in 1_i64..4 {
            let counted = diesel::update(status_stats::table.find(by))
                .set(status_stats::replies_count.eq(status_stats::replies_count + by));
            each!(&mut conn, conn => prepared(counted).execute(conn)).unwrap();
            let raw = sql_query("DELETE FROM status_stats WHERE status_id = $1");
            let raw = prepared(raw.bind::<BigInt, _>(by));
            each!(&mut conn, conn => raw.execute(conn)).unwrap();
        }
        let texts = texts.lock().unwrap();
        assert_eq!(texts.len(), 2, "{texts:?}");
        assert!(texts[0].starts_with("UPDATE `status_stats`"), "{texts:?}");
    }
}
