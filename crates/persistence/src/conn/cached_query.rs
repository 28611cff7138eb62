//! Runs queries on either engine without rendering the SQL text of statements that the engine has
//! cached.
//!
//! The multi-backend connection of diesel renders the text of a query three times on each run. It
//! does so even if the cache finds the statement by the type of the query and discards the text.
//! For a long query that takes longer than running it. Here a connection remembers which query
//! types it has prepared. For those it only collects the bind values.

use std::{any::TypeId, collections::HashSet};

use diesel::{
    Connection, ConnectionResult, QueryResult,
    connection::{
        CacheSize, Instrumentation, LoadConnection, SimpleConnection, TransactionManager,
        TransactionManagerStatus,
    },
    expression::QueryMetadata,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
};

use super::{Conn, MultiBackend, OnEngine};
use crate::diesel_internals::{AstPassHelper as _, ConnectionSealed};

/// Types of the queries for which the engine has a cached prepared statement.
#[derive(Debug, Default)]
pub(super) struct Prepared {
    types: HashSet<TypeId>,
    /// Whether texts are left out at all. If so, instrumentation sees no text for cached
    /// statements.
    omits_text: bool,
}

impl Prepared {
    fn contains<T: QueryId>(&self) -> bool {
        self.omits_text && T::query_id().is_some_and(|id| self.types.contains(&id))
    }

    /// Records a query that was prepared, if the engine caches it.
    fn record<T: QueryId>(&mut self, is_cacheable: bool) {
        if let (true, Some(id)) = (self.omits_text && is_cacheable, T::query_id()) {
            self.types.insert(id);
        }
    }
}

impl Conn {
    /// Renders the text of each query only once from now on, when it is prepared. Instrumentation
    /// set with [`Connection::set_instrumentation`] must not rely on the text of later runs.
    pub(crate) const fn omit_cached_texts(&mut self) {
        self.prepared.omits_text = true;
    }

    const fn backend(&self) -> MultiBackend {
        match self.engine {
            OnEngine::Postgres(_) => MultiBackend::Postgres(diesel::pg::Pg),
            OnEngine::Sqlite(_) => MultiBackend::Sqlite(diesel::sqlite::Sqlite),
        }
    }
}

/// A query that renders its text only if it is not prepared yet.
struct CachedQuery<T> {
    query: T,
    is_prepared: bool,
}

impl<T: QueryFragment<MultiBackend>> QueryFragment<MultiBackend> for CachedQuery<T> {
    fn walk_ast<'b>(&'b self, mut pass: AstPass<'_, 'b, MultiBackend>) -> QueryResult<()> {
        let is_for_values = pass.bind_collector().is_some() || pass.debug_binds().is_some();
        if self.is_prepared && !is_for_values {
            return Ok(());
        }
        self.query.walk_ast(pass)
    }

    fn is_safe_to_cache_prepared(&self, backend: &MultiBackend) -> QueryResult<bool> {
        Ok(self.is_prepared || self.query.is_safe_to_cache_prepared(backend)?)
    }
}

impl<T: QueryId> QueryId for CachedQuery<T> {
    type QueryId = T::QueryId;
    const HAS_STATIC_QUERY_ID: bool = T::HAS_STATIC_QUERY_ID;
}

impl<T: Query> Query for CachedQuery<T> {
    type SqlType = T::SqlType;
}

impl SimpleConnection for Conn {
    fn batch_execute(&mut self, query: &str) -> QueryResult<()> {
        self.engine.batch_execute(query)
    }
}

impl ConnectionSealed for Conn {}

impl Connection for Conn {
    type Backend = MultiBackend;
    type TransactionManager = Self;

    fn establish(database_url: &str) -> ConnectionResult<Self> {
        OnEngine::establish(database_url).map(Self::new)
    }

    fn execute_returning_count<T>(&mut self, source: &T) -> QueryResult<usize>
    where
        T: QueryFragment<MultiBackend> + QueryId,
    {
        let is_prepared = self.prepared.contains::<T>();
        let is_cacheable = is_prepared || source.is_safe_to_cache_prepared(&self.backend())?;
        let query = CachedQuery { query: source, is_prepared };
        let count = self.engine.execute_returning_count(&query)?;
        self.prepared.record::<T>(is_cacheable && !is_prepared);
        Ok(count)
    }

    fn transaction_state(&mut self) -> &mut Self {
        self
    }

    fn instrumentation(&mut self) -> &mut dyn Instrumentation {
        self.engine.instrumentation()
    }

