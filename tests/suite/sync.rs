//! Consistency of the repository: folders, registry, fixtures, docs, dependencies.

mod typed;

use std::collections::BTreeSet;

use cargo_metadata::MetadataCommand;
use libtest_mimic::Trial;

use crate::{root, verdict};

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("sync::dependencies", || verdict(dependencies())),
        Trial::test("sync::one_build", || verdict(one_build())),
        Trial::test("sync::folders", || verdict(folders())),
        Trial::test("sync::generated", || verdict(generated())),
        Trial::test("sync::descriptors", || verdict(descriptors())),
        Trial::test("sync::clippy", || verdict(clippy())),
        Trial::test("sync::files_have_one_door", || verdict(files_have_one_door())),
        Trial::test("sync::answers_stay_typed", || verdict(typed::answers())),
        Trial::test("sync::errors_stay_typed", || verdict(typed::errors())),
        Trial::test("sync::circles", || verdict(circles())),
        Trial::test("sync::protocol", || verdict(protocol())),
    ]
}

/// The table of the protocol's recommendations is sound, and the tests that it names exist.
fn protocol() -> Vec<String> {
    let missing =
        freshcontext_xtask::protocol::Table::read(&root()).and_then(|table| table.missing_tests(&root()));
    match missing {
        Ok(missing) => missing
            .iter()
            .map(|test| format!("tests/protocol.toml: there is no test {test}"))
            .collect(),
        Err(error) => vec![error],
    }
}

/// No modules need each other, apart from what a module names that is defined above it.
fn circles() -> Vec<String> {
    freshcontext_xtask::source::module_cycles(&root()).unwrap_or_else(|error| vec![error])
}

/// A crate with rules of its own for clippy keeps to those of the workspace, too: clippy reads the nearest file only.
fn clippy() -> Vec<String> {
    let read = |name: &str| std::fs::read_to_string(root().join(name)).unwrap_or_default();
    let own = read("crates/freshcontext/clippy.toml");
    let common = read("clippy.toml");
    let missing = common
        .lines()
        .filter(|line| !own.lines().any(|known| known == *line));
    missing
        .map(|line| format!("crates/freshcontext/clippy.toml has no line `{line}`"))
        .collect()
}

/// Crates that no adapter may depend on, because each would bypass the contract.
const FORBIDDEN: [&str; 16] = [
    "reqwest",
    "hyper",
    "hyper-util",
    "tokio",
    "ureq",
    "rmcp",
    "axum",
    "freshcontext-budget",
    "freshcontext-core",
    "freshcontext-fetch",
    "freshcontext-records",
    "freshcontext-redact",
    "freshcontext-engine",
    "freshcontext-sources",
    "freshcontext-spec",
    "tracing-subscriber",
];

/// What each crate may depend on. The tests of core and of the adapters use the testkit, so what it needs rebuilds them.
const BELOW: &[(&str, &[&str])] = &[
    ("contract", &[]),
    ("deliverables", &[]),
    ("redact", &[]),
    ("store", &[]),
    ("budget", &["contract"]),
    ("detect", &["contract"]),
    ("files", &["contract"]),
    ("fetch", &["contract"]),
    ("metrics", &["contract"]),
    ("telemetry", &["fetch", "redact"]),
    ("parse", &["contract"]),
    ("references", &["parse"]),
    ("testkit", &["contract"]),
    ("records", &["budget", "contract", "core", "redact"]),
    ("origins", &["budget", "contract"]),
    ("core", &["budget", "contract", "detect", "origins", "redact"]),
    ("spec", &["contract", "core", "detect"]),
    ("coordination", &["contract", "fetch"]),
    ("oauth", &["contract", "fetch"]),
    ("config", &["contract", "fetch", "files", "store"]),
    (
        "engine",
        &[
            "budget", "config", "contract", "core", "fetch", "metrics", "records", "redact", "sources",
            "spec",
        ],
    ),
    (
        "follow",
        &[
            "budget",
            "contract",
            "core",
            "deliverables",
            "engine",
            "records",
            "store",
        ],
    ),
    (
        "mcp",
        &[
            "contract",
            "core",
            "engine",
            "follow",
            "records",
            "redact",
            "telemetry",
        ],
    ),
    (
        "serve",
        &[
            "config", "contract", "core", "detect", "engine", "files", "mcp", "metrics", "oauth", "redact",
            "spec",
        ],
    ),
];

/// Server crates without file access: user-named files are read through `files`.
const WITHOUT_FILES: [&str; 6] = ["config", "engine", "follow", "mcp", "metrics", "serve"];

