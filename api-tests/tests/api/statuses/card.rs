//! `card` of a status: the preview of its link.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use reqwest::Method;
use serde_json::{Value, json};
use siskin_server::Config;
use siskin_services::housekeeping;
use siskin_test_support::{
    TestDatabase, both_engines,
    site::{ReceivedRequest, Site, page, redirect, response},
};

use crate::support::{
    TestApp, User, id,
    pictures::{png, size},
    run,
};

const ARTICLE: &str = "<html lang=en><head><title>Not this</title>
    <meta property=og:title content='Siskins &amp; co'>
    <meta property=og:description content='What they eat'>
    <meta property=og:type content=article>
    <meta property=og:site_name content=News>
    <meta property=og:image content=/bird.png>
    <meta name=author content=Ann>
    <meta property=article:published_time content=2026-11-27T08:00:00Z>";

fn picture() -> Vec<u8> {
    response("200 OK", &[("content-type", "text/html")], &png(1600, 900))
}

/// Renders the pages of a site.
fn news(received: &ReceivedRequest) -> Vec<u8> {
    match received.path.split('?').next().unwrap_or_default() {
        "/article" => page(ARTICLE),
        "/bird.png" => picture(),
        "/moved" => redirect("/article"),
        "/plain" => page("<title>Plain</title>"),
        "/latin" => response(
            "200 OK",
            &[("content-type", "text/html; charset=iso-8859-1")],
            b"<title>Gr\xfc\xdfe</title>",
        ),
        "/huge" => page(&format!("<title>Huge</title>{}", "x".repeat(3 << 20))),
        "/broken-picture" => page("<title>x</title><meta property=og:image content=/article>"),
        "/film" => page(
            "<title>x</title><link rel=alternate type=application/json+oembed href=/oembed?film>",
        ),
        "/photo" => page(
            "<title>x</title><link rel=alternate type=application/json+oembed href=/oembed?photo>",
        ),
        "/oembed" => oembed(&received.path),
        "/text" => response("200 OK", &[("content-type", "text/plain")], b"<title>x</title>"),
        "/nothing" => page("<p>nothing"),
        "/attributes" => {
            let attributes = (0..150_000).map(|number| format!(" {number:x}"));
            page(&format!("<title>Many</title><x{}>", attributes.collect::<String>()))
        }
        "/slow" => {
            thread::sleep(Duration::from_secs(60));
            page("<title>Slow</title>")
        }
        _ => {
            response("404 Not Found", &[("content-type", "text/html")], b"<title>Not found</title>")
        }
    }
}

fn oembed(path: &str) -> Vec<u8> {
    let embed = if path.ends_with("film") {
        json!({
            "version": "1.0", "type": "video", "title": "A song", "width": 480, "height": "270",
            "thumbnail_url": "/bird.png", "provider_name": "Tube",
            "html": "<script>alert(1)</script><iframe onload=alert(1) \
                src='https://tube.example/e?a=1&amp;b=\"><script>'></iframe>",
        })
    } else {
        json!({ "type": "photo", "url": "/bird.png", "width": 1600, "height": 900, "title": "B" })
    };
    response("200 OK", &[("content-type", "application/json")], embed.to_string().as_bytes())
}

/// Runs a test with a server that may connect to a site.
fn with(database: &TestDatabase, site: &Site, test: impl AsyncFnOnce(&TestApp)) {
    let address = site.address();
    run(database, |config: &mut Config| config.outbound_allow.push(address), test);
}

/// Runs all jobs.
async fn settle(app: &TestApp) {
    app.app().drain_jobs().await.unwrap();
}

async fn card(user: &User, status: &Value) -> Value {
    user.get(&format!("/api/v1/statuses/{}", id(status))).await.ok()["card"].take()
}

/// Publishes a text, runs the jobs and returns the preview.
async fn card_of(app: &TestApp, user: &User, text: &str) -> Value {
    let status = user.publish(text).await;
    settle(app).await;
    card(user, &status).await
}

async fn edit(user: &User, status: &Value, text: &str) -> Value {
    let path = format!("/api/v1/statuses/{}", id(status));
    user.send(user.request(Method::PUT, &path).json(&json!({ "status": text }))).await.ok()
}

fn count_requests(site: &Site, path: &str) -> usize {
    site.received().iter().filter(|received| received.path == path).count()
}

