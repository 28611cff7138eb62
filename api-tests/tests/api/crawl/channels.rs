//! Secret words that only some accounts may read, searched in every push message and email to all
//! other accounts.

use std::time::Duration;

use serde_json::json;
use siskin_services::housekeeping;
use siskin_test_support::{MailSink, Received, both_engines};

use super::secrets::{
    LATER, OF_MANY, TO_BOB, TO_FOLLOWERS, plant, plant_among_many, plant_for_later,
};
use crate::support::{
    TestApp, User,
    push::{PushClient, PushService, SUBSCRIPTION, with_push_and_mail},
    trends::all_publish,
};

/// Time after which new notifications are mailed.
const MAIL_WAIT: Duration = Duration::from_mins(2);
/// Time without activity after which accounts get a digest.
const ABSENCE: Duration = Duration::from_hours(8 * 24);
/// A word in a public mention of each visitor.
const TO_ALL: &str = "meadow";
/// A word of Alice in the direct status that quotes her status for followers.
const QUOTING: &str = "lantern";
/// A hashtag of public statuses, which would trend after a review.
const TRENDING: &str = "goldfinch";

/// A server with the services that its push messages and emails reach.
struct Channels<'c> {
    app: &'c TestApp,
    service: &'c PushService,
    sink: &'c MailSink,
}

/// An account that chose to get everything through both channels.
struct Visitor {
    user: User,
    keys: PushClient,
}

/// The texts that a visitor got so far, in lower case.
struct Texts {
    pushed: Vec<String>,
    mailed: Vec<String>,
}

impl Channels<'_> {
    /// Creates an account with this name that gets all push messages, emails and digests. The
    /// number determines its keys.
    async fn visitor(&self, number: u8, name: &str) -> Visitor {
        let (user, keys) = (self.app.user(name).await, PushClient::new(number));
        let endpoint = self.service.endpoint(&format!("/{name}"));
        let mut parameters = keys.parameters(&endpoint, true);
        parameters["data"]["policy"] = json!("all");
        user.json(SUBSCRIPTION, parameters).await.ok();
        self.app.mail_everything(&user).await;
        // Without a record of activity, an account gets no digest.
        self.app.be_active(&user).await;
        Visitor { user, keys }
    }

    async fn texts(&self, visitor: &Visitor) -> Texts {
        let name = &visitor.user.username;
        let mails = self.app.mails(self.sink, &format!("{name}@example.com")).await;
        let whole = |mail: &Received| {
            let subject = mail.header("subject").unwrap();
            format!("{subject}\n{}\n{}", mail.text(), mail.html()).to_lowercase()
        };
        let (received, path) = (self.service.received(), format!("/{name}"));
        let own = received.iter().filter(|one| one.path == path);
        let pushed = own.map(|one| visitor.keys.read(one).to_string().to_lowercase());
        Texts { pushed: pushed.collect(), mailed: mails.iter().map(whole).collect() }
    }

    /// Checks that a visitor got each of the words in `known` through both channels, and none of
    /// those in `hidden`.
    async fn check(&self, visitor: &Visitor, known: &[&str], hidden: &[&str]) {
        let Texts { pushed, mailed } = self.texts(visitor).await;
        for (channel, texts) in [("push", pushed), ("email", mailed)] {
            let name = &visitor.user.username;
            let got = |word: &str| texts.iter().any(|text| text.contains(word));
            for word in known {
                assert!(got(word), "{name} did not get {word} by {channel}: {texts:#?}");
            }
            for word in hidden {
                assert!(!got(word), "{name} got {word} by {channel}: {texts:#?}");
            }
        }
    }
}

both_engines! {
    fn no_push_message_or_email_reveals_private_content(database: &TestDatabase) {
        with_push_and_mail(database, async |app, service, sink| {
            let channels = Channels { app, service, sink };
            let alice = channels.visitor(1, "alice").await;
            let bob = channels.visitor(2, "bob").await;
            let follower = channels.visitor(3, "carol").await;
            let stranger = channels.visitor(4, "dave").await;
            let blocked = channels.visitor(5, "erin").await;
            let mentioned = channels.visitor(6, "greta").await;
            let staff = channels.visitor(7, "staff").await;
            app.give_role(&staff.user, Some("Moderator")).await;
            // All followers want a notification about each status.
            for (from, target) in [(&follower, &alice), (&blocked, &alice), (&stranger, &bob)] {
                app.follow_with(&from.user, &target.user, true, true, None).await;
            }
            // A message about a status may be sent right after its publication, so the block comes
            // first.
            alice.user.act_on("block", &blocked.user).await;

            let [[to_followers, ..], _] = plant(&alice.user).await;
            plant_for_later(app, &alice.user).await;
            let quote = json!({
                "status": format!("@bob @greta {QUOTING}"), "visibility": "direct",
                "quoted_status_id": to_followers,
            });
            alice.user.publish_as(quote).await;
            all_publish(&app.crowd("open", 5).await, &format!("#{TRENDING}")).await;
            plant_among_many(app).await;
            for visitor in [&alice, &follower, &stranger, &blocked, &mentioned, &staff] {
                bob.user.publish(&format!("@{} {TO_ALL}", visitor.user.username)).await;
            }
            app.settle().await;
            app.advance(MAIL_WAIT);
            app.settle().await;

            let secrets = [TO_FOLLOWERS, TO_BOB, LATER, OF_MANY];
            channels.check(&alice, &[TO_ALL], &[OF_MANY]).await;
            channels.check(&bob, &[TO_BOB, QUOTING], &[TO_FOLLOWERS, LATER, OF_MANY]).await;
            channels.check(&follower, &[TO_ALL, TO_FOLLOWERS], &[TO_BOB, LATER, OF_MANY]).await;
            channels.check(&mentioned, &[TO_ALL, QUOTING], &secrets).await;
            for visitor in [&stranger, &blocked, &staff] {
                channels.check(visitor, &[TO_ALL], &secrets).await;
                channels.check(visitor, &[], &[QUOTING]).await;
            }
            // The email about what would trend is there, too.
            let mailed = channels.texts(&staff).await.mailed;
            assert!(mailed.iter().any(|text| text.contains(TRENDING)), "{mailed:#?}");

            app.advance(ABSENCE);
            app.app().write(housekeeping::enqueue_upkeep_jobs).await.unwrap();
            // The scheduled status is public meanwhile.
            let hidden = [TO_FOLLOWERS, TO_BOB, OF_MANY, QUOTING];
            let visitors: [(&Visitor, &str, &[&str]); 5] = [
                (&follower, TO_FOLLOWERS, &hidden[1..]),
                (&mentioned, QUOTING, &hidden[..3]),
                (&stranger, TO_ALL, &hidden),
                (&blocked, TO_ALL, &hidden),
                (&staff, TO_ALL, &hidden),
            ];
            for (visitor, known, hidden) in visitors {
                let name = &visitor.user.username;
                let mailed = channels.texts(visitor).await.mailed;
                let digest = mailed.iter().find(|text| text.starts_with("what you missed"));
                let digest = digest.unwrap_or_else(|| panic!("no digest to {name}: {mailed:#?}"));
                assert!(digest.contains(known), "{known} is not in the digest to {name}: {digest}");
                channels.check(visitor, &[], hidden).await;
            }
            channels.check(&bob, &[], &[TO_FOLLOWERS, OF_MANY]).await;
            channels.check(&alice, &[], &[OF_MANY]).await;
        });
    }
}
