//! Accounts that a domain block limits.
//!
//! `domain_limits` remembers what staff decided about such an account itself. The columns of
//! `accounts` combine both, so that no read has to look at domains.

use std::collections::HashMap;

use diesel::{
    dsl::exists,
    prelude::*,
    sql_query,
    sql_types::{BigInt, SmallInt, Text},
};
use siskin_entities::DomainSeverity;
use siskin_ids::AccountId;

use crate::{
    Conn, Result, Tx,
    accounts::{self, Decision, listed},
    conn::each,
    equals_any::{IdExpression as _, around_list, list_of},
    prepared::prepared,
    schema::domain_limits,
};

/// Returns up to `limit` domains of known accounts that come after `after`, in the order of the
/// database. An empty `after` stands for the beginning.
pub fn domains_after(conn: &mut Conn, after: &str, limit: i64) -> Result<Vec<String>> {
    #[derive(QueryableByName)]
    struct Row {
        #[diesel(sql_type = Text)]
        host: String,
    }
    // Jumps from one domain to the next by the index, however many accounts a domain has.
    let query = sql_query(
        "WITH RECURSIVE known (host) AS (
             SELECT MIN(domain) FROM accounts WHERE domain > $1
             UNION ALL
             SELECT (SELECT MIN(accounts.domain) FROM accounts WHERE accounts.domain > known.host)
             FROM known WHERE known.host IS NOT NULL
         ) SELECT host FROM known WHERE host IS NOT NULL LIMIT $2",
    )
    .bind::<Text, _>(after)
    .bind::<BigInt, _>(limit);
    let rows: Vec<Row> = each!(conn, conn => prepared(query).load(conn))?;
    Ok(rows.into_iter().map(|row| row.host).collect())
}

/// Returns up to `limit` accounts of a domain with ids after `after`, ordered by id.
pub fn accounts_of(
    conn: &mut Conn,
    domain: &str,
    after: Option<AccountId>,
    limit: i64,
) -> Result<Vec<AccountId>> {
    #[derive(QueryableByName)]
    struct Row {
        #[diesel(sql_type = BigInt)]
        id: AccountId,
    }
    let query =
        sql_query("SELECT id FROM accounts WHERE domain = $1 AND id > $2 ORDER BY id LIMIT $3")
            .bind::<Text, _>(domain)
            .bind::<BigInt, _>(after.unwrap_or(AccountId::new(0)))
            .bind::<BigInt, _>(limit);
    let rows: Vec<Row> = each!(conn, conn => prepared(query).load(conn))?;
    Ok(rows.into_iter().map(|row| row.id).collect())
}

/// Limits accounts as a domain block of this severity does, or ends that with
/// [`DomainSeverity::Noop`]. What staff decided about the accounts themselves stays. The number of
/// statements does not depend on the number of accounts, which the caller has locked.
pub fn limit(tx: &mut Tx<'_>, ids: &[AccountId], severity: DomainSeverity) -> Result<()> {
    let limited = severities(tx, ids)?;
    let is_wanted = severity > DomainSeverity::Noop;
    let (present, missing): (Vec<AccountId>, Vec<AccountId>) =
        ids.iter().copied().partition(|id| limited.contains_key(id));
    let missing: Vec<AccountId> = missing.into_iter().filter(|_| is_wanted).collect();
    let mut changed: Vec<AccountId> =
        present.into_iter().filter(|id| limited.get(id) != Some(&severity.number())).collect();
    if changed.is_empty() && missing.is_empty() {
        return Ok(());
    }
    insert(tx, &missing, severity)?;
    diesel::update(domain_limits::table)
        .filter(domain_limits::account_id.equals_any(&changed))
        .set((
            domain_limits::severity.eq(severity.number()),
            domain_limits::limited_at.eq(tx.now().unix_ms()),
        ))
        .execute(&mut **tx)?;
    changed.extend(missing);
    combine(tx, &changed)?;
    if !is_wanted {
        let ended = domain_limits::table.filter(domain_limits::account_id.equals_any(&changed));
        diesel::delete(ended).execute(&mut **tx)?;
    }
    Ok(())
}

/// Writes the state of those of these accounts that are limited to their rows again, in case another
/// program changed the rows. The caller has locked the accounts.
pub fn apply_again(tx: &mut Tx<'_>, ids: &[AccountId]) -> Result<()> {
    let limited: Vec<AccountId> = severities(tx, ids)?.into_keys().collect();
    if limited.is_empty() { Ok(()) } else { combine(tx, &limited) }
}

