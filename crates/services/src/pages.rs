//! Builds a page from candidates: loads as many as needed, asks which of them are shown, and leaves
//! out reblogs of a status that is shown close by.
//!
//! Whether a reblog stays depends on the candidates below it, which may lie beyond the page. So
//! more candidates are read than returned, in a bounded number of rounds. Only those that are
//! needed are loaded.

use siskin_entities::{Cursor, GroupKey, Page, PageRequest};
use siskin_persistence::{IdMap, IdSet, PageGuess};

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

    /// Returns the key of the group to which the candidate belongs. A page shows only one candidate
    /// of a group, the first that it finds.
    fn group(&self) -> Option<GroupKey> {
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

    /// Number of candidates that are read for each item of a page if nothing is known about it:
    /// more than 1 if many candidates belong to the same group. To read them is cheaper than
    /// another round.
    const PER_ITEM: usize = 1;

    /// Reads candidates, newest first.
    fn read(&mut self, request: PageRequest) -> Result<Vec<Self::Candidate>>;

    /// Returns `false` if the page cannot show the candidate. `true` decides nothing: the item has
    /// to be loaded.
    fn may_show(&self, candidate: &Self::Candidate) -> bool;

    /// Returns the stored guess of how many loaded candidates are hidden. A page that is full writes
    /// the number that it found. By default, nothing is guessed or stored.
    fn hidden_guess(&self) -> PageGuess {
        PageGuess::default()
    }

    /// Returns the stored guess of how many candidates fill a page of `limit` items. A page that is
    /// full writes the number that it needed. By default, nothing is guessed or stored.
    fn needed_guess(&self, _limit: i64) -> PageGuess {
        PageGuess::default()
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
        needed_guess: source.needed_guess(request.limit),
        source,
        limit,
        batches: 0,
        hidden: 0,
        needed: 0,
        judged: ById::default(),
        items: ById::default(),
        groups: IdSet::default(),
        shown: Vec::new(),
    };
    match request.cursor.min {
        Some(min) => builder.upwards(min, request.cursor.max),
        None => builder.downwards(request.cursor),
    }
}

struct Builder<'s, S: Source> {
    source: &'s mut S,
    guess: PageGuess,
    needed_guess: PageGuess,
    limit: usize,
    /// Number of batches loaded so far.
    batches: u32,
    /// Number of loaded candidates that are not shown.
    hidden: usize,
    /// Number of candidates that were looked at.
    needed: usize,
    /// Whether the page may show each of the candidates looked at so far.
    judged: ById<bool>,
    /// Loaded items that are shown, but not on the page yet.
    items: ById<S::Item>,
    /// Groups of the candidates on the page.
    groups: IdSet<GroupKey>,
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
    /// loaded item, so the first round reads enough for a page of which a third is hidden, or
    /// somewhat more than the page needed the last time. A page without a limit has the greatest
    /// number as limit.
    fn chunk(&self, round: u32) -> usize {
        let least = self.limit.saturating_add(self.limit / 2).max(MIN_CHUNK);
        let most = least.saturating_mul(S::PER_ITEM);
        match (round, self.needed_guess.get()) {
            (0, needed) if needed > 0 => (needed + needed / 4).clamp(least, most),
            (round, _) => most.saturating_mul(1 << round),
        }
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
            self.decide_batch(rows, batch)?;
            self.batches += 1;
        }
        Ok(())
    }

    fn decide_batch(&mut self, rows: &[S::Candidate], batch: &[usize]) -> Result<()> {
        // Mostly the first candidate of a group is shown, so the others need not be loaded.
        let mut of_each_group = 1;
        for (done, &place) in batch.iter().enumerate() {
            if self.is_full() {
                break;
            }
            self.needed += 1;
            let (id, group) = (rows[place].id(), rows[place].group());
            if self.is_shown(group) {
                continue;
            }
            if !self.judged.contains_key(&id) {
                self.judge(rows, &batch[done..], of_each_group)?;
                of_each_group *= 2;
            }
            if !self.is_repeated(rows, place)
                && let Some(item) = self.items.remove(&id)
            {
                self.groups.extend(group);
                self.shown.push((id, item));
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
        let mut groups = IdSet::default();
        let mut is_likely = |place: usize| {
            let candidate = &rows[place];
            self.source.may_show(candidate)
                && same_below::<S>(rows, place).next().is_none()
                && candidate
                    .group()
                    .is_none_or(|key| !self.is_shown(Some(key)) && groups.insert(key))
        };
        let likely = places.iter().enumerate().filter(|(_, place)| is_likely(**place));
        likely.map(|(count, _)| count + 1).nth(wanted - 1).unwrap_or(places.len())
    }

    /// Returns `true` if the page shows a candidate of the group.
    fn is_shown(&self, group: Option<GroupKey>) -> bool {
        group.is_some_and(|key| self.groups.contains(&key))
    }

    /// Loads the candidates at `places`, and those that decide whether a reblog among them is
    /// repeated. Loads at most `of_each_group` more candidates of a group.
    fn judge(
        &mut self,
        rows: &[S::Candidate],
        places: &[usize],
        of_each_group: usize,
    ) -> Result<()> {
        let mut asked: Vec<S::Candidate> = Vec::with_capacity(places.len());
        let mut groups: IdMap<GroupKey, usize> = IdMap::default();
        for &place in places {
            let candidate = rows[place];
            if self.judged.contains_key(&candidate.id()) || self.is_shown(candidate.group()) {
                continue;
            }
            if let Some(key) = candidate.group()
                && self.source.may_show(&candidate)
            {
                let count = groups.entry(key).or_default();
                *count += 1;
                if *count > of_each_group {
                    continue;
                }
            }
            asked.push(candidate);
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
            self.needed_guess.set(self.needed);
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
mod tests;
