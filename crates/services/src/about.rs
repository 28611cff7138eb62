//! Description of the instance for clients.

use std::{sync::Arc, time::Duration};

use siskin_entities::{
    Account, Feeds, InstanceCounts, InstanceFacts, InstanceLimits, InstancePicture, Rule, Settings,
    Timestamp,
    instance::{AccountLimits, MediaLimits, PollLimits, StatusLimits},
    settings::Registrations,
};
use siskin_persistence::{Conn, accounts, counts, staff};
use siskin_policy::{
    limits,
    sign_up::{Way, registrations_for},
};
use siskin_text::{Handle, language, username_key};

use crate::{Result, instance_picture, rules, vapid};

/// Maximum number of members of staff on the page about the instance.
const MAX_STAFF: i64 = 100;

/// Version of this program.
pub const SOFTWARE_VERSION: &str = env!("CARGO_PKG_VERSION");

/// Version string for clients. They enable features by the number in front: the highest Mastodon
/// version of which this server has all features that clients enable so, the last being quotes.
/// The real name and version of this server follow.
pub const VERSION: &str = concat!("4.5.0 (compatible; Siskin ", env!("CARGO_PKG_VERSION"), ")");

/// The same version as a number, which newer clients read instead. Mastodon versions have such a
/// number from 4.3 on; 7 stands for 4.5.
pub const API_VERSION: Option<u32> = Some(7);

/// Counts the users and statuses of the instance. Reads every account, so callers must cache the
/// result for a minute.
///
/// # Errors
/// Storage errors only.
pub fn counts(conn: &mut Conn, now: Timestamp) -> Result<InstanceCounts> {
    Ok(counts::load(conn, now)?)
}

/// Capabilities of the instance that the caller knows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Capabilities {
    /// Supported media types of uploads.
    pub media_types: Vec<String>,
    /// Whether the server translates statuses.
    pub translation: bool,
    /// Whether there are terms of service.
    pub terms: bool,
    /// Whether people can sign in through an external provider.
    pub external_login: bool,
}

/// Returns the complete description of the instance.
///
/// # Errors
/// Storage errors only.
pub fn describe(
    conn: &mut Conn,
    settings: &Settings,
    counts: InstanceCounts,
    capabilities: Capabilities,
) -> Result<InstanceFacts> {
    let stored = Stored {
        contact: contact(conn, &settings.contact_account)?,
        rules: rules::list(conn)?,
        vapid_key: vapid::public_key(conn)?.unwrap_or_default(),
        picture: instance_picture::find(conn)?,
    };
    Ok(facts(settings, counts, stored, capabilities))
}

/// What visitors read about the instance, besides its texts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct About {
    pub contact: Option<Arc<Account>>,
    pub picture: Option<InstancePicture>,
    pub rules: Vec<Rule>,
    /// Accounts with a highlighted role, those with the highest role first.
    pub staff: Vec<Arc<Account>>,
}

/// Returns what the page about the instance shows.
///
/// # Errors
/// Storage errors only.
pub fn page(conn: &mut Conn, settings: &Settings) -> Result<About> {
    let members = staff::highlighted(conn, MAX_STAFF)?;
    Ok(About {
        contact: contact(conn, &settings.contact_account)?,
        picture: instance_picture::find(conn)?,
        rules: rules::list(conn)?,
        staff: accounts::load_in_order(conn, &members)?,
    })
}

/// Parts of the description that come from the database.
struct Stored {
    contact: Option<Arc<Account>>,
    rules: Vec<Rule>,
    vapid_key: String,
    picture: Option<InstancePicture>,
}

fn facts(
    settings: &Settings,
    counts: InstanceCounts,
    stored: Stored,
    capabilities: Capabilities,
) -> InstanceFacts {
    let non_empty = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
    InstanceFacts {
        title: settings.site_title.clone(),
        short_description: settings.site_short_description.clone(),
        description: settings.site_description.clone(),
        version: VERSION.to_owned(),
        api_version: API_VERSION,
        software_version: SOFTWARE_VERSION.to_owned(),
        source_url: non_empty(&settings.source_url),
        languages: languages(&settings.languages),
        contact_email: settings.contact_email.clone(),
        contact_account: stored.contact,
        registrations: registrations_for(Way::Form, settings.registrations, settings.external_only),
        registrations_message: settings.registrations_message.clone(),
        rules: stored.rules,
        counts,
        limits: limits(settings, capabilities.media_types),
        feeds: Feeds::of(settings),
        translates: capabilities.translation,
        vapid_key: stored.vapid_key,
        has_terms: capabilities.terms,
        external_sign_up: capabilities.external_login && lets_providers_in(settings),
        picture: stored.picture,
    }
}

