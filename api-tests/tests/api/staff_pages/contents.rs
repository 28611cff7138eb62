//! `/admin/rules`, `/admin/emojis` and `/admin/announcements`.

use reqwest::multipart;
use serde_json::{Value, json};
use siskin_entities::TargetKind;

use super::{
    SCRIPT, actions_on, assert_escaped, confirm, followed, posted_fields, staff_in_browser, submit,
};
use crate::support::{
    Client, Response, TestApp, id,
    pictures::{file, png},
};

const RULES: &str = "/admin/rules";
const EMOJIS: &str = "/admin/emojis";
const ANNOUNCEMENTS: &str = "/admin/announcements";

async fn rules(app: &TestApp) -> Vec<(String, String)> {
    let rules = app.anonymous().get("/api/v1/instance/rules").await.ok();
    let pair = |rule: &Value| (id(rule), rule["text"].as_str().unwrap().to_owned());
    rules.as_array().unwrap().iter().map(pair).collect()
}

fn texts(rules: &[(String, String)]) -> Vec<&str> {
    rules.iter().map(|(_, text)| text.as_str()).collect()
}

/// Uploads a picture as an emoji with this name.
async fn upload(browser: &Client, name: &str, picture: Option<Vec<u8>>) -> Response {
    let page = browser.get(EMOJIS).await.text();
    let form = posted_fields(&page, EMOJIS)
        .into_iter()
        .fold(multipart::Form::new(), |form, (name, value)| form.text(name, value))
        .text("shortcode", name.to_owned())
        .text("category", "Birds & more")
        .text("visible_in_picker", "1");
    let form = match picture {
        Some(picture) => form.part("image", file(picture, "a.png", "image/png")),
        None => form,
    };
    browser.multipart(EMOJIS, form).await
}

/// Presses a button of a page that asks for a confirmation, and confirms it.
async fn press(browser: &Client, page: &str, action: &str) -> Response {
    let asked = submit(browser, page, action, &[]).await;
    confirm(browser, &asked, action).await
}

