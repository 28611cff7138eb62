//! Content types of documents (RFC 9110, section 8.3; `ActivityPub`, section 3.2).
//!
//! The parser is strict: a type that programs may read in two ways is none (GHSA-jhrq, uploads that
//! pose as actors).

/// Profile of `ActivityStreams`.
const PROFILE: &str = "https://www.w3.org/ns/activitystreams";

/// Type of documents of the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MediaType {
    /// `application/activity+json`
    ActivityJson,
    /// `application/ld+json`
    LdJson,
}

impl MediaType {
    /// Returns the type of a delivered activity or of a link. A profile may be missing.
    ///
    /// ```
    /// use siskin_federation::rules::MediaType;
    ///
    /// assert_eq!(MediaType::parse("application/ld+json"), Some(MediaType::LdJson));
    /// assert_eq!(MediaType::of_document("application/ld+json"), None);
    /// assert_eq!(MediaType::parse("application/json"), None);
    /// ```
    #[must_use]
    pub fn parse(content_type: &str) -> Option<Self> {
        Self::of(&ContentType::parse(content_type)?)
    }

    fn of(parsed: &ContentType) -> Option<Self> {
        match parsed.essence.as_str() {
            "application/activity+json" => Some(Self::ActivityJson),
            "application/ld+json" => Some(Self::LdJson),
            _ => None,
        }
    }

    /// Returns the type of a fetched document: `application/activity+json`, or
    /// `application/ld+json` with the profile of `ActivityStreams`.
    #[must_use]
    pub fn of_document(content_type: &str) -> Option<Self> {
        let parsed = ContentType::parse(content_type)?;
        let media_type = Self::of(&parsed)?;
        let mut profiles = parsed.parameter("profile").unwrap_or_default().split_ascii_whitespace();
        let counts = media_type == Self::ActivityJson || profiles.any(|it| it == PROFILE);
        counts.then_some(media_type)
    }
}

/// Returns `true` for types in which `WebFinger` answers (RFC 7033, section 10.2).
#[must_use]
pub fn is_webfinger_type(content_type: &str) -> bool {
    has_essence(content_type, &["application/jrd+json", "application/json"])
}

/// Returns `true` for types of host metadata (RFC 6415).
#[must_use]
pub fn is_host_meta_type(content_type: &str) -> bool {
    let xml = ["application/xrd+xml", "application/xml", "text/xml"];
    has_essence(content_type, &xml) || is_webfinger_type(content_type)
}

/// Returns `true` for JSON, in which `NodeInfo` answers.
#[must_use]
pub fn is_json_type(content_type: &str) -> bool {
    has_essence(content_type, &["application/json"])
}

fn has_essence(content_type: &str, wanted: &[&str]) -> bool {
    ContentType::parse(content_type).is_some_and(|it| wanted.contains(&it.essence.as_str()))
}

struct ContentType {
    /// Type and subtype in lower case.
    essence: String,
    parameters: Vec<(String, String)>,
}

impl ContentType {
    /// Parses a type. Returns `None` for a syntax error, a parameter that comes twice, and a
    /// charset other than UTF-8.
    fn parse(text: &str) -> Option<Self> {
        let (essence, mut rest) = text.split_at(text.find(';').unwrap_or(text.len()));
        let essence = essence.trim_matches([' ', '\t']).to_ascii_lowercase();
        let (kind, subtype) = essence.split_once('/')?;
        if !is_token(kind) || !is_token(subtype) {
            return None;
        }
        let mut parsed = Self { essence, parameters: Vec::new() };
        while let Some(after) = rest.strip_prefix(';') {
            rest = parsed.read_parameter(after.trim_start_matches([' ', '\t']))?;
        }
        let is_utf8 = parsed.parameter("charset").is_none_or(|it| it.eq_ignore_ascii_case("utf-8"));
        (rest.is_empty() && is_utf8).then_some(parsed)
    }

