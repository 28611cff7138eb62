//! `/admin`: pages of the staff. Each area is a module. [`AREAS`] is the navigation, which shows
//! each person what the role allows.

mod accounts;
mod announcements;
mod appeals;
mod audit_log;
mod confirm;
mod domains;
mod email_domains;
mod emails;
mod emojis;
mod fields;
mod first_steps;
mod forms;
mod invites;
mod jobs;
mod layout;
mod networks;
mod outcome;
mod overview;
mod people;
mod posts;
mod reports;
mod roles;
mod rows;
mod rules;
mod settings;
mod sign_ups;
mod texts;
mod trends;
mod warning_presets;

use siskin_app::App;
use siskin_policy::roles::{AnyStaff, Authority, Permission, RequiredPermission as _};

use self::forms::see;
use crate::{
    browser::Browser,
    pages::{AreaLink, Frame, WayBack},
    table::Table,
};

pub(super) fn configure(table: &mut Table) {
    table
        .configure(overview::configure)
        .configure(first_steps::configure)
        .configure(accounts::configure)
        .configure(appeals::configure)
        .configure(reports::configure)
        .configure(sign_ups::configure)
        .configure(domains::configure)
        .configure(email_domains::configure)
        .configure(emails::configure)
        .configure(networks::configure)
        .configure(invites::configure)
        .configure(trends::configure)
        .configure(announcements::configure)
        .configure(emojis::configure)
        .configure(rules::configure)
        .configure(texts::configure)
        .configure(warning_presets::configure)
        .configure(settings::configure)
        .configure(roles::configure)
        .configure(audit_log::configure)
        .configure(jobs::configure);
}

/// An area of the staff pages.
struct Area {
    /// Path of its first page.
    path: &'static str,
    /// Text of its link.
    name: &'static str,
    /// Its link is shown to people with at least one of these permissions.
    any: &'static [Permission],
}

impl Area {
    const fn new(path: &'static str, name: &'static str, any: &'static [Permission]) -> Self {
        Self { path, name, any }
    }
}

/// All areas, in the order of the navigation. Each permission of [`AnyStaff`] opens the first one.
const AREAS: &[Area] = &[
    Area::new("/admin", "Overview", AnyStaff::ANY),
    Area::new("/admin/reports", "Reports", &[Permission::ManageReports]),
    Area::new("/admin/sign-ups", "Sign-ups", &[Permission::ManageUsers]),
    Area::new("/admin/accounts", "Accounts", &[Permission::ManageUsers]),
    Area::new("/admin/appeals", "Appeals", &[Permission::ManageAppeals]),
    Area::new("/admin/domains", "Blocked servers", &[Permission::ManageFederation]),
    Area::new("/admin/email-domains", "Blocked email domains", &[Permission::ManageBlocks]),
    Area::new("/admin/emails", "Blocked email addresses", &[Permission::ManageBlocks]),
    Area::new("/admin/networks", "Blocked addresses (IP)", &[Permission::ManageBlocks]),
    Area::new("/admin/invites", "Invites", &[Permission::ManageInvites]),
    Area::new("/admin/trends", "Trends", &[Permission::ManageTaxonomies]),
    Area::new("/admin/announcements", "Announcements", &[Permission::ManageAnnouncements]),
    Area::new("/admin/emojis", "Custom emojis", &[Permission::ManageCustomEmojis]),
    Area::new("/admin/rules", "Rules", &[Permission::ManageRules]),
    Area::new("/admin/texts", "Texts", &[Permission::ManageSettings]),
    Area::new("/admin/warning-presets", "Prepared texts", &[Permission::ManageSettings]),
    Area::new("/admin/settings", "Settings", &[Permission::ManageSettings]),
    Area::new("/admin/first-steps", "First steps", &[Permission::ManageSettings]),
    Area::new("/admin/roles", "Roles", &[Permission::ManageRoles]),
    Area::new("/admin/audit-log", "Audit log", &[Permission::ViewAuditLog]),
    Area::new("/admin/jobs", "Jobs", &[Permission::Devops]),
];

/// Returns the area that a path belongs to, or the overview if the person may not open that area.
/// Returns `None` for a path of other pages.
pub(crate) fn area_of(path: &str, authority: Authority) -> Option<WayBack> {
    let is_below =
        |rest: Option<&str>| rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let areas = AREAS.iter().filter(|area| is_below(path.strip_prefix(area.path)));
    let open = areas.filter(|area| authority.can_any(area.any));
    let area = open.max_by_key(|area| area.path.len())?;
    Some(WayBack { path: area.path, name: area.name })
}

/// Builds the frame of a page of the staff. `area` is the path of the area that the page belongs
/// to.
fn frame(
    app: &App,
    browser: &Browser,
    authority: Authority,
    area: &str,
    title: impl Into<String>,
) -> Frame {
    let shown = AREAS.iter().filter(|one| authority.can_any(one.any));
    let link = |one: &Area| AreaLink { path: one.path, name: one.name, current: one.path == area };
    Frame { areas: shown.map(link).collect(), ..Frame::of(app, browser, title) }
}

#[cfg(test)]
mod tests {
    use siskin_ids::AccountId;

    use super::*;

    #[test]
    fn a_path_belongs_to_the_area_that_the_person_may_open() {
        let of = |path: &str, permissions: &[Permission]| {
            let permissions = permissions.iter().copied().collect();
            let authority = Authority { account: AccountId::new(1), permissions, priority: 1 };
            area_of(path, authority).map(|area| area.path)
        };
        let reports = &[Permission::ManageReports];
        assert_eq!(of("/admin/reports/7/notes", reports), Some("/admin/reports"));
        assert_eq!(of("/admin/reports", reports), Some("/admin/reports"));
        assert_eq!(of("/admin/accounts/7/action", reports), Some("/admin"));
        assert_eq!(of("/admin/reportsx", reports), Some("/admin"));
        assert_eq!(of("/settings/invites", reports), None);
        let users = &[Permission::ManageUsers];
        assert_eq!(of("/admin/accounts/7/action", users), Some("/admin/accounts"));
    }
}
