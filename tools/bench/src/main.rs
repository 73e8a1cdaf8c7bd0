#![doc = include_str!("../README.md")]
//!
//! Prints a Markdown table, then one JSON line for each of its rows. Every child process is killed at the end of its
//! measurement, or at its time limit.

mod cached;
mod composite;
mod documents;
mod evaluate;
mod inspector;
mod kept;
mod report;
mod stages;
mod start;
mod stdio;
mod texts;
mod toolset;
mod web;
mod worst;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use clap::{Parser, ValueEnum};
use report::{Row, note};
use stdio::Program;

/// Any error, printed for the person who runs the benchmark.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Benchmarks the freshcontext server, next to the reference where it is installed.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// Groups to run; default: all.
    #[arg(value_enum)]
    groups: Vec<Group>,
    /// Path of the freshcontext binary; default: the release build, rebuilt if it is out of date.
    #[arg(long, value_name = "FILE")]
    server: Option<PathBuf>,
    /// Path of the reference's `dist/server.js`, which `node` runs.
    #[arg(long, env = "FRESHCONTEXT_REFERENCE", value_name = "FILE")]
    reference: Option<PathBuf>,
    /// Seconds per series of calls.
    #[arg(long, default_value_t = 3.0, value_parser = seconds)]
    seconds: f64,
    /// Number of timed starts of the freshcontext server.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    spawns: u16,
    /// Number of answers that the store keeps.
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1_000..=10_000_000))]
    answers: u64,
    /// Exit with status 1 if a target is missed.
    #[arg(long)]
    strict: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Group {
    /// Startup time, memory, and the tool list.
    Start,
    /// Trivial calls over HTTP.
    Http,
    /// Calls that are answered from the cache.
    Cached,
    /// Overhead of composites over their slowest source.
    Composite,
    /// `evaluate_context` over stdio.
    Evaluate,
    /// Cost of each stage of one evaluation, in this process.
    Stages,
    /// The text that costs the most per byte.
    Worst,
    /// The failure inspector alone.
    Inspector,
    /// The answer store, with a raised limit.
    Store,
    /// Cost of the `time` toolset, disabled and enabled.
    Toolset,
}

fn seconds(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|seconds| (0.05..=60.0).contains(seconds))
        .ok_or_else(|| "must be from 0.05 to 60".to_owned())
}

/// Options of a benchmark run, shared by all groups.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// The freshcontext server.
    pub ours: Program,
    /// The reference, if it is installed.
    pub reference: Option<Program>,
    /// Duration of each series.
    pub time: Duration,
    /// Number of timed starts.
    pub spawns: usize,
    /// Maximum lifetime of a child process.
    pub life: Duration,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(rows) if arguments.strict && rows.iter().any(|row| row.met() == Some(false)) => ExitCode::FAILURE,
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => {
            note(&format!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<Vec<Row>, Failure> {
    let reference = arguments.reference.clone().filter(|path| path.is_file());
    if reference.is_none() {
        note("the reference is not installed (--reference, FRESHCONTEXT_REFERENCE): our figures stand alone");
    }
    let plan = Plan {
        ours: Program::Ours(match &arguments.server {
            Some(path) => path.clone(),
            None => built()?,
        }),
        reference: reference.map(Program::Reference),
        time: Duration::from_secs_f64(arguments.seconds),
        spawns: usize::from(arguments.spawns),
        life: Duration::from_mins(1) + Duration::from_secs_f64(arguments.seconds * 2.0),
    };
    // A single thread for all clients leaves the other processors to the server.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let mut rows = Vec::new();
    let wanted = |group: &Group| arguments.groups.is_empty() || arguments.groups.contains(group);
    let forms = if [Group::Evaluate, Group::Stages, Group::Worst, Group::Inspector]
        .iter()
        .any(wanted)
    {
        note("gathering documents");
        documents::gather()
    } else {
        Vec::new()
    };
    for group in Group::value_variants() {
        if !wanted(group) {
            continue;
        }
        rows.extend(match group {
            Group::Start => start::run(&plan)?,
            Group::Http => runtime.block_on(web::run(&plan))?,
            Group::Cached => runtime.block_on(cached::run(&plan))?,
            Group::Composite => runtime.block_on(composite::run(&plan))?,
            Group::Evaluate => evaluate::run(&plan, &forms)?,
            Group::Stages => stages::run(&plan, &forms)?,
            Group::Worst => worst::run(&forms)?,
            Group::Inspector => inspector::run(&plan, &forms)?,
            Group::Store => runtime.block_on(kept::run(arguments.answers))?,
            Group::Toolset => runtime.block_on(toolset::run(&plan))?,
        });
    }
    report::print(&rows)?;
    Ok(rows)
}

/// Builds the server in release mode and returns the path that cargo reports.
fn built() -> Result<PathBuf, Failure> {
    note("building the server");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .args(["build", "--release", "--quiet", "--package", "freshcontext"])
        .args(["--message-format", "json-render-diagnostics"])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()?;
    if !built.status.success() {
        return Err("the server could not be built; give one by --server".into());
    }
    let said = String::from_utf8(built.stdout)?;
    let mut programs = said.lines().filter_map(|line| {
        let line: serde_json::Value = serde_json::from_str(line).ok()?;
        let program = line.get("executable")?.as_str()?;
        (line.get("target")?.get("name")?.as_str()? == "freshcontext").then(|| PathBuf::from(program))
    });
    programs
        .next_back()
        .ok_or_else(|| "cargo named no program; give a server by --server".into())
}
