//! AVIF and HEIC images, which only the programs of FFmpeg can decode. This module reads the
//! metadata that is needed before decoding. Both formats are files of boxes (ISO/IEC 14496-12 and
//! 23008-12).
//!
//! HEIC images may consist of tiles ([`heif`]); AVIF images with tiles are rejected.

use std::{
    fs::{self, File},
    io::Read,
    path::Path,
};

use image::DynamicImage;

use super::{MAX_PICTURE_TIME, ReadAs, Tools, heif, probe::picture_stream, temp_path};
use crate::{Error, Format, Purpose, Refusal, Result, decode};

const BRANDS: [&[u8; 4]; 8] =
    [b"avif", b"avis", b"heic", b"heix", b"heim", b"heis", b"mif1", b"msf1"];
/// Maximum length of the metadata, which precedes the image, in bytes.
const MAX_DESCRIPTION_BYTES: u64 = 1 << 20;

/// Returns `true` if a file with these first bytes is an AVIF or HEIC image.
pub(crate) fn is_still(head: &[u8]) -> bool {
    matches!(head, [_, _, _, _, b'f', b't', b'y', b'p', brand @ ..]
        if BRANDS.iter().any(|known| brand.starts_with(*known)))
}

/// Checks by the metadata that the image may be attached to a status.
pub(crate) fn check_size(path: &Path) -> Result<()> {
    Purpose::ATTACHMENT.admit_bytes(fs::metadata(path)?.len())?;
    Ok(Purpose::ATTACHMENT.admit_size(description(path)?.size)?)
}

/// Returns the image size that the file declares.
pub(crate) fn size(path: &Path) -> Result<(u32, u32)> {
    Ok(description(path)?.size)
}

/// Returns the decoded image in upright orientation.
pub(crate) fn decoded(tools: &Tools, path: &Path, staging_dir: &Path) -> Result<decode::Still> {
    let description = description(path)?;
    Purpose::ATTACHMENT.admit_size(description.size)?;
    if description.coding == Coding::Hevc {
        let still = heif::decoded(tools, path, staging_dir).map_err(unreadable)?;
        return Ok(decode::Still { image: description.transformed(still.image), ..still });
    }
    let stream = format!("0:{}", picture_stream(tools, path, description.size)?);
    let file = temp_path(staging_dir, "png")?;
    let picture =
        ["-map", &stream, "-frames:v", "1", "-c:v", "png", "-f", "image2", "-update", "1"];
    // Only some versions of FFmpeg rotate the image. So automatic rotation is off, and it is done
    // below.
    tools.convert((path, ReadAs::Unrotated), &picture, &file, MAX_PICTURE_TIME)?;
    let still = decode::still(&fs::read(&file)?, Format::Png, Purpose::ATTACHMENT)?;
    Ok(decode::Still { image: description.transformed(still.image), ..still })
}

/// Converts the error for files that FFmpeg cannot decode although their boxes are valid.
fn unreadable(error: Error) -> Error {
    match error {
        Error::Refused(Refusal::Damaged) => Refusal::Unreadable.into(),
        other => other,
    }
}

fn description(path: &Path) -> Result<Description> {
    let mut head = Vec::new();
    File::open(path)?.take(MAX_DESCRIPTION_BYTES).read_to_end(&mut head)?;
    Ok(Description::read(&head)?)
}

/// Metadata of an image.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Description {
    /// Size before rotation.
    size: (u32, u32),
    /// Transformations, in this order.
    transforms: Vec<Transform>,
    coding: Coding,
}

/// Codec of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coding {
    Av1,
    /// As one image or in tiles.
    Hevc,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Transform {
    /// Number of quarter turns, counterclockwise.
    RotateLeft(u8),
    FlipVertical,
    FlipHorizontal,
}

impl Description {
    fn read(head: &[u8]) -> Result<Self, Refusal> {
        let meta = find(head, b"meta").and_then(|meta| meta.get(4..)).ok_or(Refusal::Damaged)?;
        let primary = primary_item(meta).ok_or(Refusal::Damaged)?;
        let coding = match &item_type(meta, primary).ok_or(Refusal::Damaged)? {
            b"av01" => Coding::Av1,
            b"hvc1" => Coding::Hevc,
            b"grid" if heif::is_of_hevc(meta, primary) => Coding::Hevc,
            _ => return Err(Refusal::Tiles),
        };
        let (mut size, mut transforms) = (None, Vec::new());
        for (kind, content) in properties(meta, primary).ok_or(Refusal::Damaged)? {
            match (&kind, content) {
                (b"ispe", [_, _, _, _, rest @ ..]) => size = number(rest, 4).zip(rest.get(4..)),
                (b"irot", [angle, ..]) => transforms.push(Transform::RotateLeft(angle & 3)),
                (b"imir", [axis, ..]) if axis & 1 == 0 => transforms.push(Transform::FlipVertical),
                (b"imir", [_, ..]) => transforms.push(Transform::FlipHorizontal),
                _ => {}
            }
        }
        let (width, rest) = size.ok_or(Refusal::Damaged)?;
        let height = number(rest, 4).ok_or(Refusal::Damaged)?;
        Ok(Self { size: (width, height), transforms, coding })
    }

