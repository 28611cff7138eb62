//! The audit log. A use case of staff writes its entry in its own transaction, and only if it
//! changed something. So each change has exactly one entry.

use siskin_entities::{
    Account, Actor, AuditAction, AuditEntry, AuditTarget, Page, PageRequest, TargetKind,
};
use siskin_persistence::{Conn, Tx, audit};

use crate::Result;

pub use siskin_persistence::audit::AuditSelection;

/// Appends an entry.
///
/// # Errors
/// Storage errors only.
pub fn record(
    tx: &mut Tx<'_>,
    actor: Actor,
    action: AuditAction,
    target: &AuditTarget,
) -> Result<()> {
    Ok(audit::insert(tx, actor, action, target)?)
}

/// Returns a page of the log, newest first.
///
/// # Errors
/// Storage errors only.
pub fn list(
    conn: &mut Conn,
    selection: AuditSelection,
    request: PageRequest,
) -> Result<Page<AuditEntry>> {
    Ok(audit::list(conn, selection, request)?)
}

/// Returns an account as the target of an action, by its address.
#[must_use]
pub fn account_target(account: &Account) -> AuditTarget {
    AuditTarget {
        kind: TargetKind::Account,
        id: Some(account.id.get()),
        name: format!("@{}", account.acct()),
    }
}

/// Returns a record with an id and a name as the target of an action.
#[must_use]
pub fn target(kind: TargetKind, id: i64, name: impl Into<String>) -> AuditTarget {
    AuditTarget { kind, id: Some(id), name: name.into() }
}
