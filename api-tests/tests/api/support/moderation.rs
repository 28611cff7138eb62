//! What tests of moderation need: decisions of staff, their warnings, and the audit log about them.

use serde_json::{Value, json};
use siskin_entities::{AuditEntry, PageRequest, TargetKind};
use siskin_persistence::Conn;
use siskin_services::audit::{self, AuditSelection};

use super::{Client, Response, TestApp, User, id};

/// Returns the path of an action on an account.
pub fn action_on(target: &User, action: &str) -> String {
    format!("/api/v1/admin/accounts/{}/{action}", target.id)
}

impl Client {
    /// Acts as staff against an account with these parameters.
    pub async fn act_against(&self, target: &User, parameters: Value) {
        assert_eq!(self.json(&action_on(target, "action"), parameters).await.ok(), json!({}));
    }

    /// Acts as staff on an account, without a text: `none`, `silence` and so on.
    pub async fn impose(&self, kind: &str, target: &User) {
        self.act_against(target, json!({ "type": kind })).await;
    }

    /// Ends a restriction of an account, such as `unsilence`.
    pub async fn lift(&self, undo: &str, target: &User) -> Response {
        self.post(&action_on(target, undo)).await
    }

    /// Acts as staff on a status with these parameters.
    pub async fn act_on_status(&self, status: &Value, parameters: Value) -> Response {
        self.json(&format!("/api/v1/admin/statuses/{}/action", id(status)), parameters).await
    }
}

impl User {
    /// Returns the warnings among the notifications, the latest first.
    pub async fn warnings(&self) -> Vec<Value> {
        let listed = self.get("/api/v1/notifications?types[]=moderation_warning").await.ok();
        listed.as_array().unwrap().clone()
    }

    /// Returns the own strikes, the latest first.
    pub async fn strikes(&self) -> Vec<Value> {
        self.get("/api/v1/strikes").await.ok().as_array().unwrap().clone()
    }
}

impl TestApp {
    /// Returns the entries of the audit log about a target, the first one first.
    pub async fn audit_of(&self, kind: TargetKind, id: &str) -> Vec<AuditEntry> {
        let target = Some((kind, id.parse().unwrap()));
        let load = move |conn: &mut Conn| {
            let selection = AuditSelection { target, ..AuditSelection::default() };
            audit::list(conn, selection, PageRequest::newest(200))
        };
        let mut entries = self.app().read(load).await.unwrap().items;
        entries.reverse();
        entries
    }

    /// Returns the names of the actions in the audit log about an account, the first one first.
    pub async fn audited(&self, account: &User) -> Vec<&'static str> {
        let entries = self.audit_of(TargetKind::Account, &account.id).await;
        entries.iter().map(|entry| entry.action.as_str()).collect()
    }
}
