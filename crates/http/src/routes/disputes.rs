//! `/disputes`: what moderators decided against a person, and the appeals. Disabled and suspended
//! people see these pages, too. They name no moderator.

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{self, Path},
};
use askama::Template;
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{Appeal, AppealState, Strike, StrikeAction, Timestamp};
use siskin_ids::{AccountId, StrikeId};
use siskin_policy::{
    limits::{ACCOUNT_PAGE, MAX_APPEAL_CHARS},
    moderation::{AppealObstacle, appeal_obstacle},
};
use siskin_services::moderation::{appeals, strikes};

use crate::{
    browser::{Browser, Holder, PostedHolder, Restriction},
    pages::{Frame, Moment, PageError, PageForm, Problems, see_other, show},
    paging::PageQuery,
    params::record_id,
    routes::public::neighbours::Neighbours,
    table::Table,
};

const PAGE: &str = "/disputes/strikes";
const LOG: &str = "/disputes/appeals";
/// Beginning of messages about the text of an appeal, with its field.
const FIELDS: &[(&str, &str)] = &[("Text", "text")];
/// Label of that field, after the beginning of messages.
const LABELS: &[(&str, &str)] = &[("Text", "Your appeal")];

pub(super) fn configure(table: &mut Table) {
    table
        .route(PAGE, web::get().to(list))
        .route(LOG, web::get().to(list_decided))
        .route("/disputes/strikes/{id}", web::get().to(show_strike))
        .route("/disputes/strikes/{id}/appeal", web::post().to(appeal));
}

#[derive(Template)]
#[template(path = "strikes.html")]
struct StrikesPage {
    frame: Frame,
    strikes: Vec<StrikeItem>,
    /// Whether the page lists only strikes with a decided appeal.
    is_log: bool,
    neighbours: Neighbours,
}

/// A strike in a list.
struct StrikeItem {
    id: StrikeId,
    title: &'static str,
    at: Moment,
    state: String,
    /// Time of the decision about the appeal.
    decided: Option<Moment>,
}

impl StrikeItem {
    fn of(strike: &Strike, now: Timestamp) -> Self {
        Self {
            id: strike.id,
            title: title(strike.action),
            at: Moment::of(strike.created_at, now),
            state: state(strike, now),
            decided: strike
                .appeal
                .as_ref()
                .and_then(|appeal| appeal.decided_at)
                .map(|at| Moment::of(at, now)),
        }
    }
}

#[derive(Template)]
#[template(path = "strike.html")]
struct StrikePage {
    frame: Frame,
    done: Option<&'static str>,
    problem: Option<String>,
    problems: Problems,
    id: StrikeId,
    at: Moment,
    meaning: &'static str,
    text: String,
    /// Beginnings of the statuses; empty for those without text.
    excerpts: Vec<String>,
    is_overruled: bool,
    /// Whether it deleted posts, which does not end if the moderators change their mind.
    has_deleted: bool,
    appeal: Option<AppealItem>,
    /// The form of an appeal, if one is possible.
    form: Option<AppealFields>,
}

struct AppealItem {
    text: String,
    at: Moment,
    outcome: &'static str,
    decided: Option<Moment>,
}

struct AppealFields {
    until: Moment,
    longest: usize,
    typed: String,
}

impl AppealItem {
    fn of(appeal: &Appeal, action: StrikeAction, now: Timestamp) -> Self {
        Self {
            text: appeal.text.clone(),
            at: Moment::of(appeal.created_at, now),
            outcome: outcome(appeal.state, action),
            decided: appeal.decided_at.map(|at| Moment::of(at, now)),
        }
    }
}

const fn outcome(state: AppealState, action: StrikeAction) -> &'static str {
    match state {
        AppealState::Pending => "The moderators have not decided about it yet.",
        AppealState::Approved if matches!(action, StrikeAction::DeleteStatuses) => {
            "The moderators approved it."
        }
        AppealState::Approved => "The moderators approved it, and took their decision back.",
        AppealState::Rejected => "The moderators rejected it. Their decision stays.",
    }
}

const fn title(action: StrikeAction) -> &'static str {
    match action {
        StrikeAction::Warn => "A warning from the moderators",
        StrikeAction::Disable => "Your login was disabled",
        StrikeAction::MarkStatusesAsSensitive => "Posts were marked as sensitive",
        StrikeAction::DeleteStatuses => "Posts were deleted",
        StrikeAction::Sensitive => "Your media were marked as sensitive",
        StrikeAction::Silence => "Your account was limited",
        StrikeAction::Suspend => "Your account was suspended",
    }
}

/// Returns what an action means for the person.
const fn meaning(action: StrikeAction) -> &'static str {
    match action {
        StrikeAction::Warn => "It changes nothing about your account.",
        StrikeAction::Disable => "You cannot use your account, and your apps cannot act for you.",
        StrikeAction::MarkStatusesAsSensitive => "Their media are hidden behind a warning.",
        StrikeAction::DeleteStatuses => "They cannot be restored.",
        StrikeAction::Sensitive => "All your media are hidden behind a warning.",
        StrikeAction::Silence => "Only your followers and people who open it see your posts.",
        StrikeAction::Suspend => {
            "Your profile and your posts are hidden. They will be deleted permanently 30 days \
             later, unless the suspension ends before."
        }
    }
}