fn files_have_one_door() -> Vec<String> {
    let mut out = Vec::new();
    for name in WITHOUT_FILES {
        for file in sources_of(&root().join("crates").join(name).join("src")) {
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            out.extend(
                [
                    "fs::read",
                    "fs::write",
                    "fs::copy",
                    "fs::rename",
                    "File::open",
                    "File::create",
                    "fs::OpenOptions",
                ]
                .into_iter()
                .filter(|door| text.contains(door))
                .map(|door| format!("{}: {door}; use freshcontext_files", file.display())),
            );
        }
    }
    out
}

pub(super) fn sources_of(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut out = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            out.extend(sources_of(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            out.push(path);
        }
    }
    out
}

/// `cargo xtask` uses every dependency with the features that the tests switch on: otherwise most are built twice.
fn one_build() -> Vec<String> {
    let tree = |options: &[&str]| -> Result<BTreeSet<String>, String> {
        let mut command = std::process::Command::new("cargo");
        command
            .current_dir(root())
            .args(["tree", "--offline", "--prefix=none", "--format={p} [{f}]"])
            .args(options);
        let done = command.output().map_err(|error| error.to_string())?;
        if !done.status.success() {
            return Err(String::from_utf8_lossy(&done.stderr).into_owned());
        }
        Ok(String::from_utf8_lossy(&done.stdout)
            .lines()
            .map(|line| line.trim_end_matches(" (*)").to_owned())
            .collect())
    };
    let chores = tree(&["--package=freshcontext-xtask", "--edges=normal,build"]);
    let tests = tree(&["--workspace", "--edges=normal,build,dev"]);
    match (chores, tests) {
        (Ok(chores), Ok(tests)) => chores
            .difference(&tests)
            .map(|package| format!("crates/xtask/Cargo.toml: the tests use {package} with more features"))
            .collect(),
        (Err(error), _) | (_, Err(error)) => vec![format!("cargo tree: {error}")],
    }
}

fn dependencies() -> Vec<String> {
    let mut command = MetadataCommand::new();
    command
        .manifest_path(root().join("Cargo.toml"))
        .no_deps()
        .other_options(vec!["--offline".to_owned()]);
    let metadata = match command.exec() {
        Ok(metadata) => metadata,
        Err(error) => return vec![format!("cargo metadata: {error}")],
    };
    let mut out = Vec::new();
    for package in &metadata.packages {
        let name = package.name.to_string();
        let normal = package
            .dependencies
            .iter()
            .filter(|dependency| dependency.kind == cargo_metadata::DependencyKind::Normal)
            .map(|dependency| dependency.name.as_str());
        let normal: BTreeSet<&str> = normal.collect();
        let ours = |allowed: &[&str], out: &mut Vec<String>| {
            for dependency in normal
                .iter()
                .filter(|dependency| dependency.starts_with("freshcontext-"))
            {
                if !allowed.contains(dependency) {
                    out.push(format!("{name} must not depend on {dependency}"));
                }
            }
        };
        if name.starts_with("freshcontext-adapter-") {
            ours(&["freshcontext-contract", "freshcontext-parse"], &mut out);
            out.extend(
                FORBIDDEN
                    .iter()
                    .filter(|bad| normal.contains(*bad))
                    .map(|bad| format!("{name} must not depend on {bad}")),
            );
        }
        if let Some((_, allowed)) = BELOW
            .iter()
            .find(|(known, _)| *known == name.trim_start_matches("freshcontext-"))
        {
            let allowed: Vec<String> = allowed
                .iter()
                .map(|below| format!("freshcontext-{below}"))
                .collect();
            ours(&allowed.iter().map(String::as_str).collect::<Vec<_>>(), &mut out);
        }
        if name != "freshcontext-fetch" && normal.contains("reqwest") {
            out.push(format!("{name} depends on reqwest; only freshcontext-fetch may"));
        }
        if name != "freshcontext-store" && normal.contains("sqlx") {
            out.push(format!("{name} depends on sqlx; only freshcontext-store may"));
        }
        if name != "freshcontext-telemetry" && normal.iter().any(|one| one.starts_with("opentelemetry")) {
            out.push(format!(
                "{name} depends on OpenTelemetry; only freshcontext-telemetry may"
            ));
        }
        if name != "freshcontext-coordination" && normal.contains("redis") {
            out.push(format!(
                "{name} depends on redis; only freshcontext-coordination may"
            ));
        }
        let pure = matches!(
            name.as_str(),
            "freshcontext-budget"
                | "freshcontext-contract"
                | "freshcontext-core"
                | "freshcontext-deliverables"
                | "freshcontext-detect"
                | "freshcontext-origins"
                | "freshcontext-parse"
                | "freshcontext-records"
                | "freshcontext-redact"
                | "freshcontext-spec"
        );
        if pure && normal.contains("tokio") {
            out.push(format!("{name} depends on tokio; it must stay pure"));
        }
    }
    out
}

