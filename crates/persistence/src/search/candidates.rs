//! Candidates of a search: statuses with the terms of a query that its viewer may find.
//!
//! Each page runs at most four statements. One finds the viewer's own statuses and public ones:
//! both have a term, so the index intersects everything. The statuses that the viewer interacted
//! with have no term, because a popular status would have to be indexed again with every favourite.
//! The index is compared with the list of them, in the range of their ids if they are few.
//!
//! The index is in the order of ids. So a period is turned into a range of ids ([`Cut`]), and the
//! index is read in this range only.

use std::collections::BTreeSet;

use diesel::{
    QueryableByName, RunQueryDsl, sql_query,
    sql_types::{BigInt, Text},
};
use siskin_entities::{
    PageRequest, StatusQuery,
    search::{Condition, Period, SearchScope},
};
use siskin_ids::{AccountId, StatusId, first_id_at, unix_ms_of};
use siskin_text::{required_terms, sole_term};

use super::document::{ANY, PUBLIC, author_term, language_term, property_term};
use crate::{
    Conn, Result, conn::each, equals_any::list_of, prepared::prepared, timelines::Candidate,
};

/// Maximum number of interactions that are read before the index.
const FEW: usize = 1000;
/// Maximum number of late statuses of a period that are read before the index.
const FEW_LATE: usize = 1000;
/// Time after a status up to which its id is not late, in milliseconds. The index `statuses_late`
/// contains the same number.
const LATE: i64 = 3_600_000;
/// Maximum number of terms that a status must have. The texts of candidates are compared anyway.
const MAX_TERMS: usize = 32;

/// Parameters of a search for statuses.
#[derive(Debug, Clone, Copy)]
pub struct StatusSearch<'a> {
    pub query: &'a StatusQuery,
    pub viewer: AccountId,
    /// The authors that the query and the request name.
    pub authors: &'a [Condition<AccountId>],
}

/// Terms that a status must have: all of `all`, at least one of `any`, and none of `none`.
#[derive(Debug, Default)]
struct Terms {
    all: BTreeSet<String>,
    any: Vec<String>,
    none: BTreeSet<String>,
}

impl Terms {
    fn of(search: &StatusSearch<'_>) -> Self {
        let StatusQuery { phrases, properties, languages, .. } = search.query;
        let mut terms = Self::default();
        let mut words = BTreeSet::new();
        for Condition { of: phrase, is_negated } in phrases {
            if *is_negated {
                // A status may have every term of a longer phrase without the phrase.
                terms.none.extend(sole_term(phrase));
            } else {
                words.extend(required_terms(phrase));
            }
        }
        // The longest words are the rarest.
        let mut words: Vec<String> = words.into_iter().collect();
        words.sort_by_key(|word| std::cmp::Reverse(word.len()));
        terms.all.extend(words.into_iter().take(MAX_TERMS));
        for Condition { of, is_negated } in search.authors {
            terms.add(author_term(*of), *is_negated);
        }
        for Condition { of, is_negated } in properties {
            // A status with a link may lack a preview.
            if !is_negated || *of != siskin_entities::search::Property::Embed {
                terms.add(property_term(*of), *is_negated);
            }
        }
        for Condition { of, is_negated } in languages {
            terms.add(language_term(of), *is_negated);
        }
        terms
    }

    fn add(&mut self, term: String, is_negated: bool) {
        if is_negated {
            self.none.insert(term)
        } else {
            self.all.insert(term)
        };
    }

    /// Returns the query in the language of the full-text search of `SQLite`. Terms contain no
    /// quotation marks.
    fn for_sqlite(&self) -> String {
        let joined = |terms: &mut dyn Iterator<Item = &String>, with: &str| {
            terms.map(|term| format!("\"{term}\"")).collect::<Vec<_>>().join(with)
        };
        let mut all: Vec<String> = self.all.iter().map(|term| format!("\"{term}\"")).collect();
        if !self.any.is_empty() {
            all.push(format!("({})", joined(&mut self.any.iter(), " OR ")));
        }
        let all = all.join(" AND ");
        if self.none.is_empty() {
            return all;
        }
        format!("({all}) NOT ({})", joined(&mut self.none.iter(), " OR "))
    }

