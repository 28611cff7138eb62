//! What user names and e-mail addresses may look like.

use siskin_text::{
    MAX_USERNAME_LENGTH, UsernameError, normalise_domain, username_key, valid_local_username,
};

use crate::FieldError;

/// Names that people would take for the staff's: only the operator gives them out.
const RESERVED: [&str; 16] = [
    "abuse",
    "admin",
    "administrator",
    "help",
    "hostmaster",
    "instance",
    "mod",
    "moderator",
    "owner",
    "postmaster",
    "root",
    "security",
    "siskin",
    "staff",
    "support",
    "webmaster",
];

/// The longest e-mail address (RFC 5321, 4.5.3.1, less the angle brackets of a path).
const MAX_EMAIL_LENGTH: usize = 254;
const MAX_LOCAL_PART_LENGTH: usize = 64;

/// A refusal with the reason in words, which go on from the name of the field.
pub(super) type Fault = (FieldError, String);

/// What is wrong with the name of a new local account, if anything.
pub(super) fn username_fault(username: &str) -> Option<Fault> {
    match valid_local_username(username) {
        Ok(()) => None,
        Err(UsernameError::Blank) => Some((FieldError::Blank, "can't be blank".to_owned())),
        Err(UsernameError::TooLong) => Some((
            FieldError::TooLong,
            format!("is too long (maximum is {MAX_USERNAME_LENGTH} characters)"),
        )),
        Err(UsernameError::Invalid) => Some((
            FieldError::Invalid,
            "must contain only letters, numbers and underscores".to_owned(),
        )),
    }
}

/// Whether strangers may not sign up under this name.
pub(super) fn is_reserved(username: &str) -> bool {
    RESERVED.contains(&username_key(username).as_str())
}

/// What is wrong with the shape of an e-mail address, if anything. Whether mail arrives there is
/// found out by sending some.
pub(super) fn email_fault(email: &str) -> Option<Fault> {
    if email.is_empty() {
        Some((FieldError::Blank, "can't be blank".to_owned()))
    } else if email.len() > MAX_EMAIL_LENGTH {
        let longest = format!("is too long (maximum is {MAX_EMAIL_LENGTH} characters)");
        Some((FieldError::TooLong, longest))
    } else if !has_shape_of_email(email) {
        Some((FieldError::Invalid, "is not a valid e-mail address".to_owned()))
    } else {
        None
    }
}

/// `local@domain`, the unquoted form of RFC 5321 with the letters of RFC 6531. The domain may
/// have a port: a server for trying things out lives on one.
fn has_shape_of_email(email: &str) -> bool {
    let Some((local, domain)) = email.rsplit_once('@') else { return false };
    let allowed = |c: char| {
        !c.is_ascii() && !c.is_whitespace() && !c.is_control()
            || c.is_ascii_alphanumeric()
            || "!#$%&'*+-/=?^_`{|}~.".contains(c)
    };
    let dots_between = !local.split('.').any(str::is_empty);
    local.len() <= MAX_LOCAL_PART_LENGTH
        && dots_between
        && local.chars().all(allowed)
        && normalise_domain(domain).is_some()
}

/// The form by which e-mail addresses are compared: no two people share it. Case is folded in
/// both parts, as mail providers do.
#[must_use]
pub fn email_key(email: &str) -> String {
    let email = email.trim();
    match email.rsplit_once('@') {
        Some((local, domain)) => {
            let domain = normalise_domain(domain).unwrap_or_else(|| domain.to_lowercase());
            format!("{}@{domain}", local.to_lowercase())
        }
        None => email.to_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_need_two_parts_of_sound_shape() {
        for email in [
            "ann@example.com",
            "admin@localhost",
            "name@localhost:3000",
            "a.b+c@xn--bcher-kva.example",
            "jörg@bücher.example",
        ] {
            assert_eq!(email_fault(email), None, "{email}");
        }
        for email in [
            "ann",
            "@example.com",
            "ann@",
            "a b@example.com",
            "ann@exa mple.com",
            "a@b@c.example",
            "a..b@example.com",
            ".a@example.com",
            "ann@example.com.",
            "<ann@example.com>",
            "ann@example.com\n",
            "a\u{7f}@example.com",
        ] {
            assert!(matches!(email_fault(email), Some((FieldError::Invalid, _))), "{email}");
        }
        assert!(matches!(email_fault(""), Some((FieldError::Blank, _))));
        let long = format!("a@{}.example", "x".repeat(250));
        assert!(matches!(email_fault(&long), Some((FieldError::TooLong, _))));
    }

    #[test]
    fn addresses_that_reach_one_mailbox_are_one() {
        assert_eq!(email_key(" Ann@Example.COM "), "ann@example.com");
        assert_eq!(email_key("ann@BÜCHER.example"), "ann@xn--bcher-kva.example");
        assert_ne!(email_key("ann@example.com"), email_key("ann@example.org"));
    }

    #[test]
    fn names_of_the_staff_are_reserved_in_any_case() {
        assert!(is_reserved("ADMIN"));
        assert!(!is_reserved("admina"));
    }

    #[test]
    fn user_names_are_refused_with_a_reason() {
        let kind = |name: &str| username_fault(name).map(|(error, _)| error);
        assert_eq!(kind("ann_1"), None);
        assert_eq!(kind(""), Some(FieldError::Blank));
        assert_eq!(kind("ann!"), Some(FieldError::Invalid));
        assert_eq!(kind(&"a".repeat(31)), Some(FieldError::TooLong));
    }
}
