//! One-time codes by time (RFC 6238), with the parameters that every authenticator app knows:
//! HMAC-SHA-1, steps of 30 seconds and six digits.

use std::fmt;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use rand::RngCore;
use ring::hmac::{self, HMAC_SHA1_FOR_LEGACY_USE_ONLY};
use siskin_policy::second_factor::{CODE_DIGITS, STEP};
use subtle::ConstantTimeEq;

use super::base32;

/// Length of a secret, in bytes: that of the hash, as RFC 4226 recommends.
pub(super) const SECRET_LENGTH: usize = 20;
/// Characters that are escaped in a URI of a secret.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Secret that this server shares with an authenticator app.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Secret([u8; SECRET_LENGTH]);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secret").finish_non_exhaustive()
    }
}

impl Secret {
    pub(super) fn generate() -> Self {
        let mut bytes = [0; SECRET_LENGTH];
        rand::rng().fill_bytes(&mut bytes);
        Self(bytes)
    }

    /// Returns `None` for another number of bytes than [`SECRET_LENGTH`].
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    pub(super) const fn as_bytes(&self) -> &[u8; SECRET_LENGTH] {
        &self.0
    }

    /// Returns the secret as people type it into an app.
    pub(super) fn to_base32(&self) -> String {
        base32::encode(&self.0)
    }

    /// Returns the address by which an app gets the secret. `issuer` names this server, and `user`
    /// the account there.
    pub(super) fn uri(&self, issuer: &str, user: &str) -> String {
        let escape = |text| utf8_percent_encode(text, ESCAPED);
        let (issuer, user, secret) = (escape(issuer), escape(user), self.to_base32());
        let period = STEP.as_secs();
        format!(
            "otpauth://totp/{issuer}:{user}?secret={secret}&issuer={issuer}&algorithm=SHA1\
             &digits={CODE_DIGITS}&period={period}"
        )
    }

    /// Returns the code of a time step.
    fn code(&self, step: i64) -> String {
        let key = hmac::Key::new(HMAC_SHA1_FOR_LEGACY_USE_ONLY, &self.0);
        let number = truncated(hmac::sign(&key, &step.to_be_bytes()).as_ref());
        format!("{:0CODE_DIGITS$}", number % 10_u32.pow(CODE_DIGITS as u32))
    }

    /// Returns the first of `steps` with this code. Takes the same time for every code of the same
    /// length.
    pub(super) fn step_of(&self, code: &str, steps: impl Iterator<Item = i64>) -> Option<i64> {
        steps.fold(None, |found, step| {
            let fits = bool::from(self.code(step).as_bytes().ct_eq(code.as_bytes()));
            found.or(fits.then_some(step))
        })
    }
}

/// Takes 31 bits out of a hash (RFC 4226, 5.3). The last four bits say where.
fn truncated(hash: &[u8]) -> u32 {
    let offset = usize::from(hash.last().copied().unwrap_or_default() & 0xf);
    let bytes = hash.get(offset..).and_then(<[u8]>::first_chunk::<4>);
    u32::from_be_bytes(bytes.copied().unwrap_or_default()) & 0x7fff_ffff
}

#[cfg(test)]
mod tests {
    use siskin_entities::Timestamp;
    use siskin_policy::second_factor::step_at;

    use super::*;

    fn secret() -> Secret {
        Secret::from_bytes(b"12345678901234567890").unwrap()
    }

    #[test]
    fn codes_are_those_of_the_rfc() {
        // RFC 6238, appendix B. It has eight digits, of which six are the last.
        for (seconds, code) in [
            (59, "94287082"),
            (1_111_111_109, "07081804"),
            (1_111_111_111, "14050471"),
            (1_234_567_890, "89005924"),
            (2_000_000_000, "69279037"),
            (20_000_000_000, "65353130"),
        ] {
            let step = step_at(Timestamp::from_unix_ms(seconds * 1000));
            assert_eq!(secret().code(step), code[2..], "{seconds}");
        }
        // RFC 4226, appendix D.
        let first = ["755224", "287082", "359152", "969429", "338314"];
        for (step, code) in (0..).zip(first) {
            assert_eq!(secret().code(step), code);
        }
    }

    #[test]
    fn a_code_belongs_to_the_first_step_that_has_it() {
        let secret = secret();
        assert_eq!(secret.step_of("359152", [3, 2, 1].into_iter()), Some(2));
        assert_eq!(secret.step_of("359152", [2, 1, 0, 2].into_iter()), Some(2));
        for wrong in ["359153", "", "35915", "3591520"] {
            assert_eq!(secret.step_of(wrong, 0..4), None, "{wrong}");
        }
    }

    #[test]
    fn an_app_reads_the_secret_from_a_uri() {
        assert_eq!(secret().to_base32(), "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
        let uri = secret().uri("localhost:3000", "ann_b");
        let expected = "otpauth://totp/localhost%3A3000:ann_b\
             ?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=localhost%3A3000\
             &algorithm=SHA1&digits=6&period=30";
        assert_eq!(uri, expected);
    }

    #[test]
    fn secrets_are_unique_and_not_in_debug_output() {
        assert_ne!(Secret::generate(), Secret::generate());
        assert_eq!(format!("{:?}", secret()), "Secret { .. }");
        assert_eq!(Secret::from_bytes(b"short"), None);
        let secret = Secret::generate();
        assert_eq!(Secret::from_bytes(secret.as_bytes()), Some(secret));
    }
}
