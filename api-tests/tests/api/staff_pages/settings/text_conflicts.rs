//! `/admin/texts`: several people change the same text.

use futures_util::future::join_all;
use siskin_entities::TextName;

use super::{POLICY, TERMS, TEXTS, changed};
use crate::{
    staff_pages::{followed, posted_fields, staff_in_browser, submit},
    support::{Client, Response},
};

const CHANGED: &str =
    "The text was changed by someone else in the meantime. Publish again to replace it.";
const TAKEN: &str =
    "First day is that of another version already. Publish again to replace that version.";

/// Submits the form on a page of a text with these fields, to this end of its address.
async fn send_from(
    browser: &Client,
    page: &str,
    (path, end): (&str, &str),
    fields: &[(&str, &str)],
) -> Response {
    let mut form = posted_fields(page, path);
    form.extend(fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    browser.form(&format!("{path}{end}"), &form).await
}

/// Checks that a page refuses a text, keeps it, and shows the one that is stored.
fn assert_refused(refused: &Response, typed: &str, stored: &str) {
    assert_eq!(refused.status, 422, "{refused:?}");
    let page = refused.text();
    for part in [
        format!("\n{typed}</textarea>"),
        format!("id=\"text_text_now\">Saved now: <bdi>{stored}</bdi>"),
    ] {
        assert!(page.contains(&part), "{part}: {page}");
    }
}

api_tests! {
    async fn a_text_that_someone_else_changed_meanwhile_is_shown_first(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        let (_, other) = staff_in_browser(app, "boss", "Owner").await;
        for name in [TextName::Description, TextName::ExtendedDescription, TextName::PrivacyPolicy] {
            let path = format!("{TEXTS}/{}", name.as_str());
            let mine = [("text", "My\r\ntext")];
            let page = browser.get(&path).await.text();
            // A preview does not forget what the page showed first.
            let preview = send_from(&browser, &page, (&path, "/preview"), &mine).await;
            assert_eq!(preview.status, 200, "{preview:?}");
            followed(&other, &submit(&other, &path, &path, &[("text", "Their\r\ntext")]).await).await;
            let before = changed(app).await;
            let refused = send_from(&browser, &preview.text(), (&path, ""), &mine).await;
            assert_refused(&refused, "My\r\ntext", "Their\ntext");
            let shown = refused.text();
            assert!(shown.contains(&format!("id=\"text_text_problem\">{CHANGED}")), "{shown}");
            assert!(browser.get(&path).await.text().contains("\nTheir\ntext</textarea>"), "{path}");
            assert_eq!(changed(app).await, before);
            // Now the person knows what the next attempt replaces.
            let page = followed(&browser, &send_from(&browser, &shown, (&path, ""), &mine).await).await;
            assert!(page.contains("\nMy\ntext</textarea>") && !page.contains("Saved now"), "{page}");
        }
    }

    async fn a_text_that_was_removed_meanwhile_is_no_longer_there(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        let (_, other) = staff_in_browser(app, "boss", "Owner").await;
        followed(&other, &submit(&other, POLICY, POLICY, &[("text", "Ours")]).await).await;
        let page = browser.get(POLICY).await.text();
        let remove = format!("{POLICY}/remove");
        followed(&other, &submit(&other, POLICY, &remove, &[]).await).await;
        let refused = send_from(&browser, &page, (POLICY, ""), &[("text", "Mine")]).await;
        assert_refused(&refused, "Mine", "Nothing");
    }

    async fn a_refused_text_is_compared_with_what_others_stored(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        let (_, other) = staff_in_browser(app, "boss", "Owner").await;
        let page = browser.get(POLICY).await.text();
        followed(&other, &submit(&other, POLICY, POLICY, &[("text", "Theirs")]).await).await;
        // Both want the same.
        let same = [("text", "Theirs\r\n")];
        followed(&browser, &send_from(&browser, &page, (POLICY, ""), &same).await).await;
        assert_eq!(changed(app).await, ["privacy_policy"]);
        // A form that was refused for another reason shows what is stored, too.
        let long = "x".repeat(60_001);
        let refused = send_from(&browser, &page, (POLICY, ""), &[("text", &long)]).await;
        assert_refused(&refused, &long, "Theirs");
        let mine = [("text", "Mine")];
        followed(&browser, &send_from(&browser, &refused.text(), (POLICY, ""), &mine).await).await;
    }

    async fn versions_of_the_terms_are_not_overwritten_unseen(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        let (_, other) = staff_in_browser(app, "boss", "Owner").await;
        let [soon, later] = [5, 9].map(|days| app.day(days).to_string());
        let blank = format!("{TERMS}?new=1");
        let page = browser.get(&blank).await.text();
        let theirs = [("text", "Theirs"), ("effective_date", &*soon)];
        followed(&other, &submit(&other, &blank, TERMS, &theirs).await).await;
        let mine = [("text", "Mine"), ("effective_date", &*soon)];
        let refused = send_from(&browser, &page, (TERMS, ""), &mine).await;
        assert_refused(&refused, "Mine", "Theirs");
        let shown = refused.text();
        assert!(shown.contains(&format!("id=\"text_effective_date_problem\">{TAKEN}")), "{shown}");
        // Another first day is free.
        let free = [("text", "Mine"), ("effective_date", &*later)];
        let stored = followed(&browser, &send_from(&browser, &shown, (TERMS, ""), &free).await).await;
        assert!(stored.contains("\nMine</textarea>"), "{stored}");
        // From the page of one version, people write another one. It does not replace a third one.
        let refused = send_from(&browser, &stored, (TERMS, ""), &mine).await;
        assert_refused(&refused, "Mine", "Theirs");
        // Two people change the same version.
        let version = format!("{TERMS}?effective_date={soon}");
        let page = browser.get(&version).await.text();
        let theirs = [("text", "Theirs, better"), ("effective_date", &*soon)];
        followed(&other, &submit(&other, &version, TERMS, &theirs).await).await;
        let refused = send_from(&browser, &page, (TERMS, ""), &mine).await;
        assert_refused(&refused, "Mine", "Theirs, better");
        assert!(refused.text().contains(&format!("id=\"text_text_problem\">{CHANGED}")), "{refused:?}");
        let stored = send_from(&browser, &refused.text(), (TERMS, ""), &mine).await;
        assert!(followed(&browser, &stored).await.contains("\nMine</textarea>"));
    }

    async fn of_people_who_change_a_text_at_once_one_is_first(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        let date = app.day(5).to_string();
        for (path, date) in [(POLICY, ""), (TERMS, &*date)] {
            let page = browser.get(path).await.text();
            let saves = (0..10).map(|number| {
                let (browser, page, text) = (&browser, &page, format!("Text {number}"));
                async move {
                    let mut fields = vec![("text", text.as_str())];
                    if !date.is_empty() {
                        fields.push(("effective_date", date));
                    }
                    send_from(browser, page, (path, ""), &fields).await.status
                }
            });
            let statuses = join_all(saves).await;
            assert_eq!(statuses.iter().filter(|status| **status == 303).count(), 1, "{statuses:?}");
            assert_eq!(statuses.iter().filter(|status| **status == 422).count(), 9, "{statuses:?}");
        }
        assert_eq!(changed(app).await, ["privacy_policy".to_owned(), format!("terms_of_service {date}")]);
    }

    async fn a_form_without_the_shown_text_replaces_any(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        let mut form = posted_fields(&browser.get(POLICY).await.text(), POLICY);
        form.retain(|(name, _)| name == "authenticity_token");
        for text in ["One", "Two"] {
            let mut form = form.clone();
            form.push(("text".to_owned(), text.to_owned()));
            let page = followed(&browser, &browser.form(POLICY, &form).await).await;
            assert!(page.contains(&format!("\n{text}</textarea>")), "{page}");
        }
    }
}