/// Returns `true` if everyone who comes from an external provider can sign up.
fn lets_providers_in(settings: &Settings) -> bool {
    let registrations =
        registrations_for(Way::Provider, settings.registrations, settings.external_only);
    matches!(registrations, Registrations::Open | Registrations::Approval)
}

/// Returns the local account with this name. Returns `None` if it is suspended, unconfirmed or
/// pending approval.
pub(crate) fn contact(conn: &mut Conn, name: &str) -> Result<Option<Arc<Account>>> {
    let Some(handle) = Handle::parse(name).filter(|handle| handle.domain.is_none()) else {
        return Ok(None);
    };
    let found = accounts::find_by_handle(conn, &username_key(&handle.username), None)?;
    Ok(found.filter(|account| account.state.reachable && !account.state.suspended))
}

/// Returns the language codes in a comma-separated list. Ignores entries that are no language.
fn languages(list: &str) -> Vec<String> {
    list.split(',').filter_map(language::normalise).map(str::to_owned).collect()
}

/// Returns the limits that the server enforces.
fn limits(settings: &Settings, media_types: Vec<String>) -> InstanceLimits {
    InstanceLimits {
        accounts: AccountLimits {
            display_name_chars: settings.limits_display_name_chars.into(),
            note_chars: settings.max_bio_chars.into(),
            picture_description_chars: limits::MAX_PICTURE_DESCRIPTION_CHARS.into(),
            featured_tags: number(limits::MAX_FEATURED_TAGS),
            pinned_statuses: number(limits::MAX_PINNED_STATUSES),
            fields: settings.limits_profile_fields.into(),
            field_name_chars: settings.limits_profile_field_chars.into(),
            field_value_chars: settings.limits_profile_field_chars.into(),
        },
        statuses: StatusLimits {
            chars: settings.limits_status_chars.into(),
            media_attachments: number(limits::MAX_MEDIA_ATTACHMENTS),
            chars_per_url: number(limits::CHARACTERS_RESERVED_PER_URL),
        },
        media: MediaLimits {
            types: media_types,
            image_bytes: limits::MAX_IMAGE_BYTES,
            image_pixels: limits::MAX_IMAGE_PIXELS,
            video_bytes: limits::MAX_VIDEO_BYTES,
            video_frame_rate: limits::MAX_VIDEO_FRAME_RATE,
            video_pixels: limits::MAX_VIDEO_PIXELS,
            description_chars: number(limits::MAX_MEDIA_DESCRIPTION_CHARS),
        },
        polls: poll_limits(),
    }
}

/// Returns the limits of size and duration of a poll.
pub(crate) const fn poll_limits() -> PollLimits {
    PollLimits {
        options: number(limits::MAX_POLL_OPTIONS),
        option_chars: number(limits::MAX_POLL_OPTION_CHARS),
        shortest_seconds: seconds(limits::MIN_POLL_DURATION),
        longest_seconds: seconds(limits::MAX_POLL_DURATION),
    }
}

const fn number(limit: usize) -> u64 {
    limit as u64
}

const fn seconds(limit: Duration) -> u64 {
    limit.as_secs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_contains_the_api_level_and_the_software_version() {
        assert_eq!(VERSION, format!("4.5.0 (compatible; Siskin {SOFTWARE_VERSION})"));
    }

    #[test]
    fn languages_are_parsed_from_a_comma_separated_list() {
        assert_eq!(languages("en"), ["en"]);
        assert_eq!(languages(" EN, de-AT,,xx "), ["en", "de"]);
        assert_eq!(languages(""), [""; 0]);
    }

    #[test]
    fn limits_follow_the_settings() {
        let mut settings = Settings::default();
        settings.set("limits.status_chars", "777").unwrap();
        settings.set("max_bio_chars", "99").unwrap();
        let limits = limits(&settings, Vec::new());
        assert_eq!(limits.statuses.chars, 777);
        assert_eq!(limits.accounts.note_chars, 99);
        assert_eq!(limits.polls.longest_seconds, 2_629_746);
    }
}
