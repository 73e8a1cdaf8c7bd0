//! The entry in TOML.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use freshcontext_contract::limits::CLIENT_CONFIG_VALUES;
use toml_edit::{Array, Document, DocumentMut, InlineTable, Item, TableLike, TomlError, Value};

use super::{
    ANOTHER_FORM, Entry, NAME, Splice, Start, another_kind, applied, line_before, line_end, starts_stdio,
};
use crate::cli::install::clients::{Ask, Rules};

pub(super) fn with(text: &str, rules: &Rules, start: &Start) -> Result<String, String> {
    let new = applied(text, with_command(text, rules, start)?);
    let had = entry(&new, rules)?.and_then(|entry| entry.start);
    if had.is_some_and(|had| start.is_in(&had)) {
        return Ok(new);
    }
    // Variables of an entry that was there before.
    let mut document: DocumentMut = new.parse().map_err(|error| wrong(&new, &error))?;
    let entry = document
        .get_mut(rules.section)
        .and_then(|section| section.get_mut(NAME))
        .and_then(Item::as_table_like_mut)
        .ok_or_else(another_kind)?;
    if !start.env.is_empty() {
        let env = entry
            .entry("env")
            .or_insert_with(|| Item::Value(Value::InlineTable(InlineTable::new())))
            .as_table_like_mut()
            .ok_or("its `env` is not a table")?;
        for (name, value) in &start.env {
            env.insert(name, toml_edit::value(value));
        }
    }
    if let (Ask::List(list), false) = (rules.ask, start.names.is_empty()) {
        let names = names_of(entry, rules)
            .into_iter()
            .chain(start.names.iter().cloned());
        let names: BTreeSet<String> = names.collect();
        entry.insert(list, toml_edit::value(names.iter().collect::<Array>()));
    }
    Ok(document.to_string())
}

/// Reads the variables of an entry that are texts.
fn env_of(entry: &dyn TableLike) -> BTreeMap<String, String> {
    let env = entry.get("env").and_then(Item::as_table_like);
    let text = |(name, value): (&str, &Item)| Some((name.to_owned(), value.as_str()?.to_owned()));
    env.map(|env| env.iter().filter_map(text).collect())
        .unwrap_or_default()
}

/// Reads the variables whose values the client has elsewhere.
fn names_of(entry: &dyn TableLike, rules: &Rules) -> BTreeSet<String> {
    let Ask::List(list) = rules.ask else {
        return BTreeSet::new();
    };
    let names = entry.get(list).and_then(strings).unwrap_or_default();
    names.into_iter().collect()
}

/// Formats the variables of a new entry as further values of its table.
fn variables_of(rules: &Rules, start: &Start) -> Vec<String> {
    let mut lines = Vec::new();
    if !start.env.is_empty() {
        let members: Vec<String> = start
            .env
            .iter()
            .map(|(name, value)| format!("{name} = {}", written(Value::from(value))))
            .collect();
        lines.push(format!("env = {{ {} }}", members.join(", ")));
    }
    if let (Ask::List(list), false) = (rules.ask, start.names.is_empty()) {
        let names = written(Value::from(start.names.iter().collect::<Array>()));
        lines.push(format!("{list} = {names}"));
    }
    lines
}

