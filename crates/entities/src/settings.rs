//! Operator settings: one typed registry of keys with defaults and descriptions.
//!
//! This module does not know where values are stored or how a change reaches a running server.

mod values;

use std::fmt;

use siskin_text::is_disturbing;

pub use values::{
    FederationMode, FeedAccess, Registrations, RequiredFor, SettingKind, SettingValue, ShownTo,
};

/// Error for a setting that cannot be changed as requested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InvalidSetting {
    /// No setting has this key.
    UnknownKey(String),
    /// The value is not accepted; the second field describes the accepted values.
    BadValue(&'static str, String),
}

impl fmt::Display for InvalidSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownKey(key) => {
                write!(f, "there is no setting {key:?}; `siskin settings list` lists all")
            }
            Self::BadValue(key, expected) => write!(f, "{key} must be {expected}"),
        }
    }
}

impl std::error::Error for InvalidSetting {}

/// Entry of `siskin settings list`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Description {
    /// Name of the setting.
    pub key: &'static str,
    /// What it does, in English.
    pub about: &'static str,
    /// Kind of its values.
    pub kind: SettingKind,
}

/// Settings with texts that may have several lines.
const LONG_TEXTS: [&str; 2] = ["site_description", "registrations_message"];

impl Description {
    /// Returns `true` if the value may have several lines.
    #[must_use]
    pub fn may_have_lines(&self) -> bool {
        LONG_TEXTS.contains(&self.key)
    }
}

/// Checks that the text is the address of a web page or empty. Responses contain it as a link.
fn is_web_address(text: &str) -> Result<(), String> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let fits = rest.is_some_and(|rest| !rest.is_empty() && !text.contains(is_blank));
    if fits || text.is_empty() {
        Ok(())
    } else {
        Err("a URL that begins with https:// or http://, or empty".to_owned())
    }
}

/// Checks that the text is an email address or empty.
fn is_email_address(text: &str) -> Result<(), String> {
    let fits = text.split_once('@').is_some_and(|(name, domain)| {
        !name.is_empty() && !domain.is_empty() && !text.contains(is_blank)
    });
    if fits || text.is_empty() { Ok(()) } else { Err("an email address, or empty".to_owned()) }
}

/// Returns `true` for characters that no address has: white space, control characters, and those
/// that change the direction of the text.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || c.is_control() || is_disturbing(c)
}

/// Checks that the number is not 0, because 0 would close a whole part of the server for all users.
fn is_positive(text: &str) -> Result<(), String> {
    match text.parse() {
        Ok(1_u32..) => Ok(()),
        _ => Err(format!("a whole number from 1 to {}", u32::MAX)),
    }
}

/// Checks that the text is one line. Pages and emails show it in the middle of others.
fn is_one_line(text: &str) -> Result<(), String> {
    let is_break = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    if text.contains(|c: char| is_break(c) || is_disturbing(c)) {
        Err("a text of one line, without control or direction characters".to_owned())
    } else {
        Ok(())
    }
}

/// Checks that a text of several lines does not disturb what stands around it.
fn is_text(text: &str) -> Result<(), String> {
    if text.contains(is_disturbing) {
        Err("a text without control or direction characters".to_owned())
    } else {
        Ok(())
    }
}

/// Checks that the text is one line that is not blank.
fn is_title(text: &str) -> Result<(), String> {
    if siskin_text::is_blank(text) {
        return Err("a text that is not empty".to_owned());
    }
    is_one_line(text)
}

/// Checks that the access level is not `disabled`: local statuses with a hashtag are always listed.
fn is_listed(text: &str) -> Result<(), String> {
    let fits = text == FeedAccess::Public.as_str() || text == FeedAccess::Authenticated.as_str();
    if fits { Ok(()) } else { Err("public or authenticated".to_owned()) }
}

