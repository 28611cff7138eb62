//! `/settings/sessions`: sessions of a person, and the applications that act for them.

use actix_web::{HttpRequest, HttpResponse, http::StatusCode, web};
use askama::Template;
use siskin_app::App;
use siskin_entities::{AuthorizedApplication, Session, Timestamp};
use siskin_ids::{ApplicationId, SessionId};
use siskin_policy::scopes::{Scope, Scopes};
use siskin_services::{Error as Domain, oauth, sessions, sessions::SignedIn};
use siskin_text::isolate;

use super::Done;
use crate::{
    Result,
    browser::{self, Kind, Member, PostedMember},
    pages::{Frame, Moment, PageError, PageForm, describe_browser, go_to, show},
    table::Table,
};

const PAGE: &str = "/settings/sessions";

pub(super) fn configure(table: &mut Table) {
    table
        .route(PAGE, web::get().to(list))
        .route("/settings/sessions/end_others", web::post().to(end_others))
        .route("/settings/sessions/{id}/end", web::post().to(end))
        .route("/settings/applications/{id}/revoke", web::post().to(revoke));
}

#[derive(Template)]
#[template(path = "sessions.html")]
struct SessionsPage {
    frame: Frame,
    done: Option<&'static str>,
    sessions: Vec<SessionItem>,
    applications: Vec<ApplicationItem>,
}

struct SessionItem {
    id: SessionId,
    browser: String,
    current: bool,
    ip: String,
    used: Moment,
}

struct ApplicationItem {
    id: ApplicationId,
    name: String,
    website: Option<String>,
    since: Moment,
    used: Option<Moment>,
    scopes: Vec<Scope>,
}

impl SessionItem {
    fn of(session: &Session, current: SessionId, now: Timestamp) -> Self {
        Self {
            id: session.id,
            browser: describe_browser(&session.user_agent),
            current: session.id == current,
            ip: session.ip.clone(),
            used: Moment::of(session.last_used_at, now),
        }
    }
}

impl ApplicationItem {
    fn of(authorized: AuthorizedApplication, now: Timestamp) -> Result<Self> {
        let scopes = Scopes::parse(&authorized.scopes).map_err(Domain::internal)?;
        Ok(Self {
            id: authorized.application.id,
            name: isolate(&authorized.application.name),
            website: authorized.application.website,
            since: Moment::of(authorized.authorized_at, now),
            used: authorized.last_used_at.map(|used| Moment::of(used, now)),
            scopes: scopes.iter().collect(),
        })
    }
}

fn message(done: &Done) -> Option<&'static str> {
    match done.done.as_deref() {
        Some("session") => Some("The session was ended."),
        Some("sessions") => Some("All other sessions were ended."),
        Some("application") => Some("The access of the application was revoked."),
        _ => None,
    }
}

async fn list(
    app: web::Data<App>,
    member: Member,
    PageForm(done): PageForm<Done>,
) -> Result<HttpResponse, PageError> {
    let (account, now) = (member.signed_in.account, app.now());
    let (sessions, applications) = app
        .read(move |conn| Ok((sessions::list(conn, account, now)?, oauth::list(conn, account)?)))
        .await?;
    let current = member.signed_in.session;
    let page = SessionsPage {
        frame: Frame::of(&app, &member.browser, "Your sessions and applications"),
        done: message(&done),
        sessions: sessions.iter().map(|session| SessionItem::of(session, current, now)).collect(),
        applications: applications
            .into_iter()
            .map(|authorized| ApplicationItem::of(authorized, now))
            .collect::<Result<_>>()?,
    };
    Ok(show(StatusCode::OK, &page)?)
}

fn done(app: &App, what: &str) -> HttpResponse {
    go_to(&app.urls().page(&format!("{PAGE}?done={what}")))
}

async fn end(
    request: HttpRequest,
    app: web::Data<App>,
    id: web::Path<String>,
    form: PostedMember,
) -> Result<HttpResponse, PageError> {
    let id: SessionId = id.parse().map_err(|_| Domain::NotFound)?;
    let SignedIn { account, session, .. } = form.signed_in;
    app.write(move |tx| sessions::revoke(tx, account, id)).await?;
    if id != session {
        return Ok(done(&app, "session"));
    }
    let mut response = go_to(&app.urls().page("/"));
    response.add_cookie(&browser::clear(&request, Kind::Session)).map_err(Domain::internal)?;
    Ok(response)
}

async fn end_others(app: web::Data<App>, form: PostedMember) -> Result<HttpResponse, PageError> {
    let SignedIn { account, session, .. } = form.signed_in;
    app.write(move |tx| sessions::end_others(tx, account, Some(session))).await?;
    Ok(done(&app, "sessions"))
}

async fn revoke(
    app: web::Data<App>,
    id: web::Path<String>,
    form: PostedMember,
) -> Result<HttpResponse, PageError> {
    let id: ApplicationId = id.parse().map_err(|_| Domain::NotFound)?;
    let account = form.signed_in.account;
    app.write(move |tx| oauth::withdraw(tx, account, id)).await?;
    Ok(done(&app, "application"))
}
