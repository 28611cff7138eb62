//! `siskin announcements …`.

use anyhow::{Context, Result, ensure};
use clap::{ArgAction, Args, Subcommand};
use serde_json::{Value, json};
use siskin_entities::{Actor, Announcement, Timestamp, announcement::Period};
use siskin_ids::AnnouncementId;
use siskin_services::announcements::{self, Changes, NewAnnouncement};
use siskin_wire::time::{Day, Instant};

use crate::{
    cli::Options,
    output::{Listing, print_json, print_line},
    site::Site,
};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print all announcements, the oldest first
    List,
    /// Show a text to all users, at once or at a time
    Publish(Publish),
    /// Change an announcement; users get a published one again
    Edit(Edit),
    /// Withdraw an announcement, or cancel its publication; it stays stored
    Unpublish(Named),
    /// Delete an announcement with its reactions
    Delete(Named),
}

#[derive(Debug, Args)]
pub struct Publish {
    /// Plain text; mentions, hashtags, links and custom emojis work as in posts
    #[arg(required_unless_present = "id")]
    text: Option<String>,
    /// Publish this stored announcement now, instead of a new text
    #[arg(long, conflicts_with_all = ["text", "starts_at", "ends_at", "all_day", "at"])]
    id: Option<AnnouncementId>,
    #[command(flatten)]
    event: Event,
    /// Publish it at this time
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    at: Option<Timestamp>,
}

#[derive(Debug, Args)]
pub struct Edit {
    id: AnnouncementId,
    #[arg(long)]
    text: Option<String>,
    #[command(flatten)]
    event: Event,
    /// Remove the times of the event
    #[arg(long, conflicts_with_all = ["starts_at", "ends_at", "all_day"])]
    no_event: bool,
    /// Publish it at this time, if it is not published yet
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    at: Option<Timestamp>,
}

/// Times of the announced event. The announcement is withdrawn when the event ends.
#[derive(Debug, Args)]
struct Event {
    /// Beginning of the announced event, such as 2026-12-24T18:00:00Z or 2026-12-24
    #[arg(long, value_name = "TIME", value_parser = parse_time, requires = "ends_at")]
    starts_at: Option<Timestamp>,
    /// End of the announced event; the announcement is withdrawn then
    #[arg(long, value_name = "TIME", value_parser = parse_time, requires = "starts_at")]
    ends_at: Option<Timestamp>,
    /// The event lasts whole days (UTC), up to the end of the last one
    #[arg(long, action = ArgAction::SetTrue, requires = "starts_at")]
    all_day: bool,
}

#[derive(Debug, Args)]
pub struct Named {
    id: AnnouncementId,
}

/// Parses a time of RFC 3339, or a date as its midnight (UTC).
fn parse_time(text: &str) -> Result<Timestamp, String> {
    let value = Value::from(text);
    let time = serde_json::from_value::<Instant>(value.clone()).map(|instant| instant.0);
    let time = time.or_else(|_| serde_json::from_value::<Day>(value).map(Day::midnight));
    time.map_err(|_| "must be like 2026-12-24T18:00:00Z or 2026-12-24".to_owned())
}

impl Event {
    /// Returns the period; `None` without times.
    fn period(&self) -> Result<Option<Period>> {
        let Some((start, end)) = self.starts_at.zip(self.ends_at) else { return Ok(None) };
        let period =
            if self.all_day { Period::of_days(start, end) } else { Period::of_times(start, end) };
        ensure!(period.is_some(), "the event ends before it starts");
        Ok(period)
    }
}

