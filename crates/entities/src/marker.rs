//! Markers: how far a person has read.

use crate::time::Timestamp;

/// The timeline a marker stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MarkerTimeline {
    Home,
    Notifications,
}

impl MarkerTimeline {
    /// Both of them.
    pub const ALL: [Self; 2] = [Self::Home, Self::Notifications];

    /// The name on the wire and in storage.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Home => "home",
            Self::Notifications => "notifications",
        }
    }

    /// The timeline with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|timeline| timeline.as_str() == name)
    }
}

/// How far a person has read one timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Marker {
    /// The newest entry read: the id of a status (home) or of a notification.
    pub last_read_id: i64,
    /// Raised by every change.
    pub version: i64,
    pub updated_at: Timestamp,
}

/// The markers of one person, as far as they were set and asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Markers {
    pub home: Option<Marker>,
    pub notifications: Option<Marker>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_timeline_is_read_back_from_its_name() {
        for timeline in MarkerTimeline::ALL {
            assert_eq!(MarkerTimeline::from_name(timeline.as_str()), Some(timeline));
        }
        assert_eq!(MarkerTimeline::from_name("public"), None);
    }
}
