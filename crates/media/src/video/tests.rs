//! Tests of video and audio processing. They need the programs of FFmpeg.

use std::path::PathBuf;

use siskin_entities::MediaKind;
use tempfile::TempDir;

use super::Tools;
use crate::{Error, FileName, FileType, Media, Refusal, StoredAttachment};

/// Returns the programs. Without them, tests end early, unless `SISKIN_REQUIRE_SERVICES` is set.
fn tools() -> Option<Tools> {
    let found = Tools::find();
    assert!(found.is_some() || std::env::var_os("SISKIN_REQUIRE_SERVICES").is_none());
    found
}

/// Media storage in a temporary folder, with the programs that create test files.
struct Fixture {
    folder: TempDir,
    tools: Tools,
    media: Media,
}

impl Fixture {
    fn new() -> Option<Self> {
        let (folder, tools) = (TempDir::new().unwrap(), tools()?);
        let media = Media::in_folder(folder.path()).with_tools(Some(tools.clone()));
        Some(Self { folder, tools, media })
    }

    /// Creates a file with `ffmpeg` from generated sources.
    fn created(&self, arguments: &[&str], name: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        let created = std::process::Command::new(&self.tools.ffmpeg)
            .args(["-nostdin", "-loglevel", "error", "-y"])
            .args(arguments)
            .arg(&path)
            .status()
            .unwrap();
        assert!(created.success());
        path
    }

    fn upload(&self, path: &PathBuf) -> crate::Result<(String, MediaKind)> {
        let staging_dir = self.media.storage().staging_dir().unwrap();
        let temp_path = tempfile::NamedTempFile::new_in(staging_dir).unwrap();
        std::fs::copy(path, temp_path.path()).unwrap();
        run(self.media.receive(temp_path.into_temp_path()))
    }

    fn stored(&self, path: &PathBuf) -> (MediaKind, StoredAttachment) {
        let (source, kind) = self.upload(path).unwrap();
        (kind, run(self.media.process_upload(&source, kind, None)).unwrap())
    }

    /// Returns wrapper scripts that run the command `first` before the programs.
    fn programs(&self, first: &str) -> Tools {
        use std::os::unix::fs::PermissionsExt;
        let folder = self.folder.path().join("programs");
        std::fs::create_dir(&folder).unwrap();
        for program in ["ffmpeg", "ffprobe"] {
            let path = folder.join(program);
            let real = self.tools.ffmpeg.with_file_name(program);
            let script = format!("#!/bin/sh\n{first}\nexec {} \"$@\"\n", real.display());
            std::fs::write(&path, script).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        Tools::in_folder(&folder).unwrap()
    }

    fn content(&self, file: &str) -> Vec<u8> {
        let name: FileName = file.parse().unwrap();
        let size = run(self.media.storage().size(&name)).unwrap().unwrap();
        run(self.media.storage().read(&name, 0..size)).unwrap()
    }
}

fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(work)
}

const PICTURE: &str = "testsrc=size=161x91:rate=10:duration=1";
const TONE: &str = "sine=frequency=440:duration=1";

fn contains(content: &[u8], words: &[u8]) -> bool {
    content.windows(words.len()).any(|window| window == words)
}

#[test]
fn a_video_becomes_one_that_every_browser_plays() {
    let Some(fixture) = Fixture::new() else { return };
    let secret = ["-metadata", "location=+48.2082+016.3738/", "-metadata", "title=Secret"];
    let sources = ["-f", "lavfi", "-i", PICTURE, "-f", "lavfi", "-i", TONE];
    for (name, codecs) in [
        ("a.webm", &["-c:v", "libvpx", "-c:a", "libvorbis"][..]),
        ("a.mov", &["-c:v", "mpeg4", "-c:a", "aac"]),
    ] {
        let upload = fixture.created(&[&sources, codecs, &secret].concat(), name);
        let (kind, stored) = fixture.stored(&upload);
        assert_eq!((kind, stored.kind), (MediaKind::Video, MediaKind::Video));
        let size = stored.meta.original.unwrap();
        assert_eq!((size.width, size.height), (160, 90));
        let playing = stored.meta.playing.unwrap();
        assert!((900_000..1_300_000).contains(&playing.duration_us), "{playing:?}");
        assert_eq!(playing.frame_rate, Some((10, 1)));
        assert_eq!(playing.sound.unwrap().codec, "aac");
        let content = fixture.content(&stored.file);
        assert!(contains(&content[..32], b"ftyp") && !contains(&content, b"Secret"));
        assert!(!contains(&content, b"+48.2082"));
        let preview = stored.preview.unwrap();
        assert!(preview.file.ends_with(".png") && preview.blurhash.is_some());
        assert_eq!(preview.size, size);
    }
}

