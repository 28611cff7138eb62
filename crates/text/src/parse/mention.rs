//! Mentions: `@name`, `@name@domain`, `@name@domain:port`.

use crate::{
    characters::is_word,
    domain::{host_name_length, port_length},
    handle::{Handle, username_length},
    token::Token,
};

/// A mention does not begin inside a word, an e-mail address, a path or a query.
pub(super) fn may_precede(c: char) -> bool {
    !is_word(c) && !matches!(c, '/' | '=')
}

/// The mention at the very start of a text that begins with `@`, and its length in bytes.
pub(super) fn at_start_of(text: &str) -> Option<(Token, usize)> {
    let username = &text[1..][..username_length(&text[1..])];
    let domain = domain_after(&text[1 + username.len()..]);
    let handle = Handle::new(username, domain)?;
    let length = 1 + username.len() + domain.map_or(0, |domain| 1 + domain.len());
    Some((Token::Mention { handle, typed: text[..length].to_owned() }, length))
}

/// The domain that follows a user name, led by `@`.
fn domain_after(text: &str) -> Option<&str> {
    let text = text.strip_prefix('@')?;
    let host = host_name_length(text);
    (host > 0).then(|| &text[..host + port_length(&text[host..])])
}

#[cfg(test)]
mod tests {
    use crate::{Token, parse};

    /// The mentions of a text as typed.
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
    fn a_mention_stands_before_whatever_cannot_be_in_a_name() {
        assert_eq!(mentions("Hi @bob#tag <b> & \"q\""), ["@bob"]);
        assert_eq!(mentions("@bob:"), ["@bob"]);
        assert_eq!(mentions("@bob@x.example: hi"), ["@bob@x.example"]);
        assert_eq!(mentions("@bob@x.example/path"), ["@bob@x.example"]);
        assert_eq!(mentions("@bob@"), ["@bob"]);
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
    fn words_addresses_and_paths_hold_no_mention() {
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
    fn look_alike_domains_are_no_mention() {
        assert!(mentions("@bob@ｅxample.com").is_empty());
        assert!(mentions(&format!("@bob@{}", "é".repeat(300))).is_empty());
    }
}
