//! `/admin`: what waits for the staff.

use actix_web::{HttpResponse, http::StatusCode, web};
use askama::Template;
use siskin_app::App;
use siskin_policy::roles::AnyStaff;
use siskin_services::{
    first_steps,
    moderation::overview::{MOST_COUNTED, WaitingWork, waiting_work},
};

use super::frame;
use crate::{
    pages::{Frame, PageError, show},
    staff::StaffMember,
    table::Table,
};

const PAGE: &str = "/admin";

pub(super) fn configure(table: &mut Table) {
    table.route(PAGE, web::get().to(show_overview));
}

#[derive(Template)]
#[template(path = "staff_overview.html")]
struct OverviewPage {
    frame: Frame,
    work: Vec<WorkItem>,
}

/// One kind of work.
struct WorkItem {
    path: &'static str,
    name: &'static str,
    count: String,
    waits: bool,
}

impl WorkItem {
    /// Returns the kinds of work that the role of the person includes.
    fn all(work: &WaitingWork) -> Vec<Self> {
        let item = |(path, name, count): (_, _, Option<usize>)| {
            let count = count?;
            Some(Self { path, name, count: in_words(count), waits: count > 0 })
        };
        [
            ("/admin/reports", "Open reports", work.reports),
            ("/admin/sign-ups", "Sign-ups that wait for approval", work.sign_ups),
            ("/admin/appeals", "Appeals that wait for a decision", work.appeals),
            ("/admin/trends", "Trends to review", work.trends),
            ("/admin/jobs", "Jobs that failed for good", work.dead_jobs),
        ]
        .into_iter()
        .filter_map(item)
        .collect()
    }

    /// Returns the link to the set-up of the server, while steps are left.
    fn first_steps(left: usize) -> Option<Self> {
        let (path, name) = ("/admin/first-steps", "First steps that are left");
        (left > 0).then(|| Self { path, name, count: left.to_string(), waits: true })
    }
}

fn in_words(count: usize) -> String {
    match i64::try_from(count) {
        Ok(count) if count <= MOST_COUNTED => count.to_string(),
        _ => format!("more than {MOST_COUNTED}"),
    }
}

async fn show_overview(
    app: web::Data<App>,
    staff: StaffMember<AnyStaff>,
) -> Result<HttpResponse, PageError> {
    let authority = staff.authority;
    let settings = app.settings();
    let (work, left) = app
        .read(move |conn| {
            let left = first_steps::count_left(conn, &settings, authority)?;
            Ok((waiting_work(conn, authority)?, left))
        })
        .await?;
    let page = OverviewPage {
        frame: frame(&app, &staff.browser, authority, PAGE, "Administration"),
        work: WorkItem::first_steps(left).into_iter().chain(WorkItem::all(&work)).collect(),
    };
    Ok(show(StatusCode::OK, &page)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_are_not_counted_exactly() {
        assert_eq!([0, 1000, 1001].map(in_words), ["0", "1000", "more than 1000"]);
    }

    #[test]
    fn only_work_of_the_role_is_listed() {
        let work = WaitingWork { reports: Some(0), appeals: Some(3), ..WaitingWork::default() };
        let items = WorkItem::all(&work);
        let shown: Vec<_> = items.iter().map(|item| (item.path, item.waits)).collect();
        assert_eq!(shown, [("/admin/reports", false), ("/admin/appeals", true)]);
    }
}
