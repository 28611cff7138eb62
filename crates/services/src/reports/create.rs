//! New reports.

use std::{collections::HashSet, hash::Hash, str::FromStr};

use siskin_entities::{ReportCategory, ShownReport};
use siskin_ids::{AccountId, ReportId, RuleId, StatusId};
use siskin_persistence::{
    Conn, Tx, accounts,
    reports::{self as rows, NewReport},
    rules,
    statuses::visible_ids,
};
use siskin_policy::{
    limits::{MAX_REPORT_COMMENT_CHARS, MAX_REPORTED_STATUSES},
    reports::{self as policy, RuleFault},
};
use siskin_text::TextLimit;

use super::NotifyStaff;
use crate::{Error, Result, jobs};

/// A report as a client sends it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SentReport {
    /// Id of the reported account.
    pub account: Option<String>,
    /// Ids of its statuses.
    pub statuses: Vec<String>,
    pub comment: String,
    /// Whether the server of a remote account should get the report.
    pub forward: bool,
    /// Name of the category.
    pub category: Option<String>,
    /// Ids of the rules that the account broke.
    pub rules: Vec<String>,
}

/// Report with ids and texts that are well formed. It is not stored yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    target: AccountId,
    statuses: Vec<StatusId>,
    comment: String,
    forward: bool,
    category: Option<ReportCategory>,
    rules: Vec<RuleId>,
}

/// Checks what does not depend on stored data.
///
/// # Errors
/// [`Error::NotFound`] for an id of the account or of a status that cannot exist.
/// [`Error::Invalid`] for a comment or a list that is too long, and for unknown categories and
/// rules.
pub fn prepare(sent: &SentReport) -> Result<Draft> {
    let target = sent.account.as_deref().and_then(|id| id.parse().ok()).ok_or(Error::NotFound)?;
    if !TextLimit::of(MAX_REPORT_COMMENT_CHARS).fits_code_points(&sent.comment) {
        let most = MAX_REPORT_COMMENT_CHARS;
        return Err(Error::validation(format!(
            "Comment is too long (maximum is {most} characters)"
        )));
    }
    if sent.statuses.len() > MAX_REPORTED_STATUSES {
        let most = MAX_REPORTED_STATUSES;
        return Err(Error::validation(format!("A report can contain at most {most} posts")));
    }
    Ok(Draft {
        target,
        statuses: ids(&sent.statuses).ok_or(Error::NotFound)?,
        comment: sent.comment.clone(),
        forward: sent.forward,
        category: category(sent.category.as_deref())?,
        rules: rule_ids(&sent.rules)?,
    })
}

/// Parses ids, in their order and without duplicates. Ignores empty texts. Returns `None` if a text
/// is no id.
fn ids<T: FromStr + Eq + Hash + Copy>(texts: &[String]) -> Option<Vec<T>> {
    let mut seen = HashSet::new();
    let mut ids = Vec::new();
    for text in texts.iter().filter(|text| !text.is_empty()) {
        let id = text.parse().ok()?;
        if seen.insert(id) {
            ids.push(id);
        }
    }
    Some(ids)
}

/// Parses the ids of rules as [`ids`] does.
///
/// # Errors
/// [`Error::Invalid`] for a text that is no id.
pub(super) fn rule_ids(texts: &[String]) -> Result<Vec<RuleId>> {
    ids(texts).ok_or_else(unknown_rule)
}

/// Parses the name of a category. An empty name counts as absent.
///
/// # Errors
/// [`Error::Invalid`] for an unknown name.
pub(super) fn category(name: Option<&str>) -> Result<Option<ReportCategory>> {
    let Some(name) = name.filter(|name| !name.is_empty()) else { return Ok(None) };
    let known = name.parse().map(Some);
    known.map_err(|_| Error::validation("Category is unknown"))
}

fn unknown_rule() -> Error {
    Error::validation("Rules do not exist on this server")
}

/// Returns the error for rules that do not fit a report.
pub(super) fn rule_fault(fault: RuleFault) -> Error {
    match fault {
        RuleFault::Unknown => unknown_rule(),
        RuleFault::Missing => Error::validation("Rules are missing"),
    }
}

