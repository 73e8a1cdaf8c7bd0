//! The entry in JSON with or without comments.

use std::collections::BTreeMap;
use std::ops::Range;

use freshcontext_contract::limits::CLIENT_CONFIG_VALUES;
use freshcontext_core::values::hold_more_values_than;
use jsonc_parser::ast::{Object, ObjectProp, Value as Node};
use jsonc_parser::errors::ParseErrorKind;
use jsonc_parser::tokens::Token;
use jsonc_parser::{CollectOptions, ParseOptions, Scanner, ScannerOptions, parse_to_ast};
use serde_json::{Value, json};

use super::{
    ANOTHER_FORM, Entry, NAME, Splice, Start, another_kind, applied, base, blank_start, line_before,
    line_end, starts_stdio, with_its_lines,
};
use crate::cli::install::clients::{Ask, Form, Rules};
use crate::cli::install::variables;

/// Default indentation of a text without any.
const INDENT: &str = "  ";

pub(super) fn with(text: &str, rules: &Rules, start: &Start) -> Result<String, String> {
    let text = base(text, rules.form);
    let mut new = applied(text, with_command(text, rules, start)?);
    // One after the other, because each changes where the next one goes.
    for (name, value) in &start.env {
        new = applied(&new, with_variable(&new, rules, name, value)?);
        if let Some(id) = variables::input_of(value).filter(|_| rules.ask == Ask::Inputs) {
            new = applied(&new, with_input(&new, rules.form, id, name)?);
        }
    }
    Ok(new)
}

/// Sets one variable of the entry.
fn with_variable(text: &str, rules: &Rules, name: &str, value: &str) -> Result<Vec<Splice>, String> {
    let root = parse(text, rules.form)?;
    let place = Insertion { text, root: &root };
    let servers = object_in(&root, rules.section)?;
    let entry = servers
        .map(|servers| object_in(servers, NAME))
        .transpose()?
        .flatten();
    let entry = entry.ok_or_else(another_kind)?;
    let Some(env) = object_in(entry, "env")? else {
        return Ok(place.added(entry, "env", &json!({ name: value })));
    };
    Ok(match member(env, name)? {
        Some(had) if had.value.as_string_lit().is_some_and(|had| had.value == value) => Vec::new(),
        Some(had) => vec![Splice {
            place: range(&had.value),
            new: json!(value).to_string(),
        }],
        None => place.added(env, name, &json!(value)),
    })
}

/// Lets the client prompt for a value: an item in the list of inputs, unless it is there.
fn with_input(text: &str, form: Form, id: &str, name: &str) -> Result<Vec<Splice>, String> {
    const LIST: &str = "inputs";
    let root = parse(text, form)?;
    let input = variables::input(id, name);
    let Some(property) = member(&root, LIST)? else {
        return Ok(Insertion { text, root: &root }.added(&root, LIST, &json!([input])));
    };
    let list = property
        .value
        .as_array()
        .ok_or_else(|| format!("its `{LIST}` is not a list"))?;
    let has = |item: &Node<'_>| {
        let item = item.as_object().and_then(|item| item.get_string("id"));
        item.is_some_and(|had| had.value == id)
    };
    if list.elements.iter().any(has) {
        return Ok(Vec::new());
    }
    let Some(last) = list.elements.last() else {
        return Ok(vec![Splice::insert(list.range.start + 1, one_line(&input))]);
    };
    let at = range(last).end;
    Ok(vec![Splice::insert(at, format!(", {}", one_line(&input)))])
}

