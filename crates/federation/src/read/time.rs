//! Times and durations in documents.

use siskin_entities::{Timestamp, time::Date};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use crate::json::Members;

/// Returns the time of a member: RFC 3339, also without an offset (then UTC), or a date.
pub(super) fn time_of(members: Members<'_>, name: &str) -> Option<Timestamp> {
    parse(members.text(name)?)
}

fn parse(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if text.len() > 64 {
        return None;
    }
    if let Some(date) = Date::parse(text) {
        return Some(date.0);
    }
    let exact = OffsetDateTime::parse(text, &Rfc3339).ok();
    let time = exact.or_else(|| OffsetDateTime::parse(&completed(text), &Rfc3339).ok())?;
    let ms = time.unix_timestamp_nanos().div_euclid(1_000_000);
    i64::try_from(ms).ok().map(Timestamp::from_unix_ms)
}

/// Returns a time in the form of RFC 3339: with `T`, and with an offset with a colon.
fn completed(text: &str) -> String {
    let text = text.replacen(' ', "T", 1).to_ascii_uppercase();
    if text.ends_with('Z') {
        return text;
    }
    let offset = text.rfind(['+', '-']).filter(|at| *at > "2026-01-01T".len());
    match offset.and_then(|at| text.split_at_checked(at)) {
        Some((time, offset)) => match offset.split_at_checked("+00".len()) {
            Some((hours, minutes)) if minutes.len() == 2 => format!("{time}{hours}:{minutes}"),
            Some((hours, "")) => format!("{time}{hours}:00"),
            _ => text,
        },
        None => format!("{text}Z"),
    }
}

/// Returns a duration of ISO 8601 in milliseconds, such as `PT1M3.5S`. Years and months are
/// refused, because no recording is that long.
pub(super) fn duration(text: &str) -> Option<u64> {
    let (days, time) = text.strip_prefix('P')?.split_once('T')?;
    let mut seconds = match days {
        "" => 0.0,
        days => 86_400.0 * number(days.strip_suffix('D')?)?,
    };
    let mut rest = time;
    for (unit, length) in [('H', 3600.0), ('M', 60.0), ('S', 1.0)] {
        if let Some((value, after)) = rest.split_once(unit) {
            seconds += number(value)? * length;
            rest = after;
        }
    }
    let is_plausible = rest.is_empty() && !time.is_empty() && seconds < 1e7;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "not negative, and less than 1e10"
    )]
    let ms = (seconds * 1000.0).round() as u64;
    is_plausible.then_some(ms)
}

/// Returns a decimal number without sign and exponent.
fn number(text: &str) -> Option<f64> {
    let is_decimal = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    text.parse().ok().filter(|_| is_decimal && text.len() <= 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_every_spelling_of_servers() {
        for (text, time) in [
            ("2026-11-27T08:00:00Z", "2026-11-27T08:00:00.000Z"),
            ("2026-11-27T08:00:00.123456Z", "2026-11-27T08:00:00.123Z"),
            ("2026-11-27T10:00:00+02:00", "2026-11-27T08:00:00.000Z"),
            ("2026-11-27T10:00:00+0200", "2026-11-27T08:00:00.000Z"),
            ("2026-11-27T10:00:00+02", "2026-11-27T08:00:00.000Z"),
            ("2026-11-27T08:00:00", "2026-11-27T08:00:00.000Z"),
            ("2026-11-27 08:00:00Z", "2026-11-27T08:00:00.000Z"),
            ("2026-11-27t08:00:00z", "2026-11-27T08:00:00.000Z"),
            ("2026-11-27", "2026-11-27T00:00:00.000Z"),
        ] {
            assert_eq!(parse(text).map(|it| it.to_string()).as_deref(), Some(time), "{text}");
        }
        for text in ["", "now", "2026", "2026-13-01T00:00:00Z", "1795766400", "2026-11-27T", "Z"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn durations_are_read() {
        for (text, ms) in [
            ("PT3S", Some(3000)),
            ("PT1H2M3.5S", Some(3_723_500)),
            ("P1DT1S", Some(86_401_000)),
            ("PT", None),
            ("P1M", None),
            ("PT-3S", None),
            ("PT3S4M", None),
            ("PT1e9S", None),
            ("3S", None),
            ("", None),
        ] {
            assert_eq!(duration(text), ms, "{text}");
        }
    }
}
