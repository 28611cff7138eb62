//! How often one may ask. Counts live in the memory of this process, in windows of fixed length.
//!
//! `/health` has a budget of its own. Every other request under the interface counts for its address (in
//! [`crate::middleware`]) and for the account whose token it carries (in the extractors of
//! [`crate::auth`]); a route that is
//! dearer spends from a budget of its own by [`spend`]. The tightest of what a request spent from
//! is what its `X-RateLimit-*` headers tell. Budgets that others spend from too are not told
//! ([`spend_secretly`]).

mod limiter;

use std::{net::IpAddr, time::Duration};

use actix_web::{HttpMessage as _, HttpRequest, http::header::HeaderMap, web::Data};
use siskin_app::App;
use siskin_entities::Settings;
use siskin_ids::AccountId;
use siskin_services::{Error as Domain, sign_in};

pub(crate) use limiter::{Allowance, Limiter, RateLimit};

use crate::Result;

pub(crate) const TOO_MANY: &str = "Too many requests";
const FIVE_MINUTES: Duration = Duration::from_secs(300);
/// A hundred a second: more than any monitoring sends.
const HEALTH_CHECKS: u32 = 30_000;
const HALF_AN_HOUR: Duration = Duration::from_secs(1800);
/// The number of addresses that must try passwords at the same time to lock an owner out everywhere.
const NETWORKS: u32 = 10;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Budget {
    /// Every request.
    Everything,
    /// Checks whether the server is up. They do not spend from the budget of other requests, so that
    /// monitoring goes on whatever else its address does.
    Health,
    /// New accounts.
    SignUp,
    /// Passwords tried from one address.
    SignIn,
    /// Passwords tried from one address for one login.
    SignInHere,
    /// Passwords tried for one login from all addresses.
    SignInAnywhere,
    /// Applications registered.
    Register,
    /// Tokens for applications themselves.
    AppToken,
    /// Mails that are asked for.
    Mail,
    /// Statuses and reblogs taken back.
    Delete,
    /// Edits of statuses.
    Edit,
    /// Lists of follows.
    Import,
    /// Files for statuses.
    Upload,
    /// Statuses in another language, which cost the operator money.
    Translate,
}

/// For whom it is counted.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Subject {
    Account(AccountId),
    Address(IpAddr),
    /// A login, by its key ([`sign_in::counted_as`]).
    Login(String),
    /// A login at one address.
    LoginFrom(String, IpAddr),
    /// The folded address that a mail would go to, whoever has it.
    Mailbox(String),
}

impl Subject {
    /// An address as it is counted.
    pub(crate) fn address(address: IpAddr) -> Self {
        Self::Address(Self::network(address))
    }

    /// The first address of those that count as one: whoever has an IPv6 address has the 2^64 around it
    /// too.
    pub(crate) fn network(address: IpAddr) -> IpAddr {
        match address {
            IpAddr::V6(address) => IpAddr::V6((address.to_bits() & !u128::from(u64::MAX)).into()),
            v4 @ IpAddr::V4(_) => v4,
        }
    }
}

impl Budget {
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
            Self::Register => of(settings.rate_limits_apps, HALF_AN_HOUR),
            Self::AppToken => of(settings.rate_limits_app_tokens, HALF_AN_HOUR),
            Self::Mail => of(settings.rate_limits_mail, HALF_AN_HOUR),
            Self::Delete => of(settings.rate_limits_delete, HALF_AN_HOUR),
            Self::Import => of(settings.rate_limits_import, HALF_AN_HOUR),
            Self::Edit => of(settings.rate_limits_edit, HALF_AN_HOUR),
            Self::Translate => of(settings.rate_limits_translate, HALF_AN_HOUR),
            Self::Upload => of(settings.rate_limits_upload, HALF_AN_HOUR),
        }
    }
}

/// Spends one from a budget in the name of the request.
///
/// # Errors
/// [`Domain::TooMany`] where nothing was left, unless the operator switched the limits off.
pub(crate) fn spend(request: &HttpRequest, budget: Budget, subject: Subject) -> Result<()> {
    let (allowance, enforced) = count(request, budget, subject)?;
    let mut extensions = request.extensions_mut();
    let tightest = match extensions.get::<Allowance>() {
        Some(known) => known.tighter(allowance),
        None => allowance,
    };
    extensions.insert(tightest);
    require_left(allowance, enforced)
}

/// Spends one from a budget that the headers must not tell, because others spend from it too: what
/// is left would tell what they did.
///
/// # Errors
/// As [`spend`].
pub(crate) fn spend_secretly(
    request: &HttpRequest,
    budget: Budget,
    subject: Subject,
) -> Result<()> {
    let (allowance, enforced) = count(request, budget, subject)?;
    require_left(allowance, enforced)
}

/// Spends what an attempt to sign in with a password costs: for the address, for the login from
/// this address, and for the login. An attacker at one address uses up the first two, and does not
/// lock the owner out elsewhere.
///
/// # Errors
/// As [`spend`].
pub(crate) fn spend_sign_in(request: &HttpRequest, app: &App, login: &str) -> Result<()> {
    let address = Subject::network(crate::address::of(request));
    let login = sign_in::counted_as(app.instance(), login);
    for (budget, subject) in [
        (Budget::SignIn, Subject::Address(address)),
        (Budget::SignInHere, Subject::LoginFrom(login.clone(), address)),
        (Budget::SignInAnywhere, Subject::Login(login)),
    ] {
        spend_secretly(request, budget, subject)?;
    }
    Ok(())
}

fn require_left(allowance: Allowance, enforced: bool) -> Result<()> {
    if allowance.exceeded && enforced {
        return Err(Domain::TooMany(TOO_MANY.to_owned()).into());
    }
    Ok(())
}

/// Counts one, and returns what is left and whether limits are enforced.
fn count(request: &HttpRequest, budget: Budget, subject: Subject) -> Result<(Allowance, bool)> {
    let (Some(app), Some(limiter)) =
        (request.app_data::<Data<App>>(), request.app_data::<Data<Limiter>>())
    else {
        return Err(Domain::internal("the limiter is not part of the server").into());
    };
    let settings = app.settings();
    let allowance = limiter.spend((budget, subject), budget.limit(&settings), app.now());
    Ok((allowance, settings.rate_limits_enabled))
}

/// Tells what the request spent from.
pub(crate) fn tell(request: &HttpRequest, headers: &mut HeaderMap) {
    if let Some(allowance) = request.extensions().get::<Allowance>() {
        allowance.tell(headers);
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
