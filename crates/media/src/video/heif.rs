//! HEIC images. FFmpeg decodes their codec (HEVC), but most versions cannot read the file format or
//! images that consist of tiles, which phones write. So this module extracts the coded images, has
//! them decoded as the frames of a stream, and assembles the tiles.

use std::{fs, path::Path};

use image::{DynamicImage, RgbImage};
use siskin_policy::limits::MAX_IMAGE_PIXELS;

use super::{
    MAX_PICTURE_TIME, ReadAs, Tools,
    still::{boxes, find, item_type, number, primary_item, properties, property, take},
    temp_path,
};
use crate::{Refusal, Result, decode};

/// Bytes in front of each unit of a stream.
const START_CODE: [u8; 4] = [0, 0, 0, 1];

/// Coded images of a file.
#[derive(Debug, PartialEq, Eq)]
struct Coded {
    /// All tiles, row by row, as an HEVC stream.
    stream: Vec<u8>,
    /// Width and height of a tile.
    tile: (u32, u32),
    columns: u32,
    rows: u32,
    /// Width and height of the image; tiles at the right and lower edge may extend beyond it.
    size: (u32, u32),
    /// ICC profile.
    profile: Option<Vec<u8>>,
}

/// Returns the image in its stored orientation, without rotation.
pub(super) fn decoded(tools: &Tools, path: &Path, staging_dir: &Path) -> Result<decode::Still> {
    let coded = Coded::read(&fs::read(path)?)?;
    let (stream, pixels) = (temp_path(staging_dir, "hevc")?, temp_path(staging_dir, "rgb")?);
    fs::write(&stream, &coded.stream)?;
    let (frames, bytes) = (coded.tiles().to_string(), coded.bytes().to_string());
    let arguments = [
        "-frames:v",
        &frames,
        "-fs",
        &bytes,
        "-c:v",
        "rawvideo",
        "-pix_fmt",
        "rgb24",
        "-f",
        "rawvideo",
    ];
    tools.convert((&stream, ReadAs::Hevc), &arguments, &pixels, MAX_PICTURE_TIME)?;
    let image = coded.assembled(&fs::read(&pixels)?)?;
    let profile = coded.profile.filter(|profile| decode::is_for_rgb(profile));
    Ok(decode::Still { image: DynamicImage::ImageRgb8(image), profile })
}

impl Coded {
    fn read(content: &[u8]) -> Result<Self, Refusal> {
        let meta = find(content, b"meta").and_then(|meta| meta.get(4..)).ok_or(Refusal::Damaged)?;
        let primary = primary_item(meta).ok_or(Refusal::Damaged)?;
        let grid = match &item_type(meta, primary).ok_or(Refusal::Damaged)? {
            b"grid" => {
                let data = item_data(content, meta, primary).ok_or(Refusal::Damaged)?;
                Some(Grid::read(&data).ok_or(Refusal::Damaged)?)
            }
            b"hvc1" => None,
            _ => return Err(Refusal::Tiles),
        };
        let items = match grid {
            Some(_) => tiles(meta, primary).ok_or(Refusal::Damaged)?,
            None => vec![primary],
        };
        let first = *items.first().ok_or(Refusal::Damaged)?;
        let tile = size(meta, first).ok_or(Refusal::Damaged)?;
        let grid = grid.unwrap_or(Grid { columns: 1, rows: 1, size: tile });
        let mut coded = Self {
            stream: Vec::new(),
            tile,
            columns: grid.columns,
            rows: grid.rows,
            size: grid.size,
            profile: profile(meta, primary).or_else(|| profile(meta, first)),
        };
        if !coded.is_sound(items.len()) {
            return Err(Refusal::Damaged);
        }
        for item in items {
            if item_type(meta, item) != Some(*b"hvc1") || size(meta, item) != Some(tile) {
                return Err(Refusal::Tiles);
            }
            let data = item_data(content, meta, item).ok_or(Refusal::Damaged)?;
            let config = property(meta, item, b"hvcC").ok_or(Refusal::Damaged)?;
            append(&mut coded.stream, config, &data).ok_or(Refusal::Damaged)?;
        }
        Ok(coded)
    }

    fn tiles(&self) -> u64 {
        u64::from(self.columns) * u64::from(self.rows)
    }

    /// Returns the length of all decoded tiles with three bytes per pixel.
    fn bytes(&self) -> u64 {
        self.tiles() * u64::from(self.tile.0) * u64::from(self.tile.1) * 3
    }

    /// Returns `true` if the tiles cover the image and are within the decoding limits.
    fn is_sound(&self, items: usize) -> bool {
        let covers = |count: u32, side: u32, whole: u32| {
            whole > 0 && u64::from(count) * u64::from(side) >= u64::from(whole)
        };
        u64::try_from(items).ok() == Some(self.tiles())
            && covers(self.columns, self.tile.0, self.size.0)
            && covers(self.rows, self.tile.1, self.size.1)
            && self.bytes() <= 2 * 3 * MAX_IMAGE_PIXELS
    }

    /// Assembles the decoded tiles.
    fn assembled(&self, pixels: &[u8]) -> Result<RgbImage, Refusal> {
        if u64::try_from(pixels.len()).ok() != Some(self.bytes()) {
            return Err(Refusal::Unreadable);
        }
        let mut image = RgbImage::new(self.size.0, self.size.1);
        let (width, height) = self.tile;
        let tiles =
            (0..self.rows).flat_map(|row| (0..self.columns).map(move |column| (column, row)));
        let tile_bytes =
            usize::try_from(self.bytes() / self.tiles()).map_err(|_| Refusal::Damaged)?;
        for ((column, row), tile) in tiles.zip(pixels.chunks_exact(tile_bytes)) {
            let tile = RgbImage::from_raw(width, height, tile.to_vec()).ok_or(Refusal::Damaged)?;
            let position = (i64::from(column * width), i64::from(row * height));
            image::imageops::replace(&mut image, &tile, position.0, position.1);
        }
        Ok(image)
    }
}

