//! The audit log. A use case of staff writes its entry in its own transaction, and only if it
//! changed something. So each change has exactly one entry.

use siskin_entities::{
    Account, Actor, AuditAction, AuditEntry, AuditTarget, Page, PageRequest, TargetKind,
};
use siskin_persistence::{Conn, Tx, audit};
use siskin_text::shorten;

use crate::Result;

pub use siskin_persistence::audit::AuditSelection;

/// Maximum length of a text that names a target, in characters and in bytes.
const MAX_NAME_CHARS: usize = 60;
const MAX_NAME_BYTES: usize = 400;

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

/// Returns the beginning of a text of staff, which names a record that has no name.
#[must_use]
pub fn beginning(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    shorten(line, MAX_NAME_CHARS, MAX_NAME_BYTES).into_owned()
}
