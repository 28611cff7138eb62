//! Emails that an account chooses to get.

use crate::notification::NotificationKind;

/// What an account can get emails about. The name is stored and used in links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EmailTopic {
    /// Notifications of a kind, soon after they happened.
    Notifications(NotificationKind),
    /// What an account that was not active for a while missed.
    Digest,
}

impl EmailTopic {
    /// Returns all topics, in the order in which a form lists them.
    pub fn all() -> impl Iterator<Item = Self> {
        let kinds = NotificationKind::ALL.into_iter().filter(|kind| kind.is_email_topic());
        kinds.map(Self::Notifications).chain([Self::Digest])
    }

    /// Returns the name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Notifications(kind) => kind.as_str(),
            Self::Digest => "digest",
        }
    }

    /// Returns the topic with this name. Returns `None` if there is none.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::all().find(|topic| topic.as_str() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_topic_round_trips_through_its_name() {
        for topic in EmailTopic::all() {
            assert_eq!(EmailTopic::from_name(topic.as_str()), Some(topic));
        }
        assert_eq!(EmailTopic::from_name("reaction"), None);
    }
}
