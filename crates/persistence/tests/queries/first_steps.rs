//! The picture of the instance, and the steps of its set-up.

use siskin_entities::{FirstStep, PictureVersion, StepState, media::PixelSize};
use siskin_persistence::{
    files::{self, Audience},
    first_steps, instance_picture,
};
use siskin_test_support::both_engines;

use crate::{
    plans::{plans, reads_all},
    world::World,
};

fn version(file: &str, width: u32, height: u32) -> PictureVersion {
    PictureVersion {
        file: file.to_owned(),
        size: PixelSize { width, height },
        blurhash: Some("UBL_".to_owned()),
    }
}

both_engines! {
    fn a_picture_replaces_the_former_one(database: &TestDatabase) {
        let world = World::on(database);
        let replace = |versions: Vec<PictureVersion>| {
            let mut former = world.write(move |tx| instance_picture::replace(tx, &versions));
            former.sort();
            former
        };
        let find = || world.read(instance_picture::find);
        let audience = |file: &'static str| world.read(|conn| files::audience(conn, file));
        assert_eq!((find(), world.read(instance_picture::exists)), (None, false));
        let (wide, icon) = (version("a.png", 1200, 630), version("b.png", 192, 192));
        assert_eq!(replace(vec![icon.clone(), wide.clone()]), [""; 0]);
        let picture = find().unwrap();
        assert_eq!((&picture.thumbnail, &picture.icons), (&wide, &vec![icon]));
        assert!(world.read(instance_picture::exists));
        assert_eq!(audience("a.png"), Some(Audience::Everyone));
        assert_eq!(replace(vec![version("c.png", 1200, 630)]), ["a.png", "b.png"]);
        assert_eq!((audience("a.png"), audience("c.png")), (None, Some(Audience::Everyone)));
        assert_eq!(replace(Vec::new()), ["c.png"]);
        assert_eq!(find(), None);
    }

    fn a_step_that_was_done_is_not_skipped(database: &TestDatabase) {
        let world = World::on(database);
        let list = || world.read(first_steps::list);
        let skip = |step| world.write(move |tx| first_steps::skip(tx, step));
        let complete = |step| world.write(move |tx| first_steps::complete(tx, step));
        assert_eq!(list(), []);
        skip(FirstStep::Name);
        assert_eq!(list(), [(FirstStep::Name, StepState::Skipped)]);
        for _ in 0..2 {
            complete(FirstStep::Name);
            skip(FirstStep::Name);
            assert_eq!(list(), [(FirstStep::Name, StepState::Done)]);
        }
        database.execute("INSERT INTO first_steps (step, skipped) VALUES ('of another version', TRUE)");
        assert_eq!(list(), [(FirstStep::Name, StepState::Done)]);
    }

    fn the_audience_of_a_file_takes_lookups_only(database: &TestDatabase) {
        World::on(database);
        let all = plans(database, |conn| files::audience(conn, "a.png"));
        assert_eq!(all.len(), 1);
        assert!(!reads_all(&all[0]), "{}", all[0]);
    }
}
