//! Parser of timestamps as clients write them.

use siskin_entities::Timestamp;
use siskin_services::Error as Domain;
use time::{
    Date, PrimitiveDateTime, Time, UtcOffset, format_description::BorrowedFormatItem,
    macros::format_description,
};

use crate::params::chosen;

/// Error message that clients already know for an invalid timestamp.
const INVALID_TIME: &str = "Record invalid";

const DATE: &[BorrowedFormatItem<'_>] = format_description!("[year]-[month]-[day]");
const CLOCK: &[BorrowedFormatItem<'_>] = format_description!(
    version = 2,
    "[hour]:[minute][optional [:[second][optional [.[subsecond]]]]]"
);
const OFFSET: &[BorrowedFormatItem<'_>] = format_description!(
    version = 2,
    "[offset_hour sign:mandatory][optional [[optional [:]][offset_minute]]]"
);

/// Parses a timestamp. `None` if it is absent, empty or `undefined`.
///
/// # Errors
/// [`Domain::Invalid`] if the text is not a timestamp.
pub(crate) fn read(text: Option<&str>) -> Result<Option<Timestamp>, Domain> {
    let text = chosen(text.map(str::trim));
    text.map(|text| parse(text).ok_or_else(|| Domain::invalid(INVALID_TIME))).transpose()
}

/// Parses ISO 8601 as programs write it: date and time, to the minute or finer, followed by `Z`,
/// `+01:00`, `+0100`, `+01` or, for UTC, nothing.
fn parse(text: &str) -> Option<Timestamp> {
    let (date, rest) = text.split_at_checked(10)?;
    let rest = rest.strip_prefix(['T', 't', ' '])?;
    let (clock, zone) = rest.split_at(rest.find(['Z', 'z', '+', '-', ' ']).unwrap_or(rest.len()));
    let local =
        PrimitiveDateTime::new(Date::parse(date, DATE).ok()?, Time::parse(clock, CLOCK).ok()?);
    let ms = local.assume_offset(offset(zone)?).unix_timestamp_nanos() / 1_000_000;
    i64::try_from(ms).ok().map(Timestamp::from_unix_ms)
}

fn offset(zone: &str) -> Option<UtcOffset> {
    if matches!(zone, "" | "Z" | "z") {
        return Some(UtcOffset::UTC);
    }
    // A `+` that a form does not escape arrives as a space.
    let written = match zone.strip_prefix(' ') {
        Some(rest) if rest.starts_with(['+', '-']) => rest.to_owned(),
        Some(rest) => format!("+{rest}"),
        None => zone.to_owned(),
    };
    UtcOffset::parse(&written, OFFSET).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NINE: &str = "2099-01-01T09:00:00.000Z";

    // Clients write the offset and the fraction of a timestamp in several ways; all are accepted.
    #[test]
    fn timestamps_are_parsed_in_all_formats() {
        for text in [
            "2099-01-01T10:00:00+0100",
            "2099-01-01T10:00:00+01:00",
            "2099-01-01T10:00:00 01:00",
            "2099-01-01T10:00:00 0100",
            "2099-01-01T10:00+01",
            "2099-01-01T04:30:00.0-04:30",
            "2099-01-01T09:00:00Z",
            "2099-01-01T09:00:00.000Z",
            "2099-01-01t09:00:00.000000z",
            "2099-01-01 09:00:00.000000001 +0000",
            "2099-01-01T09:00:00+00:00",
            "2099-01-01T09:00",
            " 2099-01-01T09:00:00 ",
        ] {
            let read = read(Some(text)).unwrap().map(|at| at.to_string());
            assert_eq!(read.as_deref(), Some(NINE), "{text}");
        }
    }

    #[test]
    fn invalid_timestamps_are_refused_with_the_known_message() {
        for text in [
            "garbage",
            "2099-01-01",
            "2099-02-30T09:00:00Z",
            "2099-01-01T25:00:00Z",
            "2099-01-01T09:60:00Z",
            "2099-01-01T09:00:00+1",
            "2099-01-01T09:00:00+99:00",
            "2099-01-01T09:00:00X",
            "2099-01-01T09:00:00ZZ",
            "2099-01-01X09:00:00Z",
            "12099-01-01T09:00:00Z",
            "4070941200",
            "éééééééééééé",
            "tomorrow at nine o'clock",
        ] {
            assert_eq!(read(Some(text)).unwrap_err().to_string(), "Record invalid", "{text}");
        }
    }

    #[test]
    fn an_empty_text_is_no_timestamp() {
        assert_eq!((read(None).unwrap(), read(Some(" ")).unwrap()), (None, None));
    }

    proptest! {
        #[test]
        fn displayed_timestamps_are_parsed(ms in 0..253_402_300_800_000_i64) {
            let at = Timestamp::from_unix_ms(ms);
            prop_assert_eq!(parse(&at.to_string()), Some(at));
        }

        #[test]
        fn any_text_is_handled(text in ".{0,40}") {
            drop(read(Some(&text)));
        }
    }
}
