//! `/admin/trends`: hashtags, links, websites and posts that trend or would trend, and their
//! review.

use std::str::FromStr;

use actix_web::{
    HttpResponse,
    web::{self, Data},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{Actor, Review, ReviewedTag, Status, TrendingLink, Urls, tag::TagDay};
use siskin_ids::{PreviewCardId, StatusId, TagId};
use siskin_policy::{roles::ManageTaxonomies, trends::MAX_ENTRIES};
use siskin_services::{
    OffsetPage,
    trends::{
        self,
        review::{self, Publisher},
    },
};
use siskin_text::{html_to_text, isolate, shorten};

use super::{
    fields::{Field, InputForm},
    forms::{counted, with_params},
    layout::{Layout, Link, Section, Tab, Viewer},
    people::Choice,
    rows::{Cell, DataTable, Row, Selection},
    see,
};
use crate::{
    pages::{PageError, PageForm, Problem},
    params::chosen_list,
    staff::{PostedStaff, StaffMember},
    table::Table,
};

const AREA: &str = "/admin/trends";
/// Length of the excerpt of a post, in characters and in bytes.
const EXCERPT_CHARS: usize = 200;
const EXCERPT_BYTES: usize = 1000;

pub(super) fn configure(table: &mut Table) {
    table
        .route("/admin/trends", web::get().to(tags))
        .route("/admin/trends", web::post().to(review_tags))
        .route("/admin/trends/links", web::get().to(links))
        .route("/admin/trends/links", web::post().to(review_links))
        .route("/admin/trends/publishers", web::get().to(publishers))
        .route("/admin/trends/publishers", web::post().to(review_publishers))
        .route("/admin/trends/statuses", web::get().to(statuses))
        .route("/admin/trends/statuses", web::post().to(review_statuses));
}

/// What trends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Tags,
    Links,
    /// Websites that links lead to.
    Publishers,
    Statuses,
}

impl Kind {
    const ALL: [Self; 4] = [Self::Tags, Self::Links, Self::Publishers, Self::Statuses];

    const fn path(self) -> &'static str {
        match self {
            Self::Tags => AREA,
            Self::Links => "/admin/trends/links",
            Self::Publishers => "/admin/trends/publishers",
            Self::Statuses => "/admin/trends/statuses",
        }
    }

    const fn words(self) -> &'static str {
        match self {
            Self::Tags => "Hashtags",
            Self::Links => "Links",
            Self::Publishers => "Websites",
            Self::Statuses => "Posts",
        }
    }

    const fn columns(self) -> &'static [&'static str] {
        match self {
            Self::Tags => &["Hashtag", "Uses in two days", "People a day"],
            Self::Links => &["Link", "Uses in two days", "People a day", "Website"],
            Self::Publishers => &["Website", "Links that trend"],
            Self::Statuses => &["Post", "Text"],
        }
    }

    /// Loads the entries with this result of their review.
    async fn rows(self, viewer: Viewer<'_>, shown: Review) -> Result<Vec<Row>, PageError> {
        let (app, account) = (viewer.app, viewer.authority.account);
        let (now, settings, urls) = (app.now(), app.settings(), app.urls());
        Ok(match self {
            Self::Tags => {
                let found = app
                    .read(move |conn| trends::all_tags(conn, &settings, account, whole(), now))
                    .await?
                    .items;
                let found = found.iter().filter(|one| one.review == shown);
                found.filter_map(|one| tag_row(one, urls)).collect()
            }
            Self::Links => {
                let found = app
                    .read(move |conn| trends::all_links(conn, &settings, whole(), now))
                    .await?
                    .items;
                found.iter().filter(|one| state_of(one) == shown).map(link_row).collect()
            }
            Self::Publishers => {
                let found = app.read(review::all_publishers).await?;
                found.iter().filter(|one| one.review == shown).map(publisher_row).collect()
            }
            Self::Statuses => {
                let found = app.read(move |conn| review::statuses(conn, account, now)).await?;
                let found = found.iter().filter(|(_, review)| *review == shown);
                found.map(|(status, _)| status_row(status, urls)).collect()
            }
        })
    }

    /// Stores the result of the review of these entries. Returns their number.
    async fn review(
        self,
        app: &App,
        actor: Actor,
        result: Review,
        ids: &[String],
    ) -> Result<usize, PageError> {
        Ok(match self {
            Self::Tags => {
                let ids: Vec<TagId> = parsed(ids);
                app.write(move |tx| {
                    review::review_all(&ids, |id| review::review_tag(tx, actor, id, result))
                })
                .await?
            }
            Self::Links => {
                let (ids, settings): (Vec<PreviewCardId>, _) = (parsed(ids), app.settings());
                app.write(move |tx| {
                    review::review_all(&ids, |id| {
                        review::review_link(tx, actor, &settings, id, result)
                    })
                })
                .await?
            }
            Self::Publishers => {
                let domains = ids.to_vec();
                app.write(move |tx| {
                    let domains: Vec<&str> = domains.iter().map(String::as_str).collect();
                    review::review_all(&domains, |domain| {
                        review::review_publisher(tx, actor, domain, result)
                    })
                })
                .await?
            }
            Self::Statuses => {
                let ids: Vec<StatusId> = parsed(ids);
                app.write(move |tx| {
                    review::review_all(&ids, |id| review::review_status(tx, actor, id, result))
                })
                .await?
            }
        })
    }
}

