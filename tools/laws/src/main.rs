//! `cargo xtask laws`: holds every reader of outside bytes to the laws of time and memory.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a chore talks to the person who runs it"
)]

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use freshcontext_laws::count::{Place, count, shapes_of, work};
use freshcontext_laws::laws::{LARGE, SIZES};
use freshcontext_laws::readers;
use freshcontext_laws::report::report;
use freshcontext_laws::screen::{screen, weigh};

#[derive(Parser)]
#[command(
    name = "cargo xtask laws",
    about = "Time and memory of every reader of outside bytes, as laws"
)]
struct Cli {
    #[command(subcommand)]
    part: Option<Part>,
    #[command(flatten)]
    options: Options,
}

#[derive(Args)]
struct Options {
    /// Try every shape, not only those of the regular check, and count the worst of each reader at 1 MiB, too
    #[arg(long)]
    full: bool,
    /// Only readers whose names contain this text, on every shape
    #[arg(long)]
    reader: Option<String>,
    /// Only shapes whose names contain this text
    #[arg(long)]
    shape: Option<String>,
    /// Only report where time grows most; count nothing
    #[arg(long)]
    screen: bool,
    /// List what would be counted; count nothing
    #[arg(long)]
    list: bool,
}

#[derive(Subcommand)]
enum Part {
    /// Run as a child process under callgrind
    #[command(hide = true)]
    Count {
        #[arg(long)]
        plan: PathBuf,
        #[arg(long, value_delimiter = ',')]
        sizes: Vec<usize>,
        #[arg(long)]
        folder: Option<PathBuf>,
    },
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let done = match cli.part {
        Some(Part::Count { plan, sizes, folder }) => readers::all(&fixtures())
            .and_then(|readers| {
                work(
                    &readers,
                    &plan,
                    &sizes,
                    folder.as_deref(),
                    &mut std::io::stdout().lock(),
                )
            })
            .map(|()| false),
        None => run(&cli.options),
    };
    match done {
        Ok(false) => ExitCode::SUCCESS,
        Ok(true) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn fixtures() -> PathBuf {
    root().join("fixtures")
}

fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_owned()
}

/// Runs the check and returns whether a law is broken.
fn run(options: &Options) -> Result<bool, String> {
    let readers = readers::all(&fixtures())?;
    let shapes = shapes_of(&readers);
    let named = |name: &str, part: Option<&String>| part.is_none_or(|part| name.contains(part.as_str()));
    let mut plan: Vec<Place> = Vec::new();
    let mut weighed: Vec<Place> = Vec::new();
    for (place, (reader, shapes)) in readers.iter().zip(&shapes).enumerate() {
        if !named(&reader.name, options.reader.as_ref()) || !(reader.often || options.reader.is_some()) {
            continue;
        }
        for (number, shape) in shapes.iter().enumerate() {
            let often = shape.often || options.full || options.shape.is_some();
            if often && named(&shape.name, options.shape.as_ref()) {
                plan.push((place, number));
            } else if shape.crumbs && options.shape.is_none() {
                weighed.push((place, number));
            }
        }
    }
    if plan.is_empty() {
        return Err("no reader or no shape of that name; --list names them".to_owned());
    }
    if options.list {
        for (reader, shape) in &plan {
            if let (Some(reader), Some(shape)) = (
                readers.get(*reader),
                shapes.get(*reader).and_then(|all| all.get(*shape)),
            ) {
                println!("{}  on  {}", reader.name, shape.name);
            }
        }
        println!("{} shapes", plan.len());
        return Ok(false);
    }
    let broken_memory = if options.full || options.screen {
        let screened = screen(&readers, &shapes, &plan, |line| eprintln!("{line}"))?;
        plan = screened.plan;
        screened.breaches
    } else {
        println!("memory of {} lists of next to nothing", weighed.len());
        weigh(&readers, &shapes, &weighed)?
    };
    for ((reader, shape), breach) in &broken_memory {
        if let (Some(reader), Some(shape)) = (
            readers.get(*reader),
            shapes.get(*reader).and_then(|all| all.get(*shape)),
        ) {
            println!("BROKEN: {}  on  {}: {breach}", reader.name, shape.name);
        }
    }
    if options.screen {
        println!("{} shapes would be counted", plan.len());
        return Ok(!broken_memory.is_empty());
    }
    let mut sizes = SIZES.to_vec();
    if options.full {
        sizes.push(LARGE);
    }
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let folder = std::env::temp_dir().join(format!("freshcontext-laws-{}", std::process::id()));
    let shown = |(reader, shape): Place| match (
        readers.get(reader),
        shapes.get(reader).and_then(|all| all.get(shape)),
    ) {
        (Some(reader), Some(shape)) => format!("{}  on  {}", reader.name, shape.name),
        _ => String::new(),
    };
    let counted = count(&plan, &sizes, &folder, jobs, shown);
    // The folder only held counts, which have been read.
    let _ = std::fs::remove_dir_all(&folder);
    let report = report(&readers, &shapes, &counted?);
    println!("{}", report.text);
    Ok(report.broken || !broken_memory.is_empty())
}
