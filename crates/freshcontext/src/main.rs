//! The `freshcontext` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    freshcontext::cli::run()
}
