//! The rules of the instance.

use siskin_ids::RuleId;

/// What people who sign up agree to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    pub id: RuleId,
    pub text: String,
    /// Explains the rule further; may be empty.
    pub hint: String,
}
