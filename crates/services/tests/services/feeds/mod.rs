//! Feeds of home and list timelines.

mod audience;
mod game;
mod model;

use std::time::Duration;

use siskin_persistence::jobs as job_rows;
use siskin_services::{
    feeds::{self, BuildFeed, FanOut},
    jobs::{self, Job as _},
};

use crate::world::World;

/// Runs the waiting feed jobs.
fn run_jobs(world: &World) {
    loop {
        let claimed = world.write(|tx| {
            let kinds = [BuildFeed::KIND, FanOut::KIND];
            Ok(job_rows::claim(tx, &kinds, |_| Duration::from_secs(60))?)
        });
        let Some(claim) = claimed.unwrap() else { return };
        match claim.kind.as_str() {
            FanOut::KIND => {
                let job: FanOut = jobs::read(&claim.payload).unwrap();
                world.write(move |tx| feeds::fan_out_some(tx, &job)).unwrap();
            }
            _ => {
                let job: BuildFeed = jobs::read(&claim.payload).unwrap();
                if let Some(built) = world.read(|conn| feeds::build(conn, &job)) {
                    world.write(move |tx| feeds::store(tx, &job, &built)).unwrap();
                }
            }
        }
        world.write(move |tx| Ok(job_rows::complete(tx, &claim)?)).unwrap();
    }
}
