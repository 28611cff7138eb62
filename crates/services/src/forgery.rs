//! Tokens against forged requests: a page of ours carries one, and a form or script that sends it
//! back must have come from that page.
//!
//! The token follows from the secret in the browser's cookie (a session's token, or that of a
//! visitor who has not signed in), so nothing is stored, and a token ends with its session.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// The token for the pages of the browser with this secret.
#[must_use]
pub fn token(browser_secret: &str) -> String {
    let mut hash = Sha256::new();
    // Keeps it apart from the stored hash of the same secret.
    hash.update(b"request forgery\0");
    hash.update(browser_secret.as_bytes());
    URL_SAFE_NO_PAD.encode(hash.finalize())
}

/// Whether `presented` is the token of the browser with this secret.
#[must_use]
pub fn is_genuine(browser_secret: &str, presented: &str) -> bool {
    token(browser_secret).as_bytes().ct_eq(presented.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secrets;

    #[test]
    fn a_token_belongs_to_one_secret() {
        let (one, other) = (secrets::generate(), secrets::generate());
        assert!(is_genuine(&one, &token(&one)));
        assert!(!is_genuine(&other, &token(&one)));
        assert!(!is_genuine(&one, ""));
        assert!(!is_genuine(&one, &secrets::hash(&one)));
        assert!(!is_genuine(&one, &one));
    }
}
