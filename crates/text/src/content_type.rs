//! How a text was written.

use std::{fmt, str::FromStr};

/// The way in which a status is written: what its marks mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ContentType {
    /// Every character stands for itself.
    #[default]
    Plain,
    /// CommonMark, with `~~deleted~~` text; HTML in it is read as in [`ContentType::Html`].
    Markdown,
    /// HTML, of which the elements are kept that clients show.
    Html,
}

impl ContentType {
    /// All of them, the default one first.
    pub const ALL: [Self; 3] = [Self::Plain, Self::Markdown, Self::Html];

    /// The media type by which clients name it.
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
    /// The number by which it is stored; it never changes.
    #[must_use]
    pub const fn number(self) -> i16 {
        match self {
            Self::Plain => 0,
            Self::Markdown => 1,
            Self::Html => 2,
        }
    }

    /// The content type of a number, plain text for one that is none.
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

/// A media type that a status cannot be written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("statuses are written in text/plain, text/markdown or text/html")]
pub struct UnknownContentType;

impl FromStr for ContentType {
    type Err = UnknownContentType;

    /// Reads a media type in any case, white space around it and parameters (`; charset=utf-8`)
    /// aside.
    fn from_str(name: &str) -> Result<Self, UnknownContentType> {
        let essence = name.split(';').next().unwrap_or_default().trim();
        let is_meant = |kind: &Self| kind.as_str().eq_ignore_ascii_case(essence);
        Self::ALL.into_iter().find(is_meant).ok_or(UnknownContentType)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_content_type_is_read_back() {
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