    /// Returns the query as a `tsquery`. Terms contain neither apostrophes nor backslashes.
    fn for_postgres(&self) -> String {
        let quoted = |term: &String| format!("'{term}'");
        let mut all: Vec<String> = self.all.iter().map(quoted).collect();
        if !self.any.is_empty() {
            all.push(format!("({})", self.any.iter().map(quoted).collect::<Vec<_>>().join(" | ")));
        }
        all.extend(self.none.iter().map(|term| format!("!{}", quoted(term))));
        all.join(" & ")
    }

    fn on(&self, conn: &Conn) -> String {
        if conn.is_sqlite() { self.for_sqlite() } else { self.for_postgres() }
    }
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = BigInt)]
    id: i64,
    #[diesel(sql_type = BigInt)]
    account_id: i64,
}

#[derive(QueryableByName)]
struct Id {
    #[diesel(sql_type = BigInt)]
    id: i64,
}

/// The part of the list that a page needs: a range of ids and a period. The range contains all
/// statuses of the period.
#[derive(Debug, Clone, Copy)]
struct Cut {
    above: i64,
    below: i64,
    from: i64,
    until: i64,
    limit: i64,
    is_ascending: bool,
}

impl Cut {
    fn of(conn: &mut Conn, query: &StatusQuery, request: PageRequest) -> Result<Self> {
        let (cursor, period) = (request.cursor, query.period());
        let above = cursor.min.or(cursor.since).unwrap_or(i64::MIN);
        let (from, until) = (period.from.unix_ms(), period.until.unix_ms());
        Ok(Self {
            // The id of a status is never of an earlier time than the status.
            above: above.max(first_id(from) - 1),
            below: end(conn, period, cursor.max.unwrap_or(i64::MAX))?,
            from,
            until,
            limit: request.limit,
            is_ascending: cursor.min.is_some(),
        })
    }
}

/// Returns the lowest possible id of this time, or of the nearest time that ids can have.
fn first_id(unix_ms: i64) -> i64 {
    first_id_at(unix_ms.clamp(0, unix_ms_of(i64::MAX)))
}

/// Lowers `below`, an id above the rows of a page, to an id that is above all statuses of a period.
fn end(conn: &mut Conn, period: Period, below: i64) -> Result<i64> {
    let end = first_id(period.until.unix_ms().saturating_add(LATE));
    if period.until == Period::ALWAYS.until || below <= end {
        return Ok(below);
    }
    let late = late_statuses(conn, period)?;
    if late.len() >= FEW_LATE {
        return Ok(below);
    }
    let last = late.into_iter().max().unwrap_or(0);
    Ok(below.min(end.max(last.saturating_add(1))))
}

/// Returns up to [`FEW_LATE`] statuses of a period, in no particular order, with ids of a time more
/// than [`LATE`] after their own. A status is late if it was fetched or inserted long after its
/// time, or if ids run ahead of the clock.
fn late_statuses(conn: &mut Conn, period: Period) -> Result<Vec<i64>> {
    let query = sql_query(format!(
        "SELECT id FROM statuses WHERE id / 65536 - created_at > {LATE}
             AND created_at >= $1 AND created_at < $2 LIMIT $3"
    ));
    let query = query
        .bind::<BigInt, _>(period.from.unix_ms())
        .bind::<BigInt, _>(period.until.unix_ms())
        .bind::<BigInt, _>(i64::try_from(FEW_LATE).unwrap_or(i64::MAX));
    let rows: Vec<Id> = each!(conn, conn => prepared(query).load(conn))?;
    Ok(rows.into_iter().map(|row| row.id).collect())
}

