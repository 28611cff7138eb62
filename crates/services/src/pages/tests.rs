//! Pages of candidates in memory.

use siskin_entities::NotificationKind;
use siskin_ids::{AccountId, NotificationId, StatusId, first_id_at};
use siskin_persistence::timelines::Candidate;

use super::{ById, Cursor, GroupKey, Page, PageGuess, PageRequest, Result, Source, build};

/// An author that the timeline does not show.
const UNWANTED: AccountId = AccountId::new(9);

fn status(id: i64) -> Candidate {
    Candidate { id: StatusId::new(id), reblog_of: None, author: AccountId::new(1) }
}

fn reblog(id: i64, of: i64) -> Candidate {
    Candidate { reblog_of: Some(StatusId::new(of)), ..status(id) }
}

/// Candidates, newest first, that behave like a table. Those in `hidden` are not shown.
#[derive(Default)]
struct Rows {
    candidates: Vec<Candidate>,
    hidden: Vec<i64>,
    /// Number of candidates of each load.
    loads: Vec<usize>,
    guess: PageGuess,
}

impl Source for Rows {
    type Candidate = Candidate;
    type Item = i64;
    const NEAR: usize = 40;

    fn read(&mut self, request: PageRequest) -> Result<Vec<Candidate>> {
        let PageRequest { cursor, limit } = request;
        let fits = |row: &&Candidate| {
            let id = row.id.get();
            cursor.max.is_none_or(|max| id < max) && cursor.min.is_none_or(|min| id > min)
        };
        let mut rows: Vec<Candidate> = self.candidates.iter().filter(fits).copied().collect();
        let limit = usize::try_from(limit).unwrap();
        if cursor.min.is_some() {
            rows.drain(..rows.len().saturating_sub(limit));
        } else {
            rows.truncate(limit);
        }
        Ok(rows)
    }

    fn may_show(&self, candidate: &Candidate) -> bool {
        candidate.author != UNWANTED
    }

    fn hidden_guess(&self) -> PageGuess {
        self.guess.clone()
    }

    fn shown(&mut self, candidates: &[Candidate]) -> Result<ById<i64>> {
        self.loads.push(candidates.len());
        let shown = candidates.iter().filter(|row| !self.hidden.contains(&row.id.get()));
        Ok(shown.map(|row| (row.id.get(), row.id.get())).collect())
    }
}

fn rows(candidates: Vec<Candidate>) -> Rows {
    Rows { candidates, ..Rows::default() }
}

fn newest(rows: &mut Rows, limit: i64) -> Vec<i64> {
    build(rows, PageRequest::newest(limit)).unwrap().items
}

fn page(rows: &mut Rows, cursor: Cursor, limit: i64) -> Page<i64> {
    build(rows, PageRequest { cursor, limit }).unwrap()
}

#[test]
fn a_reblog_of_a_status_close_below_is_left_out() {
    let candidates = vec![reblog(4, 1), reblog(3, 1), status(2), status(1)];
    assert_eq!(newest(&mut rows(candidates), 10), [2, 1]);
    let mut far: Vec<Candidate> = (1..=41).rev().map(status).collect();
    far.insert(0, reblog(50, 1));
    assert_eq!(newest(&mut rows(far.clone()), 1), [50]);
    far.remove(10);
    assert_eq!(newest(&mut rows(far), 1), [41]);
}

#[test]
fn a_reblog_of_a_distant_status_is_shown_once() {
    let candidates = vec![reblog(4, 1), reblog(3, 1), status(2)];
    assert_eq!(newest(&mut rows(candidates), 10), [3, 2]);
}

#[test]
fn a_hidden_entry_leaves_out_no_reblog() {
    let candidates = vec![reblog(4, 1), reblog(3, 1), status(2)];
    let mut source = Rows { hidden: vec![3], ..rows(candidates) };
    assert_eq!(newest(&mut source, 10), [4, 2]);
}

#[test]
fn pages_are_full_despite_reblogs_that_are_left_out() {
    let mut candidates: Vec<Candidate> = (101..200).rev().map(|id| reblog(id, 100)).collect();
    candidates.extend((1..=100).rev().map(status));
    let mut source = rows(candidates);
    let found = page(&mut source, Cursor::default(), 40);
    assert_eq!(found.items, (61..=100).rev().collect::<Vec<_>>());
    assert!(found.full);
    let found = page(&mut source, Cursor { min: Some(10), ..Cursor::default() }, 40);
    assert_eq!(found.items, (11..=50).rev().collect::<Vec<_>>());
}

