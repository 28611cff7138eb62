//! Structured fields for HTTP (RFC 8941): dictionaries of items and inner lists.
//!
//! The parser is strict. A name that is there twice is an error, although the standard takes the
//! last one: two programs could take different ones. Decimals are refused, because no field that is
//! read here has one.

use base64::{Engine as _, engine::general_purpose::STANDARD};

/// Maximum length of a field, in bytes.
const MAX_LENGTH: usize = 8192;
/// Maximum number of digits of an integer (RFC 8941, 3.3.1).
const MAX_DIGITS: usize = 15;

/// Reason why a field is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FieldError {
    Malformed,
    /// A name is there twice.
    Repeated,
}

/// A value without parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BareItem {
    Integer(i64),
    String(String),
    Token(String),
    Bytes(Vec<u8>),
    Boolean(bool),
}

/// Names and values after `;`, in their order. No name is there twice.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Parameters(pub(crate) Vec<(String, BareItem)>);

/// A value with its parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) value: BareItem,
    pub(crate) parameters: Parameters,
}

/// Items in parentheses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InnerList {
    pub(crate) items: Vec<Item>,
    pub(crate) parameters: Parameters,
}

/// Value of a name of a dictionary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Member {
    Item(Item),
    List(InnerList),
}

impl Parameters {
    pub(crate) fn get(&self, name: &str) -> Option<&BareItem> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }
}

/// Parses a dictionary.
///
/// # Errors
/// Returns [`FieldError::Malformed`] for other text, for decimals and for fields that are too long.
pub(crate) fn dictionary(field: &[u8]) -> Result<Vec<(String, Member)>, FieldError> {
    if field.len() > MAX_LENGTH {
        return Err(FieldError::Malformed);
    }
    let mut parser = Parser { rest: field.trim_ascii() };
    let mut members: Vec<(String, Member)> = Vec::new();
    while !parser.rest.is_empty() {
        let name = parser.key()?;
        if members.iter().any(|(known, _)| *known == name) {
            return Err(FieldError::Repeated);
        }
        let member = parser.member()?;
        members.push((name, member));
        parser.skip(b" \t");
        if parser.rest.is_empty() {
            break;
        }
        parser.expect(b',')?;
        parser.skip(b" \t");
        if parser.rest.is_empty() {
            return Err(FieldError::Malformed);
        }
    }
    Ok(members)
}

struct Parser<'f> {
    rest: &'f [u8],
}

impl<'f> Parser<'f> {
    fn next(&mut self) -> Result<u8, FieldError> {
        let (first, rest) = self.rest.split_first().ok_or(FieldError::Malformed)?;
        self.rest = rest;
        Ok(*first)
    }

    fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    /// Consumes a character if it is the next one.
    fn takes(&mut self, c: u8) -> bool {
        let rest = self.rest.strip_prefix(&[c]);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn expect(&mut self, c: u8) -> Result<(), FieldError> {
        if self.takes(c) { Ok(()) } else { Err(FieldError::Malformed) }
    }

    fn skip(&mut self, characters: &[u8]) {
        self.run(|c| characters.contains(&c));
    }

    /// Consumes the longest run of such characters.
    fn run(&mut self, is_in: impl Fn(u8) -> bool) -> &'f [u8] {
        let length = self.rest.iter().take_while(|c| is_in(**c)).count();
        let (run, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, &[]));
        self.rest = rest;
        run
    }

    fn key(&mut self) -> Result<String, FieldError> {
        if !self.peek().is_some_and(|c| c.is_ascii_lowercase() || c == b'*') {
            return Err(FieldError::Malformed);
        }
        let key = self.run(|c| {
            c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, b'_' | b'-' | b'.' | b'*')
        });
        Ok(text(key))
    }

    fn member(&mut self) -> Result<Member, FieldError> {
        if !self.takes(b'=') {
            let parameters = self.parameters()?;
            return Ok(Member::Item(Item { value: BareItem::Boolean(true), parameters }));
        }
        if self.peek() == Some(b'(') {
            self.inner_list().map(Member::List)
        } else {
            self.item().map(Member::Item)
        }
    }

    fn inner_list(&mut self) -> Result<InnerList, FieldError> {
        self.expect(b'(')?;
        let mut items = Vec::new();
        loop {
            self.skip(b" ");
            if self.takes(b')') {
                return Ok(InnerList { items, parameters: self.parameters()? });
            }
            items.push(self.item()?);
            if !matches!(self.peek(), Some(b' ' | b')')) {
                return Err(FieldError::Malformed);
            }
        }
    }

    fn item(&mut self) -> Result<Item, FieldError> {
        Ok(Item { value: self.bare_item()?, parameters: self.parameters()? })
    }

    fn parameters(&mut self) -> Result<Parameters, FieldError> {
        let mut parameters = Parameters::default();
        while self.takes(b';') {
            self.skip(b" ");
            let name = self.key()?;
            let value = if self.takes(b'=') { self.bare_item()? } else { BareItem::Boolean(true) };
            if parameters.get(&name).is_some() {
                return Err(FieldError::Repeated);
            }
            parameters.0.push((name, value));
        }
        Ok(parameters)
    }

    fn bare_item(&mut self) -> Result<BareItem, FieldError> {
        match self.peek().ok_or(FieldError::Malformed)? {
            b'"' => self.string().map(BareItem::String),
            b':' => self.bytes().map(BareItem::Bytes),
            b'?' => self.boolean().map(BareItem::Boolean),
            b'-' | b'0'..=b'9' => self.integer().map(BareItem::Integer),
            c if c.is_ascii_alphabetic() || c == b'*' => {
                let is_token =
                    |c: u8| c.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~:/".contains(&c);
                Ok(BareItem::Token(text(self.run(is_token))))
            }
            _ => Err(FieldError::Malformed),
        }
    }

    fn string(&mut self) -> Result<String, FieldError> {
        self.expect(b'"')?;
        let mut string = String::new();
        loop {
            match self.next()? {
                b'"' => return Ok(string),
                b'\\' => match self.next()? {
                    c @ (b'"' | b'\\') => string.push(char::from(c)),
                    _ => return Err(FieldError::Malformed),
                },
                c @ b' '..=b'~' => string.push(char::from(c)),
                _ => return Err(FieldError::Malformed),
            }
        }
    }

    fn bytes(&mut self) -> Result<Vec<u8>, FieldError> {
        self.expect(b':')?;
        let base64 = self.run(|c| c != b':');
        self.expect(b':')?;
        STANDARD.decode(base64).map_err(|_| FieldError::Malformed)
    }

    fn boolean(&mut self) -> Result<bool, FieldError> {
        self.expect(b'?')?;
        match self.next()? {
            b'0' => Ok(false),
            b'1' => Ok(true),
            _ => Err(FieldError::Malformed),
        }
    }

    fn integer(&mut self) -> Result<i64, FieldError> {
        let is_negative = self.takes(b'-');
        let digits = self.run(|c| c.is_ascii_digit());
        if digits.len() > MAX_DIGITS || self.peek() == Some(b'.') {
            return Err(FieldError::Malformed);
        }
        let number: i64 = text(digits).parse().map_err(|_| FieldError::Malformed)?;
        Ok(if is_negative { -number } else { number })
    }
}

/// Returns characters that were checked to be ASCII.
fn text(ascii: &[u8]) -> String {
    ascii.iter().map(|c| char::from(*c)).collect()
}

impl BareItem {
    fn write(&self, out: &mut String) {
        match self {
            Self::Integer(number) => out.push_str(&number.to_string()),
            Self::String(string) => {
                out.push('"');
                for c in string.chars() {
                    if matches!(c, '"' | '\\') {
                        out.push('\\');
                    }
                    out.push(c);
                }
                out.push('"');
            }
            Self::Token(token) => out.push_str(token),
            Self::Bytes(bytes) => {
                out.push(':');
                out.push_str(&STANDARD.encode(bytes));
                out.push(':');
            }
            Self::Boolean(flag) => out.push_str(if *flag { "?1" } else { "?0" }),
        }
    }
}

