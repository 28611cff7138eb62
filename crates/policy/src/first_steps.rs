//! The set-up of a new instance: who may do which step, and which steps count as done.

use siskin_entities::{FirstStep, Settings, StepState};

use crate::roles::{Authority, Permission};

/// Returns `true` if the role of the account includes a step. All steps need the permission to
/// manage settings; the rules also need their own.
#[must_use]
pub const fn includes(authority: Authority, step: FirstStep) -> bool {
    let is_about_rules = matches!(step, FirstStep::Rules);
    authority.can(Permission::ManageSettings)
        && (!is_about_rules || authority.can(Permission::ManageRules))
}

/// Facts from which a step follows that was done elsewhere, such as on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SetUpFacts<'s> {
    /// The current settings.
    pub settings: &'s Settings,
    /// Whether the instance has a picture.
    pub has_picture: bool,
    /// Whether the instance has a rule.
    pub has_rules: bool,
}

impl SetUpFacts<'_> {
    /// Returns the state of a step. `recorded` is what happened on its page; `None` if nothing did.
    #[must_use]
    pub fn state(self, step: FirstStep, recorded: Option<StepState>) -> StepState {
        if self.is_done(step) { StepState::Done } else { recorded.unwrap_or(StepState::Open) }
    }

    /// Returns `true` if what the step is about differs from the default.
    fn is_done(self, step: FirstStep) -> bool {
        let (now, before) = (self.settings, Settings::default());
        match step {
            FirstStep::Name => now.site_title != before.site_title,
            FirstStep::Description => {
                now.site_short_description != before.site_short_description
                    || now.site_description != before.site_description
            }
            FirstStep::Picture => self.has_picture,
            FirstStep::Rules => self.has_rules,
            FirstStep::Registrations => now.registrations != before.registrations,
            // Nothing is stored about them.
            FirstStep::Mail | FirstStep::Backups => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use siskin_ids::AccountId;

    use super::*;

    #[test]
    fn the_rules_need_a_permission_of_their_own() {
        let included = |permissions: &[Permission]| -> Vec<&str> {
            let permissions = permissions.iter().copied().collect();
            let authority = Authority { account: AccountId::new(1), permissions, priority: 9 };
            let steps = FirstStep::ALL.into_iter().filter(|step| includes(authority, *step));
            steps.map(FirstStep::as_str).collect()
        };
        assert_eq!(included(&[Permission::ManageRules]), [""; 0]);
        let settings = included(&[Permission::ManageSettings]);
        assert!(settings.len() == 6 && !settings.contains(&"rules"), "{settings:?}");
        assert_eq!(included(&[Permission::Administrator]).len(), FirstStep::ALL.len());
    }

    #[test]
    fn a_step_is_done_on_its_page_or_elsewhere() {
        let mut settings = Settings::default();
        let state = |settings: &Settings, step, recorded| {
            let facts = SetUpFacts { settings, has_picture: false, has_rules: true };
            facts.state(step, recorded)
        };
        for step in FirstStep::ALL {
            let expected = if step == FirstStep::Rules { StepState::Done } else { StepState::Open };
            assert_eq!(state(&settings, step, None), expected);
            assert_eq!(state(&settings, step, Some(StepState::Done)), StepState::Done);
        }
        let name = FirstStep::Name;
        assert_eq!(state(&settings, name, Some(StepState::Skipped)), StepState::Skipped);
        settings.set("site_title", "Birds").unwrap();
        assert_eq!(state(&settings, name, Some(StepState::Skipped)), StepState::Done);
        settings.set("registrations", "approval").unwrap();
        assert_eq!(state(&settings, FirstStep::Registrations, None), StepState::Done);
    }
}
