//! Owners of accounts in any state, for the few pages that disabled and suspended people may use,
//! too: decisions of the moderators, the export of the own data, and the deletion of the account.

use actix_web::{FromRequest, HttpRequest, dev::Payload};
use futures_util::future::LocalBoxFuture;
use siskin_ids::AccountId;
use siskin_services::sessions::RestrictedUser;

use super::{Browser, Posted, PostedSession, ReturnTo, require_set_up};
use crate::{admission::before_parameters, pages::PageError};

/// Paths of the pages, which other paths continue.
const PAGES: [&str; 3] = ["/disputes", "/settings/export", "/settings/delete-account"];
/// Page to which people with a restricted session are led.
const FIRST_PAGE: &str = "/disputes/strikes";

/// Why a session is restricted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Restriction {
    /// Staff disabled the login.
    Disabled,
    /// Staff suspended the account.
    Suspended,
}

impl Restriction {
    pub(super) const fn of(user: &RestrictedUser) -> Self {
        if user.is_suspended { Self::Suspended } else { Self::Disabled }
    }

    /// Returns a sentence for the person.
    pub(crate) const fn sentence(self) -> &'static str {
        match self {
            Self::Disabled => "Your login is disabled.",
            Self::Suspended => "Your account is suspended.",
        }
    }
}

/// Returns the page to show after a restricted session began: `wanted`, if the session reaches it.
pub(crate) fn page_of_holder(wanted: Option<ReturnTo>) -> Option<ReturnTo> {
    wanted.filter(is_for_holders).or_else(|| ReturnTo::parse(FIRST_PAGE))
}

fn is_for_holders(page: &ReturnTo) -> bool {
    let path = page.as_str().split(['?', '#']).next().unwrap_or_default();
    let is_below = |beginning: &str| {
        path.strip_prefix(beginning).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    !path.contains("..") && PAGES.into_iter().any(is_below)
}

/// A browser with a person who is signed in, perhaps with a restricted session. Others are
/// redirected to sign-in and return afterwards.
#[derive(Debug)]
pub(crate) struct Holder {
    pub(crate) browser: Browser,
    /// Account of the person.
    pub(crate) account: AccountId,
}

impl FromRequest for Holder {
    type Error = PageError;
    type Future = LocalBoxFuture<'static, Result<Self, PageError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let browser = Browser::from_request(request, payload);
        let cloned = request.clone();
        before_parameters(request, async move {
            let browser = browser.await?;
            require_ready(&cloned, &browser)?;
            let session = browser.session();
            let (account, _) = session.ok_or_else(|| PageError::sign_in_first(&cloned))?;
            Ok(Self { browser, account })
        })
    }
}

/// A form that a person sent from a page of this server, perhaps with a restricted session.
#[derive(Debug)]
pub(crate) struct PostedHolder {
    pub(crate) posted: Posted,
    /// Account of the person.
    pub(crate) account: AccountId,
}

impl FromRequest for PostedHolder {
    type Error = PageError;
    type Future = LocalBoxFuture<'static, Result<Self, PageError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let form = PostedSession::from_request(request, payload);
        let cloned = request.clone();
        before_parameters(request, async move {
            let PostedSession { posted, person: (account, _) } = form.await?;
            require_ready(&cloned, &posted.browser)?;
            Ok(Self { posted, account })
        })
    }
}

/// Checks that a person who is active does not have to set up a second factor first.
fn require_ready(request: &HttpRequest, browser: &Browser) -> Result<(), PageError> {
    browser.signed_in.as_ref().map_or(Ok(()), |signed_in| require_set_up(request, signed_in))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_restricted_session_leads_only_to_its_own_pages() {
        let page = |wanted: &str| page_of_holder(ReturnTo::parse(wanted)).unwrap().into_text();
        for own in [
            "/disputes/strikes/7",
            "/disputes/strikes?max_id=7",
            "/settings/export",
            "/settings/export/lists.csv",
            "/settings/delete-account",
        ] {
            assert_eq!(page(own), own);
        }
        for other in [
            "/",
            "/settings/profile",
            "/settings/exports",
            "/disputes/../settings/profile",
            "/oauth/authorize?x=/disputes",
            "//evil.example/disputes",
        ] {
            assert_eq!(page(other), FIRST_PAGE, "{other}");
        }
        assert_eq!(page_of_holder(None).unwrap().as_str(), FIRST_PAGE);
    }
}