/// Declares the settings, one line each: field, type, optional check for types that are too wide,
/// key, default and description.
macro_rules! settings {
    ($($field:ident: $kind:ty $(, if $fits:path)?, $key:literal, $default:expr, $about:literal;)+) => {
        /// Current values of all settings.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct Settings {
            $(#[doc = $about] pub $field: $kind,)+
        }

        impl Default for Settings {
            fn default() -> Self {
                Self { $($field: $default,)+ }
            }
        }

        impl Settings {
            /// All keys with their descriptions, in display order.
            pub const DESCRIPTIONS: &'static [Description] =
                &[$(Description {
                    key: $key,
                    about: $about,
                    kind: <$kind as SettingValue>::KIND,
                },)+];

            /// Changes one setting from its text form.
            ///
            /// # Errors
            /// Returns [`InvalidSetting`] for an unknown key or an invalid value; then nothing
            /// changes.
            pub fn set(&mut self, key: &str, text: &str) -> Result<(), InvalidSetting> {
                match key {
                    $($key => {
                        $($fits(text).map_err(|expected| InvalidSetting::BadValue($key, expected))?;)?
                        self.$field = <$kind as SettingValue>::read(text)
                            .map_err(|expected| InvalidSetting::BadValue($key, expected))?;
                        Ok(())
                    })+
                    _ => Err(InvalidSetting::UnknownKey(key.to_owned())),
                }
            }

            /// Returns the text form of one setting.
            ///
            /// # Errors
            /// Returns [`InvalidSetting::UnknownKey`] for an unknown key.
            pub fn get(&self, key: &str) -> Result<String, InvalidSetting> {
                match key {
                    $($key => Ok(SettingValue::show(&self.$field)),)+
                    _ => Err(InvalidSetting::UnknownKey(key.to_owned())),
                }
            }
        }
    };
}

