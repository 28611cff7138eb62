//! Reasons why an upload is not stored.

/// Reason why an upload is rejected, as a message for the uploader. The message continues a
/// sentence that starts with the name of the image: `is empty`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The upload has no bytes.
    #[error("is empty")]
    Empty,
    /// The format is not accepted. The file name does not matter.
    #[error("is no picture that can be used: send a PNG, JPEG, GIF or WebP file")]
    Format,
    /// The upload exceeds this limit in bytes.
    #[error("is too large: it may have {0} bytes")]
    Bytes(u64),
    /// The image exceeds this limit in pixels.
    #[error("has too many pixels: it may have {0}")]
    Pixels(u64),
    /// The upload is not an image, and the programs that could read it are not installed.
    #[error("is not a picture, and this server takes pictures only: PNG, JPEG, GIF and WebP")]
    PicturesOnly,
    /// The upload is neither an image nor a supported container.
    #[error("is not a supported file: send an image, a video or an audio file")]
    NoMedia,
    /// The image consists of tiles, in a format for which tiles are not supported.
    #[error("is an image made of tiles, which this server cannot read: send a JPEG or PNG file")]
    Tiles,
    /// The installed programs cannot read this image format well enough.
    #[error("is an image that this server cannot read: send a JPEG or PNG file")]
    Unreadable,
    /// The container has neither video nor audio.
    #[error("contains neither video nor audio")]
    NothingPlays,
    /// The video exceeds this limit in frames per second.
    #[error("has too many frames: it may have {0} a second")]
    FrameRate(u64),
    /// Processing exceeded its deadline.
    #[error("takes too long to process: send a shorter or smaller file")]
    Work,
    /// The animation needs more work than the limit for images.
    #[error("has too many frames for its size")]
    Frames,
    /// The image starts correctly but is damaged or incomplete.
    #[error("is damaged or incomplete")]
    Damaged,
}

/// Error of an operation on media.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The upload was rejected.
    #[error("the picture {0}")]
    Refused(#[from] Refusal),
    /// Encoding failed, for a reason within the server.
    #[error("cannot encode a picture")]
    Encoding(#[source] image::ImageError),
    /// The storage failed.
    #[error("cannot store or read a file")]
    Storage(#[from] std::io::Error),
    /// The work was aborted by a panic or the shutdown of the program.
    #[error("the processing of a picture was aborted")]
    GivenUp,
}
