//! Tests of upload processing.

use std::{io::Cursor, time::Instant};

use image::{
    AnimationDecoder, Delay, DynamicImage, Frame, ImageBuffer, ImageEncoder, ImageFormat, Rgb,
    RgbImage, Rgba, RgbaImage,
    codecs::{
        gif::{GifDecoder, GifEncoder},
        jpeg::JpegEncoder,
        png::PngDecoder,
    },
};
use proptest::prelude::*;

use crate::{Format, Media, Processed, Purpose, Refusal, Result, process};

const RED: [u8; 3] = [250, 10, 10];
const BLUE: [u8; 3] = [10, 10, 250];

/// Builds an image that is red in the upper half and blue in the lower half.
fn two_colours(width: u32, height: u32) -> RgbImage {
    ImageBuffer::from_fn(width, height, |_, y| Rgb(if y < height / 2 { RED } else { BLUE }))
}

fn encoded(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut content = Cursor::new(Vec::new());
    image.write_to(&mut content, format).unwrap();
    content.into_inner()
}

fn png(width: u32, height: u32) -> Vec<u8> {
    encoded(&two_colours(width, height).into(), ImageFormat::Png)
}

fn refusal(result: Result<Processed>) -> Refusal {
    match result.unwrap_err() {
        crate::Error::Refused(refusal) => refusal,
        other => panic!("{other:?}"),
    }
}

fn is_near(pixel: Rgb<u8>, colour: [u8; 3]) -> bool {
    pixel.0.iter().zip(colour).all(|(found, wanted)| found.abs_diff(wanted) < 40)
}

fn decoded(stored: &Processed) -> DynamicImage {
    image::load_from_memory_with_format(&stored.main.content, stored.main.format.as_image())
        .unwrap()
}

#[test]
fn avatars_and_headers_have_one_size() {
    for (purpose, size) in [(Purpose::AVATAR, (400, 400)), (Purpose::HEADER, (1500, 500))] {
        for (width, height) in [(2000, 1000), (300, 900), (1, 1), (400, 400)] {
            let stored = process(&png(width, height), purpose).unwrap();
            assert_eq!(stored.main.format, Format::Png);
            let image = decoded(&stored);
            assert_eq!((image.width(), image.height()), size);
            assert_eq!(stored.still, None);
        }
    }
}

#[test]
fn emojis_keep_their_proportions_and_are_never_enlarged() {
    for ((width, height), stored) in [((20, 10), (20, 10)), ((1024, 512), (256, 128))] {
        let image = decoded(&process(&png(width, height), Purpose::EMOJI).unwrap());
        assert_eq!((image.width(), image.height()), stored);
    }
}

#[test]
fn photographs_become_jpeg_and_transparent_pictures_png() {
    let photograph = DynamicImage::from(two_colours(50, 50));
    for format in [ImageFormat::Jpeg, ImageFormat::WebP] {
        let stored = process(&encoded(&photograph, format), Purpose::AVATAR).unwrap();
        assert_eq!(stored.main.format, Format::Jpeg);
    }
    let glass = RgbaImage::from_pixel(50, 50, Rgba([1, 2, 3, 100]));
    let stored = process(&encoded(&glass.into(), ImageFormat::WebP), Purpose::AVATAR).unwrap();
    assert_eq!(stored.main.format, Format::Png);
    assert_eq!(decoded(&stored).into_rgba8().get_pixel(200, 200).0[3], 100);
}

/// Builds a TIFF directory with orientation 6 (the upper edge is stored on the right) and camera
/// text.
fn exif() -> Vec<u8> {
    let mut exif = b"II*\0\x08\0\0\0\x02\0".to_vec();
    exif.extend(b"\x12\x01\x03\0\x01\0\0\0\x06\0\0\0"); // Orientation
    exif.extend(b"\x0f\x01\x02\0\x10\0\0\0\x26\0\0\0"); // Make, 16 bytes at 38
    exif.extend(b"\0\0\0\0");
    exif.extend(b"Camera48.2N16.3E");
    exif
}

#[test]
fn a_picture_is_rotated_upright_and_loses_its_metadata() {
    let mut upload = Vec::new();
    let mut encoder = JpegEncoder::new_with_quality(&mut upload, 100);
    encoder.set_exif_metadata(exif()).unwrap();
    DynamicImage::from(two_colours(400, 200)).write_with_encoder(encoder).unwrap();
    assert!(contains(&upload, b"Camera48.2N16.3E"));
    let stored = process(&upload, Purpose::AVATAR).unwrap();
    assert!(!contains(&stored.main.content, b"Camera") && !contains(&stored.main.content, b"Exif"));
    // The image is turned to the right: the upper half is now on the right.
    let image = decoded(&stored).into_rgb8();
    assert!(is_near(*image.get_pixel(390, 200), RED), "{:?}", image.get_pixel(390, 200));
    assert!(is_near(*image.get_pixel(10, 200), BLUE), "{:?}", image.get_pixel(10, 200));
}

