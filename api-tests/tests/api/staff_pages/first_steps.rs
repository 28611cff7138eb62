//! `/admin/first-steps`: the way from the set-up link to a server that is ready.

use std::{net::TcpListener, time::Duration};

use futures_util::future::join_all;
use reqwest::multipart;
use serde_json::{Value, json};
use siskin_entities::{Actor, PageRequest, TargetKind};
use siskin_persistence::Conn;
use siskin_server::Config;
use siskin_services::{
    audit::{self, AuditSelection},
    setup,
};
use siskin_test_support::{MailSink, both_engines};

use super::{SCRIPT, assert_escaped, followed, posted_fields, staff_in_browser, submit};
use crate::{
    oauth::{hidden_fields, sign_in, signed_in},
    support::{
        Client, Response, TestApp,
        pictures::{file, moving_gif, png, size},
        run, with_mail, with_mail_and,
    },
};

const PAGE: &str = "/admin/first-steps";
const SKIP: &str = "/admin/first-steps/skip";
const PICTURE: &str = "/admin/first-steps/picture";
const MAIL: &str = "/admin/first-steps/mail";
const STEPS: [&str; 7] =
    ["name", "description", "picture", "rules", "registrations", "mail", "backups"];

fn step(name: &str) -> String {
    format!("{PAGE}/{name}")
}

/// Returns the states of all steps in the list, such as `Done`.
async fn states(browser: &Client) -> Vec<(String, String)> {
    let page = browser.get(PAGE).await.text();
    let table = page.split("<tbody>").nth(1).unwrap_or_else(|| panic!("{page}"));
    let rows = table.split("</tbody>").next().unwrap().split("<tr>").skip(1);
    let between = |row: &str, before: &str, after: &str| {
        row.split(before).nth(1).unwrap().split(after).next().unwrap().to_owned()
    };
    rows.map(|row| {
        let name = between(row, &format!("href=\"{PAGE}/"), "\"");
        (name, between(row, "class=\"tag\">", "<"))
    })
    .collect()
}

async fn state(browser: &Client, name: &str) -> String {
    let states = states(browser).await;
    let found = states.iter().find(|(step, _)| step == name);
    found.unwrap_or_else(|| panic!("{name}: {states:?}")).1.clone()
}

/// Returns the number of steps that the overview shows as left. `None` without the link.
async fn left(browser: &Client) -> Option<String> {
    let page = browser.get("/admin").await.text();
    let link = page.split(&format!("<a href=\"{PAGE}\"><strong>")).nth(1)?;
    Some(link.split("</strong>").next()?.to_owned())
}

/// Submits the form of a step.
async fn send(browser: &Client, name: &str, fields: &[(&str, &str)]) -> Response {
    submit(browser, &step(name), &step(name), fields).await
}

/// Presses the button that skips a step.
async fn skip(browser: &Client, name: &str) -> Response {
    submit(browser, &step(name), SKIP, &[]).await
}

/// Checks that a response leads to this path.
fn assert_leads_to(response: &Response, path: &str) {
    assert_eq!(response.status, 303, "{response:?}");
    let location = response.header("location").unwrap();
    let found = location.split('?').next().unwrap();
    assert!(found.ends_with(path), "{location} instead of {path}");
}

/// Uploads a picture of the server.
async fn upload(browser: &Client, picture: Option<Vec<u8>>) -> Response {
    let page = browser.get(PICTURE).await.text();
    let fields = posted_fields(&page, PICTURE).into_iter();
    let form = fields.fold(multipart::Form::new(), |form, (name, value)| form.text(name, value));
    let form = match picture {
        Some(picture) => form.part("image", file(picture, "a.png", "image/png")),
        None => form,
    };
    browser.multipart(PICTURE, form).await
}

async fn instance(app: &TestApp) -> Value {
    app.anonymous().get("/api/v2/instance").await.ok()
}

