//! One account following another: what is chosen for it, and how far it has come.

/// What a follow asks for. `None` leaves an existing follow as it is; on a new one it means the
/// default: reblogs shown, no notification, every language.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FollowOptions {
    pub reblogs: Option<bool>,
    pub notify: Option<bool>,
    pub languages: Option<Vec<String>>,
}

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

    /// Whether it is established.
    #[must_use]
    pub const fn is_established(&self) -> bool {
        matches!(self, Self::Yes(_))
    }

    pub(super) fn asked(self, options: &FollowOptions, needs_approval: bool) -> Self {
        match (self, needs_approval) {
            (Self::Yes(follow), _) | (Self::Requested(follow), false) => {
                Self::Yes(follow.changed(options))
            }
            (Self::Requested(follow), true) => Self::Requested(follow.changed(options)),
            (Self::No, false) => Self::Yes(Follow::default().changed(options)),
            (Self::No, true) => Self::Requested(Follow::default().changed(options)),
        }
    }

    pub(super) fn authorized(self) -> Self {
        match self {
            Self::Requested(follow) => Self::Yes(follow),
            other => other,
        }
    }

    pub(super) fn rejected(self) -> Self {
        match self {
            Self::Requested(_) => Self::No,
            other => other,
        }
    }

    pub(super) fn removed(self) -> Self {
        match self {
            Self::Yes(_) => Self::No,
            other => other,
        }
    }
}
