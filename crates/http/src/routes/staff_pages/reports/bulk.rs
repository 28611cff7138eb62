//! What staff do with several reports of the list.

use std::collections::HashSet;

use actix_web::{HttpResponse, web::Data};
use serde::Deserialize;
use siskin_app::App;
use siskin_entities::{DecisionResult, PageRequest, ReportAction};
use siskin_ids::ReportId;
use siskin_policy::{
    limits::{LONG_PAGE, MAX_BULK_REPORTS},
    roles::ManageReports,
};

use super::{
    super::{
        forms::{counted, see},
        layout::Viewer,
        outcome::{PARAMETER, encode},
    },
    Done, ListQuery, Shown, response,
};
use crate::{
    pages::{PageError, Problem},
    params::chosen_list,
    routes::admin::bulk_reports::decide_all,
    staff::PostedStaff,
};

/// Returns the sentences about the last decision. The page names the reports that did not change.
pub(super) fn outcome(done: &Done) -> Option<String> {
    let action: ReportAction = done.done.as_deref()?.parse().ok()?;
    let happened = match action {
        ReportAction::AssignToSelf => "assigned to you",
        ReportAction::Unassign => "no longer assigned",
        ReportAction::Resolve => "resolved",
        ReportAction::Reopen => "open again",
    };
    let are = if done.count == 1 { "is" } else { "are" };
    let mut message = format!("{} {are} {happened}.", counted(done.count, "report", "reports"));
    if done.failed > 0 {
        message += &format!(" {} did not change.", counted(done.failed, "report", "reports"));
    }
    Some(message)
}

/// The submitted decision.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct DecisionForm {
    action: String,
    #[serde(deserialize_with = "chosen_list")]
    report_ids: Vec<String>,
}

impl DecisionForm {
    /// Returns the decision and the chosen reports, without duplicates.
    fn checked(&self) -> Result<(ReportAction, Vec<ReportId>), Problem> {
        let action = self.action.parse();
        let action = action.map_err(|_| Problem::with_input("Choose what to do."))?;
        let mut seen = HashSet::new();
        let ids = self.report_ids.iter().filter_map(|id| id.parse().ok());
        let ids: Vec<ReportId> = ids.filter(|id| seen.insert(*id)).collect();
        if ids.is_empty() {
            return Err(Problem::with_input("Choose at least one report."));
        }
        if ids.len() > MAX_BULK_REPORTS {
            return Err(Problem::with_input(format!("Choose at most {MAX_BULK_REPORTS} reports.")));
        }
        Ok((action, ids))
    }
}

pub(super) async fn decide(
    app: Data<App>,
    form: PostedStaff<ManageReports>,
) -> Result<HttpResponse, PageError> {
    let (query, sent): (ListQuery, DecisionForm) = (form.posted.decode()?, form.posted.decode()?);
    let (action, ids) = match sent.checked() {
        Ok(checked) => checked,
        Err(problem) => {
            let shown =
                Shown { problem: Some(problem), chosen: &sent.report_ids, ..Shown::default() };
            let first = PageRequest::newest(LONG_PAGE.default);
            let paths = (query.path(&[]), query.path(&[("all", "1")]));
            return response(Viewer::posted(&app, &form), query, first, paths, shown).await;
        }
    };
    let results = decide_all(&app, form.authority, &ids, action).await?;
    let count = results.values().filter(|result| **result == DecisionResult::Done).count();
    let (failed, count) = ((results.len() - count).to_string(), count.to_string());
    let unchanged = encode(&ids, &results);
    let outcome = [
        ("done", action.as_str()),
        ("count", &*count),
        ("failed", &*failed),
        (PARAMETER, &*unchanged),
    ];
    Ok(see(&app, &query.path(&outcome)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_names_some_reports_once() {
        let form = |action: &str, ids: &[&str]| DecisionForm {
            action: action.to_owned(),
            report_ids: ids.iter().map(|id| (*id).to_owned()).collect(),
        };
        let (action, ids) = form("resolve", &["7", "x", "8", "7"]).checked().unwrap();
        assert_eq!(action, ReportAction::Resolve);
        assert_eq!(ids, [ReportId::new(7), ReportId::new(8)]);
        for refused in [form("resolve", &["x"]), form("delete", &["7"]), form("reopen", &[])] {
            assert!(refused.checked().is_err(), "{refused:?}");
        }
    }

    #[test]
    fn the_message_counts_what_happened() {
        let message = |done: &str, count, failed| {
            outcome(&Done { done: Some(done.to_owned()), count, failed, ..Done::default() })
        };
        assert_eq!(message("resolve", 1, 0).unwrap(), "1 report is resolved.");
        let some = message("assign_to_self", 2, 1).unwrap();
        assert!(some.starts_with("2 reports are assigned to you. 1 report did not"), "{some}");
        assert_eq!(message("<b>", 1, 0), None);
    }
}