    /// Reads a parameter, which may be empty, and returns what follows it.
    fn read_parameter<'t>(&mut self, text: &'t str) -> Option<&'t str> {
        if text.is_empty() || text.starts_with(';') {
            return Some(text);
        }
        let (name, after) = text.split_once('=')?;
        let name = name.to_ascii_lowercase();
        let (value, rest) = match after.strip_prefix('"') {
            Some(quoted) => quoted_string(quoted)?,
            None => {
                let end = after.find([';', ' ', '\t']).unwrap_or(after.len());
                let (value, rest) = after.split_at(end);
                (is_token(value).then(|| value.to_owned())?, rest)
            }
        };
        if !is_token(&name) || self.parameter(&name).is_some() {
            return None;
        }
        self.parameters.push((name, value));
        Some(rest.trim_start_matches([' ', '\t']))
    }

    fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(it, _)| it == name).map(|(_, value)| value.as_str())
    }
}

/// Reads the rest of a quoted string, and returns its text and what follows it.
fn quoted_string(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut characters = text.char_indices();
    while let Some((at, c)) = characters.next() {
        match c {
            '"' => return Some((value, text.get(at + 1..)?)),
            '\\' => value.push(characters.next()?.1),
            c if c.is_control() && c != '\t' => return None,
            c => value.push(c),
        }
    }
    None
}

/// Returns `true` for a token of RFC 9110, section 5.6.2.
fn is_token(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_have_a_type_of_their_own() {
        for content_type in [
            "application/activity+json",
            "Application/Activity+JSON",
            "application/activity+json; charset=utf-8",
            "application/activity+json;charset=\"UTF-8\"",
            "application/activity+json ; charset=utf-8",
            "application/activity+json;",
            "application/ld+json; profile=\"https://www.w3.org/ns/activitystreams\"",
            "application/ld+json;charset=utf-8;profile=\"https://www.w3.org/ns/activitystreams\"",
            "application/ld+json; profile=\"http://a.example/x https://www.w3.org/ns/activitystreams\"",
        ] {
            assert!(MediaType::of_document(content_type).is_some(), "{content_type}");
        }
    }

    #[test]
    fn types_with_tricks_are_refused() {
        for content_type in [
            "",
            "text/html",
            "text/plain",
            "application/json",
            "application/octet-stream",
            "application/ld+json",
            "application/ld+json; profile=\"https://www.w3.org/ns/activitystreams#\"",
            "application/ld+json; profile=https://www.w3.org/ns/activitystreams",
            "application/ld+json; profile=\"http://a.example\"; profile=\"https://www.w3.org/ns/activitystreams\"",
            "application/ld+json; x=\"; profile=https://www.w3.org/ns/activitystreams\"",
            "application/activity+json, text/html",
            "text/html, application/activity+json",
            "text/html; application/activity+json",
            "text/html; x=application/activity+json",
            "application/activity+json; charset=utf-7",
            "application/activity+json; charset=utf-8; charset=utf-7",
            "application/activity+json text/html",
            "application/activity+json; charset=utf-8 text/html",
            "application/activity+jsonx",
            "application/activity json",
            "application//activity+json",
            "application/activity+json; charset=\"utf-8",
            "application/activity+json\r\nX: y",
            "application/activity+json; x=\"a\nb\"",
        ] {
            assert_eq!(MediaType::of_document(content_type), None, "{content_type}");
        }
    }

    #[test]
    fn an_inbox_takes_both_types() {
        for (content_type, is_taken) in [
            ("application/activity+json", true),
            ("application/ld+json", true),
            ("application/ld+json; profile=\"https://www.w3.org/ns/activitystreams\"", true),
            ("application/json", false),
            ("text/html", false),
        ] {
            assert_eq!(MediaType::parse(content_type).is_some(), is_taken, "{content_type}");
        }
    }

    #[test]
    fn other_answers_have_their_own_types() {
        assert!(is_webfinger_type("application/jrd+json; charset=utf-8"));
        assert!(is_webfinger_type("application/json") && !is_webfinger_type("text/html"));
        assert!(is_host_meta_type("application/xrd+xml; charset=utf-8"));
        assert!(is_json_type(
            "application/json; profile=\"http://nodeinfo.diaspora.software/ns/schema/2.0#\""
        ));
    }
}
