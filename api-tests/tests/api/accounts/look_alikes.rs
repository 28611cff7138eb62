//! Names that look like those of other accounts or of the staff, and the number of sign-ups from an
//! address.

use serde_json::Value;
use siskin_server::Config;
use siskin_test_support::both_engines;

use crate::support::{
    TestApp, run,
    visitors::{behind_a_proxy, refused_fields},
};

fn refusal(response: &Value) -> String {
    let refused = refused_fields(response);
    assert_eq!((refused.len(), refused[0].0.as_str()), (1, "username"), "{response}");
    refused[0].1.clone()
}

api_tests! {
    async fn no_name_looks_like_an_existing_one(app: &TestApp) {
        let client = app.open_registrations().await;
        client.sign_up("Alice", "alice@example.com").await.ok();
        for (name, code) in [
            ("alice", "ERR_TAKEN"),
            ("ALICE", "ERR_TAKEN"),
            (" aLiCe ", "ERR_TAKEN"),
            ("ａｌｉｃｅ", "ERR_INVALID"),
            ("ａlice", "ERR_INVALID"),
            // Cyrillic letters.
            ("\u{430}lice", "ERR_INVALID"),
            ("al\u{456}ce", "ERR_INVALID"),
            // Greek iota, dotless i and a letter with an accent.
            ("al\u{3b9}ce", "ERR_INVALID"),
            ("al\u{131}ce", "ERR_INVALID"),
            ("alic\u{e9}", "ERR_INVALID"),
            ("alice\u{301}", "ERR_INVALID"),
            // Characters that are not visible.
            ("al\u{200b}ice", "ERR_INVALID"),
            ("alice\u{200d}", "ERR_INVALID"),
            ("\u{202e}alice", "ERR_INVALID"),
            ("\u{2066}alice\u{2069}", "ERR_INVALID"),
            ("ali\u{ad}ce", "ERR_INVALID"),
            ("alice\u{feff}", "ERR_INVALID"),
            ("alice.", "ERR_INVALID"),
            ("alice@127.0.0.1", "ERR_INVALID"),
            ("@alice", "ERR_INVALID"),
            // The sign of Kelvin folds to the letter k.
            ("\u{212a}im", "ERR_INVALID"),
            // A mathematical letter.
            ("\u{1d41a}lice", "ERR_INVALID"),
            ("al ice", "ERR_INVALID"),
        ] {
            let refused = client.sign_up(name, "eve@example.com").await.expect(422);
            assert_eq!(refusal(&refused), code, "{name:?}");
        }
        client.sign_up("alice_", "eve@example.com").await.ok();
    }

    async fn names_of_staff_are_reserved_in_every_spelling(app: &TestApp) {
        let client = app.open_registrations().await;
        app.store_setting("sign_up.reserved_names", "Mayor, town_hall").await;
        for name in [
            "admin", "ADMIN", "_admin_", "ad_min", "Moderators", "no_reply", "support",
            "mayor", "MAYOR_", "townhall", "Town_Hall",
        ] {
            let refused = client.sign_up(name, "eve@example.com").await.expect(422);
            assert_eq!(refusal(&refused), "ERR_RESERVED", "{name}");
        }
        client.sign_up("mayors", "eve@example.com").await.ok();
        app.store_setting("sign_up.reserved_names", "").await;
        client.sign_up("mayor", "mayor@example.com").await.ok();
    }
}

both_engines! {
    // A client with an IPv6 address has a network of 2^64 addresses.
    fn sign_ups_are_limited_for_each_network(database: &TestDatabase) {
        let limited = |config: &mut Config| {
            config.fixed_settings.clear();
            behind_a_proxy(config);
        };
        run(database, limited, async |app: &TestApp| {
            let client = app.open_registrations().await;
            app.store_setting("rate_limits.sign_up", "2").await;
            let sign_up = async |address: &str, name: &str| {
                let email = format!("{name}@example.com");
                client.sign_up_from(address, name, &email).await.status
            };
            assert_eq!(sign_up("2001:db8:1:2::1", "a").await, 200);
            assert_eq!(sign_up("2001:db8:1:2:ffff::2", "b").await, 200);
            assert_eq!(sign_up("2001:db8:1:2:3:4:5:6", "c").await, 429);
            assert_eq!(sign_up("2001:db8:1:3::1", "c").await, 200);
            assert_eq!(sign_up("192.0.2.1", "d").await, 200);
            assert_eq!(sign_up("::ffff:192.0.2.1", "e").await, 200);
            assert_eq!(sign_up("192.0.2.1", "f").await, 429);
        });
    }
}
