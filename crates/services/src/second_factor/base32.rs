//! Base32 (RFC 4648), in which people type secrets and recovery codes.

const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
/// Number of bytes that become eight characters.
const GROUP: usize = 5;

/// Encodes bytes. Their number must be a multiple of five, so that no padding is needed.
pub(super) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() / GROUP * 8);
    for group in bytes.chunks_exact(GROUP) {
        let bits = group.iter().fold(0_u64, |bits, byte| (bits << 8) | u64::from(*byte));
        text.extend((0..8).rev().map(|place| character(bits >> (5 * place))));
    }
    text
}

/// Returns the character of the lowest five bits.
fn character(bits: u64) -> char {
    char::from(ALPHABET[(bits & 0x1f) as usize])
}

/// Returns a text in groups of four characters.
pub(super) fn grouped(text: &str, separator: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    let groups: Vec<String> = characters.chunks(4).map(|group| group.iter().collect()).collect();
    groups.join(separator)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_those_of_the_rfc() {
        // RFC 4648, chapter 10.
        assert_eq!(encode(b"fooba"), "MZXW6YTB");
        assert_eq!(encode(b""), "");
        assert_eq!(encode(&[0xff; 10]), "7777777777777777");
        assert_eq!(encode(&[0; 5]), "AAAAAAAA");
    }

    #[test]
    fn groups_have_four_characters() {
        assert_eq!(grouped("ABCDEFGHIJ", " "), "ABCD EFGH IJ");
        assert_eq!(grouped("", " "), "");
    }
}
