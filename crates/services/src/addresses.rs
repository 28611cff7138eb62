//! Parses addresses of this server's pages and accounts, as users paste them and other programs
//! send them. Does not check that the page or account exists.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use siskin_entities::Urls;
use siskin_ids::StatusId;
use siskin_text::{Handle, Hashtag};

/// Page of this server that an address refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Local {
    /// Profile of the account with this user name.
    Profile(String),
    /// Status with this id, by the account with this user name.
    Status(String, StatusId),
    /// Hashtag with this name, folded by the hashtag rule.
    Tag(String),
}

/// Parses an address of this server. Returns `None` for other servers and for other pages.
#[must_use]
pub fn local(urls: &Urls, address: &str) -> Option<Local> {
    let (base, path) = address.trim().split_at_checked(urls.base().len())?;
    if !base.eq_ignore_ascii_case(urls.base()) {
        return None;
    }
    let path = path.split(['?', '#']).next()?.strip_prefix('/')?;
    // A segment is decoded on its own, because it may contain an escaped slash.
    let segments = path.strip_suffix('/').unwrap_or(path).split('/');
    let segments: Vec<Cow<'_, str>> = segments
        .map(|segment| percent_decode_str(segment).decode_utf8())
        .collect::<Result<_, _>>()
        .ok()?;
    let segments: Vec<&str> = segments.iter().map(Cow::as_ref).collect();
    let (username, rest) = match segments[..] {
        ["tags", name] => return Hashtag::parse(name).map(|tag| Local::Tag(tag.name)),
        ["users", name, ref rest @ ..] => (name, rest),
        [name, ref rest @ ..] => (name.strip_prefix('@')?, rest),
        [] => return None,
    };
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    if username.is_empty() || !username.bytes().all(is_word) {
        return None;
    }
    match rest {
        [] => Some(Local::Profile(username.to_owned())),
        [id] | ["statuses", id] => Some(Local::Status(username.to_owned(), id.parse().ok()?)),
        _ => None,
    }
}

/// Returns the user name of the local account that `text` names. `text` is a handle with the domain
/// of this server, or the address of a profile. Returns `None` for anything else.
#[must_use]
pub fn local_username(urls: &Urls, text: &str) -> Option<String> {
    if let Some(Local::Profile(username)) = local(urls, text) {
        return Some(username);
    }
    let handle = Handle::parse(text)?;
    handle.domain.is_some_and(|domain| urls.is_own_domain(&domain)).then_some(handle.username)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn urls() -> Urls {
        Urls::new("https://a.example", "a.example", "https://a.example/media")
    }

    fn read(address: &str) -> Option<Local> {
        local(&urls(), address)
    }

    #[test]
    fn local_usernames_are_parsed_from_handles_and_urls() {
        for text in [
            "@alice@a.example",
            " alice@A.Example ",
            "https://a.example/@alice",
            "https://a.example/users/alice/",
        ] {
            assert_eq!(local_username(&urls(), text).as_deref(), Some("alice"), "{text}");
        }
        for text in ["alice", "@alice@b.example", "https://a.example/@alice/1", "https://a.example"]
        {
            assert_eq!(local_username(&urls(), text), None, "{text}");
        }
    }

    #[test]
    fn profiles_are_recognised() {
        for address in [
            "https://a.example/@Alice_1",
            " https://a.example/@Alice_1/ ",
            "HTTPS://A.Example/@Alice_1",
            "https://a.example/users/Alice_1",
            "https://a.example/@Alice_1?x=/y#z",
            "https://a.example/%40Alice_1",
            "https://a.example/users/%41lice_1",
        ] {
            assert_eq!(read(address), Some(Local::Profile("Alice_1".to_owned())), "{address}");
        }
    }

    #[test]
    fn statuses_are_recognised() {
        for address in [
            "https://a.example/@alice/42",
            "https://a.example/users/alice/statuses/42",
            "https://a.example/@alice/42/#top",
            "https://a.example/%40alice/42?a=%",
            "https://a.example/@alice/%34%32",
        ] {
            let status = Local::Status("alice".to_owned(), StatusId::new(42));
            assert_eq!(read(address), Some(status), "{address}");
        }
    }

    #[test]
    fn hashtags_are_recognised() {
        for (address, name) in [
            ("https://a.example/tags/Birds", "birds"),
            ("https://a.example/tags/birds/?x#y", "birds"),
            ("https://a.example/tags/%E6%9D%B1%E4%BA%AC", "東京"),
            ("https://a.example/tags/東京", "東京"),
        ] {
            assert_eq!(read(address), Some(Local::Tag(name.to_owned())), "{address}");
        }
        for address in [
            "https://a.example/tags/",
            "https://a.example/tags/123",
            "https://a.example/tags/%FF",
            "https://a.example/tags/%00",
            "https://a.example/tags/a/b",
            "https://a.example/tags/a%2Fb",
        ] {
            assert_eq!(read(address), None, "{address}");
        }
    }

    #[test]
    fn other_addresses_are_not_recognised() {
        for address in [
            "",
            "https://a.example",
            "https://a.example/",
            "https://a.example/@",
            "https://a.example/@\u{ff41}lice",
            "https://a.example/users/al\u{200b}ice",
            "https://a.example/@alice/followers",
            "https://a.example/@alice/0",
            "https://a.example/@alice/042",
            "https://a.example/@alice%2F42",
            "https://a.example/%2540alice",
            "https://a.example/%FFalice",
            "https://a.example//@alice",
            "https://a.example/@alice//",
            "https://a.example/users",
            "https://a.example/@alice/99999999999999999999",
            "https://a.example/about/@alice",
            "https://a.example:3000/@alice",
            "https://a.example.evil/@alice",
            "https://b.example/@alice",
            "http://a.example/@alice",
            "https://a.examplé/@alice",
            "@alice@a.example",
        ] {
            assert_eq!(read(address), None, "{address}");
        }
    }
}
