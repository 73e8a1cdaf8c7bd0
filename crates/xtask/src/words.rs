//! Tool calls as command lines.

use serde_json::{Map, Value};

/// Returns the words of a `freshcontext call`.
pub fn words(tool: &str, arguments: &Map<String, Value>) -> Vec<String> {
    let shown = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let arguments = arguments
        .iter()
        .map(|(name, value)| format!("{name}={}", shown(value)));
    ["call".to_owned(), tool.to_owned()]
        .into_iter()
        .chain(arguments)
        .collect()
}

/// Formats words for a shell.
pub fn shell(words: &[String]) -> String {
    let quoted = words.iter().map(|word| {
        let plain = word
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "_-=./:".contains(c));
        if plain {
            word.clone()
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    });
    std::iter::once("freshcontext".to_owned())
        .chain(quoted)
        .collect::<Vec<_>>()
        .join(" ")
}
