//! The audit log.

use diesel::prelude::*;
use siskin_entities::{
    Actor, AuditAction, AuditEntry, AuditTarget, Page, PageRequest, TargetKind, Timestamp,
};
use siskin_ids::{AccountId, AuditEntryId};

use crate::{
    Conn, Error, Result, Tx,
    page::{cut_rows, page},
    schema::{accounts, audit_log},
};

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = audit_log)]
struct AuditRow {
    id: AuditEntryId,
    account_id: Option<AccountId>,
    account_name: String,
    action: String,
    target_kind: String,
    target_id: Option<i64>,
    target_name: String,
    created_at: i64,
}

/// Restriction of the listed entries. Absent values restrict nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AuditSelection {
    /// Only what this member of staff did.
    pub account: Option<AccountId>,
    /// Only entries about this target.
    pub target: Option<(TargetKind, i64)>,
}

/// Appends an entry.
pub fn insert(
    tx: &mut Tx<'_>,
    actor: Actor,
    action: AuditAction,
    target: &AuditTarget,
) -> Result<()> {
    let name: Option<String> = match actor.account() {
        Some(account) => {
            accounts::table.find(account).select(accounts::username).first(&mut **tx).optional()?
        }
        None => None,
    };
    diesel::insert_into(audit_log::table)
        .values((
            audit_log::id.eq(AuditEntryId::new(tx.next_id())),
            audit_log::account_id.eq(actor.account()),
            audit_log::account_name.eq(name.unwrap_or_default()),
            audit_log::action.eq(action.as_str()),
            audit_log::target_kind.eq(target.kind.as_str()),
            audit_log::target_id.eq(target.id),
            audit_log::target_name.eq(&target.name),
            audit_log::created_at.eq(tx.now().unix_ms()),
        ))
        .execute(&mut **tx)?;
    Ok(())
}

/// Loads a page of the log, newest first. All entries, those of one member of staff and those about
/// one target are each served by an index.
pub fn list(
    conn: &mut Conn,
    selection: AuditSelection,
    request: PageRequest,
) -> Result<Page<AuditEntry>> {
    let AuditSelection { account, target } = selection;
    let all = audit_log::table.select(AuditRow::as_select());
    let rows: Vec<AuditRow> = match (account, target) {
        (None, None) => cut_rows!(conn, all, audit_log::id, request)?,
        (Some(account), None) => {
            let query = all.filter(audit_log::account_id.eq(account));
            cut_rows!(conn, query, audit_log::id, request)?
        }
        (None, Some((kind, id))) => {
            let about = audit_log::target_kind.eq(kind.as_str()).and(audit_log::target_id.eq(id));
            cut_rows!(conn, all.filter(about), audit_log::id, request)?
        }
        (Some(account), Some((kind, id))) => {
            let about = audit_log::target_kind.eq(kind.as_str()).and(audit_log::target_id.eq(id));
            let query = all.filter(about).filter(audit_log::account_id.eq(account));
            cut_rows!(conn, query, audit_log::id, request)?
        }
    };
    let entries = rows.into_iter().map(AuditRow::into_entry).collect::<Result<Vec<_>>>()?;
    Ok(page(entries, request, |entry| entry.id.get()))
}

impl AuditRow {
    fn into_entry(self) -> Result<AuditEntry> {
        Ok(AuditEntry {
            id: self.id,
            actor: self.account_id.map_or(Actor::Operator, Actor::Staff),
            actor_name: self.account_name,
            action: self.action.parse().map_err(|_| Error::Damaged("audit_log.action"))?,
            target: AuditTarget {
                kind: self
                    .target_kind
                    .parse()
                    .map_err(|_| Error::Damaged("audit_log.target_kind"))?,
                id: self.target_id,
                name: self.target_name,
            },
            created_at: Timestamp::from_unix_ms(self.created_at),
        })
    }
}
