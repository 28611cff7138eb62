//! Reads how the accounts of other servers are limited. Which block rules them is up to the caller.

use diesel::{
    prelude::*,
    sql_query,
    sql_types::{BigInt, Text},
};
use siskin_entities::DomainSeverity;

use crate::{Conn, Result};

/// Accounts of one server that are limited in the same way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitedAccounts {
    pub domain: String,
    /// The severity that is stored for them.
    pub severity: DomainSeverity,
    /// Whether their state is what the severity and the decisions of staff say together.
    pub is_applied: bool,
    /// Number of accounts.
    pub count: i64,
}

/// Counts the accounts of other servers by server and stored limit.
///
/// # Errors
/// Storage errors.
pub fn limited_accounts(conn: &mut Conn) -> Result<Vec<LimitedAccounts>> {
    #[derive(QueryableByName)]
    struct Row {
        #[diesel(sql_type = Text)]
        host: String,
        #[diesel(sql_type = BigInt)]
        stored: i64,
        #[diesel(sql_type = BigInt)]
        applied: i64,
        #[diesel(sql_type = BigInt)]
        number: i64,
    }
    let is_state = |column: &str, severity: DomainSeverity| {
        let number = severity.number();
        format!(
            "COALESCE(accounts.{column}, 0) = COALESCE(limits.own_{column},
                 CASE WHEN limits.severity = {number} THEN limits.limited_at ELSE 0 END)"
        )
    };
    let rows: Vec<Row> = sql_query(format!(
        "SELECT domain AS host, stored, applied, COUNT(*) AS number FROM (
             SELECT accounts.domain AS domain,
                 CAST(COALESCE(limits.severity, 0) AS BIGINT) AS stored,
                 CAST(CASE WHEN limits.account_id IS NULL OR ({} AND {}) THEN 1 ELSE 0 END
                     AS BIGINT) AS applied
             FROM accounts LEFT JOIN domain_limits AS limits ON limits.account_id = accounts.id
             WHERE accounts.domain IS NOT NULL
         ) AS limited GROUP BY domain, stored, applied ORDER BY domain, stored, applied",
        is_state("suspended_at", DomainSeverity::Suspend),
        is_state("silenced_at", DomainSeverity::Silence),
    ))
    .load(conn)?;
    let severity = |number: i64| i16::try_from(number).map(DomainSeverity::from_number);
    let read = |row: Row| LimitedAccounts {
        domain: row.host,
        severity: severity(row.stored).unwrap_or(DomainSeverity::Noop),
        is_applied: row.applied == 1,
        count: row.number,
    };
    Ok(rows.into_iter().map(read).collect())
}
