//! `freshcontext help` and `call TOOL --help`: commands, settings, and the arguments of a tool.

use clap::builder::StyledStr;
use clap::error::ErrorKind;
use freshcontext_contract::code;
use serde_json::{Value, json};

use super::{PROGRAM, WRONG, args, tool_names, values};
use crate::app::App;
use crate::output::{self, Style};
use freshcontext_config::{Settings, settings};
use freshcontext_engine::{EVALUATE, Engine, Tool};

/// Explains a topic, or prints the overview.
pub(super) fn help(topic: &[String]) -> u8 {
    let words: Vec<&str> = topic.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] => shown(&args::command().render_help()),
        ["settings" | "config"] => all_settings(),
        ["call", tool] => call(Some(tool), false),
        _ => match (of_command(&words), words.as_slice()) {
            (Some(help), _) => shown(&help),
            (None, [name]) => call(Some(name), false),
            (None, _) => unknown(&topic.join(" ")),
        },
    }
}

/// Returns the `--help` text of a command or subcommand.
fn of_command(words: &[&str]) -> Option<StyledStr> {
    let mut root = args::command();
    root.build();
    let mut command = &mut root;
    for word in words {
        command = command.find_subcommand_mut(word)?;
    }
    let line = [&[PROGRAM], words, &["--help"]].concat();
    Some(match args::command().try_get_matches_from(line) {
        Err(said) if said.kind() == ErrorKind::DisplayHelp => said.render(),
        // `call` handles its help flag itself.
        _ => command.render_help(),
    })
}

/// Reports an unknown topic.
pub(super) fn unknown(name: &str) -> u8 {
    output::error(
        &format!("there is nothing called {}", code(name)),
        Some("`freshcontext help` lists the commands, `freshcontext tools` the tools"),
    );
    WRONG
}

/// Prints a help page.
pub(super) fn shown(help: &StyledStr) -> u8 {
    let text = if output::colours() {
        help.ansi().to_string()
    } else {
        help.to_string()
    };
    output::line(text.trim_end());
    0
}

/// Prints the page of settings.
fn all_settings() -> u8 {
    output::line(
        "Settings, in rising order of precedence: a TOML file (--config FILE, else config.toml in the platform's\n\
         configuration folder), the environment, and --set KEY=VALUE. `freshcontext settings` shows the values in force.",
    );
    let defaults = Settings::default();
    for setting in settings() {
        let default = match setting.show(&defaults) {
            default if default.is_empty() => String::new(),
            default => format!(", default {default}"),
        };
        output::line(&format!(
            "\n{}  {}  {}{default}\n    {}",
            output::paint(Style::Bold, &setting.key),
            setting.env,
            setting.kind.words(),
            setting.about
        ));
    }
    0
}

/// Returns the names of all tools.
pub(super) fn tool_names() -> Vec<&'static str> {
    let adapters = freshcontext_sources::adapters();
    let mut names: Vec<&'static str> = adapters.iter().map(|adapter| adapter.descriptor().tool).collect();
    names.extend(
        freshcontext_sources::composites()
            .iter()
            .map(|composite| composite.tool),
    );
    names.push(EVALUATE);
    names.sort_unstable();
    names
}

/// Prints the arguments of a tool, or how to call tools. Needs no settings, so it works with broken ones.
pub(super) fn call(name: Option<&str>, as_json: bool) -> u8 {
    let Some(name) = name else {
        return help(&["call".to_owned()]);
    };
    let app = match App::build(&Settings::default(), &[]) {
        Ok(app) => app,
        Err(error) => {
            output::error(&error.to_string(), None);
            return WRONG;
        }
    };
    match tool_names::find(&app.engine, name) {
        Some(tool) if as_json => {
            let example: Value = serde_json::from_str(&tool.example).unwrap_or_default();
            let told = json!({"name": tool.name, "inputSchema": tool.input_schema, "example": example});
            output::line(&serde_json::to_string_pretty(&told).unwrap_or_default());
            0
        }
        Some(tool) => {
            takes(tool);
            0
        }
        None => no_tool(&app.engine, name),
    }
}

/// Reports an unknown tool and suggests similar names.
pub(super) fn no_tool(engine: &Engine, name: &str) -> u8 {
    output::error(
        &format!("there is no tool {}", code(name)),
        Some(&tool_names::near(engine, name)),
    );
    WRONG
}

