//! The words of the pages about settings: what they are for, what they can be, and why a value is
//! refused. The command line has words of its own.

use siskin_entities::{
    Settings,
    settings::{Description, SettingKind},
};
use siskin_services::settings::FixedSettings;

/// Returns what a setting is for, in plain words: those of its description, unless these are about
/// the command line or the API.
pub(super) fn hint(setting: &Description) -> &'static str {
    match setting.key {
        "contact_account" => "User name of an account here, which is shown as the contact.",
        "languages" => {
            "The main languages here: codes of two letters such as en or de, separated by commas."
        }
        "registrations" => "Invites let people in even while sign-up is closed.",
        "external_only" => {
            "People sign in and sign up only through the external provider. Passwords, their reset \
             by email and all other ways to sign up are then switched off."
        }
        "email_confirmation" => {
            "New people must confirm their email address before they can use their account."
        }
        "unconfirmed_accounts_days" => {
            "An account is deleted after this number of days if its email address was never \
             confirmed. With 0, it stays."
        }
        "sign_up.reserved_names" => {
            "User names that no one can choose at sign-up, besides names such as admin. Separate \
             them by commas or spaces."
        }
        "second_factor.required_for" => {
            "They must set up a second factor before they can use pages here and give apps access."
        }
        "feeds.local" => "Who can read the timeline with all public posts of this server.",
        "feeds.remote" => "Who can read the timeline with public posts of other servers.",
        "feeds.hashtag_local" => "Who can read the posts of this server with a hashtag.",
        "feeds.hashtag_remote" => "Who can read the posts of other servers with a hashtag.",
        "federation.mode" => {
            "Which other servers may find and read this one (ActivityPub). The address of this \
             server cannot change after another one has read something."
        }
        "domain_blocks.visibility" => "Who sees which servers are blocked here.",
        "domain_blocks.reasons" => "Who sees the reasons for others that a block can have.",
        "peers_api" => "Everyone can load the list of the servers that this one knows.",
        "activity_api" => {
            "Everyone can load the numbers of posts, sign-ins and new accounts of the last twelve \
             weeks."
        }
        "trends.enabled" => "Shows hashtags, posts and links that many people use at present.",
        "trends.by_default" => "They may trend before staff have reviewed them.",
        "suggestions.staff_picks" => {
            "Accounts that everyone is suggested to follow, such as @ann or @bob@other.example, \
             separated by commas."
        }
        "link_previews" => {
            "The server fetches pages that posts link to, and shows previews of them."
        }
        "limits.status_chars" => "Maximum length of a post with its content warning.",
        "limits.follows" => {
            "Everyone can follow this number of accounts. Beyond it, people need about as many \
             followers as they follow."
        }
        _ => setting.about,
    }
}

/// Returns words for a name that a setting can have.
pub(super) fn name_in_words(key: &str, name: &'static str) -> &'static str {
    match (key, name) {
        ("registrations", "open") => "Everyone",
        ("registrations", "approval") => "Everyone, after staff approve the account",
        ("registrations", "none") => "Only people with an invite",
        ("registrations", "external") => "People of the external sign-in provider",
        ("second_factor.required_for", "none") => "No one",
        ("second_factor.required_for", "staff") => "Staff",
        ("federation.mode", "off") => "With no other server",
        ("federation.mode", "allowed") => "Only with allowed servers",
        ("federation.mode", "open") => "With all servers that are not blocked",
        (_, "public" | "all") => "Everyone",
        (_, "authenticated" | "users") => "People who are signed in",
        ("domain_blocks.visibility" | "domain_blocks.reasons", "disabled") => "Only staff",
        (_, "disabled") => "Switched off",
        (_, other) => other,
    }
}

/// Returns words for a value that a setting has.
pub(super) fn value_in_words(setting: &Description, value: &str) -> String {
    match setting.kind {
        SettingKind::Switch if value == "true" => "On".to_owned(),
        SettingKind::Switch => "Off".to_owned(),
        SettingKind::Choice(names) => {
            let name = names.iter().copied().find(|name| *name == value);
            name.map_or(value, |name| name_in_words(setting.key, name)).to_owned()
        }
        SettingKind::Number | SettingKind::Text if value.is_empty() => "Nothing".to_owned(),
        SettingKind::Number | SettingKind::Text => value.to_owned(),
    }
}

/// Returns the names that a setting can have on this server.
pub(super) fn offered(
    setting: &Description,
    names: &'static [&'static str],
    fixed: &FixedSettings,
) -> impl Iterator<Item = &'static str> {
    names.iter().copied().filter(move |name| fixed.supports(setting.key, name))
}

