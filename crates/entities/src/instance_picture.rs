//! The picture of the instance, in its stored sizes.

use crate::media::PixelSize;

/// One stored size of the picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PictureVersion {
    /// Name of the file.
    pub file: String,
    /// Width and height.
    pub size: PixelSize,
    /// Blurred form, which clients show while they load the picture.
    pub blurhash: Option<String>,
}

/// The picture of the instance: a wide one for previews, and squares for icons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstancePicture {
    /// The wide picture.
    pub thumbnail: PictureVersion,
    /// The same with twice the width and height. `None` if the upload was too small for it.
    pub large_thumbnail: Option<PictureVersion>,
    /// Squares, the smallest first.
    pub icons: Vec<PictureVersion>,
}

impl InstancePicture {
    /// Builds the picture from its versions. Returns `None` without a wide one.
    #[must_use]
    pub fn of_versions(mut versions: Vec<PictureVersion>) -> Option<Self> {
        versions.sort_by_key(|version| version.size.width);
        let is_icon = |version: &PictureVersion| version.size.width == version.size.height;
        let (icons, wide): (Vec<_>, Vec<_>) = versions.into_iter().partition(is_icon);
        let mut wide = wide.into_iter();
        Some(Self { thumbnail: wide.next()?, large_thumbnail: wide.next(), icons })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_told_apart_by_their_size() {
        let version = |width, height| PictureVersion {
            file: format!("{width}.png"),
            size: PixelSize { width, height },
            blurhash: None,
        };
        let squares = vec![version(512, 512), version(192, 192)];
        assert_eq!(InstancePicture::of_versions(squares.clone()), None);
        let small = [squares.clone(), vec![version(1200, 630)]].concat();
        let picture = InstancePicture::of_versions(small).unwrap();
        assert_eq!(
            (picture.thumbnail.file.as_str(), &picture.large_thumbnail),
            ("1200.png", &None)
        );
        assert_eq!(picture.icons, [version(192, 192), version(512, 512)]);
        let large = [vec![version(2400, 1260), version(1200, 630)], squares].concat();
        let picture = InstancePicture::of_versions(large).unwrap();
        assert_eq!(picture.thumbnail, version(1200, 630));
        assert_eq!(picture.large_thumbnail, Some(version(2400, 1260)));
    }
}
