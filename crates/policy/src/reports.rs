//! Rules of reports: their category, which staff handle one, and who deletes a note.

use siskin_entities::ReportCategory;
use siskin_ids::{AccountId, RuleId};

use crate::roles::{Authority, Permission};

/// Why named rules do not fit a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleFault {
    /// One of them does not exist.
    Unknown,
    /// The category is a breach of rules, and none is named.
    Missing,
}

/// Returns the category of a new report: the one that the reporter sent. Without one, named rules
/// make it a breach of rules.
#[must_use]
pub const fn category(sent: Option<ReportCategory>, rules: &[RuleId]) -> ReportCategory {
    match sent {
        Some(category) => category,
        None if rules.is_empty() => ReportCategory::Other,
        None => ReportCategory::Violation,
    }
}

/// Checks the rules that a report names. `known` contains the rules of the instance.
///
/// # Errors
/// What is wrong with them.
pub fn check_rules(
    category: ReportCategory,
    named: &[RuleId],
    known: &[RuleId],
) -> Result<(), RuleFault> {
    if !named.iter().all(|rule| known.contains(rule)) {
        return Err(RuleFault::Unknown);
    }
    if category == ReportCategory::Violation && named.is_empty() {
        return Err(RuleFault::Missing);
    }
    Ok(())
}

/// Returns `true` if this member of staff handles reports about the account `target`: it sees and
/// changes them, and is notified of them. A member does not handle reports about itself, so that it
/// does not learn who reported it. Administrators do: there may be no other staff.
#[must_use]
pub fn handles(staff: Authority, target: AccountId) -> bool {
    staff.can(Permission::ManageReports)
        && (staff.account != target || staff.can(Permission::Administrator))
}

/// Returns `true` if this member of staff may delete the note of an account with this rank: its own
/// notes, and those of members that it outranks.
#[must_use]
pub fn deletes_note(staff: Authority, author: AccountId, priority: i32) -> bool {
    staff.can(Permission::ManageReports) && (staff.account == author || staff.outranks(priority))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roles::{DefaultRole, Permissions};

    const MEMBER: AccountId = AccountId::new(1);
    const OTHER: AccountId = AccountId::new(2);
    const RULES: [RuleId; 2] = [RuleId::new(1), RuleId::new(2)];

    fn staff(role: DefaultRole) -> Authority {
        let (permissions, priority) = (role.permissions(), role.priority());
        Authority { account: MEMBER, permissions, priority }
    }

    #[test]
    fn the_sent_category_wins() {
        for sent in ReportCategory::ALL {
            assert_eq!(category(Some(sent), &[]), sent);
            assert_eq!(category(Some(sent), &RULES), sent);
        }
        assert_eq!(category(None, &[]), ReportCategory::Other);
        assert_eq!(category(None, &RULES), ReportCategory::Violation);
    }

    #[test]
    fn named_rules_exist_and_a_violation_names_one() {
        for category in ReportCategory::ALL {
            let missing = category == ReportCategory::Violation;
            let none = if missing { Err(RuleFault::Missing) } else { Ok(()) };
            assert_eq!(check_rules(category, &[], &RULES), none);
            assert_eq!(check_rules(category, &RULES, &RULES), Ok(()));
            assert_eq!(check_rules(category, &RULES[1..], &RULES), Ok(()));
            assert_eq!(check_rules(category, &RULES, &RULES[1..]), Err(RuleFault::Unknown));
        }
    }

    #[test]
    fn staff_do_not_handle_reports_about_themselves() {
        for (role, others, own) in [
            (DefaultRole::Everyone, false, false),
            (DefaultRole::Moderator, true, false),
            (DefaultRole::Admin, true, false),
            (DefaultRole::Owner, true, true),
        ] {
            assert_eq!(handles(staff(role), OTHER), others, "{role:?}");
            assert_eq!(handles(staff(role), MEMBER), own, "{role:?}");
        }
    }

    #[test]
    fn notes_are_deleted_by_their_authors_and_from_above() {
        let (moderator, admin) = (staff(DefaultRole::Moderator), staff(DefaultRole::Admin));
        assert!(deletes_note(moderator, MEMBER, 10) && deletes_note(admin, MEMBER, 100));
        assert!(deletes_note(admin, OTHER, 10) && !deletes_note(moderator, OTHER, 10));
        assert!(!deletes_note(moderator, OTHER, 100) && !deletes_note(admin, OTHER, 100));
        let former = Authority { permissions: Permissions::NONE, ..admin };
        assert!(!deletes_note(former, MEMBER, 10));
    }
}
