//! A client's configuration with our entry and without it. Everything else stays as it is written: comments, order,
//! spacing and line ends.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike, Value};

use super::clients::{Form, Rules};

/// What our entry is called.
pub(super) const NAME: &str = "freshcontext";

/// What a client starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Start {
    /// The program.
    pub(super) command: String,
    /// Its arguments.
    pub(super) arguments: Vec<String>,
}

/// The text with our entry. What else an entry of ours holds (keys in `env`, say) stays in it. An error says why the text
/// cannot be edited.
pub(super) fn with(text: &str, rules: &Rules, start: &Start) -> Result<String, String> {
    match rules.form {
        Form::Json | Form::JsonWithComments => with_json(text, rules, start),
        Form::Toml => with_toml(text, rules, start),
    }
}

/// The text without our entry, and without the section that it leaves empty; `None` where it has none.
pub(super) fn without(text: &str, rules: &Rules) -> Result<Option<String>, String> {
    match rules.form {
        Form::Json | Form::JsonWithComments => without_json(text, rules),
        Form::Toml => without_toml(text, rules),
    }
}

/// What our entry in a text starts; `None` where there is none that can be read.
pub(super) fn read(text: &str, rules: &Rules) -> Option<Start> {
    let value: serde_json::Value = match rules.form {
        Form::Json | Form::JsonWithComments => read_json(text, rules.form).ok()?.0.to_serde_value()?,
        Form::Toml => toml::from_str(text).ok()?,
    };
    let entry = value.get(rules.section)?.get(NAME)?;
    let words = entry.get("args")?.as_array()?.iter();
    Some(Start {
        command: entry.get("command")?.as_str()?.to_owned(),
        arguments: words
            .map(|word| Some(word.as_str()?.to_owned()))
            .collect::<Option<_>>()?,
    })
}

/// Whether nothing is left that a client could read, nor a person's comment.
pub(super) fn says_nothing(text: &str, form: Form) -> bool {
    let rest: String = text.split_whitespace().collect();
    match form {
        Form::Json | Form::JsonWithComments => matches!(rest.as_str(), "" | "{}"),
        Form::Toml => rest.is_empty(),
    }
}

fn read_json(text: &str, form: Form) -> Result<(CstRootNode, CstObject), String> {
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    if form == Form::Json {
        serde_json::from_str::<serde::de::IgnoredAny>(text)
            .map_err(|error| format!("it is not valid JSON: {error}"))?;
    }
    // What the editors' own reader takes: comments and a last comma, no more.
    let options = ParseOptions {
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
        ..ParseOptions::default()
    };
    let root =
        CstRootNode::parse(text, &options).map_err(|error| format!("it is not valid JSON: {error}"))?;
    let object = root.object_value().ok_or("it is not a JSON object")?;
    Ok((root, object))
}

/// A member that is an object; an error where it is something else or stands there twice, as clients then differ in
/// which of them they read.
fn member(object: &CstObject, name: &str) -> Result<Option<CstObject>, String> {
    let named =
        |property: &&jsonc_parser::cst::CstObjectProp| property.decoded_name().as_deref() == Some(name);
    let properties = object.properties();
    let mut found = properties.iter().filter(named);
    let Some(property) = found.next() else {
        return Ok(None);
    };
    if found.next().is_some() {
        return Err(format!("it has `{name}` twice"));
    }
    match property.object_value() {
        Some(object) => Ok(Some(object)),
        None => Err(format!("its `{name}` is not an object")),
    }
}

