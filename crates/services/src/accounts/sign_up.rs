//! Sign-up: a visitor creates an account on a page, or through an application, which gets a token at
//! once.

use std::net::IpAddr;

use siskin_entities::{ExternalPerson, Invite, Settings, Timestamp, settings::Registrations};
use siskin_ids::{AccountId, ApplicationId};
use siskin_persistence::{
    Conn, Tx, accounts,
    external_identities::{self, LinkedUser},
    tokens::{self, NewToken},
};
use siskin_policy::sign_up::{Invitation, SignUpDecision, Way, decide, registrations_for};
use siskin_text::{TextLimit, is_blank, language};

use crate::{
    Error, Field, FieldError, Instance, Result, applications,
    authentication::Caller,
    emails::{self, Email},
    external_login::is_unfinished,
    instance_texts, invites,
    moderation::sign_ups,
    oauth::Issued,
    secrets,
    sign_up_blocks::{self, MailServers, ips},
};

use super::{
    create::{self, Created, NewAccount, Origin},
    moderation, names,
};

/// Maximum length of the reason, in characters. Staff read it before they approve an account.
const MAX_REASON: usize = 1000;

const CLOSED: &str = "Registrations are closed on this server";
const EXTERNAL: &str = "Accounts on this server are created by its sign-in provider";
const LOGIN_TAKEN: &str = "An account with this login exists already: sign in again";
const BLOCKED_NETWORK: &str = "Sign-ups from your network are not allowed";

/// Sign-up form as typed, with the application that sent it.
#[derive(Debug, Clone)]
pub struct SignUp {
    pub username: String,
    pub email: String,
    /// `None` for a user who signs in only through an external provider.
    pub password: Option<String>,
    /// Login at an external provider that will sign in to the account. Its email address replaces
    /// the typed one, if the provider is trusted to have verified it.
    pub person: Option<ExternalPerson>,
    /// When this person came back from the provider.
    pub arrived_at: Option<Timestamp>,
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

/// What a visitor may do: sign up, perhaps with an invite, perhaps only with an approval.
#[derive(Debug, Clone)]
pub struct Admission {
    needs_approval: bool,
    invite: Option<Invite>,
}

impl Admission {
    /// Returns `true` if the new account will wait for the approval of the staff.
    #[must_use]
    pub const fn needs_approval(&self) -> bool {
        self.needs_approval
    }
}

/// A sign-up that a block refused. It is no failure, so the transaction commits, and the refusal is
/// counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refused;

impl From<Refused> for Error {
    fn from(_: Refused) -> Self {
        sign_up_blocks::blocked_email()
    }
}

/// Sign-up after all checks that need no database.
#[derive(Debug, Clone)]
pub struct Prepared {
    account: create::Prepared,
    /// The invite that the person uses.
    invite: Option<Invite>,
    person: Option<ExternalPerson>,
    arrived_at: Option<Timestamp>,
    /// Whether the email address must be confirmed.
    needs_confirmation: bool,
    application: Option<ApplicationId>,
    scopes: String,
    return_to: Option<String>,
    /// Whether an email with a link to confirm the address is sent.
    sends_email: bool,
}

impl Prepared {
    /// Returns the email address of the new account.
    #[must_use]
    pub fn email(&self) -> &str {
        self.account.email_key()
    }

    /// Returns `true` if the address gets an email about the sign-up, whether or not it is taken.
    #[must_use]
    pub const fn sends_email(&self) -> bool {
        self.sends_email
    }

