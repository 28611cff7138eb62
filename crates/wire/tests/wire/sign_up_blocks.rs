//! Blocks that keep people from signing up, and invites.

use serde_json::{Value, json};
use siskin_entities::{
    BlockDay, CanonicalEmailBlock, EmailDomainBlock, Invite, IpBlock, IpBlockSeverity, Network,
    Timestamp,
};
use siskin_ids::{AccountId, CanonicalEmailBlockId, EmailDomainBlockId, InviteId, IpBlockId};
use siskin_wire::{invite, sign_up_block};

use crate::samples::{NOW, json, urls};

pub fn email_domain_block() -> EmailDomainBlock {
    EmailDomainBlock {
        id: EmailDomainBlockId::new(7),
        domain: "mail.example".to_owned(),
        created_at: NOW,
        history: vec![
            BlockDay { day: NOW.midnight(), accounts: 1, uses: 2 },
            BlockDay { day: Timestamp::from_unix_ms(0), accounts: 0, uses: 0 },
        ],
    }
}

pub fn canonical_email_block() -> CanonicalEmailBlock {
    CanonicalEmailBlock { id: CanonicalEmailBlockId::new(7), hash: "ab".repeat(32) }
}

pub fn ip_block(expires_at: Option<Timestamp>) -> IpBlock {
    IpBlock {
        id: IpBlockId::new(7),
        network: Network::of([192, 0, 2, 7].into(), 24),
        severity: IpBlockSeverity::NoAccess,
        comment: "Spam".to_owned(),
        created_at: NOW,
        expires_at,
    }
}

pub fn invite(max_uses: Option<i64>, expires_at: Option<Timestamp>) -> Invite {
    Invite {
        id: InviteId::new(7),
        account: AccountId::new(1),
        code: "Ab-_9".to_owned(),
        max_uses,
        uses: 2,
        expires_at,
        autofollow: true,
        comment: "For friends".to_owned(),
        created_at: NOW,
    }
}

/// Returns the rendered blocks with the names of their entities.
pub fn rendered() -> Vec<(&'static str, Value)> {
    let email_domain = sign_up_block::render_email_domain(&email_domain_block());
    vec![
        ("AdminEmailDomainBlock", json(&email_domain)),
        ("AdminEmailDomainBlockHistory", json(&email_domain.history[0])),
        (
            "AdminCanonicalEmailBlock",
            json(&sign_up_block::render_canonical_email(&canonical_email_block())),
        ),
        ("AdminIpBlock", json(&sign_up_block::render_ip(&ip_block(None)))),
        ("AdminIpBlock", json(&sign_up_block::render_ip(&ip_block(Some(NOW))))),
    ]
}

#[test]
fn numbers_and_days_of_the_history_are_strings() {
    let block = json(&sign_up_block::render_email_domain(&email_domain_block()));
    let today = NOW.midnight().unix_seconds().to_string();
    assert_eq!(
        block,
        json!({
            "id": "7",
            "domain": "mail.example",
            "created_at": NOW.to_string(),
            "history": [
                { "day": today, "accounts": "1", "uses": "2" },
                { "day": "0", "accounts": "0", "uses": "0" },
            ],
        })
    );
}

#[test]
fn a_network_is_rendered_with_its_length() {
    assert_eq!(
        json(&sign_up_block::render_ip(&ip_block(None))),
        json!({
            "id": "7",
            "ip": "192.0.2.0/24",
            "severity": "no_access",
            "comment": "Spam",
            "created_at": NOW.to_string(),
            "expires_at": null,
        })
    );
}

#[test]
fn an_invite_contains_the_address_of_its_page() {
    let rendered = json(&invite::render(&invite(Some(5), None), &urls()));
    assert_eq!(rendered["url"], "https://example.com/invite/Ab-_9");
    assert_eq!((&rendered["max_uses"], &rendered["uses"]), (&json!(5), &json!(2)));
    assert_eq!(rendered["expires_at"], Value::Null);
}
