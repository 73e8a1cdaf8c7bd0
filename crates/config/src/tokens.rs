//! Named tokens, from the settings and from a file that the service reads again while it runs.

use std::collections::BTreeMap;
use std::path::Path;

use freshcontext_contract::Limits;
use freshcontext_files::read::{self as input, Bound};

use crate::settings::Secret;

/// Maximum length of a token's name, in bytes.
const NAME_BYTES: usize = 32;

/// Checks a token and its name. The error describes the problem without the key and without the token.
pub(crate) fn named(name: &str, token: &str) -> Result<Secret, String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if name.is_empty() || name.len() > NAME_BYTES || !name.chars().all(plain) {
        return Err(format!(
            "must have names of 1 to {NAME_BYTES} letters, digits, `_`, `-` and `.`"
        ));
    }
    if token.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return Err("must be one word without spaces".to_owned());
    }
    if token.is_empty() {
        return Err(format!("has no token for `{name}`"));
    }
    Ok(Secret::new(token))
}

/// Reads a file of tokens: `name = token` on each line; empty lines and lines that begin with `#` do not count.
///
/// # Errors
/// If the file cannot be read, is no UTF-8 text, or has a line in another form. No error holds a token.
pub(crate) fn read_file(file: &Path) -> Result<BTreeMap<String, Secret>, String> {
    let bytes =
        input::read_file(file, Bound::config(&Limits::DEFAULT)).map_err(|refused| refused.to_string())?;
    let shown = file.display();
    let text = String::from_utf8(bytes).map_err(|_| format!("{shown} is not UTF-8 text"))?;
    read(&text).map_err(|(line, what)| format!("{shown}, line {line}: {what}"))
}

/// Reads the text of such a file. The error has the number of the line.
fn read(text: &str) -> Result<BTreeMap<String, Secret>, (usize, String)> {
    let mut tokens = BTreeMap::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.trim_start_matches('\u{feff}').trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let problem = |what: String| (at + 1, what);
        let (name, token) = line
            .split_once('=')
            .ok_or_else(|| problem("must have the form `name = token`".to_owned()))?;
        let name = name.trim();
        let token = named(name, token.trim()).map_err(problem)?;
        if tokens.insert(name.to_owned(), token).is_some() {
            return Err(problem(format!("`{name}` has a token above, too")));
        }
    }
    Ok(tokens)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_name_and_a_token() {
        let tokens = read("\u{feff}# of the team\r\nalice = a-long-token=\r\n\n  night.job=x  \n").unwrap();
        assert_eq!(tokens.keys().collect::<Vec<_>>(), ["alice", "night.job"]);
        assert_eq!(tokens["alice"].expose(), "a-long-token=");
        for (text, line) in [
            ("alice", 1),
            ("a=x\nalice bob=hunter2", 2),
            ("a=hunter2 hunter2", 1),
            ("a=", 1),
            ("=hunter2", 1),
            ("a=x\n#\na=hunter2", 3),
        ] {
            let (at, what) = read(text).unwrap_err();
            assert_eq!(at, line, "{text}: {what}");
            assert!(!what.contains("hunter2"), "{what}");
        }
        assert!(read("").unwrap().is_empty());
    }
}
