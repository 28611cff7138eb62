//! The rules of the instance.

use serde::{Deserialize, Serialize};
use siskin_entities as view;
use siskin_ids::RuleId;

/// Rule that users accept when they sign up.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Rule {
    /// Id of the rule.
    pub id: RuleId,
    /// The rule in one sentence of plain text.
    pub text: String,
    /// Explains the rule further; may be empty.
    #[serde(default)]
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
