//! Stored form of a scheduled status's poll: one JSON text, which is never searched.

use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use siskin_entities::polls::Definition;

/// A stored poll. New fields need a default; fields are never renamed.
#[derive(Debug, Deserialize)]
struct StoredPoll {
    options: Vec<String>,
    /// Seconds.
    expires_in: u64,
    #[serde(default)]
    multiple: bool,
    #[serde(default)]
    hide_totals: bool,
}

/// Serialises a poll to the stored form.
pub(super) fn write(poll: &Definition) -> String {
    json!({
        "options": poll.options(),
        "expires_in": poll.duration().as_secs(),
        "multiple": poll.multiple(),
        "hide_totals": poll.hides_totals(),
    })
    .to_string()
}

/// Parses the stored form. Returns `None` if it is invalid.
pub(super) fn read(text: &str) -> Option<Definition> {
    let stored: StoredPoll = serde_json::from_str(text).ok()?;
    Some(Definition::new_unchecked(
        stored.options,
        Duration::from_secs(stored.expires_in),
        stored.multiple,
        stored.hide_totals,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polls_round_trip_through_json() {
        let titles = vec!["\"yes\"".to_owned(), "no\n".to_owned()];
        for (multiple, hide_totals) in [(false, true), (true, false)] {
            let poll = Definition::new_unchecked(
                titles.clone(),
                Duration::from_secs(300),
                multiple,
                hide_totals,
            );
            assert_eq!(read(&write(&poll)), Some(poll));
        }
        assert_eq!(read("{}"), None);
    }
}
