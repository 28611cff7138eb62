//! Rate limits. The counters live in the memory of this process, in windows of fixed length. Those
//! that protect passwords, codes, emails and sign-ups are also stored, so that a restart does not
//! reset them ([`Budget::is_kept`]).
//!
//! `/health` has a budget of its own. Every other request to the API counts for its address (in
//! [`crate::middleware`]) and for the account of its token (in the extractors of [`crate::auth`]).
//! An expensive route spends from a budget of its own by [`spend`]. The `X-RateLimit-*` headers
//! report the tightest budget of a request. They do not report a budget that other clients spend
//! from too ([`spend_unreported`]).

mod limiter;

use std::{net::IpAddr, time::Duration};

use actix_web::{HttpMessage as _, HttpRequest, http::header::HeaderMap, web::Data};
use siskin_app::App;
use siskin_entities::Settings;
use siskin_ids::AccountId;
use siskin_services::{
    Error as Domain,
    accounts::{email_key, sign_up},
    secrets, sign_in,
};

pub(crate) use limiter::{Allowance, Limiter, RateLimit};

use crate::Result;

pub(crate) const TOO_MANY: &str = "Too many requests";
const FIVE_MINUTES: Duration = Duration::from_secs(300);
/// Number of health checks in the period of the limit: a hundred a second, more than any monitoring
/// sends.
const HEALTH_CHECKS: u32 = 30_000;
/// Number of downloads of the own data, each of which may read many rows.
const EXPORTS: u32 = 60;
const HALF_AN_HOUR: Duration = Duration::from_secs(1800);
/// Number of addresses that must try passwords at the same time to lock the owner of a login out
/// everywhere.
const NETWORKS: u32 = 10;

/// A kind of request with a rate limit of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Budget {
    /// Every request.
    Everything,
    /// Health checks. They do not spend from the budget of other requests, so that monitoring works
    /// even if other requests from its address are refused.
    Health,
    /// New accounts.
    SignUp,
    /// Passwords tried from one address.
    SignIn,
    /// Passwords tried from one address for one login.
    SignInHere,
    /// Passwords tried for one login from all addresses.
    SignInAnywhere,
    /// Codes of second factors tried for one account from all addresses.
    SecondFactor,
    /// Registrations of applications.
    Register,
    /// Tokens for applications without an account.
    AppToken,
    /// Emails that a person requests.
    Mail,
    /// Deletions of statuses and reblogs.
    Delete,
    /// Edits of statuses.
    Edit,
    /// Imports of follow lists.
    Import,
    /// Downloads of the own data.
    Export,
    /// Reports, each of which staff get by email.
    Report,
    /// Uploads of media files for statuses.
    Upload,
    /// Translations of statuses, which cost the operator money.
    Translate,
}

/// The subject that a request counts for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Subject {
    Account(AccountId),
    Address(IpAddr),
    /// A login, by its key ([`sign_in::attempt_key`]).
    Login(String),
    /// A login at one address.
    LoginFrom(String, IpAddr),
    /// The normalised address that an email would go to, even if no account has it.
    Mailbox(String),
}

impl Subject {
    /// Returns the subject for an address.
    pub(crate) fn address(address: IpAddr) -> Self {
        Self::Address(Self::network(address))
    }

    /// Returns the first address of the network that counts as one client. A client with an IPv6
    /// address also has the 2^64 addresses around it.
    pub(crate) fn network(address: IpAddr) -> IpAddr {
        match address {
            IpAddr::V6(address) => IpAddr::V6((address.to_bits() & !u128::from(u64::MAX)).into()),
            v4 @ IpAddr::V4(_) => v4,
        }
    }
}

impl Budget {
    /// Returns `true` if the budget survives a restart. Those with many requests do not: what is
    /// stored costs a write.
    const fn is_kept(self) -> bool {
        matches!(
            self,
            Self::SignUp
                | Self::SignIn
                | Self::SignInHere
                | Self::SignInAnywhere
                | Self::SecondFactor
                | Self::Mail
        )
    }

    fn limit(self, settings: &Settings) -> RateLimit {
        let of = |count, per| RateLimit { count, per };
        match self {
            Self::Everything => of(settings.rate_limits_requests, FIVE_MINUTES),
            Self::Health => of(HEALTH_CHECKS, FIVE_MINUTES),
            Self::SignUp => of(settings.rate_limits_sign_up, HALF_AN_HOUR),
            Self::SignIn => of(settings.rate_limits_sign_in, FIVE_MINUTES),
            Self::SignInHere => of(settings.rate_limits_sign_in, HALF_AN_HOUR),
            Self::SignInAnywhere => {
                of(settings.rate_limits_sign_in.saturating_mul(NETWORKS), HALF_AN_HOUR)
            }
            Self::SecondFactor => of(settings.rate_limits_sign_in, HALF_AN_HOUR),
            Self::Register => of(settings.rate_limits_apps, HALF_AN_HOUR),
            Self::AppToken => of(settings.rate_limits_app_tokens, HALF_AN_HOUR),
            Self::Mail => of(settings.rate_limits_mail, HALF_AN_HOUR),
            Self::Delete => of(settings.rate_limits_delete, HALF_AN_HOUR),
            Self::Import => of(settings.rate_limits_import, HALF_AN_HOUR),
            Self::Export => of(EXPORTS, HALF_AN_HOUR),
            Self::Edit => of(settings.rate_limits_edit, HALF_AN_HOUR),
            Self::Report => of(settings.rate_limits_reports, HALF_AN_HOUR),
            Self::Translate => of(settings.rate_limits_translate, HALF_AN_HOUR),
            Self::Upload => of(settings.rate_limits_upload, HALF_AN_HOUR),
        }
    }
}

