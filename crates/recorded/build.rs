//! Looks for the recordings once, when the tests are built.

use std::path::Path;

/// Set by CI: recordings that are absent are then a failure.
const REQUIRED: &str = "FRESHCONTEXT_REQUIRE_RECORDINGS";

fn main() -> Result<(), String> {
    println!("cargo:rustc-check-cfg=cfg(recordings)");
    println!("cargo:rerun-if-changed=build.rs");
    // An absent file would count as changed in every build. Where the recordings came later, this variable, set once,
    // has them looked for again.
    println!("cargo:rerun-if-env-changed={REQUIRED}");
    let here = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    let beside = Path::new(&here).ancestors().nth(3);
    // By this file and not by the folder: a stranger may have a folder of this name.
    let manifest = beside.map(|beside| beside.join("shared/recordings/MANIFEST-a.tsv"));
    match manifest.filter(|manifest| manifest.is_file()) {
        Some(manifest) => {
            println!("cargo:rerun-if-changed={}", manifest.display());
            println!("cargo:rustc-cfg=recordings");
            Ok(())
        }
        None if std::env::var_os(REQUIRED).is_some() => Err(format!(
            "{REQUIRED} is set, but the recordings are not beside the checkout"
        )),
        None => Ok(()),
    }
}
