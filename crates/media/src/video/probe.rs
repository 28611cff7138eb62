//! Properties of playable files, as reported by `ffprobe`.

use std::{path::Path, time::Duration};

use serde::Deserialize;
use siskin_entities::media::{PixelSize, Playing, Sound};
use siskin_policy::limits;

use super::Tools;
use crate::{Error, Refusal, Result};

/// Deadline of a probe.
const DEADLINE: Duration = Duration::from_secs(20);

/// Properties of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// Displayed size of the video stream.
    pub(super) size: Option<PixelSize>,
    pub(super) playing: Playing,
    /// The file has a still cover image for the recording.
    pub(super) has_cover: bool,
    /// Whether browsers can play its streams inside MP4 without conversion.
    pub(super) is_browser_ready: bool,
}

#[derive(Debug, Deserialize)]
struct Report {
    #[serde(default)]
    streams: Vec<Stream>,
    format: Option<Container>,
}

#[derive(Debug, Default, Deserialize)]
struct Container {
    #[serde(default)]
    format_name: String,
    duration: Option<String>,
    bit_rate: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Stream {
    #[serde(default)]
    codec_type: String,
    #[serde(default)]
    codec_name: String,
    width: Option<u32>,
    height: Option<u32>,
    pix_fmt: Option<String>,
    avg_frame_rate: Option<String>,
    r_frame_rate: Option<String>,
    /// Aspect ratio of a pixel, width to height: `4:3`; `0:1` if unknown.
    sample_aspect_ratio: Option<String>,
    duration: Option<String>,
    sample_rate: Option<String>,
    channels: Option<u32>,
    channel_layout: Option<String>,
    #[serde(default)]
    disposition: Disposition,
    #[serde(default)]
    side_data_list: Vec<SideData>,
}

#[derive(Debug, Default, Deserialize)]
struct Disposition {
    #[serde(default)]
    attached_pic: u8,
}

#[derive(Debug, Deserialize)]
struct SideData {
    rotation: Option<f64>,
}

/// Probes a file.
///
/// # Errors
/// Returns a [`Refusal`] if the file has no playable streams or exceeds a limit.
pub(super) fn probe(tools: &Tools, path: &Path) -> Result<Found> {
    let report = tools.probe(path, DEADLINE)?;
    let report: Report = serde_json::from_slice(&report).map_err(|_| Refusal::Damaged)?;
    Ok(report.found()?)
}

/// Returns the index of the stream that is an image of this size.
///
/// # Errors
/// Returns a [`Refusal`] if there is none: FFmpeg cannot read it, or the file declares a wrong
/// size.
pub(super) fn picture_stream(tools: &Tools, path: &Path, size: (u32, u32)) -> Result<usize> {
    let report = tools.probe(path, DEADLINE).map_err(|error| match error {
        Error::Refused(Refusal::Damaged) => Refusal::Unreadable.into(),
        other => other,
    })?;
    let report: Report = serde_json::from_slice(&report).map_err(|_| Refusal::Damaged)?;
    let found = report.streams.iter().position(|stream| {
        stream.codec_type == "video" && stream.width.zip(stream.height) == Some(size)
    });
    Ok(found.ok_or(Refusal::Unreadable)?)
}

impl Report {
    fn found(&self) -> Result<Found, Refusal> {
        let of_kind = |kind: &'static str| {
            self.streams.iter().filter(move |stream| stream.codec_type == kind)
        };
        let is_cover = |stream: &&Stream| stream.disposition.attached_pic != 0;
        let picture = of_kind("video").find(|stream| !is_cover(stream));
        let sound = of_kind("audio").next();
        if picture.is_none() && sound.is_none() {
            return Err(Refusal::NothingPlays);
        }
        let size = picture.map(Stream::size).transpose()?;
        let frame_rate = picture.and_then(Stream::frame_rate);
        if frame_rate.is_some_and(|(frames, seconds)| {
            u64::from(frames) > limits::MAX_VIDEO_FRAME_RATE * u64::from(seconds)
        }) {
            return Err(Refusal::FrameRate(limits::MAX_VIDEO_FRAME_RATE));
        }
        Ok(Found {
            size,
            playing: Playing {
                duration_us: self.duration_us(),
                bitrate: self.bitrate(),
                frame_rate,
                sound: sound.map(Stream::sound),
            },
            has_cover: of_kind("video").any(|stream| is_cover(&stream)),
            is_browser_ready: self.is_mp4()
                && picture.is_none_or(Stream::is_browser_video)
                && sound.is_none_or(|sound| sound.codec_name == "aac"),
        })
    }

