//! The crate of a new source: a search with pages that compiles, is registered and passes its cases. What is left to
//! replace, `check-source` says.

use std::fs;
use std::path::Path;

use freshcontext_mcp::VERSION;

use crate::cargo;

/// Creates `adapters/<name>`, its dependency line and its registry line.
pub fn create(root: &Path, name: &str) -> Result<String, String> {
    let good = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
        && name.len() <= 32;
    if !good {
        return Err(format!(
            "`{name}` is not a name for a source; use lower-case letters and digits, for example lobsters"
        ));
    }
    if root.join("adapters").join(name).exists() {
        return Err(format!("adapters/{name} is already there"));
    }
    let write = |file: &str, content: String| -> Result<(), String> {
        let path = root.join(file);
        let parent = path.parent().unwrap_or(root);
        fs::create_dir_all(parent).map_err(|error| format!("{}: {error}", parent.display()))?;
        fs::write(&path, content).map_err(|error| format!("{}: {error}", path.display()))
    };
    for (file, template) in TEMPLATES {
        write(&file.replace("NAME", name), template.replace("NAME", name))?;
    }
    insert(
        &root.join("crates/sources/Cargo.toml"),
        "# adapters, one line each",
        &format!(
            "freshcontext-adapter-{name} = {{ path = \"../../adapters/{name}\", version = \"{VERSION}\" }}"
        ),
    )?;
    insert(
        &root.join("crates/sources/src/lib.rs"),
        "// adapters, one line each",
        &format!("        erased(freshcontext_adapter_{name}::Source),"),
    )?;
    let formatted = cargo::command(root)
        .args(["fmt", "--package", &format!("freshcontext-adapter-{name}")])
        .status()
        .is_ok_and(|status| status.success());
    if !formatted {
        return Err(format!("adapters/{name} is made, and `cargo fmt` failed"));
    }
    Ok(format!(
        "adapters/{name} is made and registered: a search with pages that runs against its cases.\n\
         Make it yours: adapters/{name}/src/lib.rs, adapters/{name}/README.md, fixtures/{name}/cases.toml and \
         fixtures/{name}/dates.toml.\nThen `cargo xtask generate`, and `cargo xtask check-source {name}` until it is green."
    ))
}

/// Inserts a line into the sorted list behind the line that contains `mark`. The list ends with the first line that begins
/// in another way.
fn insert(path: &Path, mark: &str, line: &str) -> Result<(), String> {
    let name = path.display();
    let text = fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
    let lines: Vec<&str> = text.lines().collect();
    let Some(at) = lines.iter().position(|existing| existing.contains(mark)) else {
        return Err(format!("{name} has no line with `{mark}`"));
    };
    // As far as the name of the source: `        erased(freshcontext_adapter_`.
    let begin = line.find("adapter").map_or("", |at| line.split_at(at).0);
    let before = lines
        .iter()
        .skip(at + 1)
        .take_while(|existing| existing.starts_with(begin) && **existing < line)
        .count();
    let (head, tail) = lines.split_at(at + 1 + before);
    let mut out = [head, &[line], tail].concat().join("\n");
    out.push('\n');
    fs::write(path, out).map_err(|error| format!("{name}: {error}"))
}

const TEMPLATES: [(&str, &str); 5] = [
    (
        "adapters/NAME/Cargo.toml",
        include_str!("../template/Cargo.toml.txt"),
    ),
    (
        "adapters/NAME/README.md",
        include_str!("../template/README.md.txt"),
    ),
    ("adapters/NAME/src/lib.rs", include_str!("../template/lib.rs.txt")),
    (
        "fixtures/NAME/cases.toml",
        include_str!("../template/cases.toml.txt"),
    ),
    (
        "fixtures/NAME/dates.toml",
        include_str!("../template/dates.toml.txt"),
    ),
];
