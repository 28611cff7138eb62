//! Pages of lists that are cut by a number of entries, because nothing in them is an id to go on
//! from.

use siskin_policy::limits::PageLimit;

use crate::{Error, Result};

/// How far into such a list one can go: every entry before the page is walked past.
const FURTHEST: i64 = 10_000;

/// A part of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OffsetPage {
    /// How many entries, from 0 to what the list allows.
    pub limit: i64,
    /// How many entries lie before it.
    pub offset: i64,
}

impl OffsetPage {
    /// Reads what a client sent. A limit that is no number is none at all, and so is every entry
    /// past the furthest offset.
    ///
    /// # Errors
    /// [`Error::Malformed`] for negative numbers.
    pub fn read(limit: Option<&str>, offset: Option<&str>, page: PageLimit) -> Result<Self> {
        let limit = given(limit).map_or(Ok(page.default), |limit| number("limit", limit))?;
        let offset = given(offset).map_or(Ok(0), |offset| number("offset", offset))?;
        let limit = if offset > FURTHEST { 0 } else { limit.min(page.max) };
        Ok(Self { limit, offset })
    }
}

fn given(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}

/// A number of entries; what is no number counts as none.
fn number(name: &str, text: &str) -> Result<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(0);
    }
    match text.parse().unwrap_or(i64::MAX) {
        negative if negative < 0 || text.starts_with('-') && digits != "0" => {
            Err(Error::Malformed(format!("{name} must not be negative")))
        }
        number => Ok(number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: PageLimit = PageLimit { default: 20, max: 40 };

    fn read(limit: &str, offset: &str) -> Result<(i64, i64)> {
        OffsetPage::read(Some(limit), Some(offset), PAGE).map(|page| (page.limit, page.offset))
    }

    #[test]
    fn limits_end_where_the_list_does() {
        for (limit, is) in
            [("5", 5), ("", 20), (" 7 ", 7), ("0", 0), ("abc", 0), ("99999999999999999999", 40)]
        {
            assert_eq!(read(limit, "").unwrap(), (is, 0), "{limit}");
        }
        assert_eq!(
            OffsetPage::read(None, None, PAGE).unwrap(),
            OffsetPage { limit: 20, offset: 0 }
        );
    }

    #[test]
    fn negative_numbers_make_no_sense() {
        for (limit, offset) in [("-1", ""), ("", "-1"), ("-99999999999999999999", "")] {
            assert!(matches!(read(limit, offset), Err(Error::Malformed(_))));
        }
        assert_eq!(read("-0", "x").unwrap(), (0, 0));
    }

    #[test]
    fn a_list_ends_at_the_furthest_offset() {
        assert_eq!(read("5", "10000").unwrap(), (5, 10_000));
        assert_eq!(read("5", "10001").unwrap().0, 0);
    }
}
