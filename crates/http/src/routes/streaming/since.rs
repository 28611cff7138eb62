//! The position from which a client resumes a stream.

use siskin_services::Error as Domain;

use crate::{Error, Result};

const WRONG: &str = "since must be the id of an event";

/// Parses the position that a client sends.
///
/// # Errors
/// [`Domain::Malformed`] if the text is not a position.
pub(super) fn parse(text: Option<&str>) -> Result<Option<i64>> {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else { return Ok(None) };
    let is_decimal = text.bytes().all(|digit| digit.is_ascii_digit());
    let position = text.parse().ok().filter(|_| is_decimal);
    position.map(Some).ok_or_else(|| Error::from(Domain::Malformed(WRONG.to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_decimal() {
        assert_eq!(parse(None).unwrap(), None);
        assert_eq!(parse(Some(" ")).unwrap(), None);
        assert_eq!(parse(Some("12")).unwrap(), Some(12));
        for wrong in ["-1", "+1", "1e3", "abc", "99999999999999999999"] {
            assert!(parse(Some(wrong)).is_err(), "{wrong}");
        }
    }
}
