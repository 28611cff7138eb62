//! Whose e-mail address it is: confirming it, changing it, and a forgotten password, for which the
//! address stands in.

use siskin_entities::Timestamp;
use siskin_ids::{AccountId, ApplicationId};
use siskin_persistence::{
    Conn, Error as Storage, Tx,
    accounts::{self as rows, Decision},
    mailed_links::{self, MailedLink, Purpose},
    users::{self, Addressee},
};

use super::{
    create::taken,
    names::{email_faults, email_key},
    standing::{self, NewPassword},
};
use crate::{
    Error, Field, Result,
    letters::{self, Letter},
    secrets,
};

const CONFIRMED: &str = "The e-mail address is confirmed already";
const ANOTHER_APPLICATION: &str = "Another application was used to sign up";

/// What became of a link that was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confirmed {
    pub username: String,
    /// Whether the staff still has to admit the person.
    pub waits: bool,
    /// The page of this server that the person was on the way to.
    pub return_to: Option<String>,
}

/// An address that somebody may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEmail(String);

impl NewEmail {
    /// Checks what was typed.
    ///
    /// # Errors
    /// [`Error::InvalidFields`].
    pub fn parse(typed: &str) -> Result<Self> {
        let email = typed.trim();
        let field = |(error, description)| Field { name: "email", error, description };
        let faults: Vec<Field> = email_faults(email).into_iter().map(field).collect();
        if faults.is_empty() {
            Ok(Self(email.to_owned()))
        } else {
            Err(Error::InvalidFields(faults))
        }
    }
}

/// Sends the letter of confirmation again to somebody who signed up through `application`, to
/// another address where one is given.
///
/// # Errors
/// [`Error::Forbidden`] for those who are confirmed, and for other applications;
/// [`Error::InvalidFields`] where somebody else has the address.
pub fn resend(
    tx: &mut Tx<'_>,
    account: AccountId,
    application: Option<ApplicationId>,
    email: Option<&NewEmail>,
) -> Result<()> {
    let person = locked(tx, account)?;
    if person.owner.confirmed {
        return Err(Error::forbidden(CONFIRMED));
    }
    if person.application != application {
        return Err(Error::forbidden(ANOTHER_APPLICATION));
    }
    if let Some(NewEmail(email)) = email
        && *email != person.email
    {
        set_email(tx, account, email)?;
        mailed_links::delete_of(tx, account, Purpose::Confirmation)?;
    }
    letters::enqueue(tx, Letter::Confirmation { account, return_to: None })
}

/// Asks the new address of a person whether it is theirs.
///
/// # Errors
/// [`Error::InvalidFields`] where somebody else has it.
pub fn ask_for_change(tx: &mut Tx<'_>, account: AccountId, email: &NewEmail) -> Result<()> {
    let NewEmail(email) = email;
    locked(tx, account)?;
    require_free(tx, account, email)?;
    mailed_links::delete_of(tx, account, Purpose::Email)?;
    letters::enqueue(tx, Letter::EmailChange { account, email: email.clone() })
}

/// Replaces a person's address at the operator's word, who knows that it is theirs. Links that were
/// sent to the former address no longer work.
///
/// # Errors
/// [`Error::NotFound`] if the account is no person's; [`Error::InvalidFields`] if another person has
/// the address.
pub fn replace(tx: &mut Tx<'_>, account: AccountId, email: &NewEmail) -> Result<()> {
    locked(tx, account)?;
    set_email(tx, account, &email.0)?;
    for purpose in [Purpose::Confirmation, Purpose::Email, Purpose::Password] {
        mailed_links::delete_of(tx, account, purpose)?;
    }
    standing::decide(tx, account, Decision::Confirm)
}

