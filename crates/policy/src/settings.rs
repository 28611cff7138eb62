//! Which settings staff may change, and how long their values may be. The other settings are for the
//! operator alone.

use crate::limits::MAX_INSTANCE_DESCRIPTION_CHARS;

/// Settings that only the operator changes. They limit the load of the machine, protect against
/// attacks, or fulfil the licence.
const OF_THE_OPERATOR: &[&str] = &["source_url", "oauth_password_grant", "max_search_results"];
/// Groups of such settings, by the beginning of their keys.
const GROUPS_OF_THE_OPERATOR: &[&str] = &["rate_limits.", "streams."];

/// Returns `true` if staff with the permission to manage settings may change the setting with this
/// key, and `false` if only the operator may.
#[must_use]
pub fn staff_may_change(key: &str) -> bool {
    let is_in_group = GROUPS_OF_THE_OPERATOR.iter().any(|group| key.starts_with(group));
    !is_in_group && !OF_THE_OPERATOR.contains(&key)
}

/// Maximum length of a value that is not in the following list, in characters.
const MAX_CHARS: usize = 1000;
/// Maximum length of some values, in characters, by the keys of the settings.
const MAX_CHARS_OF: &[(&str, usize)] = &[
    ("site_title", 200),
    ("site_short_description", 500),
    ("site_description", MAX_INSTANCE_DESCRIPTION_CHARS),
    ("registrations_message", 2000),
    ("contact_email", 254),
    ("sign_up.reserved_names", 10_000),
    ("suggestions.staff_picks", 5000),
];

/// Returns the maximum length of the value of a setting, in characters. Clients and pages load these
/// texts often.
#[must_use]
pub fn max_chars(key: &str) -> usize {
    MAX_CHARS_OF.iter().find(|(of, _)| *of == key).map_or(MAX_CHARS, |(_, most)| *most)
}

/// Maximum numbers of settings that staff may change. Larger ones would make pages and requests so
/// large that the server or the apps fail.
const MAX_NUMBERS: &[(&str, u32)] = &[
    ("unconfirmed_accounts_days", 3650),
    ("limits.status_chars", 100_000),
    ("limits.display_name_chars", 1000),
    ("max_bio_chars", 100_000),
    ("limits.profile_fields", 100),
    ("limits.profile_field_chars", 10_000),
    ("limits.follows", 10_000_000),
];

/// Returns the maximum value of a setting that is a number. What the machine bears is up to the
/// operator, so other settings have no limit but that of their type.
#[must_use]
pub fn max_number(key: &str) -> u32 {
    MAX_NUMBERS.iter().find(|(of, _)| *of == key).map_or(u32::MAX, |(_, most)| *most)
}

#[cfg(test)]
mod tests {
    use siskin_entities::{Settings, settings::SettingKind};

    use super::*;

    #[test]
    fn only_existing_settings_are_kept_from_staff() {
        let exists = |is_it: &dyn Fn(&str) -> bool| {
            Settings::DESCRIPTIONS.iter().any(|description| is_it(description.key))
        };
        for name in OF_THE_OPERATOR {
            assert!(exists(&|key| key == *name) && !staff_may_change(name), "{name}");
        }
        for group in GROUPS_OF_THE_OPERATOR {
            assert!(exists(&|key| key.starts_with(group)), "{group}");
        }
        assert!(staff_may_change("site_title") && !staff_may_change("rate_limits.enabled"));
    }

    #[test]
    fn only_texts_have_limits_of_their_own() {
        for (key, most) in MAX_CHARS_OF {
            let described = Settings::DESCRIPTIONS.iter().find(|it| it.key == *key);
            assert_eq!(described.map(|it| it.kind), Some(SettingKind::Text), "{key}");
            assert_eq!(max_chars(key), *most);
        }
        assert_eq!(max_chars("rate_limits.requests"), MAX_CHARS);
    }

    #[test]
    fn numbers_that_staff_may_change_have_limits() {
        for description in Settings::DESCRIPTIONS {
            let is_number = description.kind == SettingKind::Number;
            let most = max_number(description.key);
            let is_limited = is_number && staff_may_change(description.key);
            assert_eq!(most != u32::MAX, is_limited, "{}", description.key);
            if is_limited {
                let default = Settings::default().get(description.key).unwrap();
                assert!(default.parse::<u32>().unwrap() < most, "{}", description.key);
            }
        }
        for (key, most) in MAX_NUMBERS {
            assert_eq!(max_number(key), *most);
        }
    }
}