fn contains(content: &[u8], words: &[u8]) -> bool {
    content.windows(words.len()).any(|window| window == words)
}

#[test]
fn data_after_a_picture_is_removed() {
    let mut upload = png(20, 20);
    upload.extend(b"<script>alert(1)</script>");
    let stored = process(&upload, Purpose::AVATAR).unwrap();
    assert!(!contains(&stored.main.content, b"script"));
}

#[test]
fn only_rgb_colour_profiles_are_kept() {
    let mut profile = vec![0; 128];
    profile[16..20].copy_from_slice(b"RGB ");
    for (space, is_kept) in [(b"RGB ", true), (b"CMYK", false)] {
        profile[16..20].copy_from_slice(space);
        let mut upload = Vec::new();
        let mut encoder = JpegEncoder::new(&mut upload);
        encoder.set_icc_profile(profile.clone()).unwrap();
        DynamicImage::from(two_colours(40, 40)).write_with_encoder(encoder).unwrap();
        let stored = process(&upload, Purpose::AVATAR).unwrap();
        assert_eq!(contains(&stored.main.content, b"ICC_PROFILE"), is_kept);
    }
}

#[test]
fn files_that_are_no_picture_are_refused() {
    for (upload, why) in [
        (&b""[..], Refusal::Empty),
        (b"<svg xmlns=\"http://www.w3.org/2000/svg\"><script/></svg>", Refusal::Format),
        (b"<!doctype html><img src=x>", Refusal::Format),
        (b"\x89PNG\r\n\x1a\n", Refusal::Damaged),
        (b"GIF89a", Refusal::Damaged),
        (b"\xff\xd8\xff", Refusal::Damaged),
        (b"RIFF\x04\0\0\0WEBP", Refusal::Damaged),
    ] {
        assert_eq!(refusal(process(upload, Purpose::AVATAR)), why, "{upload:?}");
    }
    let half = png(200, 200);
    assert_eq!(refusal(process(&half[..half.len() / 2], Purpose::AVATAR)), Refusal::Damaged);
    let mut large = png(1, 1);
    large.resize((256 << 10) + 1, 0);
    assert_eq!(refusal(process(&large, Purpose::EMOJI)), Refusal::Bytes(256 << 10));
}

/// Builds a PNG that declares this size, with only a few bytes of pixels.
fn bomb(width: u32, height: u32) -> Vec<u8> {
    let mut content = Vec::new();
    let mut encoder = png::Encoder::new(&mut content, width, height);
    encoder.set_color(png::ColorType::Rgba);
    let mut writer = encoder.write_header().unwrap();
    writer.write_chunk(png::chunk::IDAT, b"\x78\x9c\x63\0\0").unwrap();
    drop(writer);
    content
}

#[test]
fn a_decompression_bomb_is_refused_before_decoding() {
    let start = Instant::now();
    let many = Refusal::Pixels(33_177_600);
    assert_eq!(refusal(process(&bomb(50_000, 50_000), Purpose::AVATAR)), many);
    let mut gif = b"GIF89a\xff\xff\xff\xff\0\0\0".to_vec();
    gif.extend(b",\0\0\0\0\xff\xff\xff\xff\0\x02\x02L\x01\0;");
    assert_eq!(refusal(process(&gif, Purpose::HEADER)), many);
    // Decoding either of them would take seconds and gigabytes.
    assert!(start.elapsed().as_secs() < 2);
}

/// Builds frames that alternate between red and blue.
fn frames(size: u32, count: u32) -> Vec<Frame> {
    let frame = |index: u32| {
        let [red, green, blue] = if index.is_multiple_of(2) { RED } else { BLUE };
        let image = RgbaImage::from_pixel(size, size, Rgba([red, green, blue, 255]));
        Frame::from_parts(image, 0, 0, Delay::from_numer_denom_ms(70, 1))
    };
    (0..count).map(frame).collect()
}

fn gif(size: u32, count: u32) -> Vec<u8> {
    let mut content = Vec::new();
    GifEncoder::new_with_speed(&mut content, 30).encode_frames(frames(size, count)).unwrap();
    content
}

fn apng(size: u32, count: u32) -> Vec<u8> {
    let mut content = Vec::new();
    let mut encoder = png::Encoder::new(&mut content, size, size);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_animated(count, 0).unwrap();
    encoder.set_frame_delay(70, 1000).unwrap();
    let mut writer = encoder.write_header().unwrap();
    for frame in frames(size, count) {
        writer.write_image_data(frame.buffer()).unwrap();
    }
    writer.finish().unwrap();
    content
}

