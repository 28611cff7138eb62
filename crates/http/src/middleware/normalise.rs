//! Normalisation of requests before routing: one spelling of a path, one method for reading.

use actix_web::{
    HttpMessage as _, HttpRequest,
    dev::ServiceRequest,
    http::{
        Method, Uri,
        uri::{Parts, PathAndQuery},
    },
};

/// Rewrites the path to its canonical spelling before anything else reads it. Limits, headers,
/// routes and the log all see the same path.
///
/// Characters that need no escape are written as themselves, and the other escapes in upper case.
/// Trailing slashes are removed: `/api/v1/instance/` is `/api/v1/instance`. An escaped slash,
/// percent sign or plus stays escaped, because it belongs to a name within the path.
pub(super) fn canonicalise(request: &mut ServiceRequest) {
    let path = request.path();
    let Some(path) = canonical(path) else { return };
    let target = match request.query_string() {
        "" => path,
        query => format!("{path}?{query}"),
    };
    let Some(uri) = with_target(request.uri().clone().into_parts(), &target) else { return };
    request.match_info_mut().get_mut().update(&uri);
    request.head_mut().uri = uri;
}

/// Returns the canonical spelling of a path. `None` if the path already has it.
fn canonical(path: &str) -> Option<String> {
    let is_trimmed = path.len() == 1 || !path.ends_with('/');
    if is_trimmed && !path.contains('%') {
        return None;
    }
    let mut normalised = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        match escaped(rest) {
            Some(byte) if needs_no_escape(byte) => normalised.push(byte),
            Some(_) => normalised.extend(rest[..3].to_ascii_uppercase()),
            None => normalised.push(first),
        }
        rest = if escaped(rest).is_some() { &rest[3..] } else { after };
    }
    let normalised = String::from_utf8(normalised).ok()?;
    let trimmed = normalised.trim_end_matches('/');
    let trimmed = if trimmed.is_empty() { "/" } else { trimmed };
    (trimmed != path).then(|| trimmed.to_owned())
}

/// Returns the byte of an escape such as `%41` at the beginning.
fn escaped(text: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = text else { return None };
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    Some((digit(*high)? << 4) | digit(*low)?)
}

/// Returns `true` for the characters of a path segment (RFC 3986, 3.3) except the plus sign. Forms
/// write a space as a plus, so an escaped and an unescaped plus differ.
fn needs_no_escape(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~!$&'()*,;=:@".contains(&byte)
}

fn with_target(mut parts: Parts, target: &str) -> Option<Uri> {
    parts.path_and_query = Some(target.parse::<PathAndQuery>().ok()?);
    Uri::from_parts(parts).ok()
}

/// Answers HEAD like GET: the route sees a GET, and the connection, which knows the original
/// method, leaves the body out.
pub(super) fn route_head_as_get(request: &mut ServiceRequest) {
    if request.method() == Method::HEAD {
        request.extensions_mut().insert(HeadOnly);
        request.head_mut().method = Method::GET;
    }
}

/// Marks a request that came as HEAD.
struct HeadOnly;

/// Returns `true` if the request came as HEAD: a route must not begin an endless response for it.
pub(crate) fn is_head_request(request: &HttpRequest) -> bool {
    request.extensions().contains::<HeadOnly>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_one_canonical_spelling() {
        for (sent, normalised) in [
            ("/%61pi/v1/instance/rules", "/api/v1/instance/rules"),
            ("/api/v1/%69nst%61nce", "/api/v1/instance"),
            ("/%40alice", "/@alice"),
            ("/api/v1/instance%2Frules", "/api/v1/instance%2Frules"),
            ("/api/v1/tags/%c3%a9t%C3%A9", "/api/v1/tags/%C3%A9t%C3%A9"),
            ("/api/v1/tags/a%2fb%25%2B+", "/api/v1/tags/a%2Fb%25%2B+"),
            ("/api/v1/tags/100%", "/api/v1/tags/100%"),
            ("/a%zz%4", "/a%zz%4"),
            ("/%2e%2e/a", "/../a"),
            ("/a%3F%23%20%00", "/a%3F%23%20%00"),
            ("/%2561pi", "/%2561pi"),
            ("//", "/"),
            ("/", "/"),
            ("/a//", "/a"),
            ("/a%2f/", "/a%2F"),
        ] {
            let once = canonical(sent).unwrap_or_else(|| sent.to_owned());
            assert_eq!(once, normalised, "{sent}");
            assert_eq!(canonical(&once), None, "{once} changes again");
        }
    }
}
