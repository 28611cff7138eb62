//! Base58 with the alphabet of Bitcoin (`base58btc`), as Multibase uses it.

/// Digits in ascending order. The look-alikes `0`, `O`, `I` and `l` are left out.
const ALPHABET: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
/// Maximum length of a text that is decoded, in bytes. An RSA key of 8192 bits has about 1,420.
/// The time grows with the square of the length.
const MAX_LENGTH: usize = 1600;

/// Returns the text of some bytes. Each leading zero byte is a leading `1`.
pub(crate) fn encode(bytes: &[u8]) -> String {
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    // Least significant digit first.
    let mut digits: Vec<u8> = Vec::with_capacity(bytes.len() * 138 / 100 + 1);
    for byte in bytes.iter().skip(zeros) {
        multiply_add(&mut digits, 256, 58, u32::from(*byte));
    }
    let leading = std::iter::repeat_n(0, zeros);
    let digits = leading.chain(digits.into_iter().rev());
    digits.filter_map(|digit| ALPHABET.get(usize::from(digit))).map(|c| char::from(*c)).collect()
}

/// Returns the bytes of a text. Returns `None` for other characters, and for more than
/// `MAX_LENGTH`.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    if text.len() > MAX_LENGTH {
        return None;
    }
    let zeros = text.bytes().take_while(|c| *c == b'1').count();
    // Least significant byte first.
    let mut bytes: Vec<u8> = Vec::with_capacity(text.len() * 733 / 1000 + 1);
    for c in text.bytes().skip(zeros) {
        let digit = ALPHABET.iter().position(|known| *known == c)?;
        multiply_add(&mut bytes, 58, 256, u32::try_from(digit).ok()?);
    }
    bytes.extend(std::iter::repeat_n(0, zeros));
    bytes.reverse();
    Some(bytes)
}

/// Multiplies a number by `factor` and adds `carry`. The number is in base `base`, with its least
/// significant digit first.
fn multiply_add(digits: &mut Vec<u8>, factor: u32, base: u32, mut carry: u32) {
    for digit in digits.iter_mut() {
        carry += u32::from(*digit) * factor;
        *digit = low(carry, base);
        carry /= base;
    }
    while carry > 0 {
        digits.push(low(carry, base));
        carry /= base;
    }
}

/// Returns the lowest digit. It fits, because a base is at most 256.
fn low(number: u32, base: u32) -> u8 {
    u8::try_from(number % base).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn known_texts_have_known_bytes() {
        for (bytes, text) in [
            (&b""[..], ""),
            (b"\0", "1"),
            (b"\0\0\x01", "112"),
            (b"Hello World!", "2NEpo7TZRRrLZSi2U"),
            (b"\0\0\x28\x7f\xb4\xcd", "11233QC4"),
            (
                b"The quick brown fox jumps over the lazy dog.",
                "USm3fpXnKG5EUBx2ndxBDMPVciP5hGey2Jh4NDv6gmeo1LkMeiKrLJUUBk6Z",
            ),
        ] {
            assert_eq!(encode(bytes), text);
            assert_eq!(decode(text).unwrap(), bytes);
        }
    }

    #[test]
    fn other_characters_and_long_texts_are_refused() {
        for text in ["0", "O", "I", "l", " 1", "1\n", "é", "+", "/"] {
            assert_eq!(decode(text), None, "{text:?}");
        }
        assert!(decode(&"2".repeat(MAX_LENGTH)).is_some());
        assert_eq!(decode(&"2".repeat(MAX_LENGTH + 1)), None);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            prop_assert_eq!(decode(&encode(&bytes)), Some(bytes));
        }

        #[test]
        fn what_is_read_is_written_again(text in ".{0,80}") {
            if let Some(bytes) = decode(&text) {
                prop_assert_eq!(encode(&bytes), text);
            }
        }
    }
}
