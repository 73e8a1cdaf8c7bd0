//! Cargo, run by a program that cargo itself may have started.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Prefixes of the variables that `cargo run` sets for the program it starts.
const OWN: [&str; 4] = ["CARGO_BIN_", "CARGO_CRATE_", "CARGO_MANIFEST_", "CARGO_PKG_"];

/// Returns cargo as a shell would start it in the repository. Without this, a build script that watches the variables of the
/// program that asks (that of `ring`) runs again, and everything that builds on its crate is built again, at every change
/// between this and a shell.
pub fn command(root: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root).stdin(Stdio::null());
    for (name, _) in std::env::vars_os() {
        let is_own = |name: &str| OWN.iter().any(|prefix| name.starts_with(prefix));
        if name.to_str().is_some_and(is_own) {
            command.env_remove(name);
        }
    }
    command
}

/// Builds the server with the features that the workspace's tests use, so that a test run builds nothing of it again. Returns
/// the binary.
///
/// # Errors
/// If it cannot be built.
pub fn server(root: &Path) -> Result<PathBuf, String> {
    let status = command(root)
        .args(["build", "--quiet", "--workspace", "--bin", "freshcontext"])
        .status()
        .map_err(|error| format!("cargo: {error}"))?;
    if !status.success() {
        return Err("the server was not built".to_owned());
    }
    let built = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    Ok(root.join(built).join("debug/freshcontext"))
}