/// Adds the entry, or sets its command and arguments.
fn with_command(text: &str, rules: &Rules, start: &Start) -> Result<Vec<Splice>, String> {
    let root = parse(text, rules.form)?;
    let place = Insertion { text, root: &root };
    let mut entry = json!({});
    if rules.says_stdio {
        insert(&mut entry, "type", json!("stdio"));
    }
    insert(&mut entry, "command", json!(start.command));
    insert(&mut entry, "args", json!(start.arguments));
    if !start.env.is_empty() {
        insert(&mut entry, "env", json!(start.env));
    }
    let Some(servers) = object_in(&root, rules.section)? else {
        let mut section = json!({});
        insert(&mut section, NAME, entry);
        return Ok(place.added(&root, rules.section, &section));
    };
    let Some(had) = object_in(servers, NAME)? else {
        return Ok(place.added(servers, NAME, &entry));
    };
    if member(had, "command")?.is_none() {
        return Err(another_kind());
    }
    let now = start_of(had);
    let mut splices = Vec::new();
    let wanted = [
        (
            "command",
            json!(start.command),
            now.0.as_ref() == Some(&start.command),
        ),
        (
            "args",
            json!(start.arguments),
            now.1.as_ref() == Some(&start.arguments),
        ),
    ];
    for (name, value, same) in wanted {
        match member(had, name)? {
            Some(_) if same => {}
            Some(property) => splices.push(Splice {
                place: range(&property.value),
                new: if place.is_compact(property) {
                    value.to_string()
                } else {
                    one_line(&value)
                },
            }),
            None => splices.extend(place.added(had, name, &value)),
        }
    }
    Ok(splices)
}

pub(super) fn entry(text: &str, rules: &Rules) -> Result<Option<Entry>, String> {
    let text = base(text, rules.form);
    let root = parse(text, rules.form)?;
    let Some(servers) = object_in(&root, rules.section)? else {
        return Ok(None);
    };
    let Some(property) = member(servers, NAME)? else {
        return Ok(None);
    };
    let Some(had) = property.value.as_object() else {
        return Ok(Some(Entry {
            start: None,
            by_hand: Some("it is not an object".to_owned()),
        }));
    };
    let start = match start_of(had) {
        (Some(command), Some(arguments)) => Some(Start {
            command,
            arguments,
            env: env_of(had),
            ..Start::default()
        }),
        _ => None,
    };
    let known = |name: &str| match name {
        "command" | "args" => true,
        "type" => had.get_string("type").is_some_and(|kind| kind.value == "stdio"),
        _ => false,
    };
    let other = had.properties.iter().map(|property| property.name.as_str());
    let other = other.into_iter().find(|name| !known(name));
    let twice = had.properties.len() > 3 || member(had, "command").is_err() || member(had, "args").is_err();
    let by_hand = if let Some(name) = other {
        Some(format!("it has `{name}`"))
    } else if holds_comment(text, property.range.start..property.range.end) {
        Some("it has a comment".to_owned())
    } else if twice || !starts_stdio(start.as_ref()) {
        Some(ANOTHER_FORM.to_owned())
    } else {
        None
    };
    Ok(Some(Entry { start, by_hand }))
}

pub(super) fn without(text: &str, rules: &Rules) -> Result<Option<Vec<Splice>>, String> {
    let root = parse(base(text, rules.form), rules.form)?;
    let Some(servers) = object_in(&root, rules.section)? else {
        return Ok(None);
    };
    if member(servers, NAME)?.is_none() {
        return Ok(None);
    }
    let at = servers
        .properties
        .iter()
        .position(|property| property.name.as_str() == NAME);
    let Some((at, property)) = at.and_then(|at| Some((at, servers.properties.get(at)?))) else {
        return Ok(None);
    };
    let next = servers.properties.get(at + 1);
    let until = next.map_or(servers.range.end.saturating_sub(1), |next| next.range.start);
    let comma_after = comma(text, property.range.end..until);
    let own = |end: usize| property.range.start..end;
    Ok(Some(match (comma_after, at.checked_sub(1)) {
        // Includes the comma directly after the value; a comment between the two stays.
        (Some(comma), _) if comma == property.range.end => {
            vec![Splice::remove(with_its_lines(text, own(comma + 1)))]
        }
        (Some(comma), _) => vec![
            Splice::remove(with_its_lines(text, own(property.range.end))),
            Splice::remove(comma..comma + 1),
        ],
        (None, Some(before)) => {
            let before = servers
                .properties
                .get(before)
                .map_or(0, |before| before.range.end);
            let mut splices = vec![Splice::remove(with_its_lines(text, own(property.range.end)))];
            let comma = comma(text, before..property.range.start);
            splices.extend(comma.map(|comma| Splice::remove(comma..comma + 1)));
            splices
        }
        (None, None) => vec![Splice::remove(with_its_lines(text, own(property.range.end)))],
    }))
}