    fn is_mp4(&self) -> bool {
        self.format.as_ref().is_some_and(|format| format.format_name.contains("mp4"))
    }

    /// Returns the duration of the file, or of its longest stream; 0 if unknown.
    fn duration_us(&self) -> u64 {
        let whole = self.format.as_ref().and_then(|format| format.duration.as_deref());
        let parts = self.streams.iter().filter_map(|stream| stream.duration.as_deref());
        let longest = parts.map(microseconds).max();
        whole.map(microseconds).or(longest).unwrap_or(0)
    }

    fn bitrate(&self) -> u64 {
        let stated = self.format.as_ref().and_then(|format| format.bit_rate.as_deref());
        stated.and_then(|rate| rate.parse().ok()).unwrap_or(0)
    }
}

impl Stream {
    fn size(&self) -> Result<PixelSize, Refusal> {
        let (Some(width @ 1..), Some(height @ 1..)) = (self.width, self.height) else {
            return Err(Refusal::Damaged);
        };
        if u64::from(width) * u64::from(height) > limits::MAX_VIDEO_PIXELS {
            return Err(Refusal::Pixels(limits::MAX_VIDEO_PIXELS));
        }
        let (width, height) = self.in_square_pixels(width, height);
        Ok(if self.is_sideways() {
            PixelSize { width: height, height: width }
        } else {
            PixelSize { width, height }
        })
    }

    /// Returns the size in square pixels; neither side becomes shorter.
    fn in_square_pixels(&self, width: u32, height: u32) -> (u32, u32) {
        let stretched = |side: u32, by: u32, to: u32| {
            let long = (u64::from(side) * u64::from(by) + u64::from(to) / 2) / u64::from(to);
            u32::try_from(long).unwrap_or(u32::MAX)
        };
        match self.pixel_shape() {
            (across, down) if across >= down => (stretched(width, across, down), height),
            (across, down) => (width, stretched(height, down, across)),
        }
    }

    /// Returns the ratio of width to height of a pixel; square if unknown.
    fn pixel_shape(&self) -> (u32, u32) {
        let stated = self.sample_aspect_ratio.as_deref().and_then(|shape| ratio(shape, ':'));
        stated.unwrap_or((1, 1))
    }

    fn has_square_pixels(&self) -> bool {
        let (across, down) = self.pixel_shape();
        across == down
    }

    fn is_rotated(&self) -> bool {
        self.side_data_list.iter().filter_map(|data| data.rotation).any(|angle| angle != 0.0)
    }

    fn is_sideways(&self) -> bool {
        let angles = self.side_data_list.iter().filter_map(|data| data.rotation);
        angles.map(f64::abs).any(|angle| (angle - 90.0).abs() < 1.0 || (angle - 270.0).abs() < 1.0)
    }

    /// Returns the average frame rate, or the nominal one if there is no average.
    fn frame_rate(&self) -> Option<(u32, u32)> {
        let average = self.avg_frame_rate.as_deref().and_then(fraction);
        average.or_else(|| self.r_frame_rate.as_deref().and_then(fraction))
    }

    fn is_browser_video(&self) -> bool {
        self.codec_name == "h264"
            && matches!(self.pix_fmt.as_deref(), Some("yuv420p" | "yuvj420p"))
            && !self.is_rotated()
            && self.has_square_pixels()
    }

    fn sound(&self) -> Sound {
        let channels = match (self.channel_layout.as_deref(), self.channels) {
            (Some(layout), _) if !layout.is_empty() => layout.to_owned(),
            (_, Some(1)) => "mono".to_owned(),
            (_, Some(2)) => "stereo".to_owned(),
            (_, count) => format!("{} channels", count.unwrap_or(0)),
        };
        Sound {
            codec: self.codec_name.clone(),
            sample_rate: self
                .sample_rate
                .as_deref()
                .and_then(|rate| rate.parse().ok())
                .unwrap_or(0),
            channels,
        }
    }
}

