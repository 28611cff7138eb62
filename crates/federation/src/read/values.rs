//! Addresses in documents.

use super::{Member, ReadError, Reader};
use crate::{
    address::{Schemes, Uri},
    json::{Members, Value},
};

impl Reader {
    /// Returns the id of a value: an address, or an object with `id`, or a link with `href`.
    pub(crate) fn uri(self, value: &Value) -> Option<Uri> {
        let text = match value {
            Value::String(text) => text.as_str(),
            other => {
                let members = Members::of(other)?;
                members.text("id").or_else(|| members.text("href"))?
            }
        };
        Uri::parse(text, self.schemes).ok()
    }

    /// Returns the first id of a member.
    pub(super) fn uri_of(self, members: Members<'_>, name: &str) -> Option<Uri> {
        members.items(name).find_map(|value| self.uri(value))
    }

    /// Returns the ids of a member, without duplicates of neighbours, at most `limit`.
    pub(super) fn uris_of(self, members: Members<'_>, name: &str, limit: usize) -> Vec<Uri> {
        let mut uris: Vec<Uri> =
            members.items(name).filter_map(|value| self.uri(value)).take(limit).collect();
        uris.dedup();
        uris
    }

    /// Returns the `id` of a document, or `None` if it has none.
    ///
    /// # Errors
    /// Returns [`ReadError::Invalid`] if its id is no address of an allowed scheme.
    pub(super) fn optional_id(self, members: Members<'_>) -> Result<Option<Uri>, ReadError> {
        let Some(value) = members.get("id") else { return Ok(None) };
        let text = value.as_str().ok_or(ReadError::Invalid(Member::Id))?;
        let uri = Uri::parse(text, self.schemes).map_err(|_| ReadError::Invalid(Member::Id))?;
        Ok(Some(uri))
    }

    /// Returns the `id` of a document.
    pub(super) fn id(self, members: Members<'_>) -> Result<Uri, ReadError> {
        self.optional_id(members)?.ok_or(ReadError::Missing(Member::Id))
    }

    /// Returns the one id of a member that names exactly one thing.
    pub(super) fn only(self, members: Members<'_>, member: Member) -> Result<Uri, ReadError> {
        let mut values = members.items(member.as_str());
        let value = values.next().ok_or(ReadError::Missing(member))?;
        if values.next().is_some() {
            return Err(ReadError::Invalid(member));
        }
        self.uri(value).ok_or(ReadError::Invalid(member))
    }
}

/// Returns the address of a page for people: the first link of type `text/html`, else the first
/// address without a type. `http` is allowed, because pages are only linked.
pub(super) fn page(members: Members<'_>) -> Option<Uri> {
    let parse = |text: &str| Uri::parse(text, Schemes::HttpToo).ok();
    let html = members.objects("url").find_map(|link| {
        let is_html = link.text("mediaType").is_some_and(|it| essence(it) == "text/html");
        is_html.then(|| link.text("href").or_else(|| link.text("url")))?.and_then(parse)
    });
    html.or_else(|| {
        members.items("url").find_map(|value| match Members::of(value) {
            Some(link) if link.get("mediaType").is_none() => link.text("href").and_then(parse),
            Some(_) => None,
            None => value.as_str().and_then(parse),
        })
    })
}

/// Returns a media type in lower case without its parameters.
pub(super) fn essence(media_type: &str) -> String {
    media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}
