//! The fault matrix: rows of what may go wrong and what must hold then, the tests that hold them, and whether they did.

mod outcomes;
pub mod page;
mod running;
mod table;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use chrono::{DateTime, Utc};
use serde_json::{Map, Value, json};

pub use outcomes::{Outcome, Outcomes};
pub use table::{Level, Row, Table};

/// Place of the matrix that the table must agree with, where it is beside the checkout.
const MATRIX: &str = "../shared/design/fault-matrix.md";

/// What a run found of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Its tests ran and passed, and they hold all of it.
    Passed,
    /// Its limit is a time, measured by a benchmark on a stated day.
    Measured,
    /// Its tests passed and hold a part of it.
    Partly,
    /// A test failed.
    Failed,
    /// It has no test, or one did not run.
    Missing,
}

impl State {
    const ALL: [Self; 5] = [
        Self::Passed,
        Self::Measured,
        Self::Partly,
        Self::Failed,
        Self::Missing,
    ];

    /// The word for reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Measured => "measured",
            Self::Partly => "partly",
            Self::Failed => "failed",
            Self::Missing => "missing",
        }
    }

    /// Whether the whole row holds.
    pub fn holds(self) -> bool {
        matches!(self, Self::Passed | Self::Measured)
    }
}

/// A run's order.
#[derive(Debug)]
pub struct Order {
    /// Outputs of test runs. Without any, the named tests are run.
    pub logs: Vec<PathBuf>,
    /// Groups to report; all if empty.
    pub groups: Vec<String>,
    /// Whether rows that are held in part leave the run green.
    pub allow_partly: bool,
    /// The date for the report.
    pub now: DateTime<Utc>,
}

/// Reports every row as a line of JSON, and the scoreboard, through `say`.
///
/// # Errors
/// If the table is not sound, a log cannot be read, or a row that blocks a release does not hold.
pub fn run(root: &Path, order: &Order, mut say: impl FnMut(&str)) -> Result<String, String> {
    let table = Table::read(root)?;
    let wrong = beside_the_matrix(root, &table);
    if !wrong.is_empty() {
        return Err(wrong.join("; "));
    }
    let chosen: Vec<&Row> = table
        .rows
        .iter()
        .filter(|row| order.groups.is_empty() || order.groups.iter().any(|group| row.group() == group))
        .collect();
    let mut outcomes = Outcomes::default();
    for log in &order.logs {
        let text = std::fs::read(log).map_err(|error| format!("{}: {error}", log.display()))?;
        outcomes.read(&String::from_utf8_lossy(&text));
    }
    if order.logs.is_empty() {
        running::run(root, &chosen, &mut outcomes)?;
    }
    let about = About::of(root, order.now);
    let mut counts: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    let (mut red, mut figures) = (Vec::new(), String::new());
    for row in &chosen {
        let found = Found::of(row, &outcomes)?;
        say(&about.line(row, &found).to_string());
        *counts
            .entry(row.group())
            .or_default()
            .entry(found.state.as_str())
            .or_default() += 1;
        let tolerated = order.allow_partly && found.state == State::Partly;
        if row.level == Level::M && !found.state.holds() && !tolerated {
            red.push(format!("{} {}", row.id, found.state.as_str()));
        }
        if let (Some(worst), Some(figure)) = (found.figure, &row.figure) {
            let _ = writeln!(figures, "worst of {}: {worst} {}", row.id, figure.unit);
        }
    }
    say(&scoreboard(&table, &counts));
    say(figures.trim_end());
    if red.is_empty() {
        Ok(format!("{} rows, every one of level M holds", chosen.len()))
    } else {
        Err(format!(
            "{} rows of level M do not hold: {}",
            red.len(),
            red.join(", ")
        ))
    }
}

/// Differences from the matrix, if that is beside the checkout.
fn beside_the_matrix(root: &Path, table: &Table) -> Vec<String> {
    std::fs::read_to_string(root.join(MATRIX))
        .map_or_else(|_| Vec::new(), |matrix| table.differences(&matrix))
}

/// What a run found of a row, with its tests.
struct Found {
    state: State,
    /// For each reference: the number of tests, and those that did not pass.
    tests: Vec<(String, usize, Vec<String>)>,
    /// The largest figure that its tests printed.
    figure: Option<f64>,
    seeds: Vec<String>,
}

