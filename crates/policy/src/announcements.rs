//! Rules of announcements: when one is shown, their order, and which reactions one takes.

use siskin_entities::{Announcement, Timestamp, announcement::Period};

use crate::limits::MAX_ANNOUNCEMENT_EMOJIS;

/// Returns `true` if the announcement is shown: it is published, and its event is not over. The
/// beginning of the event does not matter, because events are announced before they begin.
#[must_use]
pub fn is_shown(announcement: &Announcement, now: Timestamp) -> bool {
    announcement.published_at.is_some() && !is_over(announcement.period, now)
}

/// Returns `true` if the announced event has ended at this time.
#[must_use]
pub fn is_over(period: Option<Period>, now: Timestamp) -> bool {
    period.is_some_and(|period| period.ends_at() <= now)
}

/// Sorts announcements for display: by the beginning of their events, and those without one by
/// their publication.
pub fn sort(announcements: &mut [Announcement]) {
    announcements.sort_by_key(|announcement| {
        let begins = announcement.period.map(Period::starts_at);
        (begins.or(announcement.published_at).unwrap_or(announcement.created_at), announcement.id)
    });
}

/// Returns `true` if an announcement with reactions of these names takes one with this name. The
/// number of different names is limited, the number of accounts is not.
#[must_use]
pub fn takes_reaction(name: &str, present: &[String]) -> bool {
    present.len() < MAX_ANNOUNCEMENT_EMOJIS || present.iter().any(|other| other == name)
}

#[cfg(test)]
mod tests {
    use siskin_ids::AnnouncementId;

    use super::*;

    const fn at(ms: i64) -> Timestamp {
        Timestamp::from_unix_ms(ms)
    }

    fn announcement(
        id: i64,
        period: Option<(i64, i64)>,
        published_at: Option<i64>,
    ) -> Announcement {
        let period = period.map(|(start, end)| Period::of_times(at(start), at(end)).unwrap());
        Announcement {
            id: AnnouncementId::new(id),
            text: "Tea".to_owned(),
            period,
            scheduled_at: None,
            published_at: published_at.map(at),
            created_at: at(1),
            updated_at: at(1),
        }
    }

    #[test]
    fn published_announcements_are_shown_until_their_event_ends() {
        for (period, published_at, now, shown) in [
            (None, None, 5, false),
            (None, Some(5), 5, true),
            (Some((8, 9)), None, 5, false),
            (Some((8, 9)), Some(5), 5, true),
            (Some((8, 9)), Some(5), 8, true),
            (Some((8, 9)), Some(5), 9, false),
        ] {
            let announcement = announcement(1, period, published_at);
            assert_eq!(
                is_shown(&announcement, at(now)),
                shown,
                "{period:?} {published_at:?} {now}"
            );
        }
    }

    #[test]
    fn announcements_are_in_the_order_of_their_events() {
        let mut sorted = [
            announcement(1, Some((9, 10)), Some(2)),
            announcement(2, None, Some(5)),
            announcement(4, None, Some(4)),
            announcement(3, None, Some(4)),
            announcement(5, Some((3, 20)), Some(8)),
        ];
        sort(&mut sorted);
        let ids: Vec<i64> = sorted.iter().map(|announcement| announcement.id.get()).collect();
        assert_eq!(ids, [5, 3, 4, 2, 1]);
    }

    #[test]
    fn an_announcement_takes_eight_different_emojis() {
        let mut present: Vec<String> = (0..7).map(|number| number.to_string()).collect();
        assert!(takes_reaction("7", &present));
        present.push("7".to_owned());
        assert!(takes_reaction("7", &present) && !takes_reaction("8", &present));
    }
}
