//! Runs every check that concerns one source; for contributors before a pull request.

use std::path::Path;

use freshcontext_testkit::case::load_cases;

use crate::{cargo, generate};

/// Test groups of the suite that a new or changed source can break, besides its own.
const REGISTRY_WIDE: [&str; 3] = ["surface::", "sync::", "time::requests_counted"];

/// One check: its name, the command, and what to do when it fails.
struct Check {
    name: String,
    arguments: Vec<String>,
    /// Advice on failure; the command's output states the cause.
    advice: String,
}

impl Check {
    fn new(name: impl Into<String>, arguments: &[&str], advice: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            arguments: arguments.iter().map(|argument| (*argument).to_owned()).collect(),
            advice: advice.into(),
        }
    }
}

/// Runs every check of the source in the folder `adapters/<name>` and prints one line for each.
///
/// # Errors
///
/// If the folder does not exist or a check failed: one line of advice for each.
pub fn check(root: &Path, name: &str) -> Result<String, String> {
    let sources: Vec<_> = std::fs::read_dir(root.join("adapters"))
        .map_err(|error| format!("adapters: {error}"))?
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    if !sources.iter().any(|source| source == name) {
        let mut sources = sources;
        sources.sort();
        return Err(format!(
            "there is no adapters/{name}; the sources are {}. `cargo xtask new-adapter {name}` creates it",
            sources.join(", ")
        ));
    }
    let cases = load_cases(&root.join("fixtures"))?;
    let is_its_own = |tool: &str| {
        let mut of_tool = cases.iter().filter(|case| case.tool == tool);
        of_tool.any(|case| case.name.split('/').next() == Some(name))
    };
    let tools: Vec<String> = freshcontext_sources::adapters()
        .iter()
        .map(|adapter| adapter.descriptor().tool)
        .filter(|tool| is_its_own(tool))
        .map(str::to_owned)
        .collect();
    if tools.is_empty() {
        return Err(format!(
            "no case in fixtures/{name} calls a registered tool; write fixtures/{name}/cases.toml first, \
             with the tool's name as `tool`"
        ));
    }
    let mut failed = Vec::new();
    for check in checks(name, &tools) {
        println_result(&check.name, run(root, &check), &check.advice, &mut failed);
    }
    let stale = generate::stale(root)?;
    println_result(
        "generated files",
        stale.is_empty(),
        &format!("run `cargo xtask generate` (out of date: {})", stale.join(", ")),
        &mut failed,
    );
    if failed.is_empty() {
        Ok(format!("{name}: everything that can concern it is green"))
    } else {
        Err(format!("{name} is not ready:\n- {}", failed.join("\n- ")))
    }
}

fn println_result(name: &str, passed: bool, advice: &str, failed: &mut Vec<String>) {
    say(if passed { "ok     " } else { "FAILED " }, name);
    if !passed {
        failed.push(format!("{name}: {advice}"));
    }
}

#[expect(clippy::print_stdout, reason = "a chore talks to the person who runs it")]
fn say(verdict: &str, name: &str) {
    println!("{verdict}{name}");
}

fn checks(name: &str, tools: &[String]) -> Vec<Check> {
    let package = format!("freshcontext-adapter-{name}");
    let mut checks = vec![
        Check::new(
            "formatting",
            &["fmt", "--package", &package, "--check"],
            format!("run `cargo fmt --package {package}`"),
        ),
        Check::new(
            "lints",
            &[
                "clippy",
                "--quiet",
                "--package",
                &package,
                "--all-targets",
                "--",
                "-D",
                "warnings",
            ],
            "fix what is listed above; see \"House rules\" in CONTRIBUTING.md",
        ),
        Check::new(
            "unit tests",
            &["test", "--quiet", "--package", &package],
            format!("fix adapters/{name}"),
        ),
    ];
    let suite = |filter: &str| -> Vec<String> {
        [
            "test",
            "--quiet",
            "--package",
            "freshcontext-tests",
            "--test",
            "suite",
            "--",
            filter,
        ]
        .map(str::to_owned)
        .to_vec()
    };
    for tool in tools {
        checks.push(Check {
            name: format!("cases of {tool}"),
            arguments: suite(&format!("{tool}::")),
            advice: format!("fix adapters/{name} or fixtures/{name}; each complaint above names its case"),
        });
    }
    for group in REGISTRY_WIDE {
        checks.push(Check {
            name: format!("the registry: {group}"),
            arguments: suite(group),
            advice: "a fact of the descriptor, or a generated file, is not right yet; the complaint above says which"
                .to_owned(),
        });
    }
    checks
}

/// Runs cargo with these arguments, with its output on the terminal.
fn run(root: &Path, check: &Check) -> bool {
    cargo::command(root)
        .args(&check.arguments)
        .status()
        .is_ok_and(|status| status.success())
}
