//! `/admin/roles`.

use serde_json::Value;
use siskin_entities::TargetKind;

use super::{
    SCRIPT, actions_on, assert_escaped, confirm, followed, posted_fields, staff_in_browser, submit,
};
use crate::support::Client;

const PAGE: &str = "/admin/roles";
const NEW: &str = "/admin/roles/new";
const ROLES: &str = "/api/v1/admin/roles";

async fn role_named(staff: &Client, name: &str) -> Option<Value> {
    let roles = staff.get(ROLES).await.ok();
    roles.as_array().unwrap().iter().find(|role| role["name"] == name).cloned()
}

api_tests! {
    async fn a_role_is_created_changed_and_deleted(app: &TestApp) {
        let (ada, browser) = staff_in_browser(app, "ada", "Admin").await;
        let fields = [
            ("name", "Helper"), ("priority", "5"), ("color", "#2B90D9"), ("highlighted", "1"),
            ("permissions[]", "manage_rules"), ("permissions[]", "manage_invites"),
        ];
        let page = followed(&browser, &submit(&browser, NEW, PAGE, &fields).await).await;
        for part in ["The role was created.", "Helper", "Invites, Rules"] {
            assert!(page.contains(part), "{part}: {page}");
        }
        let role = role_named(&ada, "Helper").await.unwrap();
        let id = role["id"].as_str().unwrap().to_owned();
        assert_eq!(role["permissions"], (0x800 | 0x1000).to_string());
        assert_eq!(role["color"], "#2b90d9");
        let one = format!("{PAGE}/{id}");
        let edit = browser.get(&one).await.text();
        assert!(edit.contains("value=\"manage_rules\" checked"), "{edit}");
        assert!(edit.contains("Change the rules of the server."), "{edit}");
        // Admins cannot grant what they may not do.
        assert!(!edit.contains("value=\"devops\"") && !edit.contains("value=\"administrator\""));
        let fields = [
            ("name", "Helping hand"), ("priority", "6"), ("color", ""),
            ("permissions[]", "manage_rules"), ("permissions[]", "administrator"),
        ];
        let page = followed(&browser, &submit(&browser, &one, &one, &fields).await).await;
        assert!(page.contains("The role was changed."), "{page}");
        let role = role_named(&ada, "Helping hand").await.unwrap();
        assert_eq!(role["permissions"], 0x1000.to_string());
        let delete = format!("{one}/delete");
        let asked = submit(&browser, &one, &delete, &[]).await;
        let page = followed(&browser, &confirm(&browser, &asked, &delete).await).await;
        assert!(page.contains("The role was deleted."), "{page}");
        assert_eq!(role_named(&ada, "Helping hand").await, None);
        assert_eq!(actions_on(app, TargetKind::Role, &id).await, ["create", "update", "delete"]);
    }

    async fn what_was_typed_stays_beside_the_problem(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        for (name, value, problem) in [
            ("name", "", "id=\"role_name_problem\""),
            ("name", "moderator", "Name has already been taken."),
            ("priority", "many", "id=\"role_priority_problem\""),
            ("priority", "0", "id=\"role_priority_problem\">Rank must"),
            ("color", SCRIPT, "id=\"role_color_problem\">Colour must"),
        ] {
            let mut fields = vec![("name", "Helper"), ("priority", "5"), ("permissions[]", "manage_rules")];
            fields.retain(|(field, _)| *field != name);
            fields.push((name, value));
            let refused = submit(&browser, NEW, PAGE, &fields).await;
            assert_eq!(refused.status, 422, "{name} {value}");
            let page = refused.text();
            assert_escaped(&page);
            assert!(page.contains(problem), "{problem}: {page}");
            assert!(page.contains("value=\"manage_rules\" checked"), "{page}");
        }
    }

    async fn only_lower_roles_can_be_changed(app: &TestApp) {
        let (ada, browser) = staff_in_browser(app, "ada", "Admin").await;
        let list = browser.get(PAGE).await.text();
        for (name, is_lower) in [("Owner", false), ("Admin", false), ("Moderator", true)] {
            let role = role_named(&ada, name).await.unwrap()["id"].as_str().unwrap().to_owned();
            let path = format!("{PAGE}/{role}");
            assert_eq!(list.contains(&format!("href=\"{path}\"")), is_lower, "{name}");
            let status = if is_lower { 200 } else { 404 };
            assert_eq!(browser.get(&path).await.status, status, "{name}");
            let form = posted_fields(&list, "/auth/sign_out");
            if !is_lower {
                for path in [path.clone(), format!("{path}/delete")] {
                    assert_eq!(browser.form(&path, &form).await.status, 404, "{path}");
                }
            }
        }
        let high = [("name", "Helper"), ("priority", "100")];
        let refused = submit(&browser, NEW, PAGE, &high).await;
        assert_eq!(refused.status, 403, "{refused:?}");
        assert!(refused.text().contains("Rank must be below that of your own role."), "{refused:?}");
        let moderator = role_named(&ada, "Moderator").await.unwrap();
        assert_eq!(moderator["permissions"].as_str().unwrap().parse::<u32>().unwrap() & 1, 0);
    }

    async fn everyone_can_be_allowed_to_invite(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "boss", "Owner").await;
        let one = format!("{PAGE}/-99");
        let edit = browser.get(&one).await.text();
        assert!(edit.contains("value=\"invite_users\"") && !edit.contains("value=\"manage_users\""));
        let fields = [("permissions[]", "invite_users"), ("permissions[]", "manage_users")];
        followed(&browser, &submit(&browser, &one, &one, &fields).await).await;
        assert!(browser.get(&one).await.text().contains("value=\"invite_users\" checked"));
        followed(&browser, &submit(&browser, &one, &one, &[]).await).await;
        assert!(!browser.get(&one).await.text().contains("value=\"invite_users\" checked"));
        assert_eq!(actions_on(app, TargetKind::Role, "-99").await, ["update", "update"]);
        let delete = format!("{one}/delete");
        let mut form = posted_fields(&edit, "/auth/sign_out");
        form.push(("confirmed".to_owned(), "1".to_owned()));
        assert_eq!(browser.form(&delete, &form).await.status, 422);
    }
}