fn takes(tool: &Tool) {
    output::line(&format!(
        "{}  {}\n\n{}\n",
        output::paint(Style::Bold, &tool.name),
        tool.title,
        tool.description
    ));
    output::line(&format!("Usage: freshcontext call {} KEY=VALUE...\n", tool.name));
    let schema = &tool.input_schema;
    let required: Vec<&str> = array(schema, "required").filter_map(Value::as_str).collect();
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        let mut facts = vec![kind(property)];
        if required.contains(&name.as_str()) {
            facts.push("required".to_owned());
        }
        if let Some(default) = property.get("default").filter(|default| !default.is_null()) {
            facts.push(format!("default {}", plain(default)));
        }
        output::line(&format!(
            "  {}  {}",
            output::paint(Style::Bold, name),
            facts.join(", ")
        ));
        if let Some(about) = property.get("description").and_then(Value::as_str) {
            output::line(&format!("      {about}"));
        }
    }
    output::line(&format!(
        "\nExample:\n  freshcontext call {} {}\n\n`freshcontext call --help` says how arguments are written.",
        tool.name,
        words(&tool.example)
    ));
}

/// Describes the type of an argument.
fn kind(property: &Value) -> String {
    let choices: Vec<String> = array(property, "enum").map(plain).collect();
    if !choices.is_empty() {
        return choices.join(" | ");
    }
    let kind = match property.get("type").and_then(Value::as_str) {
        Some("string") => "text",
        Some("integer") => "whole number",
        Some("number") => "number",
        Some("boolean") => "true or false",
        Some("array") => match property.get("items").map(kind) {
            Some(items) => return format!("list of: {items}"),
            None => "list",
        },
        Some("object") => "JSON object",
        _ => "value",
    };
    let bound = |name: &str| property.get(name).map(plain);
    match (bound("minimum"), bound("maximum")) {
        (Some(least), Some(most)) => format!("{kind} from {least} to {most}"),
        (Some(least), None) => format!("{kind} from {least}"),
        (None, Some(most)) => format!("{kind} up to {most}"),
        (None, None) => kind.to_owned(),
    }
}

fn array<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    value.get(name).and_then(Value::as_array).into_iter().flatten()
}

/// Formats a value. Text has no quotation marks.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Formats example arguments for a shell: `key=value` if all are plain, otherwise the JSON object.
fn words(example: &str) -> String {
    let Ok(Value::Object(arguments)) = serde_json::from_str(example) else {
        return quoted(example);
    };
    if arguments
        .values()
        .any(|value| value.is_array() || value.is_object())
    {
        return quoted(example);
    }
    let word = |(name, value): (&String, &Value)| {
        let text = plain(value);
        // Escaped as the parser expects it.
        let at = if values::names_a_file(&text) { "@" } else { "" };
        quoted(&format!("{name}={at}{text}"))
    };
    arguments.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// Quotes a word for a POSIX shell.
fn quoted(word: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || "_-.,/=:@+%".contains(c);
    if !word.is_empty() && word.chars().all(bare) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_words_of_a_shell() {
        assert_eq!(words(r#"{"url": "rust"}"#), "url=rust");
        assert_eq!(
            words(r#"{"query": "it's", "limit": 5}"#),
            r"'query=it'\''s' limit=5"
        );
        assert_eq!(words(r#"{"of": ["a"]}"#), r#"'{"of": ["a"]}'"#);
        assert_eq!(words(r#"{"user": "@rust"}"#), "user=@@rust");
    }

    #[test]
    fn kinds_are_said_in_words() {
        let said = |schema: Value| kind(&schema);
        assert_eq!(
            said(json!({"type": "integer", "minimum": 1, "maximum": 50})),
            "whole number from 1 to 50"
        );
        assert_eq!(
            said(json!({"type": "string", "enum": ["day", "week"]})),
            "day | week"
        );
        assert_eq!(
            said(json!({"type": "array", "items": {"type": "string"}})),
            "list of: text"
        );
    }

    #[test]
    fn the_names_are_those_of_the_engine() {
        let app = App::build(&Settings::default(), &[]).unwrap();
        let known: Vec<&str> = app.engine.tools().iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(tool_names(), known);
    }
}
