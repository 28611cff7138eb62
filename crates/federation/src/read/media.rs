//! Pictures and attachments.

use siskin_entities::{Focus, MediaKind, media::PixelSize};

use super::{Reader, limits, texts, time, values::essence};
use crate::{
    address::Uri,
    json::{Members, Value, items},
};

/// Picture on another server, such as an avatar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemotePicture {
    /// Address of the file.
    pub url: Uri,
    /// Claimed media type in lower case; `None` if there is none.
    pub media_type: Option<String>,
    /// Description; `None` if there is none.
    pub description: Option<String>,
}

/// Attachment of an object on another server. All its properties are claims.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// Kind, by the media type or else by the type of the object.
    pub kind: MediaKind,
    /// Address of the file.
    pub url: Uri,
    /// Claimed media type in lower case; `None` if there is none.
    pub media_type: Option<String>,
    /// Description; `None` if there is none.
    pub description: Option<String>,
    /// Blurred placeholder; `None` if there is no valid one.
    pub blurhash: Option<String>,
    /// Focal point; `None` if there is no valid one.
    pub focus: Option<Focus>,
    /// Width and height; `None` if unknown.
    pub size: Option<PixelSize>,
    /// Duration in milliseconds; `None` if unknown.
    pub duration: Option<u64>,
    /// Still picture of a video or recording.
    pub preview: Option<RemotePicture>,
}

impl Reader {
    /// Returns the widest picture of a member: an address, an object, a list of them, or an object
    /// with the picture in its own `image`. Of equal ones, the first is returned.
    pub(super) fn picture(self, members: Members<'_>, name: &str) -> Option<RemotePicture> {
        let width = |value| Members::of(value).and_then(|it: Members<'_>| it.count("width"));
        let pictures = members.items(name).take(limits::ATTACHMENTS);
        let pictures = pictures.filter_map(|it| Some((width(it), self.picture_of(it)?)));
        let widest = pictures.reduce(|one, other| if other.0 > one.0 { other } else { one });
        widest.map(|(_, picture)| picture)
    }

    fn picture_of(self, value: &Value) -> Option<RemotePicture> {
        let Some(members) = Members::of(value) else {
            let url = self.uri(value)?;
            return Some(RemotePicture { url, media_type: None, description: None });
        };
        if members.get("url").is_none() && members.get("href").is_none() {
            return items(members.get("image")).find_map(|it| self.flat_picture(Members::of(it)?));
        }
        self.flat_picture(members)
    }

    fn flat_picture(self, members: Members<'_>) -> Option<RemotePicture> {
        let file = self.file(members, |kind| kind != MediaKind::Video)?;
        Some(RemotePicture {
            url: file.url,
            media_type: file.media_type,
            description: description(members),
        })
    }

    /// Returns the attachments of an object, at most [`limits::ATTACHMENTS`].
    pub(super) fn attachments(self, members: Members<'_>) -> Vec<Attachment> {
        let objects = members.objects("attachment").filter(|it| is_medium(*it));
        objects.filter_map(|it| self.attachment(it)).take(limits::ATTACHMENTS).collect()
    }

    /// Returns the attachment that an object is, or has in itself.
    pub(super) fn attachment(self, members: Members<'_>) -> Option<Attachment> {
        let file = self.file(members, |_| true)?;
        let kind = match kind_of(file.media_type.as_deref()) {
            MediaKind::Unknown => kind_of_type(members),
            kind => kind,
        };
        Some(Attachment {
            kind,
            url: file.url,
            media_type: file.media_type,
            description: description(members),
            blurhash: members.text("blurhash").filter(|it| is_blurhash(it)).map(str::to_owned),
            focus: focus(members),
            size: size(members),
            duration: members.text("duration").and_then(time::duration),
            preview: self.picture(members, "icon"),
        })
    }

    /// Returns the first file of `url` that is wanted: an address, or a link with its media type.
    fn file(self, members: Members<'_>, is_wanted: impl Fn(MediaKind) -> bool) -> Option<File> {
        let own_type = members.text("mediaType").map(essence).filter(|it| !it.is_empty());
        let name = if members.get("url").is_some() { "url" } else { "href" };
        members.items(name).find_map(|value| {
            let link = Members::of(value);
            let media_type = link.and_then(|it| it.text("mediaType")).map(essence);
            let is_page = media_type.as_deref() == Some("text/html");
            let kind = kind_of(media_type.as_deref());
            let is_known = media_type.is_none() || kind != MediaKind::Unknown;
            if is_page || !is_known || !is_wanted(kind) {
                return None;
            }
            Some(File { url: self.uri(value)?, media_type: media_type.or(own_type.clone()) })
        })
    }
}

struct File {
    url: Uri,
    media_type: Option<String>,
}

/// Returns `true` for attached objects that are media. Links are previews, and fields belong to
/// profiles.
fn is_medium(members: Members<'_>) -> bool {
    ["Document", "Image", "Video", "Audio"].into_iter().any(|name| members.is_a(name))
}

/// Returns the link among the attachments that the author wants to show as a preview.
pub(super) fn preview_link(members: Members<'_>) -> Option<Uri> {
    let mut links = members.objects("attachment").filter(|it| it.is_a("Link"));
    links.find_map(|link| Uri::parse(link.text("href")?, crate::address::Schemes::HttpToo).ok())
}

fn kind_of(media_type: Option<&str>) -> MediaKind {
    match media_type.and_then(|it| it.split('/').next()) {
        Some("image") => MediaKind::Image,
        Some("video") => MediaKind::Video,
        Some("audio") => MediaKind::Audio,
        _ => MediaKind::Unknown,
    }
}

fn kind_of_type(members: Members<'_>) -> MediaKind {
    let kinds =
        [("Image", MediaKind::Image), ("Video", MediaKind::Video), ("Audio", MediaKind::Audio)];
    kinds.into_iter().find(|(name, _)| members.is_a(name)).map_or(MediaKind::Unknown, |it| it.1)
}

/// Returns the description: `name`, or else `summary`.
fn description(members: Members<'_>) -> Option<String> {
    let (text, _) = members.natural("name").or_else(|| members.natural("summary"))?;
    texts::lines(text, limits::DESCRIPTION_CHARACTERS)
}

/// Returns the focal point, if it is two numbers from -1 to 1.
fn focus(members: Members<'_>) -> Option<Focus> {
    let mut numbers = members.items("focalPoint").map(Value::as_f64);
    let (x, y, rest) = (numbers.next()??, numbers.next()??, numbers.next());
    let is_valid = |it: f64| (-1.0..=1.0).contains(&it);
    if rest.is_some() || !is_valid(x) || !is_valid(y) {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "between minus and plus a million")]
    let millionths = |it: f64| (it * 1e6).round() as i32;
    Some(Focus::from_millionths(millionths(x), millionths(y)))
}

