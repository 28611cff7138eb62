//! Quotes of statuses, and who may quote a status.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use siskin_entities::{self as view, QuotePermission, QuotePolicy, Timestamp};
use siskin_ids::StatusId;

use crate::{
    lenient::present,
    status::{self, Status},
    urls::Urls,
};

/// Quote of a status. One of the two last fields is present: the quoted status, or only its id if
/// the quote itself is inside of a quoted status.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct Quote {
    /// A name of [`view::QuoteState`], or another one from other servers. Treat an unknown one as
    /// `unauthorized`.
    pub state: Cow<'static, str>,
    /// The quoted status; null if the state hides it. The author of a deleted quote gets it for a
    /// redraft even if the quote was revoked.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub quoted_status: Option<Option<Box<Status>>>,
    /// Id of the quoted status; null if the state hides it.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub quoted_status_id: Option<Option<StatusId>>,
}

/// Who may quote a status, and what this means for the viewer.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct QuoteApproval {
    /// Accounts whose quotes are accepted at once: `public`, `followers`, or other names from other
    /// servers. Empty if there are none but the author.
    #[serde(default)]
    pub automatic: Vec<Cow<'static, str>>,
    /// Accounts whose quotes the author decides about. Siskin sends an empty list.
    #[serde(default)]
    pub manual: Vec<Cow<'static, str>>,
    /// A name of [`QuotePermission`], or another one from other servers.
    pub current_user: Cow<'static, str>,
}

/// How much of the quoted status a quote contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Embedding {
    /// The whole status.
    Whole,
    /// Its id, because the quote is inside of a quoted status.
    IdOnly,
}

/// Renders a quote for its viewer at `now`.
pub(crate) fn render(
    quote: &view::Quote,
    embedding: Embedding,
    urls: &Urls,
    now: Timestamp,
) -> Quote {
    let quoted = quote.status.as_deref();
    let whole = |quoted| Box::new(status::render_body(quoted, None, Embedding::IdOnly, urls, now));
    let (quoted_status, quoted_status_id) = match embedding {
        Embedding::Whole => (Some(quoted.map(whole)), None),
        Embedding::IdOnly => (None, Some(quoted.map(|quoted| quoted.id))),
    };
    Quote { state: quote.state.as_str().into(), quoted_status, quoted_status_id }
}

pub(crate) fn render_approval(approval: view::QuoteApproval) -> QuoteApproval {
    let automatic = match approval.policy {
        QuotePolicy::Nobody => Vec::new(),
        policy => vec![policy.as_str().into()],
    };
    QuoteApproval { automatic, manual: Vec::new(), current_user: approval.viewer.as_str().into() }
}

/// Returns the JSON of [`render_approval`]. There are six possible values.
pub(crate) const fn approval_json(approval: view::QuoteApproval) -> &'static [u8] {
    use {QuotePermission as May, QuotePolicy as By};
    match (approval.policy, approval.viewer) {
        (By::Public, May::Automatic) => {
            br#"{"automatic":["public"],"manual":[],"current_user":"automatic"}"#
        }
        (By::Public, May::Denied) => {
            br#"{"automatic":["public"],"manual":[],"current_user":"denied"}"#
        }
        (By::Followers, May::Automatic) => {
            br#"{"automatic":["followers"],"manual":[],"current_user":"automatic"}"#
        }
        (By::Followers, May::Denied) => {
            br#"{"automatic":["followers"],"manual":[],"current_user":"denied"}"#
        }
        (By::Nobody, May::Automatic) => {
            br#"{"automatic":[],"manual":[],"current_user":"automatic"}"#
        }
        (By::Nobody, May::Denied) => br#"{"automatic":[],"manual":[],"current_user":"denied"}"#,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_constant_json_of_an_approval_is_that_of_serde() {
        for policy in QuotePolicy::ALL {
            for viewer in QuotePermission::ALL {
                let approval = view::QuoteApproval { policy, viewer };
                let rendered = serde_json::to_vec(&render_approval(approval)).unwrap();
                assert_eq!(approval_json(approval), rendered);
            }
        }
    }
}
