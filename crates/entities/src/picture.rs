//! Pictures that lie in the media folder.

/// A stored picture, by the names of its files.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Picture {
    pub file: String,
    /// The first frame, where `file` moves.
    pub still: Option<String>,
}

impl Picture {
    /// The file that does not move.
    #[must_use]
    pub fn still(&self) -> &str {
        self.still.as_deref().unwrap_or(&self.file)
    }

    /// The names of all its files.
    #[must_use]
    pub fn into_files(self) -> Vec<String> {
        [Some(self.file), self.still].into_iter().flatten().collect()
    }
}
