//! `/settings/invites`: links by which a person lets others sign up, if the role allows it.

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{self, Path},
};
use askama::Template;
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{Invite, Page, PageRequest, Timestamp};
use siskin_ids::{AccountId, InviteId};
use siskin_policy::{
    limits::{ACCOUNT_PAGE, MAX_INVITE_COMMENT_CHARS, MAX_INVITE_USES},
    roles::InviteUsers,
};
use siskin_services::{
    Error as Domain,
    invites::{self, InviteDraft, InviteParams, ListedInvites},
};

use super::Done;
use crate::{
    browser::Browser,
    pages::{Frame, Moment, PageError, PageForm, Problems, see_other, show},
    paging::PageQuery,
    params::record_id,
    routes::public::neighbours::Neighbours,
    staff::{PostedStaff, StaffMember},
    table::Table,
};

const PAGE: &str = "/settings/invites";
/// Beginnings of messages about wrong values, with their fields.
const FIELDS: &[(&str, &str)] =
    &[("Max uses", "max_uses"), ("Expires", "expires_in"), ("Comment", "comment")];
/// Labels of the fields, after the beginnings of messages.
const LABELS: &[(&str, &str)] = &[
    ("Max uses", "Number of people"),
    ("Expires in", "Expires"),
    ("Comment", "Comment for yourself"),
];
/// Lifetimes that the form offers, in seconds.
const LIFETIMES: [(&str, &str); 6] = [
    ("3600", "In 1 hour"),
    ("43200", "In 12 hours"),
    ("86400", "In 1 day"),
    ("604800", "In 1 week"),
    ("2592000", "In 30 days"),
    ("", "Never"),
];
const DEFAULT_LIFETIME: &str = "604800";

pub(super) fn configure(table: &mut Table) {
    table
        .route(PAGE, web::get().to(list))
        .route(PAGE, web::post().to(create))
        .route("/settings/invites/{id}/revoke", web::post().to(revoke));
}

#[derive(Template)]
#[template(path = "invites.html")]
struct InvitesPage {
    frame: Frame,
    done: Option<&'static str>,
    problem: Option<String>,
    problems: Problems,
    form: InviteForm,
    lifetimes: Vec<Choice>,
    most_uses: i64,
    longest_comment: usize,
    invites: Vec<InviteItem>,
    neighbours: Neighbours,
}

struct Choice {
    value: &'static str,
    words: &'static str,
    chosen: bool,
}

struct InviteItem {
    id: InviteId,
    link: String,
    comment: String,
    /// Number of people who signed up with it, and how many may.
    uses: String,
    expires: Option<Moment>,
    is_valid: bool,
    follows: bool,
}

impl InviteItem {
    fn of(invite: &Invite, app: &App, now: Timestamp) -> Self {
        let uses = match (invite.uses, invite.max_uses) {
            (uses, Some(most)) => format!("Used {uses} of {most} times"),
            (1, None) => "Used once".to_owned(),
            (uses, None) => format!("Used {uses} times"),
        };
        Self {
            id: invite.id,
            link: app.urls().page(&format!("/invite/{}", invite.code)),
            comment: invite.comment.clone(),
            uses,
            expires: invite.expires_at.map(|at| Moment::of(at, now)),
            is_valid: invite.is_valid(now),
            follows: invite.autofollow,
        }
    }
}

/// The submitted form. Browsers do not send a checkbox that is not ticked.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct InviteForm {
    /// Empty if any number of people may use it.
    max_uses: String,
    /// Seconds; empty for never.
    expires_in: String,
    autofollow: bool,
    comment: String,
}

impl InviteForm {
    fn draft(&self) -> Result<InviteDraft, Domain> {
        let number = |text: &str, what: &str| match text.trim() {
            "" => Ok(None),
            typed => typed
                .parse()
                .map(Some)
                .map_err(|_| Domain::validation(format!("{what} must be a number"))),
        };
        InviteDraft::new(InviteParams {
            max_uses: number(&self.max_uses, "Max uses")?,
            expires_in: number(&self.expires_in, "Expires in")?,
            autofollow: self.autofollow,
            comment: self.comment.clone(),
        })
    }
}

async fn list(
    app: web::Data<App>,
    member: StaffMember<InviteUsers>,
    PageForm(query): PageForm<PageQuery>,
    PageForm(done): PageForm<Done>,
) -> Result<HttpResponse, PageError> {
    let request = query.request(ACCOUNT_PAGE)?;
    let form = InviteForm { expires_in: DEFAULT_LIFETIME.to_owned(), ..InviteForm::default() };
    let page =
        page(&app, &member.browser, member.account(), request, form, Problems::default()).await?;
    let done = match done.done.as_deref() {
        Some("created") => Some("The invite was created. Pass its link on."),
        Some("revoked") => Some("The invite was revoked."),
        _ => None,
    };
    Ok(show(StatusCode::OK, &InvitesPage { done, ..page })?)
}

async fn create(
    app: web::Data<App>,
    member: PostedStaff<InviteUsers>,
) -> Result<HttpResponse, PageError> {
    let typed: InviteForm = member.posted.decode()?;
    let (account, draft) = (member.account(), typed.draft());
    let created =
        app.write_prepared(draft, move |tx, draft| invites::create(tx, account, draft)).await;
    match created {
        Ok(_) => Ok(done(&app, "created")),
        Err(error) => {
            let problems = Problems::of(error, FIELDS)?.labelled(LABELS);
            let first = PageRequest::newest(ACCOUNT_PAGE.default);
            let browser = &member.posted.browser;
            let page = page(&app, browser, account, first, typed, problems).await?;
            Ok(show(page.problems.status(), &page)?)
        }
    }
}

async fn revoke(
    app: web::Data<App>,
    id: Path<String>,
    member: PostedStaff<InviteUsers>,
) -> Result<HttpResponse, PageError> {
    let id: InviteId = record_id(&id)?;
    let account = member.account();
    app.write(move |tx| invites::delete(tx, account, id)).await?;
    Ok(done(&app, "revoked"))
}

fn done(app: &App, what: &str) -> HttpResponse {
    see_other(&app.urls().page(&format!("{PAGE}?done={what}")))
}

async fn page(
    app: &App,
    browser: &Browser,
    account: AccountId,
    request: PageRequest,
    form: InviteForm,
    problems: Problems,
) -> Result<InvitesPage, PageError> {
    let now = app.now();
    let found: Page<Invite> =
        app.read(move |conn| invites::list(conn, account, ListedInvites::Own, request)).await?;
    Ok(InvitesPage {
        frame: Frame::of(app, browser, "Your invites"),
        done: None,
        problem: problems.of_form(),
        problems,
        lifetimes: lifetimes(&form.expires_in),
        form,
        most_uses: MAX_INVITE_USES,
        longest_comment: MAX_INVITE_COMMENT_CHARS,
        invites: found.items.iter().map(|invite| InviteItem::of(invite, app, now)).collect(),
        neighbours: Neighbours::of(PAGE, &found, request),
    })
}

fn lifetimes(chosen: &str) -> Vec<Choice> {
    LIFETIMES.map(|(value, words)| Choice { value, words, chosen: value == chosen }).into()
}
