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
use self::tools::ReadAs;
pub use self::tools::Tools;
use crate::{
    FileType, Result,
    attachment::{self, Preview},
    colors,
};

/// Deadline of a conversion. A job has 900 seconds in total.
const MAX_CONVERSION_TIME: Duration = Duration::from_secs(200);
/// Deadline for the extraction of one frame.
const MAX_PICTURE_TIME: Duration = Duration::from_secs(30);

/// Result of a conversion, before it is stored.
pub(crate) struct Video {
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
pub(crate) fn gifv(tools: &Tools, path: &Path, staging_dir: &Path) -> Result<Video> {
    probe(tools, path)?;
    let video = video(tools, path, staging_dir, &[ANIMATION, &["-an"]].concat())?;
    Ok(Video { kind: MediaKind::Gifv, ..video })
}

/// Converts a video or a recording to the stored format.
pub(crate) fn transcode(tools: &Tools, path: &Path, staging_dir: &Path) -> Result<Video> {
    let found = probe(tools, path)?;
    if found.size.is_none() {
        return recording(tools, path, staging_dir, &found);
    }
    let codec_arguments = if found.is_browser_ready { &["-c", "copy"] } else { ENCODED_VIDEO };
    video(tools, path, staging_dir, &[codec_arguments, SOUND].concat())
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
const ENCODED_VIDEO: &[&str] = encoded!("iw*max(sar,1)", "ih/min(sar,1)");
/// Arguments for animations: browsers ignore the pixel aspect ratio of animated images.
const ANIMATION: &[&str] = encoded!("iw", "ih");
const SOUND: &[&str] = &["-map", "0:a:0?"];
/// Only the selected streams, without any metadata.
const STRIPPED: &[&str] = &[
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

fn video(
    tools: &Tools,
    path: &Path,
    staging_dir: &Path,
    codec_arguments: &[&str],
) -> Result<Video> {
    let file = temp_path(staging_dir, "mp4")?;
    let arguments =
        [&["-map", "0:V:0"], codec_arguments, STRIPPED, &["-movflags", "+faststart", "-f", "mp4"]]
            .concat();
    tools.convert((path, ReadAs::Upload), &arguments, &file, MAX_CONVERSION_TIME)?;
    let probed = probe(tools, &file)?;
    let preview = picture_in(tools, &file, staging_dir, "0:V:0")?;
    Ok(Video {
        kind: MediaKind::Video,
        file,
        file_type: FileType::Mp4,
        size: probed.size,
        playing: probed.playing,
        preview: Some(attachment::preview(&preview, None)?),
        colors: None,
    })
}

fn recording(tools: &Tools, path: &Path, staging_dir: &Path, found: &Found) -> Result<Video> {
    let file = temp_path(staging_dir, "mp3")?;
    let mp3: &[&str] = &["-map", "0:a:0", "-vn", "-c:a", "libmp3lame", "-q:a", "2", "-ac", "2"];
    tools.convert(
        (path, ReadAs::Upload),
        &[mp3, STRIPPED, &["-f", "mp3"]].concat(),
        &file,
        MAX_CONVERSION_TIME,
    )?;
    // A cover that cannot be read is ignored.
    let cover =
        found.has_cover.then(|| picture_in(tools, path, staging_dir, "0:v:0").ok()).flatten();
    let cover = cover.and_then(|cover| attachment::preview(&cover, None).ok());
    let probed = probe(tools, &file)?;
    Ok(Video {
        kind: MediaKind::Audio,
        file,
        file_type: FileType::Mp3,
        size: None,
        playing: probed.playing,
        colors: cover.as_ref().and_then(|cover| colors::of(&cover.encoded)),
        preview: cover,
    })
}

/// Returns the first frame of a stream, as PNG.
fn picture_in(tools: &Tools, path: &Path, staging_dir: &Path, stream: &str) -> Result<Vec<u8>> {
    let picture = temp_path(staging_dir, "png")?;
    let arguments =
        ["-map", stream, "-frames:v", "1", "-c:v", "png", "-f", "image2", "-update", "1"];
    tools.convert((path, ReadAs::Upload), &arguments, &picture, MAX_PICTURE_TIME)?;
    Ok(fs::read(&picture)?)
}

/// Returns an unused path in the staging directory.
pub(crate) fn temp_path(staging_dir: &Path, extension: &str) -> Result<TempPath> {
    let name = format!("{:032x}.{extension}", rand::random::<u128>());
    Ok(TempPath::try_from_path(staging_dir.join(name))?)
}

#[cfg(test)]
mod tests;