impl Found {
    fn of(row: &Row, outcomes: &Outcomes) -> Result<Self, String> {
        let mut tests = Vec::new();
        let (mut failed, mut missing) = (false, false);
        for reference in &row.tests {
            let matching = outcomes.matching(reference)?;
            missing |= matching.is_empty();
            let mut not_passed = Vec::new();
            for (name, outcome) in &matching {
                failed |= *outcome == Outcome::Failed;
                missing |= *outcome == Outcome::Ignored;
                if *outcome != Outcome::Passed {
                    not_passed.push((*name).to_owned());
                }
            }
            tests.push((reference.clone(), matching.len(), not_passed));
        }
        let state = match () {
            () if failed => State::Failed,
            () if missing || (row.tests.is_empty() && row.measured.is_none()) => State::Missing,
            () if row.lacks.is_some() => State::Partly,
            () if row.tests.is_empty() => State::Measured,
            () => State::Passed,
        };
        let figures = match &row.figure {
            Some(figure) => outcomes.printed(&figure.pattern)?,
            None => Vec::new(),
        };
        let seeds = match &row.seed {
            Some(seed) => outcomes.printed(seed)?,
            None => Vec::new(),
        };
        Ok(Self {
            state,
            tests,
            figure: figures
                .iter()
                .filter_map(|figure| figure.parse().ok())
                .reduce(f64::max),
            seeds,
        })
    }
}

/// What every line says of its run.
struct About {
    build: String,
    cpu: String,
    date: String,
}

impl About {
    fn of(root: &Path, now: DateTime<Utc>) -> Self {
        let revision = Command::new("git")
            .args(["-c", "safe.directory=*", "rev-parse", "--short=8", "HEAD"])
            .current_dir(root)
            .output()
            .ok()
            .filter(|done| done.status.success())
            .map(|done| String::from_utf8_lossy(&done.stdout).trim().to_owned());
        let version = env!("CARGO_PKG_VERSION");
        let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = cpuinfo
            .lines()
            .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
            .map_or(std::env::consts::ARCH, |(_, model)| model.trim());
        let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self {
            build: revision.map_or_else(|| version.to_owned(), |revision| format!("{version} {revision}")),
            cpu: format!("{processors} x {model}"),
            date: now.format("%Y-%m-%dT%H:%M:%SZ").to_string(),
        }
    }

    fn line(&self, row: &Row, found: &Found) -> Value {
        let tests: Vec<Value> = found
            .tests
            .iter()
            .map(|(name, count, not_passed)| {
                if not_passed.is_empty() {
                    json!({"name": name, "ran": count})
                } else {
                    json!({"name": name, "ran": count, "not_passed": not_passed})
                }
            })
            .collect();
        let mut line = Map::new();
        let mut add = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                line.insert(name.to_owned(), value);
            }
        };
        add("id", Some(json!(row.id)));
        add("level", Some(json!(row.level.as_str())));
        add("group", Some(json!(row.group())));
        add("pass", Some(json!(found.state.holds())));
        add("state", Some(json!(found.state.as_str())));
        add("tests", Some(Value::Array(tests)));
        add("lacks", row.lacks.clone().map(Value::from));
        add("measured", row.measured.clone().map(Value::from));
        add("reference", row.reference.clone().map(Value::from));
        add("worst", found.figure.map(Value::from));
        add(
            "unit",
            row.figure.as_ref().map(|figure| figure.unit.clone().into()),
        );
        add("seed", (!found.seeds.is_empty()).then(|| json!(found.seeds)));
        add("build", Some(json!(self.build)));
        add("cpu", Some(json!(self.cpu)));
        add("date", Some(json!(self.date)));
        Value::Object(line)
    }
}

/// Rows by group and state, as a table.
fn scoreboard(table: &Table, counts: &BTreeMap<&str, BTreeMap<&str, usize>>) -> String {
    let mut text = format!("{:<36}{:>6}", "", "rows");
    for state in State::ALL {
        let _ = write!(text, "{:>10}", state.as_str());
    }
    let mut sums = BTreeMap::<&str, usize>::new();
    for (group, states) in counts {
        let title = table.groups.get(*group).map_or("", String::as_str);
        let _ = write!(
            text,
            "\n{:<36}{:>6}",
            format!("{group}  {title}"),
            states.values().sum::<usize>()
        );
        for state in State::ALL {
            let count = states.get(state.as_str()).copied().unwrap_or_default();
            *sums.entry(state.as_str()).or_default() += count;
            let _ = write!(text, "{count:>10}");
        }
    }
    let _ = write!(text, "\n{:<36}{:>6}", "all", sums.values().sum::<usize>());
    for state in State::ALL {
        let _ = write!(
            text,
            "{:>10}",
            sums.get(state.as_str()).copied().unwrap_or_default()
        );
    }
    text
}

#[cfg(test)]
mod tests;
