//! Statuses of one author, from which staff choose those to delete or to mark as sensitive.

use serde::Deserialize;
use siskin_entities::{Status, Timestamp, Urls};
use siskin_ids::StatusId;
use siskin_services::{
    Error as Domain,
    moderation::statuses::{self, ChosenStatuses, StatusAction, Within},
};
use siskin_text::isolate;

use super::{
    confirm::{Confirmation, Named},
    forms::counted,
    layout::Viewer,
    people::{Choice, handle},
};
use crate::{
    pages::{Moment, PageError, Problem},
    params::chosen_list,
    routes::public::view::StatusItem,
};

/// Labels of the form, each after the subject of sentences about its field.
const LABELS: &[(&str, &str)] = &[("Text", "Text to the author")];
const DELETE: &str = "delete";
const MARK: &str = "mark_as_sensitive";

/// A status that can be chosen.
pub(super) struct PostItem {
    pub(super) id: StatusId,
    pub(super) item: StatusItem,
    pub(super) chosen: bool,
}

impl PostItem {
    /// Converts statuses, with those chosen that the form names.
    pub(super) fn all(
        statuses: &[Status],
        form: &PostsForm,
        urls: &Urls,
        now: Timestamp,
    ) -> Vec<Self> {
        let item = |status: &Status| {
            let id = status.body.id;
            let chosen = form.status_ids.contains(&id.to_string());
            Self { id, item: StatusItem::of(status, urls, now), chosen }
        };
        statuses.iter().map(item).collect()
    }
}

/// What staff do with the chosen statuses, as it was typed.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct PostsForm {
    #[serde(rename = "type", default)]
    pub(super) kind: String,
    #[serde(default, deserialize_with = "chosen_list")]
    pub(super) status_ids: Vec<String>,
    #[serde(default)]
    pub(super) text: String,
    #[serde(default)]
    pub(super) send_email_notification: bool,
    #[serde(default)]
    confirmed: bool,
}

/// Where the form is.
pub(super) struct Place {
    /// Path of its area.
    pub(super) area: &'static str,
    /// Path that the form is sent to.
    pub(super) action: String,
    /// Path of the page with the form.
    pub(super) page: String,
    /// Id of the report that leads to the decision.
    pub(super) report: Option<String>,
    /// The statuses that the page shows. The form can name no others.
    pub(super) within: Within,
}

/// What became of a form.
pub(super) enum Outcome {
    /// It took effect.
    Done,
    /// Nothing has happened yet. This page asks whether it is meant.
    Question(Box<Confirmation>),
    /// The page with the form shows the problem.
    Refused(Problem),
}

impl PostsForm {
    /// Returns the form before anything was typed.
    pub(super) fn blank() -> Self {
        Self {
            kind: String::new(),
            status_ids: Vec::new(),
            text: String::new(),
            send_email_notification: true,
            confirmed: false,
        }
    }

    /// Returns the choices of what to do.
    pub(super) fn kinds(&self) -> Vec<Choice> {
        vec![
            Choice::new(MARK, "Mark as sensitive", &self.kind)
                .with_hint("Their media are hidden behind a warning."),
            Choice::new(DELETE, "Delete", &self.kind)
                .with_hint("This cannot be undone. The next page asks whether you mean it."),
        ]
    }

    /// Builds the page that asks whether the chosen statuses are to be deleted. Its form repeats
    /// this one.
    fn question(&self, viewer: Viewer<'_>, place: Place, chosen: &ChosenStatuses) -> Confirmation {
        let many = counted(chosen.statuses.len(), "post", "posts");
        let (urls, now) = (viewer.app.urls(), viewer.app.now());
        let name = |status: &Status| named(status, urls, now);
        let mut fields = vec![("type", self.kind.clone()), ("text", self.text.clone())];
        fields.extend(self.status_ids.iter().map(|id| ("status_ids[]", id.clone())));
        if self.send_email_notification {
            fields.push(("send_email_notification", "1".to_owned()));
        }
        let title = format!("Delete {many} of {}?", handle(&chosen.author));
        Confirmation {
            frame: viewer.frame(place.area, title),
            words: "Deleted posts cannot be restored, also not if the author appeals.".to_owned(),
            names: chosen.statuses.iter().map(name).collect(),
            action: place.action,
            fields,
            button: format!("Delete {many}"),
            back: place.page,
        }
    }

    fn action(&self, report: Option<String>, within: Within) -> Result<StatusAction, Problem> {
        if ![DELETE, MARK].contains(&self.kind.as_str()) {
            return Err(Problem::with_input("Choose what to do."));
        }
        let ids = self.status_ids.iter().map(|id| id.parse::<StatusId>());
        let ids: Result<Vec<StatusId>, _> = ids.collect();
        let ids = ids.map_err(|_| Problem::with_input("One of the posts does not exist."))?;
        if ids.is_empty() {
            return Err(Problem::with_input("Choose at least one post."));
        }
        Ok(StatusAction {
            kind: self.kind.clone(),
            ids,
            within,
            text: self.text.clone(),
            report,
            by_email: self.send_email_notification,
        })
    }
}

/// Names a status on the page that asks whether it is to be deleted, with the beginning of its
/// content warning and its text.
fn named(status: &Status, urls: &Urls, now: Timestamp) -> Named {
    let body = &status.body;
    let created = Moment::of(body.created_at, now).spoken;
    let words = match body.attachments.len() {
        0 => format!("Post of {created}"),
        files => format!("Post of {created}, with {}", counted(files, "attachment", "attachments")),
    };
    Named {
        words,
        // Staff see other statuses only in reports: their own pages are closed to them, too.
        page: body.visibility.is_open().then(|| body.page_or_uri(urls)),
        text: isolate(&statuses::excerpt(status)),
    }
}

/// Does with the chosen statuses what the form says, as one strike. A deletion must be confirmed.
///
/// # Errors
/// The page of an error that the person cannot solve in the form.
pub(super) async fn act(
    viewer: Viewer<'_>,
    form: &PostsForm,
    place: Place,
) -> Result<Outcome, PageError> {
    let action = match form.action(place.report.clone(), place.within) {
        Ok(action) => action,
        Err(problem) => return Ok(Outcome::Refused(problem)),
    };
    let (app, staff) = (viewer.app, viewer.authority);
    let acted = if form.kind == DELETE && !form.confirmed {
        app.read(move |conn| statuses::check(conn, staff, &action)).await.map(Some)
    } else {
        app.write(move |tx| statuses::act(tx, staff, &action)).await.map(|()| None)
    };
    Ok(match acted {
        Ok(None) => Outcome::Done,
        Ok(Some(chosen)) => Outcome::Question(Box::new(form.question(viewer, place, &chosen))),
        // One of them was deleted in the meantime, or the page does not show it.
        Err(Domain::NotFound) => {
            Outcome::Refused(Problem::with_input("One of the posts does not exist any more."))
        }
        Err(error) => Outcome::Refused(Problem::of_form(error, LABELS)?),
    })
}
