//! How often one may ask. Counts live in the memory of this process, in windows of fixed length.
//!
//! Every request under the interface counts for its address (in [`crate::middleware`]) and for
//! the account whose token it carries (in the extractors of [`crate::auth`]); a route that is
//! dearer spends from a budget of its own by [`spend`]. The tightest of what a request spent from
//! is what its `X-RateLimit-*` headers tell.

mod limiter;

use std::{net::IpAddr, time::Duration};

use actix_web::{HttpMessage as _, HttpRequest, http::header::HeaderMap, web::Data};
use siskin_app::App;
use siskin_entities::Settings;
use siskin_ids::AccountId;
use siskin_services::Error as Domain;

pub(crate) use limiter::{Allowance, Limiter, RateLimit};

use crate::Result;

pub(crate) const TOO_MANY: &str = "Too many requests";
const FIVE_MINUTES: Duration = Duration::from_secs(300);
const HALF_AN_HOUR: Duration = Duration::from_secs(1800);

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Budget {
    /// Every request.
    Everything,
    /// New accounts.
    SignUp,
    /// Passwords tried.
    SignIn,
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
    /// Whose password is tried ([`siskin_services::sign_in::Candidate::whose`]).
    Login(String),
    /// The folded address that a mail would go to, whoever has it.
    Mailbox(String),
}

impl Subject {
    /// An address as it is counted: whoever has an IPv6 address has the 2^64 around it too.
    pub(crate) fn address(address: IpAddr) -> Self {
        Self::Address(match address {
            IpAddr::V6(address) => IpAddr::V6((address.to_bits() & !u128::from(u64::MAX)).into()),
            v4 @ IpAddr::V4(_) => v4,
        })
    }
}

impl Budget {
    fn limit(self, settings: &Settings) -> RateLimit {
        let of = |count, per| RateLimit { count, per };
        match self {
            Self::Everything => of(settings.rate_limits_requests, FIVE_MINUTES),
            Self::SignUp => of(settings.rate_limits_sign_up, HALF_AN_HOUR),
            Self::SignIn => of(settings.rate_limits_sign_in, FIVE_MINUTES),
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
    let (Some(app), Some(limiter)) =
        (request.app_data::<Data<App>>(), request.app_data::<Data<Limiter>>())
    else {
        return Err(Domain::internal("the limiter is not part of the server").into());
    };
    let settings = app.settings();
    let allowance = limiter.spend((budget, subject), budget.limit(&settings), app.now());
    let mut extensions = request.extensions_mut();
    let tightest = match extensions.get::<Allowance>() {
        Some(known) => known.tighter(allowance),
        None => allowance,
    };
    extensions.insert(tightest);
    if allowance.exceeded && settings.rate_limits_enabled {
        return Err(Domain::TooMany(TOO_MANY.to_owned()).into());
    }
    Ok(())
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
