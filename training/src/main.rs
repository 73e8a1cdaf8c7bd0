//! Trains the weights of the failure detector, and packs and unpacks the training corpus.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a chore talks to the person who runs it"
)]

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use freshcontext_training::{archive, card};

#[derive(Parser)]
#[command(about = "Weights of the failure detector, and the corpus that they are learned from")]
struct Cli {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Train the weights; write them, docs/detector.md, and the verdicts for the detector's tests
    Train {
        /// Path of the development corpus, for example ../shared/failure-corpus/dev.jsonl
        #[arg(long)]
        dev: Option<PathBuf>,
        /// Folder with real texts, as real-texts.py, messages.py and documents.py write them; repeatable
        #[arg(long)]
        real: Vec<PathBuf>,
        /// Skip the learning curve, which takes four times as long as everything else
        #[arg(long)]
        quick: bool,
        /// Date of the report, for example 2026-11-22
        #[arg(long)]
        date: String,
    },
    /// Fail if archive, weights, report and verdicts do not match, or training is not repeatable
    Check,
    /// Write the verdicts of the weights, after a change to the detector's rules or features
    Verdicts,
    /// Unpack the archive into training/corpus
    Unpack,
    /// Pack the files of training/corpus into the archive
    Pack,
}

fn main() -> ExitCode {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = home.parent().unwrap_or(home);
    let done = match Cli::parse().chore {
        Chore::Train {
            dev,
            real,
            quick,
            date,
        } => card::write(root, dev, real, !quick, &date),
        Chore::Check => card::check(root),
        Chore::Verdicts => card::judge(root),
        Chore::Unpack => archive::unpack(home),
        Chore::Pack => archive::pack(home),
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
