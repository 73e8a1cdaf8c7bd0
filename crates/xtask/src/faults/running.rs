//! Runs the tests that rows name, where no earlier run is given.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use super::outcomes::Outcomes;
use super::table::Row;
use crate::cargo;

/// Test binaries that take one name at a time.
const ONE_NAME: [&str; 2] = ["suite", "behaviour"];

/// Runs the named tests with cargo and reads what came of them.
///
/// # Errors
/// If cargo cannot be run. A test that fails, or that does not exist, is no error here.
pub fn run(root: &Path, rows: &[&Row], outcomes: &mut Outcomes) -> Result<(), String> {
    let mut wanted: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for test in rows.iter().flat_map(|row| &row.tests) {
        if let Some((binary, name)) = test.split_once('/') {
            wanted.entry(binary).or_default().insert(filter(name));
        }
    }
    for (binary, [package, target]) in binaries(root)? {
        let names: BTreeSet<&str> = wanted
            .iter()
            .filter(|(pattern, _)| is_named(pattern, &binary))
            .flat_map(|(_, names)| names.iter().copied())
            .collect();
        if names.is_empty() {
            continue;
        }
        let names: Vec<&str> = names.into_iter().collect();
        let at_once = if ONE_NAME.contains(&binary.as_str()) {
            1
        } else {
            names.len()
        };
        for some in names.chunks(at_once) {
            let mut command = cargo::command(root);
            command.args(["test", "--no-fail-fast", "--package", &package]);
            match target.as_str() {
                "" => command.arg("--lib"),
                target => command.args(["--test", target]),
            };
            command.arg("--").args(some);
            let done = command.output().map_err(|error| format!("cargo: {error}"))?;
            // cargo writes the name of the binary to stderr, before it starts it.
            outcomes.read(&format!(
                "{}\n{}",
                String::from_utf8_lossy(&done.stderr),
                String::from_utf8_lossy(&done.stdout)
            ));
        }
    }
    Ok(())
}

/// The longest part of a name without `*`, which libtest finds anywhere.
fn filter(name: &str) -> &str {
    name.split('*').max_by_key(|part| part.len()).unwrap_or(name)
}

/// Whether a reference's binary, which may end with `*`, is this one.
fn is_named(pattern: &str, binary: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => binary.starts_with(start),
        None => pattern == binary,
    }
}

/// Every test binary of the workspace as references name it, with its package and its target; of a library the target is
/// empty.
fn binaries(root: &Path) -> Result<BTreeMap<String, [String; 2]>, String> {
    let done = cargo::command(root)
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .output()
        .map_err(|error| format!("cargo: {error}"))?;
    let metadata: Value =
        serde_json::from_slice(&done.stdout).map_err(|error| format!("cargo metadata: {error}"))?;
    let mut found = BTreeMap::new();
    for package in metadata
        .get("packages")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        let name = package.get("name").and_then(Value::as_str).unwrap_or_default();
        for target in package
            .get("targets")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            let of_kind = |kind: &str| {
                target["kind"]
                    .as_array()
                    .is_some_and(|kinds| kinds.contains(&kind.into()))
            };
            let called = target.get("name").and_then(Value::as_str).unwrap_or_default();
            if of_kind("lib") {
                let short = called.strip_prefix("freshcontext_").unwrap_or(called);
                found.insert(short.to_owned(), [name.to_owned(), String::new()]);
            } else if of_kind("test") {
                found.insert(called.to_owned(), [name.to_owned(), called.to_owned()]);
            }
        }
    }
    Ok(found)
}