fn with_json(text: &str, rules: &Rules, start: &Start) -> Result<String, String> {
    let (root, object) = read_json(text, rules.form)?;
    let servers = match member(&object, rules.section)? {
        Some(servers) => servers,
        None => object.object_value_or_set(rules.section),
    };
    let command = || CstInputValue::String(start.command.clone());
    let arguments = || {
        CstInputValue::Array(
            start
                .arguments
                .iter()
                .cloned()
                .map(CstInputValue::String)
                .collect(),
        )
    };
    let Some(entry) = member(&servers, NAME)? else {
        let mut members = Vec::new();
        if rules.says_stdio {
            members.push(("type".to_owned(), CstInputValue::String("stdio".to_owned())));
        }
        members.push(("command".to_owned(), command()));
        members.push(("args".to_owned(), arguments()));
        servers.append(NAME, CstInputValue::Object(members));
        servers.ensure_multiline();
        return Ok(root.to_string());
    };
    if entry.get("command").is_none() {
        return Err(another_kind());
    }
    let wanted = [
        ("command", serde_json::json!(start.command), command()),
        ("args", serde_json::json!(start.arguments), arguments()),
    ];
    for (name, value, written) in wanted {
        match entry.get(name) {
            Some(property) if property.to_serde_value().as_ref() == Some(&value) => {}
            Some(property) => property.set_value(written),
            None => {
                entry.append(name, written);
            }
        }
    }
    Ok(root.to_string())
}

fn without_json(text: &str, rules: &Rules) -> Result<Option<String>, String> {
    let (root, object) = read_json(text, rules.form)?;
    let Some(servers) = member(&object, rules.section)? else {
        return Ok(None);
    };
    if member(&servers, NAME)?.is_none() {
        return Ok(None);
    }
    if let Some(entry) = servers.get(NAME) {
        entry.remove();
    }
    let empty = servers.to_string().split_whitespace().collect::<String>() == "{}";
    if let Some(section) = object.get(rules.section).filter(|_| empty) {
        section.remove();
    }
    Ok(Some(root.to_string()))
}

fn read_toml(text: &str) -> Result<DocumentMut, String> {
    text.parse()
        .map_err(|error: toml_edit::TomlError| format!("it is not valid TOML: {}", error.message()))
}

fn table<'t>(parent: &'t mut dyn TableLike, name: &str) -> Result<Option<&'t mut dyn TableLike>, String> {
    match parent.get_mut(name) {
        None => Ok(None),
        Some(item) => match item.as_table_like_mut() {
            Some(table) => Ok(Some(table)),
            None => Err(format!("its `{name}` is not a table")),
        },
    }
}

fn with_toml(text: &str, rules: &Rules, start: &Start) -> Result<String, String> {
    let mut document = read_toml(text)?;
    if table(document.as_table_mut(), rules.section)?.is_none() {
        let mut section = Table::new();
        section.set_implicit(true);
        document.insert(rules.section, Item::Table(section));
    }
    let inline = document.get(rules.section).is_some_and(Item::is_inline_table);
    let Some(servers) = table(document.as_table_mut(), rules.section)? else {
        return Err(format!("its `{}` is not a table", rules.section));
    };
    let command = Value::from(start.command.clone());
    let arguments = Value::from(start.arguments.iter().collect::<Array>());
    let Some(entry) = table(servers, NAME)? else {
        let entry = [("command", command), ("args", arguments)];
        let entry = if inline {
            Item::Value(Value::InlineTable(entry.into_iter().collect::<InlineTable>()))
        } else {
            Item::Table(entry.into_iter().collect::<Table>())
        };
        servers.insert(NAME, entry);
        return Ok(document.to_string());
    };
    if entry.get("command").is_none() {
        return Err(another_kind());
    }
    if entry.get("command").and_then(Item::as_str) != Some(&start.command) {
        entry.insert("command", Item::Value(command));
    }
    let same = entry.get("args").and_then(Item::as_array).is_some_and(|had| {
        had.iter()
            .map(Value::as_str)
            .eq(start.arguments.iter().map(|word| Some(word.as_str())))
    });
    if !same {
        entry.insert("args", Item::Value(arguments));
    }
    Ok(document.to_string())
}

fn without_toml(text: &str, rules: &Rules) -> Result<Option<String>, String> {
    let mut document = read_toml(text)?;
    let Some(servers) = table(document.as_table_mut(), rules.section)? else {
        return Ok(None);
    };
    if servers.remove(NAME).is_none() {
        return Ok(None);
    }
    if servers.is_empty() {
        document.remove(rules.section);
    }
    Ok(Some(document.to_string()))
}