#[test]
fn playable_videos_are_copied_without_metadata() {
    let Some(fixture) = Fixture::new() else { return };
    let upload = fixture.created(
        &[
            "-f",
            "lavfi",
            "-i",
            "testsrc=size=64x48:rate=10:duration=1",
            "-c:v",
            "libx264",
            "-pix_fmt",
            "yuv420p",
            "-metadata",
            "title=Secret",
        ],
        "a.mp4",
    );
    let found = super::probe(&fixture.tools, &upload).unwrap();
    assert!(found.is_browser_ready);
    let (_, stored) = fixture.stored(&upload);
    assert!(!contains(&fixture.content(&stored.file), b"Secret"));
    assert_eq!(stored.meta.playing.unwrap().sound, None);
}

#[test]
fn an_animation_becomes_a_silent_video() {
    let Some(fixture) = Fixture::new() else { return };
    let moving =
        fixture.created(&["-f", "lavfi", "-i", "testsrc=size=33x21:rate=5:duration=1"], "a.gif");
    let (kind, stored) = fixture.stored(&moving);
    assert_eq!((kind, stored.kind), (MediaKind::Gifv, MediaKind::Gifv));
    let name: FileName = stored.file.parse().unwrap();
    assert_eq!(name.file_type(), FileType::Mp4);
    assert_eq!(stored.meta.playing.unwrap().sound, None);
    let still = fixture.created(&["-f", "lavfi", "-i", PICTURE, "-frames:v", "1"], "still.gif");
    let (kind, stored) = fixture.stored(&still);
    assert_eq!((kind, stored.kind), (MediaKind::Image, MediaKind::Image));
}

#[test]
fn a_recording_becomes_playable_and_gets_the_colours_of_its_cover() {
    let Some(fixture) = Fixture::new() else { return };
    let bare = fixture.created(&["-f", "lavfi", "-i", TONE], "a.ogg");
    let (kind, stored) = fixture.stored(&bare);
    assert_eq!((kind, stored.kind), (MediaKind::Audio, MediaKind::Audio));
    assert!(
        stored.file.ends_with(".mp3") && stored.preview.is_none() && stored.meta.colors.is_none()
    );
    assert!(stored.meta.playing.unwrap().duration_us > 900_000);
    let cover = fixture.created(
        &["-f", "lavfi", "-i", "color=c=0x102080:size=64x64", "-frames:v", "1"],
        "cover.png",
    );
    let covered = fixture.created(
        &[
            "-f",
            "lavfi",
            "-i",
            TONE,
            "-i",
            cover.to_str().unwrap(),
            "-map",
            "0",
            "-map",
            "1",
            "-c:v",
            "copy",
            "-id3v2_version",
            "3",
            "-metadata",
            "title=Secret",
        ],
        "b.mp3",
    );
    let (_, stored) = fixture.stored(&covered);
    assert!(!contains(&fixture.content(&stored.file), b"Secret"));
    assert_eq!(stored.preview.unwrap().size.width, 64);
    // Encoders may be off by one.
    let background = stored.meta.colors.unwrap().background;
    assert!(["#102080", "#0f1f80"].contains(&&*background), "{background}");
}

#[test]
fn unplayable_files_are_refused_with_a_reason() {
    let Some(fixture) = Fixture::new() else { return };
    let path = fixture.folder.path().join("upload");
    let playlist = b"#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile:///etc/passwd\n";
    for (content, why) in [
        (&playlist[..], Refusal::NoMedia),
        (b"ffconcat version 1.0\nfile /etc/passwd\n", Refusal::NoMedia),
        (b"\0\0\0\x20ftypisom\0\0\x02\0isomiso2mp41", Refusal::Damaged),
        (b"\x1a\x45\xdf\xa3 and nothing more", Refusal::Damaged),
        (b"", Refusal::Empty),
    ] {
        std::fs::write(&path, content).unwrap();
        match fixture.upload(&path) {
            Err(Error::Refused(found)) => assert_eq!(found, why, "{content:?}"),
            other => panic!("{content:?}: {other:?}"),
        }
    }
}

#[test]
fn without_ffmpeg_only_pictures_are_accepted() {
    let folder = TempDir::new().unwrap();
    let media = Media::in_folder(folder.path());
    let staging_dir = media.storage().staging_dir().unwrap();
    let temp_path = tempfile::NamedTempFile::new_in(staging_dir).unwrap();
    std::fs::write(temp_path.path(), b"\0\0\0\x20ftypisom").unwrap();
    let refused = run(media.receive(temp_path.into_temp_path()));
    assert!(matches!(refused, Err(Error::Refused(Refusal::PicturesOnly))), "{refused:?}");
    assert!(media.accepted_types().all(|kind| kind.starts_with("image/")));
}

