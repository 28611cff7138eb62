//! The names of accounts: handles, and the user names in them.
//!
//! Says how names are written and compared, not which of them exist or are reserved.

use crate::{
    characters::{is_invisible, joined_words_length},
    domain::normalise_domain,
};
use std::fmt;
use unicode_normalization::UnicodeNormalization;

/// The longest name of a local account, in characters.
pub const MAX_USERNAME_LENGTH: usize = 30;

/// `username` or `username@domain`, as people write it to name an account.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Handle {
    /// The user name in the case it was typed in; compare it by [`username_key`].
    pub username: String,
    /// The domain in lower-case ASCII, with its port if it has one; `None` when none was given.
    pub domain: Option<String>,
}

impl Handle {
    /// Reads a handle as typed into a look-up: spaces around it and one leading `@` do no harm.
    ///
    /// `None` for anything else, and for look-alikes (full-width letters, invisible characters, a
    /// trailing dot): those must not lead to an account whose name merely looks the same.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let text = text.strip_prefix('@').unwrap_or(text);
        match text.split_once('@') {
            Some((username, domain)) => Self::new(username, Some(domain)),
            None => Self::new(text, None),
        }
    }

    /// A handle of two parts as typed; `None` unless both are well-formed.
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

    /// What two handles of one account have in common: user name key and domain.
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

/// Length in bytes of the longest prefix that may be a user name. Other servers allow dots and
/// hyphens inside of names.
pub(crate) fn username_length(text: &str) -> usize {
    joined_words_length(text, |c| c == '_' || c.is_ascii_alphanumeric())
}

/// The form by which user names are compared: no two accounts of one domain share it.
///
/// Compatibility forms (full-width letters and the like) and case are folded, and invisible and
/// directional characters dropped, so that no name can be registered beside one it looks like.
/// It is for comparing only: look-ups read names with [`Handle::parse`], which refuses such forms.
pub fn username_key(username: &str) -> String {
    let visible = username.chars().filter(|&c| !is_invisible(c));
    let folded: String = visible.nfkc().flat_map(char::to_lowercase).collect();
    folded.nfc().filter(|&c| !is_invisible(c)).collect()
}

/// What is wrong with the name of a new local account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UsernameError {
    /// It is empty.
    #[error("the user name is empty")]
    Blank,
    /// It has more than [`MAX_USERNAME_LENGTH`] characters.
    #[error("the user name is longer than {MAX_USERNAME_LENGTH} characters")]
    TooLong,
    /// It has a character that does not belong.
    #[error("a user name has only letters without accents, digits and underscores")]
    Invalid,
}

/// Whether a local account may have this name: 1 to [`MAX_USERNAME_LENGTH`] ASCII letters of
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
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parsed(text: &str) -> Option<String> {
        Handle::parse(text).map(|handle| handle.to_string())
    }

    #[test]
    fn handles_are_read_as_people_type_them() {
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
    fn what_is_no_handle_is_refused() {
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
    fn keys_are_equal_where_names_look_the_same() {
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

    /// A name, and the same with one of its characters in full width or something invisible in it.
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
        fn a_handle_is_read_back_as_itself(text in "@?[\\w.-]{1,8}(@[\\w.-]{1,8}(:[0-9]{1,5})?)?") {
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
        fn a_disguise_names_nobody_and_has_the_key_of_the_name(
            (name, disguise) in "[A-Za-z0-9_]{1,30}".prop_flat_map(disguised)
        ) {
            prop_assert_eq!(parsed(&disguise), None);
            prop_assert!(valid_local_username(&disguise).is_err());
            prop_assert_eq!(username_key(&disguise), username_key(&name));
        }

        #[test]
        fn a_domain_is_not_reached_by_a_disguise(
            (domain, disguise) in "[a-z]{1,9}\\.example".prop_flat_map(disguised)
        ) {
            prop_assert_eq!(parsed(&format!("alice@{disguise}")), None);
            prop_assert_eq!(parsed(&format!("alice@{domain}.")), None);
            let handle = format!("alice@{domain}");
            prop_assert_eq!(parsed(&handle.to_uppercase()).map(|it| it.to_lowercase()), Some(handle));
        }

        #[test]
        fn what_is_read_as_a_name_differs_in_case_alone(text in any::<String>()) {
            if let Some(handle) = Handle::parse(&text) {
                prop_assert_eq!(username_key(&handle.username), handle.username.to_ascii_lowercase());
                prop_assert!(text.contains(&handle.username));
            }
        }

        #[test]
        fn any_text_is_judged(text in any::<String>()) {
            let _ = Handle::parse(&text);
        }
    }
}
