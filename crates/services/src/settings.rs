//! The operator's settings: stored values, overridden by the environment.

mod check;

use siskin_entities::{
    Actor, AuditAction, AuditTarget, Settings, TargetKind,
    settings::{Description, FederationMode, InvalidSetting, Registrations, SettingValue as _},
};
use siskin_ids::AccountId;
use siskin_persistence::{Conn, Tx, external_identities, settings};
use siskin_policy::settings::staff_may_change;

use crate::{
    Error, Field, FieldError, Result, audit, authentication::not_allowed, federation::keys,
};
use check::Fault;

/// Why a change is refused if the person who makes it does not know the present value.
const CHANGED_MEANWHILE: &str =
    "got another value from someone else in the meantime. Save again to replace it";

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

    /// Returns words that say that the environment fixes this key. `None` if it does not.
    fn fixes(&self, key: &str) -> Option<String> {
        let names = || names_of(key).join(" or ");
        self.contains(key).then(|| format!("is fixed by the environment ({})", names()))
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

/// A change of a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingChange {
    pub key: String,
    pub value: String,
    /// The value that the person saw. If it is not the present one any more, the change is refused.
    /// `None` if it does not matter.
    pub shown: Option<String>,
}

impl SettingChange {
    /// Returns a change to a value that replaces any present value.
    pub fn to(key: impl Into<String>, value: impl Into<String>) -> Self {
        Self { key: key.into(), value: value.into(), shown: None }
    }
}

/// Returns `true` if two values differ at most in the line breaks that browsers write.
#[must_use]
pub fn is_same_value(one: &str, other: &str) -> bool {
    let unix = |text: &str| text.replace("\r\n", "\n").replace('\r', "\n");
    unix(one) == unix(other)
}

/// Changes those of these settings that have another value at present: all or, if one is refused,
/// none. Running servers receive events and reload them.
///
/// # Errors
/// [`Error::InvalidFields`] with an entry for each refused change: its name is the key of the
/// setting, and its description says why, as [`set`] does. [`Error::Invalid`] for an unknown key;
/// [`Error::Forbidden`] as in [`set`].
pub fn change(
    tx: &mut Tx<'_>,
    actor: Actor,
    fixed: &FixedSettings,
    changes: &[SettingChange],
) -> Result<()> {
    settings::lock(tx)?;
    let present = load(tx, fixed)?;
    let (mut refused, mut accepted) = (Vec::new(), Vec::new());
    for change in changes {
        let setting = described(&change.key)?;
        require_power(actor, setting.key)?;
        let before = shown_by(&present, setting.key)?;
        if is_in_force(setting.key, &change.value, &before) {
            continue;
        }
        match refusal(tx, actor, fixed, change, (setting, before.as_str()))? {
            Some((error, description)) => {
                refused.push(Field { name: setting.key, error, description });
            }
            None => accepted.push((setting.key, &change.value)),
        }
    }
    if !refused.is_empty() {
        return Err(Error::InvalidFields(refused));
    }
    accepted.into_iter().try_for_each(|(key, value)| store(tx, actor, key, value))
}

/// Returns `true` if a value, in any form of it, is the present one.
fn is_in_force(key: &str, value: &str, present: &str) -> bool {
    let mut settings = Settings::default();
    settings.set(key, value).is_ok() && settings.get(key).is_ok_and(|shown| shown == present)
}

/// Returns why a change of a setting with this present value is refused. `None` if it is not.
fn refusal(
    conn: &mut Conn,
    actor: Actor,
    fixed: &FixedSettings,
    change: &SettingChange,
    (setting, present): (&Description, &str),
) -> Result<Option<Fault>> {
    if let Some(why) = fixed.fixes(setting.key) {
        return Ok(Some((FieldError::Invalid, why)));
    }
    if let Some(fault) = check::fault(conn, actor, fixed, setting, &change.value)? {
        return Ok(Some(fault));
    }
    let is_known = change.shown.as_deref().is_none_or(|shown| is_same_value(shown, present));
    Ok((!is_known).then(|| (FieldError::Invalid, CHANGED_MEANWHILE.to_owned())))
}

/// Changes one setting. Running servers receive an event and reload it. The audit log names the
/// setting, not its value.
///
/// # Errors
/// [`Error::Invalid`] for an unknown key, a value of the wrong kind, or one that names something
/// that does not exist; the message begins with the key. [`Error::Conflict`] if the environment
/// fixes it; [`Error::Forbidden`] for a member of staff if only the operator may change it.
pub fn set(
    tx: &mut Tx<'_>,
    actor: Actor,
    fixed: &FixedSettings,
    key: &str,
    value: &str,
) -> Result<()> {
    let setting = described(key)?;
    require_power(actor, key)?;
    require_not_fixed(fixed, key)?;
    settings::lock(tx)?;
    match check::fault(tx, actor, fixed, setting, value)? {
        Some((_, why)) => Err(Error::invalid(format!("{key} {why}"))),
        None => store(tx, actor, key, value),
    }
}

