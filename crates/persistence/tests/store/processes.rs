//! Several processes on one database. Separately opened stores share nothing but the database, so
//! two stores in one process stand for two processes here.

use std::{
    sync::{
        Arc, Barrier,
        atomic::{AtomicI64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use siskin_entities::Timestamp;
use siskin_persistence::{Engine, Error, Role, Store, StoreOptions};
use siskin_test_support::{TestDatabase, both_engines};

use crate::rows::{add, add_rule, names, open};

/// A clock that the test sets.
#[derive(Clone)]
struct TestClock(Arc<AtomicI64>);

impl TestClock {
    fn at(unix_ms: i64) -> Self {
        Self(Arc::new(AtomicI64::new(unix_ms)))
    }

    fn options(&self, database: &TestDatabase) -> StoreOptions {
        let clock_time = Arc::clone(&self.0);
        let clock = move || Timestamp::from_unix_ms(clock_time.load(Ordering::SeqCst));
        StoreOptions::new(database.url()).clock(Arc::new(clock))
    }

    fn forward(&self, duration: Duration) {
        self.0.fetch_add(i64::try_from(duration.as_millis()).unwrap(), Ordering::SeqCst);
    }
}

fn node_of(id: i64) -> i64 {
    (id & 0xffff) / 4096
}

fn command(database: &TestDatabase) -> Store {
    Store::open(&StoreOptions::new(database.url()).role(Role::Command)).unwrap()
}

both_engines! {
    fn processes_draw_ids_from_different_nodes(database: &TestDatabase) {
        let clock = TestClock::at(1_800_000_000_000);
        let server = Store::open(&clock.options(database)).unwrap();
        let commands: Vec<Store> = (0..4)
            .map(|_| Store::open(&clock.options(database).role(Role::Command)).unwrap())
            .collect();
        let mut nodes = vec![node_of(server.write(|tx| add(tx, "server")).unwrap())];
        for (number, command) in commands.iter().enumerate() {
            let name = format!("command {number}");
            nodes.push(node_of(command.write(move |tx| add(tx, &name)).unwrap()));
        }
        assert_eq!(nodes, [0, 12, 13, 14, 15]);
    }

    fn a_node_is_released_at_exit(database: &TestDatabase) {
        for number in 0..20 {
            let name = number.to_string();
            let id = command(database).write(move |tx| add(tx, &name)).unwrap();
            assert_eq!(node_of(id), 12);
        }
    }

    fn ids_stay_above_stored_ids_after_the_clock_went_back(database: &TestDatabase) {
        let clock = TestClock::at(1_800_000_000_000);
        let first = Store::open(&clock.options(database)).unwrap()
            .write(|tx| add_rule(tx, "first")).unwrap();
        let clock = TestClock::at(1_700_000_000_000);
        let second = Store::open(&clock.options(database)).unwrap()
            .write(|tx| add_rule(tx, "second")).unwrap();
        assert!(second > first, "{second} > {first}");
    }

    fn an_expired_lease_is_acquired_again(database: &TestDatabase) {
        let clock = TestClock::at(1_800_000_000_000);
        let one = Store::open(&clock.options(database).role(Role::Command)).unwrap();
        clock.forward(Duration::from_secs(3600));
        let two = Store::open(&clock.options(database).role(Role::Command)).unwrap();
        let of_two = two.write(|tx| add(tx, "two")).unwrap();
        let of_one = one.write(|tx| add(tx, "one")).unwrap();
        assert_eq!((node_of(of_two), node_of(of_one)), (12, 13), "the first lost its node");
        clock.forward(Duration::from_secs(3600));
        let of_one = one.write(|tx| add(tx, "one again")).unwrap();
        assert_eq!(node_of(of_one), 13, "no other process must have taken the node");
    }

    fn processes_that_start_together_all_start(database: &TestDatabase) {
        let empty = TestDatabase::empty(database.engine());
        let start = Arc::new(Barrier::new(4));
        let threads: Vec<_> = (0..4).map(|number| {
            let (url, start) = (empty.url().to_owned(), Arc::clone(&start));
            thread::spawn(move || {
                start.wait();
                let store = Store::open(&StoreOptions::new(url).role(Role::Command)).unwrap();
                store.write(move |tx| add(tx, &number.to_string())).unwrap();
            })
        }).collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(names(&command(&empty)), ["0", "1", "2", "3"]);
    }

    fn an_embedded_database_has_one_server(database: &TestDatabase) {
        let server = open(database.url());
        let second = Store::open(&StoreOptions::new(database.url()));
        match server.engine() {
            Engine::Postgres => assert!(second.is_ok()),
            Engine::Sqlite => {
                let refused = second.unwrap_err();
                assert!(matches!(refused, Error::InUse(_)));
                assert!(refused.to_string().contains("PostgreSQL"), "{refused}");
            }
        }
        drop(server);
        open(database.url());
    }

    fn a_busy_server_leaves_room_for_the_command_line(database: &TestDatabase) {
        let server = open(database.url());
        let until = Instant::now() + Duration::from_secs(2);
        let writers: Vec<_> = (0..4).map(|writer| {
            let server = server.clone();
            thread::spawn(move || {
                let mut number = 0;
                while Instant::now() < until {
                    number += 1;
                    let name = format!("{writer} {number}");
                    server.write(move |tx| add(tx, &name)).unwrap();
                }
                number
            })
        }).collect();
        let mut commands = 0;
        while Instant::now() < until {
            commands += 1;
            let name = format!("command {commands}");
            command(database).write(move |tx| add(tx, &name)).unwrap();
        }
        let written: usize = writers.into_iter().map(|writer| writer.join().unwrap()).sum();
        assert_eq!(names(&server).len(), written + commands);
        assert!(commands >= 3, "only {commands} commands beside {written} writes");
    }
}