settings! {
    site_title: String, if is_title, "site_title", "Siskin".to_owned(), "Name of the site.";
    site_short_description: String, if is_one_line, "site_short_description", String::new(), "One sentence about the site, plain text.";
    site_description: String, if is_text, "site_description", String::new(), "A longer description of the site, plain text.";
    source_url: String, if is_web_address, "source_url", String::new(), "URL of the source code of this server. The licence requires it if you changed the code.";
    contact_email: String, if is_email_address, "contact_email", String::new(), "Email address of the operator.";
    contact_account: String, if is_one_line, "contact_account", String::new(), "User name of the local account shown as the contact.";
    languages: String, if is_one_line, "languages", "en".to_owned(), "Main languages of the site, ISO 639-1 codes separated by commas.";
    registrations: Registrations, "registrations", Registrations::None, "Who may sign up: open, approval, none or external (only through an external provider).";
    external_only: bool, "external_only", false, "Whether people sign in and sign up only through an external provider. Passwords, password resets and other registrations are then switched off.";
    registrations_message: String, if is_text, "registrations_message", String::new(), "Text shown while sign-up is closed.";
    email_confirmation: bool, "email_confirmation", false, "Whether new users must confirm their email address before they can use their account.";
    unconfirmed_accounts_days: u32, "unconfirmed_accounts_days", 2, "Days after which an account that never confirmed its email address is deleted; 0 disables this.";
    sign_up_reserved_names: String, if is_one_line, "sign_up.reserved_names", String::new(), "Further user names that only the operator may use, separated by commas or spaces.";
    oauth_password_grant: bool, "oauth_password_grant", false, "Whether clients may exchange a password for a token directly.";
    second_factor_required_for: RequiredFor, "second_factor.required_for", RequiredFor::None, "Who must set up a second factor to use pages and to authorise applications: none, staff or all.";
    peers_api: bool, "peers_api", true, "Whether GET /api/v1/instance/peers answers.";
    feeds_local: FeedAccess, "feeds.local", FeedAccess::Public, "Who can read the public timeline of this server: public, authenticated or disabled.";
    feeds_remote: FeedAccess, "feeds.remote", FeedAccess::Public, "Who can read the public timeline of other servers: public, authenticated or disabled.";
    feeds_hashtag_local: FeedAccess, if is_listed, "feeds.hashtag_local", FeedAccess::Public, "Who can read local statuses with a hashtag: public or authenticated.";
    feeds_hashtag_remote: FeedAccess, "feeds.hashtag_remote", FeedAccess::Public, "Who can read remote statuses with a hashtag: public, authenticated or disabled.";
    domain_blocks_visibility: ShownTo, "domain_blocks.visibility", ShownTo::Staff, "Who sees the list of blocked domains (GET /api/v1/instance/domain_blocks): all, users or disabled.";
    domain_blocks_reasons: ShownTo, "domain_blocks.reasons", ShownTo::Staff, "Who sees the public comments in the list of blocked domains: all, users or disabled.";
    federation_mode: FederationMode, "federation.mode", FederationMode::Off, "With which other servers this one exchanges posts (ActivityPub): off, allowed (only those that staff allowed) or open. Its address cannot change after another server asked for a document.";
    activity_api: bool, "activity_api", true, "Whether GET /api/v1/instance/activity answers.";
    max_search_results: u32, if is_positive, "max_search_results", 40, "Maximum number of results of each kind in a search.";
    max_bio_chars: u32, if is_positive, "max_bio_chars", 500, "Maximum length of a bio, in characters.";
    link_previews: bool, "link_previews", true, "Whether the server fetches pages that statuses link to, and shows previews of them.";
    streams_kept_hours: u32, if is_positive, "streams.kept_hours", 4, "Hours during which interrupted streams can be resumed, at least 1.";
    streams_connections: u32, if is_positive, "streams.connections", 20, "Maximum number of open streams per account.";
    trends_enabled: bool, "trends.enabled", true, "Whether hashtags, statuses and links trend.";
    trends_by_default: bool, "trends.by_default", false, "Whether entries may trend before staff have reviewed them.";
    suggestions_staff_picks: String, if is_one_line, "suggestions.staff_picks", String::new(), "Accounts suggested to all users, as handles separated by commas.";
    limits_status_chars: u32, if is_positive, "limits.status_chars", 500, "Maximum length of a status with its content warning, in characters.";
    limits_display_name_chars: u32, if is_positive, "limits.display_name_chars", 30, "Maximum length of a display name, in characters.";
    limits_profile_fields: u32, "limits.profile_fields", 4, "Maximum number of profile fields.";
    limits_profile_field_chars: u32, if is_positive, "limits.profile_field_chars", 255, "Maximum length of the name or value of a profile field, in characters.";
    limits_follows: u32, if is_positive, "limits.follows", 7500, "Number of accounts that an account can follow before the ratio to its followers counts.";
    rate_limits_enabled: bool, "rate_limits.enabled", true, "Whether requests over the limits are refused (the headers are always sent).";
    rate_limits_requests: u32, if is_positive, "rate_limits.requests", 300, "Requests in five minutes, per account and per IP address.";
    rate_limits_sign_up: u32, if is_positive, "rate_limits.sign_up", 5, "Sign-ups in thirty minutes per IP address.";
    rate_limits_sign_in: u32, if is_positive, "rate_limits.sign_in", 25, "Sign-in attempts: in five minutes per IP address, and in thirty minutes per IP address and login; ten times as many in thirty minutes per login from all addresses. Codes of second factors count, too.";
    rate_limits_mail: u32, if is_positive, "rate_limits.mail", 5, "Requested emails in thirty minutes, per IP address and per recipient.";
    rate_limits_apps: u32, if is_positive, "rate_limits.apps", 25, "Registered applications in thirty minutes per IP address.";
    rate_limits_app_tokens: u32, if is_positive, "rate_limits.app_tokens", 60, "Tokens issued to applications themselves in thirty minutes per IP address.";
    rate_limits_upload: u32, if is_positive, "rate_limits.upload", 30, "Uploads for statuses in thirty minutes per account.";
    rate_limits_delete: u32, if is_positive, "rate_limits.delete", 30, "Deletions and undone reblogs in thirty minutes per account.";
    rate_limits_import: u32, if is_positive, "rate_limits.import", 3, "Imported follow lists in thirty minutes per account.";
    rate_limits_translate: u32, if is_positive, "rate_limits.translate", 60, "Requested translations in thirty minutes per account.";
    rate_limits_reports: u32, if is_positive, "rate_limits.reports", 100, "Reports in thirty minutes per account.";
    rate_limits_edit: u32, if is_positive, "rate_limits.edit", 60, "Edits of statuses in thirty minutes per account.";
}

