//! Sign-up: a visitor creates an account through an application, and gets a token at once.

use std::net::IpAddr;

use siskin_entities::{Invite, Settings, Timestamp, settings::Registrations};
use siskin_ids::ApplicationId;
use siskin_persistence::{
    Conn, Tx,
    tokens::{self, NewToken},
};
use siskin_policy::sign_up::{Invitation, SignUpDecision, decide};
use siskin_text::{TextLimit, is_blank, language};

use crate::{
    Error, Field, FieldError, Instance, Result, applications,
    authentication::Caller,
    emails::{self, Email},
    instance_texts, invites,
    moderation::sign_ups,
    oauth::Issued,
    secrets,
    sign_up_blocks::{self, ips},
};

use super::{
    create::{self, Created, NewAccount, Origin},
    names,
};

/// Maximum length of the reason, in characters. Staff read it before they approve an account.
const MAX_REASON: usize = 1000;

const CLOSED: &str = "Registrations are closed on this server";
const EXTERNAL: &str = "Accounts on this server are created by its sign-in provider";
const BLOCKED_NETWORK: &str = "Sign-ups from your network are not allowed";

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
    /// Whether the email address must be confirmed.
    needs_confirmation: bool,
    application: Option<ApplicationId>,
    scopes: String,
    return_to: Option<String>,
}

/// Checks that registrations are open, also without an invite.
///
/// # Errors
/// [`Error::Forbidden`] with the operator's message, if there is one.
pub fn require_open(settings: &Settings) -> Result<()> {
    match settings.registrations {
        Registrations::Open | Registrations::Approval => Ok(()),
        Registrations::External => Err(Error::forbidden(EXTERNAL)),
        Registrations::None => Err(closed(settings)),
    }
}

fn closed(settings: &Settings) -> Error {
    let message = settings.registrations_message.as_str();
    Error::forbidden(if message.is_empty() { CLOSED } else { message })
}

/// Decides whether a visitor at this address may sign up. A code of an invite that is not valid
/// counts only if registrations are closed.
///
/// # Errors
/// [`Error::Forbidden`] if registrations are closed, and for a blocked network.
pub fn admit(
    conn: &mut Conn,
    settings: &Settings,
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
    let needs_approval = match decide(settings.registrations, invitation, severity) {
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
    Ok(Prepared { account, invite, needs_confirmation, application, scopes, return_to })
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
/// refused first, so that the answer does not reveal whether an account has it.
///
/// # Errors
/// [`Error::InvalidFields`] if the name or the address is taken; [`Error::Forbidden`] if the invite
/// was used up or deleted meanwhile.
pub fn create_account(tx: &mut Tx<'_>, prepared: &Prepared) -> Result<Result<Created, Refused>> {
    let (email, address) = (prepared.account.email_key(), prepared.account.sign_up_ip());
    if sign_up_blocks::refuse_email(tx, email, address)? {
        return Ok(Err(Refused));
    }
    if let Some(invite) = &prepared.invite {
        invites::consume(tx, invite)?;
    }
    let account = create::apply(tx, &prepared.account)?;
    // The form says that the agreement includes them.
    instance_texts::accept_terms(tx, account.id)?;
    if let Some(invite) = &prepared.invite {
        invites::record_inviter(tx, account.id, invite)?;
    }
    if prepared.needs_confirmation {
        let return_to = prepared.return_to.clone();
        emails::enqueue(tx, Email::Confirmation { account: account.id, return_to })?;
    } else {
        sign_ups::announce(tx, account.id)?;
    }
    Ok(Ok(account))
}

/// Creates the account and its first token together. Other operations refuse the token until the
/// account is confirmed and approved.
///
/// # Errors
/// As [`create_account`].
pub fn apply(tx: &mut Tx<'_>, prepared: &Prepared) -> Result<Result<Issued, Refused>> {
    let account = match create_account(tx, prepared)? {
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
