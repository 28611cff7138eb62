//! Generation of ids that increase with time. Several processes share the id space by using
//! different nodes. Each node owns one sixteenth of the per-millisecond sequence.

use std::{
    error::Error,
    fmt,
    sync::{Mutex, PoisonError},
};

/// Number of processes that can generate ids at the same time.
pub const NODES: u16 = 16;
/// Number of the last nodes that are reserved for short-lived command-line programs.
pub const RESERVED_NODES: u16 = 4;
const PER_NODE: u16 = 4096;

/// Returns the unix time in milliseconds at which `id` was generated.
#[must_use]
pub const fn unix_ms_of(id: i64) -> i64 {
    id >> 16
}

/// Returns the lowest possible id of the millisecond `unix_ms`: a cursor for "since that time".
///
/// ```
/// use siskin_ids::{first_id_at, unix_ms_of};
///
/// assert_eq!(unix_ms_of(first_id_at(1_795_766_400_000)), 1_795_766_400_000);
/// ```
#[must_use]
pub const fn first_id_at(unix_ms: i64) -> i64 {
    unix_ms << 16
}

/// Error for a node that is not below [`NODES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeOutOfRange(
    /// The number that was passed.
    pub u16,
);

impl fmt::Display for NodeOutOfRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "id node {} is not below {NODES}", self.0)
    }
}

impl Error for NodeOutOfRange {}

/// Generator of strictly increasing ids for one node. Threads can share it.
///
/// ```
/// use siskin_ids::{Generator, NODES, NodeOutOfRange};
///
/// let generator = Generator::new(3, 0)?;
/// assert!(generator.next(1_000) < generator.next(1_000));
/// assert_eq!(Generator::new(NODES, 0).unwrap_err(), NodeOutOfRange(NODES));
/// # Ok::<(), NodeOutOfRange>(())
/// ```
#[derive(Debug)]
pub struct Generator {
    node: u16,
    last: Mutex<Last>,
}

#[derive(Debug)]
struct Last {
    unix_ms: i64,
    sequence: u16,
}

impl Generator {
    /// Creates a generator for `node`. Its ids are greater than `highest`, the greatest stored id.
    ///
    /// # Errors
    /// Returns [`NodeOutOfRange`] if `node` is not below [`NODES`].
    pub fn new(node: u16, highest: i64) -> Result<Self, NodeOutOfRange> {
        if node >= NODES {
            return Err(NodeOutOfRange(node));
        }
        let last = Last { unix_ms: unix_ms_of(highest), sequence: PER_NODE - 1 };
        Ok(Self { node, last: Mutex::new(last) })
    }

    /// Returns the next id, which is greater than all earlier ids of this generator. Its time is
    /// `unix_ms`, unless the clock went back or the sequence of the millisecond is exhausted. Then
    /// it runs ahead.
    pub fn next(&self, unix_ms: i64) -> i64 {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if unix_ms > last.unix_ms {
            *last = Last { unix_ms, sequence: 0 };
        } else if last.sequence + 1 < PER_NODE {
            last.sequence += 1;
        } else {
            *last = Last { unix_ms: last.unix_ms + 1, sequence: 0 };
        }
        first_id_at(last.unix_ms) | i64::from(self.node * PER_NODE + last.sequence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_node_out_of_range_is_refused() {
        assert_eq!(Generator::new(NODES, 0).unwrap_err(), NodeOutOfRange(NODES));
    }

    #[test]
    fn the_first_id_of_a_millisecond_contains_its_time() {
        let ids = Generator::new(0, 0).unwrap();
        assert_eq!(unix_ms_of(ids.next(1_700_000_000_000)), 1_700_000_000_000);
    }

    #[test]
    fn a_full_millisecond_continues_in_the_next_with_the_same_node() {
        let ids = Generator::new(3, 0).unwrap();
        let drawn: Vec<i64> = (0..10_000).map(|_| ids.next(5)).collect();
        assert!(drawn.is_sorted_by(|a, b| a < b));
        assert!(drawn.iter().all(|id| (id & 0xffff) / 4096 == 3));
        assert_eq!(unix_ms_of(drawn[9_999]), 7);
    }

    proptest! {
        #[test]
        fn ids_rise_whatever_the_clock_does(
            highest in 0..i64::from(u32::MAX), clock in prop::collection::vec(0..1_000_000_i64, 1..200),
        ) {
            let ids = Generator::new(15, highest).unwrap();
            let mut previous = highest;
            for now in clock {
                let id = ids.next(now);
                prop_assert!(id > previous);
                previous = id;
            }
        }
    }
}
