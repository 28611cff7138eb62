//! Videos and audio. Skipped if FFmpeg is not installed.

use std::{process::Command, time::Duration};

use reqwest::{Method, multipart::Form};
use serde_json::{Value, json};
use siskin_media::Tools;
use siskin_server::Config;
use siskin_test_support::both_engines;
use tokio::time::sleep;

use super::{V1, V2, form, path_of};
use crate::support::{
    TestApp, User, id, ids,
    pictures::{file, moving_gif, png},
    run,
};

/// Returns a file that `ffmpeg` generates from its own sources.
fn created(arguments: &[&str], name: &str) -> Vec<u8> {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join(name);
    let created = Command::new("ffmpeg")
        .args(["-nostdin", "-loglevel", "error", "-f", "lavfi", "-i"])
        .args(arguments)
        .arg(&path)
        .status();
    assert!(created.unwrap().success());
    std::fs::read(path).unwrap()
}

/// Waits until an attachment is processed.
async fn ready(user: &User, media: &Value) -> Value {
    for _ in 0..600 {
        let response = user.get(&format!("{V1}/{}", id(media))).await;
        if response.status != 206 {
            return response.ok();
        }
        assert_eq!(response.json()["url"], Value::Null);
        sleep(Duration::from_millis(100)).await;
    }
    panic!("{media} is never ready");
}

