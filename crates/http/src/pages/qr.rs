//! QR codes, as a path of an SVG in a page. The page needs no picture, so no request contains the
//! text.

use std::fmt::Write as _;

use qrcode::{Color, EcLevel, QrCode};

/// Width of the light border that cameras need, in modules.
const BORDER: usize = 4;

/// A QR code.
pub(crate) struct Qr {
    /// Width and height in modules, with the border.
    pub(crate) size: usize,
    /// Path of the dark modules. A module is one unit wide.
    pub(crate) path: String,
}

impl Qr {
    /// Encodes a text. Returns `None` if it is too long.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let code = QrCode::with_error_correction_level(text, EcLevel::M).ok()?;
        let (width, colors) = (code.width(), code.into_colors());
        let mut path = String::new();
        for (y, row) in colors.chunks_exact(width).enumerate() {
            let mut x = 0;
            for run in row.chunk_by(|one, next| one == next) {
                if run.first() == Some(&Color::Dark) {
                    let (left, top, length) = (x + BORDER, y + BORDER, run.len());
                    // A text can always be written to.
                    let _ = write!(path, "M{left} {top}h{length}v1h-{length}z");
                }
                x += run.len();
            }
        }
        Some(Self { size: width + 2 * BORDER, path })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_has_a_border_and_three_corners() {
        let qr = Qr::of("otpauth://totp/a.example:ann?secret=GEZDGNBVGY3TQOJQ").unwrap();
        // Version 4 has 33 modules.
        assert_eq!(qr.size, 33 + 8);
        // The upper edges of the upper corners, and the lower edge of the lower one.
        for edge in ["M4 4h7v1h-7z", "M30 4h7v1h-7z", "M4 36h7v1h-7z"] {
            assert!(qr.path.contains(edge), "{edge}: {}", qr.path);
        }
        assert!(!qr.path.contains("M0 ") && !qr.path.contains(" 0h"));
    }

    #[test]
    fn a_text_has_a_maximum_length() {
        assert!(Qr::of(&"x".repeat(500)).is_some());
        assert!(Qr::of(&"x".repeat(5000)).is_none());
    }
}
