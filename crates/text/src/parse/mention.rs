//! Mentions: `@name`, `@name@domain`, `@name@domain:port`.

use crate::{
    characters::{LITERAL, is_invisible, is_word},
    domain::{host_name, port_length},
    fold::is_latin,
    handle::{Handle, username_length},
    token::Token,
};
use unicode_normalization::char::is_combining_mark;

/// Returns `true` if a mention can begin after this character. It does not begin inside a word, an
/// email address, a path, a query or another mention.
pub(super) fn may_precede(c: char) -> bool {
    !is_word(c) && !matches!(c, '/' | '=' | '@' | '＠' | LITERAL)
}

/// Parses the mention at the start of a text that begins with `@`. Returns it with its length in
/// bytes.
///
/// The whole handle must be valid. Otherwise a mention of a remote account could reach the local
/// account of the same name.
pub(super) fn at_start_of(text: &str) -> Option<(Token, usize)> {
    let username = &text[1..][..username_length(&text[1..])];
    let after = &text[1 + username.len()..];
    let domain = match after.strip_prefix('@') {
        Some(typed) => Some(whole_domain(typed)?),
        None => ends_local_name(after).then_some(None)?,
    };
    let handle = Handle::new(username, domain)?;
    let length = 1 + username.len() + domain.map_or(0, |domain| 1 + domain.len());
    Some((Token::Mention { handle, typed: text[..length].to_owned() }, length))
}

/// Returns the domain at the start of a text, with its port.
fn whole_domain(text: &str) -> Option<&str> {
    let host = host_name(text)?;
    let after = &text[host.len()..];
    let after_colon = after.strip_prefix(':').unwrap_or_default();
    if !after_colon.starts_with(|c: char| c.is_ascii_digit()) {
        return Some(host);
    }
    Some(&text[..host.len() + port_length(after)?])
}

/// Returns `true` if a name without a domain ends where `after` begins. It does not end inside a
/// word of Latin letters, or before characters that lead to a domain.
fn ends_local_name(after: &str) -> bool {
    let belongs = |c: char| is_latin(c) || is_combining_mark(c) || is_invisible(c);
    let joined = |c: char| belongs(c) || is_word(c) && c.is_ascii() || matches!(c, '.' | '-');
    !after.starts_with(belongs) && !after.trim_start_matches(joined).starts_with(['@', '＠'])
}

#[cfg(test)]
#[cfg(feature = "idn")]
mod tests {
    use crate::{Token, parse};

    /// Returns the mentions of a text as typed.
    fn mentions(text: &str) -> Vec<String> {
        let typed = |token| match token {
            Token::Mention { typed, .. } => Some(typed),
            _ => None,
        };
        parse(text).into_iter().filter_map(typed).collect()
    }

    #[test]
    fn names_and_domains_are_found() {
        assert_eq!(mentions("@bob hi"), ["@bob"]);
        assert_eq!(mentions("hi @Bob_1@example.com!"), ["@Bob_1@example.com"]);
        assert_eq!(mentions("(@bob), .@eve \"@mallory\""), ["@bob", "@eve", "@mallory"]);
        assert_eq!(mentions("@alice@localhost:3000 hi"), ["@alice@localhost:3000"]);
        assert_eq!(mentions("@alice@bücher.example"), ["@alice@bücher.example"]);
        assert_eq!(mentions("@bobさん"), ["@bob"]);
        assert_eq!(mentions("@bob@x.exampleさん"), ["@bob@x.example"]);
        assert_eq!(mentions("line\n@bob"), ["@bob"]);
    }

    #[test]
    fn a_mention_ends_at_characters_that_names_cannot_contain() {
        assert_eq!(mentions("Hi @bob#tag <b> & \"q\""), ["@bob"]);
        assert_eq!(mentions("@bob:"), ["@bob"]);
        assert_eq!(mentions("@bob@x.example: hi"), ["@bob@x.example"]);
        assert_eq!(mentions("@bob@x.example/path"), ["@bob@x.example"]);
    }

    #[test]
    fn trailing_dots_and_hyphens_stay_outside() {
        assert_eq!(mentions("@bob."), ["@bob"]);
        assert_eq!(mentions("@bob-"), ["@bob"]);
        assert_eq!(mentions("@bob_"), ["@bob_"]);
        assert_eq!(mentions("@b.o-b@x.example."), ["@b.o-b@x.example"]);
        assert_eq!(mentions("@bob@x.example..."), ["@bob@x.example"]);
    }

    #[test]
    fn words_addresses_and_paths_contain_no_mention() {
        for text in [
            "bob@example.com",
            "a@b",
            "é@bob",
            "x/@bob",
            "q=@bob",
            "@",
            "@ bob",
            "@-bob",
            "_@bob",
            "@é",
        ] {
            assert!(mentions(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn a_partly_invalid_handle_is_no_mention() {
        for text in [
            "@bob@",
            "@bob@ x",
            "@bob@@x.example",
            "@bob@@eve",
            "@bob＠x.example",
            "@bob@-x.example",
            "@bob@.x.example",
            "@bob@[::1]",
            "@bob@♥️.ws",
            "@bob@x.example:0",
            "@bob@x.example:99999",
            "@bob@x.example:80x",
            "@bob@x.example@y.example",
            "@bob@x.example%2Ey.example",
            "@bob@x.example\u{200B}.y.example",
            "@bob@a..b",
            "@bób@x.example",
            "@bób",
            "@bob\u{301}",
        ] {
            assert!(mentions(text).is_empty(), "{text}: {:?}", mentions(text));
        }
    }

    #[test]
    fn a_name_that_continues_to_a_domain_is_no_local_mention() {
        for text in ["@bob.@x.example", "@bob-.@x.example", "@bob-\u{200B}@x.example"] {
            assert!(!mentions(text).contains(&"@bob".to_owned()), "{text}");
        }
    }

    #[test]
    fn domains_with_symbols_are_parsed_completely() {
        let domain = |text: &str| match parse(text).remove(0) {
            Token::Mention { handle, .. } => handle.domain,
            other => panic!("{other:?}"),
        };
        assert_eq!(domain("@bob@🌈.st").as_deref(), Some("xn--og8h.st"));
        assert_eq!(domain("@bob@♥.ws hi").as_deref(), Some("xn--g6h.ws"));
        assert_eq!(domain("@bob@x.example♥.ws").as_deref(), Some("x.xn--example-um7d.ws"));
        assert_eq!(domain("@bob@x.example🎉").as_deref(), Some("x.example"));
        assert_eq!(domain("@bob@x.example—hi").as_deref(), Some("x.example"));
    }

    #[test]
    fn look_alike_domains_are_no_mention() {
        assert!(mentions("@bob@ｅxample.com").is_empty());
        assert!(mentions(&format!("@bob@{}", "é".repeat(300))).is_empty());
    }
}
