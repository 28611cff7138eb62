//! What is attached to statuses: a first look at it, pictures, and the small pictures that stand for
//! it. What plays is worked on in `film`.

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
    encode,
    film::{self, Container, still},
    fit,
};

/// The shape of a preview that is cut around a focal point, as clients show previews.
const SHAPE: (u32, u32) = (16, 9);
/// Blurred colours need no more pixels than this on a side.
const BLURRED: u32 = 64;
/// How many waves a blurhash has along the long side and the short one.
const WAVES: (u32, u32) = (4, 3);

/// What is kept of a preview.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptPreview {
    /// The name of its file.
    pub file: String,
    pub size: PixelSize,
    pub blurhash: Option<String>,
}

/// What is kept of an attachment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    pub kind: MediaKind,
    /// The name of its file.
    pub file: String,
    /// None where there is nothing to see.
    pub preview: Option<KeptPreview>,
    pub meta: MediaMeta,
}

/// A preview before it is stored.
pub(crate) struct Preview {
    pub(crate) encoded: Encoded,
    pub(crate) size: PixelSize,
    pub(crate) blurhash: Option<String>,
}

/// An attached picture before it is stored.
pub(crate) struct Image {
    pub(crate) encoded: Encoded,
    pub(crate) size: PixelSize,
    pub(crate) preview: Preview,
}

/// Looks at the beginning of an upload: what it is, if it may be attached. It may still
/// be found to be damaged when it is read to its end. What plays needs the programs for that.
pub(crate) fn examine(path: &Path, tools: Option<&Tools>) -> Result<MediaKind> {
    let mut file = File::open(path)?;
    let bytes = file.metadata()?.len();
    let mut head = Vec::new();
    file.by_ref().take(64).read_to_end(&mut head)?;
    if let Some(format) = Format::sniff(&head) {
        Purpose::ATTACHMENT.admit_beginning(&head, bytes)?;
        file.rewind()?;
        measure(file, format)?;
        let is_film = format == Format::Gif && tools.is_some() && moves(path)?;
        return Ok(if is_film { MediaKind::Gifv } else { MediaKind::Image });
    }
    if bytes == 0 {
        return Err(Refusal::Empty.into());
    }
    if still::is_still(&head) && tools.is_some() {
        return still::examine(path).map(|()| MediaKind::Image);
    }
    match (Container::sniff(&head), tools) {
        (None, None) => Err(Refusal::Format.into()),
        (None, Some(_)) => Err(Refusal::NoMedia.into()),
        (Some(_), None) => Err(Refusal::PicturesOnly.into()),
        (Some(_), Some(_)) if bytes > limits::MAX_VIDEO_BYTES => {
            Err(Refusal::Bytes(limits::MAX_VIDEO_BYTES).into())
        }
        (Some(_), Some(tools)) => film::kind_of(tools, path),
    }
}

fn moves(path: &Path) -> Result<bool> {
    Ok(animation::find(&fs::read(path)?, Format::Gif, Purpose::ATTACHMENT)?.is_some())
}

/// Whether a picture, by what its beginning says of its size, may be decoded.
fn measure(file: File, format: Format) -> Result<()> {
    let mut reader = ImageReader::with_format(BufReader::new(file), format.as_image());
    reader.limits(decoder_limits());
    let decoder = reader.into_decoder().map_err(damaged)?;
    Ok(Purpose::ATTACHMENT.admit_size(decoder.dimensions())?)
}

/// The upload at `path` as an attached picture; what is made on the way lies on the desk.
pub(crate) fn image_at(
    path: &Path,
    focus: Option<Focus>,
    tools: Option<&Tools>,
    desk: &Path,
) -> Result<Image> {
    let upload = fs::read(path)?;
    match tools.filter(|_| still::is_still(&upload)) {
        None => image(&upload, focus),
        Some(tools) => {
            drop(upload);
            let still = still::decoded(tools, path, desk)?.fitted(Purpose::ATTACHMENT.fit);
            // Like WebP, these are for photographs and for what can be seen through.
            still_image(still, focus, Format::WebP)
        }
    }
}

/// An upload as an attached picture, with its preview around the focal point. What moves goes on
/// moving.
pub(crate) fn image(upload: &[u8], focus: Option<Focus>) -> Result<Image> {
    let purpose = Purpose::ATTACHMENT;
    let format = purpose.admit(upload)?;
    let moving = animation::find(upload, format, purpose)?;
    let still = decode::still(upload, format, purpose)?.fitted(purpose.fit);
    let Some(moving) = moving else { return still_image(still, focus, format) };
    let preview = preview_of(&still, focus, format)?;
    let size = size_of(&still.image);
    let encoded = animation::process(upload, &moving, purpose.fit)?.main;
    Ok(Image { encoded, size, preview })
}

fn still_image(still: Still, focus: Option<Focus>, format: Format) -> Result<Image> {
    let preview = preview_of(&still, focus, format)?;
    let size = size_of(&still.image);
    Ok(Image { encoded: encode::still(still, format)?, size, preview })
}

/// A picture as the preview of something.
pub(crate) fn preview(upload: &[u8], focus: Option<Focus>) -> Result<Preview> {
    let format = Purpose::PREVIEW.admit(upload)?;
    preview_of(&decode::still(upload, format, Purpose::PREVIEW)?, focus, format)
}

/// A picture of a page as that of its link preview, whole.
pub(crate) fn card(picture: &[u8]) -> Result<Preview> {
    let format = Purpose::CARD.admit(picture)?;
    small(decode::still(picture, format, Purpose::CARD)?.fitted(Purpose::CARD.fit), format)
}

fn preview_of(still: &Still, focus: Option<Focus>, format: Format) -> Result<Preview> {
    let part = match focus {
        None => still.image.clone(),
        Some(focus) => fit::around(&still.image, SHAPE, focus),
    };
    let fitted = fit::apply(part, Purpose::PREVIEW.fit);
    small(Still { image: fitted, profile: still.profile.clone() }, format)
}

fn small(small: Still, format: Format) -> Result<Preview> {
    let (size, blurhash) = (size_of(&small.image), blurhash(&small.image));
    Ok(Preview { encoded: encode::still(small, format)?, size, blurhash })
}

fn size_of(image: &DynamicImage) -> PixelSize {
    PixelSize { width: image.width(), height: image.height() }
}

/// None where the colours cannot be told, which no picture of a possible size is known for.
fn blurhash(image: &DynamicImage) -> Option<String> {
    let small = image.thumbnail(BLURRED, BLURRED).into_rgba8();
    let (width, height) = small.dimensions();
    let (x, y) = if width >= height { WAVES } else { (WAVES.1, WAVES.0) };
    blurhash::encode(x, y, width, height, &small).ok()
}
