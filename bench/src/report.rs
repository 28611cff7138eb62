//! Report of the measurements, as a Markdown table.

use std::{
    fmt::Write as _,
    fs::OpenOptions,
    io::{self, Write as _},
    path::Path,
};

use crate::{Arguments, in_process::InProcess, load::Measured};

/// Scenario with its measurements.
#[derive(Debug)]
pub struct Row {
    pub name: String,
    pub measured: Vec<Measured>,
}

/// All measurements of one run.
#[derive(Debug)]
pub struct Report {
    title: String,
    floor: Vec<Row>,
    rows: Vec<Row>,
    memory: f64,
    in_process: InProcess,
}

impl Report {
    pub fn new(arguments: &Arguments) -> Self {
        let engine = match &arguments.database {
            Some(url) if url.starts_with("postgres") => "PostgreSQL",
            _ => "SQLite",
        };
        let Arguments { accounts, statuses, follows, seconds, .. } = arguments;
        let title = format!(
            "{engine}, {accounts} accounts following {follows} each, {statuses} statuses, \
             {seconds} s each"
        );
        Self {
            title,
            floor: Vec::new(),
            rows: Vec::new(),
            memory: 0.0,
            in_process: InProcess::default(),
        }
    }

    pub fn floor(&mut self, row: Row) {
        self.floor.push(row);
    }

    pub fn row(&mut self, row: Row) {
        self.rows.push(row);
    }

    /// Sets the peak memory of the server, in MB.
    pub fn memory(&mut self, megabytes: f64) {
        self.memory = megabytes;
    }

    pub fn in_process(&mut self, in_process: InProcess) {
        self.in_process = in_process;
    }

    /// Returns the table, with one line for each scenario and number of connections.
    pub fn table(&self) -> String {
        let mut table = format!(
            "{}\n\n| what | connections | CPU ms | floors | requests/s | p50 ms | p95 ms | p99 ms \
             | SQL |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n",
            self.title
        );
        let named = |row: &Row| (format!("floor: {}", row.name), None);
        let floors = self.floor.iter().map(|row| (named(row), row));
        let statements = |row: &Row| self.in_process.statements.get(&row.name).copied();
        let rows = self.rows.iter().map(|row| ((row.name.clone(), statements(row)), row));
        for ((name, statements), row) in floors.chain(rows) {
            for one in &row.measured {
                self.line(&mut table, &name, one, statements);
            }
        }
        let _ = writeln!(table, "\nMemory at most {:.0} MB.", self.memory);
        if let Some(lane) = self.in_process.lane {
            let _ = writeln!(
                table,
                "{} posts of several concurrent writers shared {} commits; a post occupied the \
                 writer lane for {:.2} ms.",
                lane.posts,
                lane.commits,
                lane.lane_time.as_secs_f64() * 1000.0
            );
        }
        table
    }

    fn line(&self, table: &mut String, name: &str, one: &Measured, statements: Option<u32>) {
        let floor = self.floor_at(one.connections);
        let statements = statements.map_or_else(String::new, |count| count.to_string());
        let _ = writeln!(
            table,
            "| {name} | {} | {:.3} | {:.1} | {:.0} | {:.2} | {:.2} | {:.2} | {statements} |",
            one.connections,
            one.processor,
            one.processor / floor,
            one.requests_per_second,
            one.p50,
            one.p95,
            one.p99,
        );
    }

    /// Returns the processor time of the baseline that reads rows, to which all scenarios are
    /// compared.
    fn floor_at(&self, connections: u32) -> f64 {
        let rows = self.floor.iter().filter(|row| row.name == "rows");
        rows.flat_map(|row| &row.measured)
            .find(|one| one.connections == connections)
            .map_or(f64::NAN, |one| one.processor)
    }
}

/// Appends the table to a file that collects the history.
///
/// # Errors
/// Returns an error if the file cannot be written.
pub fn append(path: &Path, table: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    write!(file, "\n{table}")
}