/// Returns the sizes of the files at these addresses.
async fn sizes(app: &TestApp, addresses: &[&Value]) -> Vec<(u32, u32)> {
    let mut sizes = Vec::new();
    for address in addresses {
        let response = app.anonymous().get(address.as_str().unwrap()).await;
        assert_eq!(response.status, 200, "{address}: {response:?}");
        sizes.push(size(&response.body));
    }
    sizes
}

/// Returns the entries of the audit log as action, kind and name, the first one first.
async fn audited(app: &TestApp) -> Vec<String> {
    let load =
        |conn: &mut Conn| audit::list(conn, AuditSelection::default(), PageRequest::newest(200));
    let entries = app.app().read(load).await.unwrap().items.into_iter().rev();
    entries
        .filter(|entry| !matches!(entry.target.kind, TargetKind::Account | TargetKind::Role))
        .map(|entry| {
            let (action, target) = (entry.action.as_str(), entry.target);
            format!("{action} {} {}", target.kind.as_str(), target.name)
        })
        .collect()
}

/// Creates the owner through the set-up link. Returns the browser, and where it is led to.
async fn set_up(app: &TestApp) -> (Client, String) {
    let token = app.app().write(setup::offer).await.unwrap().unwrap();
    let browser = app.browser();
    let page = browser.get(&format!("/setup?token={token}")).await.text();
    let mut form = hidden_fields(&page, "/setup");
    for (name, value) in
        [("username", "boss"), ("email", "boss@example.com"), ("password", "correct horse")]
    {
        form.push((name.to_owned(), value.to_owned()));
    }
    let created = browser.form("/setup", &form).await;
    assert_eq!(created.status, 302, "{created:?}");
    let location = created.header("location").unwrap().to_owned();
    (browser, location)
}

