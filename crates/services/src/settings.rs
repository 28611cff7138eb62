//! The operator's settings: stored values, overridden by the environment.

use siskin_entities::{
    Actor, AuditAction, AuditTarget, Settings, TargetKind,
    settings::{FederationMode, InvalidSetting, Registrations, SettingValue as _},
};
use siskin_persistence::{Conn, Tx, external_identities, settings};
use siskin_policy::settings::{max_chars, staff_may_change};
use siskin_text::{TextLimit, language};

use crate::{
    Error, Result, about, accounts::owners, audit, authentication::not_allowed, federation::keys,
};

/// What the operator fixed while the process runs: settings from environment variables, which
/// override stored ones, and what other values need.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FixedSettings {
    values: Vec<(String, String)>,
    /// Identifiers of the external providers that the operator has configured. Some values need one.
    issuers: Vec<String>,
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
        }
        Ok(Self { values, issuers: Vec::new() })
    }

    /// Sets the identifiers of the external providers by which people sign in.
    ///
    /// # Errors
    /// [`InvalidSetting`] for a fixed value that needs a provider if there is none.
    pub fn with_providers(self, issuers: Vec<String>) -> Result<Self, InvalidSetting> {
        let fixed = Self { issuers, ..self };
        fixed.values.iter().try_for_each(|(key, value)| fixed.require_supported(key, value))?;
        Ok(fixed)
    }

    /// Returns `true` if a valid value of a setting can be used on this server.
    #[must_use]
    pub fn supports(&self, key: &str, value: &str) -> bool {
        self.require_supported(key, value).is_ok()
    }

    /// Refuses values that need an external provider, if there is none.
    fn require_supported(&self, key: &str, value: &str) -> Result<(), InvalidSetting> {
        let mut settings = Settings::default();
        settings.set(key, value)?;
        let refused = match settings {
            _ if !self.issuers.is_empty() => return Ok(()),
            Settings { registrations: Registrations::External, .. } => {
                ("registrations", "open, approval or none: external")
            }
            Settings { external_only: true, .. } => ("external_only", "false: true"),
            _ => return Ok(()),
        };
        let (key, expected) = refused;
        let expected = format!("{expected} requires a sign-in provider, and none is configured");
        Err(InvalidSetting::BadValue(key, expected))
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
        .and_then(|()| fixed.require_supported(key, value))
        .map_err(|error| Error::invalid(error.to_string()))?;
    require_power(actor, key)?;
    require_not_fixed(fixed, key)?;
    require_fitting(key, value)?;
    match key {
        "rate_limits.requests" if value.parse().is_ok_and(|limit: u32| limit < MIN_REQUESTS) => {
            return Err(Error::invalid(format!(
                "{key} must be at least {MIN_REQUESTS}: a page and its pictures take several"
            )));
        }
        "contact_account" if !value.is_empty() => has_account(tx, value)?,
        "languages" => are_languages(value)?,
        "external_only" if bool::read(value) == Ok(true) => {
            require_linked(tx, actor, &fixed.issuers)?;
        }
        _ => {}
    }
    let is_new = settings::stored(tx, key)?.as_deref() != Some(value);
    settings::set(tx, key, value)?;
    if key == "federation.mode" && FederationMode::read(value).is_ok_and(FederationMode::is_on) {
        keys::make_all(tx)?;
    }
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

/// Checks that a value can be stored, and is not too long. All ways to change a setting have the same
/// limits.
fn require_fitting(key: &str, value: &str) -> Result<()> {
    let most = max_chars(key);
    if !TextLimit::of(most).fits_code_points(value) {
        return Err(Error::invalid(format!("{key} has at most {most} characters")));
    }
    if value.contains('\0') {
        return Err(Error::invalid(format!("{key} contains a character that cannot be stored")));
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

/// Checks that a member of staff who switches passwords off can still sign in, and so can an owner of
/// the server, who alone may undo everything. Only logins at providers with these identifiers count.
fn require_linked(conn: &mut Conn, actor: Actor, issuers: &[String]) -> Result<()> {
    let Some(account) = actor.account() else { return Ok(()) };
    if !external_identities::any_linked(conn, &[account], issuers)? {
        return Err(Error::invalid(
            "external_only needs a login of yours at the provider: link it to your account first",
        ));
    }
    let owners = owners::active(conn)?;
    if !external_identities::any_linked(conn, &owners, issuers)? {
        return Err(Error::invalid(
            "external_only needs an owner with a login at the provider: no owner of this server \
             could sign in any more",
        ));
    }
    Ok(())
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
    fn some_values_need_a_provider() {
        let fixed = |key: &str, value: &str, has_provider: bool| {
            let fixed = FixedSettings::new(vec![(key.to_owned(), value.to_owned())]).unwrap();
            let issuer = has_provider.then(|| "https://id.test".to_owned());
            fixed.with_providers(issuer.into_iter().collect())
        };
        for (key, value) in [("registrations", "external"), ("external_only", "on")] {
            let refused = fixed(key, value, false).unwrap_err().to_string();
            assert!(refused.starts_with(key) && refused.contains("sign-in provider"), "{refused}");
            assert!(fixed(key, value, true).unwrap().supports(key, value));
            assert!(!FixedSettings::default().supports(key, value));
        }
        for (key, value) in [("registrations", "open"), ("external_only", "off")] {
            assert!(fixed(key, value, false).unwrap().supports(key, value));
        }
    }

    #[test]
    fn values_have_limits() {
        let longest = "é".repeat(5000);
        assert!(require_fitting("site_description", &longest).is_ok());
        let refused = require_fitting("site_description", &format!("{longest}é")).unwrap_err();
        assert_eq!(refused.to_string(), "site_description has at most 5000 characters");
        assert!(require_fitting("rate_limits.requests", &"0".repeat(1001)).is_err());
        assert!(require_fitting("registrations_message", "a\0b").is_err());
    }

    #[test]
    fn an_invalid_environment_value_reports_the_accepted_ones() {
        let refused = FixedSettings::from_environment(|name| {
            (name == "SISKIN_REGISTRATIONS").then(|| "maybe".to_owned())
        });
        assert!(refused.unwrap_err().to_string().starts_with("registrations must be"));
    }
}
