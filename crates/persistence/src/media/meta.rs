//! Stored form of media metadata: one JSON text, which is never searched.

use serde::{Deserialize, Serialize};
use siskin_entities::{
    MediaMeta,
    media::{Colors, PixelSize, Playing, Sound},
};

/// Stored metadata. New fields need a default; fields are never renamed.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct StoredMeta {
    #[serde(skip_serializing_if = "Option::is_none")]
    original: Option<(u32, u32)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    small: Option<(u32, u32)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    playing: Option<StoredPlaying>,
    /// Background, foreground, accent.
    #[serde(skip_serializing_if = "Option::is_none")]
    colors: Option<(String, String, String)>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct StoredPlaying {
    duration_us: u64,
    bitrate: u64,
    frame_rate: Option<(u32, u32)>,
    sound: Option<StoredSound>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct StoredSound {
    codec: String,
    sample_rate: u32,
    channels: String,
}

/// Serialises metadata to the stored form.
pub(super) fn write(meta: &MediaMeta) -> String {
    let size = |size: PixelSize| (size.width, size.height);
    let stored = StoredMeta {
        original: meta.original.map(size),
        small: meta.small.map(size),
        playing: meta.playing.as_ref().map(|playing| StoredPlaying {
            duration_us: playing.duration_us,
            bitrate: playing.bitrate,
            frame_rate: playing.frame_rate,
            sound: playing.sound.as_ref().map(|sound| StoredSound {
                codec: sound.codec.clone(),
                sample_rate: sound.sample_rate,
                channels: sound.channels.clone(),
            }),
        }),
        colors: meta.colors.as_ref().map(|colors| {
            (colors.background.clone(), colors.foreground.clone(), colors.accent.clone())
        }),
    };
    serde_json::to_string(&stored).unwrap_or_else(|_| "{}".to_owned())
}

/// Parses the stored form. Text that this program cannot parse yields empty metadata.
pub(super) fn read(text: &str) -> MediaMeta {
    let stored: StoredMeta = serde_json::from_str(text).unwrap_or_default();
    let size = |(width, height)| PixelSize { width, height };
    let sound = |sound: StoredSound| Sound {
        codec: sound.codec,
        sample_rate: sound.sample_rate,
        channels: sound.channels,
    };
    MediaMeta {
        original: stored.original.map(size),
        small: stored.small.map(size),
        playing: stored.playing.map(|playing| Playing {
            duration_us: playing.duration_us,
            bitrate: playing.bitrate,
            frame_rate: playing.frame_rate,
            sound: playing.sound.map(sound),
        }),
        colors: stored.colors.map(|(background, foreground, accent)| Colors {
            background,
            foreground,
            accent,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_round_trips() {
        let full = MediaMeta {
            original: Some(PixelSize { width: 1920, height: 1080 }),
            small: Some(PixelSize { width: 640, height: 360 }),
            playing: Some(Playing {
                duration_us: 1_500_000,
                bitrate: 128_000,
                frame_rate: Some((30_000, 1001)),
                sound: Some(Sound {
                    codec: "aac".to_owned(),
                    sample_rate: 44_100,
                    channels: "stereo".to_owned(),
                }),
            }),
            colors: Some(Colors {
                background: "#102030".to_owned(),
                foreground: "#ffffff".to_owned(),
                accent: "#ff0000".to_owned(),
            }),
        };
        for meta in [MediaMeta::default(), full] {
            assert_eq!(read(&write(&meta)), meta);
        }
        assert_eq!(read("nonsense"), MediaMeta::default());
    }
}
