//! `/admin/announcements`: announcements to all people of the server.

use actix_web::{
    HttpResponse,
    web::{self, Data, Path},
};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{Announcement, Timestamp, announcement::Period};
use siskin_policy::{limits::MAX_ANNOUNCEMENT_CHARS, roles::ManageAnnouncements};
use siskin_services::{Error as Domain, announcements};

use super::{
    confirm::Confirmation,
    fields::{Field, InputForm, unix_lines},
    layout::{Confirmed, Done, Layout, Link, Section, Viewer},
    rows::{Button, Cell, DataTable, Row},
};
use crate::{
    instant,
    pages::{PageError, PageForm, Problem},
    params::record_id,
    staff::{PostedStaff, StaffMember},
    table::Table,
};

const PAGE: &str = "/admin/announcements";
const HAPPENED: &[(&str, &str)] = &[
    ("written", "The announcement was stored."),
    ("changed", "The announcement was changed."),
    ("published", "The announcement was published."),
    ("withdrawn", "The announcement was withdrawn. It stays here."),
    ("deleted", "The announcement was deleted."),
];

pub(super) fn configure(table: &mut Table) {
    table
        .route(PAGE, web::get().to(list))
        .route(PAGE, web::post().to(write))
        .route("/admin/announcements/{id}", web::get().to(show))
        .route("/admin/announcements/{id}", web::post().to(change))
        .route("/admin/announcements/{id}/publish", web::post().to(publish))
        .route("/admin/announcements/{id}/withdraw", web::post().to(withdraw))
        .route("/admin/announcements/{id}/delete", web::post().to(delete));
}

/// The submitted form. All times are in UTC, to the minute.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct Typed {
    text: String,
    starts_at: String,
    ends_at: String,
    all_day: bool,
    scheduled_at: String,
}

impl Typed {
    fn of(announcement: &Announcement) -> Self {
        let period = announcement.period;
        Self {
            text: announcement.text.clone(),
            starts_at: minute(period.map(Period::starts_at)),
            ends_at: minute(period.map(Period::ends_at)),
            all_day: period.is_some_and(Period::is_days),
            scheduled_at: minute(announcement.scheduled_at),
        }
    }

    /// Returns the time of the announced event. `None` if the announcement announces none.
    fn period(&self) -> Result<Option<Period>, Domain> {
        let start = time("Beginning of the event", &self.starts_at)?;
        let end = time("End of the event", &self.ends_at)?;
        let (start, end) = match (start, end) {
            (None, None) => return Ok(None),
            (Some(start), Some(end)) => (start, end),
            (None, Some(_)) => {
                return Err(Domain::validation("Beginning of the event can't be blank"));
            }
            (Some(_), None) => return Err(Domain::validation("End of the event can't be blank")),
        };
        let period =
            if self.all_day { Period::of_days(start, end) } else { Period::of_times(start, end) };
        let early = || Domain::validation("End of the event must not be before its beginning");
        Ok(Some(period.ok_or_else(early)?))
    }

    fn new_announcement(&self) -> Result<announcements::NewAnnouncement, Domain> {
        let at = time("Time of publication", &self.scheduled_at)?;
        announcements::prepare(&unix_lines(&self.text), self.period()?, at)
    }

    fn changes(&self) -> Result<announcements::Changes, Domain> {
        let at = time("Time of publication", &self.scheduled_at)?;
        let text = unix_lines(&self.text);
        announcements::prepare_changes(Some(&text), Some(self.period()?), at)
    }

    /// Adds the fields to a form. A published announcement has no time of publication.
    fn fields(&self, form: InputForm, is_published: bool) -> InputForm {
        let moment =
            |name, label, value: &String| Field::typed("datetime-local", name, label, value);
        let form = form
            .with(Field::lines("text", "Text", 5, &self.text).about("An announcement").hint(
                format!(
                    "At most {MAX_ANNOUNCEMENT_CHARS} characters. Mentions, hashtags, links and \
                 custom emojis work as in posts."
                ),
            ))
            .with(
                moment("starts_at", "Beginning of the event", &self.starts_at)
                    .hint("In UTC. Leave both times empty if the announcement is about no event."),
            )
            .with(
                moment("ends_at", "End of the event", &self.ends_at)
                    .hint("In UTC. The announcement is withdrawn then."),
            )
            .with(Field::check("all_day", "The event lasts whole days", self.all_day));
        if is_published {
            return form;
        }
        form.with(
            moment("scheduled_at", "Time of publication", &self.scheduled_at)
                .hint("In UTC. Without a time a new announcement is published at once."),
        )
    }
}