/// Loads statuses that the viewer of a search may find, newest first. Leaves out what no rule can
/// show: statuses by others that are neither public nor known to the viewer.
///
/// # Errors
/// Storage errors.
pub fn candidates(
    conn: &mut Conn,
    search: &StatusSearch<'_>,
    request: PageRequest,
) -> Result<Vec<Candidate>> {
    let terms = Terms::of(search);
    let cut = Cut::of(conn, search.query, request)?;
    let scope = search.query.scope;
    let mut any = Vec::new();
    if scope != SearchScope::Public {
        any.push(author_term(search.viewer));
    }
    if scope != SearchScope::Library {
        any.push(PUBLIC.to_owned());
    }
    let mut found = with_terms(conn, &Terms { any, ..Terms::of(search) }, cut)?;
    if scope != SearchScope::Public {
        let mut terms = terms;
        if terms.all.is_empty() {
            terms.all.insert(ANY.to_owned());
        }
        let known = interactions(conn, search.viewer, cut)?;
        found.extend(if known.len() < FEW {
            among(conn, &terms, &known, cut)?
        } else {
            interacted(conn, &terms, search.viewer, cut)?
        });
    }
    found.sort_unstable_by_key(|row| row.id);
    found.dedup_by_key(|row| row.id);
    if cut.is_ascending {
        found.truncate(usize::try_from(request.limit).unwrap_or(0));
        found.reverse();
    } else {
        found.reverse();
        found.truncate(usize::try_from(request.limit).unwrap_or(0));
    }
    let candidate = |row: Row| Candidate {
        id: StatusId::new(row.id),
        reblog_of: None,
        author: AccountId::new(row.account_id),
    };
    Ok(found.into_iter().map(candidate).collect())
}

/// SQL condition for the rows of the index that match the parameter `$1`.
fn matches(conn: &Conn) -> &'static str {
    match conn.is_sqlite() {
        true => "status_terms MATCH $1",
        false => "status_terms.terms @@ CAST($1 AS tsquery)",
    }
}

/// Returns the column of the index with the id of the status.
fn id(conn: &Conn) -> &'static str {
    if conn.is_sqlite() { "status_terms.rowid" } else { "status_terms.status_id" }
}

/// SQL conditions of a [`Cut`], with the parameters from `$2` on; the last one is the limit. `more`
/// is a further condition, with the parameter `$6` before the limit.
fn cut_sql(conn: &Conn, more: &str, is_ascending: bool) -> String {
    let (id, order) = (id(conn), if is_ascending { "ASC" } else { "DESC" });
    let limit = if more.is_empty() { 6 } else { 7 };
    format!(
        "{id} > $2 AND {id} < $3 AND statuses.created_at >= $4 AND statuses.created_at < $5
             AND statuses.visibility < 4 {more}
         ORDER BY {id} {order} LIMIT ${limit}"
    )
}

/// Runs a statement with the parameters of a [`Cut`], after those that are bound already.
macro_rules! load_cut {
    ($conn:expr, $query:expr, $cut:expr $(, then $kind:ty, $more:expr)?) => {{
        let Cut { above, below, from, until, limit, .. } = $cut;
        let query = $query
            .bind::<BigInt, _>(above)
            .bind::<BigInt, _>(below)
            .bind::<BigInt, _>(from)
            .bind::<BigInt, _>(until)
            $(.bind::<$kind, _>($more))?
            .bind::<BigInt, _>(limit);
        let rows: Vec<Row> = each!($conn, conn => prepared(query).load(conn))?;
        rows
    }};
}

const COLUMNS: &str = "SELECT statuses.id AS id, statuses.account_id AS account_id";

/// Loads the statuses with these terms.
fn with_terms(conn: &mut Conn, terms: &Terms, cut: Cut) -> Result<Vec<Row>> {
    let (id, matches) = (id(conn), matches(conn));
    let cut_sql = cut_sql(conn, "", cut.is_ascending);
    // CROSS JOIN makes SQLite read the index first.
    let query = sql_query(format!(
        "{COLUMNS} FROM status_terms CROSS JOIN statuses
         WHERE {matches} AND statuses.id = {id} AND {cut_sql}"
    ));
    let query = query.bind::<Text, _>(terms.on(conn));
    Ok(load_cut!(conn, query, cut))
}

/// Loads those of the statuses `known` that have these terms.
fn among(conn: &mut Conn, terms: &Terms, known: &[i64], cut: Cut) -> Result<Vec<Row>> {
    let (Some(first), Some(last)) = (known.iter().min(), known.iter().max()) else {
        return Ok(Vec::new());
    };
    // SQLite reads this part of the index only.
    let above = cut.above.max(first.saturating_sub(1));
    let below = cut.below.min(last.saturating_add(1));
    let list = if conn.is_sqlite() {
        "SELECT value FROM json_each($6)"
    } else {
        "SELECT CAST(json_array_elements_text(CAST($6 AS json)) AS BIGINT)"
    };
    let query = sql_query(in_list(conn, list, cut)).bind::<Text, _>(terms.on(conn));
    Ok(load_cut!(conn, query, Cut { above, below, ..cut }, then Text, list_of(known)))
}