fn insert(object: &mut Value, name: &str, value: Value) {
    if let Some(object) = object.as_object_mut() {
        object.insert(name.to_owned(), value);
    }
}

/// Reads the command and the arguments of an entry, as far as possible.
fn start_of(entry: &Object<'_>) -> (Option<String>, Option<Vec<String>>) {
    let command = entry
        .get_string("command")
        .map(|command| command.value.to_string());
    let words = entry.get_array("args").and_then(|words| {
        let words = words.elements.iter();
        let word = |word: &Node<'_>| Some(word.as_string_lit()?.value.to_string());
        words.map(word).collect::<Option<Vec<_>>>()
    });
    (command, words)
}

/// Reads the variables of an entry that are texts.
fn env_of(entry: &Object<'_>) -> BTreeMap<String, String> {
    let env = entry.get_object("env").into_iter();
    let members = env.flat_map(|env| &env.properties);
    let text = |member: &ObjectProp<'_>| {
        let value = member.value.as_string_lit()?;
        Some((member.name.as_str().to_owned(), value.value.to_string()))
    };
    members.filter_map(text).collect()
}

/// Parses the root object. Errors name the line and the kind of error only, because the text may contain
/// keys.
fn parse(text: &str, form: Form) -> Result<Object<'_>, String> {
    if hold_more_values_than(&[text.as_bytes()], CLIENT_CONFIG_VALUES) {
        return Err(format!("it holds more than {CLIENT_CONFIG_VALUES} values"));
    }
    if form == Form::Json {
        serde_json::from_str::<serde::de::IgnoredAny>(text)
            .map_err(|error| format!("it is not valid JSON: {error}"))?;
    }
    // Matches the editors' own parser: comments and a trailing comma, nothing else.
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let parsed = parse_to_ast(text, &CollectOptions::default(), &options).map_err(|error| {
        let (line, column) = (error.line_display(), error.column_display());
        let what = match error.kind() {
            ParseErrorKind::String(_) => "a text is not valid".to_owned(),
            kind => kind.to_string().to_lowercase(),
        };
        format!("it is not valid JSON: {what} at line {line} column {column}")
    })?;
    match parsed.value {
        Some(Node::Object(root)) => Ok(root),
        _ => Err("it is not a JSON object".to_owned()),
    }
}

/// Returns a member of an object. A duplicate is an error, because clients differ in which one they read.
fn member<'o, 't>(object: &'o Object<'t>, name: &str) -> Result<Option<&'o ObjectProp<'t>>, String> {
    let mut found = object
        .properties
        .iter()
        .filter(|property| property.name.as_str() == name);
    let first = found.next();
    match found.next() {
        None => Ok(first),
        Some(_) => Err(format!("it has `{name}` twice")),
    }
}

/// Returns a member that must be an object.
fn object_in<'o, 't>(object: &'o Object<'t>, name: &str) -> Result<Option<&'o Object<'t>>, String> {
    match member(object, name)?.map(|property| property.value.as_object()) {
        None => Ok(None),
        Some(Some(object)) => Ok(Some(object)),
        Some(None) => Err(format!("its `{name}` is not an object")),
    }
}

fn range(value: &Node<'_>) -> Range<usize> {
    use jsonc_parser::common::Ranged as _;
    let range = value.range();
    range.start..range.end
}

/// Returns the tokens between two values, and their ranges.
fn between(text: &str, place: Range<usize>) -> Vec<(Token<'_>, Range<usize>)> {
    let from = place.start;
    let mut scanner = Scanner::new(text.get(place).unwrap_or_default(), &ScannerOptions::default());
    let mut tokens = Vec::new();
    while let Ok(Some(token)) = scanner.scan() {
        tokens.push((token, from + scanner.token_start()..from + scanner.token_end()));
    }
    tokens
}

fn comma(text: &str, place: Range<usize>) -> Option<usize> {
    let mut tokens = between(text, place).into_iter();
    tokens.find_map(|(token, at)| (token == Token::Comma).then_some(at.start))
}

fn holds_comment(text: &str, place: Range<usize>) -> bool {
    between(text, place)
        .iter()
        .any(|(token, _)| matches!(token, Token::CommentLine(_) | Token::CommentBlock(_)))
}