#[test]
fn a_long_run_of_hidden_candidates_is_skipped_page_by_page() {
    let candidates: Vec<Candidate> = (1..=2000).rev().map(status).collect();
    let mut source = Rows { hidden: (101..=2000).collect(), ..rows(candidates) };
    let (mut max, mut collected, mut pages) = (None, Vec::new(), 0);
    loop {
        let found = page(&mut source, Cursor { max, ..Cursor::default() }, 10);
        collected.extend(found.items);
        max = found.oldest;
        pages += 1;
        if !found.full {
            break;
        }
    }
    assert_eq!(collected, (1..=100).rev().collect::<Vec<_>>());
    assert!(pages < 20, "{pages}");
    let (mut min, mut collected) = (0, Vec::new());
    loop {
        let found = page(&mut source, Cursor { min: Some(min), ..Cursor::default() }, 10);
        let Some(newest) = found.newest else { break };
        collected.splice(..0, found.items);
        min = newest;
    }
    assert_eq!(collected, (1..=100).rev().collect::<Vec<_>>());
}

#[test]
fn statuses_found_before_a_run_of_hidden_ones_are_kept() {
    let candidates: Vec<Candidate> = (1..=2000).rev().map(status).collect();
    let mut source = Rows { hidden: (4..=2000).collect(), ..rows(candidates) };
    let found = page(&mut source, Cursor { min: Some(0), ..Cursor::default() }, 10);
    // 20, 40, 80 and 160 candidates.
    assert_eq!((found.items, found.newest), (vec![3, 2, 1], Some(300)));
    assert!(source.loads.len() < 12, "{:?}", source.loads);
}

#[test]
fn a_page_loads_as_many_more_items_as_the_last_one_hid() {
    let candidates: Vec<Candidate> = (1..=100).rev().map(status).collect();
    let guess = PageGuess::new(0);
    let mut source = Rows { hidden: vec![99, 95], guess, ..rows(candidates) };
    let first = newest(&mut source, 20);
    assert_eq!((source.loads.as_slice(), source.guess.get()), ([20, 4].as_slice(), 2));
    source.loads.clear();
    assert_eq!(newest(&mut source, 20), first);
    assert_eq!(source.loads, [22]);
    // Nothing is hidden any more. The guess was too high, and the next one is 0.
    source.hidden.clear();
    assert_eq!(newest(&mut source, 20).len(), 20);
    assert_eq!(source.guess.get(), 0);
}

#[test]
fn since_and_max_cut_both_ends() {
    let mut source = rows((1..=100).rev().map(status).collect());
    let cursor = Cursor { max: Some(20), since: Some(15), min: None };
    assert_eq!(page(&mut source, cursor, 10).items, [19, 18, 17, 16]);
    let cursor = Cursor { max: Some(18), since: None, min: Some(15) };
    assert_eq!(page(&mut source, cursor, 10).items, [17, 16]);
}

#[test]
fn a_page_without_a_limit_contains_everything() {
    let mut source = rows((1..=100).rev().map(status).collect());
    assert_eq!(newest(&mut source, i64::MAX), (1..=100).rev().collect::<Vec<_>>());
}

#[test]
fn only_the_candidates_of_the_page_are_loaded() {
    let mut source = rows((1..=500).rev().map(status).collect());
    assert_eq!(newest(&mut source, 20).len(), 20);
    assert_eq!(source.loads, [20]);
}

#[test]
fn a_page_with_few_hidden_candidates_loads_few_more() {
    let candidates = (1..=500).rev().map(status).collect();
    let mut source = Rows { hidden: vec![495, 490], ..rows(candidates) };
    assert_eq!(newest(&mut source, 20).len(), 20);
    assert_eq!(source.loads, [20, 4]);
}

#[test]
fn candidates_that_are_probably_left_out_cost_no_further_load() {
    let mut candidates = vec![reblog(600, 498), reblog(599, 498)];
    let author = |id| if id % 10 == 0 { UNWANTED } else { AccountId::new(1) };
    let by_author = |id| Candidate { author: author(id), ..status(id) };
    candidates.extend((1..=500).rev().map(by_author));
    let mut source = rows(candidates);
    let expected: Vec<i64> = (478..=499).rev().filter(|id| id % 10 != 0).collect();
    assert_eq!(newest(&mut source, 20), expected);
    assert_eq!(source.loads.len(), 1);
}

/// A candidate with the number of its group.
#[derive(Debug, Clone, Copy)]
struct Member {
    id: i64,
    group: i64,
}

impl super::Candidate for Member {
    fn id(&self) -> i64 {
        self.id
    }

    fn group(&self) -> Option<GroupKey> {
        let first = NotificationId::new(first_id_at(0));
        Some(GroupKey::of(first, NotificationKind::Favourite, Some(StatusId::new(self.group))))
    }
}

/// Candidates with groups, newest first. Those in `hidden` are not shown.
struct Grouped<const PER_ITEM: usize> {
    members: Vec<Member>,
    hidden: Vec<i64>,
    /// Ids of the candidates of each load.
    loads: Vec<Vec<i64>>,
    /// Number of candidates that each read asked for.
    reads: Vec<i64>,
    needed: PageGuess,
}

