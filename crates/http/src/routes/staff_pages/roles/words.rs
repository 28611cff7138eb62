//! Names and descriptions of permissions, for people.

use siskin_policy::roles::Permission;

/// Returns the name of a permission, and what it allows in one sentence.
pub(super) const fn of(permission: Permission) -> (&'static str, &'static str) {
    match permission {
        Permission::Administrator => ("Everything", "Includes all other permissions."),
        Permission::Devops => {
            ("Jobs", "See background jobs, and retry or discard those that failed.")
        }
        Permission::ViewAuditLog => ("Audit log", "Read who did what in the administration."),
        Permission::ViewDashboard => {
            ("Measures", "See measures of the server, such as sign-ups a day.")
        }
        Permission::ManageReports => {
            ("Reports", "Resolve reports, and act on the reported accounts and posts.")
        }
        Permission::ManageFederation => ("Blocked servers", "Block and allow other servers."),
        Permission::ManageSettings => {
            ("Settings", "Change the settings and the texts of the server.")
        }
        Permission::ManageBlocks => {
            ("Sign-up blocks", "Block email domains, email addresses and IP addresses.")
        }
        Permission::ManageTaxonomies => {
            ("Trends", "Decide which hashtags, links and posts may trend.")
        }
        Permission::ManageAppeals => ("Appeals", "Decide appeals against moderation."),
        Permission::ManageUsers => {
            ("Accounts", "Decide sign-ups, see details of accounts and act on them.")
        }
        Permission::ManageInvites => ("Invites", "See and revoke the invites of all people."),
        Permission::ManageRules => ("Rules", "Change the rules of the server."),
        Permission::ManageAnnouncements => {
            ("Announcements", "Write announcements to all people of the server.")
        }
        Permission::ManageCustomEmojis => {
            ("Custom emojis", "Add, change and remove custom emojis.")
        }
        Permission::ManageWebhooks => {
            ("Web hooks", "Let other programs know what happens. This server has none.")
        }
        Permission::InviteUsers => ("Invite people", "Create links by which others sign up."),
        Permission::ManageRoles => ("Roles", "Create, change and assign roles below the own one."),
        Permission::ManageUserAccess => {
            ("Access of others", "Remove second factors of people who lost theirs.")
        }
        Permission::DeleteUserData => {
            ("Delete data", "Delete the data of suspended accounts at once.")
        }
        Permission::ViewLiveAndTopicFeeds => {
            ("Closed timelines", "Read public timelines that are closed for others.")
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_differ_and_descriptions_are_one_sentence() {
        let names: HashSet<&str> = Permission::ALL.iter().map(|one| of(*one).0).collect();
        assert_eq!(names.len(), Permission::ALL.len());
        for permission in Permission::ALL {
            let (_, sentence) = of(*permission);
            assert!(sentence.ends_with('.') && sentence.len() <= 80, "{sentence}");
        }
    }
}
