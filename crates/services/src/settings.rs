//! The operator's settings: stored values, overridden by the environment.

use siskin_entities::{
    Actor, AuditAction, AuditTarget, Settings, TargetKind, settings::InvalidSetting,
};
use siskin_persistence::{Conn, Tx, settings};
use siskin_policy::settings::staff_may_change;
use siskin_text::language;

use crate::{Error, Result, about, audit, authentication::not_allowed};

/// Settings from environment variables. They override stored ones and cannot be changed while the
/// process runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FixedSettings {
    values: Vec<(String, String)>,
}

impl FixedSettings {
    /// Builds fixed settings from keys and values in text form.
    ///
    /// # Errors
    /// [`InvalidSetting`] for an unknown key or a value of the wrong kind.
    pub fn new(values: Vec<(String, String)>) -> Result<Self, InvalidSetting> {
        let mut settings = Settings::default();
        for (key, value) in &values {
            settings.set(key, value)?;
            require_supported(key, value)?;
        }
        Ok(Self { values })
    }

    /// Reads the fixed settings from environment variables: `SISKIN_<KEY>`, and also
    /// `MAX_SEARCH_RESULTS`.
    ///
    /// # Errors
    /// [`InvalidSetting`] for a value of the wrong kind.
    pub fn from_environment(
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, InvalidSetting> {
        let fixed = |key: &str| {
            let value = names_of(key).iter().find_map(|name| variable(name));
            value.map(|value| (key.to_owned(), value))
        };
        let keys = Settings::DESCRIPTIONS.iter().map(|description| description.key);
        Self::new(keys.filter_map(fixed).collect())
    }

    /// Returns the keys with their values in text form.
    #[must_use]
    pub fn values(&self) -> &[(String, String)] {
        &self.values
    }

    /// Returns `true` if the environment fixes this key.
    #[must_use]
    pub fn contains(&self, key: &str) -> bool {
        self.values.iter().any(|(fixed, _)| fixed == key)
    }
}

/// Loads all settings in force. Stored values override defaults, and fixed values override stored
/// ones. A stored value that this program cannot parse (another version wrote it) is ignored.
///
/// # Errors
/// Storage errors only.
pub fn load(conn: &mut Conn, fixed: &FixedSettings) -> Result<Settings> {
    let mut settings = Settings::default();
    for (key, value) in settings::all(conn)?.iter().chain(&fixed.values) {
        if let Err(error) = settings.set(key, value) {
            log::warn!("ignoring a stored setting: {error}");
        }
    }
    Ok(settings)
}

/// Changes those of these settings that have another value at present. Running servers receive
/// events and reload them.
///
/// # Errors
/// As [`set`]. The message begins with the key of the setting, if its value is wrong.
pub fn change(
    tx: &mut Tx<'_>,
    actor: Actor,
    fixed: &FixedSettings,
    values: &[(String, String)],
) -> Result<()> {
    let present = load(tx, fixed)?;
    for (key, value) in values {
        let before = present.get(key).map_err(|error| Error::invalid(error.to_string()))?;
        if before != *value {
            set(tx, actor, fixed, key, value)?;
        }
    }
    Ok(())
}

/// Changes one setting. Running servers receive an event and reload it. The audit log names the
/// setting, not its value.
///
/// # Errors
/// [`Error::Invalid`] for an unknown key, a value of the wrong kind, or one that names something
/// that does not exist; [`Error::Conflict`] if the environment fixes it; [`Error::Forbidden`] for a
/// member of staff if only the operator may change it.
pub fn set(
    tx: &mut Tx<'_>,
    actor: Actor,
    fixed: &FixedSettings,
    key: &str,
    value: &str,
) -> Result<()> {
    Settings::default()
        .set(key, value)
        .and_then(|()| require_supported(key, value))
        .map_err(|error| Error::invalid(error.to_string()))?;
    require_power(actor, key)?;
    require_not_fixed(fixed, key)?;
    match key {
        "rate_limits.requests" if value.parse().is_ok_and(|limit: u32| limit < MIN_REQUESTS) => {
            return Err(Error::invalid(format!(
                "{key} must be at least {MIN_REQUESTS}: a page and its pictures take several"
            )));
        }
        "contact_account" if !value.is_empty() => has_account(tx, value)?,
        "languages" => are_languages(value)?,
        _ => {}
    }
    let is_new = settings::stored(tx, key)?.as_deref() != Some(value);
    settings::set(tx, key, value)?;
    if is_new { record(tx, actor, key) } else { Ok(()) }
}

/// Resets a setting to its default. Running servers receive an event and reload it. The audit log
/// names the setting.
///
/// # Errors
/// [`Error::Invalid`] for an unknown key; [`Error::Conflict`] if the environment fixes it;
/// [`Error::Forbidden`] as in [`set`].
pub fn reset(tx: &mut Tx<'_>, actor: Actor, fixed: &FixedSettings, key: &str) -> Result<()> {
    Settings::default().get(key).map_err(|error| Error::invalid(error.to_string()))?;
    require_power(actor, key)?;
    require_not_fixed(fixed, key)?;
    if settings::remove(tx, key)? { record(tx, actor, key) } else { Ok(()) }
}

fn record(tx: &mut Tx<'_>, actor: Actor, key: &str) -> Result<()> {
    let target = AuditTarget { kind: TargetKind::Setting, id: None, name: key.to_owned() };
    audit::record(tx, actor, AuditAction::Update, &target)
}

/// Minimum request limit. With a lower one the operator could not even sign in to undo it.
const MIN_REQUESTS: u32 = 30;

/// Returns `true` if this program supports a valid value of a setting.
#[must_use]
pub fn is_supported(key: &str, value: &str) -> bool {
    require_supported(key, value).is_ok()
}

/// Refuses values that this program does not support.
fn require_supported(key: &str, value: &str) -> Result<(), InvalidSetting> {
    if (key, value) == ("registrations", "external") {
        let expected = "open, approval or none: external requires a sign-in provider, which this \
                      program does not support";
        return Err(InvalidSetting::BadValue("registrations", expected.to_owned()));
    }
    Ok(())
}

/// Checks that the actor may change a setting. The operator may change all.
fn require_power(actor: Actor, key: &str) -> Result<()> {
    match actor {
        Actor::Staff(_) if !staff_may_change(key) => Err(not_allowed()),
        Actor::Staff(_) | Actor::Operator => Ok(()),
    }
}

fn require_not_fixed(fixed: &FixedSettings, key: &str) -> Result<()> {
    if fixed.contains(key) {
        let names = names_of(key).join(" or ");
        return Err(Error::Conflict(format!("{key} is fixed by the environment ({names})")));
    }
    Ok(())
}

/// Returns the environment variables for a setting. The first one that is set counts.
fn names_of(key: &str) -> Vec<String> {
    let alias = (key == "max_search_results").then(|| "MAX_SEARCH_RESULTS".to_owned());
    std::iter::once(Settings::environment_name(key)).chain(alias).collect()
}

fn has_account(conn: &mut Conn, name: &str) -> Result<()> {
    match about::contact(conn, name)? {
        Some(_) => Ok(()),
        None => Err(Error::invalid("contact_account must be the name of a local account")),
    }
}

fn are_languages(list: &str) -> Result<()> {
    match list.split(',').find(|code| language::normalise(code).is_none()) {
        None => Ok(()),
        Some(code) => Err(Error::invalid(format!("languages: {code:?} is not a language code"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_fixes_settings_by_their_names() {
        let fixed = FixedSettings::from_environment(|name| match name {
            "MAX_SEARCH_RESULTS" => Some("7".to_owned()),
            "SISKIN_RATE_LIMITS_ENABLED" => Some("off".to_owned()),
            _ => None,
        })
        .unwrap();
        assert!(fixed.contains("max_search_results") && fixed.contains("rate_limits.enabled"));
        assert!(!fixed.contains("site_title"));
    }

    #[test]
    fn the_setting_name_takes_precedence_over_its_alias() {
        let fixed = FixedSettings::from_environment(|name| match name {
            "MAX_SEARCH_RESULTS" => Some("7".to_owned()),
            "SISKIN_MAX_SEARCH_RESULTS" => Some("8".to_owned()),
            _ => None,
        });
        let eight = FixedSettings::new(vec![("max_search_results".to_owned(), "8".to_owned())]);
        assert_eq!(fixed, eight);
    }

    #[test]
    fn only_the_operator_changes_what_the_machine_bears() {
        let staff = Actor::Staff(siskin_ids::AccountId::new(1));
        assert!(require_power(staff, "site_title").is_ok());
        let refused = require_power(staff, "rate_limits.enabled");
        assert!(matches!(refused, Err(Error::Forbidden(_))));
        assert!(require_power(Actor::Operator, "rate_limits.enabled").is_ok());
    }

    #[test]
    fn an_invalid_environment_value_reports_the_accepted_ones() {
        let refused = FixedSettings::from_environment(|name| {
            (name == "SISKIN_REGISTRATIONS").then(|| "maybe".to_owned())
        });
        assert!(refused.unwrap_err().to_string().starts_with("registrations must be"));
    }
}