/// Longest side that a claim may have, in pixels.
const MAX_SIDE: u64 = 65_535;

fn size(members: Members<'_>) -> Option<PixelSize> {
    let side = |name| {
        let side = members.count(name).filter(|side| (1..=MAX_SIDE).contains(side));
        side.and_then(|side| u32::try_from(side).ok())
    };
    Some(PixelSize { width: side("width")?, height: side("height")? })
}

/// Alphabet of blurhashes: their base is 83.
const BASE_83: &[u8] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~";

/// Returns `true` if a text has the form and the length of a blurhash.
fn is_blurhash(text: &str) -> bool {
    let digit = |byte: u8| BASE_83.iter().position(|it| *it == byte);
    let Some(size) = text.bytes().next().and_then(digit) else { return false };
    let components = (size / 9 + 1) * (size % 9 + 1);
    size < 81 && text.len() == 4 + 2 * components && text.bytes().all(|it| digit(it).is_some())
}

#[cfg(test)]
mod tests {
    use super::is_blurhash;

    #[test]
    fn a_blurhash_has_the_length_that_it_says() {
        assert!(is_blurhash("LEHV6nWB2yk8pyo0adR*.7kCMdnj"));
        for text in
            ["", "L", "LEHV6nWB2yk8pyo0adR*.7kCMdn", "LEHV6nWB2yk8pyo0adR*.7kCMdn'", "~~~~~~"]
        {
            assert!(!is_blurhash(text), "{text}");
        }
    }
}
