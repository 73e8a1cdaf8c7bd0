//! Lock files that are known and not read: their packages come from registries that nobody is asked about here, or their form is
//! another one. Read as running text, the addresses in them would pass for all that they hold.

use serde_json::Value;

/// Bytes at the beginning of a file in which its form shows.
const HEAD: usize = 2_000;

/// The name of the lock file that a JSON document is.
pub(crate) fn of_json(value: &Value) -> Option<&'static str> {
    let has = |name: &str| value.get(name).is_some();
    let is_table = |name: &str| value.get(name).is_some_and(Value::is_object);
    if has("lockfileVersion") && has("workspaces") {
        return Some("bun.lock");
    }
    if has("content-hash") && has("packages") {
        return Some("composer.lock");
    }
    if is_table("nodes") && has("root") && has("version") {
        return Some("flake.lock");
    }
    let pins = value.get("pins").or_else(|| value.pointer("/object/pins"));
    if pins.is_some_and(Value::is_array) && has("version") {
        return Some("Package.resolved");
    }
    // Its version is a text.
    let is_deno = value.get("version").is_some_and(Value::is_string);
    if is_deno && ["specifiers", "jsr", "npm", "remote"].into_iter().any(is_table) {
        return Some("deno.lock");
    }
    let frameworks = value.get("dependencies").and_then(Value::as_object);
    let is_hashed = |package: &Value| package.get("contentHash").is_some();
    let holds_hash = |packages: &Value| {
        packages
            .as_object()
            .is_some_and(|packages| packages.values().any(is_hashed))
    };
    (has("version") && frameworks.is_some_and(|all| all.values().any(holds_hash)))
        .then_some("packages.lock.json")
}

/// The name of the lock file that a text is, by how it begins: a manual may show any of them further down.
pub(crate) fn of_text(text: &str) -> Option<&'static str> {
    let head = text
        .get(..text.floor_char_boundary(text.len().min(HEAD)))
        .unwrap_or_default();
    if head
        .trim_start()
        .starts_with("# This is a Gradle generated file for dependency locking")
    {
        return Some("gradle.lockfile");
    }
    let mut lines = head.lines().map(str::trim_end);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'))?;
    match first {
        // With commas behind the last of a list, which JSON does not have.
        "{" if head.contains("\"lockfileVersion\"") && head.contains("\"workspaces\"") => Some("bun.lock"),
        "GEM" | "GIT" | "PATH" | "PLUGIN SOURCE" if head.contains("\n  specs:") => Some("Gemfile.lock"),
        "PODS:" => Some("Podfile.lock"),
        "packages:" if head.contains("    dependency: ") && head.contains("    description:") => {
            Some("pubspec.lock")
        }
        "%{" if head.contains("{:hex,") => Some("mix.lock"),
        first if first.starts_with("lock-version = ") && text.contains("\n[[packages]]") => {
            Some("pylock.toml")
        }
        _ => None,
    }
}
