//! Applies the keyword filters of a user to statuses: `filter-statuses FILTERS < STATUSES`.
//!
//! FILTERS is a response of `GET /api/v2/filters`, STATUSES one of a timeline.

use std::{env, error::Error, fs, io, time::SystemTime};

use siskin_entities::{FilterContext, FilterSet, Timestamp, filters::FilterAction};
use siskin_wire::{filter::Filter, status::Status};

fn main() -> Result<(), Box<dyn Error>> {
    let path = env::args().nth(1).ok_or("usage: filter-statuses FILTERS < STATUSES")?;
    let filters: Vec<Filter> = serde_json::from_str(&fs::read_to_string(path)?)?;
    let statuses: Vec<Status> = serde_json::from_reader(io::stdin().lock())?;

    let filters: Vec<_> = filters.iter().map(Filter::to_view).collect();
    let filters = FilterSet::compile(&filters)?;
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?.as_millis();
    let now = Timestamp::from_unix_ms(i64::try_from(now)?);

    for status in &statuses {
        let (id, author) =
            (status.snapshot.facts.id, &status.displayed().live.account.snapshot.acct);
        // Filters that hide come first, and those that only blur media come last.
        match filters.results(FilterContext::Home, now, status).first() {
            None => println!("{id} by {author}: shown"),
            Some(found) => {
                let title = &found.filter.title;
                let outcome = match found.filter.action {
                    FilterAction::Hide => "hidden",
                    FilterAction::Warn => "warned",
                    FilterAction::Blur => "media blurred",
                };
                println!("{id} by {author}: {outcome} by {title:?}, {:?}", found.keyword_matches);
            }
        }
    }
    Ok(())
}
