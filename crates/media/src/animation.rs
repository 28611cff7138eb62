//! Animated images. A GIF stays a GIF; all other formats become an animated PNG, of which old
//! clients show the first frame. Animations loop forever.

use std::{
    fs::File,
    io::{BufReader, Cursor},
    path::Path,
};

use image::{
    AnimationDecoder, Delay, DynamicImage, Frame, Frames, ImageDecoder, ImageError, RgbaImage,
    codecs::{
        gif::{GifDecoder, GifEncoder, Repeat},
        png::PngDecoder,
        webp::WebPDecoder,
    },
};

use crate::{
    Encoded, Error, Fit, Format, Processed, Purpose, Refusal, Result,
    decode::{Still, damaged, decoder_limits},
    encode, fit,
};

/// Maximum pixels of all frames together, in their original size: the work of decoding them.
const MAX_PIXELS: u64 = 200_000_000;
/// Maximum pixels of all frames together, in their stored size: the work of encoding them.
const MAX_OUTPUT_PIXELS: u64 = 80_000_000;
/// Speed of the colour quantisation of GIFs, from 1 (slow, best quality) to 30.
const GIF_SPEED: i32 = 10;

/// Image with more than one frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Animation {
    format: Format,
    frames: u32,
}

/// Checks whether an upload is animated. Reads all frames, one at a time, so that a detected
/// animation is known to be valid.
pub(crate) fn find(upload: &[u8], format: Format, purpose: Purpose) -> Result<Option<Animation>> {
    let Some((frames, size)) = open(upload, format, purpose)? else { return Ok(None) };
    let most = most_frames(size, purpose);
    let mut count = 0;
    for frame in frames {
        frame.map_err(damaged)?;
        count += 1;
        // A single frame is a normal image, independent of its size.
        if count > 1 && u64::from(count) > most {
            return Err(Refusal::Frames.into());
        }
    }
    Ok((count > 1).then_some(Animation { format, frames: count }))
}

/// Returns the maximum number of frames of this size.
fn most_frames((width, height): Size, purpose: Purpose) -> u64 {
    let pixels = u64::from(width) * u64::from(height);
    let output = match purpose.fit {
        Fit::Fill { width, height } | Fit::Within { width, height } => {
            u64::from(width) * u64::from(height)
        }
        Fit::Pixels(most) => pixels.min(most.into()),
    };
    (MAX_PIXELS / pixels).min(MAX_OUTPUT_PIXELS / output)
}

/// Checks whether a PNG that FFmpeg will decode is animated, by its declared number of frames.
pub(crate) fn find_in_png(upload: &[u8], purpose: Purpose) -> Result<bool> {
    let mut decoder = png::Decoder::new(Cursor::new(upload));
    decoder.set_ignore_text_chunk(true);
    let header = decoder.read_info().map_err(|_| Refusal::Damaged)?;
    let info = header.info();
    purpose.admit_size(info.size())?;
    let frames = info.animation_control().map_or(1, |control| control.num_frames);
    if frames > 1 && u64::from(frames) > most_frames(info.size(), purpose) {
        return Err(Refusal::Frames.into());
    }
    Ok(frames > 1)
}

/// Returns `false` if the beginning of a file shows that it is not animated.
pub(crate) fn may_be_animated(path: &Path, format: Format) -> Result<bool> {
    let file = BufReader::new(File::open(path)?);
    Ok(match format {
        Format::Jpeg => false,
        Format::Gif => true,
        Format::Png => {
            let decoder = PngDecoder::with_limits(file, decoder_limits()).map_err(damaged)?;
            decoder.is_apng().map_err(damaged)?
        }
        Format::WebP => WebPDecoder::new(file).map_err(damaged)?.has_animation(),
    })
}

/// Encodes an animated image.
pub(crate) fn process(upload: &[u8], animation: &Animation, fit: Fit) -> Result<Processed> {
    // The size was checked when the frames were counted.
    let (frames, _) = frames(upload, animation.format).map_err(damaged)?.ok_or(Refusal::Damaged)?;
    let mut frames = frames.map(|frame| resized(frame, fit));
    let first = frames.next().ok_or(Refusal::Damaged)??;
    let image = DynamicImage::ImageRgba8(first.buffer().clone());
    let still = encode::still(Still { image, profile: None }, Format::Png)?;
    let frames = std::iter::once(Ok(first)).chain(frames);
    let main = match animation.format {
        Format::Gif => gif(frames)?,
        Format::Png | Format::Jpeg | Format::WebP => animated_png(frames, animation.frames)?,
    };
    Ok(Processed { main, still: Some(still) })
}