    fn set_instrumentation(&mut self, instrumentation: impl Instrumentation) {
        self.prepared = Prepared::default();
        self.engine.set_instrumentation(instrumentation);
    }

    fn set_prepared_statement_cache_size(&mut self, size: CacheSize) {
        self.prepared = Prepared::default();
        self.engine.set_prepared_statement_cache_size(size);
    }
}

impl LoadConnection for Conn {
    type Cursor<'conn, 'query> = <OnEngine as LoadConnection>::Cursor<'conn, 'query>;
    type Row<'conn, 'query> = <OnEngine as LoadConnection>::Row<'conn, 'query>;

    fn load<'conn, 'query, T>(
        &'conn mut self,
        source: T,
    ) -> QueryResult<Self::Cursor<'conn, 'query>>
    where
        T: Query + QueryFragment<MultiBackend> + QueryId + 'query,
        MultiBackend: QueryMetadata<T::SqlType>,
    {
        let is_prepared = self.prepared.contains::<T>();
        let is_cacheable = is_prepared || source.is_safe_to_cache_prepared(&self.backend())?;
        let cursor = self.engine.load(CachedQuery { query: source, is_prepared })?;
        self.prepared.record::<T>(is_cacheable && !is_prepared);
        Ok(cursor)
    }
}

type Manager = <OnEngine as Connection>::TransactionManager;

impl TransactionManager<Self> for Conn {
    type TransactionStateData = Self;

    fn begin_transaction(conn: &mut Self) -> QueryResult<()> {
        Manager::begin_transaction(&mut conn.engine)
    }

    fn rollback_transaction(conn: &mut Self) -> QueryResult<()> {
        Manager::rollback_transaction(&mut conn.engine)
    }

    fn commit_transaction(conn: &mut Self) -> QueryResult<()> {
        Manager::commit_transaction(&mut conn.engine)
    }

    fn transaction_manager_status_mut(conn: &mut Self) -> &mut TransactionManagerStatus {
        Manager::transaction_manager_status_mut(&mut conn.engine)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use diesel::{connection::InstrumentationEvent, prelude::*, sql_types::Bool};

    use super::*;
    use crate::{fixed::fixed, schema::tags};

    fn with_tags() -> Conn {
        let mut conn = Conn::open("sqlite://:memory:").unwrap();
        crate::migrations::run(&mut conn).unwrap();
        for id in 1..=5_i64 {
            let row = (
                tags::id.eq(id),
                tags::name.eq(id.to_string()),
                tags::display_name.eq(""),
                tags::created_at.eq(0_i64),
            );
            diesel::insert_into(tags::table).values(row).execute(&mut conn).unwrap();
        }
        conn
    }

    fn above(conn: &mut Conn, id: i64) -> Vec<i64> {
        let query = tags::table.filter(tags::id.gt(id)).order(tags::id).select(tags::id);
        query.load(conn).unwrap()
    }

    #[test]
    fn query_text_is_rendered_once_and_values_are_bound_on_every_run() {
        let mut conn = with_tags();
        let texts = Arc::new(Mutex::new(Vec::new()));
        let recorded = Arc::clone(&texts);
        conn.set_instrumentation(move |event: InstrumentationEvent<'_>| {
            if let InstrumentationEvent::StartQuery { query, .. } = event {
                recorded.lock().unwrap().push(query.to_string());
            }
        });
        assert_eq!(above(&mut conn, 3), [4, 5]);
        conn.omit_cached_texts();
        assert_eq!(above(&mut conn, 4), [5]);
        assert_eq!(above(&mut conn, 2), [3, 4, 5]);
        assert_eq!(diesel::delete(tags::table.find(5_i64)).execute(&mut conn).unwrap(), 1);
        assert_eq!(diesel::delete(tags::table.find(4_i64)).execute(&mut conn).unwrap(), 1);
        assert_eq!(above(&mut conn, 2), [3]);
        let texts = texts.lock().unwrap();
        let written: Vec<bool> = texts.iter().map(|text| !text.starts_with(" --")).collect();
        assert_eq!(written[..3], [true, true, false], "{texts:?}");
    }

    #[test]
    fn queries_with_different_fixed_sql_are_cached_separately() {
        let mut conn = with_tags();
        conn.omit_cached_texts();
        for _ in 0..3 {
            let high = tags::table.filter(fixed!(Bool, "tags.id > 4")).select(tags::id);
            let low = tags::table.filter(fixed!(Bool, "tags.id < 2")).select(tags::id);
            assert_eq!(high.load::<i64>(&mut conn).unwrap(), [5]);
            assert_eq!(low.load::<i64>(&mut conn).unwrap(), [1]);
        }
    }
}
