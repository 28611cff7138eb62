//! A constant piece of SQL as an expression.
//!
//! The text of diesel's own `sql` may differ on each run, so diesel caches no prepared statement of
//! a query that contains it. Here the text belongs to the type.

use std::marker::PhantomData;

use diesel::{
    AppearsOnTable, SelectableExpression,
    backend::Backend,
    expression::{Expression, TypedExpressionType, ValidGrouping, is_aggregate::Never},
    query_builder::{AstPass, QueryFragment, QueryId},
    result::QueryResult,
};

/// A type with a constant SQL text.
pub(crate) trait Text: 'static {
    const SQL: &'static str;
}

/// An expression of type `ST` with the same text on both engines.
#[derive(Debug)]
pub(crate) struct Fixed<T, ST> {
    of: PhantomData<(T, ST)>,
}

impl<T, ST> Fixed<T, ST> {
    pub(crate) const fn new() -> Self {
        Self { of: PhantomData }
    }
}

impl<T, ST> Clone for Fixed<T, ST> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, ST> Copy for Fixed<T, ST> {}

/// Builds an expression of type `$type` from the literal `$sql`. The literal uses the table names
/// of the surrounding query.
macro_rules! fixed {
    ($type:ty, $sql:expr) => {{
        struct Here;
        impl $crate::fixed::Text for Here {
            const SQL: &'static str = $sql;
        }
        $crate::fixed::Fixed::<Here, $type>::new()
    }};
}

pub(crate) use fixed;

impl<T, ST: TypedExpressionType> Expression for Fixed<T, ST> {
    type SqlType = ST;
}

impl<T: Text, ST: 'static> QueryId for Fixed<T, ST> {
    type QueryId = Self;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl<T, ST, G> ValidGrouping<G> for Fixed<T, ST> {
    type IsAggregate = Never;
}

impl<T, ST: TypedExpressionType, QS> AppearsOnTable<QS> for Fixed<T, ST> {}
impl<T, ST: TypedExpressionType, QS> SelectableExpression<QS> for Fixed<T, ST> {}

impl<T: Text, ST, DB: Backend> QueryFragment<DB> for Fixed<T, ST> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql("(");
        out.push_sql(T::SQL);
        out.push_sql(")");
        Ok(())
    }
}