impl Parameters {
    fn write(&self, out: &mut String) {
        for (name, value) in &self.0 {
            out.push(';');
            out.push_str(name);
            if *value != BareItem::Boolean(true) {
                out.push('=');
                value.write(out);
            }
        }
    }
}

impl InnerList {
    /// Returns the only text of the list that the standard allows.
    pub(crate) fn text(&self) -> String {
        let mut out = String::from("(");
        for (at, item) in self.items.iter().enumerate() {
            if at > 0 {
                out.push(' ');
            }
            item.value.write(&mut out);
            item.parameters.write(&mut out);
        }
        out.push(')');
        self.parameters.write(&mut out);
        out
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns the list of a dictionary with the member `a`, written again.
    fn rewritten(list: &str) -> Result<String, FieldError> {
        let mut members = dictionary(format!("a={list}").as_bytes())?;
        match members.pop() {
            Some((_, Member::List(list))) => Ok(list.text()),
            _ => Err(FieldError::Malformed),
        }
    }

    #[test]
    fn lists_are_written_in_their_only_form() {
        for (sent, written) in [
            ("()", "()"),
            ("( )", "()"),
            (r#"(  "a"  "b"  )"#, r#"("a" "b")"#),
            (r#"("a";sf;key="b" t)"#, r#"("a";sf;key="b" t)"#),
            ("();created=007;b", "();created=7;b"),
            ("();a=?1;b=?0;c=:AQI=:;d=x/y;e=-5", "();a;b=?0;c=:AQI=:;d=x/y;e=-5"),
            (r#"();  keyid="\"\\""#, r#"();keyid="\"\\""#),
        ] {
            assert_eq!(rewritten(sent).unwrap(), written, "{sent}");
        }
    }

    #[test]
    fn malformed_lists_are_refused() {
        for list in [
            "(",
            ")",
            r#"("a"#,
            r#"("a""b")"#,
            r#"("a","b")"#,
            r#"("a"	"b")"#,
            "(a) x",
            "();",
            "();A=1",
            "();a=",
            "();a=1.5",
            "();a=1234567890123456",
            "();a=-",
            "();a=?2",
            "();a=:A:",
            "();a=:AQI:",
            "();a=\"\\n\"",
            "();a=\"é\"",
            "();a=@1659578233",
            "(),",
            "(),,b",
        ] {
            assert_eq!(rewritten(list), Err(FieldError::Malformed), "{list}");
        }
    }

    #[test]
    fn a_name_that_is_there_twice_is_refused() {
        for field in ["a=1, a=1", "a, b, a", "a;x;x", "a=();x=1;x=1", "a=(b;x;x)"] {
            assert_eq!(dictionary(field.as_bytes()), Err(FieldError::Repeated), "{field}");
        }
    }

    #[test]
    fn members_are_separated_by_commas_with_white_space() {
        let members = dictionary(b" a=1 ,\tb ,c=(d);e ").unwrap();
        let names: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["a", "b", "c"]);
        assert_eq!(dictionary(b""), Ok(Vec::new()));
        assert_eq!(dictionary(b"a b"), Err(FieldError::Malformed));
        assert_eq!(dictionary(&b"a".repeat(MAX_LENGTH + 1)), Err(FieldError::Malformed));
    }

    proptest! {
        #[test]
        fn any_field_is_read_without_panic(field in prop::collection::vec(any::<u8>(), 0..64)) {
            let _ = dictionary(&field);
        }

        #[test]
        fn what_is_written_is_read_again(field in r#"[a-c=();"?:01 \\,*-]{0,24}"#) {
            if let Ok(text) = rewritten(&field) {
                prop_assert_eq!(rewritten(&text), Ok(text));
            }
        }
    }
}