/// Parses a time of an input. `None` if it is empty.
fn time(label: &str, typed: &str) -> Result<Option<Timestamp>, Domain> {
    let wrong = |_| Domain::validation(format!("{label} must be a date with a time"));
    instant::read(Some(typed)).map_err(wrong)
}

/// Returns a time for an input, to the minute.
fn minute(time: Option<Timestamp>) -> String {
    let text = time.map(|time| time.to_string()).unwrap_or_default();
    text.get(..16).unwrap_or_default().to_owned()
}

async fn list(
    app: Data<App>,
    staff: StaffMember<ManageAnnouncements>,
    PageForm(done): PageForm<Done>,
) -> Result<HttpResponse, PageError> {
    let layout = layout(Viewer::of(&app, &staff), &Typed::default(), None).await?;
    layout.done(&done, HAPPENED).show()
}

async fn layout(
    viewer: Viewer<'_>,
    typed: &Typed,
    problem: Option<&Problem>,
) -> Result<Layout, PageError> {
    let now = viewer.app.now();
    let found = viewer.app.read(announcements::list_all).await?;
    let columns = ["Announcement", "State", "Event from", "Event until", "Written"];
    let table = DataTable::new("Announcements", &columns, "There are no announcements.")
        .rows(found.iter().rev().map(|announcement| row(announcement, now)));
    let form = typed.fields(InputForm::post("announcement", PAGE, "Publish"), false);
    Ok(viewer
        .layout(PAGE, "Announcements")
        .refused(problem)
        .with(Section::new("write", "Write an announcement").form(form.refused(problem)))
        .with(Section::new("all", "All announcements").table(table)))
}

fn row(announcement: &Announcement, now: Timestamp) -> Row {
    let path = format!("{PAGE}/{}", announcement.id);
    let period = announcement.period;
    let is_out = announcement.published_at.is_some();
    let is_scheduled = announcement.scheduled_at.is_some();
    let cells = vec![
        Cell::tags(&[
            (is_out, "Published"),
            (is_scheduled && !is_out, "Scheduled"),
            (!is_out && !is_scheduled, "Not published"),
        ]),
        Cell::time_if(period.map(Period::starts_at), now),
        Cell::time_if(period.map(Period::ends_at), now),
        Cell::time(announcement.created_at, now),
    ];
    let name = announcement.text.lines().next().unwrap_or_default();
    let mut row = Row::new(name, cells)
        .head(Cell::Lines(announcement.text.clone()))
        .link(path.clone(), "Change");
    if !is_out {
        row = row.button(Button::new(format!("{path}/publish"), "Publish now"));
    }
    if is_out || is_scheduled {
        row = row.button(Button::new(format!("{path}/withdraw"), "Withdraw"));
    }
    row.negative(format!("{path}/delete"), "Delete")
}

async fn write(
    app: Data<App>,
    form: PostedStaff<ManageAnnouncements>,
) -> Result<HttpResponse, PageError> {
    let (viewer, typed) = (Viewer::posted(&app, &form), form.posted.decode::<Typed>()?);
    let (actor, new) = (form.actor(), typed.new_announcement());
    let written =
        app.write_prepared(new, move |tx, new| announcements::publish(tx, actor, new)).await;
    match written {
        Ok(_) => Ok(viewer.after(PAGE, "written")),
        Err(error) => layout(viewer, &typed, Some(&Problem::of(error)?)).await?.show(),
    }
}

async fn find(app: &App, id: &str) -> Result<Announcement, PageError> {
    let id = record_id(id)?;
    Ok(app.read(move |conn| announcements::find(conn, id)).await?)
}

async fn show(
    app: Data<App>,
    staff: StaffMember<ManageAnnouncements>,
    id: Path<String>,
) -> Result<HttpResponse, PageError> {
    let found = find(&app, &id).await?;
    one_layout(Viewer::of(&app, &staff), &found, &Typed::of(&found), None).show()
}

fn one_layout(
    viewer: Viewer<'_>,
    announcement: &Announcement,
    typed: &Typed,
    problem: Option<&Problem>,
) -> Layout {
    let is_published = announcement.published_at.is_some();
    let form = InputForm::post("announcement", format!("{PAGE}/{}", announcement.id), "Save");
    let form = typed.fields(form, is_published).refused(problem);
    let explained = if is_published {
        "People get a changed announcement again."
    } else {
        "An announcement without a time of publication stays stored until you publish it."
    };
    viewer.layout(PAGE, "Change an announcement").refused(problem).with(
        Section::untitled()
            .text(explained)
            .form(form)
            .links(vec![Link::new(PAGE, "All announcements")]),
    )
}

