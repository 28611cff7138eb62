//! Rules 1, 2, 3 and 17: answers of other servers.

use super::{MediaType, Refusal};
use crate::address::{Scheme, Uri};

/// Maximum number of redirects of one request.
pub const MAX_REDIRECTS: usize = 3;

/// Whether the id of the document is already known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attempt {
    /// Any address was requested, such as one that a user typed. The id may be another one.
    First,
    /// The id itself was requested, because an earlier answer carried it, or because only the
    /// document of this very id counts, such as that of the actor of an activity.
    OfId,
}

/// Answer to a request for a document.
#[derive(Debug, Clone, Copy)]
pub struct Answer<'a> {
    /// Requested address.
    pub requested: &'a Uri,
    /// Address that answered, after all redirects.
    pub answered: &'a Uri,
    /// Whether the id itself was requested.
    pub attempt: Attempt,
    /// Value of `Content-Type`; empty if there is none.
    pub content_type: &'a str,
    /// Value of `Content-Disposition`; `None` if there is none.
    pub disposition: Option<&'a str>,
}

/// What a fetched document is worth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DocumentVerdict {
    /// It counts for its id.
    Counts,
    /// It is discarded, and the caller requests its id, once.
    FetchId(Uri),
    /// It counts for nothing.
    Refused(Refusal),
}

/// Judges a fetched document by rules 1 and 2. It counts only for the id that it carries, and only
/// if that is the address that finally answered.
///
/// Otherwise every account that can upload a file to a server could speak for it, and an address
/// could redirect to the document of another account (GHSA-jhrq-qvrm-qr36, CVE-2024-23832, GHSA-8863,
/// CVE-2024-52591).
#[must_use]
pub fn document_counts(answer: &Answer<'_>, id: Option<&Uri>) -> DocumentVerdict {
    if answer.disposition.is_some_and(is_attachment) {
        return DocumentVerdict::Refused(Refusal::Attachment);
    }
    if MediaType::of_document(answer.content_type).is_none() {
        return DocumentVerdict::Refused(Refusal::ContentType);
    }
    let Some(id) = id else { return DocumentVerdict::Refused(Refusal::DocumentWithoutId) };
    let has_answered = id.is_same_request(&answer.answered.without_fragment());
    let was_asked = id.is_same_request(&answer.requested.without_fragment());
    match answer.attempt {
        Attempt::First if has_answered => DocumentVerdict::Counts,
        Attempt::OfId if has_answered && was_asked => DocumentVerdict::Counts,
        // Another request to the same address would get the same answer.
        Attempt::First if !was_asked && id.fragment().is_none() => {
            DocumentVerdict::FetchId(id.clone())
        }
        _ => DocumentVerdict::Refused(Refusal::OtherId),
    }
}

/// Returns `true` if `Content-Disposition` makes the answer a file to download. An unknown kind
/// counts as one (RFC 6266, section 4.2).
fn is_attachment(disposition: &str) -> bool {
    let kind = disposition.split(';').next().unwrap_or_default().trim();
    !kind.eq_ignore_ascii_case("inline")
}

/// Redirect of a request.
#[derive(Debug, Clone, Copy)]
pub struct Hop<'a> {
    /// Number of redirects before this one.
    pub before: usize,
    /// Address that redirects.
    pub from: &'a Uri,
    /// Address to which it leads. The guard judges it like every other address.
    pub to: &'a Uri,
    /// Whether the request has a body.
    pub has_body: bool,
}

/// Judges a redirect by rule 3. The address that finally answers is judged by [`document_counts`].
///
/// A delivery that is redirected would give what is private, and a signature, to another server
/// (CVE-2026-34148, CVE-2026-77632).
///
/// # Errors
/// Returns the reason if the redirect is not followed.
pub fn redirect_is_followed(hop: &Hop<'_>) -> Result<(), Refusal> {
    if hop.has_body {
        return Err(Refusal::RedirectOfDelivery);
    }
    if hop.before >= MAX_REDIRECTS {
        return Err(Refusal::Redirects);
    }
    let loses_tls =
        hop.from.origin().scheme() == Scheme::Https && hop.to.origin().scheme() == Scheme::Http;
    if loses_tls { Err(Refusal::RedirectScheme) } else { Ok(()) }
}

/// Returns `true` if a header may have this value by rule 17: it has no CR, LF or NUL, so it cannot
/// become several headers (GHSA-hcqf).
#[must_use]
pub fn header_value_is_safe(value: &str) -> bool {
    !value.contains(['\r', '\n', '\0'])
}
