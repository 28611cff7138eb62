//! Follows: their options and their state.

/// Options of a follow request. For an existing follow, `None` keeps the present value. For a new
/// follow, it means the default: show reblogs, no notifications, all languages.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FollowOptions {
    /// Show reblogs in the home timeline.
    pub reblogs: Option<bool>,
    /// Notify of new statuses.
    pub notify: Option<bool>,
    /// Languages to show; an empty list means all.
    pub languages: Option<Vec<String>>,
}

/// Options that the follower chose for one follow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Follow {
    /// The follower's home timeline shows reblogs by the followed account.
    pub reblogs: bool,
    /// Each new status of the followed account creates a notification.
    pub notify: bool,
    /// Show only statuses in these languages; `None` means all languages.
    pub languages: Option<Vec<String>>,
}

/// Returns the options of a new follow: reblogs, no notifications, all languages.
impl Default for Follow {
    fn default() -> Self {
        Self { reblogs: true, notify: false, languages: None }
    }
}

impl Follow {
    /// Returns this follow with the requested changes. Options that are `None` stay. An empty list
    /// of languages means all languages.
    #[must_use]
    pub fn changed(self, requested: &FollowOptions) -> Self {
        let languages = match &requested.languages {
            None => self.languages,
            Some(languages) if languages.is_empty() => None,
            some => some.clone(),
        };
        Self {
            reblogs: requested.reblogs.unwrap_or(self.reblogs),
            notify: requested.notify.unwrap_or(self.notify),
            languages,
        }
    }
}

/// State of a follow.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Following {
    /// No follow and no request.
    #[default]
    No,
    /// The follower sent a request, which is pending.
    Requested(Follow),
    /// The follow is established.
    Yes(Follow),
}

impl Following {
    /// Returns the options of an established or requested follow.
    #[must_use]
    pub const fn follow(&self) -> Option<&Follow> {
        match self {
            Self::No => None,
            Self::Requested(follow) | Self::Yes(follow) => Some(follow),
        }
    }

    /// Returns `true` if the follow is established.
    #[must_use]
    pub const fn is_established(&self) -> bool {
        matches!(self, Self::Yes(_))
    }

    pub(super) fn requested(self, options: &FollowOptions, needs_approval: bool) -> Self {
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
