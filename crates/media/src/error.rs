//! Why an upload is not kept.

/// What is wrong with an upload, in words for whoever sent it. They go on from the name of the
/// picture: `is empty`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// There is not a byte.
    #[error("is empty")]
    Empty,
    /// The content is of no format that is taken; what the name says does not matter.
    #[error("is no picture that can be used: send a PNG, JPEG, GIF or WebP file")]
    Format,
    /// The limit in bytes.
    #[error("is too large: it may have {0} bytes")]
    Bytes(u64),
    /// The limit in pixels.
    #[error("has too many pixels: it may have {0}")]
    Pixels(u64),
    /// It is no picture, and the programs that could read it are missing.
    #[error("is no picture, and this server takes pictures only: PNG, JPEG, GIF and WebP")]
    PicturesOnly,
    /// It is neither a picture nor a container of anything that can be played here.
    #[error("is nothing that can be used here: send a picture, a video or a recording")]
    NoMedia,
    /// A HEIC picture that is put together from tiles.
    #[error("is a picture made of tiles, which this server cannot read: send a JPEG or PNG file")]
    Tiles,
    /// A picture of a format for which the programs are there, but not good enough.
    #[error("is a picture that this server cannot read: send a JPEG or PNG file")]
    Unreadable,
    /// A container without picture and sound.
    #[error("has neither a picture nor sound")]
    NothingPlays,
    /// The limit in frames a second.
    #[error("has too many frames: it may have {0} a second")]
    FrameRate(u64),
    /// It took longer than an upload is worth.
    #[error("takes too long to be worked on: send a shorter or smaller one")]
    Work,
    /// It moves, and the frames are more work than a picture is worth.
    #[error("has too many frames for its size")]
    Frames,
    /// It begins like a picture, but is none to its end.
    #[error("is damaged or incomplete")]
    Damaged,
}

/// An upload was not kept.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Because of what it is.
    #[error("the picture {0}")]
    Refused(#[from] Refusal),
    /// Because of us: it could not be encoded.
    #[error("a picture could not be encoded")]
    Encoding(#[source] image::ImageError),
    /// Because of the storage.
    #[error("a file could not be stored or read")]
    Storage(#[from] std::io::Error),
    /// The work was given up: it panicked, or the program ends.
    #[error("the work on a picture was given up")]
    GivenUp,
}
