//! The `freshcontext` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    freshcontext_server::cli::run()
}
