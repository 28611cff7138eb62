//! The state machine of relationships: what each action makes of the ties between two accounts,
//! and what it undoes.
//!
//! | action of the one who acts | its own follow: none | requested | established | the other's follow |
//! |---|---|---|---|---|
//! | follow | established with what is asked | established, changed by it | changed by it | as it was |
//! | follow, approval needed | requested with what is asked | changed by it | changed by it | as it was |
//! | unfollow | none | none | none | as it was |
//! | authorize | as it was | as it was | as it was | a request is established as it was asked |
//!
//! An action is always possible; one that finds nothing to do changes nothing, so repeating it is
//! harmless. Who may act at all (blocks, limits) is asked before.

use super::FollowOptions;

/// What a follower chose for one follow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Follow {
    /// The other's reblogs are in the follower's home.
    pub reblogs: bool,
    /// Each new status of the other makes a notification.
    pub notify: bool,
    /// Statuses in these languages only; None: in every language.
    pub languages: Option<Vec<String>>,
}

/// What a new follow has unless it is asked for something else.
impl Default for Follow {
    fn default() -> Self {
        Self { reblogs: true, notify: false, languages: None }
    }
}

impl Follow {
    /// This follow with what is asked for; what is not mentioned stays. An empty list of languages
    /// asks for every language.
    #[must_use]
    pub fn changed(self, asked: &FollowOptions) -> Self {
        let languages = match &asked.languages {
            None => self.languages,
            Some(languages) if languages.is_empty() => None,
            some => some.clone(),
        };
        Self {
            reblogs: asked.reblogs.unwrap_or(self.reblogs),
            notify: asked.notify.unwrap_or(self.notify),
            languages,
        }
    }
}

/// Whether one account follows another.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Following {
    #[default]
    No,
    /// It asked to, and waits for approval.
    Requested(Follow),
    Yes(Follow),
}

impl Following {
    /// What was chosen for it, whether it is established or still asked for.
    #[must_use]
    pub const fn follow(&self) -> Option<&Follow> {
        match self {
            Self::No => None,
            Self::Requested(follow) | Self::Yes(follow) => Some(follow),
        }
    }

    fn asked(self, options: &FollowOptions, needs_approval: bool) -> Self {
        match (self, needs_approval) {
            (Self::Yes(follow), _) | (Self::Requested(follow), false) => {
                Self::Yes(follow.changed(options))
            }
            (Self::Requested(follow), true) => Self::Requested(follow.changed(options)),
            (Self::No, false) => Self::Yes(Follow::default().changed(options)),
            (Self::No, true) => Self::Requested(Follow::default().changed(options)),
        }
    }

    fn authorized(self) -> Self {
        match self {
            Self::Requested(follow) => Self::Yes(follow),
            other => other,
        }
    }
}

/// Everything between two accounts that an action of one of them can change, as the one who acts
/// sees it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ties {
    /// Whether the one who acts follows the other.
    pub following: Following,
    /// Whether the other follows the one who acts.
    pub followed_by: Following,
}

/// What one account does to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Follows the other, asks to, or changes how it follows.
    Follow {
        options: FollowOptions,
        /// The other approves its followers one by one.
        needs_approval: bool,
    },
    /// Stops following, or takes the request back.
    Unfollow,
    /// Approves the other's request to follow.
    Authorize,
}

impl Ties {
    /// What the action makes of these ties; the table above.
    #[must_use]
    pub fn after(self, action: &Action) -> Self {
        match action {
            Action::Follow { options, needs_approval } => {
                Self { following: self.following.asked(options, *needs_approval), ..self }
            }
            Action::Unfollow => Self { following: Following::No, ..self },
            Action::Authorize => Self { followed_by: self.followed_by.authorized(), ..self },
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::{option, prelude::*};

    use super::*;

    fn some_languages() -> impl Strategy<Value = Vec<String>> {
        prop::collection::vec("[a-z]{2}", 0..3)
    }

    fn some_follow() -> impl Strategy<Value = Follow> {
        let languages = some_languages().prop_map(|list| (!list.is_empty()).then_some(list));
        (any::<bool>(), any::<bool>(), languages).prop_map(|(reblogs, notify, languages)| Follow {
            reblogs,
            notify,
            languages,
        })
    }

    fn some_following() -> impl Strategy<Value = Following> {
        prop_oneof![
            Just(Following::No),
            some_follow().prop_map(Following::Requested),
            some_follow().prop_map(Following::Yes),
        ]
    }

    fn some_options() -> impl Strategy<Value = FollowOptions> {
        (any::<Option<bool>>(), any::<Option<bool>>(), option::of(some_languages()))
            .prop_map(|(reblogs, notify, languages)| FollowOptions { reblogs, notify, languages })
    }

    fn some_action() -> impl Strategy<Value = Action> {
        prop_oneof![
            (some_options(), any::<bool>())
                .prop_map(|(options, needs_approval)| Action::Follow { options, needs_approval }),
            Just(Action::Unfollow),
            Just(Action::Authorize),
        ]
    }

    fn some_ties() -> impl Strategy<Value = Ties> {
        (some_following(), some_following())
            .prop_map(|(following, followed_by)| Ties { following, followed_by })
    }

    proptest! {
        #[test]
        fn repeating_an_action_changes_nothing_more(ties in some_ties(), action in some_action()) {
            let once = ties.after(&action);
            prop_assert_eq!(once.clone().after(&action), once);
        }

        #[test]
        fn an_action_changes_one_direction(ties in some_ties(), action in some_action()) {
            let after = ties.clone().after(&action);
            match action {
                Action::Follow { .. } | Action::Unfollow => {
                    prop_assert_eq!(after.followed_by, ties.followed_by);
                }
                Action::Authorize => prop_assert_eq!(after.following, ties.following),
            }
        }

        #[test]
        fn only_what_is_asked_for_changes(follow in some_follow(), asked in some_options()) {
            let after = follow.clone().changed(&asked);
            prop_assert_eq!(after.reblogs, asked.reblogs.unwrap_or(follow.reblogs));
            prop_assert_eq!(after.notify, asked.notify.unwrap_or(follow.notify));
            match asked.languages {
                None => prop_assert_eq!(after.languages, follow.languages),
                Some(list) => prop_assert_eq!(after.languages.unwrap_or_default(), list),
            }
        }

        #[test]
        fn a_request_is_granted_as_it_was_asked(
            ties in some_ties(), options in some_options(),
        ) {
            let asked = ties.after(&Action::Follow { options, needs_approval: true });
            let seen_by_the_other = Ties {
                following: asked.followed_by.clone(), followed_by: asked.following.clone(),
            };
            let granted = seen_by_the_other.after(&Action::Authorize).followed_by;
            prop_assert!(matches!(granted, Following::Yes(_)));
            prop_assert_eq!(granted.follow(), asked.following.follow());
        }
    }

    #[test]
    fn an_established_follow_is_never_put_back_to_a_request() {
        let follow = Follow { reblogs: false, ..Follow::default() };
        let ties = Ties { following: Following::Yes(follow.clone()), ..Ties::default() };
        let again = Action::Follow { options: FollowOptions::default(), needs_approval: true };
        assert_eq!(ties.after(&again).following, Following::Yes(follow));
    }

    #[test]
    fn unfollowing_takes_a_request_back() {
        let asked = Action::Follow { options: FollowOptions::default(), needs_approval: true };
        let ties = Ties::default().after(&asked).after(&Action::Unfollow);
        assert_eq!(ties, Ties::default());
    }
}
