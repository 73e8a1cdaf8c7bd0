//! Deep links that add the server to a client.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use super::clients::{Link, Rules};
use super::edit::{NAME, Start};
use super::variables;

/// Returns the client's deep link. It holds no values of variables, because links are passed on and logged.
pub(super) fn link(rules: &Rules, start: &Start) -> Result<String, String> {
    let Some(link) = rules.link else {
        return Err(format!("{} has no deep link; leave out --link", rules.name));
    };
    let refers = |value: &String| value.starts_with("${");
    if !start.env.values().all(refers) {
        return Err("a link would show the value of `--env`; pass the key alone: --env KEY".to_owned());
    }
    let mut entry = json!({ "command": start.command, "args": start.arguments });
    if !start.env.is_empty()
        && let Some(entry) = entry.as_object_mut()
    {
        entry.insert("env".to_owned(), json!(start.env));
    }
    let encoded = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    Ok(match link {
        Link::Cursor => {
            let config = encoded(&STANDARD.encode(entry.to_string()));
            format!("cursor://anysphere.cursor-deeplink/mcp/install?name={NAME}&config={config}")
        }
        Link::Vscode => {
            let inputs: Vec<Value> = start
                .env
                .iter()
                .filter_map(|(name, value)| Some(variables::input(variables::input_of(value)?, name)))
                .collect();
            if let Some(entry) = entry.as_object_mut() {
                entry.insert("name".to_owned(), json!(NAME));
                if !inputs.is_empty() {
                    entry.insert("inputs".to_owned(), json!(inputs));
                }
            }
            format!("vscode:mcp/install?{}", encoded(&entry.to_string()))
        }
    })
}
