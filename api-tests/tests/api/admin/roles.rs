//! `/api/v1/admin/roles`, and the role of an account.

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Client, Response, User, id, trends::each};

const ROLES: &str = "/api/v1/admin/roles";
const EVERYONE: &str = "-99";
const REFUSED: &str = "This action is not allowed";

/// Flags of permissions in decimal.
const REPORTS: &str = "16";
const DEVOPS: &str = "2";
const INVITES: &str = "65536";

async fn create(staff: &Client, role: Value) -> Response {
    staff.json(ROLES, role).await
}

async fn update(staff: &Client, role: &str, changes: Value) -> Response {
    let request = staff.request(Method::PUT, &format!("{ROLES}/{role}"));
    staff.send(request.json(&changes)).await
}

async fn delete(staff: &Client, role: &str) -> Response {
    staff.delete(&format!("{ROLES}/{role}")).await
}

/// Gives an account a role. Null takes it away.
async fn assign(staff: &Client, account: &str, role: Value) -> Response {
    let request = staff.request(Method::PUT, &format!("/api/v1/admin/accounts/{account}/role"));
    staff.send(request.json(&json!({ "role_id": role }))).await
}

/// Returns the id of the role with this name.
async fn role_named(staff: &Client, name: &str) -> String {
    let all = staff.get(ROLES).await.ok();
    let mut all = all.as_array().unwrap().iter();
    id(all.find(|role| role["name"] == name).unwrap())
}

/// Returns the actions on a target, the latest first.
async fn log(staff: &Client, kind: &str, target: &str) -> Vec<String> {
    let path = format!("/api/v1/admin/audit_log?target_kind={kind}&target_id={target}");
    each(&staff.get(&path).await.ok(), "action")
}

async fn own_role(user: &User) -> Value {
    user.credentials().await.ok()["role"].take()
}

