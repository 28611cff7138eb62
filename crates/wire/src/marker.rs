//! Saved reading positions.

use serde::{Deserialize, Serialize};
use siskin_entities as view;

use crate::time::Instant;

/// Requested markers that exist.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Markers {
    /// Position in the home timeline; absent if there is none or it was not requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub home: Option<Marker>,
    /// Position in the notifications; absent if there is none or it was not requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notifications: Option<Marker>,
}

/// Reading position in one timeline.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Marker {
    /// Id of the newest status or notification that was read.
    pub last_read_id: String,
    /// Number of changes so far.
    pub version: i64,
    /// Time of the last change.
    pub updated_at: Instant,
}

/// Renders the markers for their owner.
#[must_use]
pub fn render(markers: &view::Markers) -> Markers {
    Markers {
        home: markers.home.map(render_one),
        notifications: markers.notifications.map(render_one),
    }
}

fn render_one(marker: view::Marker) -> Marker {
    Marker {
        last_read_id: marker.last_read_id.to_string(),
        version: marker.version,
        updated_at: Instant(marker.updated_at),
    }
}
