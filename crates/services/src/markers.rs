//! Read positions of a user, shared by all their clients.
//!
//! Two clients that move the same marker at the same time must not overwrite each other unnoticed.
//! A write names the version that was read before, and the second write gets a conflict.

use siskin_entities::{MarkerTimeline, Markers};
use siskin_ids::AccountId;
use siskin_persistence::{Conn, Tx, markers};

use crate::{Error, Result};

/// Loads all markers of `account`.
///
/// # Errors
/// Storage errors only.
pub fn load(conn: &mut Conn, account: AccountId) -> Result<Markers> {
    Ok(markers::load(conn, account)?)
}

/// Returns the markers of the timelines with these names. Ignores unknown names.
#[must_use]
pub fn named(markers: Markers, timelines: &[String]) -> Markers {
    let is_named =
        |timeline: MarkerTimeline| timelines.iter().any(|name| name == timeline.as_str());
    Markers {
        home: markers.home.filter(|_| is_named(MarkerTimeline::Home)),
        notifications: markers.notifications.filter(|_| is_named(MarkerTimeline::Notifications)),
    }
}

/// New positions of markers: the ids of the newest entries read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Move {
    home: Option<i64>,
    notifications: Option<i64>,
}

impl Move {
    /// Parses the ids that a client sent. An empty id counts as not sent.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an invalid id.
    pub fn parse(home: Option<&str>, notifications: Option<&str>) -> Result<Self> {
        Ok(Self {
            home: position(MarkerTimeline::Home, home)?,
            notifications: position(MarkerTimeline::Notifications, notifications)?,
        })
    }
}

fn position(timeline: MarkerTimeline, text: Option<&str>) -> Result<Option<i64>> {
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(None) };
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let id = text.parse().ok().filter(|_| digits);
    id.map(Some).ok_or_else(|| {
        let name = timeline.as_str();
        Error::invalid(format!("Invalid parameter: {name}[last_read_id] must be an id"))
    })
}

/// Moves the markers of `account`, if they are still at `seen`, and returns those that moved.
///
/// # Errors
/// [`Error::Conflict`] if one of them was moved meanwhile; then none moves.
pub fn apply(tx: &mut Tx<'_>, account: AccountId, seen: &Markers, to: &Move) -> Result<Markers> {
    let mut set = |timeline, last_read_id: Option<i64>, seen| match last_read_id {
        None => Ok(None),
        Some(id) => match markers::set(tx, account, timeline, id, seen)? {
            None => Err(Error::Conflict("Another request moved the marker, try again".to_owned())),
            moved => Ok(moved),
        },
    };
    Ok(Markers {
        home: set(MarkerTimeline::Home, to.home, seen.home)?,
        notifications: set(MarkerTimeline::Notifications, to.notifications, seen.notifications)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marker_position_is_an_id_or_empty() {
        let parse = |home| Move::parse(Some(home), None).ok().map(|to| to.home);
        assert_eq!(parse("7"), Some(Some(7)));
        assert_eq!(parse(""), Some(None));
        for text in ["abc", "-1", "+1", " 1", "9223372036854775808"] {
            assert_eq!(parse(text), None, "{text}");
        }
        assert_eq!(Move::parse(None, None).unwrap(), Move::default());
    }
}
