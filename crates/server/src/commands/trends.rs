//! `siskin trends …`.

use anyhow::Result;
use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};
use siskin_entities::Review;
use siskin_services::{
    settings,
    trends::{
        count,
        review::{self, Overview, Subject},
    },
};

use crate::{
    cli::Options,
    output::{Listing, print_json, print_line},
    site::Site,
};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print what trends or would trend after a review, and the reviewed publishers
    List,
    /// Count what trends now; a running server does so every five minutes
    Refresh,
    /// Let an entry trend
    Approve(Named),
    /// Keep an entry out of the trends
    Reject(Named),
    /// Remove the decision about an entry
    Reset(Named),
    /// Decide about a link regardless of its publisher, or remove that decision
    Override(Override),
}

#[derive(Debug, Args)]
pub struct Named {
    kind: Kind,
    /// Name of the hashtag, address of the link, id of the status, or domain of the publisher
    name: String,
}

#[derive(Debug, Args)]
pub struct Override {
    /// Address of the link
    url: String,
    decision: Decision,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Kind {
    Tag,
    Link,
    Status,
    /// A website; its decision applies to all its links without one of their own
    Publisher,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Decision {
    /// The link may trend
    Approved,
    /// The link must not trend
    Rejected,
    /// The link follows its publisher and the setting `trends.by_default`
    None,
}

impl Kind {
    const fn subject(self) -> Subject {
        match self {
            Self::Tag => Subject::Tag,
            Self::Link => Subject::Link,
            Self::Status => Subject::Status,
            Self::Publisher => Subject::Publisher,
        }
    }

    const fn as_str(self) -> &'static str {
        match self {
            Self::Tag => "tag",
            Self::Link => "link",
            Self::Status => "status",
            Self::Publisher => "publisher",
        }
    }
}

impl Decision {
    const fn review(self) -> Review {
        match self {
            Self::Approved => Review::Approved,
            Self::Rejected => Review::Rejected,
            Self::None => Review::Unreviewed,
        }
    }
}

pub fn run(options: &Options, command: &Command) -> Result<()> {
    let site = Site::open(options)?;
    match command {
        Command::List => list(options, &site),
        Command::Refresh => refresh(options, &site),
        Command::Approve(named) => {
            decide(options, &site, named.kind, &named.name, Review::Approved)
        }
        Command::Reject(named) => decide(options, &site, named.kind, &named.name, Review::Rejected),
        Command::Reset(named) => {
            decide(options, &site, named.kind, &named.name, Review::Unreviewed)
        }
        Command::Override(Override { url, decision }) => {
            decide(options, &site, Kind::Link, url, decision.review())
        }
    }
}

fn decide(options: &Options, site: &Site, kind: Kind, name: &str, result: Review) -> Result<()> {
    let settings = site.read(|conn| settings::load(conn, &site.fixed))?;
    let owned = name.to_owned();
    site.write(move |tx| review::decide(tx, &settings, kind.subject(), &owned, result))?;
    if options.json {
        let decided = json!({ "kind": kind.as_str(), "name": name, "review": result.as_str() });
        return print_json(&decided);
    }
    print_line(&format!("The {} {name} is {}", kind.as_str(), result.as_str()))
}

fn refresh(options: &Options, site: &Site) -> Result<()> {
    let settings = site.read(|conn| settings::load(conn, &site.fixed))?;
    let now = site.store.now();
    let trends = site.read(|conn| count::read(conn, &settings, now))?;
    let numbers = [trends.tags.len(), trends.links.len(), trends.statuses.len()];
    site.write(move |tx| count::store(tx, &settings, &trends))?;
    let [tags, links, statuses] = numbers;
    if options.json {
        return print_json(&json!({ "tags": tags, "links": links, "statuses": statuses }));
    }
    print_line(&format!("{tags} hashtags, {links} links and {statuses} statuses have a score"))
}

fn list(options: &Options, site: &Site) -> Result<()> {
    let settings = site.read(|conn| settings::load(conn, &site.fixed))?;
    let now = site.store.now();
    let found = site.read(|conn| review::overview(conn, &settings, now))?;
    let mut listing = Listing::new(options.json);
    for entry in entries(found) {
        listing.entry(&entry.line(), &entry.to_json())?;
    }
    listing.end()
}

/// A line of the list.
struct Entry {
    kind: Kind,
    name: String,
    review: Review,
    /// `None` for publishers.
    score: Option<f64>,
    /// Whether it may trend: because of its review, or without one because of its publisher or a
    /// setting. `None` for publishers.
    may_trend: Option<bool>,
}

fn entries(found: Overview) -> Vec<Entry> {
    let entry = |kind, (name, score, review, may_trend)| Entry {
        kind,
        name,
        review,
        score: Some(score),
        may_trend: Some(may_trend),
    };
    let tags = found.tags.into_iter().map(|tag| entry(Kind::Tag, tag));
    let links = found.links.into_iter().map(|link| entry(Kind::Link, link));
    let statuses = found.statuses.into_iter().map(|(id, score, review, may_trend)| {
        entry(Kind::Status, (id.to_string(), score, review, may_trend))
    });
    let publishers = found.publishers.into_iter().map(|(domain, review)| Entry {
        kind: Kind::Publisher,
        name: domain,
        review,
        score: None,
        may_trend: None,
    });
    tags.chain(links).chain(statuses).chain(publishers).collect()
}

impl Entry {
    fn line(&self) -> String {
        let score = self.score.map(|score| format!(" {score:.1}")).unwrap_or_default();
        // A decision says this by itself.
        let may_trend = match (self.review, self.may_trend) {
            (Review::Unreviewed, Some(true)) => ", may trend",
            _ => "",
        };
        let (kind, review) = (self.kind.as_str(), self.review.as_str());
        format!("{kind} {}{score} {review}{may_trend}", self.name)
    }

    fn to_json(&self) -> Value {
        json!({
            "kind": self.kind.as_str(),
            "name": self.name,
            "score": self.score,
            "review": self.review.as_str(),
            "may_trend": self.may_trend,
        })
    }
}