async fn change(
    app: Data<App>,
    form: PostedStaff<ManageAnnouncements>,
    id: Path<String>,
) -> Result<HttpResponse, PageError> {
    let (viewer, typed) = (Viewer::posted(&app, &form), form.posted.decode::<Typed>()?);
    let found = find(&app, &id).await?;
    let (actor, id, changes) = (form.actor(), found.id, typed.changes());
    let changed =
        app.write_prepared(changes, move |tx, it| announcements::edit(tx, actor, id, it)).await;
    match changed {
        Ok(_) => Ok(viewer.after(PAGE, "changed")),
        Err(error) => one_layout(viewer, &found, &typed, Some(&Problem::of(error)?)).show(),
    }
}

async fn publish(
    app: Data<App>,
    form: PostedStaff<ManageAnnouncements>,
    id: Path<String>,
) -> Result<HttpResponse, PageError> {
    let (viewer, actor) = (Viewer::posted(&app, &form), form.actor());
    let id = record_id(&id)?;
    let published = app.write(move |tx| announcements::publish_now(tx, actor, id)).await;
    after(viewer, published, "published").await
}

async fn withdraw(
    app: Data<App>,
    form: PostedStaff<ManageAnnouncements>,
    id: Path<String>,
) -> Result<HttpResponse, PageError> {
    let (viewer, actor) = (Viewer::posted(&app, &form), form.actor());
    let id = record_id(&id)?;
    let withdrawn = app.write(move |tx| announcements::unpublish(tx, actor, id)).await;
    after(viewer, withdrawn, "withdrawn").await
}

/// Returns to the list, or shows it with a problem.
async fn after(
    viewer: Viewer<'_>,
    outcome: Result<Announcement, Domain>,
    done: &str,
) -> Result<HttpResponse, PageError> {
    match outcome {
        Ok(_) => Ok(viewer.after(PAGE, done)),
        Err(error) => {
            let problem = Problem::of(error)?;
            layout(viewer, &Typed::default(), Some(&problem)).await?.show()
        }
    }
}

async fn delete(
    app: Data<App>,
    form: PostedStaff<ManageAnnouncements>,
    id: Path<String>,
) -> Result<HttpResponse, PageError> {
    let viewer = Viewer::posted(&app, &form);
    let Confirmed { confirmed } = form.posted.decode()?;
    let found = find(&app, &id).await?;
    if !confirmed {
        let page = Confirmation {
            frame: viewer.frame(PAGE, "Delete the announcement?"),
            words: "Its reactions are deleted with it. This cannot be undone.".to_owned(),
            names: vec![found.text.into()],
            action: format!("{PAGE}/{}/delete", found.id),
            fields: Vec::new(),
            button: "Delete the announcement".to_owned(),
            back: PAGE.to_owned(),
        };
        return Ok(page.show()?);
    }
    let (actor, id) = (form.actor(), found.id);
    // Deletes in several transactions, because each user may have reacted.
    while !app.write(move |tx| announcements::delete_step(tx, actor, id)).await? {}
    Ok(viewer.after(PAGE, "deleted"))
}

#[cfg(test)]
mod tests {
    use siskin_ids::AnnouncementId;

    use super::*;

    fn typed(starts_at: &str, ends_at: &str) -> Typed {
        Typed {
            text: "Tea".to_owned(),
            starts_at: starts_at.to_owned(),
            ends_at: ends_at.to_owned(),
            ..Typed::default()
        }
    }

    #[test]
    fn an_event_has_both_times_in_their_order() {
        let (early, late) = ("2099-01-01T09:00", "2099-01-01T10:30");
        assert_eq!(typed("", "").period().unwrap(), None);
        let period = typed(early, late).period().unwrap().unwrap();
        assert_eq!(period.ends_at().to_string(), "2099-01-01T10:30:00.000Z");
        for (start, end, words) in [
            (early, "", "End of the event can't be blank"),
            ("", late, "Beginning of the event can't be blank"),
            (late, early, "End of the event must not be before its beginning"),
            ("soon", late, "Beginning of the event must be a date with a time"),
        ] {
            let refused = typed(start, end).period().unwrap_err().to_string();
            assert_eq!(refused, format!("Validation failed: {words}"));
        }
    }

    #[test]
    fn an_unchanged_form_keeps_whole_days() {
        let day = Timestamp::from_unix_ms(4_070_908_800_000);
        let stored = Announcement {
            id: AnnouncementId::new(1),
            text: "Tea".to_owned(),
            period: Period::of_days(day, day),
            scheduled_at: None,
            published_at: None,
            created_at: day,
            updated_at: day,
        };
        assert_eq!(Typed::of(&stored).period().unwrap(), stored.period);
    }
}
