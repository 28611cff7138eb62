//! Uploaded pictures: what they are, what is kept of them, and where it lies.
//!
//! An upload is told by its content, never by its name or claimed type; it is measured before it
//! is decoded, decoded, turned upright, cut to the shape that its [`Purpose`] asks for and written
//! anew. So nothing of the upload but its pixels and its colour space is kept: no position of a
//! camera, no script behind the last byte. What moves keeps moving, and its first frame is kept
//! beside it.
//!
//! [`Media`] does this on blocking threads and puts the files into a [`Storage`] under random
//! names. Who may change which picture, and which row names which file, is not known here.

mod animation;
mod attachment;
mod colors;
mod decode;
mod desk;
mod encode;
mod error;
mod file_name;
mod file_type;
mod film;
mod fit;
mod folder;
mod format;
mod media;
mod purpose;
mod s3;
mod storage;
#[cfg(test)]
mod tests;

pub use attachment::{Kept as KeptAttachment, KeptPreview};
pub use error::{Error, Refusal};
pub use file_name::{FileName, InvalidFileName};
pub use file_type::FileType;
pub use film::Tools;
pub use folder::Folder;
pub use format::Format;
pub use media::{FILMS_AT_ONCE, Media, PICTURES_AT_ONCE};
pub use purpose::{Fit, Purpose};
pub use s3::{S3, S3Options};
pub use storage::{Answer, Listed, Local, Storage, check};

/// What everything here returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A picture as it will be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Encoded {
    format: Format,
    content: Vec<u8>,
}

/// What is kept of an upload.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Kept {
    main: Encoded,
    /// The first frame, where the main one moves.
    still: Option<Encoded>,
}

/// Turns an upload into what is kept of it. Takes its time: not for threads that must not block.
fn process(upload: &[u8], purpose: Purpose) -> Result<Kept> {
    let format = purpose.admit(upload)?;
    let _alone = decode::alone(upload);
    if let Some(moving) = animation::find(upload, format, purpose)? {
        return animation::process(upload, &moving, purpose.fit);
    }
    let still = decode::still(upload, format, purpose)?;
    Ok(Kept { main: encode::still(still.fitted(purpose.fit), format)?, still: None })
}
