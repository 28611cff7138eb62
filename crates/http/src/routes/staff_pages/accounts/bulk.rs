//! Decisions about several accounts of the list. A second page shows the names, and asks for what
//! the accounts get to read.

use std::collections::HashSet;

use actix_web::{HttpResponse, web::Data};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{DecisionResult, PageRequest, StrikeAction, UndoAction, WarningPreset};
use siskin_ids::AccountId;
use siskin_policy::{
    limits::{LONG_PAGE, MAX_BULK_ACCOUNTS, MAX_STRIKE_CHARS},
    roles::ManageUsers,
};
use siskin_services::{
    moderation::{accounts, act::AccountAction, bulk::BulkAction},
    warning_presets,
};

use super::{
    super::{
        fields::{Field, InputForm, unix_lines},
        forms::{counted, see},
        layout::{Layout, Link, Section, Viewer},
        outcome::{PARAMETER, account_names, encode},
        people::{Choice, preset_choices},
    },
    list::{self, Filter, PAGE, Paths, Shown},
};
use crate::{
    pages::{PageError, Problem},
    params::{chosen, chosen_list},
    routes::admin::accounts::decide_all,
    staff::PostedStaff,
};

/// What can be done with several accounts: the name in the API, the words of the choice, and the
/// title of the page that asks.
const ACTIONS: [(&str, &str, &str); 9] = [
    (StrikeAction::Warn.as_str(), "Warn", "Warn"),
    (StrikeAction::Sensitive.as_str(), "Mark all media as sensitive", "Mark all media of"),
    (StrikeAction::Disable.as_str(), "Disable the login", "Disable the login of"),
    (StrikeAction::Silence.as_str(), "Limit", "Limit"),
    (StrikeAction::Suspend.as_str(), "Suspend", "Suspend"),
    (UndoAction::Enable.as_str(), "Enable the login", "Enable the login of"),
    (UndoAction::Unsensitive.as_str(), "Show media as the authors mark them", "Show the media of"),
    (UndoAction::Unsilence.as_str(), "End the limit", "End the limit of"),
    (UndoAction::Unsuspend.as_str(), "End the suspension", "End the suspension of"),
];

/// Returns what can be done with the chosen accounts.
pub(super) fn choices() -> Vec<Choice> {
    let choice = |(value, words, _): (&str, &str, &str)| Choice::new(value, words, "");
    ACTIONS.map(choice).into()
}

/// Returns the sentences about a decision that was made. The page names the accounts that did not
/// change.
pub(super) fn outcome(count: usize, failed: usize) -> String {
    let mut message =
        format!("The decision took effect on {}.", counted(count, "account", "accounts"));
    if failed > 0 {
        message += &format!(" {} did not change.", counted(failed, "account", "accounts"));
    }
    message
}

/// The submitted decision. Browsers do not send a checkbox that is not ticked.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct DecisionForm {
    action: String,
    #[serde(deserialize_with = "chosen_list")]
    account_ids: Vec<String>,
    warning_preset_id: String,
    text: String,
    send_email_notification: bool,
    confirmed: bool,
}

impl DecisionForm {
    fn action(&self) -> Result<BulkAction, Problem> {
        let sent = AccountAction {
            text: unix_lines(&self.text),
            preset: chosen(Some(self.warning_preset_id.clone())),
            by_email: self.send_email_notification,
            ..AccountAction::default()
        };
        let is_listed = ACTIONS.iter().any(|(name, _, _)| *name == self.action);
        let action = BulkAction::parse(&self.action, sent).ok().filter(|_| is_listed);
        action.ok_or_else(|| Problem::with_input("Choose what to do."))
    }

    /// Returns the decision and the chosen accounts, without duplicates.
    fn checked(&self) -> Result<(BulkAction, Vec<AccountId>), Problem> {
        let action = self.action()?;
        let mut seen = HashSet::new();
        let ids = self.account_ids.iter().filter_map(|id| id.parse().ok());
        let ids: Vec<AccountId> = ids.filter(|id| seen.insert(*id)).collect();
        if ids.is_empty() {
            return Err(Problem::with_input("Choose at least one account."));
        }
        if ids.len() > MAX_BULK_ACCOUNTS {
            return Err(Problem::with_input(format!(
                "Choose at most {MAX_BULK_ACCOUNTS} accounts."
            )));
        }
        Ok((action, ids))
    }

    /// Returns the title of the page that asks about this number of accounts.
    fn title(&self, count: usize) -> String {
        let found = ACTIONS.iter().find(|(name, _, _)| *name == self.action);
        let words = found.map_or("Decide about", |(_, _, words)| *words);
        format!("{words} {}?", counted(count, "account", "accounts"))
    }
}

