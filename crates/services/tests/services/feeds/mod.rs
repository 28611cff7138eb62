//! Feeds of home and list timelines.

mod audience;
mod game;
mod model;

use std::time::Duration;

use siskin_persistence::jobs as job_rows;
use siskin_services::{
    feeds::{self, BuildFeed, Deliver, Outdate},
    jobs::{self, Job as _},
};

use crate::world::World;

/// Runs the waiting feed jobs.
fn run_jobs(world: &World) {
    loop {
        let claimed = world.write(|tx| {
            let kinds = [BuildFeed::KIND, Deliver::KIND, Outdate::KIND];
            Ok(job_rows::claim(tx, &kinds, |_| Duration::from_secs(60))?)
        });
        let Some(claim) = claimed.unwrap() else { return };
        match claim.kind.as_str() {
            Deliver::KIND => {
                let job: Deliver = jobs::read(&claim.payload).unwrap();
                world.write(move |tx| feeds::deliver_some(tx, &job)).unwrap();
            }
            Outdate::KIND => {
                let job: Outdate = jobs::read(&claim.payload).unwrap();
                world.write(move |tx| feeds::outdate_some(tx, &job)).unwrap();
            }
            _ => {
                let job: BuildFeed = jobs::read(&claim.payload).unwrap();
                let now = world.now();
                if let Some(built) = world.read(|conn| feeds::build(conn, &job, now)) {
                    world.write(move |tx| feeds::keep(tx, &job, &built)).unwrap();
                }
            }
        }
        world.write(move |tx| Ok(job_rows::complete(tx, &claim)?)).unwrap();
    }
}
