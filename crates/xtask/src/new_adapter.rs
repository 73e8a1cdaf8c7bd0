//! The crate of a new source: it compiles, it is registered, and the suite says by name what is
//! still missing.

use std::fs;
use std::path::Path;

use freshcontext_mcp::VERSION;

/// Makes `adapters/<name>`, its dependency line and its registry line.
pub fn create(root: &Path, name: &str) -> Result<String, String> {
    let good = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
        && name.len() <= 32;
    if !good {
        return Err(format!(
            "`{name}` is not a name for a source; use lower-case letters and digits, for example lobsters"
        ));
    }
    let folder = root.join("adapters").join(name);
    if folder.exists() {
        return Err(format!("adapters/{name} is already there"));
    }
    let write = |file: &str, content: String| -> Result<(), String> {
        let path = folder.join(file);
        let parent = path.parent().unwrap_or(&folder);
        fs::create_dir_all(parent).map_err(|error| format!("{}: {error}", parent.display()))?;
        fs::write(&path, content).map_err(|error| format!("{}: {error}", path.display()))
    };
    for (file, template) in TEMPLATES {
        write(file, template.replace("NAME", name))?;
    }
    let fixtures = root.join("fixtures").join(name);
    fs::create_dir_all(&fixtures).map_err(|error| format!("fixtures/{name}: {error}"))?;
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
    Ok(format!(
        "adapters/{name} is made and registered. Next: fill its files, write fixtures/{name}/, run `cargo test -p \
         freshcontext-tests` to see what is missing, then `cargo xtask generate`."
    ))
}

/// Puts a line after the one that holds `mark`.
fn insert(path: &Path, mark: &str, line: &str) -> Result<(), String> {
    let name = path.display();
    let text = fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
    let mut out = String::with_capacity(text.len() + line.len());
    let mut found = false;
    for existing in text.lines() {
        out.push_str(existing);
        out.push('\n');
        if existing.contains(mark) {
            found = true;
            out.push_str(line);
            out.push('\n');
        }
    }
    if !found {
        return Err(format!("{name} has no line with `{mark}`"));
    }
    fs::write(path, out).map_err(|error| format!("{name}: {error}"))
}

const TEMPLATES: [(&str, &str); 6] = [
    ("Cargo.toml", include_str!("../template/Cargo.toml.txt")),
    ("README.md", include_str!("../template/README.md.txt")),
    ("src/lib.rs", include_str!("../template/lib.rs.txt")),
    ("src/input.rs", include_str!("../template/input.rs.txt")),
    ("src/request.rs", include_str!("../template/request.rs.txt")),
    ("src/parse.rs", include_str!("../template/parse.rs.txt")),
];