both_engines! {
    // Videos and audio are accepted at once and processed later.
    fn videos_and_audio_are_accepted_at_once_and_processed_later(database: &TestDatabase) {
        let Some(tools) = Tools::find() else { return };
        run(database, |config| config.tools = Some(tools), async |app: &TestApp| {
            let alice = app.user("alice").await;
            for (content, kind, media_type) in [
                (created(&["testsrc=size=64x48:rate=5:duration=1"], "a.webm"), "video", "video/mp4"),
                (moving_gif(20), "gifv", "video/mp4"),
                (created(&["sine=duration=1"], "a.ogg"), "audio", "audio/mpeg"),
            ] {
                let upload = form(content).text("focus", "0.5,0.5").text("description", "Noise");
                let waiting = alice.multipart(V2, upload).await.expect(202);
                assert_eq!((&waiting["type"], &waiting["url"]), (&json!(kind), &Value::Null));
                let coming = waiting["preview_url"].clone();
                assert_eq!(coming.is_null(), kind == "audio", "{waiting}");
                let focus = if kind == "audio" { Value::Null } else { json!({ "x": 0.5, "y": 0.5 }) };
                assert_eq!(waiting["meta"]["focus"], focus);
                let media = ready(&alice, &waiting).await;
                assert_eq!((&media["type"], &media["meta"]["focus"]), (&json!(kind), &focus));
                assert!(media["meta"]["original"]["duration"].as_f64().unwrap() > 0.1, "{media}");
                let file = app.anonymous().get(&path_of(app, &media["url"])).await;
                assert_eq!((file.status, file.header("content-type")), (200, Some(media_type)));
                assert_eq!(media["preview_url"], coming);
                if kind != "audio" {
                    let preview = app.anonymous().get(&path_of(app, &coming)).await;
                    let content_type = preview.header("content-type");
                    assert_eq!((preview.status, content_type), (200, Some("image/png")));
                }
                let status = alice.publish_as(json!({ "media_ids": [media["id"]] })).await;
                assert_eq!(status["media_attachments"][0], media);
            }
            let instance = app.anonymous().get("/api/v2/instance").await.ok();
            let types = &instance["configuration"]["media_attachments"]["supported_mime_types"];
            assert!(types.as_array().unwrap().contains(&json!("video/mp4")), "{types}");
        });
    }

    fn the_preview_of_a_video_has_a_url_before_processing(database: &TestDatabase) {
        let Some(tools) = Tools::find() else { return };
        let idle = |config: &mut Config| {
            config.tools = Some(tools);
            config.job_workers = 0;
        };
        run(database, idle, async |app: &TestApp| {
            let alice = app.user("alice").await;
            let waiting = alice.multipart(V2, form(moving_gif(20))).await.expect(202);
            let (coming, path) = (&waiting["preview_url"], format!("{V1}/{}", id(&waiting)));
            let early = app.anonymous().get(&path_of(app, coming)).await;
            assert_eq!(early.status, 404);
            assert_eq!(early.header("cache-control"), Some("private, no-store"));
            // A focal point that changes meanwhile does not affect the preview of a video.
            let moved = alice.put_media(&waiting, Form::new().text("focus", "1,1")).await.ok();
            assert_eq!(moved["preview_url"], *coming);
            app.app().drain_jobs().await.unwrap();
            let media = alice.get(&path).await.ok();
            assert_eq!(media["preview_url"], *coming);
            assert_eq!(app.anonymous().get(&path_of(app, coming)).await.status, 200);
            app.advance(Duration::from_hours(2));
            app.app().drain_jobs().await.unwrap();
            assert_eq!(app.anonymous().get(&path_of(app, coming)).await.status, 200);
            // A thumbnail that was uploaded with the file is available at once.
            let thumbnail = file(png(30, 20), "t.png", "image/png");
            let upload = form(moving_gif(20)).part("thumbnail", thumbnail);
            let covered = alice.multipart(V2, upload).await.expect(202);
            let path = path_of(app, &covered["preview_url"]);
            assert_eq!(app.anonymous().get(&path).await.status, 200);
        });
    }

    fn a_status_has_either_one_video_or_pictures(database: &TestDatabase) {
        let Some(tools) = Tools::find() else { return };
        run(database, |config| config.tools = Some(tools), async |app: &TestApp| {
            let alice = app.user("alice").await;
            let picture = async || alice.upload_media(png(9, 9), "").await;
            let (one, two) = (picture().await, picture().await);
            let mut films = Vec::new();
            for content in [
                created(&["testsrc=size=64x48:rate=5:duration=1"], "a.webm"),
                moving_gif(20),
                created(&["sine=duration=1"], "a.ogg"),
            ] {
                let waiting = alice.multipart(V2, form(content)).await.expect(202);
                films.push(ready(&alice, &waiting).await);
            }
            let in_a_day = app.app().now().after(Duration::from_hours(24)).to_string();
            let refused = async |media: &[&Value]| {
                let ids: Vec<&Value> = media.iter().map(|media| &media["id"]).collect();
                for scheduled_at in [Value::Null, json!(in_a_day)] {
                    let mut post = json!({ "status": "x", "media_ids": ids });
                    if !scheduled_at.is_null() {
                        post["scheduled_at"] = scheduled_at;
                    }
                    let refused = alice.json("/api/v1/statuses", post).await.expect(422);
                    assert_eq!(
                        refused["error"],
                        "Cannot attach a video to a post that already contains images"
                    );
                }
            };
            for film in &films {
                refused(&[film, &one]).await;
                refused(&[&one, &two, film]).await;
                for other in films.iter().filter(|other| *other != film) {
                    refused(&[film, other]).await;
                }
            }
            let post = json!({ "media_ids": ids([&one, &two]), "scheduled_at": in_a_day });
            let scheduled = alice.json("/api/v1/statuses", post).await.ok();
            let path = format!("/api/v1/scheduled_statuses/{}", id(&scheduled));
            let change = json!({ "media_ids": ids([&one, &films[0]]) });
            alice.send(alice.request(Method::PUT, &path).json(&change)).await.expect(422);
            assert_eq!(alice.get(&path).await.ok(), scheduled);
            for film in &films {
                alice.publish_as(json!({ "media_ids": [film["id"]] })).await;
                alice.get(&format!("{V1}/{}", id(film))).await.expect(404);
            }
        });
    }
}

api_tests! {
    async fn videos_are_refused_without_ffmpeg(app: &TestApp) {
        let alice = app.user("alice").await;
        let video = b"\0\0\0\x20ftypisom\0\0\x02\0isomiso2mp41".to_vec();
        let refused = alice.multipart(V2, form(video)).await.expect(422);
        assert!(refused["error"].as_str().unwrap().contains("takes pictures only"), "{refused}");
    }
}