    fn transformed(&self, image: DynamicImage) -> DynamicImage {
        self.transforms.iter().fold(image, |image, turn| match turn {
            Transform::RotateLeft(1) => image.rotate270(),
            Transform::RotateLeft(2) => image.rotate180(),
            Transform::RotateLeft(3) => image.rotate90(),
            Transform::RotateLeft(_) => image,
            Transform::FlipVertical => image.flipv(),
            Transform::FlipHorizontal => image.fliph(),
        })
    }
}

pub(super) type Kind = [u8; 4];

/// Returns the content of a property of an item.
pub(super) fn property<'a>(meta: &'a [u8], item: u32, expected: &Kind) -> Option<&'a [u8]> {
    let properties = properties(meta, item)?.into_iter();
    let mut found = properties.filter(|(kind, _)| kind == expected).map(|(_, content)| content);
    found.next()
}

/// Iterates over the boxes in `content`, up to the first invalid one.
pub(super) fn boxes(mut content: &[u8]) -> impl Iterator<Item = (Kind, &[u8])> {
    std::iter::from_fn(move || {
        let kind = content.get(4..8)?.try_into().ok()?;
        let (start, length) = match number(content, 4)? {
            0 => (8, content.len()),
            1 => (
                16,
                usize::try_from(u64::from_be_bytes(content.get(8..16)?.try_into().ok()?)).ok()?,
            ),
            length => (8, usize::try_from(length).ok()?),
        };
        let inside = content.get(start..length.min(content.len()))?;
        content = content.get(length..).unwrap_or_default();
        Some((kind, inside))
    })
}

pub(super) fn find<'a>(content: &'a [u8], expected: &Kind) -> Option<&'a [u8]> {
    boxes(content).find(|(kind, _)| kind == expected).map(|(_, inside)| inside)
}

/// Returns the number in the first `bytes` bytes, at most four.
pub(super) fn number(content: &[u8], bytes: usize) -> Option<u32> {
    Some(content.get(..bytes)?.iter().fold(0, |number, byte| number << 8 | u32::from(*byte)))
}

/// Reads a number and advances `content`.
pub(super) fn take(content: &mut &[u8], bytes: usize) -> Option<u32> {
    let taken = number(content, bytes)?;
    *content = content.get(bytes..)?;
    Some(taken)
}

pub(super) fn primary_item(meta: &[u8]) -> Option<u32> {
    let pitm = find(meta, b"pitm")?;
    number(pitm.get(4..)?, if *pitm.first()? == 0 { 2 } else { 4 })
}

pub(super) fn item_type(meta: &[u8], item: u32) -> Option<Kind> {
    let iinf = find(meta, b"iinf")?;
    let entries = iinf.get(if *iinf.first()? == 0 { 6 } else { 8 }..)?;
    boxes(entries).filter(|(kind, _)| kind == b"infe").find_map(|(_, infe)| {
        let id = if *infe.first()? < 3 { 2 } else { 4 };
        let mut rest = infe.get(4..)?;
        // The protection index follows, then the type.
        let found = take(&mut rest, id)? == item;
        rest.get(2..6).filter(|_| found)?.try_into().ok()
    })
}

/// Returns the properties of an item, in their order.
pub(super) fn properties(meta: &[u8], item: u32) -> Option<Vec<(Kind, &[u8])>> {
    let iprp = find(meta, b"iprp")?;
    let all: Vec<_> = boxes(find(iprp, b"ipco")?).collect();
    let numbers = boxes(iprp)
        .filter(|(kind, _)| kind == b"ipma")
        .find_map(|(_, ipma)| associated(ipma, item))?;
    // Indexes start at 1; 0 means no property.
    let of = |number: u32| all.get(usize::try_from(number.checked_sub(1)?).ok()?).copied();
    Some(numbers.into_iter().filter_map(of).collect())
}

