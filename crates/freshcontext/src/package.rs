//! Metadata for the MCP registry: `server.json`, generated from the descriptors.

use std::collections::BTreeMap;

use freshcontext_contract::Apply;
use freshcontext_mcp::{DESCRIPTION, NAME, VERSION};
use freshcontext_sources::adapters;
use serde_json::{Map, Value, json};

/// Name in the MCP registry; also a label of the container image.
pub const REGISTRY_NAME: &str = "io.github.freshcontext/freshcontext";
/// Schema of `server.json`.
const SCHEMA: &str = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";
/// Source repository.
pub const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

/// An environment variable that a user may set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// The name.
    pub name: String,
    /// Its purpose.
    pub about: String,
    /// Whether its value is hidden.
    pub secret: bool,
}

/// Returns the registry entry. Deterministic.
pub fn server_json() -> Value {
    let image = format!("ghcr.io/freshcontext/freshcontext:{VERSION}");
    let packages = [("cargo", NAME), ("npm", NAME), ("pypi", NAME), ("oci", &image)];
    let packages = packages.map(|(registry, identifier)| package(registry, identifier));
    json!({
        "$schema": SCHEMA,
        "name": REGISTRY_NAME,
        "title": "FreshContext",
        "description": DESCRIPTION,
        "version": VERSION,
        "websiteUrl": REPOSITORY,
        "repository": {"url": REPOSITORY, "source": "github"},
        "packages": packages,
    })
}

/// Returns the entry with a release's MCP bundle, which requires the bundle's hash.
pub fn server_json_with_bundle(file: &str, sha256: &str) -> Value {
    let mut entry = server_json();
    let address = format!("{REPOSITORY}/releases/download/v{VERSION}/{file}");
    let mut bundle = package("mcpb", &address);
    if let Some(fields) = bundle.as_object_mut() {
        fields.insert("fileSha256".to_owned(), sha256.into());
    }
    if let Some(packages) = entry.get_mut("packages").and_then(Value::as_array_mut) {
        packages.push(bundle);
    }
    entry
}

/// Returns one package of the entry. An image's version is its tag; a bundle's version is in its address.
fn package(registry: &str, identifier: &str) -> Value {
    let variables: Vec<Value> = environment_variables()
        .into_iter()
        .map(|Variable { name, about, secret }| {
            json!({"name": name, "description": about, "isRequired": false, "isSecret": secret})
        })
        .collect();
    let mut out = Map::new();
    out.insert("registryType".to_owned(), registry.into());
    out.insert("identifier".to_owned(), identifier.into());
    if matches!(registry, "cargo" | "npm" | "pypi") {
        out.insert("version".to_owned(), VERSION.into());
    }
    out.insert("transport".to_owned(), json!({"type": "stdio"}));
    // A bundle describes its own start command.
    if registry != "mcpb" {
        out.insert(
            "packageArguments".to_owned(),
            json!([{"type": "positional", "value": "stdio"}]),
        );
    }
    out.insert("environmentVariables".to_owned(), variables.into());
    Value::Object(out)
}

/// Returns `server.json` as text with a final line ending.
pub fn server_json_text() -> String {
    let mut text = serde_json::to_string_pretty(&server_json()).unwrap_or_default();
    text.push('\n');
    text
}

