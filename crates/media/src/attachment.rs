//! Attachments of statuses: detection, images and previews. The `video` module processes video and
//! audio.

use std::{
    fs::{self, File},
    io::{BufReader, Read, Seek},
    path::Path,
};

use image::{DynamicImage, ImageDecoder, ImageReader};
use siskin_entities::{Focus, MediaKind, MediaMeta, media::PixelSize};
use siskin_policy::limits;

use crate::{
    Encoded, Format, Purpose, Refusal, Result, Tools, animation,
    decode::{self, Still, damaged, decoder_limits},
    encode, fit,
    video::{self, Container, Video, still},
};

/// Aspect ratio of a preview that is cropped around a focal point, as clients display previews.
const PREVIEW_SHAPE: (u32, u32) = (16, 9);
/// Side length in pixels that is sufficient to compute a blurhash.
const BLURHASH_SIDE: u32 = 64;
/// Number of blurhash components along the long and the short side.
const BLURHASH_COMPONENTS: (u32, u32) = (4, 3);

/// Stored preview.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPreview {
    /// Name of its file.
    pub file: String,
    pub size: PixelSize,
    pub blurhash: Option<String>,
}

/// Stored attachment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Processed {
    pub kind: MediaKind,
    /// Name of its file.
    pub file: String,
    /// `None` if there is nothing visual.
    pub preview: Option<StoredPreview>,
    pub meta: MediaMeta,
}

/// Preview that is not stored yet.
pub(crate) struct Preview {
    pub(crate) encoded: Encoded,
    pub(crate) size: PixelSize,
    pub(crate) blurhash: Option<String>,
}

/// Attached image that is not stored yet.
pub(crate) struct Image {
    pub(crate) encoded: Encoded,
    pub(crate) size: PixelSize,
    pub(crate) preview: Preview,
}

/// Kind of an upload, detected by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DetectedKind {
    Picture,
    /// An image that may be animated; its frames must be read.
    MaybeAnimated(Format),
    /// Video or audio, which FFmpeg must probe.
    Playable,
}

/// Inspects the beginning of an upload, which is cheap. Damage further on is only found when the
/// upload is read completely. Video and audio need FFmpeg.
pub(crate) fn detected_kind(path: &Path, tools: Option<&Tools>) -> Result<DetectedKind> {
    let mut file = File::open(path)?;
    let bytes = file.metadata()?.len();
    let mut head = Vec::new();
    file.by_ref().take(64).read_to_end(&mut head)?;
    if let Some(format) = Format::sniff(&head) {
        Purpose::ATTACHMENT.admit_beginning(&head, bytes)?;
        file.rewind()?;
        measure(file, format)?;
        let may_be_animated = tools.is_some() && animation::may_be_animated(path, format)?;
        return Ok(if may_be_animated {
            DetectedKind::MaybeAnimated(format)
        } else {
            DetectedKind::Picture
        });
    }
    if bytes == 0 {
        return Err(Refusal::Empty.into());
    }
    if still::is_still(&head) && tools.is_some() {
        return still::check_size(path).map(|()| DetectedKind::Picture);
    }
    match (Container::sniff(&head), tools) {
        (None, None) => Err(Refusal::Format.into()),
        (None, Some(_)) => Err(Refusal::NoMedia.into()),
        (Some(_), None) => Err(Refusal::PicturesOnly.into()),
        (Some(_), Some(_)) if bytes > limits::MAX_VIDEO_BYTES => {
            Err(Refusal::Bytes(limits::MAX_VIDEO_BYTES).into())
        }
        (Some(_), Some(_)) => Ok(DetectedKind::Playable),
    }
}

/// Reads all frames of an image that may be animated and returns its kind.
pub(crate) fn classify_picture(path: &Path, format: Format) -> Result<MediaKind> {
    let (upload, purpose) = (fs::read(path)?, Purpose::ATTACHMENT);
    let moves = match format {
        Format::Png => animation::find_in_png(&upload, purpose)?,
        _ => animation::find(&upload, format, purpose)?.is_some(),
    };
    Ok(if moves { MediaKind::Gifv } else { MediaKind::Image })
}

/// Converts an animated upload to a silent video.
pub(crate) fn gifv_at(path: &Path, tools: &Tools, staging_dir: &Path) -> Result<Video> {
    let mut head = Vec::new();
    File::open(path)?.take(64).read_to_end(&mut head)?;
    if Format::sniff(&head) != Some(Format::WebP) {
        return video::gifv(tools, path, staging_dir);
    }
    // FFmpeg does not read animated WebP images.
    let (upload, purpose) = (fs::read(path)?, Purpose::ATTACHMENT);
    let animation = animation::find(&upload, Format::WebP, purpose)?.ok_or(Refusal::Damaged)?;
    let frames = video::temp_path(staging_dir, "png")?;
    fs::write(&frames, animation::process(&upload, &animation, purpose.fit)?.main.content)?;
    drop(upload);
    video::gifv(tools, &frames, staging_dir)
}

