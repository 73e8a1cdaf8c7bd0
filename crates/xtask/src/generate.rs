//! Generated files: derived from the descriptors, the settings, the decay classes and the fixtures. A test
//! fails if one is out of date.

use std::path::Path;
use std::process::{Command, Stdio};

use freshcontext::package;

use crate::{
    answers, checked, clients, earlier, evaluations, examples, failures, faults, index, operating, protocol,
    shapes, standings, tables, use_cases,
};
use serde_json::json;

/// The tool whose result the README shows.
const SHOWN: &str = "extract_hackernews";

/// Marker lines around a generated part of a hand-written file.
fn markers(name: &str) -> (String, String) {
    (
        format!("<!-- generated: {name} -->"),
        "<!-- /generated -->".to_owned(),
    )
}

/// Returns the names of outdated files.
pub fn stale(root: &Path) -> Result<Vec<String>, String> {
    let mut made = code();
    made.extend(make(root)?);
    let differs = |(name, content): &(String, String)| {
        let found = std::fs::read_to_string(root.join(name)).unwrap_or_default();
        (found != *content).then(|| name.clone())
    };
    Ok(made.iter().filter_map(differs).collect())
}

/// Writes the generated code; returns the names of the files that changed. What is written afterwards is computed by
/// this code, so that a change needs a new build.
pub fn write_code(root: &Path) -> Result<Vec<String>, String> {
    write_files(root, code())
}

/// The parts of the code that are made from the descriptors.
fn code() -> Vec<(String, String)> {
    vec![
        ("crates/budget/src/sources.rs".to_owned(), tables::refetch_table()),
        (
            "crates/core/src/decay/sources.rs".to_owned(),
            tables::decay_table(),
        ),
    ]
}

/// Writes all other generated files; returns the names of those that changed.
pub fn write(root: &Path) -> Result<Vec<String>, String> {
    let mut written = write_files(root, make(root)?)?;
    if written.is_empty() {
        written.push("nothing, all was up to date".to_owned());
    }
    Ok(written)
}

fn write_files(root: &Path, made: Vec<(String, String)>) -> Result<Vec<String>, String> {
    let mut written = Vec::new();
    for (name, content) in made {
        let path = root.join(&name);
        if std::fs::read_to_string(&path).unwrap_or_default() == content {
            continue;
        }
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| format!("{name}: {error}"))?;
        }
        std::fs::write(&path, content).map_err(|error| format!("{name}: {error}"))?;
        written.push(name);
    }
    Ok(written)
}

fn make(root: &Path) -> Result<Vec<(String, String)>, String> {
    let readme =
        std::fs::read_to_string(root.join("README.md")).map_err(|error| format!("README.md: {error}"))?;
    let readme = replace(&readme, "tools", &tables::readme_tools())?;
    let readme = replace(&readme, "specification", &tables::readme_specification())?;
    let answered = examples::all(root)?;
    let shown = answered
        .iter()
        .find(|example| example.tool == SHOWN)
        .ok_or_else(|| format!("{SHOWN} has no ordinary fixture"))?;
    let readme = replace(
        &readme,
        "an answer",
        &format!(
            "```console\n$ cargo xtask replay &\n$ export FRESHCONTEXT_UPSTREAM='*=http://127.0.0.1:8788' FRESHCONTEXT_REPLAY_AT={}\n$ {}\n{}\n```",
            examples::NOW,
            shown.call,
            shown.text.trim_end()
        ),
    )?;
    let refused = examples::refused(root, SHOWN, &json!({"url": "https://example.com/"}))?;
    let readme = replace(
        &readme,
        "a failure",
        &format!("```console\n$ {}\nerror: {}\n```", refused.call, refused.text),
    )?;
    let mut made = vec![
        ("README.md".to_owned(), readme),
        (
            "docs/failures.md".to_owned(),
            failures::page(&failures::all(root)?),
        ),
        (
            "docs/faults.md".to_owned(),
            faults::page::page(&faults::Table::read(root)?),
        ),
        (
            "docs/protocol.md".to_owned(),
            protocol::page(&protocol::Table::read(root)?),
        ),
        ("docs/tools.md".to_owned(), tables::tools_page()),
        ("docs/configuration.md".to_owned(), tables::configuration_page()),
        ("docs/specification.md".to_owned(), tables::specification_page()),
        ("docs/sources-checked.md".to_owned(), checked::page(root)?),
        (
            "crates/freshcontext/src/shape/table.json".to_owned(),
            shapes::table(root)?,
        ),
        ("server.json".to_owned(), package::server_json_text()),
    ];
    made.push(("docs/use-cases.md".to_owned(), use_cases::page(&answered)?));
    made.extend(answers::pages(&answered));
    let name = "docs/records.md";
    let page = std::fs::read_to_string(root.join(name)).map_err(|error| format!("{name}: {error}"))?;
    let page = replace(
        &page,
        "every value of Agent Context",
        &freshcontext_records::accounting::markdown(),
    )?;
    made.push((name.to_owned(), page));
    let name = "docs/evaluate.md";
    let page = std::fs::read_to_string(root.join(name)).map_err(|error| format!("{name}: {error}"))?;
    let page = replace(&page, "profiles", &evaluations::profiles())?;
    let page = replace(&page, "intents", &evaluations::intents())?;
    let page = replace(&page, "evaluations", &evaluations::examples()?)?;
    made.push((name.to_owned(), page));
    for (name, part, table) in [
        ("docs/troubleshooting.md", "codes", operating::codes()),
        ("docs/operate.md", "hosts", operating::hosts()),
    ] {
        let page = std::fs::read_to_string(root.join(name)).map_err(|error| format!("{name}: {error}"))?;
        made.push((name.to_owned(), replace(&page, part, &table)?));
    }
    let name = "docs/as-of.md";
    let page = std::fs::read_to_string(root.join(name)).map_err(|error| format!("{name}: {error}"))?;
    let page = replace(&page, "as of by source", &earlier::by_source())?;
    made.push((name.to_owned(), page));
    let name = "docs/standing.md";
    let page = std::fs::read_to_string(root.join(name)).map_err(|error| format!("{name}: {error}"))?;
    let page = replace(&page, "states", &standings::states())?;
    let page = replace(&page, "standing by source", &standings::by_source())?;
    made.push((name.to_owned(), page));
    let schemas = freshcontext_records::schema::all();
    made.extend(
        schemas
            .into_iter()
            .map(|(name, text)| (format!("schemas/agent-context/{name}"), text)),
    );
    let answer = serde_json::to_string_pretty(&freshcontext_spec::schema::json_schema())
        .map_err(|error| format!("schemas/answer.json: {error}"))?;
    made.push(("schemas/answer.json".to_owned(), format!("{answer}\n")));
    made.extend(clients::files(root)?);
    made.extend(source_readmes(root)?);
    made.push(("docs/README.md".to_owned(), index::page(root, &made)?));
    Ok(made)
}