impl Settings {
    /// Returns the name of the environment variable that overrides a setting: `SISKIN_` and the key
    /// in upper case, with underscores for dots.
    #[must_use]
    pub fn environment_name(key: &str) -> String {
        format!("SISKIN_{}", key.replace('.', "_").to_ascii_uppercase())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_round_trips_through_its_text() {
        let mut settings = Settings::default();
        for description in Settings::DESCRIPTIONS {
            let shown = settings.get(description.key).unwrap();
            settings.set(description.key, &shown).unwrap();
        }
        assert_eq!(settings, Settings::default());
    }

    #[test]
    fn an_invalid_value_changes_nothing_and_the_error_names_the_valid_ones() {
        let mut settings = Settings::default();
        let error = settings.set("registrations", "maybe").unwrap_err();
        assert_eq!(error.to_string(), "registrations must be open, approval, none or external");
        assert!(settings.set("max_bio_chars", "-1").is_err());
        assert!(settings.set("nothing", "1").is_err());
        assert_eq!(settings, Settings::default());
    }

    #[test]
    fn the_local_hashtag_feed_cannot_be_disabled() {
        let mut settings = Settings::default();
        settings.set("feeds.hashtag_remote", "disabled").unwrap();
        let error = settings.set("feeds.hashtag_local", "disabled").unwrap_err();
        assert_eq!(error.to_string(), "feeds.hashtag_local must be public or authenticated");
        settings.set("feeds.hashtag_local", "authenticated").unwrap();
        assert!(settings.set("feeds.local", "nobody").is_err());
    }

    #[test]
    fn urls_and_email_addresses_are_validated() {
        let mut settings = Settings::default();
        for (key, good, bad) in [
            ("source_url", "https://example.org/source", "javascript:alert(1)"),
            ("source_url", "", "https://"),
            ("contact_email", "me@example.org", "notmail"),
            ("contact_email", "", "me @example.org"),
            ("contact_email", "", "me\u{7}@example.org"),
            ("contact_email", "", "me\u{202E}@example.org"),
            ("source_url", "", "https://example.org/\u{7}"),
        ] {
            settings.set(key, good).unwrap();
            settings.set(key, bad).unwrap_err();
            assert_eq!(settings.get(key).unwrap(), good);
        }
    }

    #[test]
    fn only_longer_texts_have_several_lines() {
        for description in Settings::DESCRIPTIONS {
            let key = description.key;
            for text in ["A\nB", "A\rB", "A\tB", "A\u{2028}B"] {
                let accepted = Settings::default().set(key, text).is_ok();
                assert_eq!(accepted, description.may_have_lines(), "{key} {text:?}");
            }
        }
        let error = Settings::default().set("site_title", "A\nB").unwrap_err();
        let expected =
            "site_title must be a text of one line, without control or direction characters";
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn no_text_disturbs_what_stands_around_it() {
        for Description { key, .. } in Settings::DESCRIPTIONS {
            for c in ['\0', '\u{7}', '\u{1B}', '\u{9B}', '\u{202E}', '\u{2066}'] {
                let refused = Settings::default().set(key, &format!("https://a@{c}b"));
                assert!(refused.is_err(), "{key} {c:?}");
            }
        }
        let error = Settings::default().set("site_description", "A\u{202E}B").unwrap_err();
        let expected = "site_description must be a text without control or direction characters";
        assert_eq!(error.to_string(), expected);
        // Titles in Hebrew can need marks.
        for title in ["שלום\u{200F}", "👩\u{200D}🚀"] {
            Settings::default().set("site_title", title).unwrap();
        }
        for blank in ["", " ", "\u{200B}", "\u{3164}"] {
            assert!(Settings::default().set("site_title", blank).is_err(), "{blank:?}");
        }
    }

    #[test]
    fn only_optional_limits_accept_zero() {
        // Settings that switch off an optional feature.
        let may_be_0 = ["unconfirmed_accounts_days", "limits.profile_fields"];
        let mut settings = Settings::default();
        for Description { key, .. } in Settings::DESCRIPTIONS {
            let is_number = settings.get(key).unwrap().parse::<u32>().is_ok();
            if is_number && settings.set(key, "0").is_ok() {
                assert!(may_be_0.contains(key), "{key}");
            }
        }
        assert!(settings.set("site_title", " ").is_err());
    }

    #[test]
    fn values_are_of_the_described_kind() {
        let mut settings = Settings::default();
        for Description { key, kind, .. } in Settings::DESCRIPTIONS {
            let value = settings.get(key).unwrap();
            match kind {
                SettingKind::Switch => assert!(value.parse::<bool>().is_ok(), "{key}"),
                SettingKind::Number => assert!(value.parse::<u32>().is_ok(), "{key}"),
                SettingKind::Text => {}
                SettingKind::Choice(names) => {
                    assert!(names.contains(&&*value), "{key}");
                    let refused = names.iter().filter(|name| settings.set(key, name).is_err());
                    let may_refuse = usize::from(*key == "feeds.hashtag_local");
                    assert!(refused.count() <= may_refuse, "{key}");
                }
            }
        }
    }

    #[test]
    fn a_dot_in_a_key_is_an_underscore_in_the_environment() {
        assert_eq!(Settings::environment_name("rate_limits.enabled"), "SISKIN_RATE_LIMITS_ENABLED");
    }
}
