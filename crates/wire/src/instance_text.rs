//! Texts about the instance, and its activity by week.

use serde::{Deserialize, Serialize};
use siskin_entities::{self as view, time::Date};

use crate::time::{Day, Instant};

/// Long description of the instance.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct ExtendedDescription {
    /// Time of the last change; null if there is none.
    pub updated_at: Option<Instant>,
    /// HTML; may be empty.
    pub content: String,
}

/// Privacy policy of the instance.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct PrivacyPolicy {
    /// Time of the last change.
    pub updated_at: Instant,
    /// HTML.
    pub content: String,
}

/// Version of the terms of service.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct TermsOfService {
    /// Day on which the version takes effect.
    pub effective_date: Day,
    /// Whether the version is in effect.
    pub effective: bool,
    /// HTML.
    pub content: String,
    /// Day on which the next version takes effect; null if there is none.
    #[serde(default)]
    pub succeeded_by: Option<Day>,
}

/// Activity in one week. All numbers are strings.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct WeeklyActivity {
    /// Begin of the week in unix seconds.
    pub week: String,
    /// Statuses that local accounts published, except private and direct ones.
    pub statuses: String,
    /// Local users that were active.
    pub logins: String,
    /// New local users.
    pub registrations: String,
}

/// Text about the instance for staff. An extension of the API.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct AdminInstanceText {
    /// Name of the text.
    pub name: String,
    /// Markdown; plain text for the description.
    pub text: String,
    /// The text as visitors see it, HTML.
    pub content: String,
    /// Time of the last change; null if it was never written.
    pub updated_at: Option<Instant>,
    /// Whether it is the text that comes with the program.
    pub default: bool,
    /// Day on which this version takes effect; null if the text has no versions.
    pub effective_date: Option<Day>,
    /// Days of all versions, the earliest first; empty if the text has no versions.
    #[serde(default)]
    pub versions: Vec<Day>,
    /// Time at which all users got an email about this version of the terms of service; null if they
    /// did not.
    #[serde(default)]
    pub announced_at: Option<Instant>,
}

/// Renders the extended description.
#[must_use]
pub fn render_description(text: &view::ShownText) -> ExtendedDescription {
    ExtendedDescription { updated_at: text.updated_at.map(Instant), content: text.html.clone() }
}

/// Renders the privacy policy.
#[must_use]
pub fn render_policy(text: &view::ShownText) -> PrivacyPolicy {
    let updated_at = text.updated_at.unwrap_or(view::Timestamp::from_unix_ms(0));
    PrivacyPolicy { updated_at: Instant(updated_at), content: text.html.clone() }
}

/// Renders a version of the terms of service.
#[must_use]
pub fn render_terms(terms: &view::TermsOfService) -> TermsOfService {
    TermsOfService {
        effective_date: day(terms.effective_date),
        effective: terms.is_effective,
        content: terms.html.clone(),
        succeeded_by: terms.succeeded_by.map(day),
    }
}

/// Renders the activity by week.
#[must_use]
pub fn render_activity(weeks: &[view::WeeklyActivity]) -> Vec<WeeklyActivity> {
    let week = |one: &view::WeeklyActivity| WeeklyActivity {
        week: one.week.start().unix_seconds().to_string(),
        statuses: one.statuses.to_string(),
        logins: one.logins.to_string(),
        registrations: one.registrations.to_string(),
    };
    weeks.iter().map(week).collect()
}

/// Renders a text for staff.
#[must_use]
pub fn render_source(source: &view::SourceText) -> AdminInstanceText {
    AdminInstanceText {
        name: source.name.as_str().to_owned(),
        text: source.text.clone(),
        content: source.html.clone(),
        updated_at: source.updated_at.map(Instant),
        default: source.is_default,
        effective_date: source.effective_date.map(day),
        versions: source.versions.iter().map(|date| day(*date)).collect(),
        announced_at: source.announced_at.map(Instant),
    }
}

const fn day(date: Date) -> Day {
    Day::of(date.0)
}