/// Creates an AVIF image. Returns `None` and prints a note if this `ffmpeg` cannot write AVIF.
fn avif(fixture: &Fixture, source: &str, name: &str) -> Option<PathBuf> {
    let path = fixture.folder.path().join(name);
    let created = std::process::Command::new(&fixture.tools.ffmpeg)
        .args(["-nostdin", "-loglevel", "error", "-f", "lavfi", "-i", source, "-frames:v", "1"])
        .args([
            "-vf",
            "format=yuv420p",
            "-c:v",
            "libaom-av1",
            "-cpu-used",
            "8",
            "-still-picture",
            "1",
        ])
        .args(["-metadata", "title=Secret"])
        .arg(&path)
        .status()
        .unwrap();
    if !created.success() {
        drop(std::io::Write::write_all(
            &mut std::io::stderr(),
            b"skipped a test of AVIF: this ffmpeg cannot write AVIF\n",
        ));
    }
    created.success().then_some(path)
}

/// Red on the left and blue on the right, wider than high.
const TWO_COLOURS: &str =
    "color=red:size=160x100:rate=1,drawbox=x=80:y=0:w=80:h=100:color=blue:t=fill";

fn decoded_picture(fixture: &Fixture, file: &str) -> image::RgbImage {
    image::load_from_memory(&fixture.content(file)).unwrap().into_rgb8()
}

#[test]
fn an_avif_picture_becomes_a_jpeg_like_any_other() {
    let Some(fixture) = Fixture::new() else { return };
    let Some(upload) = avif(&fixture, TWO_COLOURS, "a.avif") else { return };
    let (kind, stored) = fixture.stored(&upload);
    assert_eq!((kind, stored.kind), (MediaKind::Image, MediaKind::Image));
    let size = stored.meta.original.unwrap();
    assert_eq!((size.width, size.height), (160, 100));
    assert!(stored.file.ends_with(".jpg") && stored.preview.unwrap().blurhash.is_some());
    assert!(!contains(&fixture.content(&stored.file), b"Secret"));
    let (left, right) = (
        *decoded_picture(&fixture, &stored.file).get_pixel(20, 50),
        *decoded_picture(&fixture, &stored.file).get_pixel(140, 50),
    );
    assert!(left.0[0] > 200 && left.0[2] < 60 && right.0[2] > 200 && right.0[0] < 60);
    assert_eq!(
        std::fs::read_dir(fixture.media.storage().staging_dir().unwrap()).unwrap().count(),
        0
    );
}

#[test]
fn an_avif_picture_is_rotated() {
    let Some(fixture) = Fixture::new() else { return };
    let Some(path) = avif(&fixture, TWO_COLOURS, "a.avif") else { return };
    let mut upload = std::fs::read(&path).unwrap();
    // Replaces the optional pixel description with a rotation by a quarter to the left, and
    // padding.
    let place =
        |words: &[u8]| upload.windows(words.len()).position(|found| found == words).unwrap();
    let pixi = place(b"pixi");
    upload[pixi - 4..pixi + 12].copy_from_slice(b"\0\0\0\x10irot\x01\0\0\0\0\0\0\0");
    std::fs::write(&path, upload).unwrap();
    let (_, stored) = fixture.stored(&path);
    let size = stored.meta.original.unwrap();
    assert_eq!((size.width, size.height), (100, 160));
    // The left side is now at the bottom.
    let below = *decoded_picture(&fixture, &stored.file).get_pixel(50, 140);
    assert!(below.0[0] > 200 && below.0[2] < 60, "{below:?}");
}

#[test]
fn pictures_with_a_wrong_size_or_missing_data_are_refused() {
    let Some(fixture) = Fixture::new() else { return };
    let Some(path) = avif(&fixture, TWO_COLOURS, "a.avif") else { return };
    let upload = std::fs::read(&path).unwrap();
    let ispe = upload.windows(4).position(|found| found == b"ispe").unwrap();
    let refused = |content: &[u8]| {
        std::fs::write(&path, content).unwrap();
        let created = fixture
            .upload(&path)
            .and_then(|(source, kind)| run(fixture.media.process_upload(&source, kind, None)));
        match created {
            Err(Error::Refused(why)) => why,
            other => panic!("{other:?}"),
        }
    };
    let mut small = upload.clone();
    small[ispe + 8..ispe + 12].copy_from_slice(&1_u32.to_be_bytes());
    assert_eq!(refused(&small), Refusal::Unreadable);
    let mut huge = upload.clone();
    huge[ispe + 8..ispe + 12].copy_from_slice(&4_000_000_u32.to_be_bytes());
    assert_eq!(refused(&huge), Refusal::Pixels(33_177_600));
    let half = refused(&upload[..upload.len() / 2]);
    assert!(matches!(half, Refusal::Damaged | Refusal::Unreadable), "{half:?}");
    assert_eq!(refused(&upload[..40]), Refusal::Damaged);
}