fn shown(frame: &Frame) -> (Rgb<u8>, u32) {
    let [red, green, blue, _] = frame.buffer().get_pixel(100, 100).0;
    let (numerator, denominator) = frame.delay().numer_denom_ms();
    (Rgb([red, green, blue]), numerator / denominator)
}

#[test]
fn an_animation_stays_animated_and_its_first_frame_is_stored() {
    for (upload, format) in [(gif(64, 3), Format::Gif), (apng(64, 3), Format::Png)] {
        let stored = process(&upload, Purpose::AVATAR).unwrap();
        assert_eq!(stored.main.format, format);
        let content = Cursor::new(&stored.main.content);
        let frames = match format {
            Format::Gif => GifDecoder::new(content).unwrap().into_frames(),
            _ => PngDecoder::new(content).unwrap().apng().unwrap().into_frames(),
        };
        let frames = frames.collect_frames().unwrap();
        assert_eq!(frames.len(), 3);
        for (frame, colour) in frames.iter().zip([RED, BLUE, RED]) {
            assert_eq!(frame.buffer().dimensions(), (400, 400));
            let (pixel, delay) = shown(frame);
            assert!(is_near(pixel, colour) && delay == 70, "{pixel:?} {delay}");
        }
        let still = stored.still.unwrap();
        assert_eq!(still.format, Format::Png);
        assert!(!contains(&still.content, b"acTL"));
        let still = image::load_from_memory(&still.content).unwrap().into_rgb8();
        assert_eq!(still.dimensions(), (400, 400));
        assert!(is_near(*still.get_pixel(100, 100), RED));
    }
}

#[test]
fn a_single_frame_is_a_still_picture() {
    for upload in [gif(64, 1), apng(64, 1)] {
        let stored = process(&upload, Purpose::AVATAR).unwrap();
        assert_eq!((stored.main.format, stored.still), (Format::Png, None));
    }
}

#[test]
fn an_animation_with_too_many_frames_is_refused() {
    assert_eq!(refusal(process(&gif(8, 501), Purpose::AVATAR)), Refusal::Frames);
    // Frames of sixteen million pixels that each draw a single pixel.
    let mut wide = b"GIF89a\xa0\x0f\xa0\x0f\x80\0\0\0\0\0\xff\xff\xff".to_vec();
    wide.extend(b",\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0".repeat(13));
    wide.push(b';');
    assert_eq!(refusal(process(&wide, Purpose::HEADER)), Refusal::Frames);
}

#[test]
fn files_are_stored_under_random_names() {
    let folder = tempfile::TempDir::new().unwrap();
    let media = Media::in_folder(folder.path());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let picture = media.store_picture(gif(16, 2), Purpose::EMOJI).await.unwrap();
        let files = picture.clone().into_files();
        assert_eq!(files.len(), 2);
        assert_ne!(files[0][..32], files[1][..32]);
        assert!(picture.file.ends_with(".gif") && picture.still().ends_with(".png"));
        assert_eq!(media.storage().list().await.unwrap().len(), 2);
        media.discard(files).await;
        media.discard(["../../etc/passwd".to_owned()]).await;
        assert_eq!(media.storage().list().await.unwrap(), []);
        assert!(media.store_picture(b"<svg/>".to_vec(), Purpose::AVATAR).await.is_err());
        assert_eq!(media.storage().list().await.unwrap(), []);
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_upload_is_stored_or_refused(
        place in 0_usize..400, byte: u8, cut in 0_usize..400, which in 0_usize..4,
    ) {
        let photograph = DynamicImage::from(two_colours(12, 12));
        let mut upload = match which {
            0 => png(12, 12),
            1 => gif(12, 2),
            2 => encoded(&photograph, ImageFormat::Jpeg),
            _ => encoded(&photograph, ImageFormat::WebP),
        };
        if let Some(target) = upload.get_mut(place) {
            *target = byte;
        }
        upload.truncate(upload.len().saturating_sub(cut.saturating_sub(200)));
        // The test only fails by a panic.
        drop(process(&upload, Purpose::EMOJI));
    }
}

mod attached {
    use siskin_entities::{Focus, media::PixelSize};

    use super::*;
    use crate::attachment::{self, Image};

    fn attached(upload: &[u8], focus: Option<&str>) -> Image {
        attachment::image(upload, focus.map(|focus| focus.parse().unwrap())).unwrap()
    }

    fn shown(encoded: &crate::Encoded) -> RgbImage {
        image::load_from_memory_with_format(&encoded.content, encoded.format.as_image())
            .unwrap()
            .into_rgb8()
    }