/// Spends one unit of a budget for the request.
///
/// # Errors
/// [`Domain::TooMany`] if nothing was left, unless the operator has disabled the limits.
pub(crate) fn spend(request: &HttpRequest, budget: Budget, subject: Subject) -> Result<()> {
    let (allowance, enforced) = count(request, budget, subject)?;
    let mut extensions = request.extensions_mut();
    let tightest = match extensions.get::<Allowance>() {
        Some(known) => known.tighter(allowance),
        None => allowance,
    };
    extensions.insert(tightest);
    require_not_exceeded(allowance, enforced)
}

/// Spends one unit of a budget that the headers must not report. Other clients spend from it too,
/// so that the rest would reveal their activity.
///
/// # Errors
/// As [`spend`].
pub(crate) fn spend_unreported(
    request: &HttpRequest,
    budget: Budget,
    subject: Subject,
) -> Result<()> {
    let (allowance, enforced) = count(request, budget, subject)?;
    require_not_exceeded(allowance, enforced)
}

/// Spends one email to an address, whether or not an account has it. Returns `false` if it gets no
/// more for a while. The response must then be the same, because it must not reveal what others
/// requested.
///
/// # Errors
/// As [`spend`], except for [`Domain::TooMany`].
pub(crate) fn spend_mail_to(request: &HttpRequest, address: &str) -> Result<bool> {
    spend_silently(request, Budget::Mail, Subject::Mailbox(email_key(address)))
}

fn spend_silently(request: &HttpRequest, budget: Budget, subject: Subject) -> Result<bool> {
    match spend_unreported(request, budget, subject) {
        Ok(()) => Ok(true),
        Err(error) if matches!(error.domain(), Domain::TooMany(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Spends the email of a sign-up, if one is sent. Returns the sign-up without the email if its
/// address gets no more for a while.
///
/// # Errors
/// As [`spend_mail_to`].
pub(crate) fn spend_mail_of(
    request: &HttpRequest,
    prepared: sign_up::Prepared,
) -> Result<sign_up::Prepared> {
    let mailbox = Subject::Mailbox(email_key(prepared.email()));
    let is_left = !prepared.sends_email() || spend_silently(request, Budget::SignUp, mailbox)?;
    Ok(if is_left { prepared } else { prepared.without_email() })
}

/// Spends one unit for an attempt to sign in with a password in each of three budgets: for the
/// address, for the login from this address, and for the login. An attacker at one address uses up
/// the first two and does not lock the owner out elsewhere.
///
/// # Errors
/// As [`spend`].
pub(crate) fn spend_sign_in(request: &HttpRequest, app: &App, login: &str) -> Result<()> {
    let address = Subject::network(crate::address::of(request));
    let login = sign_in::attempt_key(app.instance(), login);
    for (budget, subject) in [
        (Budget::SignIn, Subject::Address(address)),
        (Budget::SignInHere, Subject::LoginFrom(login.clone(), address)),
        (Budget::SignInAnywhere, Subject::Login(login)),
    ] {
        spend_unreported(request, budget, subject)?;
    }
    Ok(())
}

/// Spends one unit for a code of a second factor in each of two budgets: for the address, as a
/// password does, and for the account. Only clients that know the password can use up the second
/// one, so it is small: codes are short, and a client may have many addresses.
///
/// # Errors
/// As [`spend`].
pub(crate) fn spend_code(request: &HttpRequest, account: AccountId) -> Result<()> {
    let address = Subject::address(crate::address::of(request));
    spend_unreported(request, Budget::SignIn, address)?;
    spend_unreported(request, Budget::SecondFactor, Subject::Account(account))
}

fn require_not_exceeded(allowance: Allowance, enforced: bool) -> Result<()> {
    if allowance.exceeded && enforced {
        return Err(Domain::TooMany(TOO_MANY.to_owned()).into());
    }
    Ok(())
}

/// Returns the name under which a budget is stored: a hash, so that no address and no login is.
fn stored_name(budget: Budget, subject: &Subject) -> String {
    secrets::hash(&format!("{budget:?} {subject:?}"))
}

/// Counts one unit. Returns the rest of the budget and whether limits are enforced.
fn count(request: &HttpRequest, budget: Budget, subject: Subject) -> Result<(Allowance, bool)> {
    let (Some(app), Some(limiter)) =
        (request.app_data::<Data<App>>(), request.app_data::<Data<Limiter>>())
    else {
        return Err(Domain::internal("the rate limiter is not registered").into());
    };
    let (settings, now) = (app.settings(), app.now());
    let limit = budget.limit(&settings);
    let allowance = if budget.is_kept() {
        limiter.spend_kept(stored_name(budget, &subject), limit, now)
    } else {
        limiter.spend((budget, subject), limit, now)
    };
    Ok((allowance, settings.rate_limits_enabled))
}

/// Writes the tightest budget of the request into the response headers.
pub(crate) fn write_headers(request: &HttpRequest, headers: &mut HeaderMap) {
    if let Some(allowance) = request.extensions().get::<Allowance>() {
        allowance.write_headers(headers);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_neighbours_of_an_ipv6_address_are_one_subject() {
        let of = |address: &str| Subject::address(address.parse().unwrap());
        assert_eq!(of("2001:db8:1:2:3:4:5:6"), of("2001:db8:1:2::"));
        assert_ne!(of("2001:db8:1:2::"), of("2001:db8:1:3::"));
        assert_ne!(of("10.0.0.1"), of("10.0.0.2"));
    }
}