/// Uses up a link that proves that an address is somebody's.
///
/// # Errors
/// [`Error::NotFound`] where it does not work (any more); [`Error::InvalidFields`] where somebody
/// else has the address by now.
pub fn confirm(tx: &mut Tx<'_>, token: &str) -> Result<Confirmed> {
    let hash = secrets::hash(token);
    let now = tx.now();
    let found = match mailed_links::find(tx, &hash, Purpose::Confirmation, now)? {
        Some(link) => Some((Purpose::Confirmation, link)),
        None => {
            mailed_links::find(tx, &hash, Purpose::Email, now)?.map(|link| (Purpose::Email, link))
        }
    };
    let Some((purpose, link)) = found else { return Err(Error::NotFound) };
    let person = locked(tx, link.account)?;
    if mailed_links::take(tx, &hash, purpose)?.is_none() {
        return Err(Error::NotFound);
    }
    match purpose {
        Purpose::Email => change(tx, &person, &link)?,
        Purpose::Confirmation | Purpose::Password if link.email != person.email => {
            return Err(Error::NotFound);
        }
        Purpose::Confirmation | Purpose::Password => {}
    }
    mailed_links::delete_of(tx, link.account, purpose)?;
    standing::decide(tx, link.account, Decision::Confirm)?;
    Ok(Confirmed {
        username: person.username,
        waits: !person.owner.approved,
        return_to: link.return_to,
    })
}

/// The former address is told, in case the change is a thief's; links that were sent to it work no
/// more.
fn change(tx: &mut Tx<'_>, person: &Addressee, link: &MailedLink) -> Result<()> {
    let account = link.account;
    set_email(tx, account, &link.email)?;
    mailed_links::delete_of(tx, account, Purpose::Password)?;
    letters::enqueue(tx, Letter::EmailChanged { account, former: person.email.clone() })
}

/// Sends a letter to whoever has this address, if anybody has, with a link to choose another
/// password. Does the same for all addresses.
///
/// # Errors
/// Storage errors only.
pub fn forgot_password(tx: &mut Tx<'_>, email: &str, return_to: Option<String>) -> Result<()> {
    letters::enqueue(tx, Letter::PasswordReset { email: email.trim().to_owned(), return_to })
}

/// Sends the letter of confirmation again to whoever signed up with this address, if anybody did.
/// Does the same for all addresses.
///
/// # Errors
/// Storage errors only.
pub fn confirm_again(tx: &mut Tx<'_>, email: &str, return_to: Option<String>) -> Result<()> {
    letters::enqueue(tx, Letter::ConfirmationTo { email: email.trim().to_owned(), return_to })
}

/// Whether the link with this token lets somebody choose another password.
///
/// # Errors
/// Storage errors only.
pub fn may_reset(conn: &mut Conn, token: &str, now: Timestamp) -> Result<bool> {
    Ok(mailed_links::find(conn, &secrets::hash(token), Purpose::Password, now)?.is_some())
}

/// Uses up such a link. Every session, token and code of the person ends; the address is theirs,
/// as they read what was sent to it. Returns the page that the person was on the way to.
///
/// # Errors
/// [`Error::NotFound`] where the link does not work (any more), or the person may not come back.
pub fn reset_password(
    tx: &mut Tx<'_>,
    token: &str,
    password: &NewPassword,
) -> Result<Option<String>> {
    let hash = secrets::hash(token);
    let link = mailed_links::take(tx, &hash, Purpose::Password)?.ok_or(Error::NotFound)?;
    let person = locked(tx, link.account)?;
    if person.email != link.email || person.owner.disabled || person.owner.suspended {
        return Err(Error::NotFound);
    }
    standing::set_password(tx, link.account, password)?;
    standing::decide(tx, link.account, Decision::Confirm)?;
    Ok(link.return_to)
}

/// The person, whose address nobody changes until the transaction ends.
fn locked(tx: &mut Tx<'_>, account: AccountId) -> Result<Addressee> {
    rows::lock(tx, &[account])?;
    users::addressee(tx, account)?.ok_or(Error::NotFound)
}

/// The unique index decides between two who want one address at the same moment.
fn set_email(tx: &mut Tx<'_>, account: AccountId, email: &str) -> Result<()> {
    require_free(tx, account, email)?;
    match users::set_email(tx, account, email, &email_key(email)) {
        Err(Storage::Duplicate) => Err(taken(&["email"])),
        other => Ok(other?),
    }
}

fn require_free(tx: &mut Tx<'_>, account: AccountId, email: &str) -> Result<()> {
    match users::find_by_email(tx, &email_key(email))? {
        Some(owner) if owner != account => Err(taken(&["email"])),
        _ => Ok(()),
    }
}
