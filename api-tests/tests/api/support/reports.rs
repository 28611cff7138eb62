//! What tests of reports need: rules, reports, and the entries of the audit log about one.

use serde_json::{Value, json};
use siskin_entities::{Actor, AuditEntry, PageRequest, TargetKind};
use siskin_persistence::Conn;
use siskin_services::{
    audit::{self, AuditSelection},
    rules,
};

use super::{Client, TestApp, User, id};

pub const REPORTS: &str = "/api/v1/reports";

impl TestApp {
    /// Adds a rule of the instance and returns its id.
    pub async fn rule(&self, text: &str) -> String {
        let rule = rules::prepare(text, "").unwrap();
        let added = self.app().write(move |tx| rules::add(tx, Actor::Operator, &rule)).await;
        added.unwrap().id.to_string()
    }

    /// Returns the entries of the audit log about a report, the latest first.
    pub async fn audit_of_report(&self, report: &str) -> Vec<AuditEntry> {
        let report = report.parse().unwrap();
        let about = Some((TargetKind::Report, report));
        let load = move |conn: &mut Conn| {
            let selection = AuditSelection { target: about, ..AuditSelection::default() };
            audit::list(conn, selection, PageRequest::newest(100))
        };
        self.app().read(load).await.unwrap().items
    }
}

impl User {
    /// Reports an account and returns the id of the report.
    pub async fn report(&self, target: &User) -> String {
        self.report_as(target, json!({ "comment": "spam" })).await
    }

    /// Does the same with these other parameters.
    pub async fn report_as(&self, target: &User, mut parameters: Value) -> String {
        parameters["account_id"] = json!(target.id);
        id(&self.json(REPORTS, parameters).await.ok())
    }
}

impl Client {
    /// Returns a report as staff see it.
    pub async fn reported(&self, report: &str) -> Value {
        self.get(&format!("/api/v1/admin/reports/{report}")).await.ok()
    }

    /// Performs an action on a report (`resolve`, `assign_to_self`, …) and returns it.
    pub async fn on_report(&self, report: &str, action: &str) -> Value {
        self.post(&format!("/api/v1/admin/reports/{report}/{action}")).await.ok()
    }
}
