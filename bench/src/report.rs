//! Report of the measurements, as a Markdown table.

use std::{
    fmt::Write as _,
    fs::OpenOptions,
    io::{self, Write as _},
    path::Path,
};

use crate::{
    arguments::WorldKind, in_process::InProcess, load::Measured, process::Memory, push::Pushed,
    scenarios::POSTING,
};

/// Scenario with its measurements, one for each number of connections.
#[derive(Debug)]
pub struct Row {
    pub name: &'static str,
    pub detail: Option<String>,
    pub measured: Vec<Measured>,
}

/// Measurements of one world.
#[derive(Debug)]
pub struct WorldReport {
    pub kind: WorldKind,
    /// Number of accounts that took turns.
    pub readers: usize,
    pub rows: Vec<Row>,
    /// Memory use of the server.
    pub memory: Memory,
    pub in_process: InProcess,
    /// Push messages; `None` if they are not measured in this world.
    pub pushed: Option<Pushed>,
}

impl WorldReport {
    fn row(&self, name: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.name == name)
    }
}

/// All measurements on one engine. The scenarios of the first world are those of the table; other
/// worlds may lack some.
#[derive(Debug)]
pub struct Report<'r> {
    pub title: String,
    pub floor: &'r [Row],
    pub worlds: Vec<WorldReport>,
}

