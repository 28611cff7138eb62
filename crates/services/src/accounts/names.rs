//! Rules for user names and email addresses.

use siskin_text::{
    MAX_USERNAME_LENGTH, UsernameError, normalise_domain, username_key, valid_local_username,
};

use crate::FieldError;

/// Names that suggest a member of staff or a part of the server. Only the operator may use them.
/// Underscores do not count.
const RESERVED: &[&str] = &[
    "abuse",
    "admin",
    "administration",
    "administrator",
    "admins",
    "anonymous",
    "api",
    "billing",
    "contact",
    "everyone",
    "feedback",
    "help",
    "hostmaster",
    "info",
    "instance",
    "instanceactor",
    "legal",
    "mailerdaemon",
    "mod",
    "moderation",
    "moderator",
    "moderators",
    "mods",
    "noreply",
    "official",
    "operator",
    "owner",
    "postmaster",
    "privacy",
    "relay",
    "root",
    "security",
    "server",
    "siskin",
    "staff",
    "support",
    "sysadmin",
    "system",
    "undefined",
    "webmaster",
];

/// Maximum length of an email address (RFC 5321, 4.5.3.1, less the angle brackets of a path).
const MAX_EMAIL_LENGTH: usize = 254;
const MAX_LOCAL_PART_LENGTH: usize = 64;

/// Error code with its description, which continues a sentence that starts with the field name.
pub(super) type Fault = (FieldError, String);

/// Returns all errors in the name of a new local account.
pub(super) fn username_faults(username: &str) -> Vec<Fault> {
    let letters =
        (FieldError::Invalid, "must contain only letters, numbers and underscores".to_owned());
    let mut faults = match valid_local_username(username) {
        Ok(()) | Err(UsernameError::TooLong) => Vec::new(),
        Err(UsernameError::Blank) => vec![blank(), letters],
        Err(UsernameError::Invalid) => vec![letters],
    };
    if username.chars().count() > MAX_USERNAME_LENGTH {
        faults.push(too_long(MAX_USERNAME_LENGTH));
    }
    faults
}

fn blank() -> Fault {
    (FieldError::Blank, "can't be blank".to_owned())
}

fn too_long(longest: usize) -> Fault {
    (FieldError::TooLong, format!("is too long (maximum is {longest} characters)"))
}

/// Returns `true` if visitors may not sign up under this name.
pub(super) fn is_reserved(username: &str) -> bool {
    RESERVED.contains(&without_underscores(username).as_str())
}

/// Returns `true` if the name is in the operator's list of reserved names, which are separated by
/// commas or spaces.
pub(super) fn is_in_list(list: &str, username: &str) -> bool {
    let username = without_underscores(username);
    listed(list).map(without_underscores).any(|name| name == username)
}

/// Returns the names in the operator's list of reserved names.
pub(crate) fn listed(list: &str) -> impl Iterator<Item = &str> {
    list.split(|c: char| c == ',' || c.is_whitespace()).filter(|name| !name.is_empty())
}

/// Returns the form in which names are compared with reserved ones. Underscores at any place could
/// disguise a name. A name of underscores alone stays as it is.
fn without_underscores(username: &str) -> String {
    let key = username_key(username);
    let letters = key.replace('_', "");
    if letters.is_empty() { key } else { letters }
}

/// Returns a valid user name that resembles a name at another service: without the domain of an email
/// address, and with underscores for other characters. Empty if nothing is left.
pub(crate) fn suggested(name: &str) -> String {
    let name = name.trim().split('@').next().unwrap_or_default();
    let mut suggested = String::new();
    for c in name.chars() {
        match c {
            c if c.is_ascii_alphanumeric() => suggested.push(c),
            _ if suggested.ends_with('_') => {}
            _ => suggested.push('_'),
        }
    }
    suggested.truncate(MAX_USERNAME_LENGTH);
    suggested.trim_matches('_').to_owned()
}

/// Returns all errors in the form of an email address. Only sending an email shows whether the
/// address exists.
pub(super) fn email_faults(email: &str) -> Vec<Fault> {
    let mut faults = Vec::new();
    if email.is_empty() {
        faults.push(blank());
    }
    if email.len() > MAX_EMAIL_LENGTH {
        faults.push(too_long(MAX_EMAIL_LENGTH));
    }
    if !has_shape_of_email(email) {
        faults.push((FieldError::Invalid, "is not a valid email address".to_owned()));
    }
    faults
}