api_tests! {
    async fn scope_and_permission_are_required(app: &TestApp) {
        let (alice, moderator) = (app.user("alice").await, app.staff("mo", "Moderator").await);
        let admin = app.staff("ada", "Admin").await;
        let reads = app.user_with_scopes(&admin, "read write admin:read").await;
        let writes = app.user_with_scopes(&admin, "read write admin:write").await;
        let part = "admin:read:accounts admin:write:accounts";
        let part = app.user_with_scopes(&admin, part).await;
        let account = format!("/api/v1/admin/accounts/{}/role", alice.id);
        for (method, path) in [
            (Method::GET, ROLES.to_owned()),
            (Method::GET, format!("{ROLES}/1")),
            (Method::POST, ROLES.to_owned()),
            (Method::PUT, format!("{ROLES}/1")),
            (Method::DELETE, format!("{ROLES}/7")),
            (Method::PUT, account),
        ] {
            let send = async |client: &Client| {
                client.send(client.request(method.clone(), &path)).await.status
            };
            let (right, wrong) =
                if method == Method::GET { (&reads, &writes) } else { (&writes, &reads) };
            assert_eq!(send(&app.anonymous()).await, 401, "{method} {path}");
            for refused in [&alice.client, &moderator.client, wrong, &part] {
                assert_eq!(send(refused).await, 403, "{method} {path}");
            }
            let status = send(right).await;
            assert!(![401, 403].contains(&status), "{method} {path}: {status}");
        }
    }

    async fn every_server_has_four_roles(app: &TestApp) {
        let owner = app.staff("owner", "Owner").await;
        let roles = owner.get(ROLES).await.ok();
        assert_eq!(each(&roles, "name"), ["Owner", "Admin", "Moderator", ""]);
        let shown: Vec<_> =
            roles.as_array().unwrap().iter().map(|role| role["priority"].clone()).collect();
        assert_eq!(shown, [1000, 100, 10, 0]);
        let base = json!({
            "id": EVERYONE, "name": "", "color": "", "permissions": "0", "highlighted": false,
            "priority": 0,
        });
        assert_eq!(roles[3], base);
        assert_eq!(owner.get(&format!("{ROLES}/{EVERYONE}")).await.ok(), base);
    }

    async fn a_role_is_created_changed_and_deleted(app: &TestApp) {
        let (owner, alice) = (app.staff("owner", "Owner").await, app.user("alice").await);
        let form = [("name", " Helper "), ("permissions", REPORTS), ("color", "#AABBCC")];
        let role = owner.form(ROLES, &form).await.ok();
        let helper = id(&role);
        assert_eq!(role, json!({
            "id": helper, "name": "Helper", "color": "#aabbcc", "permissions": REPORTS,
            "highlighted": false, "priority": 1,
        }));
        let changes = json!({ "priority": 7, "highlighted": true, "color": "" });
        let changed = update(&owner, &helper, changes.clone()).await.ok();
        assert_eq!(changed, json!({
            "id": helper, "name": "Helper", "color": "", "permissions": REPORTS,
            "highlighted": true, "priority": 7,
        }));
        assert_eq!(update(&owner, &helper, changes).await.ok(), changed);
        assert_eq!(update(&owner, &helper, json!({})).await.ok(), changed);
        assert_eq!(owner.get(&format!("{ROLES}/{helper}")).await.ok(), changed);
        let shown = assign(&owner, &alice.id, json!(helper)).await.ok();
        assert_eq!((&shown["id"], &shown["role"]["id"]), (&json!(alice.id), &json!(helper)));
        assert_eq!(delete(&owner, &helper).await.ok(), json!({}));
        delete(&owner, &helper).await.expect(404);
        assert_eq!(own_role(&alice).await["id"], EVERYONE);
        assert_eq!(log(&owner, "role", &helper).await, ["delete", "update", "create"]);
        assert_eq!(log(&owner, "account", &alice.id).await[0], "change_role");
    }

    async fn wrong_values_are_refused(app: &TestApp) {
        let owner = app.staff("owner", "Owner").await;
        let long = "e".repeat(51);
        for wrong in [
            json!({}),
            json!({ "name": " " }),
            json!({ "name": long }),
            json!({ "name": "Two\nlines" }),
            json!({ "name": "moderator" }),
            json!({ "name": "MODERATOR" }),
            json!({ "name": "Helper", "color": "red" }),
            json!({ "name": "Helper", "priority": 0 }),
            json!({ "name": "Helper", "priority": 1000 }),
            json!({ "name": "Helper", "priority": -1 }),
            json!({ "name": "Helper", "permissions": "many" }),
            json!({ "name": "Helper", "permissions": "2097152" }),
            json!({ "name": "Helper", "permissions": "-1" }),
        ] {
            let refused = create(&owner, wrong.clone()).await;
            assert_eq!(refused.status, 422, "{wrong}: {refused:?}");
        }
        for (role, wrong) in [
            ("1", json!({ "name": "" })),
            ("1", json!({ "name": "admin" })),
            ("1", json!({ "priority": 1000 })),
            ("3", json!({ "color": "red" })),
            (EVERYONE, json!({ "permissions": REPORTS })),
            (EVERYONE, json!({ "permissions": "1" })),
            (EVERYONE, json!({ "name": "All" })),
            (EVERYONE, json!({ "priority": 5 })),
            (EVERYONE, json!({ "highlighted": true })),
        ] {
            let refused = update(&owner, role, wrong.clone()).await;
            assert_eq!(refused.status, 422, "{role} {wrong}: {refused:?}");
        }
        delete(&owner, EVERYONE).await.expect(422);
        update(&owner, "1", json!({ "name": "MODERATOR" })).await.ok();
        assert_eq!(owner.get(ROLES).await.ids().len(), 4);
    }

    async fn the_number_of_roles_is_limited(app: &TestApp) {
        let owner = app.staff("owner", "Owner").await;
        for number in 0..96 {
            create(&owner, json!({ "name": format!("Role {number}") })).await.ok();
        }
        create(&owner, json!({ "name": "One more" })).await.expect(422);
        assert_eq!(owner.get(ROLES).await.ids().len(), 100);
    }

    // Staff change only roles below their own, and grant only what they may do themselves.
    async fn staff_do_not_exceed_their_own_role(app: &TestApp) {
        let (owner, admin) = (app.staff("owner", "Owner").await, app.staff("ada", "Admin").await);
        let peers = json!({ "name": "Peers", "permissions": REPORTS, "priority": 100 });
        let peers = id(&create(&owner, peers).await.ok());
        let engineers = json!({ "name": "Engineers", "permissions": DEVOPS, "priority": 20 });
        let engineers = id(&create(&owner, engineers).await.ok());
        for refused in [
            create(&admin, json!({ "name": "A", "priority": 100 })).await,
            create(&admin, json!({ "name": "A", "priority": 999 })).await,
            create(&admin, json!({ "name": "A", "permissions": DEVOPS })).await,
            create(&admin, json!({ "name": "A", "permissions": "1" })).await,
            update(&admin, "1", json!({ "permissions": DEVOPS })).await,
            update(&admin, "1", json!({ "priority": 100 })).await,
            update(&admin, "2", json!({ "permissions": REPORTS })).await,
            update(&admin, "2", json!({ "priority": 99 })).await,
            update(&admin, "3", json!({ "name": "Chief" })).await,
            update(&admin, &peers, json!({ "name": "Chief" })).await,
            delete(&admin, "2").await,
            delete(&admin, "3").await,
            delete(&admin, &peers).await,
            update(&owner, "3", json!({ "permissions": REPORTS })).await,
            delete(&owner, "3").await,
        ] {
            assert!(refused.expect(403)["error"].is_string());
        }
        // The badge of the own role is no matter of rank.
        assert_eq!(update(&admin, "2", json!({ "color": "#112233" })).await.ok()["priority"], 100);
        update(&owner, "3", json!({ "name": "Chief" })).await.ok();
        // What a role grants already is not granted again.
        update(&admin, &engineers, json!({ "name": "Builders" })).await.ok();
        delete(&admin, &engineers).await.ok();
        create(&admin, json!({ "name": "A", "permissions": REPORTS, "priority": 99 })).await.ok();
    }

    async fn roles_are_assigned_below_the_own_rank(app: &TestApp) {
        let (owner, admin) = (app.staff("owner", "Owner").await, app.staff("ada", "Admin").await);
        let (peer, alice) = (app.staff("bea", "Admin").await, app.user("alice").await);
        let engineers = json!({ "name": "Engineers", "permissions": DEVOPS, "priority": 20 });
        let engineers = id(&create(&owner, engineers).await.ok());
        for refused in [
            assign(&admin, &alice.id, json!("3")).await,
            assign(&admin, &alice.id, json!("2")).await,
            assign(&admin, &alice.id, json!(engineers)).await,
            assign(&admin, &peer.id, json!("1")).await,
            assign(&admin, &peer.id, json!(null)).await,
            assign(&admin, &admin.id, json!(null)).await,
            assign(&admin, &admin.id, json!("3")).await,
            assign(&admin, &owner.id, json!(null)).await,
            assign(&owner, &owner.id, json!("2")).await,
        ] {
            assert!(refused.expect(403)["error"].is_string());
        }
        assert_eq!(log(&owner, "account", &alice.id).await, Vec::<String>::new());
        assign(&admin, &alice.id, json!(EVERYONE)).await.expect(422);
        let remote = app.remote("zoe", "elsewhere.example").await;
        assign(&owner, &remote, json!("1")).await.expect(422);
        for unknown in ["9", "0", "abc"] {
            assign(&owner, &alice.id, json!(unknown)).await.expect(404);
            assign(&owner, unknown, json!("1")).await.expect(404);
        }
        let path = format!("/api/v1/admin/accounts/{}/role", alice.id);
        owner.put(&path, &[("", "")]).await.expect(400);
        let shown = assign(&admin, &alice.id, json!("1")).await.ok();
        assert_eq!(shown["role"]["name"], "Moderator");
        assign(&admin, &alice.id, json!("1")).await.ok();
        assert_eq!(own_role(&alice).await["id"], "1");
        owner.put(&path, &[("role_id", "")]).await.ok();
        assign(&owner, &alice.id, json!(null)).await.ok();
        assert_eq!(own_role(&alice).await["id"], EVERYONE);
        assert_eq!(log(&owner, "account", &alice.id).await, ["change_role", "change_role"]);
    }

    async fn a_changed_role_acts_at_the_next_request(app: &TestApp) {
        let (owner, moderator) =
            (app.staff("owner", "Owner").await, app.staff("mo", "Moderator").await);
        let log = "/api/v1/admin/audit_log";
        moderator.get(log).await.ok();
        update(&owner, "1", json!({ "permissions": REPORTS })).await.ok();
        assert_eq!(moderator.get(log).await.expect(403)["error"], REFUSED);
        update(&owner, "1", json!({ "permissions": "4" })).await.ok();
        moderator.get(log).await.ok();
        assign(&owner, &moderator.id, json!(null)).await.ok();
        moderator.get(log).await.expect(403);
        assign(&owner, &moderator.id, json!("1")).await.ok();
        moderator.get(log).await.ok();
        delete(&owner, "1").await.ok();
        moderator.get(log).await.expect(403);
    }

    async fn badges_follow_the_role(app: &TestApp) {
        let (owner, alice) = (app.staff("owner", "Owner").await, app.user("alice").await);
        let role = json!({ "name": "Helper", "highlighted": true, "color": "#aabbcc" });
        let helper = id(&create(&owner, role).await.ok());
        let badges = async || {
            let path = format!("/api/v1/accounts/{}", alice.id);
            app.anonymous().get(&path).await.ok()["roles"].take()
        };
        assert_eq!(badges().await, json!([]));
        assign(&owner, &alice.id, json!(helper)).await.ok();
        let badge = json!([{ "id": helper, "name": "Helper", "color": "#aabbcc" }]);
        assert_eq!(badges().await, badge);
        update(&owner, &helper, json!({ "name": "Friend" })).await.ok();
        assert_eq!(badges().await[0]["name"], "Friend");
        update(&owner, &helper, json!({ "highlighted": false })).await.ok();
        assert_eq!(badges().await, json!([]));
        update(&owner, &helper, json!({ "highlighted": true })).await.ok();
        assert_eq!(each(&badges().await, "name"), ["Friend"]);
        delete(&owner, &helper).await.ok();
        assert_eq!(badges().await, json!([]));
    }

    // Users see the role that they have in effect.
    async fn everyone_has_the_permissions_of_the_base_role(app: &TestApp) {
        let (owner, alice) = (app.staff("owner", "Owner").await, app.user("alice").await);
        let moderator = app.staff("mo", "Moderator").await;
        let both = async || (own_role(&alice).await, own_role(&moderator).await);
        let (base, role) = both().await;
        assert_eq!((&base["id"], &base["permissions"]), (&json!(EVERYONE), &json!("0")));
        assert_eq!((&role["id"], &role["permissions"]), (&json!("1"), &json!("1308")));
        let changed = update(&owner, EVERYONE, json!({ "permissions": INVITES })).await.ok();
        assert_eq!(changed["permissions"], INVITES);
        let (base, role) = both().await;
        assert_eq!(base["permissions"], INVITES);
        assert_eq!(role["permissions"], (65_536 + 1308).to_string());
        // The role itself stays as it is.
        let stored = role_named(&owner, "Moderator").await;
        let stored = owner.get(&format!("{ROLES}/{stored}")).await.ok();
        assert_eq!(stored["permissions"], "1308");
        assert_eq!(log(&owner, "role", EVERYONE).await, ["update"]);
    }

    async fn parallel_changes_leave_one_result_and_one_entry_each(app: &TestApp) {
        let (owner, alice) = (app.staff("owner", "Owner").await, app.user("alice").await);
        let same = (0..50).map(|_| assign(&owner, &alice.id, json!("1")));
        for given in join_all(same).await {
            given.ok();
        }
        assert_eq!(log(&owner, "account", &alice.id).await, ["change_role"]);
        let role = json!({ "name": "Helper" });
        let created = join_all((0..50).map(|_| create(&owner, role.clone()))).await;
        let done = created.iter().filter(|created| created.status == 200).count();
        assert_eq!((done, owner.get(ROLES).await.ids().len()), (1, 5));
        let helper = role_named(&owner, "Helper").await;
        // One deletes the role while the others assign it.
        let (given, deleted) = tokio::join!(
            join_all((0..49).map(|_| assign(&owner, &alice.id, json!(helper)))),
            delete(&owner, &helper),
        );
        deleted.ok();
        assert!(given.iter().all(|given| [200, 404].contains(&given.status)), "{given:?}");
        assert_ne!(own_role(&alice).await["id"], json!(helper));
    }
}
