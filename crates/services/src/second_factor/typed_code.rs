//! Codes as people type them, and recovery codes.

use std::fmt;

use rand::RngCore;
use siskin_ids::AccountId;
use siskin_policy::second_factor::{CODE_DIGITS, RECOVERY_CODES};

use super::base32;
use crate::secrets;

/// Number of random bytes in a recovery code: enough that a reader of the stored hashes cannot
/// guess it.
const RECOVERY_BYTES: usize = 10;
/// Number of characters of a recovery code.
const RECOVERY_CHARS: usize = RECOVERY_BYTES / 5 * 8;

/// A code that can be right, by its form.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum TypedCode {
    /// Digits of an authenticator app.
    OneTime(String),
    /// A recovery code in its normal form.
    Recovery(String),
}

impl fmt::Debug for TypedCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TypedCode").finish_non_exhaustive()
    }
}

impl TypedCode {
    /// Parses a code, with spaces and hyphens anywhere. In recovery codes, case does not matter,
    /// and the digits 0 and 1 are read as the letters that they look like. Returns `None` for a
    /// text that cannot be a code.
    pub(super) fn parse(typed: &str) -> Option<Self> {
        let is_ignored = |c: &char| c.is_whitespace() || *c == '-';
        let code: String =
            typed.chars().filter(|c| !is_ignored(c)).take(RECOVERY_CHARS + 1).collect();
        if code.len() == CODE_DIGITS && code.bytes().all(|byte| byte.is_ascii_digit()) {
            return Some(Self::OneTime(code));
        }
        let code = code.to_ascii_uppercase().replace('0', "O").replace('1', "L");
        let is_recovery =
            code.len() == RECOVERY_CHARS && code.bytes().all(|byte| byte.is_ascii_alphanumeric());
        is_recovery.then_some(Self::Recovery(code))
    }
}

/// Recovery codes that were just generated, as they are shown to the user once.
#[derive(Clone, PartialEq, Eq)]
pub struct RecoveryCodes(Vec<String>);

impl fmt::Debug for RecoveryCodes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecoveryCodes").finish_non_exhaustive()
    }
}

impl RecoveryCodes {
    pub(super) fn generate() -> Self {
        let code = |_| {
            let mut bytes = [0; RECOVERY_BYTES];
            rand::rng().fill_bytes(&mut bytes);
            base32::grouped(&base32::encode(&bytes).to_ascii_lowercase(), "-")
        };
        Self((0..RECOVERY_CODES).map(code).collect())
    }

    /// Returns the codes.
    #[must_use]
    pub fn codes(&self) -> &[String] {
        &self.0
    }

    /// Returns the stored form of the codes.
    pub(super) fn hashes(&self, account: AccountId) -> Vec<String> {
        let normal = |code: &String| code.replace('-', "").to_ascii_uppercase();
        self.0.iter().map(|code| hash(account, &normal(code))).collect()
    }
}

/// Returns the stored form of a recovery code of an account, in its normal form. It is different
/// for each account.
pub(super) fn hash(account: AccountId, code: &str) -> String {
    secrets::hash(&format!("{account} {code}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANN: AccountId = AccountId::new(7);

    fn one_time(typed: &str) -> Option<String> {
        match TypedCode::parse(typed) {
            Some(TypedCode::OneTime(code)) => Some(code),
            _ => None,
        }
    }

    #[test]
    fn six_digits_are_a_one_time_code() {
        for typed in ["123456", " 123 456\n", "123-456"] {
            assert_eq!(one_time(typed).as_deref(), Some("123456"), "{typed}");
        }
        for wrong in ["", "12345", "1234567", "12345a", "１２３４５６", "++++++"] {
            assert_eq!(TypedCode::parse(wrong), None, "{wrong}");
        }
        assert_eq!(TypedCode::parse(&"1".repeat(1_000_000)), None);
    }

    #[test]
    fn recovery_codes_are_found_as_they_are_typed() {
        let codes = RecoveryCodes::generate();
        assert_eq!(codes.codes().len(), RECOVERY_CODES);
        let (shown, stored) = (&codes.codes()[0], &codes.hashes(ANN)[0]);
        assert_eq!(shown.len(), 19);
        for typed in [
            shown.clone(),
            shown.to_uppercase(),
            shown.replace('-', " "),
            shown.replace('-', ""),
            shown.replace('o', "0").replace('l', "1"),
        ] {
            let Some(TypedCode::Recovery(code)) = TypedCode::parse(&typed) else {
                panic!("{typed} is no recovery code");
            };
            assert_eq!(hash(ANN, &code), *stored);
            assert_ne!(hash(AccountId::new(8), &code), *stored);
        }
        assert_eq!(TypedCode::parse(&shown[1..]), None);
        assert_eq!(TypedCode::parse(&format!("{shown}a")), None);
    }

    #[test]
    fn all_recovery_codes_differ_and_are_not_in_debug_output() {
        let codes = RecoveryCodes::generate();
        let mut hashes = codes.hashes(ANN);
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), RECOVERY_CODES);
        assert_eq!(format!("{codes:?}"), "RecoveryCodes { .. }");
        assert_eq!(format!("{:?}", TypedCode::parse("123456")), "Some(TypedCode { .. })");
    }
}
