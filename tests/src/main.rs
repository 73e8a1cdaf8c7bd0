//! The server's binary, under test.

fn main() -> std::process::ExitCode {
    freshcontext::cli::run()
}