/// Parses ids. Those that cannot exist are left out.
fn parsed<I: FromStr>(ids: &[String]) -> Vec<I> {
    ids.iter().filter_map(|id| id.parse().ok()).collect()
}

/// Returns the page with the whole list, which is short.
fn whole() -> OffsetPage {
    OffsetPage { limit: i64::try_from(MAX_ENTRIES).unwrap_or(i64::MAX), offset: 0 }
}

fn tag_row(reviewed: &ReviewedTag, urls: &Urls) -> Option<Row> {
    let (id, name) = (reviewed.tag.id?, &reviewed.tag.name);
    let row = Row::new(format!("#{name}"), usage(&reviewed.tag.history));
    Some(row.linked(urls.tag(name)).chosen_as(id.to_string()))
}

/// Returns the result of the review of a link or, if it has none, of its publisher.
const fn state_of(link: &TrendingLink) -> Review {
    match link.review {
        Review::Unreviewed if link.requires_review => Review::Unreviewed,
        Review::Unreviewed if link.trendable => Review::Approved,
        Review::Unreviewed => Review::Rejected,
        decided => decided,
    }
}

fn link_row(link: &TrendingLink) -> Row {
    let card = &link.card;
    let title = if card.title.is_empty() { &card.url } else { &card.title };
    let mut cells = usage(&link.history);
    cells.push(Cell::text(card.url.split('/').nth(2).unwrap_or_default()));
    Row::new(isolate(title), cells).linked(&card.url).chosen_as(link.id.to_string())
}

fn publisher_row(publisher: &Publisher) -> Row {
    let links = Cell::text(publisher.links.to_string());
    Row::new(&publisher.domain, vec![links]).chosen_as(&publisher.domain)
}

/// Returns the cells with the uses of today and yesterday, and with the people of the busier day.
fn usage(history: &[TagDay]) -> Vec<Cell> {
    let days = || history.iter().take(2);
    let uses: i64 = days().map(|day| day.uses).sum();
    let people = days().map(|day| day.accounts).max().unwrap_or_default();
    vec![Cell::text(uses.to_string()), Cell::text(people.to_string())]
}

fn status_row(status: &Status, urls: &Urls) -> Row {
    let body = &status.body;
    let warning = &body.source.spoiler_text;
    let text = if warning.is_empty() { html_to_text(&body.content) } else { warning.clone() };
    let text = shorten(&text, EXCERPT_CHARS, EXCERPT_BYTES).into_owned();
    Row::new(format!("Post by @{}", body.account.acct()), vec![Cell::Lines(text)])
        .linked(body.page_or_uri(urls))
        .chosen_as(body.id.to_string())
}

/// The results of reviews with their names in addresses and in words.
const STATES: [(Review, &str, &str); 3] = [
    (Review::Unreviewed, "", "Waiting"),
    (Review::Approved, "approved", "Approved"),
    (Review::Rejected, "rejected", "Rejected"),
];

/// Returns the state with this name. Every other text means entries that wait.
fn state_named(name: &str) -> Review {
    let found = STATES.iter().find(|(_, known, _)| *known == name);
    found.map_or(Review::Unreviewed, |(review, ..)| *review)
}

