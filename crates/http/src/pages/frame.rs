//! What surrounds every page.

use siskin_app::App;
use siskin_entities::Timestamp;

use super::assets;
use crate::browser::Browser;

/// What a page needs besides its own content.
#[derive(Debug, Clone)]
pub(crate) struct Frame {
    /// Of this page.
    pub(crate) title: String,
    /// The name of the site; empty where it is not known.
    pub(crate) site: String,
    /// Path of the style sheet.
    pub(crate) style: &'static str,
    /// Path of the icon.
    pub(crate) icon: &'static str,
    /// The token that forms carry.
    pub(crate) forgery_token: String,
    /// User name of the person who is signed in.
    pub(crate) member: Option<String>,
}

impl Frame {
    /// The frame of a page for this browser.
    pub(crate) fn of(app: &App, browser: &Browser, title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            site: app.settings().site_title.clone(),
            forgery_token: browser.forgery_token(),
            member: browser.signed_in.as_ref().map(|who| who.username.clone()),
            ..Self::bare("")
        }
    }

    /// The frame of a page that is the same for everybody.
    pub(crate) fn public(app: &App, title: impl Into<String>) -> Self {
        Self { title: title.into(), site: app.settings().site_title.clone(), ..Self::bare("") }
    }

    /// The frame of a page that knows nothing of who sees it.
    pub(crate) fn bare(title: &str) -> Self {
        Self {
            title: title.to_owned(),
            site: String::new(),
            style: assets::style_path(),
            icon: assets::ICON_PATH,
            forgery_token: String::new(),
            member: None,
        }
    }
}

/// A time for people: `2026-11-27 08:00 UTC`.
pub(crate) fn shown_time(time: Timestamp) -> String {
    let text = time.to_string();
    let (date, clock) = text.split_once('T').unwrap_or((&text, ""));
    format!("{date} {} UTC", clock.get(..5).unwrap_or_default())
}

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// A time as people say it: `27 Nov 2026, 08:00 UTC`.
pub(crate) fn spoken_time(time: Timestamp) -> String {
    let text = shown_time(time);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_shown_to_the_minute() {
        assert_eq!(shown_time(Timestamp::from_unix_ms(0)), "1970-01-01 00:00 UTC");
        assert_eq!(spoken_time(Timestamp::from_unix_ms(0)), "1 Jan 1970, 00:00 UTC");
        let late = Timestamp::from_unix_ms(1_798_675_140_000);
        assert_eq!(spoken_time(late), "30 Dec 2026, 23:59 UTC");
    }
}
