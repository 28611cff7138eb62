//! Image files in the media storage.

/// Stored image, named by its files.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Picture {
    /// Name of the file.
    pub file: String,
    /// First frame, if `file` is animated.
    pub still: Option<String>,
}

impl Picture {
    /// Returns the name of the file that is not animated.
    #[must_use]
    pub fn still(&self) -> &str {
        self.still.as_deref().unwrap_or(&self.file)
    }

    /// Returns the names of all its files.
    #[must_use]
    pub fn into_files(self) -> Vec<String> {
        [Some(self.file), self.still].into_iter().flatten().collect()
    }
}