/// Adds the entry, or sets its command and arguments.
fn with_command(text: &str, rules: &Rules, start: &Start) -> Result<Vec<Splice>, String> {
    let document = parse(text)?;
    let command = written(Value::from(start.command.clone()));
    let arguments = written(Value::from(start.arguments.iter().collect::<Array>()));
    let section = table_in(document.as_table(), rules.section)?;
    let Some(had) = section
        .map(|section| table_in(section, NAME))
        .transpose()?
        .flatten()
    else {
        let inline = document
            .get(rules.section)
            .filter(|section| section.is_inline_table());
        let (Some(place), Some(section)) = (inline.and_then(Item::span), section) else {
            let mut lines = vec![
                format!("[{}.{NAME}]", rules.section),
                format!("command = {command}"),
                format!("args = {arguments}"),
            ];
            lines.extend(variables_of(rules, start));
            return Ok(vec![at_the_end(text, &lines)]);
        };
        let mut values = vec![format!("command = {command}"), format!("args = {arguments}")];
        values.extend(variables_of(rules, start));
        let entry = format!("{NAME} = {{ {} }}", values.join(", "));
        let last = section
            .iter()
            .filter_map(|(_, value)| value.span())
            .map(|place| place.end);
        return Ok(vec![match last.max() {
            Some(last) => Splice::insert(last, format!(", {entry}")),
            None => Splice::insert(place.start + 1, format!(" {entry} ")),
        }]);
    };
    let Some(started) = had.get("command") else {
        return Err(another_kind());
    };
    let mut splices = Vec::new();
    if started.as_str() != Some(&start.command) {
        splices.push(Splice {
            place: place_of(started)?,
            new: command,
        });
    }
    match had.get("args") {
        Some(words) if strings(words).as_ref() == Some(&start.arguments) => {}
        Some(words) => splices.push(Splice {
            place: place_of(words)?,
            new: arguments,
        }),
        None if is_inline(&document, rules.section) => {
            splices.push(Splice::insert(
                place_of(started)?.end,
                format!(", args = {arguments}"),
            ));
        }
        None => {
            let at = end_of_line(text, place_of(started)?.end);
            splices.push(Splice::insert(
                at,
                format!("{}args = {arguments}", line_end(text)),
            ));
        }
    }
    Ok(splices)
}

pub(super) fn entry(text: &str, rules: &Rules) -> Result<Option<Entry>, String> {
    let document = parse(text)?;
    let Some(section) = table_in(document.as_table(), rules.section)? else {
        return Ok(None);
    };
    let Some(item) = section.get(NAME) else {
        return Ok(None);
    };
    let Some(had) = item.as_table_like() else {
        return Ok(Some(Entry {
            start: None,
            by_hand: Some("it is not a table".to_owned()),
        }));
    };
    let command = had.get("command").and_then(Item::as_str);
    let start = command
        .zip(had.get("args").and_then(strings))
        .map(|(command, arguments)| Start {
            command: command.to_owned(),
            arguments,
            env: env_of(had),
            names: names_of(had, rules),
        });
    let other = had
        .iter()
        .map(|(name, _)| name)
        .find(|name| !["command", "args"].contains(name));
    let inline = || item.span().filter(|_| item.is_inline_table());
    let by_hand = match (other, lines_of(text, item).or_else(inline)) {
        (Some(name), _) => Some(format!("it has `{name}`")),
        (None, Some(place)) if holds_comment(text, place.clone(), had) => Some("it has a comment".to_owned()),
        (None, None) => Some(ANOTHER_FORM.to_owned()),
        _ if !starts_stdio(start.as_ref()) => Some(ANOTHER_FORM.to_owned()),
        _ => None,
    };
    Ok(Some(Entry { start, by_hand }))
}

pub(super) fn without(text: &str, rules: &Rules) -> Result<Option<Vec<Splice>>, String> {
    let document = parse(text)?;
    let Some(section) = table_in(document.as_table(), rules.section)? else {
        return Ok(None);
    };
    let Some(item) = section.get(NAME) else {
        return Ok(None);
    };
    if let Some(place) = lines_of(text, item) {
        // The blank line above the table is removed as well.
        let above = text.get(..place.start).unwrap_or_default();
        let blank = ["\r\n", "\n"].iter().find(|end| {
            let rest = above.strip_suffix(**end);
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('\n'))
        });
        let start = place.start - blank.map_or(0, |end| end.len());
        return Ok(Some(vec![Splice::remove(start..place.end)]));
    }
    if let Some(place) = last_of_a_line(text, section, item) {
        return Ok(Some(vec![Splice::remove(place)]));
    }
    // A non-last position on one line, or a notation that `install` does not write.
    let mut document: DocumentMut = text.parse().map_err(|error| wrong(text, &error))?;
    if let Some(section) = document.get_mut(rules.section).and_then(Item::as_table_like_mut) {
        section.remove(NAME);
    }
    Ok(Some(vec![Splice {
        place: 0..text.len(),
        new: document.to_string(),
    }]))
}

