//! `/settings/filters`.

use serde_json::{Value, json};

use super::person;
use crate::{
    filters::events::count_events,
    oauth::{hidden_fields, signed_in},
    support::{Client, Response, User, id},
};

const PAGE: &str = "/settings/filters";
const NEW: &str = "/settings/filters/new";
const API: &str = "/api/v2/filters";

/// Sends the form at `page` with these values in addition to the hidden ones.
async fn send(browser: &Client, page: &str, action: &str, values: &[(&str, &str)]) -> Response {
    let mut form = hidden_fields(&browser.get(page).await.text(), action);
    form.extend(values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    browser.form(action, &form).await
}

async fn only_filter(user: &User) -> Value {
    let all = user.get(API).await.ok();
    assert_eq!(all.as_array().unwrap().len(), 1, "{all}");
    all[0].clone()
}

api_tests! {
    async fn each_action_of_filters_can_be_chosen(app: &TestApp) {
        let (ann, browser) = person(app, "ann").await;
        for action in ["warn", "hide", "blur"] {
            let created = send(&browser, NEW, PAGE, &[
                ("title", "Birds"), ("context[]", "home"), ("filter_action", action),
                ("keywords_attributes[0][keyword]", "siskin"),
            ]).await;
            assert_eq!(created.status, 303, "{}", created.text());
            let filter = only_filter(&ann).await;
            assert_eq!(filter["filter_action"], action);
            let page = browser.get(&format!("{PAGE}/{}", id(&filter))).await.text();
            assert!(page.contains(&format!("<option value=\"{action}\" selected>")), "{page}");
            ann.delete(&format!("{API}/{}", id(&filter))).await.ok();
        }
    }

    async fn a_filter_is_created_changed_and_deleted(app: &TestApp) {
        let (ann, browser) = person(app, "ann").await;
        assert!(browser.get(PAGE).await.text().contains("You have no filters"));
        let created = send(&browser, NEW, PAGE, &[
            ("title", "Birds <b>"), ("context[]", "home"), ("context[]", "public"),
            ("filter_action", "hide"), ("expires_in", "3600"),
            ("keywords_attributes[0][keyword]", "siskin"), ("keywords_attributes[0][whole_word]", "1"),
            ("keywords_attributes[1][keyword]", "finch"),
            ("keywords_attributes[2][keyword]", ""), ("keywords_attributes[2][whole_word]", "1"),
        ]).await;
        assert_eq!(created.status, 303, "{}", created.text());
        assert_eq!(count_events(app, &ann).await, 1);
        let filter = only_filter(&ann).await;
        assert_eq!(filter["title"], "Birds <b>");
        assert_eq!(filter["context"], json!(["home", "public"]));
        assert_eq!(filter["filter_action"], "hide");
        assert!(filter["expires_at"].is_string());
        let words: Vec<_> = filter["keywords"].as_array().unwrap().iter()
            .map(|word| (word["keyword"].as_str().unwrap(), word["whole_word"].as_bool().unwrap()))
            .collect();
        assert_eq!(words, [("siskin", true), ("finch", false)]);
        let list = browser.get(PAGE).await.text();
        assert!(list.contains("Birds &#60;b&#62;") && list.contains("2 keywords"), "{list}");

        let page = format!("{PAGE}/{}", id(&filter));
        let shown = browser.get(&page).await.text();
        assert!(shown.contains("value=\"siskin\"") && shown.contains("As now"), "{shown}");
        let changed = send(&browser, &page, &page, &[
            ("title", "Finches"), ("context[]", "thread"), ("filter_action", "warn"), ("expires_in", "keep"),
            ("keywords_attributes[0][keyword]", "siskins"),
            ("keywords_attributes[1][keyword]", "finch"), ("keywords_attributes[1][_destroy]", "1"),
            ("keywords_attributes[2][keyword]", "serin"), ("keywords_attributes[2][whole_word]", "1"),
        ]).await;
        assert_eq!(changed.status, 303, "{}", changed.text());
        assert_eq!(count_events(app, &ann).await, 2);
        let after = only_filter(&ann).await;
        assert_eq!((&after["title"], &after["context"]), (&json!("Finches"), &json!(["thread"])));
        assert_eq!(after["expires_at"], filter["expires_at"]);
        let words: Vec<_> = after["keywords"].as_array().unwrap().iter()
            .map(|word| (word["keyword"].as_str().unwrap(), word["whole_word"].as_bool().unwrap()))
            .collect();
        assert_eq!(words, [("siskins", false), ("serin", true)]);
        assert_eq!(after["keywords"][0]["id"], filter["keywords"][0]["id"]);

        let action = format!("{page}/delete");
        assert_eq!(send(&browser, PAGE, &action, &[]).await.status, 303);
        assert_eq!(count_events(app, &ann).await, 3);
        assert_eq!(ann.get(API).await.ok(), json!([]));
        assert_eq!(browser.get(&page).await.status, 404);
    }

    async fn wrong_values_keep_what_was_typed(app: &TestApp) {
        let (ann, browser) = person(app, "ann").await;
        let long = "x".repeat(257);
        for (field, values) in [
            ("title", [("title", ""), ("context[]", "home"), ("keywords_attributes[0][keyword]", "kept word")]),
            ("title", [("title", long.as_str()), ("context[]", "home"), ("keywords_attributes[0][keyword]", "kept word")]),
            ("context", [("title", "t"), ("expires_in", ""), ("keywords_attributes[0][keyword]", "kept word")]),
            ("expires_in", [("title", "kept word"), ("context[]", "home"), ("expires_in", "soon")]),
            ("keywords", [("title", "kept word"), ("context[]", "home"), ("keywords_attributes[0][keyword]", long.as_str())]),
        ] {
            let action = ("filter_action", "hide");
            let refused = send(&browser, NEW, PAGE, &[&values[..], &[action]].concat()).await;
            assert_eq!(refused.status, 422, "{values:?}: {}", refused.text());
            let page = refused.text();
            let label = match field {
                "title" => "Title",
                "context" => "Where it applies",
                "expires_in" => "Expires",
                _ => "Keyword",
            };
            let beginning = format!("id=\"{field}_problem\">{label} ");
            assert!(page.contains(&beginning), "{field}: {page}");
            assert!(page.contains("value=\"kept word\""), "{field}: {page}");
            assert!(page.contains("value=\"hide\" selected"), "{field}: {page}");
        }
        assert_eq!(ann.get(API).await.ok(), json!([]));
        assert_eq!(count_events(app, &ann).await, 0);
    }

    async fn more_lines_are_offered_without_a_script(app: &TestApp) {
        let (ann, browser) = person(app, "ann").await;
        let lines = |page: &Response| page.text().matches("[keyword]\" type=\"text\"").count();
        let first = lines(&browser.get(NEW).await);
        let values = [("title", "Birds"), ("keywords_attributes[0][keyword]", "siskin"), ("more", "1")];
        let more = send(&browser, NEW, PAGE, &values).await;
        assert_eq!(more.status, 200);
        assert!(more.text().contains("value=\"siskin\"") && more.text().contains("value=\"Birds\""));
        assert!(lines(&more) > first, "{}", more.text());
        assert_eq!(ann.get(API).await.ok(), json!([]));
    }

    async fn filters_belong_to_their_owner(app: &TestApp) {
        let (ann, browser) = person(app, "ann").await;
        let new = json!({ "title": "Birds", "context": ["home"] });
        let filter = ann.json(API, new).await.ok();
        let page = format!("{PAGE}/{}", id(&filter));
        let eve = signed_in(app, "eve").await;
        assert_eq!(eve.get(&page).await.status, 404);
        let form = hidden_fields(&eve.get(NEW).await.text(), PAGE);
        let values = [("title", "Mine"), ("context[]", "home"), ("expires_in", "keep")];
        let values = values.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let all = [form.clone(), values.to_vec()].concat();
        for path in [page.clone(), format!("{page}/delete")] {
            assert_eq!(eve.form(&path, &all).await.status, 404, "{path}");
            assert_eq!(browser.form(&path, &[("title", "x")]).await.status, 403, "{path}");
        }
        for strange in ["0", "abc", "1"] {
            assert_eq!(browser.get(&format!("{PAGE}/{strange}")).await.status, 404);
        }
        assert_eq!(only_filter(&ann).await["title"], "Birds");
        assert_eq!(app.browser().get(PAGE).await.status, 302);
    }
}
