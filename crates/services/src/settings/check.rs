//! What is wrong with a value of a setting.

use std::collections::HashSet;

use siskin_entities::{
    Actor, Settings,
    settings::{Description, InvalidSetting, SettingKind, SettingValue as _},
};
use siskin_ids::AccountId;
use siskin_persistence::{
    Conn,
    accounts::{HandleKey, mentionable},
    external_identities,
};
use siskin_policy::settings::{max_chars, max_number};
use siskin_text::{Handle, TextLimit, language, shorten, username_key, valid_local_username};

use super::FixedSettings;
use crate::{
    FieldError, Instance, Result, about,
    accounts::{listed_names, owners},
};

/// Why a value is refused: a code, and words that continue a sentence that begins with the setting.
pub(super) type Fault = (FieldError, String);

/// Minimum request limit. With a lower one the operator could not even sign in to undo it.
const MIN_REQUESTS: u32 = 30;
/// Limits of a part of a list in a sentence, in characters and in bytes.
const MAX_QUOTED_CHARS: usize = 60;
const MAX_QUOTED_BYTES: usize = 240;
/// No account has this id, so no account is blocked by it.
const NO_ACCOUNT: AccountId = AccountId::new(0);

/// Returns what is wrong with a value. `None` if it can be stored.
///
/// # Errors
/// Storage errors only.
pub(super) fn fault(
    conn: &mut Conn,
    actor: Actor,
    fixed: &FixedSettings,
    setting: &Description,
    value: &str,
) -> Result<Option<Fault>> {
    if let Some(fault) = fault_of_form(fixed, setting, value) {
        return Ok(Some(fault));
    }
    match setting.key {
        "contact_account" if !value.is_empty() => unknown_contact(conn, value),
        "suggestions.staff_picks" => unknown_pick(conn, value),
        "external_only" if bool::read(value) == Ok(true) => {
            missing_login(conn, actor, &fixed.issuers)
        }
        _ => Ok(None),
    }
}

/// Returns what is wrong with a value, whatever is stored. All ways to change a setting have the
/// same limits.
fn fault_of_form(fixed: &FixedSettings, setting: &Description, value: &str) -> Option<Fault> {
    let (key, most) = (setting.key, max_chars(setting.key));
    if !TextLimit::of(most).fits_code_points(value) {
        return Some((FieldError::TooLong, format!("has at most {most} characters")));
    }
    let read = Settings::default().set(key, value);
    if setting.kind == SettingKind::Number {
        return fault_of_number(key, read.is_ok(), value);
    }
    if let Err(error) = read.and_then(|()| fixed.require_supported(key, value)) {
        return Some(invalid(match error {
            InvalidSetting::BadValue(_, expected) => format!("must be {expected}"),
            InvalidSetting::UnknownKey(_) => error.to_string(),
        }));
    }
    match key {
        "languages" => unknown_language(value),
        "sign_up.reserved_names" => impossible_name(value),
        _ => None,
    }
}

fn invalid(why: impl Into<String>) -> Fault {
    (FieldError::Invalid, why.into())
}

/// Returns a part of a list for a sentence, in quotation marks.
fn quoted(part: &str) -> String {
    format!("{:?}", shorten(part.trim(), MAX_QUOTED_CHARS, MAX_QUOTED_BYTES))
}

/// Checks a number. `is_accepted` says whether its type and the setting accept it.
fn fault_of_number(key: &str, is_accepted: bool, value: &str) -> Option<Fault> {
    let most = max_number(key);
    match value.parse::<u32>() {
        Ok(number) if is_accepted && number <= most => {
            let is_too_low = key == "rate_limits.requests" && number < MIN_REQUESTS;
            is_too_low.then(|| {
                let why = "a page and its pictures take several";
                invalid(format!("must be at least {MIN_REQUESTS}: {why}"))
            })
        }
        _ => {
            let least = u32::from(Settings::default().set(key, "0").is_err());
            Some(invalid(format!("must be a whole number from {least} to {most}")))
        }
    }
}

fn unknown_language(list: &str) -> Option<Fault> {
    if list.trim().is_empty() {
        return Some((FieldError::Blank, "can't be blank".to_owned()));
    }
    let code = list.split(',').find(|code| language::normalise(code).is_none())?;
    Some(invalid(format!("must not contain {}, which is not a language code", quoted(code))))
}

fn impossible_name(list: &str) -> Option<Fault> {
    let name = listed_names(list).find(|name| valid_local_username(name).is_err())?;
    Some(invalid(format!(
        "must not contain {}, which cannot be a user name: separate the names by commas or spaces",
        quoted(name)
    )))
}

fn unknown_contact(conn: &mut Conn, name: &str) -> Result<Option<Fault>> {
    let is_known = about::contact(conn, name)?.is_some();
    Ok((!is_known).then(|| invalid("must be the name of an account of this server")))
}

