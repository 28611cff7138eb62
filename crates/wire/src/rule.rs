//! The rules of the instance.

use serde::Serialize;
use siskin_entities as view;
use siskin_ids::RuleId;

/// Rule that users accept when they sign up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rule {
    pub id: RuleId,
    pub text: String,
    /// Explains the rule further; may be empty.
    pub hint: String,
}

/// Renders the rules in their order.
#[must_use]
pub fn render_all(rules: &[view::Rule]) -> Vec<Rule> {
    rules
        .iter()
        .map(|rule| Rule { id: rule.id, text: rule.text.clone(), hint: rule.hint.clone() })
        .collect()
}