/// Loads the statuses with these terms with which the viewer interacted.
fn interacted(conn: &mut Conn, terms: &Terms, viewer: AccountId, cut: Cut) -> Result<Vec<Row>> {
    let lists = INTERACTIONS.map(|list| list.replace("$1", "$6")).join(" UNION ALL ");
    let query = sql_query(in_list(conn, &lists, cut)).bind::<Text, _>(terms.on(conn));
    Ok(load_cut!(conn, query, cut, then BigInt, viewer))
}

/// Builds the SQL that selects statuses with the terms `$1` whose ids are in `list`, a query with
/// the parameter `$6`.
fn in_list(conn: &Conn, list: &str, cut: Cut) -> String {
    let (id, matches) = (id(conn), matches(conn));
    // The sign keeps SQLite from searching the index once for each status of the list: without
    // positions, each search would read the index from its beginning.
    let sign = if conn.is_sqlite() { "+" } else { "" };
    let cut_sql = cut_sql(conn, &format!("AND {sign}{id} IN ({list})"), cut.is_ascending);
    format!(
        "{COLUMNS} FROM status_terms CROSS JOIN statuses
         WHERE {matches} AND statuses.id = {id} AND {cut_sql}"
    )
}

/// Lists of the statuses with which the account `$1` interacted, or that mention it.
const INTERACTIONS: [&str; 5] = [
    "SELECT status_id FROM favourites WHERE account_id = $1",
    "SELECT status_id FROM bookmarks WHERE account_id = $1",
    "SELECT status_id FROM mentions WHERE account_id = $1",
    "SELECT reblog_of_id AS status_id FROM statuses
     WHERE account_id = $1 AND reblog_of_id IS NOT NULL",
    "SELECT polls.status_id AS status_id FROM poll_votes
     JOIN polls ON polls.id = poll_votes.poll_id WHERE poll_votes.account_id = $1",
];

/// Returns the statuses in the range of `cut` with which the viewer interacted, in no particular
/// order. Returns [`FEW`] of them if there are as many or more.
fn interactions(conn: &mut Conn, viewer: AccountId, cut: Cut) -> Result<Vec<i64>> {
    let limited = |list: &str| {
        format!(
            "SELECT status_id FROM (
                 SELECT status_id FROM ({list}) AS list
                 WHERE status_id > $2 AND status_id < $3 LIMIT $4) AS limited"
        )
    };
    let lists = INTERACTIONS.map(limited).join(" UNION ");
    let query = sql_query(format!("SELECT status_id AS id FROM ({lists}) AS known LIMIT $4"));
    let query = query
        .bind::<BigInt, _>(viewer)
        .bind::<BigInt, _>(cut.above)
        .bind::<BigInt, _>(cut.below)
        .bind::<BigInt, _>(i64::try_from(FEW).unwrap_or(i64::MAX));
    let rows: Vec<Id> = each!(conn, conn => prepared(query).load(conn))?;
    Ok(rows.into_iter().map(|row| row.id).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> Terms {
        let query = StatusQuery::parse(text);
        let authors = [Condition { of: AccountId::new(7), is_negated: false }];
        let search = StatusSearch { query: &query, viewer: AccountId::new(1), authors: &authors };
        Terms { any: vec![PUBLIC.to_owned()], ..Terms::of(&search) }
    }

    #[test]
    fn each_engine_gets_its_query() {
        let terms = terms("cat -dog -\"new moon\" has:embed -has:embed language:zh-TW 東京都");
        assert_eq!(
            terms.for_sqlite(),
            "(\"=from7\" AND \"=inzhtw\" AND \"=link\" AND \"cat\" AND \"京都\" AND \"東京\" AND \
             (\"=public\")) NOT (\"dog\")"
        );
        assert_eq!(
            terms.for_postgres(),
            "'=from7' & '=inzhtw' & '=link' & 'cat' & '京都' & '東京' & ('=public') & !'dog'"
        );
    }

    #[test]
    fn the_number_of_terms_is_bounded() {
        let text: String = (0x4E00..0x4E00 + 300).filter_map(char::from_u32).collect();
        assert!(terms(&text).all.len() <= MAX_TERMS + 1);
    }
}