async fn layout(
    viewer: Viewer<'_>,
    kind: Kind,
    typed: &DecisionForm,
    problem: Option<&Problem>,
) -> Result<Layout, PageError> {
    let (state, shown) = (&*typed.state, state_named(&typed.state));
    let tab = |(review, name, words): (Review, &str, &'static str)| Tab {
        path: with_params(kind.path(), &[("state", name)]),
        words,
        current: review == shown,
    };
    let others = Kind::ALL.into_iter().filter(|other| *other != kind);
    let links = others.map(|other| Link::new(other.path(), other.words())).collect();
    let table = DataTable::new(kind.words(), kind.columns(), "There is nothing here at present.")
        .rows(kind.rows(viewer, shown).await?)
        .with_selection(Selection {
            action: with_params(kind.path(), &[("state", state)]),
            buttons: buttons(shown),
        });
    Ok(viewer
        .layout(AREA, format!("Trends: {}", kind.words()))
        .refused(problem)
        .tabs(STATES.map(tab).into())
        .with(Section::untitled().links(links).table(table))
        .with_some((kind == Kind::Publishers).then(|| publisher_section(typed, problem))))
}

/// Returns the section that decides about a website which need not trend.
fn publisher_section(typed: &DecisionForm, problem: Option<&Problem>) -> Section {
    let choices = [("approve", "Approve"), ("reject", "Reject")];
    let choices = choices.map(|(value, words)| Choice::new(value, words, &typed.decision));
    let form = InputForm::post("publisher", Kind::Publishers.path(), "Decide")
        .hidden("state", &*typed.state)
        .with(
            Field::text("domain", "Domain", typed.domain.clone().unwrap_or_default())
                .hint("Such as news.example. Its subdomains are included."),
        )
        .with(Field::select("decision", "Decision", choices.into()))
        .refused(problem);
    let explained = "A decision about a website applies to all links to it, except those with a \
                     decision of their own.";
    Section::new("decide", "Decide about a website").text(explained).form(form)
}

/// Returns the buttons that change the result of a review.
fn buttons(shown: Review) -> Vec<(&'static str, &'static str, &'static str)> {
    let all = [
        (Review::Approved, ("decision", "approve", "Approve")),
        (Review::Rejected, ("decision", "reject", "Reject")),
    ];
    let others = all.into_iter().filter(|(result, _)| *result != shown);
    others.map(|(_, button)| button).collect()
}

/// Parameters of a page.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Query {
    state: String,
    done: Option<String>,
    count: usize,
}

impl Query {
    fn message(&self) -> Option<String> {
        let happened = match self.done.as_deref()? {
            "approve" => "approved",
            "reject" => "rejected",
            _ => return None,
        };
        let were = if self.count == 1 { "was" } else { "were" };
        Some(format!("{} {were} {happened}.", counted(self.count, "entry", "entries")))
    }
}

async fn show(
    app: &App,
    staff: &StaffMember<ManageTaxonomies>,
    kind: Kind,
    query: &Query,
) -> Result<HttpResponse, PageError> {
    let blank = DecisionForm { state: query.state.clone(), ..DecisionForm::default() };
    let layout = layout(Viewer::of(app, staff), kind, &blank, None).await?;
    layout.happened(query.message()).show()
}

/// The submitted decision, about chosen entries or about the website with a typed domain.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct DecisionForm {
    decision: String,
    state: String,
    #[serde(deserialize_with = "chosen_list")]
    ids: Vec<String>,
    domain: Option<String>,
}

impl DecisionForm {
    /// Returns the names of the entries.
    fn entries(&self) -> Result<Vec<String>, Problem> {
        match self.domain.as_deref().map(str::trim) {
            None if self.ids.is_empty() => Err(Problem::with_input("Choose at least one entry.")),
            None => Ok(self.ids.clone()),
            Some("") => Err(Problem::with_input("Domain can't be blank.")),
            Some(domain) => Ok(vec![domain.to_owned()]),
        }
    }

    fn result(&self) -> Result<Review, Problem> {
        match self.decision.as_str() {
            "approve" => Ok(Review::Approved),
            "reject" => Ok(Review::Rejected),
            _ => Err(Problem::with_input("Choose what to do.")),
        }
    }
}

