//! `/admin/accounts`: lists, one account, decisions, and its posts.

use reqwest::Method;
use serde_json::{Value, json};

use super::{SCRIPT, assert_escaped, confirm, followed, posted_fields, staff_in_browser, submit};
use crate::support::{User, id};

const PAGE: &str = "/admin/accounts";

fn page_of(account: &User, rest: &str) -> String {
    format!("{PAGE}/{}{rest}", account.id)
}

api_tests! {
    async fn accounts_are_found_by_what_staff_look_for(app: &TestApp) {
        let (mo, browser) = staff_in_browser(app, "mo", "Moderator").await;
        let (ann, bob) = (app.user("ann").await, app.user("bob").await);
        let cem = app.remote("cem", "far.example").await;
        mo.impose("silence", &bob).await;
        for (query, found) in [
            ("", vec!["mo", "ann", "bob", "cem@far.example"]),
            ("username=an", vec!["ann"]),
            ("email=bob@", vec!["bob"]),
            ("origin=remote", vec!["cem@far.example"]),
            ("by_domain=far.example", vec!["cem@far.example"]),
            ("status=silenced", vec!["bob"]),
            ("permissions=staff", vec!["mo"]),
            ("username=&email=&origin=&status=&role_id=&ip=", vec!["mo", "ann", "bob", "cem@far.example"]),
            ("invited_by=x", vec![]),
        ] {
            let page = browser.get(&format!("{PAGE}?{query}")).await.text();
            let table = page.split("<tbody>").nth(1).unwrap_or_default();
            for name in ["mo", "ann", "bob", "cem@far.example"] {
                let is_shown = table.contains(&format!(">@{name}</a>"));
                assert_eq!(is_shown, found.contains(&name), "{query} {name}: {page}");
            }
        }
        for query in ["origin=moon", "status=odd", "ip=x"] {
            let refused = browser.get(&format!("{PAGE}?{query}&email=typed@")).await;
            assert_eq!(refused.status, 422, "{query}");
            assert!(refused.text().contains("value=\"typed@\""), "{query}");
            let label = match query {
                "origin=moon" => "From is",
                "status=odd" => "State is",
                _ => "Address or network must be",
            };
            assert!(refused.text().contains(label), "{query}: {refused:?}");
        }
        let page = browser.get(&format!("{PAGE}?limit=1&origin=local")).await.text();
        let next = page.split("rel=\"next\" href=\"").nth(1).unwrap().split('"').next().unwrap();
        let next = next.replace("&#38;", "&");
        assert!(next.contains("origin=local"), "{next}");
        assert!(browser.get(&next).await.text().contains(">@ann</a>"));
        assert_eq!(browser.get(&page_of(&ann, "")).await.status, 200);
        assert_eq!(browser.get(&format!("{PAGE}/{cem}")).await.status, 200);
    }

    async fn an_account_is_warned_restricted_and_restored(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "moderatrix", "Moderator").await;
        let bob = app.user("bob").await;
        let (form, undo) = (page_of(&bob, "/action"), page_of(&bob, "/undo"));
        assert!(browser.get(&form).await.text().contains("name=\"send_email_notification\" type=\"checkbox\" value=\"1\" checked"));
        for (kind, ending, state) in [
            ("none", None, None),
            ("sensitive", Some("unsensitive"), Some("Media marked as sensitive")),
            ("silence", Some("unsilence"), Some("Limited")),
            ("disable", Some("enable"), Some("Login disabled")),
            ("suspend", Some("unsuspend"), Some("Suspended")),
        ] {
            let fields = [("type", kind), ("text", "Be kind")];
            let page = followed(&browser, &submit(&browser, &form, &form, &fields).await).await;
            assert!(page.contains("The decision took effect."), "{kind}: {page}");
            assert!(page.contains("Be kind"), "{kind}: {page}");
            let Some(ending) = ending else { continue };
            assert!(page.contains(&format!("<span class=\"tag\">{}</span>", state.unwrap())), "{kind}: {page}");
            assert!(page.contains(&format!("value=\"{ending}\"")), "{kind}: {page}");
            let mut fields = posted_fields(&page, &undo);
            fields.push(("type".to_owned(), ending.to_owned()));
            let page = followed(&browser, &browser.form(&undo, &fields).await).await;
            assert!(page.contains("The restriction has ended."), "{kind}: {page}");
            assert!(!page.contains(&format!("value=\"{ending}\"")), "{kind}: {page}");
            // It cannot end twice.
            let again = browser.form(&undo, &fields).await;
            assert_eq!(again.status, 403, "{kind}");
            assert!(again.text().contains("role=\"alert\""), "{kind}");
        }
        let strikes = bob.strikes().await;
        assert_eq!(strikes.len(), 5);
        assert!(strikes.iter().all(|strike| strike["text"] == "Be kind"));
        assert!(!json!(strikes).to_string().contains("moderatrix"));
        assert_eq!(
            app.audited(&bob).await,
            ["warn", "mark_sensitive", "unmark_sensitive", "silence", "unsilence", "disable", "enable", "suspend", "unsuspend"]
        );
    }

    async fn faults_keep_what_was_typed(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "mo", "Moderator").await;
        let bob = app.user("bob").await;
        let form = page_of(&bob, "/action");
        let long = "é".repeat(2001);
        let refused = submit(&browser, &form, &form, &[("type", "silence"), ("text", &long)]).await;
        assert_eq!(refused.status, 422);
        let page = refused.text();
        assert!(page.contains("Text to @bob is too long") && page.contains(&long));
        assert!(page.contains("type=\"radio\" value=\"silence\" checked"));
        let refused = submit(&browser, &form, &form, &[("text", "Hm")]).await;
        assert_eq!(refused.status, 422);
        assert!(refused.text().contains("Choose what to do."), "{refused:?}");
        assert!(refused.text().contains(">Hm</textarea>"));
        assert_eq!(app.audited(&bob).await, Vec::<&str>::new());
    }

    async fn no_one_acts_on_someone_at_or_above_their_rank(app: &TestApp) {
        let (mo, browser) = staff_in_browser(app, "mo", "Moderator").await;
        let (other, boss) = (app.staff("max", "Moderator").await, app.staff("boss", "Owner").await);
        let bob = app.user("bob").await;
        let form = posted_fields(&browser.get(&page_of(&bob, "/action")).await.text(), &page_of(&bob, "/action"));
        let silence = [&form[..], &[("type".to_owned(), "silence".to_owned())]].concat();
        for equal in [&mo, &other, &boss] {
            let page = browser.get(&page_of(equal, "")).await.text();
            assert!(!page.contains("Warn or restrict"), "{page}");
            assert_eq!(browser.get(&page_of(equal, "/action")).await.status, 403);
            assert_eq!(browser.form(&page_of(equal, "/action"), &silence).await.status, 403);
            assert!(app.audited(equal).await.iter().all(|action| *action != "silence"));
        }
        // A moderator changes no roles.
        assert!(!browser.get(&page_of(&bob, "")).await.text().contains("id=\"role_id\""));
        assert_eq!(browser.form(&page_of(&bob, "/role"), &form).await.status, 404);
    }

    async fn an_admin_gives_roles_below_the_own_one(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        let (boss, bob) = (app.staff("boss", "Owner").await, app.user("bob").await);
        let roles = boss.get("/api/v1/admin/roles").await.ok();
        let role = |name: &str| {
            let found = roles.as_array().unwrap().iter().find(|role| role["name"] == name);
            id(found.unwrap())
        };
        let page = browser.get(&page_of(&bob, "")).await.text();
        assert!(page.contains(">Moderator</option>") && !page.contains(">Owner</option>"), "{page}");
        let change = async |role: &str| {
            submit(&browser, &page_of(&bob, ""), &page_of(&bob, "/role"), &[("role_id", role)]).await
        };
        let page = followed(&browser, &change(&role("Moderator")).await).await;
        assert!(page.contains("The role was changed."), "{page}");
        assert_eq!(bob.credentials().await.ok()["role"]["name"], "Moderator");
        let refused = change(&role("Owner")).await;
        assert_eq!(refused.status, 403);
        assert!(refused.text().contains("role=\"alert\""));
        assert_eq!(change("12345").await.status, 404);
        assert_eq!(change("").await.status, 303);
        assert_eq!(app.audited(&bob).await.len(), 2);
        let page = browser.get(&page_of(&boss, "")).await.text();
        assert!(!page.contains("id=\"role_id\""), "{page}");
    }

    async fn a_lost_second_factor_is_removed(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        let (_, moderator) = staff_in_browser(app, "mo", "Moderator").await;
        let bob = app.guarded("bob").await.user;
        let path = page_of(&bob, "/second-factor");
        assert!(browser.get(&page_of(&bob, "")).await.text().contains(&path));
        assert!(!moderator.get(&page_of(&bob, "")).await.text().contains(&path));
        assert_eq!(moderator.get(&path).await.status, 404);
        let page = followed(&browser, &submit(&browser, &path, &path, &[]).await).await;
        assert!(page.contains("The second factor was removed.") && !page.contains(&path), "{page}");
        assert_eq!(app.audited(&bob).await, ["remove_second_factor"]);
    }

    async fn data_of_suspended_accounts_are_deleted_after_a_confirmation(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        let (mo, moderator) = staff_in_browser(app, "mo", "Moderator").await;
        let bob = app.user("bob").await;
        let path = page_of(&bob, "/delete");
        let refused = submit(&browser, &path, &path, &[]).await;
        assert_eq!(refused.status, 403, "the account is not suspended");
        mo.impose("suspend", &bob).await;
        assert!(browser.get(&page_of(&bob, "")).await.text().contains(&path));
        assert_eq!(moderator.get(&path).await.status, 404);
        let page = followed(&browser, &submit(&browser, &path, &path, &[]).await).await;
        assert!(page.contains("The data of the account are being deleted."), "{page}");
        app.settle().await;
        assert_eq!(browser.get(&page_of(&bob, "")).await.status, 404);
    }

    async fn chosen_posts_are_marked_or_deleted_with_one_strike(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "mo", "Moderator").await;
        let bob = app.user("bob").await;
        let (first, second) = (bob.publish("Hello 1").await, bob.publish("Hello 2").await);
        let hidden = bob.publish_as(json!({ "status": "Secret words", "visibility": "private" })).await;
        let other = app.user("ann").await.publish("Good day").await;
        let path = page_of(&bob, "/statuses");
        let page = browser.get(&path).await.text();
        assert!(page.contains("Hello 1") && page.contains("Hello 2"), "{page}");
        assert!(!page.contains("Secret words"), "{page}");
        let act = async |kind: &str, posts: &[&Value]| {
            let ids: Vec<String> = posts.iter().map(|post| id(post)).collect();
            let mut fields = vec![("type", kind), ("text", "Please stop")];
            fields.extend(ids.iter().map(|id| ("status_ids[]", id.as_str())));
            submit(&browser, &path, &path, &fields).await
        };
        let refused = act("delete", &[]).await;
        assert_eq!(refused.status, 422);
        assert!(refused.text().contains("Choose at least one post.") && refused.text().contains("Please stop"));
        let refused = act("", &[&second]).await;
        assert_eq!(refused.status, 422);
        assert!(refused.text().contains(&format!("value=\"{}\" checked", id(&second))));
        assert_eq!(act("delete", &[&first, &other]).await.status, 422, "two authors");

        let page = followed(&browser, &act("mark_as_sensitive", &[&first, &second]).await).await;
        assert!(page.contains("The decision took effect."), "{page}");
        assert_eq!(bob.strikes().await.len(), 1);
        let asked = act("delete", &[&first, &second]).await;
        followed(&browser, &confirm(&browser, &asked, &path).await).await;
        assert_eq!(bob.strikes().await.len(), 2);
        for (post, status) in [(&first, 404), (&second, 404), (&hidden, 200), (&other, 200)] {
            assert_eq!(bob.get(&format!("/api/v1/statuses/{}", id(post))).await.status, status);
        }
        let mut gone = posted_fields(&browser.get("/admin").await.text(), "/auth/sign_out");
        gone.extend([("type".to_owned(), "delete".to_owned()), ("status_ids[]".to_owned(), id(&first))]);
        assert_eq!(browser.form(&path, &gone).await.status, 422);
    }

    async fn a_deletion_of_posts_is_confirmed_first(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "mo", "Moderator").await;
        let bob = app.user("bob").await;
        let warned = json!({ "status": SCRIPT, "spoiler_text": "Loud birds" });
        let posts = [bob.publish("Hello 1").await, bob.publish_as(warned).await];
        let path = page_of(&bob, "/statuses");
        let [first, second] = [&posts[0], &posts[1]].map(id);
        let text = format!("{SCRIPT}\nStop");
        let mut fields = vec![
            ("type", "delete"), ("text", text.as_str()), ("send_email_notification", "1"),
            ("status_ids[]", first.as_str()), ("status_ids[]", second.as_str()),
        ];
        let asked = submit(&browser, &path, &path, &fields).await;
        let page = asked.text();
        assert_escaped(&page);
        for part in [
            "Delete 2 posts of @bob?", "cannot be restored", &format!("href=\"{path}\""),
            "<p class=\"lines\">Hello 1</p>", "<p class=\"lines\">Loud birds\n&#60;script&#62;",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
        for post in &posts {
            let link = format!("<a href=\"{}\"><bdi>Post of ", post["url"].as_str().unwrap());
            assert!(page.contains(&link), "{link}: {page}");
        }
        for status in [&first, &second] {
            assert_eq!(bob.get(&format!("/api/v1/statuses/{status}")).await.status, 200);
        }
        assert_eq!(bob.strikes().await.len(), 0);
        let page = followed(&browser, &confirm(&browser, &asked, &path).await).await;
        assert!(page.contains("The decision took effect."), "{page}");
        assert_eq!(bob.get(&format!("/api/v1/statuses/{first}")).await.status, 404);
        assert_eq!(bob.strikes().await[0]["text"], text);
        let picture = id(&bob.publish_picture("Look", "").await);
        fields.truncate(3);
        fields.push(("status_ids[]", &picture));
        let asked = submit(&browser, &path, &path, &fields).await;
        assert!(asked.text().contains(", with 1 attachment</bdi>"), "{asked:?}");
        // Faults come before the question.
        let long = "x".repeat(2001);
        fields[1].1 = &long;
        let refused = submit(&browser, &path, &path, &fields).await;
        assert_eq!(refused.status, 422);
        assert!(refused.text().contains("Text to the author is too long"), "{refused:?}");
        let staff = app.staff("max", "Moderator").await;
        let theirs = id(&staff.publish("Good day").await);
        let mut equal = posted_fields(&browser.get(&path).await.text(), &path);
        equal.extend([("type".to_owned(), "delete".to_owned()), ("status_ids[]".to_owned(), theirs)]);
        let refused = browser.form(&page_of(&staff, "/statuses"), &equal).await;
        assert_eq!(refused.status, 403, "{refused:?}");
        assert_eq!(bob.strikes().await.len(), 1);
    }

    // For the form, all other posts are as unknown as one that never existed.
    async fn a_form_names_only_the_posts_of_its_page(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "mo", "Moderator").await;
        let (ann, bob) = (app.user("ann").await, app.user("bob").await);
        let equal = app.staff("max", "Moderator").await;
        let shown = id(&bob.publish("Hello").await);
        let private = json!({ "status": "Secret words", "visibility": "private" });
        let direct = json!({ "status": "@ann Secret words", "visibility": "direct" });
        let other = ann.publish("Good day").await;
        let others = [
            id(&bob.publish_as(private).await),
            id(&bob.publish_as(direct).await),
            id(&bob.act("reblog", &other).await),
            id(&other),
            id(&equal.publish("Good day").await),
            "115600000000000001".to_owned(),
        ];
        let path = page_of(&bob, "/statuses");
        let hidden = posted_fields(&browser.get(&path).await.text(), &path);
        for unknown in &others {
            for chosen in [vec![unknown], vec![&shown, unknown]] {
                for (kind, confirmed) in [("delete", "0"), ("delete", "1"), ("mark_as_sensitive", "0")] {
                    let mut form = hidden.clone();
                    let fields = [("type", kind), ("confirmed", confirmed)];
                    let ids = chosen.iter().map(|id| ("status_ids[]", id.as_str()));
                    form.extend(fields.into_iter().chain(ids).map(|(name, value)| (name.to_owned(), value.to_owned())));
                    let refused = browser.form(&path, &form).await;
                    assert_eq!(refused.status, 422, "{unknown} {kind}: {refused:?}");
                    let page = refused.text();
                    assert!(page.contains("One of the posts does not exist any more."), "{page}");
                    assert!(!page.contains("Secret"), "{page}");
                }
            }
        }
        assert!(bob.strikes().await.is_empty() && ann.strikes().await.is_empty());
        for (author, kept) in [(&bob, &others[0]), (&bob, &others[1]), (&bob, &others[2]), (&bob, &shown), (&ann, &others[3])] {
            assert_eq!(author.get(&format!("/api/v1/statuses/{kept}")).await.status, 200);
        }
    }

    async fn an_overruled_deletion_does_not_bring_posts_back(app: &TestApp) {
        let (mo, admin) = (app.staff("mo", "Moderator").await, app.staff("admin", "Admin").await);
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        let bob = app.user("bob").await;
        let approve = async || {
            let strike = id(&bob.strikes().await[0]);
            let path = format!("/api/v1/strikes/{strike}/appeal");
            bob.json(&path, json!({ "text": "It was satire." })).await.ok();
            let appeal = admin.get("/api/v1/admin/appeals?state=pending").await.ids().remove(0);
            admin.post(&format!("/api/v1/admin/appeals/{appeal}/approve")).await.ok();
        };
        mo.act_on_status(&bob.publish("Rude").await, json!({ "type": "delete" })).await.ok();
        approve().await;
        let page = browser.get(&page_of(&bob, "")).await.text();
        let words = "<span class=\"tag\">Overruled</span> <span class=\"note\">The posts stay deleted.</span>";
        assert!(page.contains(words) && !page.contains("Taken back"), "{page}");
        mo.impose("silence", &bob).await;
        approve().await;
        let page = browser.get(&page_of(&bob, "")).await.text();
        assert!(page.contains("<span class=\"tag\">Taken back</span>"), "{page}");
        assert_eq!(page.matches("Overruled").count(), 1, "{page}");
    }

    async fn what_people_wrote_is_escaped(app: &TestApp) {
        let (mo, browser) = staff_in_browser(app, "mo", "Moderator").await;
        let (bob, ann) = (app.user("bob").await, app.user("ann").await);
        let name: String = SCRIPT.chars().take(25).collect();
        bob.patch("/api/v1/accounts/update_credentials", &[("display_name", &name)]).await.ok();
        bob.publish_as(json!({ "status": SCRIPT, "spoiler_text": SCRIPT })).await;
        ann.report_as(&bob, json!({ "comment": SCRIPT })).await;
        mo.act_against(&bob, json!({ "type": "none", "text": SCRIPT })).await;
        for path in [PAGE.to_owned(), page_of(&bob, ""), page_of(&bob, "/statuses"), page_of(&bob, "/action")] {
            let response = browser.get(&path).await;
            assert_eq!(response.status, 200, "{path}");
            assert_escaped(&response.text());
        }
        let request = browser.request(Method::GET, &page_of(&bob, "/action"));
        let request = request.query(&[("type", SCRIPT), ("report_id", SCRIPT), ("text", SCRIPT)]);
        assert_escaped(&browser.send(request).await.text());
    }
}
