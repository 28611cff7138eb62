//! `GET /api/v1/statuses/{id}/favourited_by` and `reblogged_by`.

use siskin_entities::AccountState;

use crate::support::{GOOD, id};

api_tests! {
    async fn reactions_are_listed_newest_first_in_pages(app: &TestApp) {
        let alice = app.user("alice").await;
        let status = alice.publish("hello").await;
        let mut people = Vec::new();
        for name in ["bob", "carol", "dave"] {
            let user = app.user(name).await;
            user.act("favourite", &status).await;
            user.act("reblog", &status).await;
            people.insert(0, user.id);
        }
        for list in ["favourited_by", "reblogged_by"] {
            let path = format!("/api/v1/statuses/{}/{list}", id(&status));
            let all = app.anonymous().get(&path).await;
            assert_eq!(all.ids(), people);
            assert_eq!(all.link("next"), None);
            let first = app.anonymous().get(&format!("{path}?limit=2")).await;
            assert_eq!(first.ids(), people[..2]);
            assert!(first.link("prev").unwrap().contains("limit=2&since_id="));
            let second = app.anonymous().get(&first.link("next").unwrap()).await;
            assert_eq!(second.ids(), people[2..]);
            assert_eq!(second.link("next"), None);
        }
    }

    // Lists of reactions omit blocked, muted and suspended accounts.
    async fn blocked_muted_and_suspended_accounts_are_left_out(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = alice.publish("hello").await;
        let (blocked, blocking, muted, suspended) = (
            app.user("blocked").await,
            app.user("blocking").await,
            app.user("muted").await,
            app.user("suspended").await,
        );
        for user in [&blocked, &blocking, &muted, &suspended] {
            user.act("favourite", &status).await;
            user.act("reblog", &status).await;
        }
        bob.act_on("block", &blocked).await;
        blocking.act_on("block", &bob).await;
        bob.act_on("mute", &muted).await;
        app.set_state(&suspended, AccountState { suspended: true, ..GOOD }).await;
        for list in ["favourited_by", "reblogged_by"] {
            let path = format!("/api/v1/statuses/{}/{list}", id(&status));
            assert_eq!(bob.get(&path).await.ids(), Vec::<String>::new());
            let everyone = [muted.id.as_str(), &blocking.id, &blocked.id];
            assert_eq!(app.anonymous().get(&path).await.ids(), everyone);
        }
    }

    async fn private_reblogs_are_not_listed(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = alice.publish("hello").await;
        let path = format!("/api/v1/statuses/{}", id(&status));
        bob.form(&format!("{path}/reblog"), &[("visibility", "private")]).await.ok();
        for viewer in [&alice, &bob] {
            let listed = viewer.get(&format!("{path}/reblogged_by")).await.ids();
            assert_eq!(listed, Vec::<String>::new());
        }
        bob.act("unreblog", &status).await;
        bob.form(&format!("{path}/reblog"), &[("visibility", "unlisted")]).await.ok();
        assert_eq!(alice.get(&format!("{path}/reblogged_by")).await.ids(), [bob.id.as_str()]);
    }
}
