//! Caches prepared statements that diesel would parse again on each run.
//!
//! diesel caches no prepared statement of an UPDATE, an upsert or a `sql_query`, because their text
//! may differ on each run. Statements wrapped here have few texts and are cached by text. A
//! statement with a constant text can be cached by its [call site](prepared_here!); then its text
//! is rendered only once. Rendering takes longer than running many a statement.
//!
//! Do not wrap a statement with a text that grows with its values: the cache would keep one entry
//! for each length. A wrapped statement runs on an engine's own connection, as in `each!`.

use std::marker::PhantomData;

use diesel::{
    backend::Backend,
    pg::Pg,
    query_builder::{AstPass, Query, QueryBuilder as _, QueryFragment, QueryId},
    query_dsl::RunQueryDsl,
    result::QueryResult,
    sqlite::Sqlite,
};

use crate::diesel_internals::AstPassHelper as _;

/// A cached statement. The cache key is its text, or the call site `K`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Prepared<Q, K = ()> {
    statement: Q,
    key: PhantomData<K>,
}

/// Wraps a statement so that it is prepared once per connection and text.
pub(crate) const fn prepared<Q>(statement: Q) -> Prepared<Q> {
    Prepared::new(statement)
}

/// Wraps a statement so that it is prepared once per connection. Its text must be the same on each
/// run on one engine, so it must not depend on a value.
macro_rules! prepared_here {
    ($statement:expr $(,)?) => {{
        struct Here;
        impl $crate::prepared::Key for Here {
            const IS_ONE_TEXT: bool = true;
        }
        $crate::prepared::Prepared::<_, Here>::new($statement)
    }};
}

pub(crate) use prepared_here;

/// Cache key of a statement.
pub(crate) trait Key: 'static {
    /// Whether the key determines the text.
    const IS_ONE_TEXT: bool;
}

impl Key for () {
    const IS_ONE_TEXT: bool = false;
}

impl<Q, K> Prepared<Q, K> {
    pub(crate) const fn new(statement: Q) -> Self {
        Self { statement, key: PhantomData }
    }
}

impl<Q, K: Key> QueryId for Prepared<Q, K> {
    type QueryId = K;
    const HAS_STATIC_QUERY_ID: bool = K::IS_ONE_TEXT;
}

impl<Q: Query, K> Query for Prepared<Q, K> {
    type SqlType = Q::SqlType;
}

impl<Q, K, C> RunQueryDsl<C> for Prepared<Q, K> {}

macro_rules! impl_cacheable {
    ($($engine:ident)+) => { $(
        impl<Q: QueryFragment<$engine>, K> QueryFragment<$engine> for Prepared<Q, K> {
            fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, $engine>) -> QueryResult<()> {
                if out.bind_collector().is_some() || out.debug_binds().is_some() {
                    return self.statement.walk_ast(out);
                }
                // Pushed as plain text, the statement does not mark itself as unsafe to cache.
                let mut text = <$engine as Backend>::QueryBuilder::default();
                self.statement.to_sql(&mut text, out.backend())?;
                out.push_sql(&text.finish());
                Ok(())
            }

            fn is_safe_to_cache_prepared(&self, _: &$engine) -> QueryResult<bool> {
                Ok(true)
            }
        }
    )+ };
}

impl_cacheable! { Pg Sqlite }

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use diesel::{
        Connection as _,
        connection::{InstrumentationEvent, SimpleConnection as _},
        prelude::*,
        sql_query,
        sql_types::BigInt,
    };

    use super::*;
    use crate::{Conn, conn::each, schema::status_stats};

    /// Records the texts that a connection caches from now on.
    fn cached_texts(conn: &mut Conn) -> Arc<Mutex<Vec<String>>> {
        let texts = Arc::new(Mutex::new(Vec::new()));
        let recorded = Arc::clone(&texts);
        conn.set_instrumentation(move |event: InstrumentationEvent<'_>| {
            if let InstrumentationEvent::CacheQuery { sql, .. } = event {
                recorded.lock().unwrap().push(sql.to_owned());
            }
        });
        texts
    }

    #[test]
    fn an_update_is_cached_once_for_all_values() {
        let mut conn = Conn::open("sqlite://:memory:").unwrap();
        crate::migrations::run(&mut conn).unwrap();
        let texts = cached_texts(&mut conn);
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

    #[test]
    fn a_statement_cached_by_call_site_binds_new_values() {
        let mut conn = Conn::open("sqlite://:memory:").unwrap();
        crate::migrations::run(&mut conn).unwrap();
        conn.batch_execute("PRAGMA foreign_keys = OFF").unwrap();
        for id in 1_i64..=3 {
            let row = status_stats::status_id.eq(id);
            diesel::insert_into(status_stats::table).values(row).execute(&mut conn).unwrap();
        }
        let texts = cached_texts(&mut conn);
        for id in 1_i64..=3 {
            let counted = diesel::update(status_stats::table.find(id))
                .set(status_stats::replies_count.eq(status_stats::replies_count + 10 * id));
            each!(&mut conn, conn => prepared_here!(counted).execute(conn)).unwrap();
        }
        assert_eq!(texts.lock().unwrap().len(), 1);
        let counts: Vec<i64> = status_stats::table
            .order(status_stats::status_id)
            .select(status_stats::replies_count)
            .load(&mut conn)
            .unwrap();
        assert_eq!(counts, [10, 20, 30]);
    }
}
