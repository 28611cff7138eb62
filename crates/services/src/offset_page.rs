//! Pages selected by offset, for lists in which no entry has an id to continue from.

use siskin_policy::limits::PageLimit;

use crate::{Error, Result};

/// Maximum offset. The database must skip every entry before the page.
const MAX_OFFSET: i64 = 10_000;

/// Part of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OffsetPage {
    /// Number of entries, from 0 to the maximum of the list.
    pub limit: i64,
    /// Number of entries before the page.
    pub offset: i64,
}

impl OffsetPage {
    /// Parses the parameters. A limit that is no number counts as 0. The page is empty beyond the
    /// maximum offset.
    ///
    /// # Errors
    /// [`Error::Malformed`] for negative numbers.
    pub fn read(limit: Option<&str>, offset: Option<&str>, page: PageLimit) -> Result<Self> {
        let Self { limit, offset } = Self::read_any(limit, offset, page)?;
        Ok(Self { limit: if offset > MAX_OFFSET { 0 } else { limit }, offset })
    }

    /// Parses the parameters of a short list, in which every offset is allowed.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_any(limit: Option<&str>, offset: Option<&str>, page: PageLimit) -> Result<Self> {
        let limit = non_empty(limit).map_or(Ok(page.default), |limit| number("limit", limit))?;
        let offset = non_empty(offset).map_or(Ok(0), |offset| number("offset", offset))?;
        Ok(Self { limit: limit.min(page.max), offset })
    }
}

fn non_empty(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}

/// Parses a number of entries. Text that is no number counts as 0.
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
    fn limits_are_capped_at_the_maximum_of_the_list() {
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
    fn negative_numbers_are_refused() {
        for (limit, offset) in [("-1", ""), ("", "-1"), ("-99999999999999999999", "")] {
            assert!(matches!(read(limit, offset), Err(Error::Malformed(_))));
        }
        assert_eq!(read("-0", "x").unwrap(), (0, 0));
    }

    #[test]
    fn a_page_is_empty_beyond_the_maximum_offset() {
        assert_eq!(read("5", "10000").unwrap(), (5, 10_000));
        assert_eq!(read("5", "10001").unwrap().0, 0);
        let any = OffsetPage::read_any(Some("5"), Some("10001"), PAGE).unwrap();
        assert_eq!(any, OffsetPage { limit: 5, offset: 10_001 });
    }
}