fn another_kind() -> String {
    format!("its entry `{NAME}` starts no command; `freshcontext uninstall` takes it out first")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(form: Form) -> Rules {
        Rules {
            name: "a client",
            file: "file".into(),
            form,
            section: if form == Form::Toml {
                "mcp_servers"
            } else {
                "mcpServers"
            },
            says_stdio: form == Form::JsonWithComments,
        }
    }

    fn start() -> Start {
        Start {
            command: "/opt/bin/freshcontext".to_owned(),
            arguments: vec!["stdio".to_owned()],
        }
    }

    #[test]
    fn a_new_file_is_written_as_a_person_would() {
        assert_eq!(
            with("", &rules(Form::Json), &start()).unwrap(),
            "{\n  \"mcpServers\": {\n    \"freshcontext\": {\n      \"command\": \"/opt/bin/freshcontext\",\n      \"args\": [\"stdio\"]\n    }\n  }\n}\n"
        );
        assert_eq!(
            with("", &rules(Form::Toml), &start()).unwrap(),
            "[mcp_servers.freshcontext]\ncommand = \"/opt/bin/freshcontext\"\nargs = [\"stdio\"]\n"
        );
    }

    #[test]
    fn what_is_there_stays_and_a_second_time_changes_nothing() {
        let json = "{\r\n\t\"theme\": \"dark\",\r\n\t\"mcpServers\": {\r\n\t\t\"other\": { \"command\": \"x\" }\r\n\t}\r\n}\r\n";
        let commented = "// mine\n{\n    \"mcpServers\": {\n        // the other\n        \"other\": {\"command\": \"x\"}, // kept\n    },\n}\n";
        let toml =
            "# mine\nmodel = \"m\" # kept\n\n[mcp_servers.other]\ncommand = \"x\"\n\n[tail]\nx = 1 # end\n";
        let inline = "mcp_servers = { other = { command = \"x\" } }\n";
        for (text, form) in [
            (json, Form::Json),
            (commented, Form::JsonWithComments),
            (toml, Form::Toml),
            (inline, Form::Toml),
        ] {
            let rules = rules(form);
            let once = with(text, &rules, &start()).unwrap();
            assert!(once.contains(NAME), "{once}");
            for line in text
                .lines()
                .filter(|line| line.contains("kept") || line.contains("mine") || line.contains("dark"))
            {
                assert!(once.contains(line), "{line} is not in {once}");
            }
            assert_eq!(once.contains("\r\n"), text.contains("\r\n"), "{once:?}");
            assert_eq!(with(&once, &rules, &start()).unwrap(), once);
            let back = without(&once, &rules).unwrap().unwrap();
            assert!(!back.contains(NAME) && back.contains("other"), "{back}");
            assert_eq!(without(&back, &rules).unwrap(), None);
        }
    }

    #[test]
    fn keys_in_an_earlier_entry_stay() {
        let json = r#"{"mcpServers": {"freshcontext": {"command": "old", "env": {"GITHUB_TOKEN": "x"}}}}"#;
        let new = with(json, &rules(Form::Json), &start()).unwrap();
        let new: serde_json::Value = serde_json::from_str(&new).unwrap();
        let entry = &new["mcpServers"]["freshcontext"];
        assert_eq!(entry["command"], "/opt/bin/freshcontext");
        assert_eq!(entry["args"][0], "stdio");
        assert_eq!(entry["env"]["GITHUB_TOKEN"], "x");
    }

    #[test]
    fn what_cannot_be_edited_for_certain_is_refused() {
        for (text, form) in [
            ("{\"mcpServers\": {}", Form::Json),
            ("{\"mcpServers\": {} // no comments here\n}", Form::Json),
            ("{\"mcpServers\": {},}", Form::Json),
            ("[]", Form::Json),
            ("{\"mcpServers\": []}", Form::Json),
            ("{\"mcpServers\": {}, \"mcpServers\": {}}", Form::Json),
            (
                "{\"mcpServers\": {\"freshcontext\": {\"url\": \"http://127.0.0.1/\"}}}",
                Form::Json,
            ),
            ("{'mcpServers': {}}", Form::JsonWithComments),
            ("[mcp_servers\n", Form::Toml),
            ("mcp_servers = 1\n", Form::Toml),
        ] {
            assert!(with(text, &rules(form), &start()).is_err(), "{text}");
        }
    }
}
