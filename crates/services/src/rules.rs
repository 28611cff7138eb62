//! Rules of the instance, which the operator edits and every visitor can read.

use siskin_entities::Rule;
use siskin_ids::RuleId;
use siskin_persistence::{Conn, Tx, rules};
use siskin_policy::limits::{MAX_RULE_CHARS, MAX_RULE_HINT_CHARS};
use siskin_text::{TextLimit, is_blank};

use crate::{Error, Result};

pub use siskin_persistence::rules::NewRule;

/// Returns all rules in display order.
///
/// # Errors
/// Storage errors only.
pub fn list(conn: &mut Conn) -> Result<Vec<Rule>> {
    Ok(rules::list(conn)?)
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
pub fn add(tx: &mut Tx<'_>, new: &NewRule) -> Result<Rule> {
    Ok(rules::add(tx, new)?)
}

/// Deletes a rule.
///
/// # Errors
/// [`Error::NotFound`] if there is none with this id.
pub fn delete(tx: &mut Tx<'_>, id: RuleId) -> Result<()> {
    if rules::delete(tx, id)? { Ok(()) } else { Err(Error::NotFound) }
}

/// Reorders the rules: those in `first` come first, the others follow in their previous order. A
/// repeated id counts once.
///
/// # Errors
/// [`Error::NotFound`] if there is no rule with one of the ids; then nothing changes.
pub fn reorder(tx: &mut Tx<'_>, first: &[RuleId]) -> Result<()> {
    let known: Vec<RuleId> = rules::list(tx)?.into_iter().map(|rule| rule.id).collect();
    if !first.iter().all(|id| known.contains(id)) {
        return Err(Error::NotFound);
    }
    let mut order: Vec<RuleId> = Vec::with_capacity(known.len());
    for id in first.iter().chain(&known) {
        if !order.contains(id) {
            order.push(*id);
        }
    }
    for (position, id) in (0..).zip(order) {
        rules::set_position(tx, id, position)?;
    }
    Ok(())
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
