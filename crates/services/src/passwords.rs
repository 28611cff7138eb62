//! Passwords: length limits, storage and verification.
//!
//! Hashing takes tens of milliseconds on purpose. So it belongs into `prepare`, on a blocking
//! thread and outside of transactions.

use argon2::{
    Argon2,
    password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, SaltString},
};
use rand::{Rng as _, RngCore as _, distr::Alphanumeric};

use crate::{Error, FieldError, Result};

/// Minimum length of a password, in characters.
pub const MIN_LENGTH: usize = 8;
/// Maximum length of a password, in bytes: enough for any sentence, too short to overload the
/// server.
pub const MAX_LENGTH: usize = 1024;

/// Stored in place of a hash for a user without a password. No password matches it.
pub(crate) const NONE: &str = "none";

/// Returns `true` if the stored value is the hash of a password, and `false` for a user without one.
#[must_use]
pub fn is_set(stored: &str) -> bool {
    stored.starts_with('$')
}

/// Returns the error in a new password, if any.
#[must_use]
pub fn fault(password: &str) -> Option<(FieldError, String)> {
    if password.is_empty() {
        Some((FieldError::Blank, "can't be blank".to_owned()))
    } else if password.chars().count() < MIN_LENGTH {
        let shortest = format!("is too short (minimum is {MIN_LENGTH} characters)");
        Some((FieldError::TooShort, shortest))
    } else if password.len() > MAX_LENGTH {
        Some((FieldError::TooLong, format!("is too long (maximum is {MAX_LENGTH} bytes)")))
    } else {
        None
    }
}

/// Generates a password: 95 random bits as 16 letters and digits, which need no quoting in a shell.
#[must_use]
pub fn generate() -> String {
    rand::rng().sample_iter(Alphanumeric).take(16).map(char::from).collect()
}

/// Hashes a password with argon2id. The result contains the parameters and a random salt.
///
/// # Errors
/// [`Error::Internal`] if there is not enough memory.
pub fn hash(password: &str) -> Result<String> {
    let mut bytes = [0; 16];
    rand::rng().fill_bytes(&mut bytes);
    let salt = SaltString::encode_b64(&bytes).map_err(hashing_failed)?;
    let hash = Argon2::default().hash_password(password.as_bytes(), &salt);
    Ok(hash.map_err(hashing_failed)?.to_string())
}

/// Returns `true` if `password` matches the stored `hash`. A damaged hash matches no password.
#[must_use]
pub fn verify(password: &str, hash: &str) -> bool {
    // No user can have a longer password, and hashing it would be expensive.
    password.len() <= MAX_LENGTH
        && PasswordHash::new(hash)
            .is_ok_and(|hash| Argon2::default().verify_password(password.as_bytes(), &hash).is_ok())
}

fn hashing_failed(error: argon2::password_hash::Error) -> Error {
    Error::internal(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_matches_only_its_own_hash() {
        let stored = hash("correct horse").unwrap();
        assert!(stored.starts_with("$argon2id$"));
        assert!(verify("correct horse", &stored));
        assert!(!verify("correct horse ", &stored));
        assert!(!verify("", &stored));
        assert!(!verify("correct horse", "not a hash"));
        assert_ne!(hash("correct horse").unwrap(), stored);
    }

    #[test]
    fn no_password_matches_that_of_a_user_without_one() {
        assert!(is_set(&hash("correct horse").unwrap()) && !is_set(NONE));
        for password in ["", "none", "correct horse"] {
            assert!(!verify(password, NONE), "{password}");
        }
    }

    #[test]
    fn only_the_length_of_a_password_is_checked() {
        let kind = |password: &str| fault(password).map(|(error, _)| error);
        assert_eq!(kind(""), Some(FieldError::Blank));
        assert_eq!(kind("1234567"), Some(FieldError::TooShort));
        assert_eq!(kind("пароль!!"), None);
        assert_eq!(kind(&"x".repeat(MAX_LENGTH)), None);
        assert_eq!(kind(&"x".repeat(MAX_LENGTH + 1)), Some(FieldError::TooLong));
        assert_eq!(kind(&generate()), None);
    }
}
