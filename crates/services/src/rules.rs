//! Rules of the instance, which the operator edits and every visitor can read.

use siskin_entities::{Actor, AuditAction, Rule, TargetKind};
use siskin_ids::RuleId;
use siskin_persistence::{Conn, Tx, rules};
use siskin_policy::limits::{MAX_RULE_CHARS, MAX_RULE_HINT_CHARS};
use siskin_text::{TextLimit, is_blank};

use crate::{Error, Result, audit};

pub use siskin_persistence::rules::NewRule;

/// Returns all rules in display order.
///
/// # Errors
/// Storage errors only.
pub fn list(conn: &mut Conn) -> Result<Vec<Rule>> {
    Ok(rules::list(conn)?)
}

/// Returns the rule with this id.
///
/// # Errors
/// [`Error::NotFound`] if there is none.
pub fn find(conn: &mut Conn, id: RuleId) -> Result<Rule> {
    rules::find(conn, id)?.ok_or(Error::NotFound)
}

/// Checks a new rule, and trims white space around it. The hint explains the rule and may be empty.
///
/// # Errors
/// [`Error::Invalid`] for an empty rule, and for one longer than the limits.
pub fn prepare(text: &str, hint: &str) -> Result<NewRule> {
    let (text, hint) = (text.trim(), hint.trim());
    if is_blank(text) {
        return Err(Error::invalid("A rule cannot be empty"));
    }
    if !TextLimit::of(MAX_RULE_CHARS).fits_code_points(text) {
        return Err(Error::invalid(format!("A rule has at most {MAX_RULE_CHARS} characters")));
    }
    if !TextLimit::of(MAX_RULE_HINT_CHARS).fits_code_points(hint) {
        return Err(Error::invalid(format!(
            "The hint of a rule has at most {MAX_RULE_HINT_CHARS} characters"
        )));
    }
    Ok(NewRule { text: text.to_owned(), hint: hint.to_owned() })
}

/// Adds a rule below the others.
///
/// # Errors
/// Storage errors only.
pub fn add(tx: &mut Tx<'_>, actor: Actor, new: &NewRule) -> Result<Rule> {
    let rule = rules::add(tx, new)?;
    record(tx, actor, AuditAction::Create, rule.id, &rule.text)?;
    Ok(rule)
}

/// Changes the text and the hint of a rule. It keeps its place.
///
/// # Errors
/// [`Error::NotFound`] if there is none with this id.
pub fn edit(tx: &mut Tx<'_>, actor: Actor, id: RuleId, new: &NewRule) -> Result<()> {
    find(tx, id)?;
    let after = Rule { id, text: new.text.clone(), hint: new.hint.clone() };
    if rules::update(tx, &after)? {
        record(tx, actor, AuditAction::Update, id, &after.text)?;
    }
    Ok(())
}

/// Deletes a rule.
///
/// # Errors
/// [`Error::NotFound`] if there is none with this id.
pub fn delete(tx: &mut Tx<'_>, actor: Actor, id: RuleId) -> Result<()> {
    let text = rules::delete(tx, id)?.ok_or(Error::NotFound)?;
    record(tx, actor, AuditAction::Delete, id, &text)
}

/// Reorders the rules: those in `first` come first, the others follow in their previous order. A
/// repeated id counts once. The audit log names the rule that comes first then.
///
/// # Errors
/// [`Error::NotFound`] if there is no rule with one of the ids; then nothing changes.
pub fn reorder(tx: &mut Tx<'_>, actor: Actor, first: &[RuleId]) -> Result<()> {
    let all = rules::list(tx)?;
    let known: Vec<RuleId> = all.iter().map(|rule| rule.id).collect();
    if !first.iter().all(|id| known.contains(id)) {
        return Err(Error::NotFound);
    }
    let mut order: Vec<RuleId> = Vec::with_capacity(known.len());
    for id in first.iter().chain(&known) {
        if !order.contains(id) {
            order.push(*id);
        }
    }
    if order == known {
        return Ok(());
    }
    for (position, id) in (0..).zip(&order) {
        rules::set_position(tx, *id, position)?;
    }
    match all.iter().find(|rule| order.first() == Some(&rule.id)) {
        Some(rule) => record(tx, actor, AuditAction::Update, rule.id, &rule.text),
        None => Ok(()),
    }
}

/// Where a rule moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Before the rule above it.
    Up,
    /// Behind the rule below it.
    Down,
}

/// Moves a rule by one place. Does nothing at the end of the list. The audit log names the rule.
///
/// # Errors
/// [`Error::NotFound`] if there is no rule with this id.
pub fn shift(tx: &mut Tx<'_>, actor: Actor, id: RuleId, step: Step) -> Result<()> {
    let mut all = rules::list(tx)?;
    let at = all.iter().position(|rule| rule.id == id).ok_or(Error::NotFound)?;
    let other = match step {
        Step::Up => at.checked_sub(1),
        Step::Down => Some(at + 1).filter(|below| *below < all.len()),
    };
    let Some(other) = other else { return Ok(()) };
    all.swap(at, other);
    for (position, rule) in (0..).zip(&all) {
        rules::set_position(tx, rule.id, position)?;
    }
    match all.get(other) {
        Some(moved) => record(tx, actor, AuditAction::Update, id, &moved.text),
        None => Ok(()),
    }
}

fn record(
    tx: &mut Tx<'_>,
    actor: Actor,
    action: AuditAction,
    id: RuleId,
    text: &str,
) -> Result<()> {
    let target = audit::target(TargetKind::Rule, id.get(), audit::beginning(text));
    audit::record(tx, actor, action, &target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_must_have_text_of_limited_length() {
        let rule = prepare(" Be kind ", " \n").unwrap();
        assert_eq!((rule.text.as_str(), rule.hint.as_str()), ("Be kind", ""));
        assert!(prepare(&"é".repeat(MAX_RULE_CHARS), "").is_ok());
        assert!(prepare(" ", "why").is_err());
        assert!(prepare(&"e".repeat(MAX_RULE_CHARS + 1), "").is_err());
        assert!(prepare("e", &"e".repeat(MAX_RULE_HINT_CHARS + 1)).is_err());
    }
}