type Size = (u32, u32);

fn open<'a>(
    upload: &'a [u8],
    format: Format,
    purpose: Purpose,
) -> Result<Option<(Frames<'a>, Size)>, Refusal> {
    let found = frames(upload, format).map_err(damaged)?;
    if let Some((_, size)) = &found {
        purpose.admit_size(*size)?;
    }
    Ok(found)
}

/// Returns a lazy iterator over the composed frames, and their size. Returns `None` if the format
/// or the beginning of the file shows that there is only one frame.
fn frames(upload: &[u8], format: Format) -> Result<Option<(Frames<'_>, Size)>, ImageError> {
    let content = Cursor::new(upload);
    match format {
        Format::Jpeg => Ok(None),
        Format::Gif => {
            let mut decoder = GifDecoder::new(content)?;
            decoder.set_limits(decoder_limits())?;
            let size = decoder.dimensions();
            Ok(Some((decoder.into_frames(), size)))
        }
        Format::Png => {
            let decoder = PngDecoder::with_limits(content, decoder_limits())?;
            let size = decoder.dimensions();
            // The decoder cannot compose frames with sixteen bits per channel.
            let deep =
                decoder.color_type().bytes_per_pixel() > decoder.color_type().channel_count();
            if deep || !decoder.is_apng()? {
                return Ok(None);
            }
            Ok(Some((decoder.apng()?.into_frames(), size)))
        }
        Format::WebP => {
            let decoder = WebPDecoder::new(content)?;
            let size = decoder.dimensions();
            Ok(decoder.has_animation().then(|| (decoder.into_frames(), size)))
        }
    }
}

fn resized(frame: Result<Frame, ImageError>, fit: Fit) -> Result<Frame> {
    let frame = frame.map_err(damaged)?;
    let delay = frame.delay();
    let image = fit::apply(DynamicImage::ImageRgba8(frame.into_buffer()), fit);
    Ok(Frame::from_parts(image.into_rgba8(), 0, 0, delay))
}

fn gif(frames: impl Iterator<Item = Result<Frame>>) -> Result<Encoded> {
    let mut content = Vec::new();
    let mut encoder = GifEncoder::new_with_speed(&mut content, GIF_SPEED);
    encoder.set_repeat(Repeat::Infinite).map_err(Error::Encoding)?;
    for frame in frames {
        let mut frame = frame?;
        threshold_alpha(frame.buffer_mut());
        encoder.encode_frame(frame).map_err(Error::Encoding)?;
    }
    drop(encoder);
    Ok(Encoded { format: Format::Gif, content })
}

/// Makes each pixel fully opaque or fully transparent, because GIF has no partial transparency.
fn threshold_alpha(image: &mut RgbaImage) {
    for pixel in image.pixels_mut() {
        if pixel.0[3] < 128 {
            pixel.0 = [0; 4];
        }
    }
}

fn animated_png(frames: impl Iterator<Item = Result<Frame>>, count: u32) -> Result<Encoded> {
    let mut frames = frames.peekable();
    let size = match frames.peek() {
        Some(Ok(first)) => first.buffer().dimensions(),
        _ => return Err(Refusal::Damaged.into()),
    };
    let mut content = Vec::new();
    let mut encoder = png::Encoder::new(&mut content, size.0, size.1);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_animated(count, 0).map_err(encoding)?;
    let mut writer = encoder.write_header().map_err(encoding)?;
    for frame in frames {
        let frame = frame?;
        let (numerator, denominator) = delay(frame.delay());
        writer.set_frame_delay(numerator, denominator).map_err(encoding)?;
        writer.write_image_data(frame.buffer()).map_err(encoding)?;
    }
    writer.finish().map_err(encoding)?;
    Ok(Encoded { format: Format::Png, content })
}

/// Converts a delay to a fraction of a second. Longer delays than the type can hold are capped.
fn delay(delay: Delay) -> (u16, u16) {
    let (numerator, denominator) = delay.numer_denom_ms();
    let milliseconds = numerator / denominator.max(1);
    (u16::try_from(milliseconds).unwrap_or(u16::MAX), 1000)
}

fn encoding(error: png::EncodingError) -> Error {
    let hint = image::error::ImageFormatHint::Exact(image::ImageFormat::Png);
    Error::Encoding(ImageError::Encoding(image::error::EncodingError::new(hint, error)))
}