async fn decide(
    app: &App,
    form: &PostedStaff<ManageTaxonomies>,
    kind: Kind,
) -> Result<HttpResponse, PageError> {
    let (viewer, typed) = (Viewer::posted(app, form), form.posted.decode::<DecisionForm>()?);
    match reviewed(viewer, kind, &typed).await? {
        Ok(count) => {
            let count = count.to_string();
            let outcome =
                [("state", &*typed.state), ("done", &*typed.decision), ("count", &*count)];
            Ok(see(app, &with_params(kind.path(), &outcome)))
        }
        Err(problem) => layout(viewer, kind, &typed, Some(&problem)).await?.show(),
    }
}

/// Stores a decision. Returns the number of entries, or the problem with the input.
async fn reviewed(
    viewer: Viewer<'_>,
    kind: Kind,
    typed: &DecisionForm,
) -> Result<Result<usize, Problem>, PageError> {
    let (entries, result) = match (typed.entries(), typed.result()) {
        (Ok(entries), Ok(result)) => (entries, result),
        (Err(problem), _) | (_, Err(problem)) => return Ok(Err(problem)),
    };
    let actor = Actor::Staff(viewer.authority.account);
    let count = kind.review(viewer.app, actor, result, &entries).await?;
    if count == 0 && typed.domain.is_some() {
        return Ok(Err(Problem::with_input("Domain must be that of a website.")));
    }
    Ok(Ok(count))
}

async fn tags(
    app: Data<App>,
    staff: StaffMember<ManageTaxonomies>,
    PageForm(query): PageForm<Query>,
) -> Result<HttpResponse, PageError> {
    show(&app, &staff, Kind::Tags, &query).await
}

async fn review_tags(
    app: Data<App>,
    form: PostedStaff<ManageTaxonomies>,
) -> Result<HttpResponse, PageError> {
    decide(&app, &form, Kind::Tags).await
}

async fn links(
    app: Data<App>,
    staff: StaffMember<ManageTaxonomies>,
    PageForm(query): PageForm<Query>,
) -> Result<HttpResponse, PageError> {
    show(&app, &staff, Kind::Links, &query).await
}

async fn review_links(
    app: Data<App>,
    form: PostedStaff<ManageTaxonomies>,
) -> Result<HttpResponse, PageError> {
    decide(&app, &form, Kind::Links).await
}

async fn publishers(
    app: Data<App>,
    staff: StaffMember<ManageTaxonomies>,
    PageForm(query): PageForm<Query>,
) -> Result<HttpResponse, PageError> {
    show(&app, &staff, Kind::Publishers, &query).await
}

async fn review_publishers(
    app: Data<App>,
    form: PostedStaff<ManageTaxonomies>,
) -> Result<HttpResponse, PageError> {
    decide(&app, &form, Kind::Publishers).await
}

async fn statuses(
    app: Data<App>,
    staff: StaffMember<ManageTaxonomies>,
    PageForm(query): PageForm<Query>,
) -> Result<HttpResponse, PageError> {
    show(&app, &staff, Kind::Statuses, &query).await
}

async fn review_statuses(
    app: Data<App>,
    form: PostedStaff<ManageTaxonomies>,
) -> Result<HttpResponse, PageError> {
    decide(&app, &form, Kind::Statuses).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_offers_what_differs_from_its_state() {
        let offered = |state: &str| -> Vec<&str> {
            buttons(state_named(state)).iter().map(|(_, decision, _)| *decision).collect()
        };
        assert_eq!(offered(""), ["approve", "reject"]);
        assert_eq!(offered("x"), ["approve", "reject"]);
        assert_eq!(offered("approved"), ["reject"]);
        assert_eq!(offered("rejected"), ["approve"]);
    }

    #[test]
    fn ids_that_cannot_exist_are_left_out() {
        let ids = ["7", "x", "-1", ""].map(str::to_owned);
        assert_eq!(parsed::<TagId>(&ids), [TagId::new(7)]);
    }

    #[test]
    fn the_message_counts_the_entries() {
        let message = |done: &str, count| {
            Query { done: Some(done.to_owned()), count, ..Query::default() }.message()
        };
        assert_eq!(message("approve", 1).unwrap(), "1 entry was approved.");
        assert_eq!(message("reject", 2).unwrap(), "2 entries were rejected.");
        assert_eq!(message("<b>", 2), None);
    }
}