fn associated(ipma: &[u8], item: u32) -> Option<Vec<u32>> {
    let (version, wide) = (*ipma.first()?, ipma.get(3)? & 1 == 1);
    let mut rest = ipma.get(4..)?;
    for _ in 0..take(&mut rest, 4)? {
        let id = take(&mut rest, if version == 0 { 2 } else { 4 })?;
        let mut numbers = Vec::new();
        for _ in 0..take(&mut rest, 1)? {
            // The highest bit marks a property as essential.
            numbers.push(if wide {
                take(&mut rest, 2)? & 0x7fff
            } else {
                take(&mut rest, 1)? & 0x7f
            });
        }
        if id == item {
            return Some(numbers);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn boxed(kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
        let length = u32::try_from(8 + content.len()).unwrap().to_be_bytes();
        [&length, &kind[..], content].concat()
    }

    /// Builds a file with the metadata of an image of this type with these properties.
    fn file(item: &[u8; 4], properties: &[Vec<u8>]) -> Vec<u8> {
        let infe = boxed(b"infe", &[&[2, 0, 0, 0, 0, 7, 0, 0][..], item, b"\0"].concat());
        let count = u8::try_from(properties.len()).unwrap();
        let numbers: Vec<u8> = (1..=count).collect();
        let ipma = [&[0, 0, 0, 0, 0, 0, 0, 1, 0, 7, count][..], &numbers].concat();
        let iprp = [boxed(b"ipco", &properties.concat()), boxed(b"ipma", &ipma)].concat();
        let meta = [
            vec![0; 4],
            boxed(b"pitm", &[0, 0, 0, 0, 0, 7]),
            boxed(b"iinf", &[&[0, 0, 0, 0, 0, 1][..], &infe].concat()),
            boxed(b"iprp", &iprp),
        ];
        [boxed(b"ftyp", b"avif\0\0\0\0"), boxed(b"meta", &meta.concat())].concat()
    }

    fn size(width: u32, height: u32) -> Vec<u8> {
        let content = [&[0; 4], &width.to_be_bytes()[..], &height.to_be_bytes()].concat();
        boxed(b"ispe", &content)
    }

    #[test]
    fn the_description_of_a_picture_is_parsed() {
        let transformed = [size(3000, 2000), boxed(b"irot", &[3]), boxed(b"imir", &[1])];
        let found = Description::read(&file(b"hvc1", &transformed)).unwrap();
        let transforms = vec![Transform::RotateLeft(3), Transform::FlipHorizontal];
        assert_eq!(found, Description { size: (3000, 2000), transforms, coding: Coding::Hevc });
    }

    #[test]
    fn transforms_apply_in_the_stored_order() {
        let mut image = image::RgbImage::new(2, 1);
        image.put_pixel(0, 0, image::Rgb([255, 0, 0]));
        let transforms = vec![Transform::RotateLeft(1), Transform::FlipVertical];
        let description = Description { size: (2, 1), transforms, coding: Coding::Av1 };
        let transformed = description.transformed(image.into()).into_rgb8();
        assert_eq!(transformed.dimensions(), (1, 2));
        // After a quarter turn to the left, the left pixel is at the bottom; upside down, it is at
        // the top.
        assert_eq!(transformed.get_pixel(0, 0).0, [255, 0, 0]);
    }

    #[test]
    fn unknown_tiles_and_missing_descriptions_are_refused() {
        assert_eq!(Description::read(&file(b"grid", &[size(9, 9)])), Err(Refusal::Tiles));
        assert_eq!(Description::read(&file(b"av01", &[])), Err(Refusal::Damaged));
        assert_eq!(Description::read(b"\0\0\0\x1cftypavif"), Err(Refusal::Damaged));
        // A box with an impossible length, and one that contains itself.
        for length in [0, 1, 7, u32::MAX] {
            let mut hostile = file(b"av01", &[size(9, 9)]);
            hostile[16..20].copy_from_slice(&length.to_be_bytes());
            drop(Description::read(&hostile));
        }
    }

    #[test]
    fn a_huge_picture_is_refused_before_decoding() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("bomb");
        fs::write(&path, file(b"av01", &[size(60_000, 60_000)])).unwrap();
        let refused = check_size(&path);
        assert!(matches!(refused, Err(Error::Refused(Refusal::Pixels(_)))), "{refused:?}");
    }

    proptest! {
        #[test]
        fn any_content_is_parsed_or_refused(place in 0_usize..200, byte: u8, cut in 0_usize..200) {
            let mut content = file(b"av01", &[size(9, 9), boxed(b"irot", &[1])]);
            if let Some(target) = content.get_mut(place) {
                *target = byte;
            }
            content.truncate(content.len().saturating_sub(cut.saturating_sub(100)));
            // The test only fails by a panic.
            drop(Description::read(&content));
        }
    }
}
