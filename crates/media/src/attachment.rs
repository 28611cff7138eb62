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
    film::{self, Container, Film, still},
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

/// What an upload seems to be, by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    Picture,
    /// A picture that may move: its frames tell.
    MayMove(Format),
    /// What plays, which the programs must look at.
    Plays,
}

/// Looks at the beginning of an upload, which costs little. It may still be found to be damaged when
/// it is read to its end. What plays needs the programs.
pub(crate) fn look(path: &Path, tools: Option<&Tools>) -> Result<Look> {
    let mut file = File::open(path)?;
    let bytes = file.metadata()?.len();
    let mut head = Vec::new();
    file.by_ref().take(64).read_to_end(&mut head)?;
    if let Some(format) = Format::sniff(&head) {
        Purpose::ATTACHMENT.admit_beginning(&head, bytes)?;
        file.rewind()?;
        measure(file, format)?;
        let may_move = tools.is_some() && animation::may_move(path, format)?;
        return Ok(if may_move { Look::MayMove(format) } else { Look::Picture });
    }
    if bytes == 0 {
        return Err(Refusal::Empty.into());
    }
    if still::is_still(&head) && tools.is_some() {
        return still::examine(path).map(|()| Look::Picture);
    }
    match (Container::sniff(&head), tools) {
        (None, None) => Err(Refusal::Format.into()),
        (None, Some(_)) => Err(Refusal::NoMedia.into()),
        (Some(_), None) => Err(Refusal::PicturesOnly.into()),
        (Some(_), Some(_)) if bytes > limits::MAX_VIDEO_BYTES => {
            Err(Refusal::Bytes(limits::MAX_VIDEO_BYTES).into())
        }
        (Some(_), Some(_)) => Ok(Look::Plays),
    }
}

/// Reads all frames of a picture that may move.
pub(crate) fn picture_kind(path: &Path, format: Format) -> Result<MediaKind> {
    let (upload, purpose) = (fs::read(path)?, Purpose::ATTACHMENT);
    let moves = match format {
        Format::Png => animation::find_in_png(&upload, purpose)?,
        _ => animation::find(&upload, format, purpose)?.is_some(),
    };
    Ok(if moves { MediaKind::Gifv } else { MediaKind::Image })
}

/// An upload that moves as a film without sound.
pub(crate) fn gifv_at(path: &Path, tools: &Tools, desk: &Path) -> Result<Film> {
    let mut head = Vec::new();
    File::open(path)?.take(64).read_to_end(&mut head)?;
    if Format::sniff(&head) != Some(Format::WebP) {
        return film::gifv(tools, path, desk);
    }
    // The programs read single pictures of this format only.
    let (upload, purpose) = (fs::read(path)?, Purpose::ATTACHMENT);
    let moving = animation::find(&upload, Format::WebP, purpose)?.ok_or(Refusal::Damaged)?;
    let frames = film::draft(desk, "png")?;
    fs::write(&frames, animation::process(&upload, &moving, purpose.fit)?.main.content)?;
    drop(upload);
    film::gifv(tools, &frames, desk)
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
            let _alone = decode::alone_with(still::size(path)?);
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
    let _alone = decode::alone(upload);
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
    let _alone = decode::alone(upload);
    preview_of(&decode::still(upload, format, Purpose::PREVIEW)?, focus, format)
}

/// A picture of a page as that of its link preview, whole.
pub(crate) fn card(picture: &[u8]) -> Result<Preview> {
    let format = Purpose::CARD.admit(picture)?;
    let _alone = decode::alone(picture);
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