/// Stores a checked value. The audit log names the setting, if the value is another one.
fn store(tx: &mut Tx<'_>, actor: Actor, key: &str, value: &str) -> Result<()> {
    let is_new = settings::stored(tx, key)?.as_deref() != Some(value);
    settings::set(tx, key, value)?;
    if key == "federation.mode" && FederationMode::read(value).is_ok_and(FederationMode::is_on) {
        keys::make_all(tx)?;
    }
    if is_new { record(tx, actor, key) } else { Ok(()) }
}

fn described(key: &str) -> Result<&'static Description> {
    let found = Settings::DESCRIPTIONS.iter().find(|setting| setting.key == key);
    found.ok_or_else(|| Error::invalid(InvalidSetting::UnknownKey(key.to_owned()).to_string()))
}

/// Returns the text form of the value that a setting has.
fn shown_by(settings: &Settings, key: &str) -> Result<String> {
    settings.get(key).map_err(|error| Error::invalid(error.to_string()))
}

/// Returns `true` if a person cannot sign in at all: people sign in only through a provider, and no
/// login at a provider of this server is linked to the account.
///
/// # Errors
/// Storage errors only.
pub fn shuts_out(conn: &mut Conn, fixed: &FixedSettings, account: AccountId) -> Result<bool> {
    let only_external = load(conn, fixed)?.external_only;
    Ok(only_external && !external_identities::any_linked(conn, &[account], &fixed.issuers)?)
}

/// Resets a setting to its default. Running servers receive an event and reload it. The audit log
/// names the setting.
///
/// # Errors
/// [`Error::Invalid`] for an unknown key; [`Error::Conflict`] if the environment fixes it;
/// [`Error::Forbidden`] as in [`set`].
pub fn reset(tx: &mut Tx<'_>, actor: Actor, fixed: &FixedSettings, key: &str) -> Result<()> {
    described(key)?;
    require_power(actor, key)?;
    require_not_fixed(fixed, key)?;
    settings::lock(tx)?;
    if settings::remove(tx, key)? { record(tx, actor, key) } else { Ok(()) }
}

fn record(tx: &mut Tx<'_>, actor: Actor, key: &str) -> Result<()> {
    let target = AuditTarget { kind: TargetKind::Setting, id: None, name: key.to_owned() };
    audit::record(tx, actor, AuditAction::Update, &target)
}

/// Checks that the actor may change a setting. The operator may change all.
fn require_power(actor: Actor, key: &str) -> Result<()> {
    match actor {
        Actor::Staff(_) if !staff_may_change(key) => Err(not_allowed()),
        Actor::Staff(_) | Actor::Operator => Ok(()),
    }
}

fn require_not_fixed(fixed: &FixedSettings, key: &str) -> Result<()> {
    match fixed.fixes(key) {
        Some(why) => Err(Error::Conflict(format!("{key} {why}"))),
        None => Ok(()),
    }
}

/// Returns the environment variables for a setting. The first one that is set counts.
fn names_of(key: &str) -> Vec<String> {
    let alias = (key == "max_search_results").then(|| "MAX_SEARCH_RESULTS".to_owned());
    std::iter::once(Settings::environment_name(key)).chain(alias).collect()
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
        let staff = Actor::Staff(AccountId::new(1));
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
    fn values_are_compared_in_their_shown_form() {
        for (key, value, present) in [
            ("limits.follows", "07500", "7500"),
            ("trends.enabled", "on", "true"),
            ("site_title", "Siskin", "Siskin"),
        ] {
            assert!(is_in_force(key, value, present), "{key}");
        }
        for (key, value, present) in
            [("limits.follows", "many", "7500"), ("trends.enabled", "0", "true")]
        {
            assert!(!is_in_force(key, value, present), "{key}");
        }
        assert!(is_same_value("a\r\nb\r", "a\nb\n") && !is_same_value("a", "a\n"));
    }

    #[test]
    fn an_invalid_environment_value_reports_the_accepted_ones() {
        let refused = FixedSettings::from_environment(|name| {
            (name == "SISKIN_REGISTRATIONS").then(|| "maybe".to_owned())
        });
        assert!(refused.unwrap_err().to_string().starts_with("registrations must be"));
    }
}
