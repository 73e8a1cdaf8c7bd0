//! What the repository's own source is made of: lines, public items, circles of modules, names. Read with syn, so that
//! comments, tests and text in macros are told apart as the compiler does.

mod circles;
mod lines;
mod names;
mod read;

pub use lines::lines;
pub use names::names;

use std::path::{Path, PathBuf};

/// One package below `crates`, `adapters` or `tests`.
struct Package {
    /// Its folder from the root of the checkout, for example `crates/core`.
    folder: String,
    /// Whether it is given out; test support, chores and benchmarks are not.
    published: bool,
    /// The modules of its library or program, tests left out, parents first.
    modules: Vec<Module>,
}

/// One module, in a file of its own or in its parent's.
struct Module {
    /// Its names below the crate; none for the root.
    path: Vec<String>,
    /// Its file, and whether that is its own.
    file: PathBuf,
    owns_file: bool,
    /// Its items without tests.
    items: Vec<syn::Item>,
}

/// All packages of a checkout, in the order of their folders.
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
