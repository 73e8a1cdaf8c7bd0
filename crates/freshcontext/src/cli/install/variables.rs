//! Environment variables of an entry: given with a value, or obtained by the client.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::clients::{Ask, Rules};

/// Start of an input's reference in VS Code.
const INPUT: (&str, &str) = ("${input:", "}");

/// Returns the id that a value refers to, if the client is to prompt for it.
pub(super) fn input_of(value: &str) -> Option<&str> {
    value.strip_prefix(INPUT.0)?.strip_suffix(INPUT.1)
}

/// Formats the prompt for a value.
pub(super) fn input(id: &str, name: &str) -> Value {
    json!({ "type": "promptString", "id": id, "description": name, "password": true })
}

/// Variables with values, and the names of those whose values the client has elsewhere.
pub(super) type Variables = (BTreeMap<String, String>, BTreeSet<String>);

/// Reads `KEY=VALUE` and `KEY`. Errors never repeat an argument, because it may be a secret without its name.
pub(super) fn read(given: &[String], rules: &Rules) -> Result<Variables, String> {
    let (mut env, mut names) = Variables::default();
    for given in given {
        let (name, value) = match given.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (given.as_str(), None),
        };
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if name.is_empty() || !name.chars().all(is_name) || name.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(
                "`--env` takes KEY=VALUE; a key has letters, digits and `_`, such as GITHUB_TOKEN".to_owned(),
            );
        }
        if value.is_some_and(|value| value.contains('\0')) {
            return Err(format!("`--env`: the value of {name} has a null character"));
        }
        let value = match (value, rules.ask) {
            (Some(value), _) => value.to_owned(),
            (None, Ask::Environment(before, after)) => format!("{before}{name}{after}"),
            (None, Ask::Inputs) => format!("{}freshcontext-{name}{}", INPUT.0, INPUT.1),
            (None, Ask::List(_)) => {
                names.insert(name.to_owned());
                continue;
            }
            (None, Ask::Never) => {
                return Err(format!(
                    "`--env`: {} does not prompt for values; pass KEY=VALUE",
                    rules.name
                ));
            }
        };
        env.insert(name.to_owned(), value);
    }
    Ok((env, names))
}