/// Loads the severities of those of these accounts that are limited.
fn severities(conn: &mut Conn, ids: &[AccountId]) -> Result<HashMap<AccountId, i16>> {
    let rows: Vec<(AccountId, i16)> = domain_limits::table
        .filter(domain_limits::account_id.equals_any(ids))
        .select((domain_limits::account_id, domain_limits::severity))
        .load(conn)?;
    Ok(rows.into_iter().collect())
}

fn insert(tx: &mut Tx<'_>, ids: &[AccountId], severity: DomainSeverity) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let ((before, after), now) = (around_list(tx), tx.now().unix_ms());
    let query = sql_query(format!(
        "INSERT INTO domain_limits
             (account_id, severity, limited_at, own_suspended_at, own_silenced_at)
         SELECT id, CAST($1 AS SMALLINT), CAST($2 AS BIGINT), suspended_at, silenced_at
         FROM accounts WHERE id{before}$3{after}"
    ))
    .bind::<SmallInt, _>(severity.number())
    .bind::<BigInt, _>(now)
    .bind::<Text, _>(list_of(ids));
    each!(&mut **tx, conn => prepared(query).execute(conn))?;
    Ok(())
}

/// Writes the state of limited accounts to their rows: the earlier decision of staff if there is
/// one, otherwise that of the block. Triggers raise the versions of the accounts.
fn combine(tx: &mut Tx<'_>, ids: &[AccountId]) -> Result<()> {
    accounts::lock_counts(tx, ids)?;
    let ((before, after), listed) = (around_list(tx), listed!());
    let (silence, suspend) = (DomainSeverity::Silence.number(), DomainSeverity::Suspend.number());
    let combined = |own: &str, number: i16| {
        format!(
            "(SELECT COALESCE({own}, CASE WHEN severity = {number} THEN limited_at END)
              FROM domain_limits WHERE domain_limits.account_id = accounts.id)"
        )
    };
    let states = sql_query(format!(
        "UPDATE accounts SET suspended_at = {}, silenced_at = {} WHERE id{before}$1{after}",
        combined("own_suspended_at", suspend),
        combined("own_silenced_at", silence),
    ))
    .bind::<Text, _>(list_of(ids));
    each!(&mut **tx, conn => prepared(states).execute(conn))?;
    let listing = sql_query(format!(
        "UPDATE account_stats SET listed = (
             SELECT {listed} FROM accounts AS owner WHERE owner.id = account_stats.account_id
         ) WHERE account_id{before}$1{after}"
    ))
    .bind::<Text, _>(list_of(ids));
    each!(&mut **tx, conn => prepared(listing).execute(conn))?;
    Ok(())
}

/// Returns the time at which staff suspended an account that a domain block limits; the inner value
/// is `None` if they did not. Returns `None` if no block limits the account.
pub(crate) fn own_suspended_at(conn: &mut Conn, account: AccountId) -> Result<Option<Option<i64>>> {
    let own = domain_limits::table.find(account).select(domain_limits::own_suspended_at);
    Ok(own.first(conn).optional()?)
}

/// Writes a decision of staff about an account that a domain block limits, and returns the number
/// of changed accounts. Returns `None` if no block limits the account, or if blocks have nothing to
/// do with the decision.
pub(crate) fn decide_own(
    tx: &mut Tx<'_>,
    account: AccountId,
    decision: Decision,
) -> Result<Option<usize>> {
    if !matches!(decision, Decision::Suspended(_) | Decision::Silenced(_)) {
        return Ok(None);
    }
    accounts::lock(tx, &[account])?;
    let limited = domain_limits::table.find(account);
    if !diesel::select(exists(limited)).get_result(&mut **tx)? {
        return Ok(None);
    }
    let now = tx.now().unix_ms();
    let changed = match decision {
        Decision::Suspended(true) => {
            diesel::update(limited.filter(domain_limits::own_suspended_at.is_null()))
                .set(domain_limits::own_suspended_at.eq(now))
                .execute(&mut **tx)?
        }
        Decision::Suspended(false) => {
            diesel::update(limited.filter(domain_limits::own_suspended_at.is_not_null()))
                .set(domain_limits::own_suspended_at.eq(None::<i64>))
                .execute(&mut **tx)?
        }
        Decision::Silenced(true) => {
            diesel::update(limited.filter(domain_limits::own_silenced_at.is_null()))
                .set(domain_limits::own_silenced_at.eq(now))
                .execute(&mut **tx)?
        }
        Decision::Silenced(false) => {
            diesel::update(limited.filter(domain_limits::own_silenced_at.is_not_null()))
                .set(domain_limits::own_silenced_at.eq(None::<i64>))
                .execute(&mut **tx)?
        }
        _ => 0,
    };
    if changed == 1 {
        combine(tx, &[account])?;
    }
    Ok(Some(changed))
}
