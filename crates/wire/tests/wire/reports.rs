//! Tests of reports and of notes on them.

use std::sync::Arc;

use serde_json::{Value, json as value};
use siskin_contract::Contract;
use siskin_entities::{
    AdminAccount, AdminReport, AdminUser, NotificationKind, Report, ReportCategory, ReportNote,
    Rule, ShownReport, UsedIp,
};
use siskin_ids::{AccountId, ReportId, ReportNoteId, RuleId, StatusId};
use siskin_wire::{notification, report};

use crate::{
    contract::READ_ALL_THE_SAME,
    samples::{self, NOW, json, urls},
};

/// Returns a resolved report of Bob by Alice.
pub fn sample() -> ShownReport {
    let (alice, bob) = (samples::alice(), samples::bob());
    let report = Report {
        id: ReportId::new(90),
        account: alice.id,
        target: bob.id,
        category: ReportCategory::Violation,
        comment: "Rude <words>".to_owned(),
        forwarded: true,
        statuses: vec![StatusId::new(7_001), StatusId::new(7_009)],
        rules: Some(vec![RuleId::new(3)]),
        assigned: Some(AccountId::new(98)),
        action_taken_at: Some(NOW),
        action_taken_by: Some(AccountId::new(99)),
        created_at: NOW,
        updated_at: NOW,
    };
    ShownReport { report, target: Arc::new(bob) }
}

/// Returns the same report as staff see it.
fn for_staff() -> AdminReport {
    let user = AdminUser {
        email: "alice@example.com".to_owned(),
        ips: vec![UsedIp { ip: [192, 0, 2, 1].into(), used_at: NOW }],
        locale: Some("en".to_owned()),
        sign_up_reason: None,
        role: Some(samples::role()),
        confirmed: true,
        approved: true,
        disabled: false,
        application: None,
        invited_by: None,
        rejected_at: None,
    };
    let alice = AdminAccount { account: Arc::new(samples::alice()), user: Some(user) };
    let ShownReport { report, target } = sample();
    AdminReport {
        account: alice.clone(),
        target: AdminAccount { account: target, user: None },
        assigned: Some(alice),
        action_taken_by: None,
        statuses: vec![samples::status()],
        rules: vec![Rule { id: RuleId::new(3), text: "Be kind".to_owned(), hint: String::new() }],
        report,
    }
}

fn faults(entity: &str, shown: &Value) -> Vec<String> {
    Contract::get().faults_of_entity(entity, shown)
}

#[test]
fn a_report_does_not_contain_its_reporter() {
    let mut shown = json(&report::render(&sample(), &urls()));
    assert_eq!(faults("Report", &shown), [""; 0]);
    let target = shown["target_account"].take();
    assert_eq!(target["id"], samples::bob().id.to_string());
    assert_eq!(
        shown,
        value!({
            "id": "90", "action_taken": true, "action_taken_at": "2026-11-27T08:00:00.123Z",
            "category": "violation", "comment": "Rude <words>", "forwarded": true,
            "created_at": "2026-11-27T08:00:00.123Z", "status_ids": ["7001", "7009"],
            "rule_ids": ["3"], "target_account": null,
        })
    );
    let mut open = sample();
    (open.report.action_taken_at, open.report.rules) = (None, None);
    let shown = json(&report::render(&open, &urls()));
    assert_eq!(faults("Report", &shown), [""; 0]);
    assert_eq!((&shown["action_taken"], &shown["rule_ids"]), (&value!(false), &value!(null)));
}

#[test]
fn staff_see_the_whole_report() {
    let rendered = report::render_for_staff(&for_staff(), &urls(), NOW);
    let shown = json(&rendered);
    let mut found = faults("AdminReport", &shown);
    found.retain(|fault| !fault.ends_with(READ_ALL_THE_SAME));
    assert_eq!(found, [""; 0]);
    assert_eq!(shown["account"]["email"], "alice@example.com");
    assert_eq!(shown["assigned_account"]["id"], shown["account"]["id"]);
    assert_eq!(shown["action_taken_by_account"], value!(null));
    assert_eq!(shown["statuses"][0]["id"], "7001");
    assert_eq!(shown["rules"][0]["text"], "Be kind");
    let read: report::AdminReport = serde_json::from_value(shown).unwrap();
    assert_eq!(read, rendered);
}

#[test]
fn a_note_outlives_its_author() {
    let mut note = ReportNote {
        id: ReportNoteId::new(5),
        report: ReportId::new(90),
        author: Some(Arc::new(samples::alice())),
        content: "Seen before".to_owned(),
        created_at: NOW,
    };
    let shown = json(&report::render_note(&note, &urls()));
    assert_eq!((&shown["report_id"], &shown["content"]), (&value!("90"), &value!("Seen before")));
    assert_eq!(shown["account"]["username"], "alice");
    note.author = None;
    assert_eq!(json(&report::render_note(&note, &urls()))["account"], value!(null));
}

#[test]
fn a_notification_of_staff_contains_the_report() {
    let kind = NotificationKind::AdminReport;
    let shown = json(&notification::render(&samples::notification(kind), &urls(), NOW));
    assert_eq!((&shown["type"], shown.get("status")), (&value!("admin.report"), None));
    assert_eq!(shown["report"], json(&report::render(&sample(), &urls())));
    let other = samples::notification(NotificationKind::ModerationWarning);
    assert_eq!(json(&notification::render(&other, &urls(), NOW)).get("report"), None);
}