    /// Returns the sign-up without the email, for an address that has got too many. The person can
    /// request another one later.
    #[must_use]
    pub fn without_email(self) -> Self {
        Self { sends_email: false, ..self }
    }
}

/// Checks that registrations by form are open, also without an invite.
///
/// # Errors
/// [`Error::Forbidden`] with the operator's message, if there is one.
pub fn require_open(settings: &Settings) -> Result<()> {
    match registrations_for(Way::Form, settings.registrations, settings.external_only) {
        Registrations::Open | Registrations::Approval => Ok(()),
        Registrations::External => Err(Error::forbidden(EXTERNAL)),
        Registrations::None => Err(closed(settings)),
    }
}

fn closed(settings: &Settings) -> Error {
    let message = settings.registrations_message.as_str();
    Error::forbidden(if message.is_empty() { CLOSED } else { message })
}

/// Decides whether a visitor at this address may sign up in this way. A code of an invite that is
/// not valid counts only if registrations are closed.
///
/// # Errors
/// [`Error::Forbidden`] if registrations are closed, and for a blocked network.
pub fn admit(
    conn: &mut Conn,
    settings: &Settings,
    way: Way,
    address: IpAddr,
    invite_code: Option<&str>,
    now: Timestamp,
) -> Result<Admission> {
    let code = invite_code.map(str::trim).filter(|code| !code.is_empty());
    let found = match code {
        Some(code) => invites::find_valid(conn, code, now)?,
        None => None,
    };
    let (invite, invitation) =
        found.map_or((None, Invitation::None), |(invite, invitation)| (Some(invite), invitation));
    let severity = ips::severity_for(conn, address, now)?;
    let registrations = registrations_for(way, settings.registrations, settings.external_only);
    let needs_approval = match decide(registrations, invitation, severity) {
        SignUpDecision::Approved => false,
        SignUpDecision::NeedsApproval => true,
        SignUpDecision::Closed if code.is_some() => return Err(invites::no_longer_valid()),
        SignUpDecision::Closed => return Err(closed(settings)),
        SignUpDecision::External => return Err(Error::forbidden(EXTERNAL)),
        SignUpDecision::Blocked => return Err(Error::forbidden(BLOCKED_NETWORK)),
    };
    Ok(Admission { needs_approval, invite })
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
/// [`Error::InvalidFields`] that names each wrong field.
pub fn prepare(
    instance: &Instance,
    settings: &Settings,
    admission: Admission,
    form: SignUp,
) -> Result<Prepared> {
    let own_faults = faults(settings, &form);
    let SignUp { application, scopes, return_to, person, arrived_at, .. } = form;
    let verified = person.as_ref().and_then(verified_email).map(str::to_owned);
    let new = NewAccount {
        origin: Origin::SignUp,
        id: None,
        username: form.username.trim().to_owned(),
        email: verified.as_deref().unwrap_or(&form.email).trim().to_owned(),
        password: form.password,
        role: None,
        locale: form.locale.as_deref().and_then(language::normalise).map(str::to_owned),
        confirmed: !settings.email_confirmation || verified.is_some(),
        approved: !admission.needs_approval,
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
    let invite = admission.invite;
    Ok(Prepared {
        account,
        invite,
        person,
        arrived_at,
        needs_confirmation,
        application,
        scopes,
        return_to,
        sends_email: needs_confirmation,
    })
}

/// Returns the email address that a provider has verified, if this server can use it.
#[must_use]
pub fn verified_email(person: &ExternalPerson) -> Option<&str> {
    let verified = person.email.as_deref().filter(|_| person.email_is_verified);
    verified.filter(|email| names::email_faults(email).is_empty())
}

/// Returns the errors that only sign-up has.
fn faults(settings: &Settings, form: &SignUp) -> Vec<Field> {
    let mut faults = Vec::new();
    let username = form.username.trim();
    let is_known = names::is_reserved(username);
    if !is_known && names::is_in_list(&settings.sign_up_reserved_names, username) {
        faults.push(Field {
            name: "username",
            error: FieldError::Reserved,
            description: "is reserved".to_owned(),
        });
    }
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

/// Creates the account for a sign-up on a web page, without a token. A blocked email address is
/// refused first, so that the answer does not reveal whether an account has it. `mail_servers` are
/// those of [`Prepared::email`].
///
/// # Errors
/// [`Error::InvalidFields`] if the name is taken, or the address unless that is hidden;
/// [`Error::Forbidden`] if the invite was used up or deleted meanwhile; [`Error::Conflict`] if the
/// login at the provider has an account.
pub fn create_account(
    tx: &mut Tx<'_>,
    prepared: &Prepared,
    mail_servers: &MailServers,
) -> Result<Result<Created, Refused>> {
    let address = prepared.account.sign_up_ip();
    if sign_up_blocks::refuse_email(tx, prepared.email(), address, mail_servers)? {
        return Ok(Err(Refused));
    }
    if let Some(person) = &prepared.person {
        begin_again(tx, person, prepared.arrived_at)?;
        require_new(tx, person)?;
    }
    if let Some(invite) = &prepared.invite {
        invites::consume(tx, invite)?;
    }
    let account = match (create::apply(tx, &prepared.account), &prepared.person) {
        (Err(error @ Error::InvalidFields(_)), Some(person)) => {
            // Another request with the same login may have been faster, with the same address.
            require_new(tx, person)?;
            return Err(error);
        }
        (created, _) => created?,
    };
    if let Some(ExternalPerson { issuer, subject, .. }) = &prepared.person
        && !external_identities::insert(tx, account.id, issuer, subject)?
    {
        return Err(login_taken());
    }
    // The form says that the agreement includes them.
    instance_texts::accept_terms(tx, account.id)?;
    if let Some(invite) = &prepared.invite {
        invites::record_inviter(tx, account.id, invite)?;
    }
    if !prepared.needs_confirmation {
        sign_ups::announce(tx, account.id)?;
    } else if prepared.sends_email {
        let return_to = prepared.return_to.clone();
        emails::enqueue(tx, Email::Confirmation { account: account.id, return_to })?;
    }
    Ok(Ok(account))
}

/// Deletes the account of a sign-up with this login that was never confirmed, so that its name is
/// free, if it is older than the arrival of the person. A later one was created by the same form.
fn begin_again(
    tx: &mut Tx<'_>,
    person: &ExternalPerson,
    arrived_at: Option<Timestamp>,
) -> Result<()> {
    let is_former = |user: &LinkedUser| {
        is_unfinished(user) && arrived_at.is_some_and(|arrived| user.signed_up_at < arrived)
    };
    let find = |tx: &mut Tx<'_>| -> Result<Option<AccountId>> {
        let user = external_identities::find(tx, &person.issuer, &person.subject)?;
        Ok(user.filter(is_former).map(|user| user.owner.account))
    };
    let Some(former) = find(tx)? else { return Ok(()) };
    // A simultaneous confirmation either comes first, and the account stays, or is too late.
    accounts::lock(tx, &[former])?;
    if find(tx)? == Some(former) {
        moderation::delete_some(tx, former)?;
    }
    Ok(())
}

/// Checks that a login at a provider has no account, before the names of that count as taken.
fn require_new(tx: &mut Tx<'_>, person: &ExternalPerson) -> Result<()> {
    match external_identities::find(tx, &person.issuer, &person.subject)? {
        Some(_) => Err(login_taken()),
        None => Ok(()),
    }
}

fn login_taken() -> Error {
    Error::Conflict(LOGIN_TAKEN.to_owned())
}

/// Creates the account and its first token together. Other operations refuse the token until the
/// account is confirmed and approved.
///
/// # Errors
/// As [`create_account`].
pub fn apply(
    tx: &mut Tx<'_>,
    prepared: &Prepared,
    mail_servers: &MailServers,
) -> Result<Result<Issued, Refused>> {
    let account = match create_account(tx, prepared, mail_servers)? {
        Ok(account) => account,
        Err(refused) => return Ok(Err(refused)),
    };
    let token = secrets::generate();
    let row = NewToken {
        hash: &secrets::hash(&token),
        application: prepared.application,
        account: Some(account.id),
        scopes: &prepared.scopes,
    };
    tokens::insert(tx, &row)?;
    let scopes = prepared.scopes.clone();
    Ok(Ok(Issued { token, scopes, created_at: tx.now() }))
}
