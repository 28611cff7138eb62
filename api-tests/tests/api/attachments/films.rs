//! Videos and recordings, where the programs for them are installed.

use std::{process::Command, time::Duration};

use serde_json::{Value, json};
use siskin_media::Tools;
use siskin_test_support::both_engines;
use tokio::time::sleep;

use super::{V1, V2, form, path_of};
use crate::support::{TestApp, User, id, pictures::moving_gif, run};

/// What `ffmpeg` makes of sources of its own.
fn made(arguments: &[&str], name: &str) -> Vec<u8> {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join(name);
    let made = Command::new("ffmpeg")
        .args(["-nostdin", "-loglevel", "error", "-f", "lavfi", "-i"])
        .args(arguments)
        .arg(&path)
        .status();
    assert!(made.unwrap().success());
    std::fs::read(path).unwrap()
}

/// Waits for what is being worked on.
async fn ready(user: &User, media: &Value) -> Value {
    for _ in 0..600 {
        let answer = user.get(&format!("{V1}/{}", id(media))).await;
        if answer.status != 206 {
            return answer.ok();
        }
        assert_eq!(answer.json()["url"], Value::Null);
        sleep(Duration::from_millis(100)).await;
    }
    panic!("{media} is never ready");
}

both_engines! {
    // Case 103.
    fn what_plays_is_accepted_at_once_and_ready_later(database: &TestDatabase) {
        let Some(tools) = Tools::find() else { return };
        run(database, |config| config.tools = Some(tools), async |app: &TestApp| {
            let alice = app.user("alice").await;
            for (content, kind, media_type) in [
                (made(&["testsrc=size=64x48:rate=5:duration=1"], "a.webm"), "video", "video/mp4"),
                (moving_gif(20), "gifv", "video/mp4"),
                (made(&["sine=duration=1"], "a.ogg"), "audio", "audio/mpeg"),
            ] {
                let upload = form(content).text("focus", "0.5,0.5").text("description", "Noise");
                let waiting = alice.multipart(V2, upload).await.expect(202);
                assert_eq!((&waiting["type"], &waiting["url"]), (&json!(kind), &Value::Null));
                let focus = if kind == "audio" { Value::Null } else { json!({ "x": 0.5, "y": 0.5 }) };
                assert_eq!(waiting["meta"]["focus"], focus);
                let media = ready(&alice, &waiting).await;
                assert_eq!((&media["type"], &media["meta"]["focus"]), (&json!(kind), &focus));
                assert!(media["meta"]["original"]["duration"].as_f64().unwrap() > 0.1, "{media}");
                let file = app.anonymous().get(&path_of(app, &media["url"])).await;
                assert_eq!((file.status, file.header("content-type")), (200, Some(media_type)));
                let status = alice.publish_as(json!({ "media_ids": [media["id"]] })).await;
                assert_eq!(status["media_attachments"][0], media);
            }
            let instance = app.anonymous().get("/api/v2/instance").await.ok();
            let types = &instance["configuration"]["media_attachments"]["supported_mime_types"];
            assert!(types.as_array().unwrap().contains(&json!("video/mp4")), "{types}");
        });
    }
}

api_tests! {
    async fn without_the_programs_a_video_is_refused_in_words(app: &TestApp) {
        let alice = app.user("alice").await;
        let video = b"\0\0\0\x20ftypisom\0\0\x02\0isomiso2mp41".to_vec();
        let refused = alice.multipart(V2, form(video)).await.expect(422);
        assert!(refused["error"].as_str().unwrap().contains("takes pictures only"), "{refused}");
    }
}
