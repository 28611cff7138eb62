//! Names of accounts: handles and usernames.
//!
//! This module defines syntax and comparison. It does not know which names exist or are reserved.

use crate::{
    characters::{is_invisible, joined_words_length},
    domain::normalise_domain,
};
use std::fmt;
use unicode_normalization::UnicodeNormalization;

/// Maximum length of a local username, in characters.
pub const MAX_USERNAME_LENGTH: usize = 30;

/// `username` or `username@domain`: the written name of an account.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Handle {
    /// Username in its typed case; compare it by [`username_key`].
    pub username: String,
    /// Domain in lower-case ASCII, with its port if it has one; `None` if none was given.
    pub domain: Option<String>,
}

impl Handle {
    /// Parses a handle from a look-up. Surrounding spaces and one leading `@` are ignored.
    ///
    /// Returns `None` for anything else, and for look-alikes (full-width letters, invisible
    /// characters, a trailing dot). These must not lead to an account whose name only looks the
    /// same.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let text = text.strip_prefix('@').unwrap_or(text);
        match text.split_once('@') {
            Some((username, domain)) => Self::new(username, Some(domain)),
            None => Self::new(text, None),
        }
    }

    /// Builds a handle from its two parts as typed. Returns `None` unless both are well-formed.
    pub(crate) fn new(username: &str, domain: Option<&str>) -> Option<Self> {
        if username.is_empty() || username_length(username) != username.len() {
            return None;
        }
        let domain = match domain {
            Some(domain) => Some(normalise_domain(domain)?),
            None => None,
        };
        Some(Self { username: username.to_owned(), domain })
    }

    /// Returns the comparison key of the handle: username key and domain.
    pub(crate) fn key(&self) -> (String, Option<&str>) {
        (username_key(&self.username), self.domain.as_deref())
    }
}

impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.username)?;
        self.domain.iter().try_for_each(|domain| write!(f, "@{domain}"))
    }
}

/// Returns the length in bytes of the longest prefix that may be a username. Other servers allow
/// dots and hyphens inside of names.
pub(crate) fn username_length(text: &str) -> usize {
    joined_words_length(text, |c| c == '_' || c.is_ascii_alphanumeric())
}

/// Returns the comparison key of a username. It is unique among the accounts of a domain.
///
/// Compatibility forms (full-width letters and similar) and case are folded; invisible and
/// directional characters are dropped. So two accounts cannot have names that look the same. The
/// key serves comparison only: look-ups parse names with [`Handle::parse`], which rejects such
/// forms.
pub fn username_key(username: &str) -> String {
    let visible = username.chars().filter(|&c| !is_invisible(c));
    let folded: String = visible.nfkc().flat_map(char::to_lowercase).collect();
    folded.nfc().filter(|&c| !is_invisible(c)).collect()
}

/// Reason why a new local username is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UsernameError {
    /// The name is empty.
    #[error("the user name is empty")]
    Blank,
    /// The name has more than [`MAX_USERNAME_LENGTH`] characters.
    #[error("the user name is longer than {MAX_USERNAME_LENGTH} characters")]
    TooLong,
    /// The name has a forbidden character.
    #[error("a user name may contain only letters without accents, digits and underscores")]
    Invalid,
}

/// Checks that a local account may have this name: 1 to [`MAX_USERNAME_LENGTH`] ASCII letters of
/// either case, digits and underscores.
pub fn valid_local_username(username: &str) -> Result<(), UsernameError> {
    let is_allowed = |b: u8| b == b'_' || b.is_ascii_alphanumeric();
    if username.is_empty() {
        Err(UsernameError::Blank)
    } else if !username.bytes().all(is_allowed) {
        Err(UsernameError::Invalid)
    } else if username.len() > MAX_USERNAME_LENGTH {
        Err(UsernameError::TooLong)
    } else {
        Ok(())
    }
}

