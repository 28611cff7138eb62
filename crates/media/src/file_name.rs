//! Names of stored files.

use std::{fmt, str::FromStr};

use crate::FileType;

/// Number of hexadecimal digits in a name: 128 random bits.
const DIGITS: usize = 32;

/// Name of a stored file: 128 random bits and the extension of the file type. The bits prevent
/// guessing of names. No other text parses as a name, so a name cannot point outside of the
/// storage.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileName {
    text: String,
    file_type: FileType,
}

/// Error for a text that is not the name of a stored file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not the name of a stored file")]
pub struct InvalidFileName;

impl FileName {
    /// Returns a new random name.
    #[must_use]
    pub fn random(file_type: impl Into<FileType>) -> Self {
        let file_type = file_type.into();
        let text = format!("{:032x}.{}", rand::random::<u128>(), file_type.extension());
        Self { text, file_type }
    }

    /// Returns the name with the same digits for a file of another type.
    #[must_use]
    pub fn with_type(&self, file_type: impl Into<FileType>) -> Self {
        let file_type = file_type.into();
        let text = format!("{}.{}", &self.text[..DIGITS], file_type.extension());
        Self { text, file_type }
    }

    /// Returns the name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the path of the file within a storage, with `/` as separator: `ab/abcdef….png`.
    #[must_use]
    pub fn path(&self) -> String {
        format!("{}/{}", &self.text[..2], self.text)
    }

    /// Returns the name of the file at the path `path`, or `None` if the path is not one of ours.
    #[must_use]
    pub fn at(path: &str) -> Option<Self> {
        let name: Self = path.rsplit('/').next()?.parse().ok()?;
        (name.path() == path).then_some(name)
    }

    /// Returns the type of the file.
    #[must_use]
    pub const fn file_type(&self) -> FileType {
        self.file_type
    }
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for FileName {
    type Err = InvalidFileName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (digits, extension) = text.split_once('.').ok_or(InvalidFileName)?;
        let is_name = digits.len() == DIGITS
            && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let file_type = FileType::of_extension(extension).filter(|_| is_name);
        Ok(Self { text: text.to_owned(), file_type: file_type.ok_or(InvalidFileName)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;

    #[test]
    fn random_names_are_unique_and_parse_back() {
        let (first, second) = (FileName::random(Format::Gif), FileName::random(Format::Gif));
        assert_ne!(first, second);
        assert_eq!(first.as_str().parse(), Ok(first));
    }

    #[test]
    fn paths_and_names_convert_into_each_other() {
        let name = FileName::random(Format::Jpeg);
        assert_eq!(FileName::at(&name.path()), Some(name.clone()));
        for elsewhere in [name.to_string(), format!("zz/{name}"), format!("x/{}", name.path())] {
            assert_eq!(FileName::at(&elsewhere), None);
        }
    }

    #[test]
    fn invalid_names_are_refused() {
        let good = "0123456789abcdef0123456789abcdef";
        assert!(format!("{good}.png").parse::<FileName>().is_ok());
        for bad in [
            String::new(),
            good.to_owned(),
            format!("{good}.svg"),
            format!("{good}.html"),
            format!("{good}.png.html"),
            format!("{good}.PNG"),
            format!("{}.png", good.to_uppercase()),
            format!("{}.png", &good[1..]),
            format!("../{}.png", &good[3..]),
            format!("{good}.png/"),
            format!("{good}.png\0"),
        ] {
            assert_eq!(bad.parse::<FileName>(), Err(InvalidFileName), "{bad:?}");
        }
    }
}
