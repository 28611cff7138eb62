//! The frame of every page: header, links and style.

use siskin_app::App;
use siskin_entities::{Settings, Timestamp, settings::Registrations, time::Date};
use siskin_policy::sign_up::{Way, registrations_for};

use super::assets;
use crate::browser::{Browser, Restriction};

/// Data that a page needs in addition to its own content.
#[derive(Debug, Clone)]
pub(crate) struct Frame {
    /// Title of this page.
    pub(crate) title: String,
    /// Name of the site; empty if it is not known.
    pub(crate) site: String,
    /// Path of the style sheet.
    pub(crate) style: &'static str,
    /// Path of the icon.
    pub(crate) icon: &'static str,
    /// CSRF token for forms.
    pub(crate) forgery_token: String,
    /// User name of the person who is signed in, also of a disabled or suspended one.
    pub(crate) member: Option<String>,
    /// Sentence about the state of a disabled or suspended person, who sees only a few pages.
    pub(crate) restricted: Option<&'static str>,
    /// `true` if the person may invite others.
    pub(crate) invites: bool,
    /// `true` if the top of the page links to the sign-in page.
    pub(crate) sign_in: bool,
    /// Path to which people go to sign in: the sign-in page, or the only provider if people sign in
    /// only through that.
    pub(crate) sign_in_path: String,
    /// `true` if people can sign in through external providers.
    pub(crate) external: bool,
    /// `true` if the top of the page links to the pages of the staff.
    pub(crate) staff: bool,
    /// Links to the areas of the staff that the person may open; empty on all other pages.
    pub(crate) areas: Vec<AreaLink>,
    /// Text that says what people do instead, if this server sends no email.
    pub(crate) no_mail: Option<String>,
    /// `true` if the bottom of the page links to terms of service.
    pub(crate) terms: bool,
    /// First day of terms of service that do not apply yet. The page announces them.
    pub(crate) new_terms: Option<Moment>,
}

/// A link to an area of the staff.
#[derive(Debug, Clone)]
pub(crate) struct AreaLink {
    pub(crate) path: &'static str,
    pub(crate) name: &'static str,
    /// `true` if this page belongs to the area.
    pub(crate) current: bool,
}

impl Frame {
    /// Builds the frame of a page for this browser.
    pub(crate) fn of(app: &App, browser: &Browser, title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            site: app.settings().site_title.clone(),
            forgery_token: browser.forgery_token(),
            member: browser.username().map(str::to_owned),
            restricted: browser.restriction().map(Restriction::sentence),
            invites: browser.signed_in.as_ref().is_some_and(|signed_in| signed_in.may_invite),
            staff: browser.signed_in.as_ref().is_some_and(|signed_in| signed_in.is_staff),
            no_mail: app.mail().is_none().then(|| no_mail_notice(&app.settings().contact_email)),
            sign_in_path: sign_in_path(app),
            external: app.providers().next().is_some(),
            terms: has_terms(app),
            new_terms: new_terms(app).map(|day| Moment::of_day(day.0)),
            ..Self::bare("")
        }
    }

    /// Builds the frame of a page that is the same for every viewer.
    pub(crate) fn public(app: &App, title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            site: app.settings().site_title.clone(),
            sign_in: true,
            sign_in_path: sign_in_path(app),
            terms: has_terms(app),
            ..Self::bare("")
        }
    }

    /// Builds the frame of a page that knows nothing about its viewer or the instance.
    pub(crate) fn bare(title: &str) -> Self {
        Self {
            title: title.to_owned(),
            site: String::new(),
            style: assets::style_path(),
            icon: assets::ICON_PATH,
            forgery_token: String::new(),
            member: None,
            restricted: None,
            invites: false,
            sign_in: false,
            sign_in_path: SIGN_IN.to_owned(),
            external: false,
            staff: false,
            areas: Vec::new(),
            no_mail: None,
            terms: false,
            new_terms: None,
        }
    }
}

/// Page on which people sign in.
pub(crate) const SIGN_IN: &str = "/auth/sign_in";

/// Returns the path that begins a sign-in at the provider with this id.
pub(crate) fn provider_path(id: &str) -> String {
    format!("/auth/external/{id}")
}

/// Returns the path that begins a sign-in at the only provider, if people sign in only through that.
pub(crate) fn only_provider_path(app: &App) -> Option<String> {
    let provider = app.only_provider().filter(|_| app.settings().external_only)?;
    Some(provider_path(&provider.id))
}

/// Returns what the operator wrote for people who cannot sign up; empty if there is no such text, and
/// while they can sign up, by form or at a provider.
pub(crate) fn closed_message(settings: &Settings) -> &str {
    let registrations =
        registrations_for(Way::Form, settings.registrations, settings.external_only);
    match registrations {
        Registrations::None => &settings.registrations_message,
        Registrations::Open | Registrations::Approval | Registrations::External => "",
    }
}

fn sign_in_path(app: &App) -> String {
    only_provider_path(app).unwrap_or_else(|| SIGN_IN.to_owned())
}

fn has_terms(app: &App) -> bool {
    !app.texts().terms.is_empty()
}

/// Returns the first day of the next version of the terms of service, if there is one.
fn new_terms(app: &App) -> Option<Date> {
    let (texts, now) = (app.texts(), app.now());
    let mut days = texts.terms.iter().map(|version| version.effective_date);
    days.find(|day| now < day.0.midnight())
}

