//! `/admin/warning-presets`: texts that the moderators use again, and their use.

use serde_json::json;
use siskin_entities::{Actor, TargetKind};
use siskin_persistence::Tx;
use siskin_services::warning_presets;

use super::{
    SCRIPT, actions_on, assert_escaped, confirm, followed, posted_fields, staff_in_browser, submit,
};
use crate::support::{Client, moderation::action_on};

const PAGE: &str = "/admin/warning-presets";

/// Adds a text, and returns its id.
async fn add(browser: &Client, title: &str, text: &str) -> String {
    let added = submit(browser, PAGE, PAGE, &[("title", title), ("text", text)]).await;
    let page = followed(browser, &added).await;
    assert!(page.contains("The text was added."), "{page}");
    let link = format!("href=\"{PAGE}/");
    let ids = page.split(&link).skip(1);
    ids.map(|rest| rest.split('"').next().unwrap().to_owned()).max().unwrap()
}

api_tests! {
    async fn texts_are_added_changed_and_deleted(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        assert!(browser.get(PAGE).await.text().contains("There are no texts."));
        let preset = add(&browser, "Spam", "No advertising,\r\nplease.").await;
        let page = format!("{PAGE}/{preset}");
        let shown = browser.get(&page).await.text();
        assert!(shown.contains("value=\"Spam\"") && shown.contains("No advertising,\nplease."), "{shown}");
        let changed = submit(&browser, &page, &page, &[("title", ""), ("text", "No spam.")]).await;
        let shown = followed(&browser, &changed).await;
        assert!(shown.contains("The text was changed.") && shown.contains("No spam."), "{shown}");
        // The same again changes nothing.
        assert_eq!(submit(&browser, &page, &page, &[("title", ""), ("text", " No spam. ")]).await.status, 303);
        let delete = format!("{page}/delete");
        let form = posted_fields(&browser.get(PAGE).await.text(), &delete);
        let asked = browser.form(&delete, &form).await;
        let question = asked.text();
        assert!(question.contains("Delete the prepared text?") && question.contains("No spam."), "{question}");
        assert!(question.contains(&format!("class=\"button plain\" href=\"{PAGE}\"")), "{question}");
        assert_eq!(browser.get(&page).await.status, 200, "the question deletes nothing");
        let shown = followed(&browser, &confirm(&browser, &asked, &delete).await).await;
        assert!(shown.contains("The text was deleted.") && shown.contains("There are no texts."), "{shown}");
        assert_eq!(browser.form(&delete, &form).await.status, 404);
        assert_eq!(confirm(&browser, &asked, &delete).await.status, 404);
        assert_eq!(browser.get(&page).await.status, 404);
        assert_eq!(actions_on(app, TargetKind::WarningPreset, &preset).await, ["create", "update", "delete"]);
    }

    async fn faults_keep_what_was_typed(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        let preset = add(&browser, "", "Be kind").await;
        let (long, page) = ("é".repeat(2001), format!("{PAGE}/{preset}"));
        for (path, fields, words) in [
            (PAGE, [("title", "Kept"), ("text", " \n")], "Text can&#39;t be blank."),
            (PAGE, [("title", "Kept"), ("text", &*long)], "Text is too long"),
            (&*page, [("title", "Kept"), ("text", "")], "Text can&#39;t be blank."),
        ] {
            let refused = submit(&browser, path, path, &fields).await;
            assert_eq!(refused.status, 422, "{path}");
            assert!(refused.text().contains("value=\"Kept\"") && refused.text().contains(words), "{}", refused.text());
        }
        let title = "t".repeat(101);
        let refused = submit(&browser, PAGE, PAGE, &[("title", &title), ("text", SCRIPT)]).await;
        assert!(refused.status == 422 && refused.text().contains("Title is too long"));
        assert_escaped(&refused.text());
    }

    async fn moderators_choose_a_text_for_a_warning(app: &TestApp) {
        let (_, admin) = staff_in_browser(app, "ada", "Admin").await;
        let (mo, browser) = staff_in_browser(app, "mo", "Moderator").await;
        let bob = app.user("bob").await;
        let form = format!("/admin/accounts/{}/action", bob.id);
        assert!(!browser.get(&form).await.text().contains("warning_preset_id"), "there are no texts yet");
        assert_eq!(browser.get(PAGE).await.status, 404, "moderators do not write them");
        let preset = add(&admin, "Spam", "No spam.").await;
        assert!(browser.get(&form).await.text().contains(">Spam</option>"));
        let fields = [("type", "none"), ("warning_preset_id", &*preset), ("text", "Really.")];
        assert_eq!(submit(&browser, &form, &form, &fields).await.status, 303);
        assert_eq!(bob.strikes().await[0]["text"], "No spam.\n\nReally.");
        // The title is for staff only.
        assert!(!json!(bob.strikes().await).to_string().contains("\"Spam\""));
        // With several accounts.
        let list = "/admin/accounts";
        let asked = submit(&browser, list, list, &[("action", "none"), ("account_ids[]", &*bob.id)]).await;
        let mut fields = posted_fields(&asked.text(), list);
        fields.push(("warning_preset_id".to_owned(), preset.clone()));
        assert_eq!(browser.form(list, &fields).await.status, 303);
        assert_eq!(bob.strikes().await[0]["text"], "No spam.");
        // In the interface.
        let path = action_on(&bob, "action");
        let action = json!({ "type": "none", "warning_preset_id": preset, "text": "" });
        assert_eq!(mo.json(&path, action).await.ok(), json!({}));
        assert_eq!(bob.strikes().await[0]["text"], "No spam.");
        // Both together have the limit of a text.
        let text = "x".repeat(2000);
        let action = json!({ "type": "none", "warning_preset_id": preset, "text": text });
        mo.json(&path, action).await.expect(422);
        assert_eq!(bob.strikes().await.len(), 3);
    }

    async fn a_long_list_of_texts_ends(app: &TestApp) {
        let fill = |tx: &mut Tx<'_>| {
            for number in 0..200 {
                let new = warning_presets::prepare(&format!("Text {number}"), "Be kind")?;
                warning_presets::add(tx, Actor::Operator, &new)?;
            }
            Ok(())
        };
        app.app().write(fill).await.unwrap();
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        let refused = submit(&browser, PAGE, PAGE, &[("title", "One more"), ("text", "x")]).await;
        assert!(refused.status == 422 && refused.text().contains("There are too many texts"));
    }
}
