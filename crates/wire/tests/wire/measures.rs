//! Statistics for staff, storage and jobs.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json as value};
use siskin_contract::Contract;
use siskin_entities::{
    JobState, StorageUsage, StoredJob,
    measure::{
        Cohort, CohortData, Dimension, DimensionEntry, DimensionKey, DimensionValue, Frequency,
        Measure, MeasureKey,
    },
    usage::{
        DatabaseSoftware, DatabaseUsage, FileKind, FilesOfKind, JobNumbers, MediaUsage, TableRows,
    },
};
use siskin_ids::JobId;
use siskin_wire::{
    job,
    measure::{self, AdminCohort, AdminDimension, AdminMeasure},
    storage,
};

use crate::samples::{NOW, json};

fn new_users(previous_total: Option<i64>) -> AdminMeasure {
    measure::render(&Measure {
        key: MeasureKey::NewUsers,
        total: 5,
        previous_total,
        days: vec![(NOW.midnight(), 5)],
    })
}

fn dimension() -> AdminDimension {
    let entry = |key: &str, name: &str, value| DimensionEntry {
        key: key.to_owned(),
        name: name.to_owned(),
        value,
    };
    measure::render_dimension(&Dimension {
        key: DimensionKey::SpaceUsage,
        entries: vec![
            entry("sqlite", "SQLite", DimensionValue::Bytes(12_900_000)),
            entry("de", "German", DimensionValue::Count(3)),
            entry("siskin", "Siskin", DimensionValue::Text("0.1.0".to_owned())),
        ],
    })
}

fn cohort() -> AdminCohort {
    let data = |value, rate| CohortData { date: NOW.midnight(), rate, value };
    measure::render_cohort(&Cohort {
        period: NOW.midnight(),
        frequency: Frequency::Month,
        data: vec![data(4, 1.0), data(1, 0.25)],
    })
}

fn usage() -> StorageUsage {
    StorageUsage {
        database: DatabaseUsage {
            software: DatabaseSoftware {
                key: "postgresql",
                name: "PostgreSQL",
                version: "17.2".to_owned(),
            },
            bytes: 4096,
            tables: vec![TableRows { name: "statuses", rows: 7 }],
        },
        media: MediaUsage {
            kinds: vec![FilesOfKind { kind: FileKind::Video, files: 2, bytes: 900 }],
            listed_at: Some(NOW),
            free_bytes: None,
        },
        jobs: JobNumbers { due: 1, later: 2, dead: 3 },
    }
}

fn dead_letter() -> StoredJob {
    StoredJob {
        id: JobId::new(7),
        kind: "emails.send".to_owned(),
        state: JobState::Dead,
        is_running: false,
        attempts: 16,
        error: Some("refused".to_owned()),
        host: None,
        run_at: NOW,
        created_at: NOW,
        dead_at: Some(NOW),
    }
}

fn round_trip<T: Serialize + DeserializeOwned>(entity: &T) -> Value {
    let written = json(entity);
    let read: T = serde_json::from_value(written.clone()).expect("the entity is readable");
    assert_eq!(json(&read), written);
    written
}

#[test]
fn statistics_match_the_contract() {
    let contract = Contract::get();
    for (entity, written) in [
        ("AdminMeasure", round_trip(&new_users(Some(3)))),
        ("AdminMeasure", round_trip(&new_users(None))),
        ("AdminDimension", round_trip(&dimension())),
        ("AdminCohort", round_trip(&cohort())),
    ] {
        assert_eq!(contract.faults_of_entity(entity, &written), Vec::<String>::new());
    }
}

#[test]
fn numbers_are_strings_and_absent_totals_are_left_out() {
    let measure = json(&new_users(Some(3)));
    assert_eq!((&measure["total"], &measure["previous_total"]), (&value!("5"), &value!("3")));
    assert_eq!(measure["unit"], value!(null));
    assert!(json(&new_users(None)).get("previous_total").is_none());
    let dimension = json(&dimension());
    let expected = value!([
        {
            "key": "sqlite", "human_key": "SQLite", "value": "12900000", "unit": "bytes",
            "human_value": "12.3 MB",
        },
        { "key": "de", "human_key": "German", "value": "3" },
        { "key": "siskin", "human_key": "Siskin", "value": "0.1.0", "human_value": "0.1.0" },
    ]);
    assert_eq!(dimension["data"], expected);
    assert_eq!(json(&cohort())["data"][1]["rate"], value!(0.25));
}

#[test]
fn storage_and_jobs_are_read_back() {
    let storage = round_trip(&storage::render(&usage()));
    assert_eq!(storage["media"]["bytes"], value!(900));
    assert_eq!(storage["media"]["free_bytes"], value!(null));
    assert_eq!(storage["jobs"], value!({ "due": 1, "later": 2, "dead": 3 }));
    let job = round_trip(&job::render(&dead_letter()));
    assert_eq!((&job["id"], &job["state"]), (&value!("7"), &value!("dead")));
}
