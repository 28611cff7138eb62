//! Pages of home and lists. They suppress reblogs of a status that is close by.
//!
//! Whether a reblog stays depends on the entries below it, which may lie beyond the page. So more
//! entries are read than returned, in a bounded number of rounds.

use std::collections::VecDeque;

use siskin_entities::{Cursor, Page, PageRequest};
use siskin_ids::StatusId;

use crate::{Result, statuses::Entry};

/// Number of entries below a reblog that are searched for the same status or another reblog of it.
/// If found, the reblog is left out.
const NEAR: usize = 40;
/// Maximum number of rounds. A page that is not full by then stays short; the next page continues
/// from there.
const ROUNDS: usize = 4;

/// Builds a page of the timeline that `read` queries.
pub(super) fn full_page(
    page: PageRequest,
    read: &mut dyn FnMut(PageRequest) -> Result<Vec<Entry>>,
) -> Result<Page<Entry>> {
    let mut read = |cursor, limit| read(PageRequest { cursor, limit: limit as i64 });
    let limit = usize::try_from(page.limit).unwrap_or(0);
    match page.cursor.min {
        _ if limit == 0 => Ok(Page::of(Vec::new(), 0, |_| 0)),
        Some(min) => upwards(&mut read, min, page.cursor.max, limit),
        None => downwards(&mut read, page.cursor, limit),
    }
}

type Read<'r> = dyn FnMut(Cursor, usize) -> Result<Vec<Entry>> + 'r;

/// Returns the newest entries below `max` and above `since`.
fn downwards(read: &mut Read<'_>, cursor: Cursor, limit: usize) -> Result<Page<Entry>> {
    let since = cursor.since.unwrap_or(i64::MIN);
    let mut max = cursor.max;
    let mut visible = Vec::new();
    for _ in 0..ROUNDS {
        // Entries at or below `since` are not returned, but they decide which reblogs above stay.
        let rows = read(Cursor { max, ..Cursor::default() }, limit + NEAR)?;
        let is_end = rows.len() < limit + NEAR;
        let decided = &rows[..if is_end { rows.len() } else { limit }];
        let stay = unrepeated(&rows);
        let kept =
            decided.iter().zip(stay).filter(|(entry, stays)| *stays && entry.id.get() > since);
        visible.extend(kept.map(|(entry, _)| *entry));
        max = decided.last().map(|entry| entry.id.get());
        if is_end || visible.len() >= limit || max.is_none_or(|max| max <= since) {
            visible.truncate(limit);
            return Ok(page_of(visible, limit));
        }
    }
    Ok(Page { oldest: max, full: true, ..page_of(visible, limit) })
}

/// Returns the entries just above `min` and below `max`.
fn upwards(read: &mut Read<'_>, min: i64, max: Option<i64>, limit: usize) -> Result<Page<Entry>> {
    let at_most = |id: i64| Cursor { max: Some(id.saturating_add(1)), ..Cursor::default() };
    let mut rows = read(at_most(min), NEAR)?;
    let below = rows.len();
    let mut top = min;
    for _ in 0..ROUNDS {
        let next = read(Cursor { max, min: Some(top), since: None }, limit)?;
        let is_end = next.len() < limit;
        rows.splice(..0, next);
        top = rows.first().map_or(top, |entry| entry.id.get());
        let above = rows.len() - below;
        let kept = rows[..above].iter().zip(unrepeated(&rows)).filter(|(_, stays)| *stays);
        let visible: Vec<Entry> = kept.map(|(entry, _)| *entry).collect();
        if is_end || visible.len() >= limit {
            return Ok(page_of(visible[visible.len().saturating_sub(limit)..].to_vec(), limit));
        }
    }
    Ok(Page { newest: Some(top), ..page_of(Vec::new(), limit) })
}

fn page_of(visible: Vec<Entry>, limit: usize) -> Page<Entry> {
    Page::of(visible, limit as i64, |entry| entry.id.get())
}

