//! Sign-up: a visitor creates an account through an application, and gets a token at once.

use siskin_entities::{Settings, settings::Registrations};
use siskin_ids::ApplicationId;
use siskin_persistence::{
    Conn, Tx,
    tokens::{self, NewToken},
};
use siskin_text::{TextLimit, is_blank, language};

use crate::{
    Error, Field, FieldError, Instance, Result, applications,
    authentication::Caller,
    emails::{self, Email},
    oauth::Issued,
    secrets,
};

use super::create::{self, Created, NewAccount, Origin};

/// Maximum length of the reason, in characters. Staff read it before they approve an account.
const MAX_REASON: usize = 1000;

const CLOSED: &str = "Registrations are closed on this server";
const EXTERNAL: &str = "Accounts on this server are created by its sign-in provider";

/// Sign-up form as typed, with the application that sent it.
#[derive(Debug, Clone)]
pub struct SignUp {
    pub username: String,
    pub email: String,
    pub password: String,
    /// Whether the user agrees to the rules of the server.
    pub agreement: bool,
    /// Language of the user's emails and pages, as the client names it.
    pub locale: Option<String>,
    /// Reason for the sign-up. Requested if staff approve accounts.
    pub reason: Option<String>,
    pub ip: Option<String>,
    /// Application that gets the token. `None` for a token of the command line.
    pub application: Option<ApplicationId>,
    /// Scopes of the token, separated by spaces.
    pub scopes: String,
    /// Page of this server to return to after the email address is confirmed.
    pub return_to: Option<String>,
}

/// Sign-up after all checks that need no database.
#[derive(Debug, Clone)]
pub struct Prepared {
    account: create::Prepared,
    /// Whether the email address must be confirmed.
    needs_confirmation: bool,
    application: Option<ApplicationId>,
    scopes: String,
    return_to: Option<String>,
}

/// Checks that registrations are open.
///
/// # Errors
/// [`Error::Forbidden`] with the operator's message, if there is one.
pub fn require_open(settings: &Settings) -> Result<()> {
    match settings.registrations {
        Registrations::Open | Registrations::Approval => Ok(()),
        Registrations::External => Err(Error::forbidden(EXTERNAL)),
        Registrations::None if settings.registrations_message.is_empty() => {
            Err(Error::forbidden(CLOSED))
        }
        Registrations::None => Err(Error::forbidden(settings.registrations_message.clone())),
    }
}

/// Returns the scopes of the token for a sign-up through the caller: all scopes that the
/// application registered.
///
/// # Errors
/// Storage errors only.
pub fn scopes(conn: &mut Conn, caller: &Caller) -> Result<String> {
    match caller.application {
        Some(application) => Ok(applications::find(conn, application)?.scopes),
        None => Ok(caller.scopes.to_string()),
    }
}

/// Checks the input and hashes the password, which is slow on purpose.
///
/// # Errors
/// [`Error::Forbidden`] if registrations are closed; [`Error::InvalidFields`] that names each wrong
/// field.
pub fn prepare(instance: &Instance, settings: &Settings, form: SignUp) -> Result<Prepared> {
    require_open(settings)?;
    let own_faults = faults(&form);
    let SignUp { application, scopes, return_to, .. } = form;
    let new = NewAccount {
        origin: Origin::SignUp,
        id: None,
        username: form.username.trim().to_owned(),
        email: form.email.trim().to_owned(),
        password: form.password,
        role: None,
        locale: form.locale.as_deref().and_then(language::normalise).map(str::to_owned),
        confirmed: !settings.email_confirmation,
        approved: settings.registrations != Registrations::Approval,
        reason: form.reason.filter(|reason| !is_blank(reason)),
        sign_up_ip: form.ip,
        application,
    };
    if !own_faults.is_empty() {
        let faults = create::faults(&new).into_iter().chain(own_faults);
        return Err(Error::InvalidFields(faults.collect()));
    }
    let needs_confirmation = !new.confirmed;
    let account = create::prepare(instance, new)?;
    Ok(Prepared { account, needs_confirmation, application, scopes, return_to })
}

/// Returns the errors in the fields that only sign-up has.
fn faults(form: &SignUp) -> Vec<Field> {
    let mut faults = Vec::new();
    if !form.agreement {
        faults.push(Field {
            name: "agreement",
            error: FieldError::Accepted,
            description: "must be accepted".to_owned(),
        });
    }
    if form.reason.as_ref().is_some_and(|it| !TextLimit::of(MAX_REASON).fits_code_points(it)) {
        faults.push(Field {
            name: "reason",
            error: FieldError::TooLong,
            description: format!("is too long (maximum is {MAX_REASON} characters)"),
        });
    }
    faults
}

/// Creates the account for a sign-up on a web page, without a token.
///
/// # Errors
/// [`Error::InvalidFields`] if the name or the address is taken.
pub fn create_account(tx: &mut Tx<'_>, prepared: &Prepared) -> Result<Created> {
    let account = create::apply(tx, &prepared.account)?;
    if prepared.needs_confirmation {
        let return_to = prepared.return_to.clone();
        emails::enqueue(tx, Email::Confirmation { account: account.id, return_to })?;
    }
    Ok(account)
}

/// Creates the account and its first token together. Other operations refuse the token until the
/// account is confirmed and approved.
///
/// # Errors
/// [`Error::InvalidFields`] if the name or the address is taken.
pub fn apply(tx: &mut Tx<'_>, prepared: &Prepared) -> Result<Issued> {
    let account = create_account(tx, prepared)?;
    let token = secrets::generate();
    let row = NewToken {
        hash: &secrets::hash(&token),
        application: prepared.application,
        account: Some(account.id),
        scopes: &prepared.scopes,
    };
    tokens::insert(tx, &row)?;
    Ok(Issued { token, scopes: prepared.scopes.clone(), created_at: tx.now() })
}
