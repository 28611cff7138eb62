//! Range requests: the part of a file that a client requests (RFC 9110, 14).

/// A part of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// The whole file: the request names no range, or one that a server may ignore.
    Whole,
    /// From `start` to before `end`, at least one byte.
    Some { start: u64, end: u64 },
    /// A range outside of the file.
    None,
}

/// Returns the part of a file of `size` bytes that a `Range` header names. For several ranges at
/// once, or an invalid range, it returns the whole file, which the RFC allows.
pub(crate) fn part(range: Option<&str>, size: u64) -> Part {
    let named = range.and_then(|range| range.strip_prefix("bytes=")).map(str::trim);
    let Some((first, last)) = named.and_then(|range| range.split_once('-')) else {
        return Part::Whole;
    };
    match (number(first), number(last)) {
        (Number::Absent, Number::Value(length)) => last_bytes(length, size),
        (Number::Value(start), Number::Absent) => some(start, size, size),
        (Number::Value(start), Number::Value(last)) if start <= last => {
            some(start, last.saturating_add(1), size)
        }
        _ => Part::Whole,
    }
}

#[derive(Debug, Clone, Copy)]
enum Number {
    Absent,
    Value(u64),
    Invalid,
}

fn number(text: &str) -> Number {
    let text = text.trim();
    if text.is_empty() {
        return Number::Absent;
    }
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Number::Invalid;
    }
    // A number that does not fit is larger than any file.
    Number::Value(text.parse().unwrap_or(u64::MAX))
}

const fn last_bytes(length: u64, size: u64) -> Part {
    if length == 0 {
        return Part::None;
    }
    some(size.saturating_sub(length), size, size)
}

const fn some(start: u64, end: u64, size: u64) -> Part {
    if start >= size {
        return Part::None;
    }
    Part::Some { start, end: if end < size { end } else { size } }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ranges_are_parsed_as_in_the_rfc() {
        let some = |start, end| Part::Some { start, end };
        for (range, found) in [
            ("bytes=0-9", some(0, 10)),
            ("bytes=90-", some(90, 100)),
            ("bytes=90-1000", some(90, 100)),
            ("bytes=99-99", some(99, 100)),
            ("bytes=-10", some(90, 100)),
            ("bytes=-1000", some(0, 100)),
            ("bytes=0-99999999999999999999999", some(0, 100)),
            ("bytes=100-", Part::None),
            ("bytes=99999999999999999999999-", Part::None),
            ("bytes=-0", Part::None),
            ("bytes=9-0", Part::Whole),
            ("bytes=0-1,5-6", Part::Whole),
            ("bytes=a-b", Part::Whole),
            ("bytes=+1-5", Part::Whole),
            ("bytes=-", Part::Whole),
            ("lines=0-9", Part::Whole),
            ("", Part::Whole),
        ] {
            assert_eq!(part(Some(range), 100), found, "{range}");
        }
        assert_eq!(part(None, 100), Part::Whole);
        assert_eq!(part(Some("bytes=0-"), 0), Part::None);
    }

    proptest! {
        #[test]
        fn a_range_lies_within_the_file(range in "bytes=[0-9]{0,20}-[0-9]{0,20}", size: u64) {
            if let Part::Some { start, end } = part(Some(&range), size) {
                prop_assert!(start < end && end <= size);
            }
        }
    }
}
