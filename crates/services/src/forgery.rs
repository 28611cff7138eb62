//! Tokens against cross-site request forgery. A page of this server contains a token. A form or
//! script that sends the token back must have come from that page.
//!
//! The token is derived from the secret in the browser's cookie: the token of a session, or the
//! secret of a visitor who has not signed in. So nothing is stored, and a token ends with its
//! session.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// Returns the token for pages in the browser with this secret.
#[must_use]
pub fn token(browser_secret: &str) -> String {
    let mut hash = Sha256::new();
    // Makes the hash different from the stored hash of the same secret.
    hash.update(b"request forgery\0");
    hash.update(browser_secret.as_bytes());
    URL_SAFE_NO_PAD.encode(hash.finalize())
}

/// Returns `true` if `presented` is the token of the browser with this secret.
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
