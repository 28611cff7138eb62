//! `/settings/follows`: export and import of follow lists.

use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};
use siskin_persistence::jobs::{self as job_rows, Counts};
use siskin_test_support::both_engines;

use super::person;
use crate::{
    oauth::hidden_fields,
    support::{Client, Response, TestApp, User, run},
};

const PAGE: &str = "/settings/follows";
const IMPORT: &str = "/settings/follows/import";
const EXPORT: &str = "/settings/follows/export";
const HEAD: &str = "Account address,Show boosts,Notify on new posts,Languages\n";

/// Submits a file by the form and runs the jobs that follow.
async fn import(app: &TestApp, browser: &Client, file: impl Into<Vec<u8>>) -> Response {
    let response = send(browser, file).await;
    app.app().drain_jobs().await.unwrap();
    response
}

async fn send(browser: &Client, file: impl Into<Vec<u8>>) -> Response {
    let page = browser.get(PAGE).await.text();
    let mut form = Form::new();
    for (name, value) in hidden_fields(&page, IMPORT) {
        form = form.text(name, value);
    }
    form = form.part("file", Part::bytes(file.into()).file_name("following.csv"));
    browser.multipart(IMPORT, form).await
}

async fn jobs(app: &TestApp) -> Counts {
    let now = app.app().now();
    app.app().read(move |conn| Ok(job_rows::counts(conn, now)?)).await.unwrap()
}

async fn relationship(from: &User, to: &str) -> Value {
    from.get(&format!("/api/v1/accounts/relationships?id[]={to}")).await.ok()[0].clone()
}

api_tests! {
    async fn a_follow_list_is_exported_in_the_common_format(app: &TestApp) {
        let (ann, browser) = person(app, "ann").await;
        let (bob, cat) = (app.user("bob").await, app.user("cat").await);
        app.remote("dan", "remote.example").await;
        app.follow(&ann, &bob).await;
        app.follow_with(&ann, &cat, false, true, Some("en,de")).await;
        let list = browser.get(EXPORT).await;
        assert_eq!(list.status, 200);
        assert_eq!(list.header("content-type"), Some("text/csv; charset=utf-8"));
        assert!(list.header("content-disposition").unwrap().contains("attachment"));
        let here = app.domain();
        assert_eq!(
            list.text(),
            format!("{HEAD}bob@{here},true,false,\ncat@{here},false,true,\"en, de\"\n")
        );
        assert_eq!(app.browser().get(EXPORT).await.status, 302);

        // The exported list of one account can be imported by another.
        let (eve, eves) = person(app, "eve").await;
        let response = import(app, &eves, list.text()).await;
        assert_eq!(response.status, 302, "{response:?}");
        assert_eq!(eves.get(EXPORT).await.text(), list.text());
        assert_eq!(relationship(&eve, &cat.id).await["showing_reblogs"], false);
        assert!(eves.get(response.header("location").unwrap()).await.text().contains("2 lines"));
    }

    async fn an_import_follows_valid_accounts_and_skips_the_rest(app: &TestApp) {
        let (ann, browser) = person(app, "ann").await;
        let (bob, cat) = (app.user("bob").await, app.user("cat").await);
        let dan = app.remote("dan", "remote.example").await;
        cat.act_on("block", &ann).await;
        app.follow_with(&ann, &bob, false, true, None).await;
        let locked = app.user("lou").await;
        locked.patch("/api/v1/accounts/update_credentials", &[("locked", "true")]).await.ok();
        let here = app.domain();
        let file = format!(
            "{HEAD}bob@{here},,,\ncat@{here},true,false,\nann@{here},true,false,\n\
             nobody@{here},true,false,\ndan@remote.example,true,false,xx\nlou,true,false,\n"
        );
        import(app, &browser, file.clone()).await;
        import(app, &browser, file).await;
        let bobs = relationship(&ann, &bob.id).await;
        assert_eq!((&bobs["following"], &bobs["showing_reblogs"], &bobs["notifying"]), (&json!(true), &json!(false), &json!(true)));
        assert_eq!(relationship(&ann, &cat.id).await["following"], false);
        assert_eq!(relationship(&ann, &locked.id).await["requested"], true);
        let dans = relationship(&ann, &dan).await;
        assert!(dans["following"] == true || dans["requested"] == true, "{dans}");
        let own = ann.credentials().await.ok();
        assert!(own["following_count"].as_u64().unwrap() <= 2, "{own}");
    }

    async fn a_long_list_is_imported_in_batches(app: &TestApp) {
        let (ann, browser) = person(app, "ann").await;
        let mut file = HEAD.to_owned();
        for number in 0..45 {
            app.user(&format!("fan{number}")).await;
            file.push_str(&format!("fan{number}@{},true,false,\n", app.domain()));
        }
        import(app, &browser, file).await;
        let followed = ann.credentials().await.ok()["following_count"].as_u64().unwrap();
        // The parts are due one after the other, and on a busy machine time passes meanwhile.
        assert!([20, 40, 45].contains(&followed), "{followed}");
        app.advance(std::time::Duration::from_secs(1));
        app.app().drain_jobs().await.unwrap();
        assert_eq!(ann.credentials().await.ok()["following_count"], 45);
        assert_eq!(browser.get(EXPORT).await.text().lines().count(), 46);
    }

    async fn an_invalid_list_is_refused_with_a_message(app: &TestApp) {
        let (ann, browser) = person(app, "ann").await;
        for file in [b"".to_vec(), HEAD.into(), vec![0xff, 0xfe], vec![b'a'; 3 << 20], "a@b.example\n".repeat(20_001).into()] {
            let response = import(app, &browser, file).await;
            assert_eq!(response.status, 422, "{response:?}");
            assert!(response.text().contains("role=\"alert\""));
        }
        let mutes = "Account address,Hide notifications\nbob@b.example,true\n";
        let response = import(app, &browser, mutes).await;
        assert_eq!(response.status, 422);
        assert!(response.text().contains("a list of muted accounts"), "{}", response.text());
        assert_eq!(app.browser().post(IMPORT).await.status, 403);
        let forged = Form::new().part("file", Part::bytes(b"bob".to_vec()).file_name("a.csv"));
        assert_eq!(browser.multipart(IMPORT, forged).await.status, 403);
        assert_eq!(ann.credentials().await.ok()["following_count"], 0);
    }
}

both_engines! {
    fn a_long_import_does_not_block_other_jobs(database: &TestDatabase) {
        run(database, |config| config.job_workers = 0, async |app: &TestApp| {
            let (_, browser) = person(app, "ann").await;
            let lines: String = (0..100).map(|number| format!("nobody{number}@a.example\n")).collect();
            let before = jobs(app).await;
            assert_eq!(send(&browser, lines).await.status, 302);
            let after = jobs(app).await;
            assert_eq!((after.due - before.due, after.later - before.later), (1, 4));
        });
    }

    fn imports_are_rate_limited(database: &TestDatabase) {
        let limited = |config: &mut siskin_server::Config| {
            config.fixed_settings.clear();
            config.fixed_settings.push(("rate_limits.import".to_owned(), "2".to_owned()));
        };
        run(database, limited, async |app: &TestApp| {
            let (_, browser) = person(app, "ann").await;
            for status in [302, 302, 429] {
                assert_eq!(send(&browser, "bob@b.example\n").await.status, status);
            }
        });
    }
}