impl<const PER_ITEM: usize> Source for Grouped<PER_ITEM> {
    type Candidate = Member;
    type Item = i64;
    const NEAR: usize = 0;
    const PER_ITEM: usize = PER_ITEM;

    fn read(&mut self, request: PageRequest) -> Result<Vec<Member>> {
        let PageRequest { cursor, limit } = request;
        self.reads.push(limit);
        let fits = |row: &&Member| {
            cursor.max.is_none_or(|max| row.id < max) && cursor.min.is_none_or(|min| row.id > min)
        };
        let mut rows: Vec<Member> = self.members.iter().filter(fits).copied().collect();
        let limit = usize::try_from(limit).unwrap();
        if cursor.min.is_some() {
            rows.drain(..rows.len().saturating_sub(limit));
        } else {
            rows.truncate(limit);
        }
        Ok(rows)
    }

    fn may_show(&self, _: &Member) -> bool {
        true
    }

    fn needed_guess(&self, _: i64) -> PageGuess {
        self.needed.clone()
    }

    fn shown(&mut self, candidates: &[Member]) -> Result<ById<i64>> {
        self.loads.push(candidates.iter().map(|one| one.id).collect());
        let shown = candidates.iter().filter(|one| !self.hidden.contains(&one.id));
        Ok(shown.map(|one| (one.id, one.id)).collect())
    }
}

/// Returns candidates with these groups; the first has the greatest id.
fn grouped<const PER_ITEM: usize>(groups: &[i64], hidden: &[i64]) -> Grouped<PER_ITEM> {
    let ids = (1..).take(groups.len()).collect::<Vec<i64>>().into_iter().rev();
    let members = ids.zip(groups).map(|(id, group)| Member { id, group: *group }).collect();
    Grouped {
        members,
        hidden: hidden.to_vec(),
        loads: Vec::new(),
        reads: Vec::new(),
        needed: PageGuess::new(0),
    }
}

#[test]
fn a_page_shows_the_first_candidate_of_each_group_and_loads_no_other() {
    let mut source = grouped::<1>(&[1, 1, 2, 1, 3, 2, 4], &[]);
    assert_eq!(build(&mut source, PageRequest::newest(3)).unwrap().items, [7, 5, 3]);
    assert_eq!(source.loads, [[3, 5, 7]]);
    let upwards = Cursor { min: Some(1), ..Cursor::default() };
    let request = PageRequest { cursor: upwards, limit: 3 };
    assert_eq!(build(&mut source, request).unwrap().items, [4, 3, 2]);
}

#[test]
fn the_next_visible_candidate_stands_for_its_group() {
    let groups = [vec![1; 20], vec![2, 1]].concat();
    let hidden: Vec<i64> = (5..=22).collect();
    let mut source = grouped::<1>(&groups, &hidden);
    let page = build(&mut source, PageRequest::newest(2)).unwrap();
    assert_eq!(page.items, [4, 2]);
    // The number of loaded candidates of a group doubles. The last load is that of the second
    // group.
    assert_eq!(source.loads.iter().map(Vec::len).collect::<Vec<_>>(), [1, 2, 4, 8, 5, 1]);
}

#[test]
fn a_page_of_one_group_ends_at_its_last_candidate() {
    let mut source = grouped::<1>(&[1; 1000], &[]);
    let page = build(&mut source, PageRequest::newest(10)).unwrap();
    assert_eq!((page.items, page.full), (vec![1000], true));
    // 20, 40, 80 and 160 candidates.
    assert_eq!(page.oldest, Some(701));
    assert_eq!(source.loads, [[1000]]);
}

#[test]
fn a_page_of_groups_reads_somewhat_more_than_it_needed_the_last_time() {
    // Pairs: a page of 20 needs 39 candidates.
    let pairs: Vec<i64> = (0..400).map(|place| place / 2).collect();
    let mut source = grouped::<3>(&pairs, &[]);
    let page = |source: &mut Grouped<3>| build(source, PageRequest::newest(20)).unwrap().items;
    let first = page(&mut source);
    assert_eq!((source.reads.as_slice(), source.needed.get()), ([90].as_slice(), 39));
    assert_eq!(page(&mut source), first);
    assert_eq!(source.reads, [90, 48]);
    // A guess that is too low costs another read and does not change the page.
    source.needed.set(1);
    assert_eq!(page(&mut source), first);
    assert_eq!(source.reads, [90, 48, 30, 180]);
    // One that is too high reads no more than a page without a guess.
    source.needed.set(255);
    assert_eq!(page(&mut source), first);
    assert_eq!(source.reads.last(), Some(&90));
}
