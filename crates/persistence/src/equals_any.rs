//! `column IN (list)` as a statement with the same text for any number of values.
//!
//! On SQLite, `eq_any` writes one placeholder for each value, so diesel cannot cache the prepared
//! statement. Parsing and planning such a statement again takes longer than running it. Here all
//! values are bound as one parameter, on both engines.

use std::{
    fmt::{self, Write as _},
    marker::PhantomData,
};

use diesel::{
    backend::Backend,
    expression::{
        AppearsOnTable, AsExpression, Expression, SelectableExpression, ValidGrouping,
        is_aggregate::Never,
    },
    pg::Pg,
    query_builder::{AstPass, QueryFragment, QueryId},
    result::QueryResult,
    serialize::ToSql,
    sql_types::{BigInt, Bool, HasSqlType, Nullable, SingleValue, Text},
    sqlite::Sqlite,
};

use serde_json::Value;

use crate::{Conn, conn::MultiBackend};

/// An expression over ids.
pub(crate) trait IdExpression: Expression + Sized {
    /// `true` if the expression is one of `ids`.
    fn equals_any<I>(self, ids: impl IntoIterator<Item = I>) -> EqualsAny<Self, BigInt>
    where
        I: fmt::Display + AsExpression<BigInt>;
}

impl<C> IdExpression for C
where
    C: Expression,
    C::SqlType: IsOr<BigInt>,
{
    fn equals_any<I>(self, ids: impl IntoIterator<Item = I>) -> EqualsAny<Self, BigInt>
    where
        I: fmt::Display + AsExpression<BigInt>,
    {
        EqualsAny { expression: self, list: list_of(ids), of: PhantomData }
    }
}

/// Serialises ids to a JSON array.
pub(crate) fn list_of(ids: impl IntoIterator<Item = impl fmt::Display>) -> String {
    let mut list = String::from("[");
    for id in ids {
        if list.len() > 1 {
            list.push(',');
        }
        let _ = write!(list, "{id}");
    }
    list.push(']');
    list
}

/// Returns the SQL before and after the parameter that binds a [list of ids](list_of). Write
/// `{column}{before}$1{after}` for `column IN (list)` in the text of a query.
pub(crate) fn around_list(conn: &Conn) -> (&'static str, &'static str) {
    if conn.is_sqlite() { Reads::<BigInt>::around(&Sqlite) } else { Reads::<BigInt>::around(&Pg) }
}

/// Returns a query that reads a list of ids from the parameter `parameter`. It yields each `id`
/// with its `place` in the list, starting at 0.
pub(crate) fn rows_of_list(conn: &Conn, parameter: &str) -> String {
    if conn.is_sqlite() {
        format!("SELECT value AS id, key AS place FROM json_each({parameter})")
    } else {
        format!(
            "SELECT CAST(value AS BIGINT) AS id, ordinality - 1 AS place \
             FROM json_array_elements_text(CAST({parameter} AS json)) WITH ORDINALITY"
        )
    }
}

/// Serialises texts to a JSON array.
pub(crate) fn list_of_texts<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> String {
    Value::Array(texts.into_iter().map(|text| Value::from(text.as_ref())).collect()).to_string()
}

/// As [`rows_of_list`], for a [list of texts](list_of_texts). Yields each `text` with its `place`.
pub(crate) fn rows_of_texts(conn: &Conn, parameter: &str) -> String {
    if conn.is_sqlite() {
        format!("SELECT value AS text, key AS place FROM json_each({parameter})")
    } else {
        format!(
            "SELECT value AS text, ordinality - 1 AS place \
             FROM json_array_elements_text(CAST({parameter} AS json)) WITH ORDINALITY"
        )
    }
}

/// An expression over texts.
pub(crate) trait TextExpression: Expression + Sized {
    /// `true` if the expression is one of `texts`.
    fn equals_any_text<T: AsRef<str>>(
        self,
        texts: impl IntoIterator<Item = T>,
    ) -> EqualsAny<Self, Text>;
}

impl<C> TextExpression for C
where
    C: Expression,
    C::SqlType: IsOr<Text>,
{
    fn equals_any_text<T: AsRef<str>>(
        self,
        texts: impl IntoIterator<Item = T>,
    ) -> EqualsAny<Self, Text> {
        EqualsAny { expression: self, list: list_of_texts(texts), of: PhantomData }
    }
}

/// SQL types that are `T` or nullable `T`.
pub(crate) trait IsOr<T>: SingleValue {}