/// Parses a fraction such as `30000/1001`. Returns `None` for `0/0`, which means unknown.
fn fraction(text: &str) -> Option<(u32, u32)> {
    ratio(text, '/')
}

/// Parses two positive numbers, separated by `between`.
fn ratio(text: &str, between: char) -> Option<(u32, u32)> {
    let (first, second) = text.split_once(between)?;
    let (first, second) = (first.parse().ok()?, second.parse().ok()?);
    (first > 0 && second > 0).then_some((first, second))
}

fn microseconds(seconds: &str) -> u64 {
    let seconds = seconds.parse().unwrap_or(0.0);
    let length = Duration::try_from_secs_f64(seconds).unwrap_or_default();
    u64::try_from(length.as_micros()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(json: &str) -> Result<Found, Refusal> {
        serde_json::from_str::<Report>(json).unwrap().found()
    }

    #[test]
    fn a_rotated_video_has_its_displayed_size() {
        let found = found(
            r#"{"streams": [
                {"codec_type": "video", "codec_name": "h264", "width": 640, "height": 360,
                 "pix_fmt": "yuv420p", "avg_frame_rate": "30000/1001",
                 "side_data_list": [{"side_data_type": "Display Matrix", "rotation": -90}]},
                {"codec_type": "audio", "codec_name": "aac", "sample_rate": "44100", "channels": 2,
                 "channel_layout": "stereo"}
            ], "format": {"format_name": "mov,mp4", "duration": "1.500000", "bit_rate": "64000"}}"#,
        )
        .unwrap();
        assert_eq!(found.size, Some(PixelSize { width: 360, height: 640 }));
        assert_eq!(found.playing.frame_rate, Some((30_000, 1001)));
        assert_eq!((found.playing.duration_us, found.playing.bitrate), (1_500_000, 64_000));
        assert_eq!(found.playing.sound.unwrap().channels, "stereo");
        assert!(!found.is_browser_ready && !found.has_cover);
    }

    #[test]
    fn non_square_pixels_count_as_displayed() {
        let video = |shape: &str, turned: &str| {
            let json = format!(
                r#"{{"streams": [{{"codec_type": "video", "codec_name": "h264", "width": 720,
                    "height": 576, "pix_fmt": "yuv420p", "sample_aspect_ratio": "{shape}",
                    "side_data_list": [{turned}]}}], "format": {{"format_name": "mp4"}}}}"#
            );
            let found = found(&json).unwrap();
            let size = found.size.unwrap();
            (size.width, size.height, found.is_browser_ready)
        };
        assert_eq!(video("16:11", ""), (1047, 576, false));
        assert_eq!(video("1:2", ""), (720, 1152, false));
        assert_eq!(video("2:1", r#"{"rotation": 90}"#), (576, 1440, false));
        for unknown in ["0:1", "1:1", "7:7", "nonsense"] {
            assert_eq!(video(unknown, ""), (720, 576, true), "{unknown}");
        }
        assert_eq!(video("4000000000:1", ""), (u32::MAX, 576, false));
    }

    #[test]
    fn the_cover_of_a_recording_is_no_video() {
        let found = found(
            r#"{"streams": [
                {"codec_type": "audio", "codec_name": "mp3", "duration": "2.0"},
                {"codec_type": "video", "codec_name": "png", "width": 9000, "height": 9000,
                 "disposition": {"attached_pic": 1}}
            ]}"#,
        )
        .unwrap();
        assert!(found.has_cover && found.size.is_none());
        assert_eq!(found.playing.duration_us, 2_000_000);
    }

    #[test]
    fn too_large_and_empty_videos_are_refused() {
        let video = |width: u32, rate: &str| {
            found(&format!(
                r#"{{"streams": [{{"codec_type": "video", "width": {width}, "height": 2160,
                    "avg_frame_rate": "{rate}"}}]}}"#
            ))
        };
        assert!(video(3840, "120/1").is_ok());
        assert_eq!(video(3842, "30/1"), Err(Refusal::Pixels(8_294_400)));
        assert_eq!(video(3840, "121/1"), Err(Refusal::FrameRate(120)));
        assert_eq!(video(0, "30/1"), Err(Refusal::Damaged));
        assert_eq!(found(r#"{"streams": []}"#), Err(Refusal::NothingPlays));
    }
}
