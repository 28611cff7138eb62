//! The rules of the instance.

use siskin_ids::RuleId;

/// Rule that users accept when they sign up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    pub id: RuleId,
    pub text: String,
    /// Explains the rule further; may be empty.
    pub hint: String,
}