#[test]
fn without_ffmpeg_avif_pictures_are_refused() {
    let folder = TempDir::new().unwrap();
    let media = Media::in_folder(folder.path());
    let temp_path =
        tempfile::NamedTempFile::new_in(media.storage().staging_dir().unwrap()).unwrap();
    std::fs::write(temp_path.path(), b"\0\0\0\x1cftypavif\0\0\0\0").unwrap();
    let refused = run(media.receive(temp_path.into_temp_path()));
    assert!(matches!(refused, Err(Error::Refused(Refusal::Format))), "{refused:?}");
    assert!(media.accepted_types().all(|accepted| accepted != "image/avif"));
    let with_tools = tools().map(|tools| media.with_tools(Some(tools)));
    assert!(
        with_tools
            .is_none_or(|media| media.accepted_types().any(|accepted| accepted == "image/avif"))
    );
}

/// Returns width and height of the first frame that a video displays.
fn displayed_size(fixture: &Fixture, file: &str) -> (u32, u32) {
    let path = fixture.folder.path().join("shown.mp4");
    std::fs::write(&path, fixture.content(file)).unwrap();
    let found = super::probe(&fixture.tools, &path).unwrap();
    let size = found.size.unwrap();
    (size.width, size.height)
}

#[test]
fn a_video_with_non_square_pixels_is_stored_as_displayed() {
    let Some(fixture) = Fixture::new() else { return };
    for (name, turned, expected) in [
        ("wide.mp4", &[][..], (128, 48)),
        ("turned.mp4", &["-metadata:s:v:0", "rotate=90"], (48, 128)),
    ] {
        let sources = ["-f", "lavfi", "-i", "testsrc=size=64x48:rate=10:duration=1"];
        let squeezed = ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-vf", "setsar=2"];
        let plain = fixture.created(&[&sources[..], &squeezed].concat(), "plain.mp4");
        let copied = ["-i", plain.to_str().unwrap(), "-c", "copy"];
        let upload = fixture.created(&[&copied[..], turned].concat(), name);
        let (_, stored) = fixture.stored(&upload);
        let size = stored.meta.original.unwrap();
        assert_eq!((size.width, size.height), expected, "{name}");
        assert_eq!(displayed_size(&fixture, &stored.file), expected, "{name}");
        let small = stored.preview.unwrap().size;
        assert_eq!((small.width, small.height), expected, "{name}");
    }
}

#[test]
fn animations_become_videos_and_stills_stay_pictures() {
    let Some(fixture) = Fixture::new() else { return };
    let source = "testsrc=size=32x20:rate=5:duration=1";
    for (name, how) in [
        ("a.gif", &[][..]),
        ("a.png", &["-f", "apng", "-plays", "0"]),
        ("deep.png", &["-f", "apng", "-pix_fmt", "rgb48be"]),
        ("a.webp", &["-c:v", "libwebp_anim"]),
    ] {
        let upload = fixture.created(&[&["-f", "lavfi", "-i", source][..], how].concat(), name);
        let (kind, stored) = fixture.stored(&upload);
        assert_eq!((kind, stored.kind), (MediaKind::Gifv, MediaKind::Gifv), "{name}");
        assert!(stored.file.ends_with(".mp4"), "{name}");
        assert_eq!(displayed_size(&fixture, &stored.file), (32, 20), "{name}");
        let playing = stored.meta.playing.unwrap();
        assert!((800_000..1_300_000).contains(&playing.duration_us), "{name}: {playing:?}");
        let once = [&["-f", "lavfi", "-i", source, "-frames:v", "1"][..], how].concat();
        let (kind, stored) = fixture.stored(&fixture.created(&once, &format!("still-{name}")));
        assert_eq!((kind, stored.kind), (MediaKind::Image, MediaKind::Image), "{name}");
    }
}

