//! Content types of texts.

use std::{fmt, str::FromStr};

/// Format in which a status is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ContentType {
    /// Plain text without markup.
    #[default]
    Plain,
    /// CommonMark with `~~deleted~~` text. HTML in it is read as in [`ContentType::Html`].
    Markdown,
    /// HTML, reduced to the elements that clients show.
    Html,
}

impl ContentType {
    /// All content types, the default first.
    pub const ALL: [Self; 3] = [Self::Plain, Self::Markdown, Self::Html];

    /// Returns the media type that clients use.
    ///
    /// ```
    /// use siskin_text::ContentType;
    ///
    /// assert_eq!(ContentType::Markdown.as_str(), "text/markdown");
    /// assert_eq!("Text/HTML".parse(), Ok(ContentType::Html));
    /// assert!("text/rtf".parse::<ContentType>().is_err());
    /// ```
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Plain => "text/plain",
            Self::Markdown => "text/markdown",
            Self::Html => "text/html",
        }
    }
}

impl ContentType {
    /// Returns the stored number, which never changes.
    #[must_use]
    pub const fn number(self) -> i16 {
        match self {
            Self::Plain => 0,
            Self::Markdown => 1,
            Self::Html => 2,
        }
    }

    /// Returns the content type with this stored number, or plain text if it is unknown.
    #[must_use]
    pub fn from_number(number: i16) -> Self {
        Self::ALL.into_iter().find(|kind| kind.number() == number).unwrap_or_default()
    }
}

impl fmt::Display for ContentType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Error for a media type that statuses cannot be written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the content type of a status must be text/plain, text/markdown or text/html")]
pub struct UnknownContentType;

impl FromStr for ContentType {
    type Err = UnknownContentType;

    /// Parses a media type, ignoring case, surrounding white space and parameters (`;
    /// charset=utf-8`).
    fn from_str(name: &str) -> Result<Self, UnknownContentType> {
        let essence = name.split(';').next().unwrap_or_default().trim();
        let is_match = |kind: &Self| kind.as_str().eq_ignore_ascii_case(essence);
        Self::ALL.into_iter().find(is_match).ok_or(UnknownContentType)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_content_type_round_trips() {
        for kind in ContentType::ALL {
            assert_eq!(kind.to_string().parse(), Ok(kind));
            assert_eq!(ContentType::from_number(kind.number()), kind);
        }
        assert_eq!(" text/plain; charset=utf-8".parse(), Ok(ContentType::Plain));
        for name in ["", "text", "markdown", "text/", "text/markdownx", "application/json"] {
            assert_eq!(name.parse::<ContentType>(), Err(UnknownContentType), "{name}");
        }
    }
}
