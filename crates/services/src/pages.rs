//! Builds a page from candidates: loads as many as needed, asks which of them are shown, and leaves
//! out reblogs of a status that is shown close by.
//!
//! Whether a reblog stays depends on the candidates below it, which may lie beyond the page. So
//! more candidates are read than returned, in a bounded number of rounds. Only those that are
//! needed are loaded.

use siskin_entities::{Cursor, Page, PageRequest};
use siskin_persistence::{HiddenGuess, IdMap};

use crate::Result;

/// Maximum number of rounds. Each reads twice as many candidates as the one before. A page that is
/// not full by then stays short; the next page continues from there.
const ROUNDS: u32 = 4;
/// Minimum number of candidates that the first round reads.
const MIN_CHUNK: usize = 20;
/// Minimum number of candidates in the second batch; it doubles with each further batch. Mostly one
/// or two items are missing then.
const MIN_BATCH: usize = 4;

/// Items by the ids of their candidates.
pub(crate) type ById<T> = IdMap<i64, T>;

/// A row that a page may show.
pub(crate) trait Candidate: Copy {
    /// Returns the id, which orders the page.
    fn id(&self) -> i64;

    /// Returns the id of the reblogged status if this is a reblog.
    fn reblog_of(&self) -> Option<i64> {
        None
    }
}

/// Where the candidates of a page come from, and which of them are shown.
pub(crate) trait Source {
    type Candidate: Candidate;
    /// What the page shows for a candidate.
    type Item;

    /// Number of candidates below a reblog among which the same status must not be shown. 0 if
    /// there are no reblogs.
    const NEAR: usize;

    /// Reads candidates, newest first.
    fn read(&mut self, request: PageRequest) -> Result<Vec<Self::Candidate>>;

    /// Returns `false` if the page cannot show the candidate. `true` decides nothing: the item has
    /// to be loaded.
    fn may_show(&self, candidate: &Self::Candidate) -> bool;

    /// Returns the stored guess of how many loaded candidates are hidden. A page that is full writes
    /// the number that it found. By default, nothing is guessed or stored.
    fn hidden_guess(&self) -> HiddenGuess {
        HiddenGuess::default()
    }

    /// Loads those of these candidates that the page shows, by their ids.
    /// [`may_show`](Self::may_show) is true for all of them.
    fn shown(&mut self, candidates: &[Self::Candidate]) -> Result<ById<Self::Item>>;
}

/// Builds the requested page.
pub(crate) fn build<S: Source>(source: &mut S, request: PageRequest) -> Result<Page<S::Item>> {
    let limit = usize::try_from(request.limit).unwrap_or(0);
    if limit == 0 {
        return Ok(Page::of(Vec::new(), 0, |_| 0));
    }
    let builder = Builder {
        guess: source.hidden_guess(),
        source,
        limit,
        batches: 0,
        hidden: 0,
        judged: ById::default(),
        items: ById::default(),
        shown: Vec::new(),
    };
    match request.cursor.min {
        Some(min) => builder.upwards(min, request.cursor.max),
        None => builder.downwards(request.cursor),
    }
}

struct Builder<'s, S: Source> {
    source: &'s mut S,
    guess: HiddenGuess,
    limit: usize,
    /// Number of batches loaded so far.
    batches: u32,
    /// Number of loaded candidates that are not shown.
    hidden: usize,
    /// Whether the page may show each of the candidates looked at so far.
    judged: ById<bool>,
    /// Loaded items that are shown, but not on the page yet.
    items: ById<S::Item>,
    /// Ids and items of the page, in the order in which they were found.
    shown: Vec<(i64, S::Item)>,
}

