//! Tiny sample file of each format, which shows what the installed programs can read. The files
//! contain test patterns and tones of FFmpeg; the HEIC image is a grid of four tiles.

use std::{fs, path::Path};

use tempfile::TempPath;

use super::{Tools, still, temp_path};
use crate::Result;

/// Sample file, with the media types that clients may upload if the file is readable.
struct Sample {
    extension: &'static str,
    content: &'static [u8],
    types: &'static [&'static str],
}

macro_rules! sample {
    ($extension:literal: $($media_type:literal),+) => {
        Sample {
            extension: $extension,
            content: include_bytes!(concat!("samples/sample.", $extension)),
            types: &[$($media_type),+],
        }
    };
}

const STILLS: [Sample; 2] =
    [sample!("avif": "image/avif"), sample!("heic": "image/heic", "image/heif")];
/// Some formats have several media types.
const PLAYING: [Sample; 7] = [
    sample!("mp4": "video/mp4", "video/quicktime", "audio/mp4", "audio/m4a", "audio/x-m4a", "audio/3gpp"),
    sample!("webm": "video/webm", "audio/webm", "audio/opus"),
    sample!("ogg": "video/ogg", "audio/ogg", "audio/vorbis"),
    sample!("mp3": "audio/mpeg", "audio/mp3"),
    sample!("wav": "audio/wav", "audio/x-wav", "audio/wave"),
    sample!("flac": "audio/flac", "audio/x-flac"),
    sample!("aac": "audio/aac"),
];

/// Returns the media types of all formats.
pub(crate) fn all_types() -> Vec<&'static str> {
    STILLS.iter().chain(&PLAYING).flat_map(|sample| sample.types).copied().collect()
}

/// Returns the media types that `tools` can read. Runs the programs, which takes about a second.
///
/// # Errors
/// Returns errors of the file system.
pub(crate) fn readable_types(tools: &Tools, staging_dir: &Path) -> Result<Vec<&'static str>> {
    let mut types = Vec::new();
    for sample in &STILLS {
        let file = sample.written(staging_dir)?;
        if still::decoded(tools, &file, staging_dir).is_ok() {
            types.extend(sample.types);
        }
    }
    let files =
        PLAYING.iter().map(|sample| sample.written(staging_dir)).collect::<Result<Vec<_>>>()?;
    let paths: Vec<&Path> = files.iter().map(|file| &**file).collect();
    let all = tools.decodes(&paths);
    for (sample, path) in PLAYING.iter().zip(&paths) {
        if all || tools.decodes(&[path]) {
            types.extend(sample.types);
        }
    }
    Ok(types)
}

impl Sample {
    fn written(&self, staging_dir: &Path) -> Result<TempPath> {
        let file = temp_path(staging_dir, self.extension)?;
        fs::write(&file, self.content)?;
        Ok(file)
    }
}