/// Returns for each of the entries, newest first, whether it stays.
pub(crate) fn unrepeated(entries: &[Entry]) -> Vec<bool> {
    let mut near: VecDeque<StatusId> = VecDeque::with_capacity(NEAR + 1);
    let mut stay: Vec<bool> = entries
        .iter()
        .rev()
        .map(|entry| {
            let visible = entry.reblog_of.unwrap_or(entry.id);
            let stays = entry.reblog_of.is_none() || !near.contains(&visible);
            if stays {
                near.push_front(visible);
                near.truncate(NEAR);
            }
            stays
        })
        .collect();
    stay.reverse();
    stay
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(id: i64) -> Entry {
        Entry { id: StatusId::new(id), reblog_of: None }
    }

    fn reblog(id: i64, of: i64) -> Entry {
        Entry { id: StatusId::new(id), reblog_of: Some(StatusId::new(of)) }
    }

    /// Returns a source of entries, newest first, that behaves like a table.
    fn table(entries: Vec<Entry>) -> impl FnMut(Cursor, usize) -> Result<Vec<Entry>> {
        move |cursor, limit| {
            let fits = |entry: &&Entry| {
                let id = entry.id.get();
                cursor.max.is_none_or(|max| id < max) && cursor.min.is_none_or(|min| id > min)
            };
            let mut rows: Vec<Entry> = entries.iter().filter(fits).copied().collect();
            if cursor.min.is_some() {
                rows.drain(..rows.len().saturating_sub(limit));
            } else {
                rows.truncate(limit);
            }
            Ok(rows)
        }
    }

    fn ids(page: &Page<Entry>) -> Vec<i64> {
        page.items.iter().map(|entry| entry.id.get()).collect()
    }

    #[test]
    fn a_reblog_of_a_nearby_status_is_suppressed() {
        assert_eq!(
            unrepeated(&[reblog(4, 1), reblog(3, 1), status(2), status(1)]),
            [false, false, true, true]
        );
        let mut far: Vec<Entry> = (1..=41).rev().map(status).collect();
        far.insert(0, reblog(50, 1));
        assert!(unrepeated(&far)[0]);
        far.remove(10);
        assert!(!unrepeated(&far)[0]);
    }

    #[test]
    fn a_reblog_of_a_distant_status_is_shown_once() {
        assert_eq!(unrepeated(&[reblog(4, 1), reblog(3, 1), status(2)]), [false, true, true]);
    }

    #[test]
    fn pages_are_full_despite_suppressed_reblogs() {
        let mut entries: Vec<Entry> = (101..200).rev().map(|id| reblog(id, 100)).collect();
        entries.extend((1..=100).rev().map(status));
        let mut read = table(entries);
        let page = downwards(&mut read, Cursor::default(), 40).unwrap();
        assert_eq!(ids(&page), (61..=100).rev().collect::<Vec<_>>());
        assert!(page.full);
        let page = upwards(&mut read, 10, None, 40).unwrap();
        assert_eq!(ids(&page), (11..=50).rev().collect::<Vec<_>>());
    }

    #[test]
    fn a_long_run_of_suppressed_entries_is_skipped_page_by_page() {
        let mut entries: Vec<Entry> = (101..=300).rev().map(|id| reblog(id, 100)).collect();
        entries.extend((1..=100).rev().map(status));
        let mut read = table(entries);
        let (mut max, mut collected) = (None, Vec::new());
        for _ in 0..200 {
            let page = downwards(&mut read, Cursor { max, ..Cursor::default() }, 10).unwrap();
            collected.extend(ids(&page));
            max = page.oldest;
            if !page.full {
                break;
            }
        }
        assert_eq!(collected, (1..=100).rev().collect::<Vec<_>>());
        let page = upwards(&mut read, 100, None, 10).unwrap();
        assert_eq!((ids(&page), page.newest), (vec![], Some(140)));
    }

    #[test]
    fn since_and_max_cut_both_ends() {
        let mut read = table((1..=100).rev().map(status).collect());
        let cursor = Cursor { max: Some(20), since: Some(15), min: None };
        assert_eq!(ids(&downwards(&mut read, cursor, 10).unwrap()), [19, 18, 17, 16]);
        assert_eq!(ids(&upwards(&mut read, 15, Some(18), 10).unwrap()), [17, 16]);
    }
}