#[test]
fn a_tiled_picture_is_assembled_and_rotated() {
    let Some(fixture) = Fixture::new() else { return };
    let path = fixture.folder.path().join("tiled.heic");
    let sample = include_bytes!("samples/sample.heic");
    std::fs::write(&path, sample).unwrap();
    let (kind, stored) = fixture.stored(&path);
    assert_eq!((kind, stored.kind), (MediaKind::Image, MediaKind::Image));
    let size = stored.meta.original.unwrap();
    assert_eq!((size.width, size.height), (90, 100));
    let image = decoded_picture(&fixture, &stored.file);
    // Red, blue; green, white: turned by a quarter to the left.
    for (place, colour) in [
        ((10, 10), [0, 0, 255]),
        ((80, 10), [255; 3]),
        ((10, 95), [255, 0, 0]),
        ((80, 95), [0, 255, 0]),
    ] {
        let found = image.get_pixel(place.0, place.1).0;
        let distance = found.iter().zip(colour).map(|(a, b)| a.abs_diff(b)).max().unwrap();
        assert!(distance < 40, "{place:?}: {found:?}");
    }
    assert_eq!(
        std::fs::read_dir(fixture.media.storage().staging_dir().unwrap()).unwrap().count(),
        0
    );
}

#[test]
fn damaged_tiles_are_refused() {
    let Some(fixture) = Fixture::new() else { return };
    let path = fixture.folder.path().join("damaged.heic");
    let sample = include_bytes!("samples/sample.heic");
    let place =
        |words: &[u8]| sample.windows(words.len()).position(|found| found == words).unwrap();
    let (grid, hvcc, data) = (place(b"idat") + 4, place(b"hvcC") + 4, place(b"mdat") + 4);
    for (at, byte, why) in [
        // More rows than tiles, other sizes, a broken description, a missing end.
        (grid + 2, 7, &[Refusal::Damaged, Refusal::Unreadable][..]),
        (grid + 4, 0xff, &[Refusal::Damaged, Refusal::Unreadable]),
        (hvcc + 22, 0xff, &[Refusal::Damaged, Refusal::Unreadable]),
        (data, 0xff, &[Refusal::Damaged, Refusal::Unreadable]),
    ] {
        let mut content = sample.to_vec();
        content[at] = byte;
        std::fs::write(&path, content).unwrap();
        let created = fixture
            .upload(&path)
            .and_then(|(source, kind)| run(fixture.media.process_upload(&source, kind, None)));
        match created {
            Err(Error::Refused(found)) => assert!(why.contains(&found), "{at}: {found:?}"),
            other => panic!("{at}: {other:?}"),
        }
    }
}

#[test]
fn only_formats_that_ffmpeg_reads_are_announced() {
    let Some(fixture) = Fixture::new() else { return };
    let probed = |tools: Tools| {
        let media = Media::in_folder(fixture.folder.path().join("tried"));
        run(media.with_probed_tools(Some(tools))).unwrap().accepted_types().collect::<Vec<_>>()
    };
    let mut all: Vec<_> = fixture.media.accepted_types().collect();
    let mut found = probed(fixture.tools.clone());
    all.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, all, "the installed programs must support all formats");
    let found = probed(fixture.programs("case \"$*\" in *.hevc*|*.flac*) exit 1;; esac"));
    let missing: Vec<_> = all.iter().filter(|known| !found.contains(known)).copied().collect();
    assert_eq!(missing, ["audio/flac", "audio/x-flac", "image/heic", "image/heif"]);
}

#[test]
fn uploads_are_probed_one_at_a_time() {
    let Some(fixture) = Fixture::new() else { return };
    let log = fixture.folder.path().join("log");
    let first = format!("echo begin >> {0}; sleep 0.1; echo end >> {0}", log.display());
    let media = Media::in_folder(fixture.folder.path().join("files"))
        .with_tools(Some(fixture.programs(&first)));
    let video = include_bytes!("samples/sample.mp4");
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let received = runtime.block_on(async {
        let uploads = (0..6).map(|_| {
            let staging_dir = media.storage().staging_dir().unwrap();
            let temp_path = tempfile::NamedTempFile::new_in(staging_dir).unwrap();
            std::fs::write(temp_path.path(), video).unwrap();
            let media = media.clone();
            async move { media.receive(temp_path.into_temp_path()).await }
        });
        let tasks: Vec<_> = uploads.map(tokio::spawn).collect();
        let mut received = Vec::new();
        for task in tasks {
            received.push(task.await.unwrap().unwrap().1);
        }
        received
    });
    assert_eq!(received, [MediaKind::Video; 6]);
    let log = std::fs::read_to_string(log).unwrap();
    assert_eq!(log, "begin\nend\n".repeat(6));
}