/// Checks that an image may be decoded, by the size in its header.
fn measure(file: File, format: Format) -> Result<()> {
    let mut reader = ImageReader::with_format(BufReader::new(file), format.as_image());
    reader.limits(decoder_limits());
    let decoder = reader.into_decoder().map_err(damaged)?;
    Ok(Purpose::ATTACHMENT.admit_size(decoder.dimensions())?)
}

/// Processes the upload at `path` as an attached image. Intermediate files are in the staging
/// directory.
pub(crate) fn image_at(
    path: &Path,
    focus: Option<Focus>,
    tools: Option<&Tools>,
    staging_dir: &Path,
) -> Result<Image> {
    let upload = fs::read(path)?;
    match tools.filter(|_| still::is_still(&upload)) {
        None => image(&upload, focus),
        Some(tools) => {
            drop(upload);
            let _lock = decode::lock_for_size(still::size(path)?);
            let still = still::decoded(tools, path, staging_dir)?.fitted(Purpose::ATTACHMENT.fit);
            // AVIF and HEIC contain photographs and images with transparency, as WebP does. So they
            // are encoded like WebP.
            still_image(still, focus, Format::WebP)
        }
    }
}

/// Processes an upload as an attached image, with its preview around the focal point. Animations
/// stay animated.
pub(crate) fn image(upload: &[u8], focus: Option<Focus>) -> Result<Image> {
    let purpose = Purpose::ATTACHMENT;
    let format = purpose.admit(upload)?;
    let _lock = decode::lock_if_large(upload);
    let animation = animation::find(upload, format, purpose)?;
    let still = decode::still(upload, format, purpose)?.fitted(purpose.fit);
    let Some(animation) = animation else { return still_image(still, focus, format) };
    let preview = preview_of(&still, focus, format)?;
    let size = size_of(&still.image);
    let encoded = animation::process(upload, &animation, purpose.fit)?.main;
    Ok(Image { encoded, size, preview })
}

fn still_image(still: Still, focus: Option<Focus>, format: Format) -> Result<Image> {
    let preview = preview_of(&still, focus, format)?;
    let size = size_of(&still.image);
    Ok(Image { encoded: encode::still(still, format)?, size, preview })
}

/// Creates a preview from an image.
pub(crate) fn preview(upload: &[u8], focus: Option<Focus>) -> Result<Preview> {
    let format = Purpose::PREVIEW.admit(upload)?;
    let _lock = decode::lock_if_large(upload);
    preview_of(&decode::still(upload, format, Purpose::PREVIEW)?, focus, format)
}

/// Creates the image of a link preview, without cropping.
pub(crate) fn card(picture: &[u8]) -> Result<Preview> {
    let format = Purpose::CARD.admit(picture)?;
    let _lock = decode::lock_if_large(picture);
    small(decode::still(picture, format, Purpose::CARD)?.fitted(Purpose::CARD.fit), format)
}

fn preview_of(still: &Still, focus: Option<Focus>, format: Format) -> Result<Preview> {
    let part = match focus {
        None => still.image.clone(),
        Some(focus) => fit::around(&still.image, PREVIEW_SHAPE, focus),
    };
    let fitted = fit::apply(part, Purpose::PREVIEW.fit);
    small(Still { image: fitted, profile: still.profile.clone() }, format)
}

pub(crate) fn small(small: Still, format: Format) -> Result<Preview> {
    let (size, blurhash) = (size_of(&small.image), blurhash(&small.image));
    Ok(Preview { encoded: encode::still(small, format)?, size, blurhash })
}

fn size_of(image: &DynamicImage) -> PixelSize {
    PixelSize { width: image.width(), height: image.height() }
}

/// Returns the blurhash, or `None` if it cannot be computed, which is not known to happen.
fn blurhash(image: &DynamicImage) -> Option<String> {
    let small = image.thumbnail(BLURHASH_SIDE, BLURHASH_SIDE).into_rgba8();
    let (width, height) = small.dimensions();
    let (x, y) = if width >= height {
        BLURHASH_COMPONENTS
    } else {
        (BLURHASH_COMPONENTS.1, BLURHASH_COMPONENTS.0)
    };
    blurhash::encode(x, y, width, height, &small).ok()
}