#[cfg(test)]
#[cfg(feature = "idn")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parsed(text: &str) -> Option<String> {
        Handle::parse(text).map(|handle| handle.to_string())
    }

    #[test]
    fn handles_are_parsed_as_typed() {
        for (typed, handle) in [
            ("alice", "alice"),
            (" alice ", "alice"),
            ("@alice", "alice"),
            ("ALICE", "ALICE"),
            ("\talice@Example.com\n", "alice@example.com"),
            ("@alice@localhost:3000", "alice@localhost:3000"),
            ("al.ice-b@bücher.example", "al.ice-b@xn--bcher-kva.example"),
        ] {
            assert_eq!(parsed(typed).as_deref(), Some(handle), "{typed}");
        }
    }

    #[test]
    fn invalid_handles_are_refused() {
        for typed in [
            "",
            " ",
            "@",
            "@@",
            "@@alice",
            "a@b@c",
            "alice@",
            "@alice@",
            "%20",
            "al ice",
            "a\0",
            "alice@b c",
            "https://example.com/@alice",
            "-alice",
        ] {
            assert_eq!(parsed(typed), None, "{typed}");
        }
    }

    #[test]
    fn look_alikes_are_refused() {
        for typed in [
            "ａｌｉｃｅ",
            "аlice",
            "al\u{200B}ice",
            "alice\u{200D}",
            "\u{202E}alice",
            "alice.",
            "alice@example.com.",
            "alice@ｅxample.com",
            "＠alice",
        ] {
            assert_eq!(parsed(typed), None, "{typed}");
        }
    }

    #[test]
    fn names_that_look_alike_share_a_key() {
        for typed in ["alice", "ALICE", "ａｌｉｃｅ", "al\u{200B}ice", "\u{202E}alice\u{FEFF}"]
        {
            assert_eq!(username_key(typed), "alice", "{typed}");
        }
        assert_ne!(username_key("alíce"), "alice");
    }

    #[test]
    fn local_names_are_short_and_ascii() {
        for name in ["a", "Alice_99", "_", &"x".repeat(30)] {
            assert_eq!(valid_local_username(name), Ok(()), "{name}");
        }
        assert_eq!(valid_local_username(""), Err(UsernameError::Blank));
        assert_eq!(valid_local_username(&"x".repeat(31)), Err(UsernameError::TooLong));
        for name in ["a b", " a", "a.b", "a-b", "ä", "ａ", "a\u{200B}", "@a", "a@b"] {
            assert_eq!(valid_local_username(name), Err(UsernameError::Invalid), "{name}");
        }
    }

    /// Generates a name, and a disguised copy with one full-width or one invisible character.
    fn disguised(name: String) -> impl Strategy<Value = (String, String)> {
        let invisible =
            prop::sample::select(vec!['\u{200B}', '\u{200D}', '\u{202E}', '\u{FEFF}', '\u{AD}']);
        (0..name.len(), any::<bool>(), invisible).prop_map(move |(at, wide, invisible)| {
            let mut letters: Vec<char> = name.chars().collect();
            if wide {
                letters[at] = char::from_u32(u32::from(letters[at]) + 0xFEE0).unwrap();
            } else {
                letters.insert(at, invisible);
            }
            (name.clone(), letters.into_iter().collect())
        })
    }

    proptest! {
        #[test]
        fn a_handle_round_trips_through_text(text in "@?[\\w.-]{1,8}(@[\\w.-]{1,8}(:[0-9]{1,5})?)?") {
            if let Some(handle) = Handle::parse(&text) {
                prop_assert_eq!(Handle::parse(&handle.to_string()), Some(handle));
            }
        }

        #[test]
        fn keys_are_stable(text in any::<String>()) {
            let key = username_key(&text);
            prop_assert_eq!(username_key(&key), key);
        }

        #[test]
        fn every_local_name_is_a_handle(name in "[A-Za-z0-9_]{1,30}") {
            prop_assert_eq!(valid_local_username(&name), Ok(()));
            prop_assert_eq!(parsed(&name), Some(name));
        }

        #[test]
        fn a_disguised_name_is_no_handle_and_shares_the_key(
            (name, disguise) in "[A-Za-z0-9_]{1,30}".prop_flat_map(disguised)
        ) {
            prop_assert_eq!(parsed(&disguise), None);
            prop_assert!(valid_local_username(&disguise).is_err());
            prop_assert_eq!(username_key(&disguise), username_key(&name));
        }

        #[test]
        fn a_disguised_domain_is_refused(
            (domain, disguise) in "[a-z]{1,9}\\.example".prop_flat_map(disguised)
        ) {
            prop_assert_eq!(parsed(&format!("alice@{disguise}")), None);
            prop_assert_eq!(parsed(&format!("alice@{domain}.")), None);
            let handle = format!("alice@{domain}");
            prop_assert_eq!(parsed(&handle.to_uppercase()).map(|it| it.to_lowercase()), Some(handle));
        }

        #[test]
        fn a_parsed_name_differs_from_its_key_only_in_case(text in any::<String>()) {
            if let Some(handle) = Handle::parse(&text) {
                prop_assert_eq!(username_key(&handle.username), handle.username.to_ascii_lowercase());
                prop_assert!(text.contains(&handle.username));
            }
        }

        #[test]
        fn parsing_never_panics(text in any::<String>()) {
            let _ = Handle::parse(&text);
        }
    }
}
