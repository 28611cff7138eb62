//! The SQL condition that a status is one of a list, or quoted by one of these.

use diesel::{
    backend::Backend,
    expression::{
        AppearsOnTable, Expression, SelectableExpression, ValidGrouping, is_aggregate::Never,
    },
    pg::Pg,
    query_builder::{AstPass, QueryFragment, QueryId},
    result::QueryResult,
    serialize::ToSql,
    sql_types::{BigInt, Bool, HasSqlType, Text},
    sqlite::Sqlite,
};
use siskin_ids::StatusId;

use crate::{
    conn::MultiBackend,
    equals_any::{Reads, list_of},
    schema::statuses,
};

/// Returns the condition that a row of `statuses` is one of `ids`, or quoted by one of these.
///
/// It is one list with two sources. With OR, PostgreSQL would read the whole table.
pub(super) fn is_or_is_quoted_by(ids: &[StatusId]) -> IsOrIsQuotedBy {
    IsOrIsQuotedBy { list: list_of(ids) }
}

#[derive(Debug, Clone, QueryId)]
pub(super) struct IsOrIsQuotedBy {
    /// The ids as JSON.
    list: String,
}

impl Expression for IsOrIsQuotedBy {
    type SqlType = Bool;
}

impl<G> ValidGrouping<G> for IsOrIsQuotedBy {
    type IsAggregate = Never;
}

impl<S> AppearsOnTable<S> for IsOrIsQuotedBy where statuses::id: AppearsOnTable<S> {}
impl<S> SelectableExpression<S> for IsOrIsQuotedBy where statuses::id: SelectableExpression<S> {}

/// SQL text with which an engine compares a column with several lists: before the parameter of the
/// first list, after it, and after the last list.
pub(super) trait ReadsLists {
    fn around_lists(&self) -> (&'static str, &'static str, &'static str);
}

impl ReadsLists for Sqlite {
    fn around_lists(&self) -> (&'static str, &'static str, &'static str) {
        (" IN (SELECT value FROM json_each(", ")", ")")
    }
}

impl ReadsLists for Pg {
    fn around_lists(&self) -> (&'static str, &'static str, &'static str) {
        (" = ANY(ARRAY(SELECT unnest(CAST(translate(", ", '[]', '{}') AS bigint[]))", "))")
    }
}

impl ReadsLists for MultiBackend {
    fn around_lists(&self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Postgres(pg) => pg.around_lists(),
            Self::Sqlite(sqlite) => sqlite.around_lists(),
        }
    }
}

impl<DB> QueryFragment<DB> for IsOrIsQuotedBy
where
    DB: Backend + Reads<BigInt> + ReadsLists + HasSqlType<Text>,
    String: ToSql<Text, DB>,
    statuses::id: QueryFragment<DB>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        let (before_list, after_list) = Reads::<BigInt>::around(out.backend());
        let (before, after_first, after) = out.backend().around_lists();
        statuses::id.walk_ast(out.reborrow())?;
        out.push_sql(before);
        out.push_bind_param::<Text, _>(&self.list)?;
        out.push_sql(after_first);
        out.push_sql(
            " UNION ALL SELECT quoting.quote_of_id FROM statuses quoting \
             WHERE quoting.quote_of_id IS NOT NULL AND quoting.id",
        );
        out.push_sql(before_list);
        out.push_bind_param::<Text, _>(&self.list)?;
        out.push_sql(after_list);
        out.push_sql(after);
        Ok(())
    }
}