/// Stores a report of `reporter`, and enqueues a job that notifies staff. The reported account does
/// not learn of it. An account can be reported even if it blocks the reporter, and by itself, as on
/// Mastodon: clients test their forms so.
///
/// # Errors
/// [`Error::NotFound`] if the account does not exist, is not reachable or is suspended, and if a
/// status does not exist, is hidden from the reporter or belongs to another account.
/// [`Error::Invalid`] for rules that do not exist or are missing.
pub fn create(tx: &mut Tx<'_>, reporter: AccountId, draft: &Draft) -> Result<ReportId> {
    // The report refers to the account, which must not be deleted meanwhile.
    accounts::lock(tx, &[draft.target])?;
    let target = accounts::find(tx, draft.target)?;
    let target = target.filter(|target| target.state.reachable && !target.state.suspended);
    let target = target.ok_or(Error::NotFound)?;
    let category = policy::category(draft.category, &draft.rules);
    policy::check_rules(category, &draft.rules, &known_rules(tx)?).map_err(rule_fault)?;
    require_visible(tx, reporter, draft)?;
    let new = NewReport {
        account: reporter,
        target: draft.target,
        category,
        comment: &draft.comment,
        forwarded: draft.forward && !target.is_local(),
        statuses: &draft.statuses,
        rules: Some(draft.rules.as_slice()).filter(|rules| !rules.is_empty()),
    };
    let report = rows::insert(tx, &new)?;
    jobs::enqueue(tx, &NotifyStaff { report: report.id })?;
    Ok(report.id)
}

/// Loads the ids of the rules of the instance.
pub(super) fn known_rules(conn: &mut Conn) -> Result<Vec<RuleId>> {
    Ok(rules::list(conn)?.into_iter().map(|rule| rule.id).collect())
}

/// Checks that all statuses of a report belong to its target and are visible to the reporter.
/// Otherwise the error would reveal whether a hidden status exists.
fn require_visible(conn: &mut Conn, reporter: AccountId, draft: &Draft) -> Result<()> {
    let statuses = &draft.statuses;
    let all = !rows::has_other_author(conn, draft.target, statuses)?
        && visible_ids(conn, statuses, Some(reporter))?.len() == statuses.len();
    if all { Ok(()) } else { Err(Error::NotFound) }
}

/// Loads a report as its reporter sees it.
///
/// # Errors
/// [`Error::NotFound`] if the account made no such report.
pub fn submitted(conn: &mut Conn, reporter: AccountId, id: ReportId) -> Result<ShownReport> {
    let report = super::find(conn, id)?;
    let target = accounts::find(conn, report.target)?.filter(|_| report.account == reporter);
    Ok(ShownReport { report, target: target.ok_or(Error::NotFound)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent() -> SentReport {
        SentReport { account: Some("7".to_owned()), ..SentReport::default() }
    }

    fn texts(ids: &[&str]) -> Vec<String> {
        ids.iter().map(|id| (*id).to_owned()).collect()
    }

    #[test]
    fn ids_are_parsed_without_duplicates() {
        let draft = prepare(&SentReport {
            statuses: texts(&["3", "1", "", "3"]),
            rules: texts(&["2", "2"]),
            category: Some("spam".to_owned()),
            ..sent()
        });
        let draft = draft.unwrap();
        assert_eq!(draft.target, AccountId::new(7));
        assert_eq!(draft.statuses, [StatusId::new(3), StatusId::new(1)]);
        assert_eq!(draft.rules, [RuleId::new(2)]);
        assert_eq!(draft.category, Some(ReportCategory::Spam));
    }

    #[test]
    fn ids_that_cannot_exist_are_not_found() {
        for sent in [
            SentReport { account: None, ..sent() },
            SentReport { account: Some("x".to_owned()), ..sent() },
            SentReport { statuses: texts(&["1", "01"]), ..sent() },
        ] {
            assert!(matches!(prepare(&sent), Err(Error::NotFound)), "{sent:?}");
        }
    }

    #[test]
    fn long_comments_and_unknown_names_are_refused() {
        let longest = "é".repeat(MAX_REPORT_COMMENT_CHARS);
        assert!(prepare(&SentReport { comment: longest.clone(), ..sent() }).is_ok());
        assert_eq!(
            prepare(&SentReport { category: Some(String::new()), ..sent() }).unwrap().category,
            None
        );
        for sent in [
            SentReport { comment: longest + "é", ..sent() },
            SentReport { category: Some("rude".to_owned()), ..sent() },
            SentReport { rules: texts(&["x"]), ..sent() },
            SentReport { statuses: texts(&["1"; MAX_REPORTED_STATUSES + 1]), ..sent() },
        ] {
            assert!(matches!(prepare(&sent), Err(Error::Invalid(_))), "{sent:?}");
        }
    }
}
