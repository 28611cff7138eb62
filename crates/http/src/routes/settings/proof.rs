//! Proof that the person at the browser owns the account, so that an unattended browser is not
//! enough for a change: the password or, for people who cannot use one, another sign-in at their
//! provider.

use actix_web::HttpRequest;
use siskin_app::App;
use siskin_entities::ExternalProvider;
use siskin_ids::{AccountId, SessionId};
use siskin_services::{
    Error as Domain,
    external_login::{Prover, is_proven, links},
};

use crate::{
    Result,
    browser::{self, Kind},
    pages::provider_path,
    routes::external::ProviderLink,
};

const MISSING: &str = "Confirm first who you are, with the button on this page";

/// How a person proves who they are, for a page with changes.
pub(super) struct Proof {
    /// `true` if the forms of the page need the password.
    pub(super) by_password: bool,
    /// `true` if the person who cannot use a password has given the proof.
    pub(super) is_given: bool,
    /// The providers that can give it.
    pub(super) providers: Vec<ProviderLink>,
    /// The page, to which the person returns.
    pub(super) page: String,
}

impl Proof {
    /// Returns how the person of this session proves who they are.
    pub(super) async fn of(
        request: &HttpRequest,
        app: &App,
        person: (AccountId, SessionId),
        page: impl Into<String>,
    ) -> Result<Self> {
        let page = page.into();
        let links = app.read(move |conn| links(conn, person.0)).await?;
        if links.confirm_with_password(&app.settings(), &issuers(app)) {
            return Ok(Self { by_password: true, is_given: false, providers: Vec::new(), page });
        }
        let is_given = is_given(request, app, person).await?;
        let is_linked = |provider: &&ExternalProvider| {
            links.identities.iter().any(|identity| identity.issuer == provider.issuer)
        };
        let link = |provider: &ExternalProvider| ProviderLink {
            path: format!("{}/prove", provider_path(&provider.id)),
            name: provider.name.clone(),
        };
        let providers = app.providers().filter(is_linked).map(link).collect();
        Ok(Self { by_password: false, is_given, providers, page })
    }
}

/// Returns `true` if the person with this account proves with the password who they are.
pub(super) async fn is_by_password(app: &App, account: AccountId) -> Result<bool> {
    let links = app.read(move |conn| links(conn, account)).await?;
    Ok(links.confirm_with_password(&app.settings(), &issuers(app)))
}

/// Returns the identifiers of all providers that the operator has configured.
pub(in crate::routes) fn issuers(app: &App) -> Vec<String> {
    app.providers().map(|provider| provider.issuer.clone()).collect()
}

/// Checks that a person who cannot use a password has just signed in at a provider once more.
///
/// # Errors
/// [`Domain::Forbidden`] if not.
pub(super) async fn require_given(
    request: &HttpRequest,
    app: &App,
    person: (AccountId, SessionId),
) -> Result<()> {
    if is_given(request, app, person).await? {
        Ok(())
    } else {
        Err(Domain::forbidden(MISSING).into())
    }
}

/// Returns `true` if the person of this session has just signed in at a provider once more.
pub(super) async fn is_given(
    request: &HttpRequest,
    app: &App,
    (account, session): (AccountId, SessionId),
) -> Result<bool> {
    let Some(sealed) = browser::get(request, Kind::ExternalProof) else { return Ok(false) };
    let (prover, now) = (Prover { account, session }, app.now());
    Ok(app.read(move |conn| is_proven(conn, prover, &sealed, now)).await?)
}
