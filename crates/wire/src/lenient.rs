//! Deserialisation of fields that other servers and versions send differently.

use serde::{Deserialize, Deserializer, de};
use siskin_ids::{ApplicationId, RoleId};

/// Reads `null` as the default value. A missing field needs `#[serde(default)]`, too.
pub(crate) fn null_as_default<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Default + Deserialize<'de>,
    D: Deserializer<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// Reads a field that is present. So a missing field is `None`, and null is `Some(None)`.
pub(crate) fn present<'de, T, D>(deserializer: D) -> Result<Option<Option<T>>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    Option::deserialize(deserializer).map(Some)
}

/// Reads the id of a role. The base role of all users has a negative id.
pub(crate) fn role_id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<RoleId, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.parse().map(RoleId::new).map_err(de::Error::custom)
}

/// Reads the id of an application, which Mastodon sends as a number in one place.
pub(crate) fn application_id<'de, D>(deserializer: D) -> Result<Option<ApplicationId>, D::Error>
where
    D: Deserializer<'de>,
{
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Id {
        Text(ApplicationId),
        Number(i64),
    }
    Ok(Option::deserialize(deserializer)?.map(|id| match id {
        Id::Text(id) => id,
        Id::Number(number) => ApplicationId::new(number),
    }))
}

/// Default of flags that a server switches off.
pub(crate) const fn yes() -> bool {
    true
}
