//! Proof Key for Code Exchange (RFC 7636), method S256 only, because `plain` gives no protection.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// Length of a SHA-256 hash in base64url, in characters.
const CHALLENGE_LENGTH: usize = 43;

/// Challenge of a code. A client that exchanges the code must know the matching verifier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Challenge(String);

/// Reason why a challenge is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvalidChallenge {
    /// The method is unknown or `plain`, which is also the default without a method.
    Method,
    /// The challenge is no SHA-256 hash in base64url.
    Form,
    /// There is a method without a challenge.
    Missing,
}

impl Challenge {
    /// Parses the challenge of a request.
    ///
    /// # Errors
    /// [`InvalidChallenge`] with the reason.
    pub fn parse(challenge: &str, method: Option<&str>) -> Result<Self, InvalidChallenge> {
        if method != Some("S256") {
            return Err(InvalidChallenge::Method);
        }
        let fits = challenge.len() == CHALLENGE_LENGTH && challenge.bytes().all(is_base64url);
        if fits { Ok(Self(challenge.to_owned())) } else { Err(InvalidChallenge::Form) }
    }

    /// Returns a challenge that was parsed before and stored.
    pub(super) const fn stored(challenge: String) -> Self {
        Self(challenge)
    }

    /// Returns the stored form.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns `true` if `verifier` matches this challenge.
    #[must_use]
    pub fn is_verified_by(&self, verifier: &str) -> bool {
        is_verifier(verifier) && of(verifier).as_bytes().ct_eq(self.0.as_bytes()).into()
    }
}

/// Computes the challenge for a verifier (RFC 7636, 4.2).
fn of(verifier: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes()))
}

/// Returns `true` for 43 to 128 unreserved characters (RFC 7636, 4.1).
fn is_verifier(text: &str) -> bool {
    (43..=128).contains(&text.len())
        && text.bytes().all(|byte| is_base64url(byte) || matches!(byte, b'.' | b'~'))
}

const fn is_base64url(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_example_of_the_rfc_is_verified() {
        // RFC 7636, appendix B.
        let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
        let challenge = Challenge::parse(challenge, Some("S256")).unwrap();
        assert!(challenge.is_verified_by("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"));
        assert!(!challenge.is_verified_by("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXK"));
    }

    #[test]
    fn the_plain_method_is_refused() {
        let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
        for method in [None, Some("plain"), Some("s256"), Some("")] {
            assert_eq!(Challenge::parse(challenge, method), Err(InvalidChallenge::Method));
        }
        for challenge in ["", "short", &format!("{challenge}="), &challenge.replace('-', "+")] {
            assert_eq!(Challenge::parse(challenge, Some("S256")), Err(InvalidChallenge::Form));
        }
    }

    proptest! {
        #[test]
        fn a_verifier_matches_only_its_own_challenge(
            verifier in "[A-Za-z0-9._~-]{43,128}",
            other in "[A-Za-z0-9._~-]{43,128}",
        ) {
            let challenge = Challenge::parse(&of(&verifier), Some("S256")).unwrap();
            prop_assert!(challenge.is_verified_by(&verifier));
            prop_assert_eq!(challenge.is_verified_by(&other), verifier == other);
            prop_assert!(!challenge.is_verified_by(challenge.as_str()) || challenge.as_str() == verifier);
        }

        #[test]
        fn an_invalid_verifier_matches_no_challenge(text in "\\PC{0,42}|[a-z]{129,140}|[a-z]{43,60}[ +/=é]") {
            prop_assert!(!Challenge::stored(of(&text)).is_verified_by(&text));
        }
    }
}