/// Returns the sentence for a server that sends no email.
fn no_mail_notice(contact: &str) -> String {
    match contact {
        "" => "This server does not send email. Contact its staff.".to_owned(),
        address => format!("This server does not send email. Contact its staff at {address}."),
    }
}

/// Returns a time for people: `2026-11-27 08:00 UTC`.
fn format_time(time: Timestamp) -> String {
    let text = time.to_string();
    let (date, clock) = text.split_once('T').unwrap_or((&text, ""));
    format!("{date} {} UTC", clock.get(..5).unwrap_or_default())
}

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Returns a time with the name of the month: `27 Nov 2026, 08:00 UTC`.
pub(crate) fn format_time_with_month(time: Timestamp) -> String {
    let text = format_time(time);
    let mut parts = text.splitn(3, ['-', ' ']).map(str::to_owned);
    let (year, month, rest) = (parts.next(), parts.next(), parts.next());
    let month = month.and_then(|number| MONTHS.get(number.parse::<usize>().ok()? - 1));
    match (year, month, rest.as_deref().and_then(|rest| rest.split_once(' '))) {
        (Some(year), Some(month), Some((day, clock))) => {
            format!("{} {month} {year}, {clock}", day.trim_start_matches('0'))
        }
        _ => text,
    }
}

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
/// Maximum distance of a relative time, in seconds. Times further away are shown as a date.
const MAX_RELATIVE: i64 = 7 * DAY;

/// Returns a time relative to `now`: `just now`, `5 minutes ago`, `in 2 days`. Times that are more
/// than a week away are shown as a date, `27 Nov 2026`.
pub(crate) fn relative_time(time: Timestamp, now: Timestamp) -> String {
    let seconds = (now.unix_ms().saturating_sub(time.unix_ms())).div_euclid(1000);
    let distance = seconds.saturating_abs();
    let (count, unit) = match distance {
        ..MINUTE => return if seconds < 0 { "in a moment" } else { "just now" }.to_owned(),
        MINUTE..HOUR => (distance / MINUTE, "minute"),
        HOUR..DAY => (distance / HOUR, "hour"),
        DAY..MAX_RELATIVE => (distance / DAY, "day"),
        _ => {
            let spoken = format_time_with_month(time);
            return spoken.split(',').next().unwrap_or_default().to_owned();
        }
    };
    let plural = if count == 1 { "" } else { "s" };
    if seconds < 0 {
        format!("in {count} {unit}{plural}")
    } else {
        format!("{count} {unit}{plural} ago")
    }
}

/// A point in time as pages show it.
#[derive(Debug, Clone)]
pub(crate) struct Moment {
    /// Exact time for programs (RFC 3339).
    pub(crate) exact: String,
    /// Time for people, to the minute; the tooltip of the visible text.
    pub(crate) spoken: String,
    /// Visible text: relative to the time of rendering.
    pub(crate) relative: String,
}

impl Moment {
    /// Formats `time` for a page that is rendered at `now`.
    pub(crate) fn of(time: Timestamp, now: Timestamp) -> Self {
        Self {
            exact: time.to_string(),
            spoken: format_time_with_month(time),
            relative: relative_time(time, now),
        }
    }

    /// Formats the day alone, as a date.
    pub(crate) fn of_day(time: Timestamp) -> Self {
        let spoken = format_time_with_month(time);
        let day = spoken.split(',').next().unwrap_or_default().to_owned();
        Self { exact: Date(time).to_string(), spoken: day.clone(), relative: day }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_shown_to_the_minute() {
        assert_eq!(format_time(Timestamp::from_unix_ms(0)), "1970-01-01 00:00 UTC");
        assert_eq!(format_time_with_month(Timestamp::from_unix_ms(0)), "1 Jan 1970, 00:00 UTC");
        let late = Timestamp::from_unix_ms(1_798_675_140_000);
        assert_eq!(format_time_with_month(late), "30 Dec 2026, 23:59 UTC");
    }

    #[test]
    fn near_times_are_relative_and_distant_ones_are_dates() {
        let now = Timestamp::from_unix_ms(1_798_675_140_000);
        for (seconds, past, future) in [
            (0, "just now", "just now"),
            (59, "just now", "in a moment"),
            (60, "1 minute ago", "in 1 minute"),
            (119, "1 minute ago", "in 1 minute"),
            (3_599, "59 minutes ago", "in 59 minutes"),
            (3_600, "1 hour ago", "in 1 hour"),
            (86_399, "23 hours ago", "in 23 hours"),
            (86_400, "1 day ago", "in 1 day"),
            (604_799, "6 days ago", "in 6 days"),
            (604_800, "23 Dec 2026", "6 Jan 2027"),
        ] {
            let at = |seconds: i64| Timestamp::from_unix_ms(now.unix_ms() + 1000 * seconds);
            assert_eq!(relative_time(at(-seconds), now), past);
            assert_eq!(relative_time(at(seconds), now), future);
        }
        for extreme in [i64::MIN, i64::MAX] {
            let text = relative_time(Timestamp::from_unix_ms(extreme / 1_000_000), now);
            assert!(!text.is_empty(), "{text}");
        }
    }
}
