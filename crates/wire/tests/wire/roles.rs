//! Roles with their ranks, and the audit log.

use serde_json::json;
use siskin_entities::{Actor, AuditAction, AuditEntry, AuditTarget, Role, TargetKind};
use siskin_ids::{AccountId, AuditEntryId};
use siskin_wire::{
    audit,
    role::{self, ManagedRole},
};

use crate::samples::{self, NOW};

fn entry(actor: Actor, id: Option<i64>) -> AuditEntry {
    AuditEntry {
        id: AuditEntryId::new(9),
        actor,
        actor_name: if actor == Actor::Operator { String::new() } else { "mo".to_owned() },
        action: AuditAction::ChangeRole,
        target: AuditTarget { kind: TargetKind::Account, id, name: "@bob".to_owned() },
        created_at: NOW,
    }
}

#[test]
fn a_role_is_rendered_with_its_rank() {
    let rendered = role::render(&samples::role());
    let expected = json!({
        "id": "1",
        "name": "Moderator",
        "color": "#aabbcc",
        "permissions": "1308",
        "highlighted": true,
        "priority": 10,
    });
    assert_eq!(samples::json(&rendered), expected);
    assert_eq!(serde_json::from_value::<ManagedRole>(expected).unwrap(), rendered);
    let base = role::render(&Role::everyone());
    assert_eq!(samples::json(&base)["id"], "-99");
    assert_eq!(serde_json::from_value::<ManagedRole>(samples::json(&base)).unwrap(), base);
}

#[test]
fn an_entry_names_who_did_what() {
    let rendered = audit::render(&entry(Actor::Staff(AccountId::new(101)), Some(7)));
    let expected = json!({
        "id": "9",
        "created_at": "2026-11-27T08:00:00.123Z",
        "account": { "id": "101", "username": "mo" },
        "action": "change_role",
        "target": { "kind": "account", "id": "7", "name": "@bob" },
    });
    assert_eq!(samples::json(&rendered), expected);
    assert_eq!(serde_json::from_value::<audit::AuditEntry>(expected).unwrap(), rendered);
}

#[test]
fn the_operator_has_no_account() {
    let rendered = audit::render(&entry(Actor::Operator, None));
    let value = samples::json(&rendered);
    assert_eq!((&value["account"], &value["target"]["id"]), (&json!(null), &json!(null)));
    assert_eq!(serde_json::from_value::<audit::AuditEntry>(value).unwrap(), rendered);
}
