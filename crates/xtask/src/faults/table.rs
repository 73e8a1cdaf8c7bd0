//! The table of `tests/faults.toml`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use regex::Regex;
use serde::Deserialize;

/// Place of the table.
const TABLE: &str = "tests/faults.toml";
/// Group that the matrix lists without ids and levels.
const WITHOUT_IDS: &str = "L";

/// Whether a row blocks a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Level {
    /// A release is blocked where it does not hold.
    M,
    /// It is tracked.
    S,
}

impl Level {
    /// The letter.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::M => "M",
            Self::S => "S",
        }
    }
}

/// Lines of the tests' output that hold a figure.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// A regular expression whose first group is the number.
    pub pattern: String,
    /// What the number counts.
    pub unit: String,
}

/// A row of the matrix.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Its group's letter and two digits.
    pub id: String,
    /// Whether it blocks a release.
    pub level: Level,
    /// What goes wrong.
    pub what: String,
    /// What must hold then.
    pub must: String,
    /// The tests that hold it: `<binary>/<name>`, where `*` stands for any text.
    #[serde(default)]
    pub tests: Vec<String>,
    /// The part that no test holds.
    pub lacks: Option<String>,
    /// A benchmark's figure, with its command and day.
    pub measured: Option<String>,
    /// What the reference server gives, with its version and day.
    pub reference: Option<String>,
    /// A regular expression for lines that name a random test's seed.
    pub seed: Option<String>,
    /// The figure that its tests print.
    pub figure: Option<Figure>,
}

impl Row {
    /// The letter of its group.
    pub fn group(&self) -> &str {
        self.id.get(..1).unwrap_or_default()
    }
}

/// All rows, in order.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// Titles of the groups, by letter.
    pub groups: BTreeMap<String, String>,
    /// The rows, in the order of their ids.
    #[serde(rename = "row")]
    pub rows: Vec<Row>,
}

impl Table {
    /// Reads the table.
    ///
    /// # Errors
    /// If it cannot be read, or a row is twice there, out of order, of no group, or says nothing of how it is held.
    pub fn read(root: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(root.join(TABLE)).map_err(|error| format!("{TABLE}: {error}"))?;
        let table: Self = toml::from_str(&text).map_err(|error| format!("{TABLE}: {error}"))?;
        let mut last = "";
        for row in &table.rows {
            if row.id.as_str() <= last {
                return Err(format!("{TABLE}: {} comes after {last}", row.id));
            }
            if !table.groups.contains_key(row.group()) {
                return Err(format!("{TABLE}: {} is of no group", row.id));
            }
            if row.tests.is_empty() && row.lacks.is_none() && row.measured.is_none() {
                return Err(format!(
                    "{TABLE}: {} says neither what holds it nor what it lacks",
                    row.id
                ));
            }
            if let Some(test) = row.tests.iter().find(|test| !test.contains('/')) {
                return Err(format!("{TABLE}: {}: {test} names no test binary", row.id));
            }
            last = &row.id;
        }
        Ok(table)
    }

    /// Ids and levels that differ from those of the matrix.
    pub fn differences(&self, matrix: &str) -> Vec<String> {
        let Ok(line) = Regex::new(r"(?m)^\| ([A-Z]\d\d) \| ([MS]) \|") else {
            return vec!["the pattern of the matrix's rows is none".to_owned()];
        };
        let theirs: BTreeSet<(&str, &str)> = line
            .captures_iter(matrix)
            .filter_map(|row| Some((row.get(1)?.as_str(), row.get(2)?.as_str())))
            .collect();
        let ours: BTreeSet<(&str, &str)> = self
            .rows
            .iter()
            .filter(|row| row.group() != WITHOUT_IDS)
            .map(|row| (row.id.as_str(), row.level.as_str()))
            .collect();
        let lost = theirs
            .difference(&ours)
            .map(|(id, level)| format!("{id} of level {level} is in the matrix and not in {TABLE}"));
        let own = ours
            .difference(&theirs)
            .map(|(id, level)| format!("{id} of level {level} is in {TABLE} and not in the matrix"));
        lost.chain(own).collect()
    }
}