impl Report<'_> {
    /// Returns the table, with one line for each scenario and number of connections. Worlds are
    /// beside each other, with their ratios to the first.
    pub fn table(&self) -> String {
        let readers = self
            .worlds
            .iter()
            .map(|world| format!("{} readers in the {} world", world.readers, world.kind));
        let readers: Vec<String> = readers.collect();
        let mut table = format!("{}; {}\n\n", self.title, readers.join(", "));
        let others = self.worlds.iter().skip(1);
        let others = others.map(|world| format!(" {} | ratio |", world.kind));
        let processor = format!("CPU ms |{}", others.collect::<String>());
        let aligned = "--:|".repeat(processor.matches('|').count() + 6);
        let _ = writeln!(
            table,
            "| what | connections | {processor} floors | requests/s | p50 ms | p95 ms | p99 ms | \
             SQL |\n|---|--:|{aligned}"
        );
        for row in self.floor {
            for one in &row.measured {
                let name = format!("floor: {}", row.name);
                self.line(&mut table, &name, &[Some(one)], &[]);
            }
        }
        let first = self.worlds.first().map_or(&[][..], |world| &world.rows);
        for row in first {
            let rows: Vec<Option<&Row>> =
                self.worlds.iter().map(|world| world.row(row.name)).collect();
            let name = name(&rows.iter().copied().flatten().collect::<Vec<_>>());
            let statements = self.worlds.iter();
            let statements = statements.map(|world| world.in_process.statements.get(row.name));
            let statements: Vec<u32> = statements.flatten().copied().collect();
            for number in 0..row.measured.len() {
                let measured = rows.iter().map(|row| row.and_then(|row| row.measured.get(number)));
                let measured: Vec<Option<&Measured>> = measured.collect();
                self.line(&mut table, &name, &measured, &statements);
            }
        }
        table.push_str(&self.totals());
        table
    }

    /// Writes one line: the measurements of one scenario in each world, or of the baseline.
    fn line(
        &self,
        table: &mut String,
        name: &str,
        measured: &[Option<&Measured>],
        statements: &[u32],
    ) {
        let Some(first) = measured.first().copied().flatten() else { return };
        let floor = self.floor_at(first.connections);
        let each = |cell: &dyn Fn(&Measured) -> String| {
            let cells: Vec<String> = measured.iter().flatten().map(|one| cell(one)).collect();
            cells.join(" / ")
        };
        let _ = write!(table, "| {name} | {} | {:.3} |", first.connections, first.processor);
        for place in 1..self.worlds.len() {
            let _ = match measured.get(place).copied().flatten() {
                Some(other) => {
                    let ratio = other.processor / first.processor;
                    write!(table, " {:.3} | {ratio:.2} |", other.processor)
                }
                None => write!(table, " | |"),
            };
        }
        let statements: Vec<String> = statements.iter().map(ToString::to_string).collect();
        let _ = writeln!(
            table,
            " {} | {} | {} | {} | {} | {} |",
            each(&|one| format!("{:.1}", one.processor / floor)),
            each(&|one| format!("{:.0}", one.requests_per_second)),
            each(&|one| format!("{:.2}", one.p50)),
            each(&|one| format!("{:.2}", one.p95)),
            each(&|one| format!("{:.2}", one.p99)),
            statements.join(" / "),
        );
    }

    /// Returns the lines below the table: memory, and the shared commits of concurrent posts.
    fn totals(&self) -> String {
        let mut lines = String::new();
        for world in &self.worlds {
            let (kind, memory) = (world.kind, world.memory);
            let Memory { peak, own } = memory;
            let _ = write!(
                lines,
                "\nMemory in the {kind} world at most {peak:.0} MB, at the end {own:.0} MB without \
                 mapped files."
            );
            if let Some(lane) = world.in_process.lane {
                let _ = write!(
                    lines,
                    " {} posts of several concurrent writers shared {} commits; a post occupied \
                     the writer lane for {:.2} ms.",
                    lane.posts,
                    lane.commits,
                    lane.lane_time.as_secs_f64() * 1000.0
                );
            }
            if let Some(Pushed { messages, processor }) = world.pushed {
                let _ = write!(
                    lines,
                    " A post to {messages} push subscriptions took {processor:.3} ms of CPU for \
                     each message."
                );
            }
            lines.push('\n');
        }
        lines
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

/// Returns the name of a scenario, with the details of each world.
fn name(rows: &[&Row]) -> String {
    let name = rows.first().map_or("", |row| row.name);
    let mut details: Vec<&str> = rows.iter().filter_map(|row| row.detail.as_deref()).collect();
    details.dedup();
    match name {
        POSTING => format!("post to {} followers", details.join(" / ")),
        _ => name.to_owned(),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(processor: f64) -> Measured {
        Measured {
            connections: 16,
            requests: 100,
            processor,
            requests_per_second: 50.0,
            p50: 1.0,
            p95: 2.0,
            p99: 3.0,
        }
    }

    fn row(name: &'static str, detail: Option<&str>, processor: f64) -> Row {
        Row { name, detail: detail.map(str::to_owned), measured: vec![measured(processor)] }
    }

    fn world(kind: WorldKind, readers: usize, factor: f64) -> WorldReport {
        let followers = readers.to_string();
        let mut in_process = InProcess::default();
        in_process.statements.insert("home", 3);
        WorldReport {
            kind,
            readers,
            rows: vec![row("home", None, 0.2 * factor), row("post", Some(&followers), 0.5)],
            memory: Memory { peak: 96.0, own: 21.0 },
            in_process,
            pushed: None,
        }
    }

    fn table(worlds: Vec<WorldReport>) -> String {
        let floor = [row("rows", None, 0.1)];
        Report { title: "SQLite".to_owned(), floor: &floor, worlds }.table()
    }

    #[test]
    fn two_worlds_are_beside_each_other_with_their_ratio() {
        let worlds = vec![world(WorldKind::Plain, 8, 1.0), world(WorldKind::Moderated, 45, 1.25)];
        let table = table(worlds);
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(
            lines[0],
            "SQLite; 8 readers in the plain world, 45 readers in the moderated world"
        );
        assert_eq!(lines[3].matches('|').count(), lines[2].matches('|').count());
        assert_eq!(lines[4], "| floor: rows | 16 | 0.100 | | | 1.0 | 50 | 1.00 | 2.00 | 3.00 |  |");
        assert_eq!(
            lines[5],
            "| home | 16 | 0.200 | 0.250 | 1.25 | 2.0 / 2.5 | 50 / 50 | 1.00 / 1.00 | \
             2.00 / 2.00 | 3.00 / 3.00 | 3 / 3 |"
        );
        assert!(lines[6].starts_with("| post to 8 / 45 followers | 16 | 0.500 | 0.500 | 1.00 |"));
        assert!(table.contains(
            "Memory in the moderated world at most 96 MB, at the end 21 MB without mapped files."
        ));
    }

    #[test]
    fn a_world_may_lack_a_scenario() {
        let mut quoting = world(WorldKind::Quoting, 8, 1.5);
        quoting.rows.retain(|row| row.name == "home");
        let plain = WorldReport {
            pushed: Some(Pushed { messages: 1029, processor: 0.3125 }),
            ..world(WorldKind::Plain, 8, 1.0)
        };
        let table = table(vec![plain, world(WorldKind::Moderated, 45, 1.25), quoting]);
        let lines: Vec<&str> = table.lines().collect();
        assert!(lines[2].contains("| CPU ms | moderated | ratio | quoting | ratio | floors |"));
        assert!(lines[5].starts_with("| home | 16 | 0.200 | 0.250 | 1.25 | 0.300 | 1.50 | 2.0 / "));
        assert!(lines[6].contains("| 0.500 | 0.500 | 1.00 | | | 5.0 / 5.0 |"), "{}", lines[6]);
        assert!(table.contains(
            " A post to 1029 push subscriptions took 0.312 ms of CPU for each message.\n"
        ));
    }

    #[test]
    fn one_world_has_no_ratio() {
        let table = table(vec![world(WorldKind::Plain, 8, 1.0)]);
        let home = "| home | 16 | 0.200 | 2.0 | 50 | 1.00 | 2.00 | 3.00 | 3 |";
        assert!(table.contains(home), "{table}");
        assert!(!table.contains("ratio"));
    }
}
