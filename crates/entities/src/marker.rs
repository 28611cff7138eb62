//! Markers: saved reading positions of an account.

use crate::{named::names, time::Timestamp};

/// Timeline that a marker belongs to. The name is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MarkerTimeline {
    /// The home timeline.
    Home,
    /// The notifications.
    Notifications,
}

names!(MarkerTimeline { Home = "home", Notifications = "notifications" });

/// Reading position in one timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Marker {
    /// Newest entry read: the id of a status (home) or of a notification.
    pub last_read_id: i64,
    /// Version number, raised by every change.
    pub version: i64,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

/// Markers of one account, limited to the requested timelines that have one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Markers {
    /// Position in the home timeline.
    pub home: Option<Marker>,
    /// Position in the notifications.
    pub notifications: Option<Marker>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_timeline_round_trips_through_its_name() {
        for timeline in MarkerTimeline::ALL {
            assert_eq!(MarkerTimeline::from_name(timeline.as_str()), Some(timeline));
        }
        assert_eq!(MarkerTimeline::from_name("public"), None);
    }
}
