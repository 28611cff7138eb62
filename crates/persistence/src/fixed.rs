//! A piece of SQL that never changes, as an expression.
//!
//! diesel's own `sql` may stand for another text each time it runs, so it keeps no prepared
//! statement of a query with one in it.

use std::marker::PhantomData;

use diesel::{
    AppearsOnTable, SelectableExpression,
    backend::Backend,
    expression::{Expression, TypedExpressionType, ValidGrouping, is_aggregate::Never},
    query_builder::{AstPass, QueryFragment, QueryId},
    result::QueryResult,
};

/// An expression of type `ST`, the same text on both engines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fixed<ST> {
    sql: &'static str,
    of: PhantomData<ST>,
}

/// The expression that `sql` is. It names tables as the query around it does.
pub(crate) const fn fixed<ST>(sql: &'static str) -> Fixed<ST> {
    Fixed { sql, of: PhantomData }
}

impl<ST: TypedExpressionType> Expression for Fixed<ST> {
    type SqlType = ST;
}

// The statement is kept under its text: the type does not tell which one it is.
impl<ST> QueryId for Fixed<ST> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<ST, G> ValidGrouping<G> for Fixed<ST> {
    type IsAggregate = Never;
}

impl<ST: TypedExpressionType, T> AppearsOnTable<T> for Fixed<ST> {}
impl<ST: TypedExpressionType, T> SelectableExpression<T> for Fixed<ST> {}

impl<ST, DB: Backend> QueryFragment<DB> for Fixed<ST> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql("(");
        out.push_sql(self.sql);
        out.push_sql(")");
        Ok(())
    }
}