/// Returns the entry with its preceding comma, if it is the last one in a one-line section, as `install`
/// writes it.
fn last_of_a_line(text: &str, section: &dyn TableLike, item: &Item) -> Option<Range<usize>> {
    let entry = item.span().filter(|_| item.is_inline_table())?;
    let others = section.iter().filter(|(name, _)| *name != NAME);
    let before = others
        .filter_map(|(_, other)| other.span())
        .map(|place| place.end)
        .max()?;
    let between = text.get(before..entry.start)?.trim();
    let name = between.strip_prefix(',')?.strip_suffix('=')?.trim();
    (name == NAME).then_some(before..entry.end)
}

fn parse(text: &str) -> Result<Document<&str>, String> {
    let many = |byte: &u8| matches!(byte, b'=' | b',' | b'[');
    if text.bytes().filter(many).count() > CLIENT_CONFIG_VALUES {
        return Err(format!("it holds more than {CLIENT_CONFIG_VALUES} values"));
    }
    Document::parse(text).map_err(|error| wrong(text, &error))
}

/// Names the line only: other parts of the parser's message may quote the text, which may contain keys.
fn wrong(text: &str, error: &TomlError) -> String {
    let at = error.span().map_or(0, |place| place.start);
    let line = text.get(..at).unwrap_or_default().matches('\n').count() + 1;
    format!("it is not valid TOML at line {line}")
}

fn table_in<'t>(parent: &'t dyn TableLike, name: &str) -> Result<Option<&'t dyn TableLike>, String> {
    match parent.get(name).map(Item::as_table_like) {
        None => Ok(None),
        Some(Some(table)) => Ok(Some(table)),
        Some(None) => Err(format!("its `{name}` is not a table")),
    }
}

fn is_inline(document: &Document<&str>, section: &str) -> bool {
    let section = document.get(section);
    let entry = section
        .and_then(Item::as_table_like)
        .and_then(|section| section.get(NAME));
    entry.is_some_and(Item::is_inline_table)
}

fn strings(words: &Item) -> Option<Vec<String>> {
    let words = words.as_array()?.iter();
    words.map(|word| Some(word.as_str()?.to_owned())).collect()
}

fn place_of(item: &Item) -> Result<Range<usize>, String> {
    item.span()
        .ok_or_else(|| format!("its entry `{NAME}` cannot be found in the text"))
}

fn written(value: Value) -> String {
    value.decorated("", "").to_string()
}

/// Appends the entry as a separate table.
fn at_the_end(text: &str, lines: &[String]) -> Splice {
    let end = line_end(text);
    let apart = match text {
        _ if text.trim().is_empty() => String::new(),
        _ if text.ends_with('\n') => end.to_owned(),
        _ => end.repeat(2),
    };
    Splice::insert(text.len(), apart + &lines.join(end) + end)
}

/// Returns the whole lines of a table with a header, if it contains plain values only.
fn lines_of(text: &str, item: &Item) -> Option<Range<usize>> {
    let table = item
        .as_table()
        .filter(|table| !table.is_implicit() && !table.is_dotted())?;
    let header = table.span()?;
    let mut end = header.end;
    for (_, value) in table {
        end = end.max(value.as_value()?.span()?.end);
    }
    let start = header.start - line_before(text, header.start).len();
    let end = end_of_line(text, end);
    let rest = text.get(end..).unwrap_or_default();
    let line_end = ["\r\n", "\n"].iter().find(|end| rest.starts_with(**end));
    Some(start..end + line_end.map_or(0, |end| end.len()))
}

/// Returns whether comments stand among the values of an entry.
fn holds_comment(text: &str, place: Range<usize>, entry: &dyn TableLike) -> bool {
    let mut values: Vec<Range<usize>> = Vec::new();
    for (_, value) in entry.iter() {
        match value.as_array() {
            Some(list) => values.extend(list.iter().filter_map(Value::span)),
            None => values.extend(value.span()),
        }
    }
    let of_a_value = |at: usize| values.iter().any(|value| value.contains(&at));
    let lines = text.get(place.clone()).unwrap_or_default();
    lines
        .match_indices('#')
        .any(|(at, _)| !of_a_value(place.start + at))
}

fn end_of_line(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let line = rest.split('\n').next().unwrap_or_default();
    at + line.strip_suffix('\r').unwrap_or(line).len()
}
