//! `/admin/settings`: what is refused, and how the page says it.

use futures_util::future::join_all;
use siskin_entities::TextName;

use super::{PAGE, TEXTS, changed, save, save_from};
use crate::staff_pages::{followed, staff_in_browser, submit};

/// Returns the problem that the page shows at the field of a setting.
fn problem_at(page: &str, key: &str) -> Option<String> {
    let beginning = format!("id=\"settings_{}_problem\">", key.replace('.', "_"));
    Some(page.split(&beginning).nth(1)?.split("</p>").next().unwrap().to_owned())
}

api_tests! {
    async fn all_wrong_values_are_named_at_once_in_the_words_of_the_page(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        let wrong = [
            ("site_title", " ", "Name must be a text that is not empty."),
            (
                "contact_account", "no_such_person",
                "Contact account must be the name of an account of this server.",
            ),
            (
                "languages", "klingon",
                "Languages must not contain &#34;klingon&#34;, which is not a language code.",
            ),
            (
                "registrations", "external",
                "Who may sign up can only be “People of the external sign-in provider” with a \
                 sign-in provider, and this server has none.",
            ),
            (
                "external_only", "1",
                "Sign-in only through an external provider can only be switched on with a sign-in \
                 provider, and this server has none.",
            ),
            (
                "sign_up.reserved_names", "mayor;fire",
                "Reserved names must not contain &#34;mayor;fire&#34;, which cannot be a user \
                 name: separate the names by commas or spaces.",
            ),
            (
                "feeds.local", "nothing",
                "Timeline of this server must be one of these: “Everyone”, “People who are signed \
                 in”, “Switched off”.",
            ),
            ("trends.enabled", "maybe", "Trends can only be switched on or off."),
            (
                "suggestions.staff_picks", "@ada, bob@far.example, @no_such_person",
                "Suggested accounts must not contain &#34;@no_such_person&#34;, which is not an \
                 account of this server.",
            ),
            (
                "limits.status_chars", "0",
                "Characters of a post must be a whole number from 1 to 100000.",
            ),
            (
                "limits.profile_fields", "4294967295",
                "Fields of a profile must be a whole number from 0 to 100.",
            ),
        ];
        let right = [("site_short_description", Some("New"))];
        let changes = wrong.map(|(key, value, _)| (key, Some(value)));
        let refused = save(&browser, &[&changes[..], &right].concat()).await;
        assert_eq!(refused.status, 422, "{refused:?}");
        let page = refused.text();
        let alert = page.split("role=\"alert\">").nth(1).unwrap().split("</p>").next().unwrap();
        for (key, value, words) in wrong {
            assert_eq!(problem_at(&page, key).as_deref(), Some(words), "{key}");
            assert!(alert.contains(words), "{key}: {alert}");
            let is_typed = !["registrations", "feeds.local", "external_only", "trends.enabled"].contains(&key);
            assert!(!is_typed || page.contains(&format!("value=\"{value}\"")), "{key}: {page}");
        }
        assert_eq!(problem_at(&page, "site_short_description"), None);
        assert!(page.contains("value=\"New\""), "{page}");
        for words in ["none or external", "true or false", "requires a"] {
            assert!(!page.contains(words), "{words}: {page}");
        }
        assert_eq!(changed(app).await, Vec::<String>::new());
        assert_eq!(app.app().settings().site_short_description, "");
    }

    async fn accounts_of_other_servers_can_be_suggested_before_they_are_known(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        let picks = format!("@ada, ADA@{}, bob@far.example", app.domain());
        followed(&browser, &save(&browser, &[("suggestions.staff_picks", Some(&picks))]).await).await;
        assert_eq!(app.app().settings().suggestions_staff_picks, picks);
        for (picks, part) in [
            (format!("bob@{}", app.domain()), "which is not an account of this server"),
            ("ada and bob".to_owned(), "which is not the address of an account such as @ann"),
        ] {
            let refused = save(&browser, &[("suggestions.staff_picks", Some(&picks))]).await;
            let problem = problem_at(&refused.text(), "suggestions.staff_picks").unwrap();
            assert!(refused.status == 422 && problem.contains(part), "{picks}: {problem}");
        }
    }

    async fn what_someone_else_changed_meanwhile_is_shown_first(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        let (_, other) = staff_in_browser(app, "boss", "Owner").await;
        let page = browser.get(PAGE).await.text();
        let theirs = [
            ("site_title", Some("Theirs")), ("site_description", Some("Their\r\ntext")),
            ("registrations", Some("open")), ("link_previews", None),
        ];
        followed(&other, &save(&other, &theirs).await).await;
        let own = [
            ("site_title", Some("Mine")), ("site_description", Some("My text")),
            ("contact_email", Some("us@birds.example")), ("registrations", Some("approval")),
            // Both want the same.
            ("link_previews", None),
        ];
        let refused = save_from(&browser, &page, &own).await;
        assert_eq!(refused.status, 422);
        let shown = refused.text();
        for (key, label, now) in [
            ("site_title", "Name", "Theirs"),
            ("site_description", "Description", "Their\ntext"),
            ("registrations", "Who may sign up", "Everyone"),
        ] {
            let words = format!(
                "{label} got another value from someone else in the meantime. Save again to replace it."
            );
            assert_eq!(problem_at(&shown, key), Some(words), "{key}");
            let part = format!("id=\"settings_{key}_now\">Saved now: <bdi>{now}</bdi>");
            assert!(shown.contains(&part), "{part}: {shown}");
        }
        assert_eq!(shown.matches("_problem\">").count(), 3, "{shown}");
        for part in ["value=\"Mine\"", "\nMy text</textarea>", "value=\"approval\" selected"] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        let settings = app.app().settings();
        assert_eq!((&*settings.site_title, &*settings.contact_email), ("Theirs", ""));
        assert_eq!(changed(app).await.len(), 4);
        // Now the person knows what the next attempt replaces.
        let page = followed(&browser, &save_from(&browser, &shown, &own).await).await;
        assert!(page.contains("The settings were saved.") && !page.contains("Saved now"), "{page}");
        let settings = app.app().settings();
        assert_eq!((&*settings.site_title, &*settings.site_description), ("Mine", "My text"));
        assert_eq!(settings.get("registrations").unwrap(), "approval");
        assert_eq!(changed(app).await.len(), 8);
    }

    async fn of_people_who_change_a_setting_at_once_one_is_first(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        let page = browser.get(PAGE).await.text();
        let saves = (0..10).map(|number| {
            let (browser, page, title) = (&browser, &page, format!("Name {number}"));
            async move { save_from(browser, page, &[("site_title", Some(title.as_str()))]).await.status }
        });
        let statuses = join_all(saves).await;
        assert_eq!(statuses.iter().filter(|status| **status == 303).count(), 1, "{statuses:?}");
        assert_eq!(statuses.iter().filter(|status| **status == 422).count(), 9, "{statuses:?}");
        assert!(app.app().settings().site_title.starts_with("Name "));
        assert_eq!(changed(app).await, ["site_title"]);
    }

    async fn switches_understand_words(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        for (text, is_on) in
            [("false", false), ("on", true), ("0", false), ("true", true), ("off", false), ("1", true)]
        {
            followed(&browser, &save(&browser, &[("trends.enabled", Some(text))]).await).await;
            assert_eq!(app.app().settings().trends_enabled, is_on, "{text}");
        }
    }

    async fn no_setting_turns_the_text_around_it(app: &TestApp) {
        let (_, browser) = staff_in_browser(app, "ada", "Admin").await;
        for (key, value) in [
            ("site_title", "A\u{202E}B"),
            ("site_short_description", "A\u{2066}B"),
            ("site_description", "A\n\u{202E}B"),
            ("registrations_message", "A\u{1B}[2JB"),
            ("contact_email", "a\u{202E}@b.example"),
            ("contact_account", "\u{202E}ada"),
            ("sign_up.reserved_names", "mayor\u{202A}"),
        ] {
            let refused = save(&browser, &[(key, Some(value))]).await;
            assert_eq!(refused.status, 422, "{key}");
            assert!(problem_at(&refused.text(), key).is_some(), "{key}: {refused:?}");
        }
        let path = format!("{TEXTS}/{}", TextName::Description.as_str());
        let refused = submit(&browser, &path, &path, &[("text", "A\u{202E}B")]).await;
        assert_eq!(refused.status, 422);
        let words = "The text contains control or direction characters.";
        assert!(refused.text().contains(words), "{refused:?}");
        assert_eq!(changed(app).await, Vec::<String>::new());
        // Line breaks, and the marks that some scripts need, are no harm.
        let text = "One\r\n\r\nשלום\u{200F}";
        followed(&browser, &save(&browser, &[("site_description", Some(text))]).await).await;
        assert_eq!(app.app().settings().site_description, "One\n\nשלום\u{200F}");
    }
}
