//! Statistics about the repository's source: lines, public items, module cycles, names. Parsed with syn, so
//! that comments, tests and text in macros are recognised as the compiler does.

mod circles;
mod lines;
mod names;
mod read;

pub use lines::{lines, module_cycles};
pub use names::names;

use std::path::{Path, PathBuf};

/// One package below `crates`, `adapters` or `tests`.
struct Package {
    /// Its folder from the root of the checkout, for example `crates/core`.
    folder: String,
    /// Whether it is published; test support, xtask and benchmarks are not.
    published: bool,
    /// Modules of its library or program without tests, parents first.
    modules: Vec<Module>,
}

/// One module, in a file of its own or in its parent's.
struct Module {
    /// Names below the crate; empty for the root.
    path: Vec<String>,
    /// Its file, and whether it is the only module there.
    file: PathBuf,
    owns_file: bool,
    /// Items without tests.
    items: Vec<syn::Item>,
}

/// Returns all packages of a checkout, sorted by folder.
fn packages(root: &Path) -> Result<Vec<Package>, String> {
    let mut folders = vec!["tests".to_owned()];
    for group in ["crates", "adapters"] {
        let entries = std::fs::read_dir(root.join(group)).map_err(|error| format!("{group}: {error}"))?;
        for entry in entries.flatten() {
            folders.push(format!("{group}/{}", entry.file_name().to_string_lossy()));
        }
    }
    folders.sort();
    folders
        .into_iter()
        .filter(|folder| root.join(folder).join("Cargo.toml").is_file())
        .map(|folder| read::package(root, folder))
        .collect()
}
