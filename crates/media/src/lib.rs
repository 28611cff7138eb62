//! Processing and storage of uploaded media.
//!
//! The type of an upload is detected by its content, never by its name or declared type. An image
//! is measured, decoded, rotated upright, cropped to the shape of its [`Purpose`] and encoded
//! again. So only the pixels and the colour space of the upload are kept: no GPS position, and no
//! script that was appended to the image. Animations stay animated, and their first frame is stored
//! as well.
//!
//! [`Media`] does this on blocking threads and stores the files in a [`Storage`] under random
//! names. This crate knows neither permissions nor the rows that refer to files.

mod animation;
mod attachment;
mod colors;
mod decode;
mod encode;
mod error;
mod file_name;
mod file_type;
mod fit;
mod folder;
mod format;
mod instance_picture;
mod media;
mod purpose;
mod s3;
mod staging_dir;
mod storage;
#[cfg(test)]
mod tests;
mod video;

pub use attachment::{Processed as StoredAttachment, StoredPreview};
pub use error::{Error, Refusal};
pub use file_name::{FileName, InvalidFileName};
pub use file_type::FileType;
pub use folder::Folder;
pub use format::Format;
pub use media::{Media, PICTURES_AT_ONCE, VIDEOS_AT_ONCE};
pub use purpose::{Fit, Purpose};
pub use s3::{S3, S3Options};
pub use storage::{Listed, Local, Place, Storage, StorageFuture, check};
pub use video::Tools;

/// Result of this crate's functions.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Encoded image, ready to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Encoded {
    format: Format,
    content: Vec<u8>,
}

/// Result of processing an upload.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Processed {
    main: Encoded,
    /// First frame, if the main image is animated.
    still: Option<Encoded>,
}

/// Processes an upload. This takes long, so call it only on a thread that may block.
fn process(upload: &[u8], purpose: Purpose) -> Result<Processed> {
    let format = purpose.admit(upload)?;
    let _lock = decode::lock_if_large(upload);
    if let Some(animation) = animation::find(upload, format, purpose)? {
        return animation::process(upload, &animation, purpose.fit);
    }
    let still = decode::still(upload, format, purpose)?;
    Ok(Processed { main: encode::still(still.fitted(purpose.fit), format)?, still: None })
}
