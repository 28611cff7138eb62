//! Accounts as staff see them.

use std::{net::IpAddr, sync::Arc};

use serde_json::json;
use siskin_contract::Contract;
use siskin_entities::{Account, AdminAccount, AdminUser, DecisionResult, Timestamp, UsedIp};
use siskin_ids::{AccountId, ApplicationId};
use siskin_wire::admin_account::{self, render, render_result};

use crate::samples::{self, NOW, urls};

fn of(account: Account, user: Option<AdminUser>) -> AdminAccount {
    AdminAccount { account: Arc::new(account), user }
}

fn used(ip: impl Into<IpAddr>, ms_before: i64) -> UsedIp {
    UsedIp { ip: ip.into(), used_at: Timestamp::from_unix_ms(NOW.unix_ms() - ms_before) }
}

/// Returns a user with a value in each field.
fn user() -> AdminUser {
    AdminUser {
        email: "alice@example.com".to_owned(),
        ips: vec![used([0x2001, 0xdb8, 0, 0, 0, 0, 0, 1], 0), used([192, 0, 2, 7], 123)],
        locale: Some("en".to_owned()),
        sign_up_reason: Some("I like birds".to_owned()),
        role: Some(samples::role()),
        confirmed: true,
        approved: true,
        disabled: true,
        application: Some(ApplicationId::new(9)),
        invited_by: Some(AccountId::new(102)),
        rejected_at: None,
    }
}

/// Returns a user with as little as possible.
fn new_user() -> AdminUser {
    AdminUser {
        ips: Vec::new(),
        locale: None,
        sign_up_reason: None,
        role: None,
        confirmed: false,
        approved: false,
        application: None,
        invited_by: None,
        ..user()
    }
}

#[test]
fn staff_see_the_user_of_a_local_account() {
    let sensitive = samples::alice_with(|snapshot| snapshot.sensitized = true);
    let shown = samples::json(&render(&of(sensitive, Some(user())), &urls()));
    assert_eq!((&shown["ip"], &shown["sensitized"]), (&json!("2001:db8::1"), &json!(true)));
    assert_eq!(
        shown["ips"],
        json!([
            { "ip": "2001:db8::1", "used_at": "2026-11-27T08:00:00.123Z" },
            { "ip": "192.0.2.7", "used_at": "2026-11-27T08:00:00.000Z" },
        ])
    );
    assert_eq!(shown["invite_request"], "I like birds");
    assert_eq!((&shown["role"]["id"], &shown["domain"]), (&json!("1"), &json!(null)));
    assert_eq!(shown["created_by_application_id"], "9");
    assert_eq!(shown["invited_by_account_id"], "102");
    assert_eq!(shown["account"]["acct"], "alice");
    let waiting = samples::json(&render(&of(samples::alice(), Some(new_user())), &urls()));
    assert_eq!((&waiting["approved"], &waiting["ip"]), (&json!(false), &json!(null)));
    assert!(waiting.get("created_by_application_id").is_none());
    assert!(waiting.get("invited_by_account_id").is_none());
}

#[test]
fn a_remote_account_has_no_user() {
    let shown = samples::json(&render(&of(samples::bob(), None), &urls()));
    let of_user = ["email", "ip", "ips", "locale", "invite_request", "confirmed", "approved"];
    let values = of_user.map(|name| shown[name].clone());
    let expected = [json!(""), json!(null), json!([]), json!(null), json!(null)];
    assert_eq!(values[..5], expected);
    assert_eq!(values[5..], [json!(false), json!(false)]);
    assert_eq!((&shown["domain"], &shown["role"]["id"]), (&json!("remote.example"), &json!("-99")));
}

#[test]
fn accounts_match_the_contract_and_are_read_back() {
    for (account, user) in [
        (samples::alice(), Some(user())),
        (samples::alice(), Some(new_user())),
        (samples::bob(), None),
    ] {
        let rendered = render(&of(account, user), &urls());
        let value = samples::json(&rendered);
        let faults = Contract::get().faults_of_entity("AdminAccount", &value);
        assert_eq!(faults, Vec::<String>::new());
        assert_eq!(serde_json::from_value::<admin_account::AdminAccount>(value).unwrap(), rendered);
    }
}

#[test]
fn servers_may_send_null_for_what_a_remote_account_has_not() {
    let rendered = render(&of(samples::bob(), None), &urls());
    let mut value = samples::json(&rendered);
    for name in ["email", "ips", "role", "confirmed", "approved", "disabled"] {
        value[name] = json!(null);
    }
    assert_eq!(serde_json::from_value::<admin_account::AdminAccount>(value).unwrap(), rendered);
}

#[test]
fn the_result_of_a_decision_has_a_name() {
    let rendered = render_result("7", DecisionResult::NotFound);
    let value = json!({ "id": "7", "status": "not_found" });
    assert_eq!(samples::json(&rendered), value);
    assert_eq!(serde_json::from_value::<admin_account::DecisionResult>(value).unwrap(), rendered);
}