/// Returns why a value is refused, as the rest of a sentence that begins with the label of the
/// setting. `why` are the words for the command line, which serve where they name nothing that the
/// page calls by other names.
pub(super) fn refusal(
    fixed: &FixedSettings,
    setting: &Description,
    value: &str,
    why: &str,
) -> String {
    const NEEDED: &str = "with a sign-in provider, and this server has none";
    let exists = Settings::default().set(setting.key, value).is_ok();
    let is_supported = fixed.supports(setting.key, value);
    match setting.kind {
        SettingKind::Switch if !exists => "can only be switched on or off".to_owned(),
        SettingKind::Switch if !is_supported => format!("can only be switched on {NEEDED}"),
        SettingKind::Choice(_) if exists && !is_supported => {
            format!("can only be “{}” {NEEDED}", value_in_words(setting, value))
        }
        SettingKind::Choice(names) if !exists => {
            let words = offered(setting, names, fixed)
                .map(|name| format!("“{}”", name_in_words(setting.key, name)));
            format!("must be one of these: {}", words.collect::<Vec<_>>().join(", "))
        }
        _ => why.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(key: &str) -> &'static Description {
        Settings::DESCRIPTIONS.iter().find(|setting| setting.key == key).unwrap()
    }

    #[test]
    fn refusals_name_what_the_page_shows() {
        let without = FixedSettings::default();
        let with = FixedSettings::default().with_providers(vec!["https://id.test".to_owned()]);
        let with = with.unwrap();
        for (fixed, key, value, expected) in [
            (&without, "trends.enabled", "maybe", "can only be switched on or off"),
            (
                &without,
                "external_only",
                "true",
                "can only be switched on with a sign-in provider, and this server has none",
            ),
            (&with, "external_only", "true", "in other words"),
            (
                &without,
                "registrations",
                "external",
                "can only be “People of the external sign-in provider” with a sign-in provider, \
                 and this server has none",
            ),
            (
                &without,
                "registrations",
                "maybe",
                "must be one of these: “Everyone”, “Everyone, after staff approve the account”, \
                 “Only people with an invite”",
            ),
            (
                &with,
                "feeds.hashtag_local",
                "disabled",
                "must be one of these: “Everyone”, “People who are signed in”",
            ),
            (&without, "site_title", " ", "in other words"),
            (&without, "limits.follows", "0", "in other words"),
        ] {
            let why = refusal(fixed, described(key), value, "in other words");
            assert_eq!(why, expected, "{key}");
        }
    }

    #[test]
    fn no_choice_is_called_by_its_name() {
        for setting in Settings::DESCRIPTIONS {
            if let SettingKind::Choice(names) = setting.kind {
                for name in names {
                    assert_ne!(value_in_words(setting, name), *name);
                }
            }
        }
        for (key, value, words) in [
            ("trends.enabled", "true", "On"),
            ("trends.enabled", "false", "Off"),
            ("contact_email", "", "Nothing"),
            ("site_title", "Birds", "Birds"),
            ("registrations", "none", "Only people with an invite"),
        ] {
            assert_eq!(value_in_words(described(key), value), words, "{key}");
        }
    }
}