both_engines! {
    fn the_set_up_link_leads_through_all_steps(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            let (browser, location) = set_up(app).await;
            assert!(location.ends_with(PAGE), "{location}");
            let page = browser.get(&location).await.text();
            assert!(page.contains(&format!("href=\"{}\"", step("name"))), "{page}");
            let names: Vec<String> = states(&browser).await.into_iter().map(|one| one.0).collect();
            assert_eq!(names, STEPS);
            assert_eq!(left(&browser).await.as_deref(), Some("7"));

            let saved = send(&browser, "name", &[("site_title", "Birds & Co")]).await;
            assert_leads_to(&saved, &step("description"));
            let page = followed(&browser, &saved).await;
            assert!(page.contains("The name was saved.") && page.contains("Birds &#38; Co"), "{page}");
            let fields =
                [("site_short_description", "For friends"), ("site_description", "One\r\nTwo")];
            let saved = send(&browser, "description", &fields).await;
            assert_leads_to(&saved, PICTURE);
            assert_leads_to(&upload(&browser, Some(png(2400, 1260))).await, &step("rules"));
            for text in ["Be kind", "Be brief"] {
                let added = send(&browser, "rules", &[("text", text), ("hint", "")]).await;
                assert_leads_to(&added, &step("rules"));
                let page = followed(&browser, &added).await;
                assert!(page.contains("The rule was added.") && page.contains(text), "{page}");
                assert!(page.contains(&format!("href=\"{}\"", step("registrations"))), "{page}");
            }
            let fields = [("registrations", "approval"), ("registrations_message", "Come later")];
            let saved = send(&browser, "registrations", &fields).await;
            assert_leads_to(&saved, MAIL);
            assert!(browser.get(MAIL).await.text().contains("boss@example.com"));
            let sent = send(&browser, "mail", &[]).await;
            assert_leads_to(&sent, MAIL);
            assert!(followed(&browser, &sent).await.contains("The mail server accepted the email"));
            let confirmed = send(&browser, "backups", &[]).await;
            assert_leads_to(&confirmed, PAGE);

            let done: Vec<String> = states(&browser).await.into_iter().map(|one| one.1).collect();
            assert_eq!(done, ["Done"; 7]);
            assert_eq!(left(&browser).await, None);
            // The navigation leads there again.
            let overview = browser.get("/admin").await.text();
            assert!(overview.contains(&format!("href=\"{PAGE}\"")), "{overview}");

            let mails = sink.mails();
            let mail = mails.last().unwrap();
            assert_eq!((mails.len(), mail.to.as_slice()), (1, ["boss@example.com".to_owned()].as_slice()));
            assert!(mail.header("subject").unwrap().contains("Test email"), "{mail:?}");
            assert!(mail.text().contains(app.base_url()), "{}", mail.text());
            let instance = instance(app).await;
            assert_eq!(instance["title"], "Birds & Co");
            assert_eq!(instance["description"], "For friends");
            assert_eq!(instance["registrations"]["approval_required"], true);
            assert_eq!(instance["rules"].as_array().unwrap().len(), 2);
            assert_eq!(instance["icon"].as_array().unwrap().len(), 2);
            assert_eq!(app.app().settings().site_description, "One\nTwo");
            assert_eq!(
                audited(app).await,
                [
                    "update setting site_title",
                    "update setting site_short_description",
                    "update setting site_description",
                    "create instance_picture picture",
                    "create rule Be kind",
                    "create rule Be brief",
                    "update setting registrations",
                    "update setting registrations_message",
                ],
            );
        });
    }

    fn a_mail_server_that_fails_is_explained(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            let (_, browser) = staff_in_browser(app, "boss", "Owner").await;
            for (reply, words) in [
                ("550 no such user", "The mail server refused the email (reply 550)."),
                ("535 wrong", "The mail server did not accept the user name or the password"),
                ("451 busy", "The mail server does not accept the email at the moment (reply 451)."),
            ] {
                sink.refuse(Some(reply));
                let refused = send(&browser, "mail", &[]).await;
                assert_eq!(refused.status, 422, "{reply}");
                assert!(refused.text().contains(words), "{reply}: {}", refused.text());
                assert_eq!(state(&browser, "mail").await, "To do");
            }
            sink.refuse(None);
            assert_leads_to(&send(&browser, "mail", &[]).await, MAIL);
            assert_eq!(state(&browser, "mail").await, "Done");
            // A later failure shows that something is wrong, but the step is known.
            sink.refuse(Some("451 busy"));
            assert_eq!(send(&browser, "mail", &[]).await.status, 422);
            assert_eq!(sink.mails().len(), 1);
        });
    }

    fn a_closed_port_is_explained(database: &TestDatabase) {
        let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let configure = |config: &mut Config| {
            config.smtp_url = Some(format!("smtp://{closed}"));
            config.mail_from = Some("siskin@example.org".to_owned());
        };
        run(database, configure, async |app: &TestApp| {
            let (_, browser) = staff_in_browser(app, "boss", "Owner").await;
            let refused = send(&browser, "mail", &[]).await;
            assert_eq!(refused.status, 422);
            let page = refused.text();
            assert!(page.contains("The mail server cannot be reached."), "{page}");
            assert!(page.contains("Send a test email") && page.contains("Skip this step"), "{page}");
            assert_eq!(state(&browser, "mail").await, "To do");
        });
    }

    fn test_emails_are_limited(database: &TestDatabase) {
        let with_limits = |config: &mut Config| config.fixed_settings.clear();
        with_mail_and(database, with_limits, async |app: &TestApp, sink: &MailSink| {
            let (_, browser) = staff_in_browser(app, "boss", "Owner").await;
            for _ in 0..5 {
                assert_leads_to(&send(&browser, "mail", &[]).await, MAIL);
            }
            let refused = send(&browser, "mail", &[]).await;
            assert_eq!(refused.status, 429);
            assert!(refused.text().contains("Too many emails were requested"), "{refused:?}");
            assert_eq!(sink.mails().len(), 5);
        });
    }

    fn the_page_about_backups_names_the_database(database: &TestDatabase) {
        run(database, |_| (), async |app: &TestApp| {
            let (_, browser) = staff_in_browser(app, "boss", "Owner").await;
            let page = browser.get(&step("backups")).await.text();
            assert!(page.contains("siskin backup"), "{page}");
            let folder = app.media_folder();
            assert!(folder.is_absolute(), "{folder:?}");
            let option = format!(" --media &#39;{}&#39; backup.tar.gz", folder.display());
            assert!(page.contains(&option), "{page}");
            match app.app().store().file() {
                Some(file) => {
                    assert!(file.is_absolute() && file.exists());
                    assert!(page.contains(&file.display().to_string()), "{page}");
                }
                None => {
                    assert!(page.contains("on PostgreSQL"), "{page}");
                    assert!(!page.contains("postgres://"), "{page}");
                }
            }
        });
    }

    fn fixed_settings_cannot_be_changed(database: &TestDatabase) {
        let fix = |config: &mut Config| {
            for (key, value) in [
                ("site_title", "Fixed"), ("site_description", "Fixed"), ("registrations", "open"),
            ] {
                config.fixed_settings.push((key.to_owned(), value.to_owned()));
            }
        };
        run(database, fix, async |app: &TestApp| {
            let (_, browser) = staff_in_browser(app, "boss", "Owner").await;
            assert_eq!(state(&browser, "name").await, "Done");
            let page = browser.get(&step("name")).await.text();
            assert!(page.contains("It is fixed by SISKIN_SITE_TITLE"), "{page}");
            assert!(page.contains("<bdi>Name: Fixed</bdi>"), "{page}");
            // There is nothing to save.
            for part in ["site_title\"", ">Save</button>"] {
                assert!(!page.contains(part), "{part}: {page}");
            }
            let mut form = posted_fields(&page, "/auth/sign_out");
            for more in [None, Some(("site_title".to_owned(), "Other".to_owned()))] {
                form.extend(more);
                let refused = browser.form(&step("name"), &form).await;
                assert_eq!(refused.status, 422);
                let page = refused.text();
                assert!(page.contains("The operator has fixed this"), "{page}");
                assert!(!page.contains("was saved"), "{page}");
            }
            assert_eq!(app.app().settings().site_title, "Fixed");
            // The other setting of this step can still change.
            let page = browser.get(&step("registrations")).await.text();
            assert!(page.contains("<bdi>Everyone</bdi>") && page.contains(">Save</button>"), "{page}");
            let saved = send(&browser, "registrations", &[("registrations_message", "Later")]).await;
            assert_leads_to(&saved, MAIL);
            let both = [("registrations", "none"), ("registrations_message", "Never")];
            let refused = send(&browser, "registrations", &both).await;
            assert_eq!(refused.status, 422);
            let words = "Who may sign up is fixed by the environment (SISKIN_REGISTRATIONS).";
            assert!(refused.text().contains(words), "{refused:?}");
            assert_eq!(app.app().settings().registrations_message, "Later");
            let text = "/admin/texts/description";
            let refused = submit(&browser, text, text, &[("text", "Other")]).await;
            assert_eq!(refused.status, 409);
            let words = "Text is fixed by the environment (SISKIN_SITE_DESCRIPTION).";
            assert!(refused.text().contains(words), "{refused:?}");
        });
    }
}

