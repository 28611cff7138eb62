//! A setting takes effect where and when it must.

use std::time::Duration;

use siskin_app::Handlers;
use siskin_entities::Actor;
use siskin_services::{
    Error,
    settings::{self, FixedSettings},
};
use siskin_test_support::both_engines;

use crate::support::{TestClock, command, open, open_fixed, run, until};

both_engines! {
    fn a_change_by_another_process_applies_within_a_second(database: &TestDatabase) {
        run(async {
            let app = open(database, &TestClock::new(), Handlers::new());
            app.start(0);
            let other = command(database);
            let fixed = FixedSettings::default();
            other.write(move |tx| {
                settings::set(tx, Actor::Operator, &fixed, "site_title", "Changed")
            }).unwrap();
            let took = until(|| app.settings().site_title == "Changed").await;
            assert!(took < Duration::from_secs(1), "{took:?}");
            app.shutdown().await;
        });
    }

    fn a_change_before_the_start_is_loaded_at_the_start(database: &TestDatabase) {
        let fixed = FixedSettings::default();
        command(database).write(move |tx| {
            settings::set(tx, Actor::Operator, &fixed, "site_title", "Before")
        }).unwrap();
        let app = open(database, &TestClock::new(), Handlers::new());
        assert_eq!(app.settings().site_title, "Before");
    }

    fn a_change_by_the_instance_applies_when_it_is_answered(database: &TestDatabase) {
        run(async {
            let app = open(database, &TestClock::new(), Handlers::new());
            app.change_setting("max_bio_chars".to_owned(), "7".to_owned()).await.unwrap();
            assert_eq!(app.settings().max_bio_chars, 7);
            let refused = app.change_setting("max_bio_chars".to_owned(), "many".to_owned()).await;
            assert!(matches!(refused, Err(Error::Invalid(_))));
            assert_eq!(app.settings().max_bio_chars, 7);
        });
    }

    fn settings_fixed_by_the_environment_cannot_change(database: &TestDatabase) {
        run(async {
            let fixed =
                FixedSettings::new(vec![("site_title".to_owned(), "Fixed".to_owned())]).unwrap();
            let app = open_fixed(database, &TestClock::new(), Handlers::new(), fixed);
            app.start(0);
            let other = command(database);
            for (key, value) in [("site_title", "Changed"), ("site_description", "Changed")] {
                let fixed = FixedSettings::default();
                other.write(move |tx| settings::set(tx, Actor::Operator, &fixed, key, value))
                    .unwrap();
            }
            until(|| app.settings().site_description == "Changed").await;
            assert_eq!(app.settings().site_title, "Fixed");
            let refused = app.change_setting("site_title".to_owned(), "Mine".to_owned()).await;
            assert!(matches!(refused, Err(Error::Conflict(_))));
            app.shutdown().await;
        });
    }
}
