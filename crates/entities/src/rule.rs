//! The rules of the instance.

use siskin_ids::RuleId;

/// Rule that users accept when they sign up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Id of the rule.
    pub id: RuleId,
    /// The rule in one sentence of plain text.
    pub text: String,
    /// Explains the rule further; may be empty.
    pub hint: String,
}
