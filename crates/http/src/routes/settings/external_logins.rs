//! `/settings/external-logins`: logins at external providers by which a person signs in. Changes
//! require the password, so that an unattended browser is not enough.

use actix_web::{HttpRequest, HttpResponse, http::StatusCode, web};
use askama::Template;
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{ExternalIdentity, ExternalProvider, Timestamp};
use siskin_services::{
    Error as Domain,
    external_login::{Links, Purpose, links, unlink as remove},
    sessions::SignedIn,
};

use super::{
    Done,
    account::verify,
    proof::{Proof, issuers},
};
use crate::{
    Result,
    browser::{Member, PostedMember},
    pages::{Frame, Moment, PageError, PageForm, Problem, go_to, show},
    routes::external::{ProviderLink, leave},
    table::Table,
};

const PAGE: &str = "/settings/external-logins";
const WRONG_PASSWORD: &str = "The password is wrong.";

pub(super) fn configure(table: &mut Table) {
    table
        .route(PAGE, web::get().to(list))
        .route("/settings/external-logins/unlink", web::post().to(unlink))
        .route("/settings/external-logins/{provider}/link", web::post().to(link));
}

#[derive(Template)]
#[template(path = "external_logins.html")]
struct LoginsPage {
    frame: Frame,
    done: Option<&'static str>,
    problem: Option<String>,
    proof: Proof,
    logins: Vec<LoginItem>,
    /// Providers that can be linked.
    others: Vec<ProviderLink>,
}

struct LoginItem {
    issuer: String,
    name: String,
    since: Moment,
    used: Moment,
}

impl LoginItem {
    fn of(app: &App, identity: ExternalIdentity, now: Timestamp) -> Self {
        Self {
            name: name_of(app, &identity.issuer),
            issuer: identity.issuer,
            since: Moment::of(identity.linked_at, now),
            used: Moment::of(identity.last_used_at, now),
        }
    }
}

/// Returns the name of a provider: its identifier if the operator has removed it.
fn name_of(app: &App, issuer: &str) -> String {
    let provider = app.providers().find(|provider| provider.issuer == issuer);
    provider.map_or_else(|| issuer.to_owned(), |provider| provider.name.clone())
}

async fn page(request: &HttpRequest, app: &App, member: &Member) -> Result<LoginsPage> {
    let SignedIn { account, session, .. } = member.signed_in;
    let proof = Proof::of(request, app, (account, session), PAGE).await?;
    let Links { identities, .. } = app.read(move |conn| links(conn, account)).await?;
    let is_free = |provider: &&ExternalProvider| {
        identities.iter().all(|identity| identity.issuer != provider.issuer)
    };
    let others = app.providers().filter(is_free).map(|provider| ProviderLink {
        path: format!("{PAGE}/{}/link", provider.id),
        name: provider.name.clone(),
    });
    let others = others.collect();
    let now = app.now();
    let logins = identities.into_iter().map(|identity| LoginItem::of(app, identity, now));
    Ok(LoginsPage {
        frame: Frame::of(app, &member.browser, "Your external logins"),
        done: None,
        problem: None,
        proof,
        logins: logins.collect(),
        others,
    })
}

async fn list(
    request: HttpRequest,
    app: web::Data<App>,
    member: Member,
    PageForm(done): PageForm<Done>,
) -> Result<HttpResponse, PageError> {
    let done = match done.done.as_deref() {
        Some("linked") => Some("The login was linked to your account."),
        Some("unlinked") => Some("The login was removed from your account."),
        _ => None,
    };
    let page = page(&request, &app, &member).await?;
    Ok(show(StatusCode::OK, &LoginsPage { done, ..page })?)
}

#[derive(Deserialize)]
struct ChangeForm {
    #[serde(default)]
    current_password: String,
    /// Identifier of the provider.
    #[serde(default)]
    issuer: String,
}

/// Shows the page again with the problem of a change.
async fn refuse(
    request: &HttpRequest,
    app: &App,
    form: PostedMember,
    error: crate::Error,
) -> Result<HttpResponse, PageError> {
    let problem = match error.domain() {
        Domain::Unauthenticated(_) => Problem::with_input(WRONG_PASSWORD),
        _ => Problem::of(error)?,
    };
    let member = Member { browser: form.posted.browser, signed_in: form.signed_in };
    let page = page(request, app, &member).await?;
    Ok(show(problem.status, &LoginsPage { problem: Some(problem.words), ..page })?)
}

/// Sends the person to the provider, to link the login there.
async fn link(
    request: HttpRequest,
    app: web::Data<App>,
    id: web::Path<String>,
    form: PostedMember,
) -> Result<HttpResponse, PageError> {
    let ChangeForm { current_password, .. } = form.posted.decode()?;
    if let Err(error) = verify(&request, &app, &form.signed_in, current_password).await {
        return refuse(&request, &app, form, error).await;
    }
    let SignedIn { account, session, .. } = form.signed_in;
    let purpose = Purpose::Link { account, session };
    leave(&request, &app, &form.posted.browser, &id, purpose, PAGE).await
}

async fn unlink(
    request: HttpRequest,
    app: web::Data<App>,
    form: PostedMember,
) -> Result<HttpResponse, PageError> {
    let typed: ChangeForm = form.posted.decode()?;
    match remove_login(&request, &app, &form.signed_in, typed).await {
        Ok(()) => Ok(go_to(&app.urls().page(&format!("{PAGE}?done=unlinked")))),
        Err(error) => refuse(&request, &app, form, error).await,
    }
}

async fn remove_login(
    request: &HttpRequest,
    app: &App,
    signed_in: &SignedIn,
    typed: ChangeForm,
) -> Result<()> {
    let ChangeForm { current_password, issuer } = typed;
    verify(request, app, signed_in, current_password).await?;
    let (settings, account) = (app.settings(), signed_in.account);
    let (usable, name) = (issuers(app), name_of(app, &issuer));
    let removed =
        app.write(move |tx| remove(tx, &settings, &usable, account, &issuer, &name)).await;
    Ok(removed?)
}
