//! `/api/v1/admin/measures`: numbers for each day of a period.

use actix_web::{
    HttpResponse,
    web::{self, Data},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{MeasureKey, Timestamp};
use siskin_policy::{roles::ViewDashboard, scopes::AdminRead};
use siskin_services::{
    Error as Domain,
    measures::{self, Requested},
};
use siskin_wire::measure;

use crate::{
    Result, Staff, instant,
    params::{Form, chosen, chosen_list},
    table::Table,
};

pub(super) fn configure(table: &mut Table) {
    table.route("/api/v1/admin/measures", web::post().to(show));
}

/// The hashtag that a statistic is about.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct AboutTag {
    id: Option<String>,
}

impl AboutTag {
    pub(super) fn subject(self) -> Option<String> {
        chosen(self.id)
    }
}

/// The server that a statistic is about.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct AboutServer {
    domain: Option<String>,
}

impl AboutServer {
    pub(super) fn subject(self) -> Option<String> {
        chosen(self.domain)
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct MeasureForm {
    #[serde(deserialize_with = "chosen_list")]
    keys: Vec<String>,
    start_at: Option<String>,
    end_at: Option<String>,
    tag_accounts: Option<AboutTag>,
    tag_uses: Option<AboutTag>,
    tag_servers: Option<AboutTag>,
    instance_accounts: Option<AboutServer>,
    instance_media_attachments: Option<AboutServer>,
    instance_reports: Option<AboutServer>,
    instance_statuses: Option<AboutServer>,
    instance_follows: Option<AboutServer>,
    instance_followers: Option<AboutServer>,
}

impl MeasureForm {
    /// Takes what a measure is about. `None` if the request does not say it, or it is about the
    /// whole instance.
    fn subject(&mut self, key: MeasureKey) -> Option<String> {
        let tag = |about: &mut Option<AboutTag>| about.take()?.subject();
        let server = |about: &mut Option<AboutServer>| about.take()?.subject();
        match key {
            MeasureKey::ActiveUsers
            | MeasureKey::NewUsers
            | MeasureKey::Interactions
            | MeasureKey::OpenedReports
            | MeasureKey::ResolvedReports => None,
            MeasureKey::TagAccounts => tag(&mut self.tag_accounts),
            MeasureKey::TagUses => tag(&mut self.tag_uses),
            MeasureKey::TagServers => tag(&mut self.tag_servers),
            MeasureKey::InstanceAccounts => server(&mut self.instance_accounts),
            MeasureKey::InstanceMediaAttachments => server(&mut self.instance_media_attachments),
            MeasureKey::InstanceReports => server(&mut self.instance_reports),
            MeasureKey::InstanceStatuses => server(&mut self.instance_statuses),
            MeasureKey::InstanceFollows => server(&mut self.instance_follows),
            MeasureKey::InstanceFollowers => server(&mut self.instance_followers),
        }
    }
}

async fn show(
    app: Data<App>,
    _: Staff<AdminRead, ViewDashboard>,
    Form(mut form): Form<MeasureForm>,
) -> Result<HttpResponse> {
    let (start, end) = (start(form.start_at.take())?, end(form.end_at.take())?);
    let keys = known(&form.keys, MeasureKey::from_name)?;
    let range = measures::period(start, end)?;
    let requested: Vec<_> =
        keys.into_iter().map(|key| Requested { key, subject: form.subject(key) }).collect();
    let now = app.now();
    let found = app.measure(move |conn| measures::measures(conn, &requested, range, now)).await?;
    let rendered: Vec<_> = found.iter().map(measure::render).collect();
    Ok(HttpResponse::Ok().json(rendered))
}

/// Parses the start of a period, a time or a date. `None` if it is absent.
pub(super) fn start(text: Option<String>) -> Result<Option<Timestamp>> {
    time(text, "Start at is not a time")
}

/// Parses the end of a period, as [`start`] does.
pub(super) fn end(text: Option<String>) -> Result<Option<Timestamp>> {
    time(text, "End at is not a time")
}

fn time(text: Option<String>, fault: &str) -> Result<Option<Timestamp>> {
    let Some(text) = chosen(text) else { return Ok(None) };
    // A date means the midnight that begins it.
    let text = match text.trim() {
        date if date.len() == 10 => format!("{date}T00:00:00Z"),
        time => time.to_owned(),
    };
    let time = instant::read(Some(&text));
    Ok(time.map_err(|_| Domain::validation(fault))?)
}

/// Returns the known keys, each once, in the order of the request. Like Mastodon, it ignores
/// others: other servers have more.
pub(super) fn known<K: PartialEq>(
    names: &[String],
    from_name: impl Fn(&str) -> Option<K>,
) -> Result<Vec<K>> {
    if names.is_empty() {
        return Err(Domain::validation("Keys can't be blank").into());
    }
    let mut keys = Vec::new();
    for key in names.iter().filter_map(|name| from_name(name.trim())) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    Ok(keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_dates_are_read() {
        let read = |text: &str| start(Some(text.to_owned())).map_err(|_| ());
        let midnight = "2026-11-27T00:00:00.000Z";
        for text in ["2026-11-27", " 2026-11-27T00:00:00Z ", "2026-11-27T01:00:00+01:00"] {
            assert_eq!(read(text).unwrap().unwrap().to_string(), midnight, "{text}");
        }
        assert_eq!(read(""), Ok(None));
        for text in ["2026-13-01", "yesterday!", "1795766400", "0"] {
            assert_eq!(read(text), Err(()), "{text}");
        }
    }

    #[test]
    fn keys_are_known_and_different() {
        let keys = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            known(&names, MeasureKey::from_name).map_err(|_| ())
        };
        let (new, active) = (MeasureKey::NewUsers, MeasureKey::ActiveUsers);
        assert_eq!(keys(&["new_users", "x", "active_users", "new_users"]), Ok(vec![new, active]));
        assert_eq!(keys(&["x"]), Ok(Vec::new()));
        assert_eq!(keys(&[]), Err(()));
    }
}