both_engines! {
    fn a_status_shows_a_preview_of_its_link(database: &TestDatabase) {
        let site = Site::start(news);
        with(database, &site, async |app| {
            let alice = app.user("alice").await;
            let link = site.url("/article");
            let status = alice.publish(&format!("Read #this, @bob: {link}#part !")).await;
            assert_eq!(status["card"], Value::Null, "requests must not wait for a page");
            settle(app).await;
            let shown = alice.get(&format!("/api/v1/statuses/{}", id(&status))).await.ok();
            let mut card = shown["card"].clone();
            let (image, blurhash) = (card["image"].take(), card["blurhash"].take());
            assert_eq!(card, json!({
                "url": link,
                "title": "Siskins & co",
                "description": "What they eat",
                "type": "link",
                "authors": [{ "name": "Ann", "url": "", "account": null }],
                "author_name": "Ann",
                "author_url": "",
                "provider_name": "News",
                "provider_url": "",
                "html": "",
                "width": 960,
                "height": 540,
                "image": null,
                "embed_url": "",
                "blurhash": null,
                "missing_attribution": null,
                "published_at": "1795766400",
            }));
            assert!(blurhash.as_str().unwrap().len() > 6);
            // The image is re-encoded and served by this server, so that viewers send no request to
            // the page.
            let path = image.as_str().unwrap().strip_prefix(app.base_url()).unwrap();
            let picture = app.anonymous().get(path).await;
            assert_eq!((picture.status, size(&picture.body)), (200, (960, 540)));
            assert_eq!(picture.header("content-type"), Some("image/png"));
            // A preview is not an edit, and creates no notification.
            assert_eq!(shown["edited_at"], Value::Null);
            let history = format!("/api/v1/statuses/{}/history", id(&status));
            assert_eq!(alice.get(&history).await.ok().as_array().unwrap().len(), 1);
            let page = format!("/api/v1/statuses/{}/card", id(&status));
            assert_eq!(alice.get(&page).await.status, 404);
        });
    }

    fn a_new_preview_is_shown_with_a_cached_status(database: &TestDatabase) {
        let site = Site::start(news);
        with(database, &site, async |app| {
            let alice = app.user("alice").await;
            let status = alice.publish(&site.url("/plain")).await;
            // This caches the status, with or without its preview.
            let _ = card(&alice, &status).await;
            settle(app).await;
            assert_eq!(card(&alice, &status).await["title"], "Plain");
        });
    }

    fn reblogs_polls_and_pictures_can_have_previews(database: &TestDatabase) {
        let site = Site::start(news);
        with(database, &site, async |app| {
            let (alice, bob) = (app.user("alice").await, app.user("bob").await);
            let media = alice.upload_media(png(9, 9), "").await;
            let link = site.url("/plain");
            for parameters in [
                json!({ "poll": { "options": ["a", "b"], "expires_in": 600 } }),
                json!({ "media_ids": [media["id"]], "sensitive": true, "spoiler_text": "x" }),
                json!({ "content_type": "text/markdown", "status": format!("[a]({link})") }),
            ] {
                let mut received = json!({ "status": link });
                received.as_object_mut().unwrap().extend(parameters.as_object().unwrap().clone());
                let status = alice.publish_as(received).await;
                settle(app).await;
                assert_eq!(card(&alice, &status).await["title"], "Plain", "{parameters}");
                let reblog = bob.act("reblog", &status).await;
                assert_eq!(reblog["reblog"]["card"]["title"], "Plain");
                assert_eq!(reblog["card"], Value::Null);
            }
            let hidden = alice
                .publish_as(json!({ "status": format!("@bob {link}"), "visibility": "direct" }))
                .await;
            assert_eq!(card(&bob, &hidden).await["title"], "Plain");
        });
    }

    fn the_first_link_to_another_server_has_the_preview(database: &TestDatabase) {
        let site = Site::start(news);
        with(database, &site, async |app| {
            let (alice, own) = (app.user("alice").await, app.base_url());
            let text = format!(
                "{own}/@alice http://me@{0}/plain xmpp:a@b.example #tag {1} {2}",
                site.address(), site.url("/latin"), site.url("/plain"),
            );
            assert_eq!(card_of(app, &alice, &text).await["title"], "Grüße");
            assert_eq!(card_of(app, &alice, &format!("{own}/about")).await, Value::Null);
            assert_eq!(count_requests(&site, "/plain"), 0);
            let moved = card_of(app, &alice, &site.url("/moved")).await;
            assert_eq!(moved["url"], site.url("/article"));
        });
    }

    fn a_page_is_fetched_once_for_all_links(database: &TestDatabase) {
        let site = Site::start(news);
        with(database, &site, async |app| {
            let (alice, bob) = (app.user("alice").await, app.user("bob").await);
            let link = site.url("/article");
            let (one, other) = futures_util::join!(alice.publish(&link), bob.publish(&link));
            settle(app).await;
            assert_eq!(card(&alice, &one).await, card(&bob, &other).await);
            let later = bob.publish(&link).await;
            assert_eq!(later["card"]["title"], "Siskins & co", "a known card is available at once");
            let received = |path| count_requests(&site, path);
            assert_eq!((received("/article"), received("/bird.png")), (1, 1));
            // After two weeks the page is fetched again, because it may have changed. The image has
            // the same URL and is not.
            app.advance(Duration::from_hours(14 * 24 + 1));
            bob.publish(&link).await;
            settle(app).await;
            assert_eq!((received("/article"), received("/bird.png")), (2, 1));
            assert_eq!(card(&alice, &one).await["image"], later["card"]["image"]);
        });
    }

    fn a_page_without_metadata_is_not_fetched_again_for_a_while(database: &TestDatabase) {
        let calls = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&calls);
        let site = Site::start(move |_| {
            if counted.fetch_add(1, Ordering::Relaxed) == 0 {
                return response("503 Service Unavailable", &[], b"");
            }
            page("<title>Up again</title>")
        });
        with(database, &site, async |app| {
            let alice = app.user("alice").await;
            let (link, first) = (site.url("/"), alice.publish(&site.url("/")).await);
            settle(app).await;
            assert_eq!(card_of(app, &alice, &link).await, Value::Null);
            assert_eq!(calls.load(Ordering::Relaxed), 1);
            app.advance(Duration::from_hours(2));
            assert_eq!(card_of(app, &alice, &link).await["title"], "Up again");
            assert_eq!(card(&alice, &first).await["title"], "Up again");
            assert_eq!(calls.load(Ordering::Relaxed), 2);
        });
    }

    fn slow_links_of_one_author_delay_no_other_preview_or_verified_link(database: &TestDatabase) {
        let (profile, recovered) = (Arc::<Mutex<String>>::default(), Arc::<AtomicBool>::default());
        let (linked, is_quick) = (Arc::clone(&profile), Arc::clone(&recovered));
        let site = Site::start(move |received| {
            if received.path == "/me" {
                return page(&format!("<a rel=me href='{}'>me</a>", linked.lock().unwrap()));
            }
            let is_slow = received.path.starts_with("/slow");
            while is_slow && !is_quick.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(20));
            }
            page("<title>Plain</title>")
        });
        with(database, &site, async |app| {
            let (alice, bob) = (app.user("alice").await, app.user("bob").await);
            *profile.lock().unwrap() = format!("{}/@bob", app.base_url());
            for number in 0..12 {
                alice.publish(&site.url(&format!("/slow?{number}"))).await;
            }
            let started = Instant::now();
            let status = bob.publish(&site.url("/plain")).await;
            let fields = json!({ "fields_attributes": [{ "name": "Me", "value": site.url("/me") }] });
            let update = bob.request(Method::PATCH, "/api/v1/accounts/update_credentials");
            bob.send(update.json(&fields)).await.ok();
            let is_verified = async || {
                let account = bob.get(&format!("/api/v1/accounts/{}", bob.id)).await.ok();
                account["fields"][0]["verified_at"].is_string()
            };
            while card(&bob, &status).await.is_null() || !is_verified().await {
                assert!(started.elapsed() < Duration::from_secs(9), "a slow page blocks others");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            let slow = site.received().iter().filter(|received| received.path.starts_with("/slow")).count();
            assert!(slow <= 1, "one at a time: {slow}");
            // So that the remaining jobs end soon.
            recovered.store(true, Ordering::Relaxed);
        });
    }

    fn a_page_with_endless_attributes_delays_no_other_preview(database: &TestDatabase) {
        let site = Site::start(news);
        with(database, &site, async |app| {
            let alice = app.user("alice").await;
            let status = alice.publish(&site.url("/attributes")).await;
            let started = Instant::now();
            while card(&alice, &status).await.is_null() {
                let received = Instant::now();
                app.anonymous().get("/health").await.text();
                assert!(received.elapsed() < Duration::from_secs(5));
                assert!(started.elapsed() < Duration::from_secs(60));
            }
            assert_eq!(card(&alice, &status).await["title"], "Many");
        });
    }

    fn an_edit_changes_and_removes_the_preview(database: &TestDatabase) {
        let site = Site::start(news);
        with(database, &site, async |app| {
            let alice = app.user("alice").await;
            let status = alice.publish(&site.url("/plain")).await;
            settle(app).await;
            let same = edit(&alice, &status, &format!("{} and more", site.url("/plain"))).await;
            assert_eq!(same["card"]["title"], "Plain");
            let other = edit(&alice, &status, &site.url("/latin")).await;
            assert_eq!(other["card"], Value::Null);
            settle(app).await;
            assert_eq!(card(&alice, &status).await["title"], "Grüße");
            assert_eq!(edit(&alice, &status, "no more").await["card"], Value::Null);
            settle(app).await;
            assert_eq!(card(&alice, &status).await, Value::Null);
            let back = edit(&alice, &status, &site.url("/plain")).await;
            assert_eq!(back["card"]["title"], "Plain");
            assert_eq!(count_requests(&site, "/plain"), 1);
        });
    }

    fn links_to_other_content_have_no_preview(database: &TestDatabase) {
        let site = Site::start(news);
        with(database, &site, async |app| {
            let alice = app.user("alice").await;
            for path in ["/text", "/nothing", "/gone", "/bird.png"] {
                // The picture claims to be a page, which it is not.
                assert_eq!(card_of(app, &alice, &site.url(path)).await, Value::Null, "{path}");
            }
            let bare = card_of(app, &alice, &site.url("/broken-picture")).await;
            assert_eq!((&bare["title"], &bare["image"]), (&json!("x"), &Value::Null));
            assert_eq!((&bare["width"], &bare["blurhash"]), (&json!(0), &Value::Null));
            assert_eq!(app.stored_files().await, 0);
            assert_eq!(card_of(app, &alice, &site.url("/huge")).await["title"], "Huge");
        });
    }

    fn embeds_are_given_by_url_only(database: &TestDatabase) {
        let site = Site::start(news);
        with(database, &site, async |app| {
            let alice = app.user("alice").await;
            let film = card_of(app, &alice, &site.url("/film")).await;
            assert_eq!((&film["type"], &film["title"]), (&json!("video"), &json!("A song")));
            assert_eq!((&film["width"], &film["height"]), (&json!(480), &json!(270)));
            let html = film["html"].as_str().unwrap();
            assert!(html.starts_with("<iframe src=\"https://tube.example/e?a=1&amp;b=%22%3E%3Cscript%3E\" "), "{html}");
            assert!(!html.contains("onload") && !html.contains("<script"), "{html}");
            assert!(film["image"].as_str().unwrap().starts_with(app.base_url()));
            let photo = card_of(app, &alice, &site.url("/photo")).await;
            assert_eq!((&photo["type"], &photo["html"]), (&json!("photo"), &json!("")));
            assert_eq!(photo["embed_url"], site.url("/bird.png"));
            assert_eq!((&photo["width"], &photo["height"]), (&json!(1600), &json!(900)));
        });
    }

    fn links_cannot_reach_private_addresses(database: &TestDatabase) {
        let hidden = Site::start(|_| page("<title>secret</title>"));
        let inside = hidden.url("/");
        let open = Site::start(move |received| match received.path.as_str() {
            "/away" => redirect(&inside),
            _ => page(&format!(
                "<title>open</title><meta property=og:image content={inside}i.png>
                 <link rel=alternate type=application/json+oembed href={inside}oembed>"
            )),
        });
        with(database, &open, async |app| {
            let (alice, port) = (app.user("alice").await, hidden.address().port());
            for link in [
                hidden.url("/"),
                format!("http://localhost:{port}/"),
                format!("http://0x7f.1:{port}/"),
                format!("http://[::ffff:127.0.0.1]:{port}/"),
                open.url("/away"),
            ] {
                assert_eq!(card_of(app, &alice, &link).await, Value::Null, "{link}");
            }
            let shown = card_of(app, &alice, &open.url("/")).await;
            assert_eq!((&shown["title"], &shown["image"]), (&json!("open"), &Value::Null));
            assert_eq!(hidden.received(), []);
        });
    }

    fn publishing_does_not_wait_for_slow_pages(database: &TestDatabase) {
        let site = Site::start(news);
        with(database, &site, async |app| {
            let alice = app.user("alice").await;
            let start = Instant::now();
            assert_eq!(card_of(app, &alice, &site.url("/slow")).await, Value::Null);
            assert!(start.elapsed() < Duration::from_secs(50), "{:?}", start.elapsed());
        });
    }

    fn previews_can_be_disabled(database: &TestDatabase) {
        let site = Site::start(news);
        with(database, &site, async |app| {
            let alice = app.user("alice").await;
            let status = alice.publish(&site.url("/plain")).await;
            settle(app).await;
            let off = ("link_previews".to_owned(), "false".to_owned());
            app.app().change_setting(off.0, off.1).await.unwrap();
            assert_eq!(card_of(app, &alice, &site.url("/latin")).await, Value::Null);
            assert_eq!(count_requests(&site, "/latin"), 0);
            assert_eq!(card(&alice, &status).await["title"], "Plain", "the card must not change");
            assert_eq!(edit(&alice, &status, &site.url("/latin")).await["card"], Value::Null);
        });
    }

    fn unused_previews_are_deleted_with_their_picture(database: &TestDatabase) {
        let site = Site::start(news);
        with(database, &site, async |app| {
            let alice = app.user("alice").await;
            let link = site.url("/article");
            let (one, other) = (alice.publish(&link).await, alice.publish(&link).await);
            settle(app).await;
            let keep_house = async || {
                app.advance(Duration::from_hours(26));
                app.app().write(housekeeping::enqueue_upkeep_jobs).await.unwrap();
                settle(app).await;
                app.advance(Duration::from_hours(2));
                settle(app).await;
            };
            alice.delete(&format!("/api/v1/statuses/{}", id(&one))).await.ok();
            keep_house().await;
            assert_eq!(card(&alice, &other).await["title"], "Siskins & co");
            assert_eq!(app.stored_files().await, 1);
            edit(&alice, &other, "no more").await;
            keep_house().await;
            assert_eq!(app.stored_files().await, 0);
            assert_eq!(card_of(app, &alice, &link).await["title"], "Siskins & co");
            assert_eq!(count_requests(&site, "/article"), 2);
        });
    }

    fn replaced_preview_pictures_are_deleted(database: &TestDatabase) {
        let picture = Arc::new(Mutex::new("/one.png"));
        let named = Arc::clone(&picture);
        let site = Site::start(move |received| match received.path.as_str() {
            "/" => page(&format!(
                "<title>x</title><meta property=og:image content={}>", named.lock().unwrap()
            )),
            _ => self::picture(),
        });
        with(database, &site, async |app| {
            let alice = app.user("alice").await;
            let before = card_of(app, &alice, &site.url("/")).await;
            *picture.lock().unwrap() = "/two.png";
            app.advance(Duration::from_hours(14 * 24 + 1));
            let after = card_of(app, &alice, &site.url("/")).await;
            assert_ne!(before["image"], after["image"]);
            app.advance(Duration::from_hours(2));
            settle(app).await;
            assert_eq!(app.stored_files().await, 1);
        });
    }

    fn the_page_of_a_status_shows_the_preview_in_a_box(database: &TestDatabase) {
        let site = Site::start(news);
        with(database, &site, async |app| {
            let alice = app.user("alice").await;
            let status = alice.publish(&site.url("/article")).await;
            settle(app).await;
            let page = app.anonymous().get(&format!("/@alice/{}", id(&status))).await.text();
            let (_, preview) = page.split_once("<a class=\"preview\"").unwrap();
            let (preview, _) = preview.split_once("</a>").unwrap();
            assert!(preview.contains(&format!("href=\"{}\"", site.url("/article"))), "{preview}");
            assert!(preview.contains("Siskins &#38; co") && preview.contains("News"), "{preview}");
            assert!(preview.contains(&format!("src=\"{}/media/", app.base_url())), "{preview}");
        });
    }
}
