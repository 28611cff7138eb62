//! Videos that are expensive to process.

use std::{
    process::{Command, Stdio},
    time::Duration,
};

use anyhow::{Result, ensure};
use reqwest::multipart::{Form, Part};
use tempfile::TempDir;
use tokio::time::sleep;

use crate::server::{ATTACKER, Server, client};

/// Uploads videos of the maximum size and frame rate, and files with a huge sample table.
pub async fn hard_to_decode(server: &Server, time: Duration) -> Result<String> {
    let Some(film) = film()? else { return Ok("ffmpeg is not installed".to_owned()) };
    let table = huge_table();
    let mut uploads = Vec::new();
    for (number, file) in
        std::iter::repeat_n(film, 3).chain(std::iter::repeat_n(table, 12)).enumerate()
    {
        let token = &server.attackers[number % server.attackers.len()];
        let form = Form::new().part("file", Part::bytes(file).file_name("a.mp4"));
        let upload =
            client(ATTACKER, Some(token))?.post(server.url("/api/v2/media")).multipart(form);
        uploads.push(tokio::spawn(upload.timeout(time + Duration::from_secs(30)).send()));
    }
    sleep(time).await;
    let (mut taken, mut refused) = (0, 0);
    for upload in uploads {
        match upload.await? {
            Ok(response) if response.status().is_success() => taken += 1,
            _ => refused += 1,
        }
    }
    Ok(format!("{taken} uploads were accepted, {refused} refused"))
}

/// Creates a still video of 3840x2160 pixels at 120 frames per second, without chroma subsampling.
/// Returns `None` if FFmpeg is not installed.
fn film() -> Result<Option<Vec<u8>>> {
    let folder = TempDir::new()?;
    let path = folder.path().join("film.mp4");
    let status = Command::new("ffmpeg")
        .args(["-nostdin", "-loglevel", "error", "-f", "lavfi", "-i"])
        .arg("color=red:size=3840x2160:rate=120:duration=3")
        .args(["-pix_fmt", "yuv444p", "-preset", "ultrafast"])
        .arg(&path)
        .stdin(Stdio::null())
        .status();
    let Ok(status) = status else { return Ok(None) };
    ensure!(status.success(), "no video was created");
    Ok(Some(std::fs::read(path)?))
}

/// Builds an MP4 file with a sample table of 80 MB.
fn huge_table() -> Vec<u8> {
    const SAMPLES: u32 = 20_000_000;
    let full = |kind: &[u8; 4], content: &[u8]| boxed(kind, &[&[0; 4], content].concat());
    let number = u32::to_be_bytes;
    let sizes = [&number(0)[..], &number(SAMPLES), &vec![0; SAMPLES as usize * 4]].concat();
    let entry = [&[0; 6][..], &[0, 1], &[0; 16], &[0, 64, 0, 48], &[0; 50]].concat();
    let table = [
        full(b"stsd", &[&number(1)[..], &boxed(b"avc1", &entry)].concat()),
        full(b"stts", &[number(1), number(SAMPLES), number(1)].concat()),
        full(b"stsc", &[number(1), number(1), number(SAMPLES), number(1)].concat()),
        full(b"stsz", &sizes),
        full(b"stco", &[number(1), number(48)].concat()),
    ]
    .concat();
    let handler = [&[0; 4][..], b"vide", &[0; 13]].concat();
    let media = [
        full(b"mdhd", &[&[0; 8][..], &number(1000), &number(SAMPLES), &[0; 4]].concat()),
        full(b"hdlr", &handler),
        boxed(b"minf", &[full(b"vmhd", &[0; 8]), boxed(b"stbl", &table)].concat()),
    ]
    .concat();
    let track = [full(b"tkhd", &[0; 80]), boxed(b"mdia", &media)].concat();
    let movie =
        [full(b"mvhd", &[&[0; 8][..], &number(1000), &[0; 84]].concat()), boxed(b"trak", &track)];
    [boxed(b"ftyp", b"isom\0\0\0\0isom"), boxed(b"moov", &movie.concat())].concat()
}

fn boxed(kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
    let length = u32::try_from(content.len() + 8).unwrap_or(u32::MAX);
    [&length.to_be_bytes()[..], kind, content].concat()
}
