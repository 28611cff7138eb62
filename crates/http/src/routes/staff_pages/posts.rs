//! Statuses of one author, from which staff choose those to delete or to mark as sensitive.

use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{Status, Timestamp, Urls};
use siskin_ids::StatusId;
use siskin_policy::roles::Authority;
use siskin_services::{
    Error as Domain,
    moderation::statuses::{self, StatusAction},
};

use super::people::Choice;
use crate::{
    pages::{PageError, Problem},
    params::chosen_list,
    routes::public::view::StatusItem,
};

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
}

impl PostsForm {
    /// Returns the form before anything was typed.
    pub(super) fn blank() -> Self {
        Self {
            kind: String::new(),
            status_ids: Vec::new(),
            text: String::new(),
            send_email_notification: true,
        }
    }

    /// Returns the choices of what to do.
    pub(super) fn kinds(&self) -> Vec<Choice> {
        vec![
            Choice::new("mark_as_sensitive", "Mark as sensitive", &self.kind)
                .with_hint("Their media are hidden behind a warning."),
            Choice::new("delete", "Delete", &self.kind).with_hint("This cannot be undone."),
        ]
    }

    fn action(&self, report: Option<String>) -> Result<StatusAction, Problem> {
        let ids = self.status_ids.iter().map(|id| id.parse::<StatusId>());
        let ids: Result<Vec<StatusId>, _> = ids.collect();
        let ids = ids.map_err(|_| Problem::with_input("One of the posts does not exist."))?;
        if ids.is_empty() {
            return Err(Problem::with_input("Choose at least one post."));
        }
        Ok(StatusAction {
            kind: self.kind.clone(),
            ids,
            text: self.text.clone(),
            report,
            by_email: self.send_email_notification,
        })
    }
}

/// Does with the chosen statuses what the form says, as one strike.
///
/// # Errors
/// `Ok(Some(_))` is an error that the page with the form shows.
pub(super) async fn act(
    app: &App,
    staff: Authority,
    form: &PostsForm,
    report: Option<String>,
) -> Result<Option<Problem>, PageError> {
    let action = match form.action(report) {
        Ok(action) => action,
        Err(problem) => return Ok(Some(problem)),
    };
    match app.write(move |tx| statuses::act(tx, staff, &action)).await {
        Ok(()) => Ok(None),
        // One of them was deleted in the meantime.
        Err(Domain::NotFound) => {
            Ok(Some(Problem::with_input("One of the posts does not exist any more.")))
        }
        Err(error) => Problem::of(error).map(Some),
    }
}