/// Returns the README of every source, with the evidence behind its routes.
fn source_readmes(root: &Path) -> Result<Vec<(String, String)>, String> {
    let mut texts = Vec::new();
    let folders = std::fs::read_dir(root.join("adapters")).map_err(|error| format!("adapters: {error}"))?;
    for folder in folders.flatten() {
        let name = format!("adapters/{}/README.md", folder.file_name().to_string_lossy());
        if let Ok(text) = std::fs::read_to_string(root.join(&name)) {
            texts.push((name, text));
        }
    }
    texts.sort();
    for adapter in freshcontext_sources::adapters() {
        let facts = adapter.descriptor();
        let part = format!("founding of {}", facts.id);
        let (open, _) = markers(&part);
        let Some((_, text)) = texts.iter_mut().find(|(_, text)| text.contains(&open)) else {
            return Err(format!(
                "no README of adapters/ has `{open}` ... for {}",
                facts.id
            ));
        };
        *text = replace(text, &part, &tables::founding(facts))?;
    }
    Ok(texts)
}

/// Environment variable that makes the suite write the generated parts that only it can compute.
pub const WRITE: &str = "FRESHCONTEXT_WRITE_GENERATED";

/// Other workspaces, whose lock files follow the main one.
const WORKSPACES: [&str; 3] = ["fuzz", "tools", "training"];

/// Writes what other programs compute: the fuzz targets, the lock files of the other workspaces, and the table of
/// docs/time.md, counted by the suite.
///
/// # Errors
/// If a program cannot run, or the suite's count fails: one line; the program's own output says why.
pub fn write_by_others(root: &Path) -> Result<(), String> {
    let mut bash = Command::new("bash");
    bash.current_dir(root).stdin(Stdio::null());
    run(bash, &["fuzz/make-targets.sh"])?;
    for workspace in WORKSPACES {
        let manifest = format!("{workspace}/Cargo.toml");
        cargo(
            root,
            &["update", "--workspace", "--quiet", "--manifest-path", &manifest],
        )?;
    }
    cargo(
        root,
        &[
            "test",
            "--quiet",
            // With the features of a whole test run: of this package alone, most dependencies would be built again.
            "--workspace",
            "--test",
            "suite",
            "--",
            "--exact",
            "time::requests_counted",
        ],
    )
}

/// Builds and runs `cargo xtask generate` again, after a change of the generated code.
///
/// # Errors
/// If it fails; its own output says why.
pub fn again(root: &Path) -> Result<String, String> {
    cargo(
        root,
        &[
            "run",
            "--quiet",
            "--package",
            "freshcontext-xtask",
            "--",
            "generate",
        ],
    )?;
    Ok("written by a new build".to_owned())
}

fn cargo(root: &Path, arguments: &[&str]) -> Result<(), String> {
    run(crate::cargo::command(root), arguments)
}

fn run(mut command: Command, arguments: &[&str]) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let done = command
        .env(WRITE, "1")
        .args(arguments)
        .stdout(Stdio::null())
        .status()
        .map_err(|error| format!("{program}: {error}"))?;
    if done.success() {
        Ok(())
    } else {
        Err(format!("`{program} {}` failed", arguments.join(" ")))
    }
}

/// Replaces the part of a text between the markers of this name.
///
/// # Errors
///
/// If the text has no such markers.
pub fn replace(text: &str, name: &str, content: &str) -> Result<String, String> {
    let (open, close) = markers(name);
    let missing = || format!("a hand-written file has no `{open}` ... `{close}`");
    let (before, rest) = text.split_once(&open).ok_or_else(missing)?;
    let (_, after) = rest.split_once(&close).ok_or_else(missing)?;
    Ok(format!("{before}{open}\n{}\n{close}{after}", content.trim_end()))
}