/// One folder of code and one of fixtures per source crate, and each crate in the registry.
fn folders() -> Vec<String> {
    let names = |folder: &str| -> BTreeSet<String> {
        std::fs::read_dir(root().join(folder))
            .into_iter()
            .flatten()
            .flatten()
            .filter(|entry| entry.path().is_dir())
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect()
    };
    let mut out = Vec::new();
    let adapters = names("adapters");
    let fixtures = names("fixtures");
    let registry = std::fs::read_to_string(root().join("crates/sources/src/lib.rs")).unwrap_or_default();
    for adapter in &adapters {
        if !fixtures.contains(adapter) {
            out.push(format!("adapters/{adapter} has no fixtures/{adapter}"));
        }
        let line = format!("erased(freshcontext_adapter_{adapter}::");
        if !registry.contains(&line) {
            out.push(format!("crates/sources/src/lib.rs should have `{line}...`"));
        }
        for file in ["README.md", "src/lib.rs"] {
            if !root().join("adapters").join(adapter).join(file).is_file() {
                out.push(format!("adapters/{adapter}/{file} is missing"));
            }
        }
    }
    let strangers = fixtures
        .iter()
        .filter(|name| !adapters.contains(*name) && name.as_str() != "composites");
    out.extend(strangers.map(|name| format!("fixtures/{name} belongs to no adapter")));
    out
}

/// Generated files are up to date.
fn generated() -> Vec<String> {
    match freshcontext_xtask::generate::stale(&root()) {
        Ok(stale) => stale
            .into_iter()
            .map(|file| format!("{file} is out of date: run `cargo xtask generate`"))
            .collect(),
        Err(error) => vec![error],
    }
}

/// Facts of the descriptors that the compiler cannot check.
fn descriptors() -> Vec<String> {
    let mut out = Vec::new();
    for facts in freshcontext_lookup::descriptors() {
        let links = facts
            .rates
            .iter()
            .all(|rate| facts.hosts.allows(rate.host) && rate.link.starts_with("https://"));
        if facts.hosts.named().is_empty()
            || facts.rates.is_empty()
            || !links
            || facts.dates.is_empty()
            || facts.terms.is_empty()
        {
            out.push(format!(
                "{} lacks hosts, paces with their source, dates or terms",
                facts.id
            ));
        }
    }
    let adapters = freshcontext_sources::adapters();
    let decay = freshcontext_core::decay::DecayTable::default();
    let mut ids = BTreeSet::new();
    let mut rates: Vec<freshcontext_contract::HostRate> = Vec::new();
    for adapter in &adapters {
        let facts = adapter.descriptor();
        if !ids.insert(facts.id) {
            out.push(format!("the id {} is taken twice", facts.id));
        }
        if !decay.entries().contains_key(facts.id) {
            out.push(format!(
                "{}: `decay` is Decay::Unclassed; choose the variant by how fast its items age (docs/specification.md)",
                facts.id
            ));
        }
        let said = [facts.title, facts.description, facts.dates, facts.terms];
        let of_routes = facts.routes.iter().map(|route| route.about);
        for text in said.into_iter().chain(of_routes) {
            if text.starts_with("Replace") {
                out.push(format!(
                    "{}: the template's text `{text}` was not replaced",
                    facts.id
                ));
            }
        }
        if facts.hosts.named().is_empty() || facts.dates.is_empty() || facts.terms.is_empty() {
            out.push(format!("{} lacks hosts, dates or terms", facts.id));
        }
        for credential in facts.credentials {
            if !facts.hosts.named().contains(&credential.host) {
                out.push(format!(
                    "{}: a credential for {}, which is not its host",
                    facts.id, credential.host
                ));
            }
        }
        for rate in facts.rates {
            if !facts.hosts.named().contains(&rate.host) {
                out.push(format!(
                    "{}: a limit for {}, which is not its host",
                    facts.id, rate.host
                ));
            }
            if let Some(other) = rates
                .iter()
                .find(|other| (other.host, other.path) == (rate.host, rate.path))
                && other != rate
            {
                out.push(format!(
                    "{}: another limit for {} than its neighbours",
                    facts.id, rate.host
                ));
            }
            rates.push(*rate);
        }
    }
    out
}