/// Layout of the tiles of an image (ISO/IEC 23008-12, 6.6.2.3).
struct Grid {
    columns: u32,
    rows: u32,
    size: (u32, u32),
}

impl Grid {
    fn read(data: &[u8]) -> Option<Self> {
        let [_, flags, rows, columns, rest @ ..] = data else { return None };
        let (mut rest, bytes) = (rest, if flags & 1 == 0 { 2 } else { 4 });
        let size = (take(&mut rest, bytes)?, take(&mut rest, bytes)?);
        Some(Self { columns: u32::from(*columns) + 1, rows: u32::from(*rows) + 1, size })
    }
}

/// Returns `true` if an image consists of HEVC tiles.
pub(super) fn is_of_hevc(meta: &[u8], item: u32) -> bool {
    let first = tiles(meta, item).and_then(|tiles| tiles.first().copied());
    first.and_then(|tile| item_type(meta, tile)) == Some(*b"hvc1")
}

/// Returns the items of the tiles of an image, in order.
fn tiles(meta: &[u8], item: u32) -> Option<Vec<u32>> {
    let iref = find(meta, b"iref")?;
    let bytes = if *iref.first()? == 0 { 2 } else { 4 };
    boxes(iref.get(4..)?).filter(|(kind, _)| kind == b"dimg").find_map(|(_, mut rest)| {
        let from = take(&mut rest, bytes)?;
        let count = take(&mut rest, 2)?;
        let items = (0..count).map(|_| take(&mut rest, bytes)).collect::<Option<Vec<_>>>()?;
        (from == item).then_some(items)
    })
}

fn size(meta: &[u8], item: u32) -> Option<(u32, u32)> {
    let ispe = property(meta, item, b"ispe")?;
    Some((number(ispe.get(4..)?, 4)?, number(ispe.get(8..)?, 4)?))
}

fn profile(meta: &[u8], item: u32) -> Option<Vec<u8>> {
    let profiles = properties(meta, item)?.into_iter().filter(|(kind, _)| kind == b"colr");
    let mut profiles = profiles.map(|(_, content)| content);
    profiles.find_map(|content| match content {
        [b'p', b'r', b'o', b'f', profile @ ..] | [b'r', b'I', b'C', b'C', profile @ ..] => {
            Some(profile.to_vec())
        }
        _ => None,
    })
}

/// Reads a number of up to eight bytes and advances `content`.
fn take_wide(content: &mut &[u8], bytes: usize) -> Option<usize> {
    let taken = content.get(..bytes)?;
    *content = content.get(bytes..)?;
    let number = taken.iter().try_fold(0_u64, |number, byte| {
        number.checked_mul(256).map(|number| number | u64::from(*byte))
    })?;
    usize::try_from(number).ok()
}

/// Returns the content of an item, which may be stored in several parts of the file (`iloc`).
fn item_data(content: &[u8], meta: &[u8], item: u32) -> Option<Vec<u8>> {
    let iloc = find(meta, b"iloc")?;
    let version = *iloc.first()?;
    let mut rest = iloc.get(4..)?;
    let sizes = take(&mut rest, 2)?;
    let bytes = |position: u32| usize::try_from(sizes >> position & 0xf).unwrap_or(0);
    let (offset_bytes, length_bytes, base_bytes) = (bytes(12), bytes(8), bytes(4));
    let index_bytes = if version == 0 { 0 } else { bytes(0) };
    let id_bytes = if version < 2 { 2 } else { 4 };
    for _ in 0..take(&mut rest, id_bytes)? {
        let id = take(&mut rest, id_bytes)?;
        let method = if version == 0 { 0 } else { take(&mut rest, 2)? & 0xf };
        take(&mut rest, 2)?;
        let base = take_wide(&mut rest, base_bytes)?;
        let source = match method {
            0 => content,
            1 => find(meta, b"idat").unwrap_or_default(),
            _ => &[],
        };
        let mut data = Vec::new();
        for _ in 0..take(&mut rest, 2)? {
            take_wide(&mut rest, index_bytes)?;
            let start = base.checked_add(take_wide(&mut rest, offset_bytes)?)?;
            let length = take_wide(&mut rest, length_bytes)?;
            if id == item {
                let end = if length == 0 { source.len() } else { start.checked_add(length)? };
                data.extend_from_slice(source.get(start..end)?);
                // A valid file does not reference the same bytes twice.
                if data.len() > content.len() {
                    return None;
                }
            }
        }
        if id == item {
            return Some(data);
        }
    }
    None
}

/// Appends the decoder configuration and a coded image to a stream (ISO/IEC 14496-15, 8.3.3).
fn append(stream: &mut Vec<u8>, config: &[u8], data: &[u8]) -> Option<()> {
    let length_bytes = usize::from(config.get(21)? & 3) + 1;
    let mut rest = config.get(22..)?;
    for _ in 0..take(&mut rest, 1)? {
        take(&mut rest, 1)?;
        for _ in 0..take(&mut rest, 2)? {
            let length = take_wide(&mut rest, 2)?;
            unit(stream, &mut rest, length)?;
        }
    }
    let mut rest = data;
    while !rest.is_empty() {
        let length = take_wide(&mut rest, length_bytes)?;
        unit(stream, &mut rest, length)?;
    }
    Some(())
}

fn unit(stream: &mut Vec<u8>, rest: &mut &[u8], length: usize) -> Option<()> {
    stream.extend(START_CODE);
    stream.extend_from_slice(rest.get(..length)?);
    *rest = rest.get(length..)?;
    Some(())
}
