//! The date of HTTP headers (RFC 9110, 5.6.7), and that of documents (RFC 3339).

use siskin_entities::Timestamp;
use time::{
    OffsetDateTime, PrimitiveDateTime,
    format_description::{BorrowedFormatItem, well_known::Rfc3339},
    macros::format_description,
};

const IMF_FIXDATE: &[BorrowedFormatItem<'_>] = format_description!(
    "[weekday repr:short], [day] [month repr:short] [year] [hour]:[minute]:[second] GMT"
);

/// Returns a time as the header `Date` has it. Returns `None` outside of the years 0 to 9999.
pub(crate) fn write(time: Timestamp) -> Option<String> {
    let time = OffsetDateTime::from_unix_timestamp(time.unix_seconds()).ok()?;
    time.format(IMF_FIXDATE).ok()
}

/// Reads the value of the header `Date`. The two obsolete forms are refused.
pub(crate) fn read(value: &[u8]) -> Option<Timestamp> {
    let text = std::str::from_utf8(value).ok()?;
    let time = PrimitiveDateTime::parse(text, IMF_FIXDATE).ok()?;
    from_seconds(time.assume_utc().unix_timestamp())
}

/// Returns a time as documents have it, in whole seconds: `2026-11-27T08:00:00Z`.
pub(crate) fn write_iso(time: Timestamp) -> String {
    let seconds = time
        .before(std::time::Duration::from_millis(time.unix_ms().rem_euclid(1000).unsigned_abs()));
    let text = seconds.to_string();
    text.strip_suffix(".000Z").map_or(text.clone(), |text| format!("{text}Z"))
}

/// Reads a time of RFC 3339.
pub(crate) fn read_iso(text: &str) -> Option<Timestamp> {
    let time = OffsetDateTime::parse(text, &Rfc3339).ok()?;
    from_seconds(time.unix_timestamp())
}

/// Returns the time this many seconds after 1970. Returns `None` if it cannot be represented.
pub(crate) fn from_seconds(seconds: i64) -> Option<Timestamp> {
    seconds.checked_mul(1000).map(Timestamp::from_unix_ms)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_preferred_form_of_dates_is_read_and_written() {
        let text = "Sun, 06 Nov 1994 08:49:37 GMT";
        let time = read(text.as_bytes()).unwrap();
        assert_eq!(time.unix_seconds(), 784_111_777);
        assert_eq!(write(time).unwrap(), text);
        assert_eq!(write_iso(Timestamp::from_unix_ms(784_111_777_999)), "1994-11-06T08:49:37Z");
        assert_eq!(read_iso("1994-11-06T09:49:37+01:00"), Some(time));
    }

    #[test]
    fn other_forms_of_dates_are_refused() {
        for text in [
            "",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
            "Sun, 06 Nov 1994 08:49:37 +0000",
            "Sun, 06 Nov 1994 08:49:37 GMT ",
            "Sun, 31 Feb 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:60 GMT",
            "784111777",
        ] {
            assert_eq!(read(text.as_bytes()), None, "{text}");
        }
        assert_eq!(read(b"Sun, 06 Nov 1994 08:49:37 GMT\xFF"), None);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(seconds in -62_000_000_000_i64..253_402_300_799) {
            let time = from_seconds(seconds).unwrap();
            prop_assert_eq!(read(write(time).unwrap().as_bytes()), Some(time));
            prop_assert_eq!(read_iso(&write_iso(time)), Some(time));
        }
    }
}
