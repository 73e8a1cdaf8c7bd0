//! What this server says about itself to the MCP registry: `server.json`, made from the descriptors.

use std::collections::BTreeMap;

use freshcontext_contract::{Apply, Descriptor};
use freshcontext_sources::adapters;
use serde_json::{Value, json};

/// The name in the MCP registry; the container image carries it as a label.
pub const REGISTRY_NAME: &str = "io.github.freshcontext/freshcontext";
/// The schema that `server.json` follows.
const SCHEMA: &str = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The registry entry. The same input gives the same bytes.
pub fn server_json() -> Value {
    let adapters = adapters();
    let variables = environment_variables(adapters.iter().map(|adapter| adapter.descriptor()));
    let stdio = json!([{"type": "positional", "value": "stdio"}]);
    json!({
        "$schema": SCHEMA,
        "name": REGISTRY_NAME,
        "title": "FreshContext",
        "description": "Public sources with the age of every item, and a judge of context you already have.",
        "version": VERSION,
        "websiteUrl": REPOSITORY,
        "repository": {"url": REPOSITORY, "source": "github"},
        "packages": [
            {
                "registryType": "cargo",
                "identifier": env!("CARGO_PKG_NAME"),
                "version": VERSION,
                "transport": {"type": "stdio"},
                "packageArguments": stdio,
                "environmentVariables": variables,
            },
            {
                "registryType": "oci",
                "identifier": format!("ghcr.io/freshcontext/freshcontext:{VERSION}"),
                "transport": {"type": "stdio"},
                "packageArguments": stdio,
                "environmentVariables": variables,
            },
        ],
    })
}

/// `server.json` as text, with a line end.
pub fn server_json_text() -> String {
    let mut text = serde_json::to_string_pretty(&server_json()).unwrap_or_default();
    text.push('\n');
    text
}

/// The keys that sources can use, and the operator's contact; each once, by name.
fn environment_variables<'d>(descriptors: impl Iterator<Item = &'d Descriptor>) -> Vec<Value> {
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
        .map(|(name, (about, secret))| {
            json!({"name": name, "description": about, "isRequired": false, "isSecret": secret})
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_entry_keeps_the_registrys_limits() {
        let entry = server_json();
        assert!(entry["description"].as_str().unwrap().chars().count() <= 100);
        let name = entry["name"].as_str().unwrap();
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        assert!(
            name.split_once('/')
                .is_some_and(|(space, own)| space.chars().all(allowed) && own.chars().all(allowed))
        );
        for package in entry["packages"].as_array().unwrap() {
            assert_eq!(package["transport"]["type"], "stdio");
            let names: Vec<&str> = package["environmentVariables"]
                .as_array()
                .unwrap()
                .iter()
                .map(|variable| variable["name"].as_str().unwrap())
                .collect();
            assert!(names.contains(&"FRESHCONTEXT_CONTACT"));
            assert!(
                names.windows(2).all(|pair| pair[0] < pair[1]),
                "sorted, each once"
            );
        }
        assert_eq!(server_json_text(), server_json_text());
    }
}
