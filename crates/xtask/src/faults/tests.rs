//! The table beside the sources and the matrix; outputs as cargo writes them.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::*;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

const LOG: &str = "
   Compiling freshcontext-core v0.1.0
     Running unittests src/lib.rs (target/debug/deps/freshcontext_core-243cfada3e5357c3)
test date::tests::one ... ok
test date::tests::two ... FAILED
test date::tests::three ... ignored
test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 7.62s
     Running tests/suite/main.rs (/a folder (of mine)/deps/suite-0123456789abcdef)
bombs: +17 KiB
test faults::a ... ok
test faults::b   ... ok
bombs: +9 KiB
ok    conformance-2026-07-28: Total: 40 passed
FAIL  history
the laws hold
== feed for 120 s, 17 seeds
sanitize: a crash is in artifacts/sanitize
";

fn row(tests: &[&str], more: &str) -> Row {
    let text = format!("id = \"A01\"\nlevel = \"M\"\nwhat = \"\"\nmust = \"\"\ntests = {tests:?}\n{more}");
    toml::from_str(&text).unwrap()
}

fn state(tests: &[&str], more: &str) -> State {
    let mut outcomes = Outcomes::default();
    outcomes.read(LOG);
    Found::of(&row(tests, more), &outcomes).unwrap().state
}

#[test]
fn a_row_holds_where_all_its_tests_ran_and_passed() {
    assert_eq!(
        state(&["core/date::tests::one", "suite/faults::*"], ""),
        State::Passed
    );
    assert_eq!(state(&["clients/conformance-2026-07-28"], ""), State::Passed);
    assert_eq!(state(&["laws/the laws hold", "fuzz/feed"], ""), State::Passed);
    assert_eq!(
        state(&["core/date::tests::one", "core/date::tests::two"], ""),
        State::Failed
    );
    assert_eq!(state(&["core/date::*"], ""), State::Failed);
    assert_eq!(state(&["clients/history"], ""), State::Failed);
    assert_eq!(state(&["fuzz/sanitize"], ""), State::Failed);
    assert_eq!(
        state(&["core/date::tests::three"], ""),
        State::Missing,
        "it did not run"
    );
    assert_eq!(
        state(&["core/date::tests::one", "core/date::tests::four"], ""),
        State::Missing
    );
    assert_eq!(
        state(&["suite/date::tests::one"], ""),
        State::Missing,
        "another binary's"
    );
    assert_eq!(
        state(&["core/date::tests::on"], ""),
        State::Missing,
        "no beginning of a name"
    );
    assert_eq!(state(&["suite/faults::a"], "lacks = \"half\""), State::Partly);
    assert_eq!(
        state(&["core/date::tests::two"], "lacks = \"half\""),
        State::Failed
    );
    assert_eq!(state(&[], "lacks = \"all\""), State::Missing);
    assert_eq!(state(&[], "measured = \"1 ms\""), State::Measured);
    assert_eq!(state(&[], ""), State::Missing);
}

#[test]
fn a_failure_in_one_of_several_runs_counts() {
    let passed = "     Running x (deps/suite-0)\ntest faults::a ... ok\n";
    let failed = passed.replace("ok", "FAILED");
    for logs in [[passed, &failed], [&failed, passed]] {
        let mut outcomes = Outcomes::default();
        for log in logs {
            outcomes.read(log);
        }
        let found = Found::of(&row(&["suite/faults::a"], ""), &outcomes).unwrap();
        assert_eq!(found.state, State::Failed);
    }
}

#[test]
fn the_largest_figure_is_reported() {
    let mut outcomes = Outcomes::default();
    outcomes.read(LOG);
    let figure = "figure = { pattern = 'bombs: \\+(\\d+) KiB', unit = \"KiB\" }";
    let found = Found::of(&row(&["suite/faults::a"], figure), &outcomes).unwrap();
    assert_eq!(found.figure, Some(17.0));
}

#[test]
fn a_level_that_differs_from_the_matrix_is_named() {
    let table: Table = toml::from_str(
        "[groups]\nA = \"\"\n[[row]]\nid = \"A01\"\nlevel = \"M\"\nwhat = \"\"\nmust = \"\"\nlacks = \"\"\n",
    )
    .unwrap();
    assert_eq!(table.differences("| A01 | M | x | y |\n"), Vec::<String>::new());
    assert_eq!(table.differences("| A01 | S | x | y |\n").len(), 2);
    assert_eq!(
        table
            .differences("| A01 | M | x | y |\n| A02 | M | x | y |\n")
            .len(),
        1
    );
}

/// Every row of the matrix is there, and every test of a crate that a row names exists.
#[test]
fn the_table_is_sound() {
    let table = Table::read(&root()).unwrap();
    assert_eq!(beside_the_matrix(&root(), &table), Vec::<String>::new());
    let mut defined = BTreeSet::new();
    for folder in ["crates", "adapters"] {
        functions(&root().join(folder), &mut defined);
    }
    for row in &table.rows {
        if let Some(figure) = &row.figure {
            regex::Regex::new(&figure.pattern).unwrap();
        }
        for test in &row.tests {
            let (binary, name) = test.split_once('/').unwrap();
            let last = name.rsplit("::").next().unwrap();
            if ["suite", "behaviour", "clients", "laws", "fuzz"].contains(&binary) || last.contains('*') {
                continue;
            }
            assert!(defined.contains(last), "{}: there is no test {test}", row.id);
        }
    }
}

/// Collects the names of functions below a folder.
fn functions(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            functions(&path, names);
        } else if path.extension().is_some_and(|end| end == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let after = text.split("fn ").skip(1);
            names.extend(after.map(|rest| {
                let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next();
                name.unwrap_or_default().to_owned()
            }));
        }
    }
}
