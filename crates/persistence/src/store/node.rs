//! Leases a node number for this process. Ids contain the node number, so two processes never
//! generate the same id.
//!
//! A lease is a row of `id_nodes`. It is renewed, or acquired again, only before a write
//! transaction begins. An idle process therefore renews nothing and needs no timer.

use std::{
    hash::{BuildHasher, RandomState},
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use diesel::{prelude::*, sql_query};
use siskin_entities::Timestamp;
use siskin_ids::{Generator, NODES, RESERVED_NODES};

use super::{Role, session::Session};
use crate::{Conn, Error, Result, conn::OnEngine, schema::id_nodes};

/// Duration of a lease. A crashed process blocks its node for at most this long.
const LEASE: Duration = Duration::from_secs(20);
/// Minimum remaining time of the lease when a write transaction begins.
const MARGIN: Duration = Duration::from_secs(10);
/// Maximum time to wait for the lease of a crashed process to expire if all nodes are taken.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(30);

/// Tables whose ids are time-ordered and come from the generator.
const ID_TABLES: &[&str] = &[
    "roles",
    "accounts",
    "applications",
    "access_tokens",
    "push_subscriptions",
    "web_sessions",
    "follows",
    "follow_requests",
    "blocks",
    "mutes",
    "account_domain_blocks",
    "instance_domain_blocks",
    "instance_domain_allows",
    "endorsements",
    "lists",
    "list_accounts",
    "statuses",
    "tag_follows",
    "featured_tags",
    "conversations",
    "favourites",
    "bookmarks",
    "polls",
    "poll_options",
    "notifications",
    "notification_requests",
    "rules",
    "events",
    "jobs",
    "custom_emojis",
    "media_attachments",
    "scheduled_statuses",
    "preview_cards",
    "announcements",
    "audit_log",
    "email_domain_blocks",
    "canonical_email_blocks",
    "ip_blocks",
    "invites",
    "exports",
    "reports",
    "report_notes",
    "strikes",
    "appeals",
    "warning_presets",
    "filters",
    "filter_keywords",
    "filter_statuses",
    "account_keys",
];

/// The node of this process and its id generator.
#[derive(Debug)]
pub(super) struct Node {
    range: Range<u16>,
    holder: String,
    /// On `SQLite` only one server can run, so an existing lease of a server node belongs to a dead
    /// process.
    is_only_server: bool,
    lease: Mutex<Option<Lease>>,
}

#[derive(Debug)]
struct Lease {
    node: u16,
    until: Timestamp,
    ids: Arc<Generator>,
}

impl Node {
    pub(super) fn new(role: Role, embedded: bool) -> Self {
        let split = NODES - RESERVED_NODES;
        let range = match role {
            Role::Server => 0..split,
            Role::Command => split..NODES,
        };
        let nonce = RandomState::new().hash_one(0);
        let holder = format!("{}-{nonce:016x}", std::process::id());
        Self {
            range,
            holder,
            is_only_server: embedded && role == Role::Server,
            lease: Mutex::new(None),
        }
    }

    /// Returns the generator. Ensures first that the lease outlasts a transaction that begins now.
    /// `session` must not be in a transaction.
    pub(super) fn ids(&self, session: &mut Session, now: Timestamp) -> Result<Arc<Generator>> {
        let mut lease = self.lease.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *lease {
            Some(lease) if now < lease.until.before(MARGIN) => {}
            Some(lease) if self.renew(session, lease.node, now)? => lease.until = now.after(LEASE),
            lease => *lease = Some(self.acquire_with_retry(session, now)?),
        }
        match &*lease {
            Some(lease) => Ok(Arc::clone(&lease.ids)),
            None => Err(Error::NoNode),
        }
    }

    /// Releases the node. A failure is harmless, because the lease expires.
    pub(super) fn release(&self, session: &mut Session) {
        let released = in_transaction(session, |conn| {
            diesel::delete(id_nodes::table.filter(id_nodes::holder.eq(&self.holder)))
                .execute(conn)?;
            Ok(())
        });
        if let Err(error) = released {
            log::debug!("cannot release an id node: {error}");
        }
    }

    fn renew(&self, session: &mut Session, node: u16, now: Timestamp) -> Result<bool> {
        in_transaction(session, |conn| {
            let mine = id_nodes::node.eq(i32::from(node)).and(id_nodes::holder.eq(&self.holder));
            let rows = diesel::update(id_nodes::table.filter(mine))
                .set(id_nodes::leased_until.eq(now.after(LEASE).unix_ms()))
                .execute(conn)?;
            Ok(rows == 1)
        })
    }

    fn acquire_with_retry(&self, session: &mut Session, now: Timestamp) -> Result<Lease> {
        let start = Instant::now();
        loop {
            let waited = start.elapsed();
            match in_transaction(session, |conn| self.acquire(conn, now.after(waited))) {
                Err(Error::NoNode) if waited < ACQUIRE_TIMEOUT => {
                    std::thread::sleep(Duration::from_millis(100));
                }
                done => return done,
            }
        }
    }

    fn acquire(&self, conn: &mut Conn, now: Timestamp) -> Result<Lease> {
        if let OnEngine::Postgres(pg) = conn.on_engine() {
            sql_query("LOCK TABLE id_nodes IN EXCLUSIVE MODE").execute(pg)?;
        }
        let nodes = i32::from(self.range.start)..i32::from(self.range.end);
        let stale = id_nodes::holder.eq(&self.holder).or(id_nodes::leased_until.le(now.unix_ms()));
        diesel::delete(id_nodes::table.filter(stale)).execute(conn)?;
        if self.is_only_server {
            diesel::delete(id_nodes::table.filter(id_nodes::node.lt(nodes.end))).execute(conn)?;
        }
        let taken: Vec<i32> = id_nodes::table.select(id_nodes::node).load(conn)?;
        let free = self.range.clone().find(|node| !taken.contains(&i32::from(*node)));
        let node = free.ok_or(Error::NoNode)?;
        let until = now.after(LEASE);
        let row = (
            id_nodes::node.eq(i32::from(node)),
            id_nodes::holder.eq(&self.holder),
            id_nodes::leased_until.eq(until.unix_ms()),
        );
        diesel::insert_into(id_nodes::table).values(row).execute(conn)?;
        let ids = Generator::new(node, highest_id(conn)?).map_err(|_| Error::NoNode)?;
        Ok(Lease { node, until, ids: Arc::new(ids) })
    }
}

/// Returns the greatest time-ordered id of all tables, or 0 in an empty database.
pub(crate) fn highest_id(conn: &mut Conn) -> Result<i64> {
    #[derive(QueryableByName)]
    struct Highest {
        #[diesel(sql_type = diesel::sql_types::Nullable<diesel::sql_types::BigInt>)]
        id: Option<i64>,
    }
    let each: Vec<String> =
        ID_TABLES.iter().map(|table| format!("SELECT MAX(id) AS id FROM {table}")).collect();
    let sql = format!("SELECT MAX(id) AS id FROM ({}) AS every_table", each.join(" UNION ALL "));
    let highest: Highest = sql_query(sql).get_result(conn)?;
    Ok(highest.id.unwrap_or(0))
}

fn in_transaction<T>(
    session: &mut Session,
    body: impl FnOnce(&mut Conn) -> Result<T>,
) -> Result<T> {
    session.begin_write(None)?;
    match body(session.conn()) {
        Ok(value) => {
            session.commit()?;
            Ok(value)
        }
        Err(error) => {
            session.rollback();
            Err(error)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::migrations;

    #[derive(QueryableByName)]
    struct Table {
        #[diesel(sql_type = diesel::sql_types::Text)]
        name: String,
    }

    #[test]
    fn every_table_with_ids_is_in_id_tables() {
        let mut conn = Conn::open("sqlite://:memory:").unwrap();
        migrations::run(&mut conn).unwrap();
        let tables: Vec<Table> = sql_query(
            "SELECT tables.name AS name FROM sqlite_master AS tables
             JOIN pragma_table_info(tables.name) AS columns ON columns.name = 'id'
             -- A full-text table stores its index in tables of its own.
             WHERE tables.type = 'table' AND tables.name NOT LIKE 'status_terms%'
             ORDER BY tables.name",
        )
        .load(&mut conn)
        .unwrap();
        let names: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
        // Ids of hashtags are random, so they contain no time.
        let mut numbered = [ID_TABLES, &["tags"]].concat();
        numbered.sort_unstable();
        assert_eq!(names, numbered);
    }
}