/// Returns a sentence about a restriction that has ended, other than by an appeal. `None` if the
/// action is no restriction, and if it lasts. `restriction` is that of the person's session.
fn ended(strike: &Strike, restriction: Option<Restriction>) -> Option<&'static str> {
    let account = &strike.target;
    let (lasts, words) = match strike.action {
        StrikeAction::Warn
        | StrikeAction::MarkStatusesAsSensitive
        | StrikeAction::DeleteStatuses => return None,
        StrikeAction::Disable => {
            (restriction.is_some(), "It has ended: your login is not disabled any more.")
        }
        StrikeAction::Sensitive => (
            account.sensitized,
            "It has ended: the moderators do not hide all your media behind a warning any more.",
        ),
        StrikeAction::Silence => {
            (account.state.silenced, "It has ended: your account is not limited any more.")
        }
        StrikeAction::Suspend => {
            (account.state.suspended, "It has ended: your account is not suspended any more.")
        }
    };
    (!lasts).then_some(words)
}

/// Returns the state of a strike in one sentence.
fn state(strike: &Strike, now: Timestamp) -> String {
    let appeal = strike.appeal.as_ref().map(|appeal| appeal.state);
    match (appeal_obstacle(strike, now), appeal) {
        (Some(AppealObstacle::Overruled), _) | (_, Some(AppealState::Approved))
            if strike.action == StrikeAction::DeleteStatuses =>
        {
            "The strike no longer counts.".to_owned()
        }
        (Some(AppealObstacle::Overruled), _) | (_, Some(AppealState::Approved)) => {
            "The moderators took it back.".to_owned()
        }
        (_, Some(AppealState::Pending)) => "Your appeal waits for a decision.".to_owned(),
        (_, Some(AppealState::Rejected)) => "Your appeal was rejected.".to_owned(),
        (Some(_), None) => "The time for an appeal has passed.".to_owned(),
        (None, None) => {
            let until = Moment::of(strike.appeal_until(), now);
            format!("You can appeal until {}.", until.spoken)
        }
    }
}

async fn list(
    app: web::Data<App>,
    holder: Holder,
    PageForm(query): PageForm<PageQuery>,
) -> Result<HttpResponse, PageError> {
    let (request, account, now) = (query.request(ACCOUNT_PAGE)?, holder.account, app.now());
    let found = app.read(move |conn| strikes::of_account(conn, account, request)).await?;
    let page = StrikesPage {
        frame: Frame::of(&app, &holder.browser, "Decisions of the moderators"),
        strikes: found.items.iter().map(|strike| StrikeItem::of(strike, now)).collect(),
        is_log: false,
        neighbours: Neighbours::of(PAGE, &found, request),
    };
    Ok(show(StatusCode::OK, &page)?)
}

async fn list_decided(
    app: web::Data<App>,
    holder: Holder,
    PageForm(query): PageForm<PageQuery>,
) -> Result<HttpResponse, PageError> {
    let (request, account, now) = (query.request(ACCOUNT_PAGE)?, holder.account, app.now());
    let found = app.read(move |conn| appeals::decided_of(conn, account, request)).await?;
    let page = StrikesPage {
        frame: Frame::of(&app, &holder.browser, "Your decided appeals"),
        strikes: found.items.iter().map(|strike| StrikeItem::of(strike, now)).collect(),
        is_log: true,
        neighbours: Neighbours::of(LOG, &found, request),
    };
    Ok(show(StatusCode::OK, &page)?)
}

async fn show_strike(
    app: web::Data<App>,
    holder: Holder,
    id: Path<String>,
    PageForm(done): PageForm<Done>,
) -> Result<HttpResponse, PageError> {
    let problems = Problems::default();
    let page = page(&app, &holder.browser, holder.account, &id, String::new(), problems).await?;
    let done = done.done.is_some_and(|what| what == "appeal");
    let done = done.then_some("Your appeal was sent to the moderators.");
    Ok(show(StatusCode::OK, &StrikePage { done, ..page })?)
}

#[derive(Deserialize)]
struct Done {
    done: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct AppealForm {
    text: String,
}

async fn appeal(
    app: web::Data<App>,
    id: Path<String>,
    form: PostedHolder,
) -> Result<HttpResponse, PageError> {
    let AppealForm { text } = form.posted.decode()?;
    let (account, strike, typed) = (form.account, record_id(&id)?, text.clone());
    let sent = app.write(move |tx| appeals::appeal(tx, account, strike, &text)).await;
    match sent {
        Ok(_) => Ok(see_other(&app.urls().page(&format!("{PAGE}/{strike}?done=appeal")))),
        Err(error) => {
            let problems = Problems::of(error, FIELDS)?.labelled(LABELS);
            let page = page(&app, &form.posted.browser, account, &id, typed, problems).await?;
            Ok(show(page.problems.status(), &page)?)
        }
    }
}

async fn page(
    app: &App,
    browser: &Browser,
    account: AccountId,
    id: &str,
    typed: String,
    problems: Problems,
) -> Result<StrikePage, PageError> {
    let (id, now) = (record_id(id)?, app.now());
    let strike = app.read(move |conn| strikes::find(conn, account, id)).await?;
    let may_appeal = appeal_obstacle(&strike, now).is_none();
    let form = may_appeal.then(|| AppealFields {
        until: Moment::of(strike.appeal_until(), now),
        longest: MAX_APPEAL_CHARS,
        typed,
    });
    Ok(StrikePage {
        frame: Frame::of(app, browser, title(strike.action)),
        done: None,
        problem: problems.of_form(),
        problems,
        id,
        at: Moment::of(strike.created_at, now),
        meaning: ended(&strike, browser.restriction()).unwrap_or_else(|| meaning(strike.action)),
        text: strike.text.clone(),
        excerpts: strike.statuses.iter().map(|status| status.excerpt.clone()).collect(),
        is_overruled: strike.overruled_at.is_some(),
        has_deleted: strike.action == StrikeAction::DeleteStatuses,
        appeal: strike.appeal.as_ref().map(|appeal| AppealItem::of(appeal, strike.action, now)),
        form,
    })
}