    #[test]
    fn a_picture_is_whole_and_its_preview_is_small() {
        let image = attached(&png(1600, 1000), None);
        assert_eq!(image.size, PixelSize { width: 1600, height: 1000 });
        assert_eq!(image.preview.size, PixelSize { width: 607, height: 379 });
        assert_eq!(shown(&image.encoded).dimensions(), (1600, 1000));
        let small = shown(&image.preview.encoded);
        assert_eq!(small.dimensions(), (607, 379));
        assert!(is_near(*small.get_pixel(300, 10), RED));
        // 4 × 3 components: a size, a maximum, an average of 4 and 11 others of 2 characters.
        assert_eq!(image.preview.blurhash.unwrap().len(), 28);
    }

    #[test]
    fn a_preview_is_cropped_around_the_focal_point() {
        let high = png(400, 1600);
        let above = attached(&high, Some("0,0.9"));
        assert_eq!(above.preview.size, PixelSize { width: 400, height: 225 });
        assert!(shown(&above.preview.encoded).pixels().all(|pixel| is_near(*pixel, RED)));
        let below = attached(&high, Some("0,-0.9"));
        assert!(shown(&below.preview.encoded).pixels().all(|pixel| is_near(*pixel, BLUE)));
        assert_eq!(below.size, PixelSize { width: 400, height: 1600 });
        let middle = attached(&high, Some("0,0"));
        let middle = shown(&middle.preview.encoded);
        assert!(
            is_near(*middle.get_pixel(200, 10), RED) && is_near(*middle.get_pixel(200, 220), BLUE)
        );
    }

    #[test]
    fn the_largest_pictures_are_scaled_down() {
        let image = attached(&png(5000, 4000), None);
        assert_eq!(image.size, PixelSize { width: 3219, height: 2575 });
    }

    #[test]
    fn attachments_are_rotated_and_lose_their_metadata() {
        let mut upload = Vec::new();
        let mut encoder = JpegEncoder::new_with_quality(&mut upload, 100);
        encoder.set_exif_metadata(exif()).unwrap();
        DynamicImage::from(two_colours(400, 200)).write_with_encoder(encoder).unwrap();
        let image = attached(&upload, None);
        assert_eq!(image.size, PixelSize { width: 200, height: 400 });
        for encoded in [&image.encoded, &image.preview.encoded] {
            assert!(!contains(&encoded.content, b"Camera") && !contains(&encoded.content, b"Exif"));
            assert!(is_near(*shown(encoded).get_pixel(190, 200), RED));
        }
    }

    #[test]
    fn an_animated_attachment_stays_animated() {
        let image = attached(&gif(64, 3), Some("0.5,0.5"));
        assert_eq!(image.encoded.format, Format::Gif);
        let frames = GifDecoder::new(Cursor::new(&image.encoded.content)).unwrap().into_frames();
        assert_eq!(frames.count(), 3);
        assert_eq!(image.preview.encoded.format, Format::Png);
    }

    #[test]
    fn an_upload_is_checked_before_it_is_queued() {
        let folder = tempfile::TempDir::new().unwrap();
        let media = Media::in_folder(folder.path());
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let staging_dir = media.storage().staging_dir().unwrap();
        let draft = |content: &[u8]| {
            let file = tempfile::NamedTempFile::new_in(&staging_dir).unwrap();
            std::fs::write(file.path(), content).unwrap();
            file.into_temp_path()
        };
        runtime.block_on(async {
            for (upload, why) in [
                (b"".to_vec(), Refusal::Empty),
                (b"<svg/>".to_vec(), Refusal::Format),
                (bomb(50_000, 50_000), Refusal::Pixels(33_177_600)),
                (b"\x89PNG\r\n\x1a\n".to_vec(), Refusal::Damaged),
            ] {
                match media.receive(draft(&upload)).await {
                    Err(crate::Error::Refused(found)) => assert_eq!(found, why),
                    other => panic!("{other:?}"),
                }
            }
            assert_eq!(media.storage().list().await.unwrap(), []);
            let (waiting, kind) = media.receive(draft(&png(400, 1600))).await.unwrap();
            assert_eq!(kind, siskin_entities::MediaKind::Image);
            assert!(waiting.ends_with(".upload"));
            let focus: Focus = "0,1".parse().unwrap();
            let stored = media.process_upload(&waiting, kind, Some(focus)).await.unwrap();
            let preview = stored.preview.unwrap();
            let again = media.preview_of(&stored.file, Some(focus)).await.unwrap();
            assert_eq!((again.size, again.blurhash), (preview.size, preview.blurhash));
            assert_eq!(media.storage().list().await.unwrap().len(), 4);
            assert_eq!(std::fs::read_dir(&staging_dir).unwrap().count(), 0);
        });
    }
}
