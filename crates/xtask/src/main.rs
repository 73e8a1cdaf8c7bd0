//! `cargo xtask <chore>`.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a chore talks to the person who runs it"
)]

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::{Parser, Subcommand};
use freshcontext::app::App;
use freshcontext::cli::read_arguments;
use freshcontext_config::SystemClock;
use freshcontext_config::{Sources, load};
use freshcontext_contract::{Clock as _, Limits};
use freshcontext_xtask::{
    cargo, check_source, dist, examples, faults, generate, new_adapter, record, recorded, replay, source,
    tokens, words,
};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Chores of this repository")]
struct Cli {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Write the generated files: tables in README.md, docs/, the READMEs of adapters/, server.json
    Generate {
        /// Write nothing; fail if a file is out of date
        #[arg(long)]
        check: bool,
    },
    /// Make the crate of a new source, registered and still to be filled
    NewAdapter {
        /// Its name in lower case, for example lobsters
        name: String,
    },
    /// Run everything that can concern one source: lints, its tests and cases, the registry's rules, generated files
    CheckSource {
        /// Its folder in adapters/, for example lobsters
        name: String,
    },
    /// Count lines of code, files, public items and circles of modules, per package and in all, without tests
    Lines {
        /// Show what this revision had, too
        #[arg(long, value_name = "REVISION")]
        beside: Option<String>,
    },
    /// Count the tokens of every tool's answers, and the share of envelope and dates
    Tokens {
        /// Folder of recordings; without it only fixtures/ are answered
        #[arg(long, value_name = "DIR")]
        recordings: Option<PathBuf>,
    },
    /// List every word of the public names, and the names that several types have
    Names,
    /// Run the benchmarks of docs/benchmarks.md
    Bench {
        /// For the benchmarks: names of groups, --strict, --help
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<String>,
    },
    /// Hold every reader of outside bytes to the laws of time and memory; needs valgrind
    Laws {
        /// For the laws: --full, --reader NAME, --shape NAME, --list
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<String>,
    },
    /// Report every row of the fault matrix: which tests hold it, and whether they passed
    Faults {
        /// Read the output of a test run instead of running the tests; repeatable
        #[arg(long = "log", value_name = "FILE")]
        logs: Vec<PathBuf>,
        /// Report only this group, for example B; repeatable
        #[arg(long = "group", value_name = "LETTER")]
        groups: Vec<String>,
        /// Succeed although rows are held in part, as docs/faults.md says of them
        #[arg(long)]
        allow_partly: bool,
    },
    /// Build the server and run its main job against the fixtures: no network, no key
    Demo {
        /// One call of every tool, as text and as JSON, at one stated moment
        #[arg(long)]
        all: bool,
    },
    /// Make a call as it really goes, and keep it as a case without anybody's keys and addresses
    Record {
        /// Tool name, for example extract_hackernews
        tool: String,
        /// Arguments as `freshcontext call` takes them
        #[arg(value_name = "KEY=VALUE")]
        arguments: Vec<String>,
        /// Folder for the case; the default is target/recorded, because other people's data does not belong in the repository
        #[arg(long, value_name = "DIR")]
        into: Option<PathBuf>,
        /// Name of the case; the default is the moment
        #[arg(long)]
        name: Option<String>,
        /// Change one setting for this call, as `freshcontext --set` does
        #[arg(long = "set", value_name = "KEY=VALUE")]
        set: Vec<String>,
    },
    /// Write the context records of every fixture in every form of export, for the readers in tests/records
    Records {
        /// Folder to write into
        into: PathBuf,
    },
    /// Build the server for old systems too, and pack it: archive, npm, wheel, MCP bundle, Debian package, checksums
    Dist {
        /// Profile of the build; `trial` is quick and large
        #[arg(long, default_value = "release")]
        profile: String,
        /// Pack this binary instead of building one
        #[arg(long, value_name = "FILE")]
        binary: Option<PathBuf>,
        /// The machine that it is for
        #[arg(long, default_value = "x86_64-unknown-linux-gnu")]
        target: String,
        /// Folder for the packages
        #[arg(long, value_name = "DIR")]
        into: Option<PathBuf>,
    },
    /// Write the manifests of package managers for the archives of a release: Homebrew, AUR, Nix, Scoop, winget
    Manifests {
        /// Folder with the archives
        from: PathBuf,
        /// Folder for the manifests; the default is `manifests` in the folder with the archives
        #[arg(long, value_name = "DIR")]
        into: Option<PathBuf>,
    },
    /// Serve fixtures as upstream, so that everything can be tried without a network
    Replay {
        /// Folder of fixtures, or of recordings (the default is fixtures/)
        dir: Option<PathBuf>,
        /// Address to listen on
        #[arg(long, default_value = "127.0.0.1:8788")]
        listen: SocketAddr,
    },
    /// Write some answers as pages with a timeline, for the pictures of the documentation
    Timelines {
        /// Folder for the pages
        #[arg(default_value = "target/timelines")]
        into: PathBuf,
    },
}

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .unwrap_or(Path::new("."))
        .to_owned();
    let done = match Cli::parse().chore {
        Chore::Generate { check: true } => generate::stale(&root).and_then(|stale| {
            if stale.is_empty() {
                Ok("generated files are up to date".to_owned())
            } else {
                Err(format!(
                    "out of date: {}; run `cargo xtask generate`",
                    stale.join(", ")
                ))
            }
        }),
        Chore::Generate { check: false } => generate::write_code(&root).and_then(|code| {
            if !code.is_empty() {
                println!(
                    "written: {}; the rest is computed by a new build",
                    code.join(", ")
                );
                return generate::again(&root);
            }
            let written = generate::write(&root)?;
            generate::write_by_others(&root)?;
            Ok(format!("written: {}", written.join(", ")))
        }),
        Chore::NewAdapter { name } => new_adapter::create(&root, &name),
        Chore::CheckSource { name } => check_source::check(&root, &name),
        Chore::Lines { beside } => source::lines(&root, beside.as_deref()),
        Chore::Tokens { recordings } => tokens::report(&root, recordings.as_deref()),
        Chore::Names => source::names(&root),
        Chore::Bench { words } => {
            tool(&root, "release", "freshcontext-bench", &words).map(|()| "measured".to_owned())
        }
        Chore::Laws { words } => {
            tool(&root, "laws", "freshcontext-laws", &words).map(|()| "the laws hold".to_owned())
        }
        Chore::Faults {
            logs,
            groups,
            allow_partly,
        } => {
            let order = faults::Order {
                logs,
                groups,
                allow_partly,
                now: SystemClock.now(),
            };
            faults::run(&root, &order, |line| println!("{line}"))
        }
        Chore::Demo { all: false } => demo(&root),
        Chore::Demo { all: true } => every_tool(&root),
        Chore::Record {
            tool,
            arguments,
            into,
            name,
            set,
        } => keep(&root, &tool, &arguments, into, name, &set),
        Chore::Dist {
            profile,
            binary,
            target,
            into,
        } => dist::make(
            &root,
            dist::Order {
                profile: &profile,
                binary,
                target: &target,
                into: into.unwrap_or_else(|| root.join("target/dist")),
            },
        ),
        Chore::Manifests { from, into } => {
            dist::manifests::write(&from, &into.unwrap_or_else(|| from.join("manifests")))
        }
        Chore::Timelines { into } => examples::timelines(&root, &into),
        Chore::Records { into } => recorded::write(&root, &into)
            .map(|calls| format!("the records of {calls} calls are in {}", into.display())),
        Chore::Replay { dir, listen } => serve(&root, dir.as_deref(), listen),
    };
    match done {
        Ok(message) => {
            println!("{message}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Runs a program of the workspace in `tools/` in the profile that its figures refer to.
fn tool(root: &Path, profile: &str, package: &str, words: &[String]) -> Result<(), String> {
    let status = cargo::command(root)
        .args(["run", "--quiet", "--manifest-path", "tools/Cargo.toml"])
        .args(["--profile", profile, "--package", package, "--"])
        .args(words)
        .status()
        .map_err(|error| format!("cargo: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{package} failed; see above"))
    }
}

/// Tools shown in the demo: a search, a repository, repositories, papers.
const DEMO: [&str; 4] = [
    "extract_hackernews",
    "extract_github",
    "search_repos",
    "extract_arxiv",
];

fn demo(root: &Path) -> Result<String, String> {
    let server = cargo::server(root)?;
    let replay = replay::Replay::load(root, None)?;
    runtime()?.block_on(async {
        let upstream = replay.start(SocketAddr::from(([127, 0, 0, 1], 0))).await?;
        for tool in DEMO {
            let words = replay.call(tool).ok_or_else(|| format!("{tool} has no ordinary fixture"))?;
            println!("$ {}\n", words::shell(words));
            let mut call = Command::new(&server);
            call.args(words)
                .env("FRESHCONTEXT_UPSTREAM", format!("*={}", upstream.base()))
                .env("FRESHCONTEXT_REPLAY_AT", examples::NOW);
            let status = tokio::task::spawn_blocking(move || call.status())
                .await
                .map_err(|error| error.to_string())?
                .map_err(|error| format!("cargo: {error}"))?;
            if !status.success() {
                return Err(format!("{tool} failed"));
            }
            println!();
        }
        let binary = server.strip_prefix(root).unwrap_or(&server).display();
        Ok(format!(
            "These answers came from fixtures/, through the real server. For live ones, leave out the replay:\n  \
             {binary} call extract_hackernews url=rust"
        ))
    })
}

fn every_tool(root: &Path) -> Result<String, String> {
    let examples = examples::all(root)?;
    for example in &examples {
        let json = serde_json::to_string_pretty(&example.structured).unwrap_or_default();
        println!("$ {}\n\n{}\n\n{json}\n", example.call, example.text.trim_end());
    }
    Ok(format!(
        "{} tools, answered from fixtures/ at {}",
        examples.len(),
        examples::NOW
    ))
}

fn keep(
    root: &Path,
    tool: &str,
    words: &[String],
    into: Option<PathBuf>,
    name: Option<String>,
    set: &[String],
) -> Result<String, String> {
    let mut sources = Sources::from_process();
    for pair in set {
        let (key, value) = pair
            .split_once('=')
            .ok_or_else(|| format!("--set {pair} is not KEY=VALUE"))?;
        sources.flags.push((key.to_owned(), value.to_owned()));
    }
    let loaded = load(&sources).map_err(|error| error.to_string())?;
    let app = App::build(&loaded.settings, &sources.environment).map_err(|error| error.to_string())?;
    let known = app
        .engine
        .tool(tool)
        .or_else(|| app.engine.tool(&format!("extract_{tool}")))
        .ok_or_else(|| format!("there is no tool `{tool}`; `freshcontext tools` lists them"))?;
    let arguments = read_arguments(&known.input_schema, words, &Limits::DEFAULT)
        .map_err(|problem| format!("{problem}; a right call has the arguments {}", known.example))?;
    let now = SystemClock.now();
    let into = into.unwrap_or_else(|| root.join("target/recorded"));
    let name = name.unwrap_or_else(|| now.format("%Y-%m-%d-%H%M%S").to_string());
    let recorded = runtime()?.block_on(record::record(record::Order {
        tool: &known.name,
        arguments,
        into: &into,
        name: &name,
        settings: &loaded.settings,
        environment: &sources.environment,
        now,
    }))?;
    let (folder, into) = (recorded.folder.display(), into.display());
    Ok(format!(
        "{folder}: {}\nRun it with the suite:\n  CASES='{into}' cargo test -p freshcontext-tests --test suite -- recorded",
        recorded.summary
    ))
}

fn runtime() -> Result<tokio::runtime::Runtime, String> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .map_err(|error| error.to_string())
}

fn serve(root: &Path, dir: Option<&Path>, listen: SocketAddr) -> Result<String, String> {
    let replay = replay::Replay::load(root, dir)?;
    runtime()?.block_on(async {
        let upstream = replay.start(listen).await?;
        println!("{}", replay.introduction(&upstream.base()));
        // Runs until an interrupt or the end of the parent process.
        tokio::signal::ctrl_c().await.map_err(|error| error.to_string())?;
        Ok("stopped".to_owned())
    })
}
