//! Decisions about several accounts at once, with a result for each. Each account is decided about as
//! if it were alone: by the same rules, with a strike, an entry of the audit log and a notification
//! of its own.

use siskin_entities::{DecisionResult, SignUpAction, UndoAction};
use siskin_ids::AccountId;
use siskin_persistence::{Conn, Tx};
use siskin_policy::roles::Authority;

use super::{
    act::{self, AccountAction, Decider},
    sign_ups,
};
use crate::{
    Error, Instance, Result,
    accounts::{Decision, owners},
};

/// Number of decisions in one transaction, so that other writers get their turn.
pub const AT_ONCE: usize = 20;

/// What staff do with several accounts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BulkAction {
    /// Decides about sign-ups.
    SignUp(SignUpAction),
    /// Warns or restricts, with a strike.
    Act(AccountAction),
    /// Ends restrictions.
    Undo(UndoAction),
}

impl BulkAction {
    /// Parses the name of an action. `sent` is what belongs to an action with a strike: its type is
    /// ignored, and it names no report.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an unknown name.
    pub fn parse(name: &str, sent: AccountAction) -> Result<Self> {
        if let Ok(action) = name.parse() {
            return Ok(Self::SignUp(action));
        }
        if let Ok(action) = name.parse() {
            return Ok(Self::Undo(action));
        }
        match act::parse_kind(name) {
            Ok(kind) => Ok(Self::Act(AccountAction { kind: kind.as_str().to_owned(), ..sent })),
            Err(_) => Err(Error::validation("Action is not included in the list")),
        }
    }

    /// Checks what is the same for all accounts: the text and its preset.
    ///
    /// # Errors
    /// [`Error::NotFound`] for an unknown preset; [`Error::Invalid`] for a text that is too long.
    pub fn check(&self, conn: &mut Conn) -> Result<()> {
        match self {
            Self::Act(sent) => act::text_of(conn, sent).map(drop),
            Self::SignUp(_) | Self::Undo(_) => Ok(()),
        }
    }
}

/// Returns the decision that ends a restriction.
#[must_use]
pub const fn ending(action: UndoAction) -> Decision {
    match action {
        UndoAction::Enable => Decision::Disabled(false),
        UndoAction::Unsensitive => Decision::Sensitized(false),
        UndoAction::Unsilence => Decision::Silenced(false),
        UndoAction::Unsuspend => Decision::Suspended(false),
    }
}

/// Decides about some accounts, each on its own, and returns what happened to each. Callers check
/// the action first, and pass many accounts in batches of [`AT_ONCE`].
///
/// # Errors
/// Storage errors only.
pub fn decide_some(
    tx: &mut Tx<'_>,
    instance: &Instance,
    staff: Authority,
    some: &[AccountId],
    action: &BulkAction,
) -> Result<Vec<DecisionResult>> {
    // In the order of the ids, so that two callers cannot wait for each other.
    owners::lock_all_with(tx, some)?;
    let result = |account: &AccountId| match decide(tx, instance, staff, *account, action) {
        Err(Error::NotFound) => Ok(DecisionResult::NotFound),
        Err(Error::Forbidden(_)) => Ok(DecisionResult::Forbidden),
        Err(Error::InvalidFields(_)) => Ok(DecisionResult::Taken),
        Err(Error::Invalid(_)) => Ok(DecisionResult::Impossible),
        other => other,
    };
    some.iter().map(result).collect()
}

fn decide(
    tx: &mut Tx<'_>,
    instance: &Instance,
    staff: Authority,
    account: AccountId,
    action: &BulkAction,
) -> Result<DecisionResult> {
    let decider = Decider::Staff(staff);
    let is_done = match action {
        BulkAction::SignUp(action) => {
            return sign_ups::decide(tx, instance, decider, account, *action);
        }
        BulkAction::Act(sent) => act::act(tx, staff, account, sent)?,
        BulkAction::Undo(action) => act::decide(tx, decider, account, ending(*action))?,
    };
    Ok(if is_done { DecisionResult::Done } else { DecisionResult::Unchanged })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_is_a_decision_a_strike_or_its_end() {
        let parse = |name: &str| {
            let sent = AccountAction { text: "Stop".to_owned(), ..AccountAction::default() };
            BulkAction::parse(name, sent)
        };
        assert_eq!(parse("reject").unwrap(), BulkAction::SignUp(SignUpAction::Reject));
        assert_eq!(parse("unsuspend").unwrap(), BulkAction::Undo(UndoAction::Unsuspend));
        for name in ["none", "sensitive", "disable", "silence", "suspend"] {
            let BulkAction::Act(sent) = parse(name).unwrap() else { panic!("{name}") };
            assert_eq!((&*sent.kind, &*sent.text), (name, "Stop"));
        }
        for name in ["", "warn", "delete", "delete_statuses", "Suspend"] {
            assert!(parse(name).is_err(), "{name}");
        }
    }
}