/// Refuses what is no account in a list of handles. Only those of this server must exist: the
/// server may learn of the others later.
fn unknown_pick(conn: &mut Conn, list: &str) -> Result<Option<Fault>> {
    let instance = Instance::stored_base_url(conn)?.and_then(|base| Instance::at(&base, false));
    let here = instance.as_ref().map(|instance| instance.urls.domain());
    let mut local: Vec<(&str, HandleKey)> = Vec::new();
    for typed in list.split(',').filter(|typed| !typed.trim().is_empty()) {
        let Some(handle) = Handle::parse(typed) else {
            let what = "the address of an account such as @ann or @bob@other.example";
            return Ok(Some(invalid(format!(
                "must not contain {}, which is not {what}",
                quoted(typed)
            ))));
        };
        if handle.domain.is_none() || handle.domain.as_deref() == here {
            local.push((typed, (username_key(&handle.username), None)));
        }
    }
    let keys: Vec<HandleKey> = local.iter().map(|(_, key)| key.clone()).collect();
    let found = mentionable(conn, NO_ACCOUNT, &keys)?;
    let found: HashSet<String> = found.into_iter().map(|account| account.username_key).collect();
    let unknown = local.iter().find(|(_, (name, _))| !found.contains(name));
    Ok(unknown.map(|(typed, _)| {
        invalid(format!(
            "must not contain {}, which is not an account of this server",
            quoted(typed)
        ))
    }))
}

/// Checks that a member of staff who switches passwords off can still sign in, and so can an owner
/// of the server, who alone may undo everything. Only logins at providers with these identifiers
/// count.
fn missing_login(conn: &mut Conn, actor: Actor, issuers: &[String]) -> Result<Option<Fault>> {
    let Some(account) = actor.account() else { return Ok(None) };
    if !external_identities::any_linked(conn, &[account], issuers)? {
        let why = "needs a login of yours at the provider: link it to your account first";
        return Ok(Some(invalid(why)));
    }
    let owners = owners::active(conn)?;
    if !external_identities::any_linked(conn, &owners, issuers)? {
        return Ok(Some(invalid(
            "needs an owner with a login at the provider: no owner of this server could sign in \
             any more",
        )));
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(key: &str, value: &str) -> Option<String> {
        let setting = Settings::DESCRIPTIONS.iter().find(|setting| setting.key == key).unwrap();
        fault_of_form(&FixedSettings::default(), setting, value).map(|(_, why)| why)
    }

    #[test]
    fn texts_have_limits() {
        let longest = "é".repeat(5000);
        assert_eq!(why("site_description", &longest), None);
        assert_eq!(
            why("site_description", &format!("{longest}é")).as_deref(),
            Some("has at most 5000 characters")
        );
        assert!(why("rate_limits.requests", &"0".repeat(1001)).is_some());
        let expected = "must be a text without control or direction characters";
        for odd in ["a\0b", "a\u{202E}b"] {
            assert_eq!(why("registrations_message", odd).as_deref(), Some(expected));
        }
        assert_eq!(why("registrations_message", "One\r\nTwo\n"), None);
    }

    #[test]
    fn numbers_have_limits() {
        for (key, value, expected) in [
            ("limits.status_chars", "0", "must be a whole number from 1 to 100000"),
            ("limits.status_chars", "100001", "must be a whole number from 1 to 100000"),
            ("limits.profile_fields", "-1", "must be a whole number from 0 to 100"),
            ("rate_limits.mail", "many", "must be a whole number from 1 to 4294967295"),
            (
                "rate_limits.requests",
                "29",
                "must be at least 30: a page and its pictures take several",
            ),
        ] {
            assert_eq!(why(key, value).as_deref(), Some(expected), "{key}");
        }
        for (key, value) in [
            ("limits.status_chars", "100000"),
            ("limits.profile_fields", "0"),
            ("rate_limits.requests", "30"),
            ("rate_limits.mail", "4294967295"),
        ] {
            assert_eq!(why(key, value), None, "{key}");
        }
    }

    #[test]
    fn lists_name_their_first_wrong_part() {
        for (key, list, expected) in [
            (
                "languages",
                "de, klingon",
                "must not contain \"klingon\", which is not a language code",
            ),
            ("languages", "de,,en", "must not contain \"\", which is not a language code"),
            ("languages", " ", "can't be blank"),
            (
                "sign_up.reserved_names",
                "mayor, fire;police",
                "must not contain \"fire;police\", which cannot be a user name: separate the names by \
                 commas or spaces",
            ),
        ] {
            assert_eq!(why(key, list).as_deref(), Some(expected), "{key}");
        }
        for (key, list) in [
            ("languages", "de,en"),
            ("sign_up.reserved_names", "mayor, town_hall fire,,"),
            ("sign_up.reserved_names", ""),
        ] {
            assert_eq!(why(key, list), None, "{key}");
        }
        let long = why("sign_up.reserved_names", &"é".repeat(9000)).unwrap();
        assert!(long.chars().count() < 160, "{long}");
    }

    #[test]
    fn all_defaults_are_accepted() {
        for setting in Settings::DESCRIPTIONS {
            let default = Settings::default().get(setting.key).unwrap();
            assert_eq!(why(setting.key, &default), None, "{}", setting.key);
        }
    }
}
