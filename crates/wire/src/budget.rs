//! Size limits of lists in responses.
//!
//! Limits on user input keep most responses small. This module is the second line of defence: a
//! list that would be larger is cut to fewer items and is never built completely. The size is
//! checked while the list is written.

use std::ops::Range;

use serde::Serialize;

/// Maximum size of a list in a response, in bytes.
pub const MAX_LIST_BYTES: usize = 8 << 20;

/// Which items of a list are kept if not all of them fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// Items from the beginning.
    First,
    /// Items up to the end.
    Last,
}

/// Size limit of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Maximum size of the JSON array in bytes. A single item may be larger.
    pub bytes: usize,
    /// End of the list that is kept.
    pub keep: Keep,
}

impl Budget {
    /// Keeps items from the beginning of a list.
    pub const FIRST: Self = Self { bytes: MAX_LIST_BYTES, keep: Keep::First };
    /// Keeps items up to the end of a list.
    pub const LAST: Self = Self { bytes: MAX_LIST_BYTES, keep: Keep::Last };
}

/// Appends the JSON array of as many items as the budget allows, at least one. Returns their range.
pub fn write_array<T>(
    out: &mut Vec<u8>,
    items: &[T],
    budget: Budget,
    write: impl Fn(&mut Vec<u8>, &T),
) -> Range<usize> {
    match budget.keep {
        Keep::First => write_first(out, items, budget.bytes, write),
        Keep::Last => write_last(out, items, budget.bytes, write),
    }
}

/// Appends an array like [`write_array`], for items that are rendered and serialised one by one.
pub fn write_rendered<T, R: Serialize>(
    out: &mut Vec<u8>,
    items: &[T],
    budget: Budget,
    render: impl Fn(&T) -> R,
) -> Range<usize> {
    write_array(out, items, budget, |out, item| {
        serde_json::to_writer(out, &render(item))
            .expect("entities always serialize as JSON, and writes to memory do not fail");
    })
}

fn write_first<T>(
    out: &mut Vec<u8>,
    items: &[T],
    bytes: usize,
    write: impl Fn(&mut Vec<u8>, &T),
) -> Range<usize> {
    let start = out.len();
    out.push(b'[');
    let mut written = 0;
    for item in items {
        let before = out.len();
        if written > 0 {
            out.push(b',');
        }
        write(out, item);
        if written > 0 && out.len() - start >= bytes {
            out.truncate(before);
            break;
        }
        written += 1;
    }
    out.push(b']');
    0..written
}

/// Writes each item to its own buffer, because the first item is only known at the end.
fn write_last<T>(
    out: &mut Vec<u8>,
    items: &[T],
    bytes: usize,
    write: impl Fn(&mut Vec<u8>, &T),
) -> Range<usize> {
    let mut written: Vec<Vec<u8>> = Vec::new();
    let mut length = 1;
    for item in items.iter().rev() {
        let mut one = Vec::new();
        write(&mut one, item);
        length += one.len() + 1;
        if !written.is_empty() && length > bytes {
            break;
        }
        written.push(one);
    }
    out.push(b'[');
    for (position, one) in written.iter().rev().enumerate() {
        if position > 0 {
            out.push(b',');
        }
        out.extend_from_slice(one);
    }
    out.push(b']');
    items.len() - written.len()..items.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn write(items: &[String], budget: Budget) -> (String, Range<usize>) {
        let mut out = b"before".to_vec();
        let range = write_rendered(&mut out, items, budget, String::clone);
        (String::from_utf8(out).unwrap(), range)
    }

    #[test]
    fn an_item_above_the_budget_is_written_alone() {
        let items = ["aaaa".to_owned(), "bbbb".to_owned()];
        let alone = |keep| write(&items, Budget { bytes: 3, keep });
        assert_eq!(alone(Keep::First), ("before[\"aaaa\"]".to_owned(), 0..1));
        assert_eq!(alone(Keep::Last), ("before[\"bbbb\"]".to_owned(), 1..2));
        assert_eq!(write(&[], Budget::LAST), ("before[]".to_owned(), 0..0));
        assert_eq!(write(&[], Budget::FIRST), ("before[]".to_owned(), 0..0));
    }

    proptest! {
        #[test]
        fn a_list_is_cut_at_one_end_and_only_as_needed(
            items in prop::collection::vec("[a-z]{0,9}", 1..12),
            bytes in 0usize..120,
            last in any::<bool>(),
        ) {
            let keep = if last { Keep::Last } else { Keep::First };
            let (written, range) = write(&items, Budget { bytes, keep });
            let array = |range: Range<usize>| serde_json::to_string(&items[range]).unwrap();
            prop_assert_eq!(&written, &format!("before{}", array(range.clone())));
            prop_assert!(!range.is_empty());
            let is_at_end = if last { range.end == items.len() } else { range.start == 0 };
            prop_assert!(is_at_end);
            prop_assert!(range.len() == 1 || array(range.clone()).len() <= bytes);
            let longer = if last { range.start.saturating_sub(1)..range.end } else { 0..(range.end + 1).min(items.len()) };
            prop_assert!(range.len() == items.len() || array(longer).len() > bytes);
        }
    }
}