/// Checks for the form `local@domain`: the unquoted form of RFC 5321 with the letters of RFC 6531.
/// The domain may have a port, because test servers use one. It does not make another address.
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

/// Returns the normalised form of an email address, which is unique among users. Folds case in both
/// parts, as mail providers do, and leaves out a port: email has none.
#[must_use]
pub fn email_key(email: &str) -> String {
    let email = email.trim();
    match email.rsplit_once('@') {
        Some((local, domain)) => {
            let domain = normalise_domain(domain).unwrap_or_else(|| domain.to_lowercase());
            let domain = domain.split_once(':').map_or(&*domain, |(host, _)| host);
            format!("{}@{domain}", local.to_lowercase())
        }
        None => email.to_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn email_addresses_need_a_valid_local_part_and_domain() {
        for email in [
            "ann@example.com",
            "admin@localhost",
            "name@localhost:3000",
            "a.b+c@xn--bcher-kva.example",
            "jörg@bücher.example",
        ] {
            assert!(email_faults(email).is_empty(), "{email}");
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
            assert_eq!(kinds(email_faults(email)), [FieldError::Invalid], "{email}");
        }
        assert_eq!(kinds(email_faults("")), [FieldError::Blank, FieldError::Invalid]);
        let long = format!("a@{}.example", "x".repeat(250));
        assert_eq!(kinds(email_faults(&long)).first(), Some(&FieldError::TooLong));
        let long = "x".repeat(255);
        assert_eq!(kinds(email_faults(&long)), [FieldError::TooLong, FieldError::Invalid]);
    }

    #[test]
    fn equivalent_email_addresses_have_the_same_key() {
        assert_eq!(email_key(" Ann@Example.COM "), "ann@example.com");
        assert_eq!(email_key("ann@BÜCHER.example"), "ann@xn--bcher-kva.example");
        assert_ne!(email_key("ann@example.com"), email_key("ann@example.org"));
        assert_eq!(email_key("ann@Example.com:25"), "ann@example.com");
        assert_eq!(email_key("name@localhost:3000"), "name@localhost");
    }

    #[test]
    fn staff_names_are_reserved_ignoring_case() {
        for name in ["ADMIN", "_admin_", "ad_min", "no_reply", "Mailer_Daemon"] {
            assert!(is_reserved(name), "{name}");
        }
        for name in ["admina", "ann", "_", "", "modest"] {
            assert!(!is_reserved(name), "{name}");
        }
        assert!(RESERVED.is_sorted());
        assert!(RESERVED.iter().all(|name| without_underscores(name) == *name));
    }

    #[test]
    fn the_operator_reserves_further_names() {
        let list = "Mayor, town_hall\tfire,,";
        for name in ["mayor", "MAYOR", "Townhall", "_fire_"] {
            assert!(is_in_list(list, name), "{name}");
        }
        for name in ["may", "mayors", "town", "_", ""] {
            assert!(!is_in_list(list, name), "{name}");
        }
        assert!(!is_in_list("", ""));
    }

    #[test]
    fn suggested_names_are_valid() {
        for (name, suggested_name) in [
            ("ann", "ann"),
            ("Ann.Bell", "Ann_Bell"),
            ("ann.bell+x@mail.example", "ann_bell_x"),
            (" ann__b ", "ann_b"),
            ("jörg", "j_rg"),
            ("日本", ""),
            ("", ""),
            ("@x", ""),
            ("_a_", "a"),
        ] {
            assert_eq!(suggested(name), suggested_name, "{name}");
        }
        let long = suggested(&"ab.".repeat(50));
        assert!(long.len() <= MAX_USERNAME_LENGTH && username_faults(&long).is_empty(), "{long}");
    }

    #[test]
    fn username_errors_contain_every_reason() {
        let faults = |name: &str| kinds(username_faults(name));
        assert_eq!(faults("ann_1"), []);
        assert_eq!(faults(""), [FieldError::Blank, FieldError::Invalid]);
        assert_eq!(faults("ann!"), [FieldError::Invalid]);
        assert_eq!(faults(&"a".repeat(31)), [FieldError::TooLong]);
        assert_eq!(faults(&"!".repeat(31)), [FieldError::Invalid, FieldError::TooLong]);
    }

    fn kinds(faults: Vec<Fault>) -> Vec<FieldError> {
        faults.into_iter().map(|(error, _)| error).collect()
    }
}