impl IsOr<Self> for BigInt {}
impl IsOr<BigInt> for Nullable<BigInt> {}
impl IsOr<Self> for Text {}
impl IsOr<Text> for Nullable<Text> {}

/// The SQL condition `expression IN (list)` for values of type `T`.
#[derive(Debug, Clone, QueryId)]
pub(crate) struct EqualsAny<C, T> {
    expression: C,
    /// The list as JSON, which both engines bind as text.
    list: String,
    of: PhantomData<T>,
}

impl<C, T> Expression for EqualsAny<C, T> {
    type SqlType = Bool;
}

impl<C, T, G> ValidGrouping<G> for EqualsAny<C, T> {
    type IsAggregate = Never;
}

impl<C: AppearsOnTable<S>, T, S> AppearsOnTable<S> for EqualsAny<C, T> {}
impl<C: SelectableExpression<S>, T, S> SelectableExpression<S> for EqualsAny<C, T> {}

/// SQL text around the parameter with which an engine reads a list of `T`: prefix and suffix.
pub(crate) trait Reads<T> {
    fn around(&self) -> (&'static str, &'static str);
}

impl<T> Reads<T> for Sqlite {
    fn around(&self) -> (&'static str, &'static str) {
        (" IN (SELECT value FROM json_each(", "))")
    }
}

impl Reads<BigInt> for Pg {
    fn around(&self) -> (&'static str, &'static str) {
        (" = ANY(CAST(translate(", ", '[]', '{}') AS bigint[]))")
    }
}

impl Reads<Text> for Pg {
    fn around(&self) -> (&'static str, &'static str) {
        (" = ANY(ARRAY(SELECT json_array_elements_text(CAST(", " AS json))))")
    }
}

impl<T> Reads<T> for MultiBackend
where
    Pg: Reads<T>,
{
    fn around(&self) -> (&'static str, &'static str) {
        match self {
            Self::Postgres(pg) => Reads::<T>::around(pg),
            Self::Sqlite(sqlite) => Reads::<T>::around(sqlite),
        }
    }
}

impl<C, T, DB> QueryFragment<DB> for EqualsAny<C, T>
where
    DB: Backend + Reads<T> + HasSqlType<Text>,
    C: QueryFragment<DB>,
    String: ToSql<Text, DB>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        let (before, after) = Reads::<T>::around(out.backend());
        self.expression.walk_ast(out.reborrow())?;
        out.push_sql(before);
        out.push_bind_param::<Text, _>(&self.list)?;
        out.push_sql(after);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use diesel::{debug_query, prelude::*};

    use super::*;
    use crate::{Conn, schema::tags};

    #[test]
    fn any_values_are_found_by_one_statement() {
        let mut conn = Conn::open("sqlite://:memory:").unwrap();
        crate::migrations::run(&mut conn).unwrap();
        let odd = "\"'[]{},\\ü";
        for (id, name) in [(1_i64, "a"), (9_007_199_254_740_993, odd), (i64::MAX, "")] {
            let row = (
                tags::id.eq(id),
                tags::name.eq(name),
                tags::display_name.eq(""),
                tags::created_at.eq(0_i64),
            );
            diesel::insert_into(tags::table).values(row).execute(&mut conn).unwrap();
        }
        let by_id = |conn: &mut Conn, ids: &[i64]| -> Vec<i64> {
            let query = tags::table.filter(tags::id.equals_any(ids)).select(tags::id);
            query.order(tags::id).load(conn).unwrap()
        };
        assert!(by_id(&mut conn, &[]).is_empty());
        assert_eq!(by_id(&mut conn, &[1, 2, i64::MAX]), [1, i64::MAX]);
        assert_eq!(by_id(&mut conn, &[9_007_199_254_740_993]), [9_007_199_254_740_993]);
        let by_name =
            tags::table.filter(tags::name.equals_any_text([odd, "", "b"])).select(tags::name);
        let names: Vec<String> = by_name.order(tags::id).load(&mut conn).unwrap();
        assert_eq!(names, [odd, ""]);
        let sql = |ids: &[i64]| {
            debug_query::<Sqlite, _>(&tags::table.filter(tags::id.equals_any(ids))).to_string()
        };
        let without_values = |sql: String| sql.split_once("-- binds").unwrap().0.to_owned();
        assert_eq!(without_values(sql(&[1])), without_values(sql(&[1, 2, 3])));
    }
}