impl<S: Source> Builder<'_, S> {
    /// Builds the page of the newest items below `max` and above `since`.
    fn downwards(mut self, cursor: Cursor) -> Result<Page<S::Item>> {
        let since = cursor.since.unwrap_or(i64::MIN);
        let mut max = cursor.max;
        let mut rows: Vec<S::Candidate> = Vec::new();
        for round in 0..ROUNDS {
            // Further rounds keep the undecided candidates of the round before.
            let near = if round == 0 { S::NEAR } else { 0 };
            let chunk = self.chunk(round).saturating_add(near);
            // Candidates at or below `since` are not returned, but they decide which reblogs above
            // stay.
            let below = rows.last().map(Candidate::id).or(max);
            let next = self.read(Cursor { max: below, ..Cursor::default() }, chunk)?;
            let is_end = next.len() < chunk;
            rows.extend(next);
            let decidable = if is_end { rows.len() } else { rows.len().saturating_sub(S::NEAR) };
            let above_since = rows.iter().take_while(|row| row.id() > since).count();
            let places: Vec<usize> = (0..decidable.min(above_since)).collect();
            self.decide(&rows, &places)?;
            if self.is_full() || is_end || above_since < decidable {
                return Ok(self.page());
            }
            max = rows.drain(..decidable).next_back().map(|row| row.id()).or(max);
        }
        Ok(Page { oldest: max, full: true, ..self.page() })
    }

    /// Builds the page of the items just above `min` and below `max`.
    fn upwards(mut self, min: i64, max: Option<i64>) -> Result<Page<S::Item>> {
        let at_most = Cursor { max: Some(min.saturating_add(1)), ..Cursor::default() };
        let mut rows = if S::NEAR == 0 { Vec::new() } else { self.read(at_most, S::NEAR)? };
        let mut top = min;
        for round in 0..ROUNDS {
            let chunk = self.chunk(round);
            let next = self.read(Cursor { max, min: Some(top), since: None }, chunk)?;
            let (is_end, count) = (next.len() < chunk, next.len());
            rows.splice(..0, next);
            let places: Vec<usize> = (0..count).rev().collect();
            self.decide(&rows, &places)?;
            if is_end || self.is_full() {
                self.shown.reverse();
                return Ok(self.page());
            }
            top = rows.first().map_or(top, Candidate::id);
        }
        self.shown.reverse();
        Ok(Page { newest: Some(top), ..self.page() })
    }

    /// Returns how many candidates a round reads. A candidate takes a small part of the time of a
    /// loaded item, so the first round reads enough for a page of which a third is hidden. A page
    /// without a limit has the greatest number as limit.
    fn chunk(&self, round: u32) -> usize {
        let first = self.limit.saturating_add(self.limit / 2).max(MIN_CHUNK);
        first.saturating_mul(1 << round)
    }

    fn read(&mut self, cursor: Cursor, limit: usize) -> Result<Vec<S::Candidate>> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.source.read(PageRequest { cursor, limit })
    }

    fn is_full(&self) -> bool {
        self.shown.len() >= self.limit
    }

    /// Adds the shown ones among the candidates at `places` to the page, in this order, until the
    /// page is full.
    fn decide(&mut self, rows: &[S::Candidate], places: &[usize]) -> Result<()> {
        let mut left = places;
        while !self.is_full() && !left.is_empty() {
            let (batch, rest) = left.split_at(self.batch(rows, left));
            left = rest;
            self.judge(rows, batch)?;
            self.batches += 1;
            for &place in batch {
                if self.is_full() {
                    break;
                }
                let id = rows[place].id();
                if !self.is_repeated(rows, place)
                    && let Some(item) = self.items.remove(&id)
                {
                    self.shown.push((id, item));
                }
            }
        }
        Ok(())
    }

    /// Returns how many of `places` to load together, so that they probably fill the page.
    fn batch(&self, rows: &[S::Candidate], places: &[usize]) -> usize {
        let missing = self.limit - self.shown.len();
        // The batches grow, so that their number stays small if nearly all candidates are hidden.
        let wanted = match self.batches {
            // The first round reads half a page more than the limit, so a higher guess would find no
            // more candidates.
            0 => missing + self.guess.get().min(self.limit / 2),
            batches => missing.max(MIN_BATCH << (batches - 1).min(16)),
        };
        let is_likely = |place: usize| {
            self.source.may_show(&rows[place]) && same_below::<S>(rows, place).next().is_none()
        };
        let likely = places.iter().enumerate().filter(|(_, place)| is_likely(**place));
        likely.map(|(count, _)| count + 1).nth(wanted - 1).unwrap_or(places.len())
    }

    /// Loads the candidates at `places`, and those that decide whether a reblog among them is
    /// repeated.
    fn judge(&mut self, rows: &[S::Candidate], places: &[usize]) -> Result<()> {
        let mut asked: Vec<S::Candidate> = Vec::with_capacity(places.len());
        for &place in places {
            asked.push(rows[place]);
            asked.extend(same_below::<S>(rows, place));
        }
        asked.retain(|candidate| !self.judged.contains_key(&candidate.id()));
        asked.sort_unstable_by_key(Candidate::id);
        asked.dedup_by_key(|candidate| candidate.id());
        let possible: Vec<S::Candidate> =
            asked.iter().filter(|candidate| self.source.may_show(candidate)).copied().collect();
        let shown =
            if possible.is_empty() { ById::default() } else { self.source.shown(&possible)? };
        self.hidden += possible.len().saturating_sub(shown.len());
        let judged =
            asked.iter().map(|candidate| (candidate.id(), shown.contains_key(&candidate.id())));
        self.judged.extend(judged);
        self.items.extend(shown);
        Ok(())
    }

    /// Returns `true` if the candidate is a reblog, and the page may show the same status close
    /// below it. Whether that one is itself left out does not matter.
    fn is_repeated(&self, rows: &[S::Candidate], place: usize) -> bool {
        same_below::<S>(rows, place).any(|below| self.judged.get(&below.id()) == Some(&true))
    }

    fn page(self) -> Page<S::Item> {
        if self.is_full() {
            self.guess.set(self.hidden);
        }
        let limit = self.limit as i64;
        let page = Page::of(self.shown, limit, |(id, _)| *id);
        page.map(|(_, item)| item)
    }
}

/// Returns the candidates close below the reblog at `place` that display the same status. Returns
/// none for a status that is no reblog.
fn same_below<S: Source>(
    rows: &[S::Candidate],
    place: usize,
) -> impl Iterator<Item = S::Candidate> + use<'_, S> {
    let reblogged = rows[place].reblog_of();
    let near = if reblogged.is_some() { S::NEAR } else { 0 };
    let displays_it = move |below: &S::Candidate| {
        let displayed = below.reblog_of().unwrap_or_else(|| below.id());
        reblogged == Some(displayed)
    };
    rows[place + 1..].iter().take(near).copied().filter(displays_it)
}

#[cfg(test)]
mod tests {
    use siskin_ids::{AccountId, StatusId};
    use siskin_persistence::timelines::Candidate;

    use super::{ById, Cursor, HiddenGuess, Page, PageRequest, Result, Source, build};

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
        guess: HiddenGuess,
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

        fn hidden_guess(&self) -> HiddenGuess {
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
        let guess = HiddenGuess::new(0);
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
}