/// Returns the sources' keys and the operator's contact; each once, by name.
pub fn environment_variables() -> Vec<Variable> {
    let adapters = adapters();
    let descriptors = adapters.iter().map(|adapter| adapter.descriptor());
    let mut found: BTreeMap<&str, (String, bool)> = BTreeMap::new();
    found.insert(
        "FRESHCONTEXT_CONTACT",
        (
            "An address that sources can write to about our requests; SEC EDGAR asks for one.".to_owned(),
            false,
        ),
    );
    for descriptor in descriptors {
        for credential in descriptor.credentials {
            let about = format!("Key for {}. Get one: {}", descriptor.title, credential.obtain);
            for name in credential.env {
                found.entry(name).or_insert_with(|| (about.clone(), true));
            }
            if let Apply::ClientCredentials { secret_env, .. } = credential.apply {
                found.entry(secret_env).or_insert_with(|| (about.clone(), true));
            }
        }
        for name in descriptor.routes.iter().filter_map(|route| route.needs) {
            found
                .entry(name)
                .or_insert_with(|| (format!("Opens a further route of {}.", descriptor.title), true));
        }
    }
    found
        .into_iter()
        .map(|(name, (about, secret))| Variable {
            name: name.to_owned(),
            about,
            secret,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the rules of the registry's schema of 2025-12-11 and of its publishing guide, as of November 2026.
    #[test]
    fn the_entry_keeps_the_rules_of_the_registry() {
        let released = server_json_with_bundle("freshcontext-mcp.mcpb", &"0".repeat(64));
        for entry in [server_json(), released] {
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            assert!((1..=100).contains(&text(&entry["description"]).chars().count()));
            assert!((1..=100).contains(&text(&entry["title"]).chars().count()));
            let name = text(&entry["name"]);
            assert!((3..=200).contains(&name.len()));
            let (space, own) = name.split_once('/').unwrap();
            let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
            assert!(!space.is_empty() && space.chars().all(allowed));
            assert!(!own.is_empty() && own.chars().all(|c| allowed(c) || c == '_'));
            let version = text(&entry["version"]);
            assert_eq!(version, VERSION);
            assert!(
                !version.contains(['^', '~', '>', '<', '*', 'x', ' ', '|']),
                "no range"
            );
            let mut kinds = Vec::new();
            for package in entry["packages"].as_array().unwrap() {
                let kind = text(&package["registryType"]);
                let identifier = text(&package["identifier"]);
                assert_eq!(package["transport"]["type"], "stdio");
                match kind.as_str() {
                    "oci" => assert!(
                        identifier.ends_with(&format!(":{VERSION}")) && package.get("version").is_none()
                    ),
                    "mcpb" => {
                        assert!(identifier.starts_with("https://github.com/") && identifier.contains("mcp"));
                        let hash = text(&package["fileSha256"]);
                        assert!(hash.len() == 64 && hash.chars().all(|c| c.is_ascii_hexdigit()));
                    }
                    _ => assert_eq!(
                        (identifier.as_str(), &package["version"]),
                        (NAME, &VERSION.into())
                    ),
                }
                // The registry accepts a runtime's name only for other package types.
                assert!(package.get("runtimeHint").is_none());
                let variables = package["environmentVariables"].as_array().unwrap();
                let names: Vec<String> = variables.iter().map(|variable| text(&variable["name"])).collect();
                assert!(names.contains(&"FRESHCONTEXT_CONTACT".to_owned()));
                assert!(
                    names.windows(2).all(|pair| pair[0] < pair[1]),
                    "sorted, each once"
                );
                kinds.push(kind);
            }
            assert_eq!(kinds[..4], ["cargo", "npm", "pypi", "oci"]);
        }
        assert_eq!(server_json_text(), server_json_text());
    }

    /// Checks that every package names the entry, as the registry requires: visibly in the README of the crate and of
    /// the wheel, and in a label of the image.
    #[test]
    #[expect(clippy::disallowed_methods, reason = "files of the repository")]
    fn the_packages_name_the_entry() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
        let read = |name: &str| std::fs::read_to_string(format!("{root}/{name}")).unwrap();
        let line = format!("mcp-name: {REGISTRY_NAME}");
        for readme in ["README.md", "crates/freshcontext/README.md"] {
            assert!(read(readme).lines().any(|found| found == line), "{readme}");
        }
        let label = format!("io.modelcontextprotocol.server.name=\"{REGISTRY_NAME}\"");
        let image = read("Dockerfile");
        assert!(image.contains(&label) && image.contains(DESCRIPTION));
        let manifest = read("crates/freshcontext/Cargo.toml");
        assert!(
            manifest
                .lines()
                .any(|found| found == format!("name = \"{NAME}\""))
        );
    }
}
