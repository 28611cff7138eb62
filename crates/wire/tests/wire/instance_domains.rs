//! Blocks and allows of other servers.

use serde_json::{Value, json};
use siskin_entities::{
    BlockValues, DomainBlockEffect, DomainBlockImport, DomainBlockPreview, DomainLimits,
    DomainSeverity, ImportResult, ImportedLine, InstanceDomainAllow, InstanceDomainBlock,
    ShownDomainBlock,
};
use siskin_ids::{InstanceDomainAllowId, InstanceDomainBlockId};
use siskin_wire::instance_domain::{self, Comments};

use crate::samples::{NOW, json};

const LIMITS: DomainLimits =
    DomainLimits { severity: DomainSeverity::Suspend, reject_media: true, reject_reports: false };

pub fn block(comment: Option<&str>) -> InstanceDomainBlock {
    InstanceDomainBlock {
        id: InstanceDomainBlockId::new(7),
        domain: "bad.example".to_owned(),
        digest: "ab".repeat(32),
        limits: LIMITS,
        private_comment: comment.map(str::to_owned),
        public_comment: comment.map(str::to_owned),
        obfuscate: true,
        created_at: NOW,
    }
}

pub fn allow() -> InstanceDomainAllow {
    InstanceDomainAllow {
        id: InstanceDomainAllowId::new(8),
        domain: "ok.example".to_owned(),
        created_at: NOW,
    }
}

pub fn shown(comment: Option<&str>) -> ShownDomainBlock {
    ShownDomainBlock {
        domain: "bad.*****le".to_owned(),
        digest: "ab".repeat(32),
        severity: DomainSeverity::Suspend,
        comment: comment.map(str::to_owned),
    }
}

pub fn preview(conflict: Option<InstanceDomainBlock>) -> DomainBlockPreview {
    DomainBlockPreview {
        domain: "bad.example".to_owned(),
        severity: DomainSeverity::Silence,
        effect: DomainBlockEffect { accounts: 4, follows: 3, followers: 2, statuses: 1 },
        conflict,
    }
}

pub fn import() -> DomainBlockImport {
    let line = |number, result| ImportedLine {
        number,
        domain: "bad.example".to_owned(),
        result,
        problem: None,
        values: None,
        existing: None,
    };
    let values = BlockValues { limits: LIMITS, public_comment: None, obfuscate: false };
    DomainBlockImport {
        is_dry_run: true,
        lines: vec![
            ImportedLine {
                values: Some(values),
                existing: Some(block(None)),
                ..line(2, ImportResult::Changed)
            },
            ImportedLine {
                problem: Some("Domain can't be blank".to_owned()),
                ..line(3, ImportResult::Invalid)
            },
        ],
        only_here: vec!["other.example".to_owned()],
    }
}

/// Returns the rendered entities of the contract with their names.
pub fn rendered() -> Vec<(&'static str, Value)> {
    let block_of = |comment| instance_domain::render_block(&block(comment));
    let shown_of = |comment, comments| instance_domain::render_shown(&shown(comment), comments);
    let conflict = instance_domain::render_conflict("It is blocked", &block(None));
    vec![
        ("AdminDomainBlock", json(&block_of(Some("Spam")))),
        ("AdminDomainBlock", json(&block_of(None))),
        ("AdminDomainAllow", json(&instance_domain::render_allow(&allow()))),
        ("DomainBlock", json(&shown_of(Some("Spam"), Comments::Shown))),
        ("DomainBlock", json(&shown_of(Some("Spam"), Comments::Hidden))),
        ("DomainBlock", json(&shown_of(None, Comments::Shown))),
        ("DomainBlockConflict", json(&conflict)),
    ]
}

#[test]
fn a_block_is_rendered_for_staff_and_for_others() {
    assert_eq!(
        json(&instance_domain::render_block(&block(None))),
        json!({
            "id": "7",
            "domain": "bad.example",
            "digest": "ab".repeat(32),
            "created_at": NOW.to_string(),
            "severity": "suspend",
            "reject_media": true,
            "reject_reports": false,
            "private_comment": null,
            "public_comment": null,
            "obfuscate": true,
        })
    );
    let shown_of = |comments| json(&instance_domain::render_shown(&shown(Some("Spam")), comments));
    let mut expected = json!({
        "domain": "bad.*****le", "digest": "ab".repeat(32), "severity": "suspend",
    });
    assert_eq!(shown_of(Comments::Hidden), expected);
    expected["comment"] = json!("Spam");
    assert_eq!(shown_of(Comments::Shown), expected);
}

#[test]
fn an_import_names_the_lines_about_one_domain() {
    let mut import = import();
    let again = ImportedLine { number: 7, ..import.lines[0].clone() };
    import.lines.push(again);
    let rendered = json(&instance_domain::render_import(&import, str::to_owned));
    assert_eq!(rendered["repeated"], json!([{ "domain": "bad.example", "lines": [2, 7] }]));
}

#[test]
fn an_import_counts_its_lines_and_translates_its_errors() {
    let rendered = instance_domain::render_import(&import(), str::to_uppercase);
    let rendered = json(&rendered);
    for (name, count) in
        [("added", 0), ("changed", 1), ("unchanged", 0), ("conflicting", 0), ("invalid", 1)]
    {
        assert_eq!(rendered[name], count, "{name}");
    }
    assert_eq!(
        (&rendered["dry_run"], &rendered["only_here"][0]),
        (&json!(true), &json!("other.example"))
    );
    // An invalid line is about no domain, even if its text is that of another line.
    assert_eq!(rendered["repeated"], json!([]));
    let [changed, invalid] = [&rendered["lines"][0], &rendered["lines"][1]];
    assert_eq!((&changed["line"], &changed["result"]), (&json!(2), &json!("changed")));
    assert_eq!(changed["domain_block"]["severity"], "suspend");
    assert_eq!(changed["existing_domain_block"]["id"], "7");
    assert_eq!(
        (&invalid["error"], &invalid["domain_block"]),
        (&json!("DOMAIN CAN'T BE BLANK"), &Value::Null)
    );
}
