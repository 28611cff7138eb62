//! Accounts as staff see them: one, and lists in both versions.

use serde_json::json;
use siskin_entities::AccountState;

use crate::support::{GOOD, TestApp, User};

const V1: &str = "/api/v1/admin/accounts";
const V2: &str = "/api/v2/admin/accounts";
const REFUSED: &str = "This action is not allowed";

/// Creates an account with each state. Returns Ann, who is suspended, Bob, who is silenced, Pia, who
/// waits for approval, and the id of a remote account.
async fn people(app: &TestApp) -> (User, User, User, String) {
    app.ask_for_approval().await;
    let (ann, bob) = (app.user("ann").await, app.user("bob").await);
    app.set_state(&ann, AccountState { suspended: true, ..GOOD }).await;
    app.set_state(&bob, AccountState { silenced: true, ..GOOD }).await;
    let remote = app.remote("zoe", "far.example").await;
    (ann, bob, app.signs_up("pia").await, remote)
}

api_tests! {
    async fn scope_and_permission_are_required(app: &TestApp) {
        let alice = app.user("alice").await;
        let moderator = app.staff("mo", "Moderator").await;
        let all = "read write admin:read admin:write";
        let powerless = app.user_with_scopes(&alice, all).await;
        let reads = app.user_with_scopes(&moderator, "read admin:read:accounts").await;
        let other = app.user_with_scopes(&moderator, "read write admin:read:reports").await;
        for path in [V1.to_owned(), V2.to_owned(), format!("{V1}/{}", alice.id)] {
            app.anonymous().get(&path).await.expect(401);
            alice.get(&path).await.expect(403);
            assert_eq!(powerless.get(&path).await.expect(403)["error"], REFUSED);
            other.get(&path).await.expect(403);
            reads.get(&path).await.ok();
            moderator.get(&path).await.ok();
        }
        app.give_role(&moderator, None).await;
        assert_eq!(reads.get(V1).await.expect(403)["error"], REFUSED);
    }

    async fn staff_see_the_data_of_a_person(app: &TestApp) {
        let (_, bob, pia, remote) = people(app).await;
        let staff = app.moderator("mo").await;
        let shown = staff.admin_account(&pia).await;
        let expected = json!({
            "id": pia.id, "username": "pia", "domain": null, "email": "pia@example.com",
            "ip": "127.0.0.1", "locale": "en", "invite_request": "pia likes birds",
            "confirmed": true, "approved": false, "disabled": false, "sensitized": false,
            "silenced": false, "suspended": false,
        });
        for (name, value) in expected.as_object().unwrap() {
            assert_eq!(&shown[name], value, "{name}: {shown}");
        }
        assert_eq!(shown["ips"][0]["ip"], "127.0.0.1");
        assert_eq!(shown["ips"].as_array().unwrap().len(), 1);
        assert_eq!((&shown["role"]["id"], &shown["role"]["name"]), (&json!("-99"), &json!("")));
        assert_eq!((&shown["account"]["id"], &shown["account"]["acct"]), (&json!(pia.id), &json!("pia")));
        assert!(shown["created_by_application_id"].is_string() && shown.get("invited_by_account_id").is_none());

        let shown = staff.admin_account(&bob).await;
        assert_eq!((&shown["silenced"], &shown["approved"]), (&json!(true), &json!(true)));
        assert_eq!((&shown["ip"], &shown["ips"]), (&json!(null), &json!([])));
        assert!(shown.get("created_by_application_id").is_none());

        let shown = staff.get(&format!("{V1}/{remote}")).await.ok();
        assert_eq!((&shown["domain"], &shown["email"]), (&json!("far.example"), &json!("")));
        assert_eq!((&shown["ip"], &shown["locale"]), (&json!(null), &json!(null)));
        assert_eq!(shown["role"]["id"], "-99");

        for id in ["1", "0", "abc", "-1", "99999999999999999999"] {
            staff.get(&format!("{V1}/{id}")).await.expect(404);
        }
    }

    async fn the_role_is_the_one_in_effect(app: &TestApp) {
        let staff = app.staff("mo", "Moderator").await;
        let shown = staff.admin_account(&staff).await;
        assert_eq!(shown["role"]["name"], "Moderator");
        assert_eq!(shown["role"]["permissions"], staff.credentials().await.ok()["role"]["permissions"]);
    }

    async fn the_flags_of_version_1_select(app: &TestApp) {
        let (ann, bob, pia, zoe) = people(app).await;
        let mo = app.staff("mo", "Moderator").await;
        mo.impose("disable", &app.user("dan").await).await;
        let dan = mo.get(&format!("{V1}?disabled=true")).await.ids();
        assert_eq!(dan.len(), 1);
        for (query, found) in [
            ("", vec![&dan[0], &mo.id, &pia.id, &zoe, &bob.id, &ann.id]),
            ("local=true", vec![&dan[0], &mo.id, &pia.id, &bob.id, &ann.id]),
            ("local=false", vec![&dan[0], &mo.id, &pia.id, &zoe, &bob.id, &ann.id]),
            ("remote=1", vec![&zoe]),
            ("active=true&remote=true", vec![&zoe]),
            ("pending=true", vec![&pia.id]),
            ("suspended=true", vec![&ann.id]),
            ("silenced=true", vec![&bob.id]),
            ("sensitized=true", vec![]),
            ("staff=true", vec![&mo.id]),
            ("username=PI", vec![&pia.id]),
            ("username=ia", vec![]),
            ("display_name=zoe", vec![]),
            ("by_domain=FAR.example", vec![&zoe]),
            ("by_domain=example", vec![]),
            ("email=pia@", vec![&pia.id]),
            ("email=example.com", vec![]),
            ("ip=127.0.0.1", vec![&pia.id]),
            ("ip=127.0.0.0/8&pending=true", vec![&pia.id]),
            ("ip=10.0.0.0/8", vec![]),
            ("ip=", vec![&dan[0], &mo.id, &pia.id, &zoe, &bob.id, &ann.id]),
        ] {
            let path = format!("{V1}?{query}");
            assert_eq!(mo.get(&path).await.ids(), found.into_iter().cloned().collect::<Vec<_>>(), "{query}");
        }
    }

    async fn the_choices_of_version_2_select(app: &TestApp) {
        let (ann, bob, pia, zoe) = people(app).await;
        let mo = app.staff("mo", "Moderator").await;
        let role = mo.admin_account(&mo).await["role"]["id"].as_str().unwrap().to_owned();
        for (query, found) in [
            ("origin=local&status=active".to_owned(), vec![&mo.id, &pia.id, &bob.id]),
            ("origin=remote".to_owned(), vec![&zoe]),
            ("status=pending".to_owned(), vec![&pia.id]),
            ("status=disabled".to_owned(), vec![]),
            ("status=silenced".to_owned(), vec![&bob.id]),
            ("status=sensitized".to_owned(), vec![]),
            ("status=suspended".to_owned(), vec![&ann.id]),
            ("status=rejected".to_owned(), vec![]),
            ("permissions=staff".to_owned(), vec![&mo.id]),
            (format!("role_ids[]={role}"), vec![&mo.id]),
            (format!("role_ids[]={role}&role_ids[]=abc&permissions=staff"), vec![&mo.id]),
            ("role_ids[]=abc".to_owned(), vec![]),
            (format!("invited_by={}", mo.id), vec![]),
            ("invited_by=abc".to_owned(), vec![]),
            ("username=@b".to_owned(), vec![&bob.id]),
            ("username=b&email=bob".to_owned(), vec![&bob.id]),
            ("username=b&email=ann".to_owned(), vec![]),
        ] {
            let listed = mo.listed_accounts(&query).await;
            assert_eq!(listed, found.into_iter().cloned().collect::<Vec<_>>(), "{query}");
        }
    }

    async fn display_names_are_found_by_their_beginning(app: &TestApp) {
        let (ann, staff) = (app.user("ann").await, app.moderator("mo").await);
        let named = [("display_name", "Ädmirable 100%")];
        ann.patch("/api/v1/accounts/update_credentials", &named).await.ok();
        for (name, is_found) in
            [("ädm", true), ("ÄDMIRABLE 100%25", true), ("mirable", false), ("100", false), ("%25", false)]
        {
            let listed = staff.listed_accounts(&format!("display_name={name}")).await;
            assert_eq!(listed.len(), usize::from(is_found), "{name}");
        }
    }

    async fn wrong_values_are_refused(app: &TestApp) {
        let staff = app.moderator("mo").await;
        for query in [
            "origin=here", "status=happy", "permissions=all", "ip=10.0.0.0/33", "ip=abc",
            "ip=10.0.0", "max_id=abc",
        ] {
            let refused = staff.get(&format!("{V2}?{query}")).await.expect(422);
            let name = query.split('=').next().unwrap();
            assert!(refused["error"].as_str().unwrap().contains(name), "{query}: {refused}");
        }
        staff.get(&format!("{V1}?ip=::/129")).await.expect(422);
    }

    async fn lists_have_pages(app: &TestApp) {
        let staff = app.staff("mo", "Moderator").await;
        let mut all = vec![staff.id.clone()];
        all.extend(app.crowd("fan", 6).await.into_iter().map(|fan| fan.id));
        all.reverse();
        for path in [V1, V2] {
            assert_eq!(staff.walk(&format!("{path}?limit=2")).await, all);
            assert_eq!(staff.walk(&format!("{path}?limit=3&username=fan")).await, all[..6]);
            let first = staff.get(&format!("{path}?limit=2")).await;
            let next = staff.get(&first.link("next").unwrap()).await;
            assert_eq!(next.ids(), all[2..4]);
            let back = staff.get(&next.link("prev").unwrap()).await;
            assert_eq!(back.ids(), all[..2]);
            assert!(first.link("prev").unwrap().contains("min_id="));
            assert_eq!(staff.get(&format!("{path}?limit=0")).await.ok(), json!([]));
        }
    }
}