pub(super) async fn decide(
    app: Data<App>,
    form: PostedStaff<ManageUsers>,
) -> Result<HttpResponse, PageError> {
    let (filter, sent): (Filter, DecisionForm) = (form.posted.decode()?, form.posted.decode()?);
    let viewer = Viewer::posted(&app, &form);
    let (action, ids) = match sent.checked() {
        Ok(checked) => checked,
        Err(problem) => {
            let shown =
                Shown { problem: Some(problem), chosen: &sent.account_ids, ..Shown::default() };
            let first = PageRequest::newest(LONG_PAGE.default);
            let paths = Paths { first: filter.path(&[]), choose_all: filter.path(&[("all", "1")]) };
            return list::response(viewer, filter, first, paths, shown).await;
        }
    };
    if !sent.confirmed {
        // An email is the usual choice.
        let sent = DecisionForm { send_email_notification: true, ..sent };
        return question(viewer, &filter, &sent, (&action, ids), None).await?.show();
    }
    let results = match decide_all(&app, form.authority, &ids, &action).await {
        Ok(results) => results,
        Err(error) => {
            let problem = Problem::of(error)?;
            let asked = question(viewer, &filter, &sent, (&action, ids), Some(&problem));
            return asked.await?.show();
        }
    };
    let count = results.values().filter(|result| **result == DecisionResult::Done).count();
    let (failed, count) = ((results.len() - count).to_string(), count.to_string());
    let unchanged = encode(&ids, &results);
    let outcome =
        [("done", "decided"), ("count", &*count), ("failed", &*failed), (PARAMETER, &*unchanged)];
    Ok(see(&app, &filter.path(&outcome)))
}

/// Builds the page that asks whether the decision is meant, and for what belongs to it.
async fn question(
    viewer: Viewer<'_>,
    filter: &Filter,
    sent: &DecisionForm,
    (action, ids): (&BulkAction, Vec<AccountId>),
    problem: Option<&Problem>,
) -> Result<Layout, PageError> {
    let loaded = ids.clone();
    let (found, presets) = viewer
        .app
        .read(move |conn| Ok((accounts::load(conn, &loaded)?, warning_presets::list(conn)?)))
        .await?;
    let mut form = InputForm::post("decision", PAGE, "Apply")
        .hidden("action", &sent.action)
        .hidden("confirmed", "1");
    for (name, value) in filter.fields() {
        form = form.hidden(name, value);
    }
    for id in &ids {
        form = form.hidden("account_ids[]", id.to_string());
    }
    let form = match action {
        BulkAction::Act(_) => with_text(form, sent, &presets),
        BulkAction::SignUp(_) | BulkAction::Undo(_) => form,
    };
    let section = Section::untitled()
        .lines(account_names(&ids, &found))
        .form(form.refused(problem))
        .links(vec![Link::new(filter.path(&[]), "Cancel")]);
    Ok(viewer.layout(PAGE, sent.title(ids.len())).refused(problem).with(section))
}

/// Adds the fields of what the accounts get to read.
fn with_text(form: InputForm, sent: &DecisionForm, presets: &[WarningPreset]) -> InputForm {
    let form = match presets {
        [] => form,
        presets => form.with(Field::select(
            "warning_preset_id",
            "Prepared text",
            preset_choices(presets, &sent.warning_preset_id),
        )),
    };
    let hint = format!(
        "Each account reads it with the decision, below the prepared text. At most \
         {MAX_STRIKE_CHARS} characters. It never shows your name."
    );
    form.with(Field::lines("text", "Text to the accounts", 5, &sent.text).about("Text").hint(hint))
        .with(Field::check(
            "send_email_notification",
            "Send an email to each person of this server",
            sent.send_email_notification,
        ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(action: &str, ids: &[&str]) -> DecisionForm {
        DecisionForm {
            action: action.to_owned(),
            account_ids: ids.iter().map(|id| (*id).to_owned()).collect(),
            ..DecisionForm::default()
        }
    }

    #[test]
    fn a_decision_names_some_accounts_once() {
        let (action, ids) = form("unsilence", &["7", "x", "8", "7"]).checked().unwrap();
        assert_eq!(action, BulkAction::Undo(UndoAction::Unsilence));
        assert_eq!(ids, [AccountId::new(7), AccountId::new(8)]);
        // Sign-ups have a page of their own.
        for refused in [form("suspend", &["x"]), form("approve", &["7"]), form("silence", &[])] {
            assert!(refused.checked().is_err(), "{refused:?}");
        }
    }

    #[test]
    fn every_choice_is_an_action() {
        for choice in choices() {
            assert!(form(&choice.value, &["7"]).checked().is_ok(), "{}", choice.value);
        }
        assert_eq!(form("suspend", &[]).title(2), "Suspend 2 accounts?");
        assert_eq!(form("disable", &[]).title(1), "Disable the login of 1 account?");
    }

    #[test]
    fn the_outcome_counts_what_happened() {
        assert_eq!(outcome(1, 0), "The decision took effect on 1 account.");
        assert!(outcome(3, 2).contains("3 accounts. 2 accounts did not change"));
    }
}
