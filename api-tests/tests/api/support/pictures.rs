//! Pictures to upload, and checks of those that the server returns.

use std::io::Cursor;

use image::{
    AnimationDecoder, Delay, DynamicImage, Frame, ImageFormat, Rgba, RgbaImage,
    codecs::gif::{GifDecoder, GifEncoder},
};
use reqwest::{Method, multipart};

use super::{Client, Response, TestApp};

pub const UPDATE: &str = "/api/v1/accounts/update_credentials";

fn solid(width: u32, height: u32, shade: u8) -> RgbaImage {
    RgbaImage::from_pixel(width, height, Rgba([shade, 100, 200, 255]))
}

/// Returns a PNG of one colour.
pub fn png(width: u32, height: u32) -> Vec<u8> {
    let mut content = Cursor::new(Vec::new());
    DynamicImage::from(solid(width, height, 50)).write_to(&mut content, ImageFormat::Png).unwrap();
    content.into_inner()
}

/// Returns a GIF with two frames.
pub fn moving_gif(size: u32) -> Vec<u8> {
    let mut content = Vec::new();
    let frames = [0, 255].map(|shade| {
        Frame::from_parts(solid(size, size, shade), 0, 0, Delay::from_numer_denom_ms(100, 1))
    });
    GifEncoder::new(&mut content).encode_frames(frames).unwrap();
    content
}

/// Returns the number of frames of a GIF.
pub fn frames(gif: &[u8]) -> usize {
    GifDecoder::new(Cursor::new(gif)).unwrap().into_frames().count()
}

/// Returns width and height of a picture.
pub fn size(content: &[u8]) -> (u32, u32) {
    let image = image::load_from_memory(content).unwrap();
    (image.width(), image.height())
}

/// Returns a part of a multipart form, with any name and type.
pub fn file(content: Vec<u8>, name: &str, media_type: &str) -> multipart::Part {
    multipart::Part::bytes(content).file_name(name.to_owned()).mime_str(media_type).unwrap()
}

impl Client {
    /// Changes the profile by a multipart form.
    pub async fn update_with(&self, form: multipart::Form) -> Response {
        self.send(self.request(Method::PATCH, UPDATE).multipart(form)).await
    }

    /// Uploads a picture of the profile, `avatar` or `header`.
    pub async fn upload(&self, field: &'static str, content: Vec<u8>) -> Response {
        let part = file(content, "picture.png", "image/png");
        self.update_with(multipart::Form::new().part(field, part)).await
    }
}

impl TestApp {
    /// Returns the number of stored files.
    pub async fn stored_files(&self) -> usize {
        self.app().media().storage().list().await.unwrap().len()
    }
}