pub fn run(options: &Options, command: &Command) -> Result<()> {
    let site = Site::open(options)?;
    match command {
        Command::List => list(options, &site),
        Command::Publish(publish) => {
            let stored = publish_one(&site, publish)?;
            report(options, &stored)
        }
        Command::Edit(edit) => {
            let changes = changes(edit)?;
            let id = edit.id;
            let stored = site
                .write(move |tx| announcements::edit(tx, Actor::Operator, id, &changes))
                .with_context(|| format!("cannot edit the announcement {id}"))?;
            report(options, &stored)
        }
        Command::Unpublish(Named { id }) => {
            let id = *id;
            let stored = site
                .write(move |tx| announcements::unpublish(tx, Actor::Operator, id))
                .with_context(|| format!("cannot withdraw the announcement {id}"))?;
            report(options, &stored)
        }
        Command::Delete(Named { id }) => delete(options, &site, *id),
    }
}

fn publish_one(site: &Site, publish: &Publish) -> Result<Announcement> {
    if let Some(id) = publish.id {
        return site
            .write(move |tx| announcements::publish_now(tx, Actor::Operator, id))
            .with_context(|| format!("cannot publish the announcement {id}"));
    }
    let text = publish.text.as_deref().unwrap_or_default();
    let new: NewAnnouncement = announcements::prepare(text, publish.event.period()?, publish.at)?;
    site.write(move |tx| announcements::publish(tx, Actor::Operator, &new))
}

fn changes(edit: &Edit) -> Result<Changes> {
    let period = edit.event.period()?;
    let period = if edit.no_event { Some(None) } else { period.map(Some) };
    let is_empty = edit.text.is_none() && period.is_none() && edit.at.is_none();
    ensure!(!is_empty, "nothing to change: pass --text, --starts-at, --no-event or --at");
    Ok(announcements::prepare_changes(edit.text.as_deref(), period, edit.at)?)
}

/// Deletes in several transactions, because each user may have reacted.
fn delete(options: &Options, site: &Site, id: AnnouncementId) -> Result<()> {
    let step = || {
        site.write(move |tx| announcements::delete_step(tx, Actor::Operator, id))
            .with_context(|| format!("cannot delete the announcement {id}"))
    };
    while !step()? {}
    if options.json {
        return print_json(&json!({ "id": id, "is": "deleted" }));
    }
    print_line(&format!("Deleted the announcement {id}"))
}

fn list(options: &Options, site: &Site) -> Result<()> {
    let all = site.read(announcements::list_all)?;
    let mut listing = Listing::new(options.json);
    all.iter().try_for_each(|one| listing.entry(&line(one), &to_json(one)))?;
    listing.end()
}

fn report(options: &Options, announcement: &Announcement) -> Result<()> {
    if options.json { print_json(&to_json(announcement)) } else { print_line(&line(announcement)) }
}

/// Returns a line with the state, the event and the first line of the text.
fn line(announcement: &Announcement) -> String {
    let state = match (announcement.published_at, announcement.scheduled_at) {
        (Some(at), _) => format!("published {at}"),
        (None, Some(at)) => format!("scheduled {at}"),
        (None, None) => "unpublished".to_owned(),
    };
    let event = announcement.period.map_or_else(String::new, |period| {
        format!(" event {} to {}", period.starts_at(), period.ends_at())
    });
    let text = announcement.text.lines().next().unwrap_or_default();
    format!("{} {state}{event}: {text}", announcement.id)
}

fn to_json(announcement: &Announcement) -> Value {
    let period = announcement.period;
    let time = |time: Option<Timestamp>| time.map(|time| time.to_string());
    json!({
        "id": announcement.id,
        "text": announcement.text,
        "starts_at": time(period.map(Period::starts_at)),
        "ends_at": time(period.map(Period::ends_at)),
        "all_day": period.is_some_and(Period::is_days),
        "scheduled_at": time(announcement.scheduled_at),
        "published_at": time(announcement.published_at),
        "updated_at": time(Some(announcement.updated_at)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_dates_are_parsed() {
        let time = |text: &str| parse_time(text).map(|time| time.to_string());
        assert_eq!(time("2026-12-24T18:00:00+01:00").unwrap(), "2026-12-24T17:00:00.000Z");
        assert_eq!(time("2026-12-24").unwrap(), "2026-12-24T00:00:00.000Z");
        assert!(time("tomorrow").is_err() && time("2026-02-30").is_err());
    }
}
