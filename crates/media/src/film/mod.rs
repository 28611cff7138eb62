//! What plays: videos, short films without sound that were GIFs, recordings; and pictures that are
//! kept like the frames of videos. All work on them is done by the programs of FFmpeg, on files of the storage's desk.
//!
//! Videos are kept as MP4 (H.264 and AAC), recordings as MP3, which every browser plays. Nothing
//! but pictures and sound is kept: no titles, no places, no streams of data.

mod container;
mod heif;
mod probe;
pub(crate) mod samples;
pub(crate) mod still;
mod tools;

use std::{fs, path::Path, time::Duration};

use siskin_entities::{
    MediaKind,
    media::{Colors, PixelSize, Playing},
};
use tempfile::TempPath;

pub(crate) use self::container::Container;
use self::probe::{Found, probe};
pub use self::tools::Tools;
use crate::{
    FileType, Result,
    attachment::{self, Preview},
    colors,
};

/// How long a conversion may take. A job has 900 seconds for everything.
const LONGEST: Duration = Duration::from_secs(200);
/// How long it may take to find one picture.
const LONGEST_PICTURE: Duration = Duration::from_secs(30);

/// What was made of something that plays, before it is stored.
pub(crate) struct Film {
    pub(crate) kind: MediaKind,
    pub(crate) file: TempPath,
    pub(crate) file_type: FileType,
    pub(crate) size: Option<PixelSize>,
    pub(crate) playing: Playing,
    pub(crate) preview: Option<Preview>,
    pub(crate) colors: Option<Colors>,
}

/// What a file is.
pub(crate) fn kind_of(tools: &Tools, path: &Path) -> Result<MediaKind> {
    Ok(match probe(tools, path)?.size {
        Some(_) => MediaKind::Video,
        None => MediaKind::Audio,
    })
}

/// A drawing that moves, as a film without sound.
pub(crate) fn gifv(tools: &Tools, path: &Path, desk: &Path) -> Result<Film> {
    probe(tools, path)?;
    let film = film(tools, path, desk, &[DRAWN, &["-an"]].concat())?;
    Ok(Film { kind: MediaKind::Gifv, ..film })
}

/// A video or a recording as it is kept.
pub(crate) fn play(tools: &Tools, path: &Path, desk: &Path) -> Result<Film> {
    let found = probe(tools, path)?;
    if found.size.is_none() {
        return recording(tools, path, desk, &found);
    }
    let how = if found.plays_as_it_is { &["-c", "copy"] } else { ENCODED };
    film(tools, path, desk, &[how, SOUND].concat())
}

/// Even sides, at most as many pixels as 1920 × 1080, at most 60 frames a second. `$width` and
/// `$height` are the size in square pixels, from which everything follows.
macro_rules! encoded {
    ($width:literal, $height:literal) => {
        &[
            "-c:v",
            "libx264",
            "-preset",
            "veryfast",
            "-crf",
            "23",
            "-threads",
            "2",
            "-pix_fmt",
            "yuv420p",
            "-fpsmax",
            "60",
            "-vf",
            concat!(
                "scale=w='max(2,trunc(",
                $width,
                "*min(1,sqrt(2073600/(",
                $width,
                "*",
                $height,
                ")))/2)*2)':h='max(2,trunc(",
                $height,
                "*min(1,sqrt(2073600/(",
                $width,
                "*",
                $height,
                ")))/2)*2)',setsar=1"
            ),
            "-c:a",
            "aac",
            "-b:a",
            "128k",
            "-ac",
            "2",
        ]
    };
}

/// A video: pixels that are not square become square, and none is lost.
const ENCODED: &[&str] = encoded!("iw*max(sar,1)", "ih/min(sar,1)");
/// An animation: browsers ignore the aspect ratio of its pixels.
const DRAWN: &[&str] = encoded!("iw", "ih");
const SOUND: &[&str] = &["-map", "0:a:0?"];
/// Nothing but the streams that are named, and nothing that is said of them.
const BARE: &[&str] = &[
    "-map_metadata",
    "-1",
    "-map_metadata:s",
    "-1",
    "-map_chapters",
    "-1",
    "-sn",
    "-dn",
    "-fflags",
    "+bitexact",
];

fn film(tools: &Tools, path: &Path, desk: &Path, how: &[&str]) -> Result<Film> {
    let file = draft(desk, "mp4")?;
    let arguments =
        [&["-map", "0:V:0"], how, BARE, &["-movflags", "+faststart", "-f", "mp4"]].concat();
    tools.convert(path, &arguments, &file, LONGEST)?;
    let made = probe(tools, &file)?;
    let preview = picture_in(tools, &file, desk, "0:V:0")?;
    Ok(Film {
        kind: MediaKind::Video,
        file,
        file_type: FileType::Mp4,
        size: made.size,
        playing: made.playing,
        preview: Some(attachment::preview(&preview, None)?),
        colors: None,
    })
}

fn recording(tools: &Tools, path: &Path, desk: &Path, found: &Found) -> Result<Film> {
    let file = draft(desk, "mp3")?;
    let mp3: &[&str] = &["-map", "0:a:0", "-vn", "-c:a", "libmp3lame", "-q:a", "2", "-ac", "2"];
    tools.convert(path, &[mp3, BARE, &["-f", "mp3"]].concat(), &file, LONGEST)?;
    // A cover that cannot be read is none.
    let cover = found.has_cover.then(|| picture_in(tools, path, desk, "0:v:0").ok()).flatten();
    let cover = cover.and_then(|cover| attachment::preview(&cover, None).ok());
    let made = probe(tools, &file)?;
    Ok(Film {
        kind: MediaKind::Audio,
        file,
        file_type: FileType::Mp3,
        size: None,
        playing: made.playing,
        colors: cover.as_ref().and_then(|cover| colors::of(&cover.encoded)),
        preview: cover,
    })
}

/// The first picture of a stream, as PNG.
fn picture_in(tools: &Tools, path: &Path, desk: &Path, stream: &str) -> Result<Vec<u8>> {
    let picture = draft(desk, "png")?;
    let arguments =
        ["-map", stream, "-frames:v", "1", "-c:v", "png", "-f", "image2", "-update", "1"];
    tools.convert(path, &arguments, &picture, LONGEST_PICTURE)?;
    Ok(fs::read(&picture)?)
}

/// A name on the desk that no file has.
pub(crate) fn draft(desk: &Path, extension: &str) -> Result<TempPath> {
    let name = format!("{:032x}.{extension}", rand::random::<u128>());
    Ok(TempPath::try_from_path(desk.join(name))?)
}

#[cfg(test)]
mod tests;