/// Position and formatting of new members.
struct Insertion<'a, 't> {
    text: &'t str,
    root: &'a Object<'t>,
}

impl Insertion<'_, '_> {
    /// Adds a last member to an object.
    fn added(&self, object: &Object<'_>, name: &str, value: &Value) -> Vec<Splice> {
        let inside = object.range.start + 1..object.range.end.saturating_sub(1);
        let last = object.properties.last();
        let from = last.map_or(inside.start, |last| last.range.end);
        let tokens = between(self.text, from..inside.end);
        let comma = tokens.iter().any(|(token, _)| *token == Token::Comma);
        let tail = tokens.last().map_or(from, |(_, at)| at.end);
        let mut splices = Vec::new();
        if last.is_some() && !comma {
            splices.push(Splice::insert(from, ","));
        }
        let after = if comma { "," } else { "" };
        let name = json!(name).to_string();
        if !self.in_lines(object) {
            let compact = last.is_some_and(|last| self.is_compact(last));
            let blank = if compact { "" } else { " " };
            let lead = if last.is_some() { blank } else { "" };
            let value = if compact {
                value.to_string()
            } else {
                one_line(value)
            };
            splices.push(Splice::insert(
                tail,
                format!("{lead}{name}:{blank}{value}{after}"),
            ));
            return splices;
        }
        let (end, unit) = (line_end(self.text), self.unit());
        let outer = blank_start(line_before(self.text, object.range.start)).to_owned();
        let first = object
            .properties
            .first()
            .map(|first| line_before(self.text, first.range.start));
        let inner = match first {
            Some(line) if line.trim().is_empty() => line.to_owned(),
            _ => format!("{outer}{unit}"),
        };
        let value = in_lines(value, &inner, unit, end);
        let mut new = format!("{end}{inner}{name}: {value}{after}");
        let rest = self.text.get(tail..inside.end).unwrap_or_default();
        if rest.contains('\n') {
            splices.push(Splice::insert(tail, new));
        } else {
            new.push_str(end);
            new.push_str(&outer);
            splices.push(Splice {
                place: tail..inside.end,
                new,
            });
        }
        splices
    }

    /// Returns whether a member is written without spaces.
    fn is_compact(&self, member: &ObjectProp<'_>) -> bool {
        let name = self.text.get(member.range.start..range(&member.value).start);
        name.is_some_and(|name| name.ends_with(':'))
    }

    /// Returns whether members of an object are, or should be, on separate lines.
    fn in_lines(&self, object: &Object<'_>) -> bool {
        let text = |object: &Object<'_>| self.text.get(object.range.start..object.range.end);
        let has_lines = |object: &Object<'_>| text(object).is_some_and(|text| text.contains('\n'));
        if object.properties.is_empty() {
            has_lines(self.root) || self.root.properties.is_empty()
        } else {
            has_lines(object)
        }
    }

    /// Returns one level of the text's indentation.
    fn unit(&self) -> &str {
        let first = self.root.properties.first();
        let line = first.map(|first| line_before(self.text, first.range.start));
        line.filter(|line| !line.is_empty() && line.trim().is_empty())
            .unwrap_or(INDENT)
    }
}

/// Formats objects on separate lines and lists on one line.
fn in_lines(value: &Value, indent: &str, unit: &str, end: &str) -> String {
    let Some(members) = value.as_object() else {
        return one_line(value);
    };
    let inner = format!("{indent}{unit}");
    let members: Vec<String> = members
        .iter()
        .map(|(name, value)| format!("{inner}{}: {}", json!(name), in_lines(value, &inner, unit, end)))
        .collect();
    format!("{{{end}{}{end}{indent}}}", members.join(&format!(",{end}")))
}

/// Formats on one line, with spaces.
fn one_line(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let members: Vec<String> = members
                .iter()
                .map(|(name, value)| format!("{}: {}", json!(name), one_line(value)))
                .collect();
            format!("{{ {} }}", members.join(", "))
        }
        Value::Array(values) => {
            let values: Vec<String> = values.iter().map(one_line).collect();
            format!("[{}]", values.join(", "))
        }
        other => other.to_string(),
    }
}
