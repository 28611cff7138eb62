//! Entries of the audit log: what staff and the operator did. An extension of the REST interface.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use siskin_entities as view;
use siskin_ids::{AccountId, AuditEntryId};

use crate::time::Instant;

/// Entry of the audit log.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct AuditEntry {
    /// Id, which orders the log.
    pub id: AuditEntryId,
    /// Time of the action.
    pub created_at: Instant,
    /// Member of staff who did it; null for a command of the operator.
    pub account: Option<AuditActor>,
    /// What was done: a name of [`view::AuditAction`].
    pub action: Cow<'static, str>,
    /// What it was done to.
    pub target: AuditTarget,
}

/// Member of staff in an entry.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct AuditActor {
    /// Id of the account, which may be deleted since then.
    pub id: AccountId,
    /// User name at that time.
    pub username: String,
}

/// Target of an action.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct AuditTarget {
    /// Kind of the target: a name of [`view::TargetKind`].
    pub kind: Cow<'static, str>,
    /// Id of the target; null for targets without one, such as settings.
    pub id: Option<String>,
    /// Name of the target at that time, such as `@bob` or a domain.
    pub name: String,
}

/// Renders an entry.
#[must_use]
pub fn render(entry: &view::AuditEntry) -> AuditEntry {
    let actor = |id| AuditActor { id, username: entry.actor_name.clone() };
    AuditEntry {
        id: entry.id,
        created_at: Instant(entry.created_at),
        account: entry.actor.account().map(actor),
        action: entry.action.as_str().into(),
        target: AuditTarget {
            kind: entry.target.kind.as_str().into(),
            id: entry.target.id.map(|id| id.to_string()),
            name: entry.target.name.clone(),
        },
    }
}
