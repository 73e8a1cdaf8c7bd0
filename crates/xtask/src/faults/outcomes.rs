//! What test runs printed: which tests ran, and what came of them.

use std::collections::BTreeMap;

use regex::Regex;

/// Prefix of the crates' names, left out in references.
const PREFIX: &str = "freshcontext_";

/// What came of a test. Of several runs the largest counts: a failure, then a success.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// It was listed and did not run.
    Ignored,
    /// It ran and passed.
    Passed,
    /// It ran and failed.
    Failed,
}

/// Outcomes by `<binary>/<name>`, and all that was printed.
#[derive(Debug, Default)]
pub struct Outcomes {
    by_name: BTreeMap<String, Outcome>,
    printed: String,
}

impl Outcomes {
    /// Reads the output of `cargo test`, tests/clients/run, `cargo xtask laws` and fuzz/run.sh, in any order.
    pub fn read(&mut self, log: &str) {
        let mut binary = String::new();
        for line in log.lines() {
            if let Some(running) = line.trim_start().strip_prefix("Running ") {
                binary = binary_of(running).unwrap_or_default();
            } else if line.trim_start().starts_with("Doc-tests ") {
                "documentation".clone_into(&mut binary);
            } else if let Some((name, outcome)) = of_a_test(line) {
                self.note(format!("{binary}/{name}"), outcome);
            } else if let Some((name, outcome)) = of_another_check(line) {
                self.note(name, outcome);
            }
        }
        self.printed.push_str(log);
        self.printed.push('\n');
    }

    fn note(&mut self, name: String, outcome: Outcome) {
        let known = self.by_name.entry(name).or_insert(outcome);
        *known = outcome.max(*known);
    }

    /// Returns the tests that a reference names, with their outcomes.
    ///
    /// # Errors
    /// If the reference is too long for a pattern.
    pub fn matching(&self, reference: &str) -> Result<Vec<(&str, Outcome)>, String> {
        if !reference.contains('*') {
            let found = self.by_name.get_key_value(reference);
            return Ok(found
                .map(|(name, outcome)| (name.as_str(), *outcome))
                .into_iter()
                .collect());
        }
        let pattern = regex::escape(reference).replace(r"\*", ".*");
        let pattern = Regex::new(&format!("^{pattern}$")).map_err(|error| error.to_string())?;
        let all = self.by_name.iter().filter(|(name, _)| pattern.is_match(name));
        Ok(all.map(|(name, outcome)| (name.as_str(), *outcome)).collect())
    }

    /// Returns the first group of every match in what was printed.
    ///
    /// # Errors
    /// If the pattern is none.
    pub fn printed(&self, pattern: &str) -> Result<Vec<String>, String> {
        let pattern = Regex::new(pattern).map_err(|error| format!("{pattern}: {error}"))?;
        let mut all: Vec<String> = pattern
            .captures_iter(&self.printed)
            .filter_map(|found| Some(found.get(1)?.as_str().to_owned()))
            .collect();
        all.sort();
        all.dedup();
        Ok(all)
    }
}

/// Returns the name of the binary in `unittests src/lib.rs (target/debug/deps/freshcontext_core-0123456789abcdef)`.
fn binary_of(running: &str) -> Option<String> {
    let (_, path) = running.trim_end().strip_suffix(')')?.rsplit_once(['/', '('])?;
    let (name, _) = path.rsplit_once('-')?;
    Some(name.strip_prefix(PREFIX).unwrap_or(name).to_owned())
}

/// Reads `test <name> ... ok`.
fn of_a_test(line: &str) -> Option<(&str, Outcome)> {
    let (name, result) = line.strip_prefix("test ")?.rsplit_once(" ... ")?;
    let outcome = match result.split([' ', ',']).next()? {
        "ok" => Outcome::Passed,
        "FAILED" => Outcome::Failed,
        "ignored" => Outcome::Ignored,
        _ => return None,
    };
    // The suite pads names to one width.
    Some((name.trim_end().trim_end_matches(" - should panic"), outcome))
}

/// Reads a line of the checks that are no tests of cargo.
fn of_another_check(line: &str) -> Option<(String, Outcome)> {
    if line == "the laws hold" {
        return Some((format!("laws/{line}"), Outcome::Passed));
    }
    if let Some((name, _)) = line.strip_prefix("ok    ").and_then(|rest| rest.split_once(": ")) {
        return Some((format!("clients/{name}"), Outcome::Passed));
    }
    if let Some(name) = line.strip_prefix("FAIL  ") {
        return Some((format!("clients/{name}"), Outcome::Failed));
    }
    if let Some((target, _)) = line.strip_prefix("== ").and_then(|rest| rest.split_once(" for ")) {
        return Some((format!("fuzz/{target}"), Outcome::Passed));
    }
    let (target, _) = line.split_once(": a crash is in artifacts/")?;
    Some((format!("fuzz/{target}"), Outcome::Failed))
}