api_tests! {
    async fn each_step_can_be_skipped_and_done_later(app: &TestApp) {
        let (browser, _) = set_up(app).await;
        for (at, name) in STEPS.into_iter().enumerate() {
            let skipped = skip(&browser, name).await;
            let next = STEPS.get(at + 1).map_or_else(|| PAGE.to_owned(), |next| step(next));
            assert_leads_to(&skipped, &next);
            assert!(followed(&browser, &skipped).await.contains("Skipped."));
            assert_eq!(state(&browser, name).await, "Skipped");
            let left_now = 6 - at;
            let expected = (left_now > 0).then(|| left_now.to_string());
            assert_eq!(left(&browser).await, expected, "{name}");
        }
        assert_eq!(audited(app).await, Vec::<String>::new());
        assert_eq!(instance(app).await["title"], "Siskin");
        // A step that was skipped leads on by a link, and can still be done.
        let page = browser.get(&step("registrations")).await.text();
        assert!(page.contains(&format!("href=\"{MAIL}\"")) && !page.contains("Skip this step"), "{page}");
        // The default is a decision, too.
        let fields = [("registrations", "none"), ("registrations_message", "")];
        assert_leads_to(&send(&browser, "registrations", &fields).await, MAIL);
        assert_eq!(state(&browser, "registrations").await, "Done");
        // What was done is not skipped any more.
        let form = posted_fields(&browser.get(PAGE).await.text(), "/auth/sign_out");
        for chosen in [Some("registrations"), None] {
            let mut form = form.clone();
            form.extend(chosen.map(|name| ("step".to_owned(), name.to_owned())));
            assert_eq!(browser.form(SKIP, &form).await.status, 303);
            assert_eq!(state(&browser, "registrations").await, "Done");
        }
    }

    async fn all_steps_can_be_skipped_at_once(app: &TestApp) {
        let (browser, _) = set_up(app).await;
        send(&browser, "name", &[("site_title", "Birds")]).await;
        assert_leads_to(&submit(&browser, PAGE, SKIP, &[]).await, PAGE);
        let states: Vec<String> = states(&browser).await.into_iter().map(|one| one.1).collect();
        assert_eq!(states[0], "Done");
        assert_eq!(states[1..], ["Skipped"; 6]);
        assert_eq!(left(&browser).await, None);
        assert!(!browser.get(PAGE).await.text().contains("Skip all that is left"));
    }

    async fn what_was_done_elsewhere_counts(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "boss", "Owner").await;
        for (key, value, name) in [
            ("site_title", "Birds", "name"),
            ("site_short_description", "For friends", "description"),
            ("registrations", "open", "registrations"),
        ] {
            assert_eq!(state(&browser, name).await, "To do");
            app.app().change_setting(key.to_owned(), value.to_owned()).await.unwrap();
            assert_eq!(state(&browser, name).await, "Done");
        }
        submit(&browser, "/admin/rules", "/admin/rules", &[("text", "Be kind")]).await;
        assert_eq!(state(&browser, "rules").await, "Done");
        assert_eq!(left(&browser).await.as_deref(), Some("3"));
    }

    async fn the_steps_are_for_staff_that_manage_settings(app: &TestApp) {
        let alice = signed_in(app, "alice").await;
        let (_, moderator) = staff_in_browser(app, "mo", "Moderator").await;
        let pages: Vec<String> = STEPS.map(step).into_iter().chain([PAGE.to_owned()]).collect();
        for path in &pages {
            let visitor = app.browser().get(path).await;
            assert_eq!(visitor.status, 302, "{path}");
            for browser in [&alice, &moderator] {
                assert_eq!(browser.get(path).await.status, 404, "{path}");
            }
        }
        assert_eq!(left(&moderator).await, None);
        assert!(!moderator.get("/admin").await.text().contains(PAGE));
        let (_, owner) = staff_in_browser(app, "boss", "Owner").await;
        let token = posted_fields(&moderator.get("/admin").await.text(), "/auth/sign_out");
        let forms = pages.iter().filter(|path| *path != PAGE).cloned();
        for path in forms.chain([SKIP.to_owned(), format!("{PICTURE}/remove")]) {
            assert_eq!(moderator.form(&path, &token).await.status, 404, "{path}");
            let none: [(&str, &str); 0] = [];
            assert_eq!(owner.form(&path, &none).await.status, 403, "{path}");
            // The token belongs to another session.
            assert_eq!(owner.form(&path, &token).await.status, 403, "{path}");
        }
        assert_eq!(left(&owner).await.as_deref(), Some("7"));
    }

    async fn the_rules_need_a_permission_of_their_own(app: &TestApp) {
        let boss = app.staff("boss", "Owner").await;
        for (name, permissions) in [("sam", 0x40), ("rue", 0x1000)] {
            let role = json!({
                "name": format!("Role of {name}"),
                "permissions": permissions.to_string(),
                "priority": 5,
            });
            let role = boss.json("/api/v1/admin/roles", role).await.ok();
            let user = app.user(name).await;
            let path = format!("/api/v1/admin/accounts/{}/role", user.id);
            boss.put_json(&path, json!({ "role_id": role["id"] })).await.ok();
        }
        let (sam, rue) = (app.browser(), app.browser());
        let password = siskin_test_support::builders::PASSWORD;
        assert_eq!(sign_in(&sam, "sam@example.com", password).await.status, 302);
        assert_eq!(sign_in(&rue, "rue@example.com", password).await.status, 302);
        let names: Vec<String> = states(&sam).await.into_iter().map(|one| one.0).collect();
        assert_eq!(names, STEPS.into_iter().filter(|name| *name != "rules").collect::<Vec<_>>());
        assert_eq!(left(&sam).await.as_deref(), Some("6"));
        assert_leads_to(&skip(&sam, "picture").await, &step("registrations"));
        for browser in [&sam, &rue] {
            assert_eq!(browser.get(&step("rules")).await.status, 404);
            let mut form = posted_fields(&browser.get("/admin").await.text(), "/auth/sign_out");
            form.push(("text".to_owned(), "Be kind".to_owned()));
            assert_eq!(browser.form(&step("rules"), &form).await.status, 404);
            form.push(("step".to_owned(), "rules".to_owned()));
            assert_eq!(browser.form(SKIP, &form).await.status, 404);
        }
        assert_eq!(rue.get(PAGE).await.status, 404);
        assert_eq!(instance(app).await["rules"], json!([]));
    }

    async fn wrong_input_changes_nothing_and_stays_in_the_form(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        let refused = send(&browser, "name", &[("site_title", "  ")]).await;
        let page = refused.text();
        assert_eq!(refused.status, 422, "{page}");
        assert!(page.contains("Name must be a text that is not empty."), "{page}");
        assert!(page.contains("id=\"name_site_title_problem\"") && page.contains("value=\"  \""), "{page}");
        let long = "x".repeat(5001);
        let fields = [("site_short_description", SCRIPT), ("site_description", long.as_str())];
        let refused = send(&browser, "description", &fields).await;
        let page = refused.text();
        assert_eq!(refused.status, 422);
        assert_escaped(&page);
        assert!(page.contains("Description has at most 5000 characters."), "{page}");
        assert!(page.contains("id=\"description_site_description_problem\""), "{page}");
        assert!(page.contains(&long) && page.contains("&#60;script&#62;"), "{page}");
        let fields = [("registrations", "maybe"), ("registrations_message", "Later")];
        let refused = send(&browser, "registrations", &fields).await;
        let page = refused.text();
        assert_eq!(refused.status, 422);
        assert!(page.contains("id=\"registrations_registrations_problem\""), "{page}");
        assert!(page.contains("Later</textarea>"), "{page}");
        let refused = send(&browser, "rules", &[("text", " "), ("hint", SCRIPT)]).await;
        let page = refused.text();
        assert_eq!(refused.status, 422);
        assert!(page.contains("A rule cannot be empty.") && page.contains("&#60;script&#62;"), "{page}");
        assert_escaped(&page);
        assert_eq!(audited(app).await, Vec::<String>::new());
        assert_eq!(left(&browser).await.as_deref(), Some("7"));
        let form = posted_fields(&browser.get(PAGE).await.text(), "/auth/sign_out");
        let with = |name: &str| [&form[..], &[("step".to_owned(), name.to_owned())]].concat();
        assert_eq!(browser.form(SKIP, &with("nothing")).await.status, 404);
    }

    async fn what_others_changed_meanwhile_stays(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "boss", "Owner").await;
        let change = async |key: &str, value: &str| {
            app.app().change_setting(key.to_owned(), value.to_owned()).await.unwrap();
        };
        let value = |key: &str| app.app().settings().get(key).unwrap();
        for (name, theirs, own, done) in [
            ("name", None, "site_title", "description"),
            ("description", Some("site_short_description"), "site_description", "picture"),
            ("registrations", Some("registrations_message"), "registrations", "mail"),
        ] {
            // The page shows both values. Then other staff change one of them.
            let old = posted_fields(&browser.get(&step(name)).await.text(), &step(name));
            let old_fields = |new: &str| {
                let mut form = old.clone();
                form.extend(theirs.map(|key| (key.to_owned(), String::new())));
                form.push((own.to_owned(), new.to_owned()));
                form
            };
            if let Some(theirs) = theirs {
                change(theirs, "Theirs").await;
            }
            let saved = browser.form(&step(name), &old_fields("open")).await;
            assert_leads_to(&saved, &step(done));
            assert_eq!(value(own), "open");
            if let Some(theirs) = theirs {
                assert_eq!(value(theirs), "Theirs", "{name}");
            }
            // The old page does not know that this changed, too.
            let refused = browser.form(&step(name), &old_fields("approval")).await;
            assert_eq!(refused.status, 422, "{name}");
            let page = refused.text();
            assert!(page.contains("got another value from someone else in the meantime."), "{page}");
            let now = if own == "registrations" { "Everyone" } else { "open" };
            assert!(page.contains(&format!("Saved now: <bdi>{now}</bdi>")), "{page}");
            assert_eq!(value(own), "open");
            let mut form = posted_fields(&page, &step(name));
            form.push((own.to_owned(), "approval".to_owned()));
            assert_leads_to(&browser.form(&step(name), &form).await, &step(done));
            assert_eq!(value(own), "approval");
        }
    }

    async fn texts_are_shown_as_text(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        let saved = send(&browser, "name", &[("site_title", SCRIPT)]).await;
        assert_escaped(&followed(&browser, &saved).await);
        let added = send(&browser, "rules", &[("text", SCRIPT), ("hint", SCRIPT)]).await;
        assert_escaped(&followed(&browser, &added).await);
        for name in STEPS {
            assert_escaped(&browser.get(&step(name)).await.text());
        }
        for address in [PAGE.to_owned() + "?done=" + SCRIPT, step("mail") + "?done=nothing"] {
            let page = browser.get(&address).await.text();
            assert_escaped(&page);
            assert!(!page.contains("class=\"done\""), "{page}");
        }
    }

    async fn the_picture_is_shown_everywhere_in_its_sizes(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        let missing = format!("{}/headers/original/missing.png", app.base_url());
        let bare = instance(app).await;
        assert_eq!(bare["thumbnail"], json!({ "url": missing }));
        assert_eq!(bare["icon"], json!([]));
        assert_leads_to(&upload(&browser, Some(png(2400, 1300))).await, &step("rules"));
        let present = instance(app).await;
        let (thumbnail, icons) = (&present["thumbnail"], &present["icon"]);
        assert!(thumbnail["blurhash"].is_string(), "{thumbnail}");
        assert_eq!(thumbnail["url"], thumbnail["versions"]["@1x"]);
        let wide = [&thumbnail["url"], &thumbnail["versions"]["@2x"]];
        assert_eq!(sizes(app, &wide).await, [(1200, 630), (2400, 1260)]);
        assert_eq!((&icons[0]["size"], &icons[1]["size"]), (&json!("192x192"), &json!("512x512")));
        let squares = [&icons[0]["src"], &icons[1]["src"]];
        assert_eq!(sizes(app, &squares).await, [(192, 192), (512, 512)]);
        let former = app.anonymous().get("/api/v1/instance").await.ok();
        assert_eq!(former["thumbnail"], thumbnail["url"]);
        let url = thumbnail["url"].as_str().unwrap();
        for page in [browser.get(PICTURE).await, app.anonymous().get("/about").await] {
            assert!(page.text().contains(&format!("src=\"{url}\"")), "{page:?}");
        }
        assert_eq!(app.stored_files().await, 4);
        let served = app.anonymous().get(url).await;
        assert!(served.header("cache-control").unwrap().contains("public"), "{served:?}");

        // A small and animated picture takes its place.
        assert_leads_to(&upload(&browser, Some(moving_gif(20))).await, &step("rules"));
        let after = instance(app).await;
        assert_eq!(after["thumbnail"]["versions"]["@2x"], Value::Null);
        assert_eq!(sizes(app, &[&after["thumbnail"]["url"]]).await, [(1200, 630)]);
        assert_eq!(app.anonymous().get(url).await.status, 404);
        let files = app.stored_files().await;
        app.advance(Duration::from_hours(2));
        app.app().drain_jobs().await.unwrap();
        assert_eq!((files, app.stored_files().await), (7, 3));

        let removed = submit(&browser, PICTURE, &format!("{PICTURE}/remove"), &[]).await;
        assert!(followed(&browser, &removed).await.contains("The picture was removed."));
        assert_eq!(instance(app).await["thumbnail"], bare["thumbnail"]);
        // There is nothing to remove any more.
        let form = posted_fields(&browser.get(PAGE).await.text(), "/auth/sign_out");
        assert_eq!(browser.form(&format!("{PICTURE}/remove"), &form).await.status, 303);
        let picture = |action: &str| format!("{action} instance_picture picture");
        assert_eq!(audited(app).await, ["create", "update", "delete"].map(picture));
    }

    async fn other_files_are_no_picture(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        let whole = png(200, 200);
        for (upload_of, words) in [
            (None, "The picture can&#39;t be blank."),
            (Some(b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>".to_vec()), "The picture is no picture"),
            (Some(whole[..whole.len() / 2].to_vec()), "The picture is damaged or incomplete."),
        ] {
            let refused = upload(&browser, upload_of).await;
            let page = refused.text();
            assert_eq!(refused.status, 422, "{page}");
            assert!(page.contains(words) && page.contains("id=\"picture_image_problem\""), "{page}");
        }
        assert_eq!(app.stored_files().await, 0);
        assert_eq!(audited(app).await, Vec::<String>::new());
        assert_eq!(state(&browser, "picture").await, "To do");
    }

    async fn simultaneous_uploads_leave_one_picture(app: &TestApp) {
        let (ada, _) = staff_in_browser(app, "ada", "Admin").await;
        let actor = Actor::Staff(ada.id.parse().unwrap());
        let set = |side: u32| app.app().set_instance_picture(actor, png(side, side));
        for done in join_all((20..28).map(set)).await {
            done.unwrap();
        }
        let present = instance(app).await;
        assert_eq!(present["icon"].as_array().unwrap().len(), 2);
        assert_eq!(sizes(app, &[&present["thumbnail"]["url"]]).await, [(1200, 630)]);
        let entries = audited(app).await;
        assert_eq!((entries.len(), entries[0].split(' ').next()), (8, Some("create")));
        assert!(entries[1..].iter().all(|entry| entry.starts_with("update")), "{entries:?}");
        app.advance(Duration::from_hours(2));
        app.app().drain_jobs().await.unwrap();
        assert_eq!(app.stored_files().await, 3);
    }

    async fn without_a_mail_server_the_page_says_how_to_get_one(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        let page = browser.get(MAIL).await.text();
        assert!(page.contains("--smtp-url") && !page.contains("Send a test email"), "{page}");
        let form = posted_fields(&browser.get(PAGE).await.text(), "/auth/sign_out");
        let refused = browser.form(MAIL, &form).await;
        assert_eq!(refused.status, 422);
        assert!(refused.text().contains("No mail server is configured."), "{refused:?}");
        assert_leads_to(&skip(&browser, "mail").await, &step("backups"));
    }
}