api_tests! {
    async fn rules_are_added_moved_changed_and_deleted(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        for text in ["First", SCRIPT, "Third"] {
            let fields = [("text", text), ("hint", "Why\r\nnot")];
            let page = followed(&browser, &submit(&browser, RULES, RULES, &fields).await).await;
            assert!(page.contains("The rule was added.") && page.contains("Why\nnot"), "{page}");
            assert_escaped(&page);
        }
        let added = rules(app).await;
        let third = format!("{RULES}/{}", added[2].0);
        let shift = format!("{third}/move");
        followed(&browser, &submit(&browser, RULES, &shift, &[("step", "up")]).await).await;
        assert_eq!(texts(&rules(app).await), ["First", "Third", SCRIPT]);
        // The first button of the rule moves it up, the fields here move it down again.
        let mut form = posted_fields(&browser.get(RULES).await.text(), &shift);
        form.retain(|(name, _)| name != "step");
        for (step, status) in [("down", 303), ("down", 303), ("aside", 422)] {
            let mut form = form.clone();
            form.push(("step".to_owned(), step.to_owned()));
            assert_eq!(browser.form(&shift, &form).await.status, status, "{step}");
        }
        assert_eq!(texts(&rules(app).await), ["First", SCRIPT, "Third"]);
        let fields = [("text", "Be kind"), ("hint", "")];
        let page = followed(&browser, &submit(&browser, &third, &third, &fields).await).await;
        assert!(page.contains("The rule was changed."), "{page}");
        // The same once more changes nothing.
        submit(&browser, &third, &third, &fields).await;
        for (name, value, problem) in [
            ("text", " ", "id=\"rule_text_problem\""),
            ("text", &*"x".repeat(301), "id=\"rule_text_problem\""),
            ("hint", &*"x".repeat(1001), "id=\"rule_hint_problem\""),
        ] {
            let mut fields = fields;
            fields.iter_mut().filter(|(key, _)| *key == name).for_each(|field| field.1 = value);
            let refused = submit(&browser, &third, &third, &fields).await;
            assert_eq!(refused.status, 422, "{name}");
            assert!(refused.text().contains(problem), "{problem}: {refused:?}");
        }
        let delete = format!("{third}/delete");
        followed(&browser, &submit(&browser, RULES, &delete, &[]).await).await;
        assert_eq!(texts(&rules(app).await), ["First", SCRIPT]);
        let log = actions_on(app, TargetKind::Rule, &added[2].0).await;
        assert_eq!(log, ["create", "update", "update", "update", "delete"]);
    }

    async fn emojis_are_uploaded_changed_and_deleted(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        let page = followed(&browser, &upload(&browser, ":siskin:", Some(png(20, 20))).await).await;
        for part in ["The emoji was added.", ":siskin:", "Birds &#38; more"] {
            assert!(page.contains(part), "{part}: {page}");
        }
        let one = format!("{EMOJIS}/siskin");
        let page = followed(&browser, &submit(&browser, &one, &one, &[("category", "Finches")]).await).await;
        assert!(page.contains("Finches") && page.contains("Not offered"), "{page}");
        let listed = app.anonymous().get("/api/v1/custom_emojis").await.ok();
        assert_eq!((&listed[0]["category"], &listed[0]["visible_in_picker"]), (&json!("Finches"), &json!(false)));
        assert_eq!(app.anonymous().get(listed[0]["url"].as_str().unwrap()).await.status, 200);
        let delete = format!("{one}/delete");
        let page = followed(&browser, &press(&browser, EMOJIS, &delete).await).await;
        assert!(page.contains("There are no emojis here."), "{page}");
    }

    async fn an_emoji_needs_a_free_name_and_a_picture(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        app.emoji("cat", None, png(20, 20)).await;
        let before = app.stored_files().await;
        for (name, picture, problem) in [
            ("cat", Some(png(20, 20)), "An emoji with this name exists already."),
            (SCRIPT, Some(png(20, 20)), "id=\"emoji_shortcode_problem\""),
            ("bird", Some(b"GIF89a?".to_vec()), "id=\"emoji_image_problem\""),
            ("bird", None, "id=\"emoji_image_problem\""),
        ] {
            let refused = upload(&browser, name, picture).await;
            assert_eq!(refused.status, 422, "{name}: {refused:?}");
            let page = refused.text();
            assert_escaped(&page);
            assert!(page.contains(problem) && page.contains("Birds &#38; more"), "{problem}: {page}");
        }
        assert_eq!(app.stored_files().await, before);
        let cat = format!("{EMOJIS}/cat");
        let long = "x".repeat(101);
        let refused = submit(&browser, &cat, &cat, &[("category", &*long)]).await;
        assert_eq!(refused.status, 422);
        assert!(refused.text().contains("id=\"emoji_category_problem\""), "{refused:?}");
    }

    async fn announcements_are_written_changed_and_withdrawn(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        let alice = app.user("alice").await;
        let shown = async || alice.get("/api/v1/announcements").await.ok();
        let fields = [("text", SCRIPT), ("starts_at", ""), ("ends_at", ""), ("scheduled_at", "")];
        let page = followed(&browser, &submit(&browser, ANNOUNCEMENTS, ANNOUNCEMENTS, &fields).await).await;
        assert_escaped(&page);
        assert!(page.contains("Published"), "{page}");
        let written = id(&shown().await[0]);
        let one = format!("{ANNOUNCEMENTS}/{written}");
        assert!(!browser.get(&one).await.text().contains("name=\"scheduled_at\""));
        let day = app.day(30);
        let (start, end) = (format!("{day}T18:00"), format!("{day}T20:00"));
        let fields = [("text", "Tea at five"), ("starts_at", &*start), ("ends_at", &*end)];
        followed(&browser, &submit(&browser, &one, &one, &fields).await).await;
        let listed = shown().await;
        assert!(listed[0]["content"].as_str().unwrap().contains("Tea at five"), "{listed}");
        assert_eq!(listed[0]["starts_at"], format!("{day}T18:00:00.000Z"));
        let edit = browser.get(&one).await.text();
        assert!(edit.contains(&format!("value=\"{start}\"")), "{edit}");
        let withdraw = format!("{one}/withdraw");
        followed(&browser, &submit(&browser, ANNOUNCEMENTS, &withdraw, &[]).await).await;
        assert_eq!(shown().await.as_array().unwrap().len(), 0);
        let publish = format!("{one}/publish");
        followed(&browser, &submit(&browser, ANNOUNCEMENTS, &publish, &[]).await).await;
        assert_eq!(shown().await.as_array().unwrap().len(), 1);
        let delete = format!("{one}/delete");
        followed(&browser, &press(&browser, ANNOUNCEMENTS, &delete).await).await;
        assert_eq!(shown().await.as_array().unwrap().len(), 0);
        let log = actions_on(app, TargetKind::Announcement, &written).await;
        assert_eq!(log, ["create", "update", "update", "update", "delete"]);
    }

    async fn announcements_wait_for_their_time(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        let at = format!("{}T09:00", app.day(2));
        let fields = [("text", "Later"), ("scheduled_at", &*at)];
        let page = followed(&browser, &submit(&browser, ANNOUNCEMENTS, ANNOUNCEMENTS, &fields).await).await;
        assert!(page.contains("Scheduled"), "{page}");
        let one = page.split(&format!("href=\"{ANNOUNCEMENTS}/")).nth(1).unwrap();
        let one = format!("{ANNOUNCEMENTS}/{}", one.split('"').next().unwrap());
        let edit = browser.get(&one).await.text();
        assert!(edit.contains(&format!("value=\"{at}\"")), "{edit}");
        let withdraw = format!("{one}/withdraw");
        let page = followed(&browser, &submit(&browser, ANNOUNCEMENTS, &withdraw, &[]).await).await;
        assert!(page.contains("Not published"), "{page}");
        app.app().drain_jobs().await.unwrap();
        followed(&browser, &press(&browser, ANNOUNCEMENTS, &format!("{one}/delete")).await).await;
    }

    async fn a_wrong_announcement_stays_in_the_form(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        let day = app.day(30);
        let (early, late) = (format!("{day}T09:00"), format!("{day}T10:00"));
        let long = "x".repeat(3001);
        for (text, start, end, at, problem) in [
            ("", "", "", "", "announcement_text_problem"),
            (&*long, "", "", "", "announcement_text_problem"),
            ("Tea", &*late, &*early, "", "announcement_ends_at_problem"),
            ("Tea", &*late, "", "", "announcement_ends_at_problem"),
            ("Tea", SCRIPT, &*late, "", "announcement_starts_at_problem"),
            ("Tea", "", "", "tomorrow", "announcement_scheduled_at_problem"),
        ] {
            let fields =
                [("text", text), ("starts_at", start), ("ends_at", end), ("scheduled_at", at)];
            let refused = submit(&browser, ANNOUNCEMENTS, ANNOUNCEMENTS, &fields).await;
            assert_eq!(refused.status, 422, "{problem}");
            assert_escaped(&refused.text());
            assert!(refused.text().contains(problem) && refused.text().contains(text), "{refused:?}");
        }
    }
}
