//! Playable media: videos, silent videos made from GIFs, and audio; also image formats that are
//! coded like video frames. The programs of FFmpeg process them, in the staging directory of the
//! storage.
//!
//! Videos are stored as MP4 (H.264 and AAC), audio as MP3, because every browser plays these. Only
//! video and audio streams are kept: no titles, no locations, no data streams.

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

/// Deadline of a conversion. A job has 900 seconds in total.
const LONGEST: Duration = Duration::from_secs(200);
/// Deadline for the extraction of one frame.
const LONGEST_PICTURE: Duration = Duration::from_secs(30);

/// Result of a conversion, before it is stored.
pub(crate) struct Film {
    pub(crate) kind: MediaKind,
    pub(crate) file: TempPath,
    pub(crate) file_type: FileType,
    pub(crate) size: Option<PixelSize>,
    pub(crate) playing: Playing,
    pub(crate) preview: Option<Preview>,
    pub(crate) colors: Option<Colors>,
}

/// Returns whether a file is a video or audio.
pub(crate) fn kind_of(tools: &Tools, path: &Path) -> Result<MediaKind> {
    Ok(match probe(tools, path)?.size {
        Some(_) => MediaKind::Video,
        None => MediaKind::Audio,
    })
}

/// Converts an animated image to a silent video.
pub(crate) fn gifv(tools: &Tools, path: &Path, desk: &Path) -> Result<Film> {
    probe(tools, path)?;
    let film = film(tools, path, desk, &[DRAWN, &["-an"]].concat())?;
    Ok(Film { kind: MediaKind::Gifv, ..film })
}

/// Converts a video or a recording to the stored format.
pub(crate) fn play(tools: &Tools, path: &Path, desk: &Path) -> Result<Film> {
    let found = probe(tools, path)?;
    if found.size.is_none() {
        return recording(tools, path, desk, &found);
    }
    let how = if found.plays_as_it_is { &["-c", "copy"] } else { ENCODED };
    film(tools, path, desk, &[how, SOUND].concat())
}

/// Builds the encoder arguments: even sides, at most the pixels of 1920 × 1080, at most 60 frames
/// per second. `$width` and `$height` are the size in square pixels, from which the result is
/// computed.
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

/// Arguments for videos: non-square pixels are scaled up to square ones, so that no detail is lost.
const ENCODED: &[&str] = encoded!("iw*max(sar,1)", "ih/min(sar,1)");
/// Arguments for animations: browsers ignore the pixel aspect ratio of animated images.
const DRAWN: &[&str] = encoded!("iw", "ih");
const SOUND: &[&str] = &["-map", "0:a:0?"];
/// Only the selected streams, without any metadata.
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
    // A cover that cannot be read is ignored.
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

/// Returns the first frame of a stream, as PNG.
fn picture_in(tools: &Tools, path: &Path, desk: &Path, stream: &str) -> Result<Vec<u8>> {
    let picture = draft(desk, "png")?;
    let arguments =
        ["-map", stream, "-frames:v", "1", "-c:v", "png", "-f", "image2", "-update", "1"];
    tools.convert(path, &arguments, &picture, LONGEST_PICTURE)?;
    Ok(fs::read(&picture)?)
}

/// Returns an unused path in the staging directory.
pub(crate) fn draft(desk: &Path, extension: &str) -> Result<TempPath> {
    let name = format!("{:032x}.{extension}", rand::random::<u128>());
    Ok(TempPath::try_from_path(desk.join(name))?)
}

#[cfg(test)]
mod tests;
