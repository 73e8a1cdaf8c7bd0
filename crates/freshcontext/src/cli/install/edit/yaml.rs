//! The entry in YAML. Only block style is edited; the result is compared with the text before, value by value.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use freshcontext_contract::limits::CLIENT_CONFIG_VALUES;
use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::json;

use super::{ANOTHER_FORM, Entry, NAME, Splice, Start, applied, line_before, line_end, starts_stdio};
use crate::cli::install::clients::{Ask, Rules};

/// Seconds that the client waits for an answer, as in its documentation.
const TIMEOUT: u32 = 300;
/// Keys that the client itself adds to an entry when it rewrites its file.
const CLIENTS_OWN: [&str; 4] = ["description", "bundled", "available_tools", "env_keys"];
/// Keys that `install` writes.
const WRITTEN: [&str; 6] = ["enabled", "type", "name", "cmd", "args", "timeout"];

/// An event and the bytes that it stands in.
type Node<'t> = (Event<'t>, Range<usize>);

/// A member of a mapping: the indices of its key, its value, and what follows.
#[derive(Debug, Clone, Copy)]
struct Member {
    key: usize,
    value: usize,
    end: usize,
}

/// A parsed text with one document.
struct Yaml<'t> {
    text: &'t str,
    events: Vec<Node<'t>>,
    /// Members of the root mapping.
    root: Vec<Member>,
}

pub(super) fn with(text: &str, rules: &Rules, start: &Start) -> Result<String, String> {
    let yaml = Yaml::parse(text)?;
    let end = line_end(text);
    let section = yaml.member(&yaml.root, rules.section)?;
    let Some(section) = section else {
        let indent = yaml.root.first().map_or("", |first| yaml.indent(first.key));
        let lines = entry_lines(rules, start, &format!("{indent}  "), end);
        let apart = if text.is_empty() || text.ends_with('\n') {
            ""
        } else {
            end
        };
        let new = format!("{text}{apart}{indent}{}:{end}{lines}", rules.section);
        return same_beside(text, new, rules);
    };
    let new = match yaml.event(section.value) {
        Some(Event::MappingStart(0, None)) if !yaml.is_flow(section.value) => {
            let members = yaml.members(section.value);
            let first = members.first().ok_or(ONE_LINE)?;
            let indent = yaml.indent(first.key).to_owned();
            if let Some(had) = yaml.member(&members, NAME)? {
                let entry = yaml.entry(had, rules);
                let merged = merged(entry.start.as_ref(), start);
                if entry.start.as_ref() == Some(&merged) {
                    return Ok(text.to_owned());
                }
                let own = entry.start.is_some_and(|entry| starts_stdio(Some(&entry)));
                if !own || entry.by_hand.is_some_and(|why| why != HAS_ENV) {
                    return Err(format!("its entry `{NAME}` was written or changed by hand"));
                }
                let lines = entry_lines(rules, &merged, &indent, end);
                vec![Splice {
                    place: yaml.lines(had)?,
                    new: lines,
                }]
            } else {
                let last = members.last().ok_or(ONE_LINE)?;
                let at = yaml.lines(*last)?.end;
                let apart = match text.get(..at) {
                    Some(before) if before.ends_with('\n') => "",
                    _ => end,
                };
                let lines = entry_lines(rules, start, &indent, end);
                vec![Splice::insert(at, format!("{apart}{lines}"))]
            }
        }
        // Nothing after the colon, or `{}`.
        value => {
            let empty = match value {
                Some(Event::Scalar(text, ScalarStyle::Plain, 0, None)) => {
                    ["", "~", "null"].contains(&text.as_ref())
                }
                Some(Event::MappingStart(0, None)) => yaml.members(section.value).is_empty(),
                _ => false,
            };
            if !empty {
                return Err(ONE_LINE.to_owned());
            }
            let from = yaml.place(section.key).end;
            let colon = text.get(from..).and_then(|rest| rest.find(':')).ok_or(ONE_LINE)?;
            let from = from + colon + 1;
            let until = match value {
                Some(Event::MappingStart(..)) => {
                    let start = yaml.place(section.value).start;
                    let rest = text.get(start..).unwrap_or_default();
                    start + rest.find('}').ok_or(ONE_LINE)? + 1
                }
                _ => yaml.place(section.value).end.max(from),
            };
            let indent = format!("{}  ", yaml.indent(section.key));
            let lines = entry_lines(rules, start, &indent, end);
            let line = text.get(until..).unwrap_or_default();
            let line_length = line.find('\n').map_or(line.len(), |at| at + 1);
            let comment = line.get(..line_length).unwrap_or_default();
            let apart = if comment.ends_with('\n') { "" } else { end };
            vec![Splice {
                place: from..until + line_length,
                new: format!("{comment}{apart}{lines}"),
            }]
        }
    };
    same_beside(text, applied(text, new), rules)
}

pub(super) fn entry(text: &str, rules: &Rules) -> Result<Option<Entry>, String> {
    let yaml = Yaml::parse(text)?;
    Ok(yaml.find(rules)?.map(|(_, had)| yaml.entry(had, rules)))
}

pub(super) fn without(text: &str, rules: &Rules) -> Result<Option<Vec<Splice>>, String> {
    let yaml = Yaml::parse(text)?;
    let Some((section, had)) = yaml.find(rules)? else {
        return Ok(None);
    };
    if yaml.is_flow(section.value) {
        return Err(ONE_LINE.to_owned());
    }
    let mut splices = vec![Splice::remove(yaml.lines(had)?)];
    if yaml.members(section.value).len() == 1 {
        // An empty mapping: nothing after the colon would be null.
        let from = yaml.place(section.key).end;
        let colon = text.get(from..).and_then(|rest| rest.find(':')).ok_or(ONE_LINE)?;
        splices.push(Splice::insert(from + colon + 1, " {}"));
    }
    same_beside(text, applied(text, splices.clone()), rules)?;
    Ok(Some(splices))
}

/// Reason to leave a text alone.
const ONE_LINE: &str = "its extensions are not written in lines of their own";
/// Reason why an entry may be the user's own.
const HAS_ENV: &str = "it has `envs`";

/// Formats the entry in lines.
fn entry_lines(rules: &Rules, start: &Start, indent: &str, end: &str) -> String {
    // JSON is YAML.
    let mut members = vec![
        ("enabled", json!(true).to_string()),
        ("type", "stdio".to_owned()),
        ("name", NAME.to_owned()),
        ("cmd", json!(start.command).to_string()),
        ("args", json!(start.arguments).to_string()),
    ];
    if let (Ask::List(list), false) = (rules.ask, start.names.is_empty()) {
        members.push((list, json!(start.names).to_string()));
    }
    members.push(("timeout", TIMEOUT.to_string()));
    let mut lines = vec![format!("{indent}{NAME}:")];
    lines.extend(
        members
            .iter()
            .map(|(name, value)| format!("{indent}  {name}: {value}")),
    );
    if !start.env.is_empty() {
        lines.push(format!("{indent}  envs:"));
        let variables = start.env.iter();
        lines.extend(variables.map(|(name, value)| format!("{indent}    {name}: {}", json!(value))));
    }
    lines.join(end) + end
}

/// Returns what an entry starts after the change: the variables that it had stay.
fn merged(had: Option<&Start>, start: &Start) -> Start {
    let mut merged = start.clone();
    if let Some(had) = had {
        for (name, value) in &had.env {
            merged.env.entry(name.clone()).or_insert_with(|| value.clone());
        }
        merged.names.extend(had.names.iter().cloned());
    }
    merged
}

/// Returns the new text, if it holds everything beside the entry that the old one holds.
fn same_beside(old: &str, new: String, rules: &Rules) -> Result<String, String> {
    let beside = |text: &str| -> Result<Vec<String>, String> {
        let yaml = Yaml::parse(text)?;
        let found = yaml.find(rules)?;
        let section = yaml.member(&yaml.root, rules.section)?;
        let left = match (found, section) {
            (Some((section, had)), _) if yaml.members(section.value).len() > 1 => had.key..had.end,
            (Some((section, _)), _) => section.key..section.end,
            (None, Some(section)) if section.end - section.value <= 2 => section.key..section.end,
            _ => 0..0,
        };
        let others = yaml
            .events
            .iter()
            .enumerate()
            .filter(|(at, _)| !left.contains(at));
        Ok(others
            .filter(|(_, (event, _))| {
                !matches!(
                    event,
                    Event::MappingStart(0, None)
                        | Event::MappingEnd
                        | Event::DocumentStart(_)
                        | Event::DocumentEnd
                )
            })
            .map(|(_, (event, _))| format!("{event:?}"))
            .collect())
    };
    if beside(old)? == beside(&new)? {
        Ok(new)
    } else {
        Err("the entry cannot be put in or taken out with certainty".to_owned())
    }
}

impl<'t> Yaml<'t> {
    /// Parses a text. Errors name the line only, because the text may contain keys.
    fn parse(text: &'t str) -> Result<Self, String> {
        // The parser counts characters.
        let places: Vec<usize> = if text.is_ascii() {
            Vec::new()
        } else {
            let ends = std::iter::once(text.len());
            text.char_indices().map(|(at, _)| at).chain(ends).collect()
        };
        let byte = |at: usize| {
            if places.is_empty() {
                at.min(text.len())
            } else {
                places.get(at).copied().unwrap_or(text.len())
            }
        };
        let mut events = Vec::new();
        for event in Parser::new_from_str(text) {
            let (event, span) =
                event.map_err(|error| format!("it is not valid YAML at line {}", error.marker().line()))?;
            if events.len() >= CLIENT_CONFIG_VALUES {
                return Err(format!("it holds more than {CLIENT_CONFIG_VALUES} values"));
            }
            events.push((event, byte(span.start.index())..byte(span.end.index())));
        }
        let mut yaml = Self {
            text,
            events,
            root: Vec::new(),
        };
        let documents = |event: &Node<'_>| matches!(event.0, Event::DocumentStart(_));
        match yaml.events.iter().filter(|event| documents(event)).count() {
            0 => return Ok(yaml),
            1 => {}
            _ => return Err("it holds several documents".to_owned()),
        }
        // The stream's start and the document's start come first.
        match yaml.event(2) {
            Some(Event::MappingStart(..)) if !yaml.is_flow(2) => yaml.root = yaml.members(2),
            Some(Event::MappingStart(..)) => return Err(ONE_LINE.to_owned()),
            _ => return Err("it is not a mapping".to_owned()),
        }
        Ok(yaml)
    }

    fn event(&self, at: usize) -> Option<&Event<'t>> {
        self.events.get(at).map(|(event, _)| event)
    }

    fn place(&self, at: usize) -> Range<usize> {
        self.events.get(at).map_or(0..0, |(_, place)| place.clone())
    }

    /// Returns whether a collection is written in brackets.
    fn is_flow(&self, at: usize) -> bool {
        let text = self.text.get(self.place(at).start..).unwrap_or_default();
        text.starts_with(['{', '['])
    }

    fn scalar(&self, at: usize) -> Option<&str> {
        match self.event(at) {
            Some(Event::Scalar(text, ..)) => Some(text),
            _ => None,
        }
    }

    /// Returns the index after the value that begins at an index.
    fn after(&self, at: usize) -> usize {
        let mut depth = 0_usize;
        let rest = self.events.iter().enumerate().skip(at);
        for (at, (event, _)) in rest {
            match event {
                Event::MappingStart(..) | Event::SequenceStart(..) => depth += 1,
                Event::MappingEnd | Event::SequenceEnd => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return at + 1;
            }
        }
        self.events.len()
    }

    /// Returns the members of the mapping that begins at an index.
    fn members(&self, at: usize) -> Vec<Member> {
        let mut members = Vec::new();
        let mut key = at + 1;
        while !matches!(self.event(key), None | Some(Event::MappingEnd)) {
            let value = self.after(key);
            let end = self.after(value);
            members.push(Member { key, value, end });
            key = end;
        }
        members
    }

    /// Returns a member by name. A duplicate is an error, because clients differ in which one they read.
    fn member(&self, members: &[Member], name: &str) -> Result<Option<Member>, String> {
        let mut found = members
            .iter()
            .filter(|member| self.scalar(member.key) == Some(name));
        let first = found.next().copied();
        match found.next() {
            None => Ok(first),
            Some(_) => Err(format!("it has `{name}` twice")),
        }
    }

    /// Finds the section and the entry.
    fn find(&self, rules: &Rules) -> Result<Option<(Member, Member)>, String> {
        let Some(section) = self.member(&self.root, rules.section)? else {
            return Ok(None);
        };
        if !matches!(self.event(section.value), Some(Event::MappingStart(..))) {
            return Ok(None);
        }
        let had = self.member(&self.members(section.value), NAME)?;
        Ok(had.map(|had| (section, had)))
    }

    /// Returns the blanks before a key.
    fn indent(&self, key: usize) -> &'t str {
        let before = line_before(self.text, self.place(key).start);
        if before.trim_matches(' ').is_empty() {
            before
        } else {
            ""
        }
    }

    /// Returns the whole lines of a member in block style.
    fn lines(&self, member: Member) -> Result<Range<usize>, String> {
        let start = self.place(member.key).start;
        let before = line_before(self.text, start);
        if !before.trim_matches(' ').is_empty() {
            return Err(ONE_LINE.to_owned());
        }
        let nodes = self.events.get(member.key..member.end).unwrap_or_default();
        // The end of a block collection stands where the next one begins.
        let is_end = |event: &Event<'_>| matches!(event, Event::MappingEnd | Event::SequenceEnd);
        let written = nodes.iter().filter(|(event, place)| {
            let text = self.text.get(place.start..).unwrap_or_default();
            !is_end(event) || text.starts_with(['}', ']'])
        });
        let end = written.map(|(_, place)| place.end).max().unwrap_or(start);
        let end = if self.text.get(..end).is_some_and(|text| text.ends_with('\n')) {
            end
        } else {
            let rest = self.text.get(end..).unwrap_or_default();
            end + rest.find('\n').map_or(rest.len(), |at| at + 1)
        };
        Ok(start - before.len()..end)
    }

    /// Reads an entry.
    fn entry(&self, had: Member, rules: &Rules) -> Entry {
        let by_hand = |why: &str| Some(why.to_owned());
        let members = match self.event(had.value) {
            Some(Event::MappingStart(0, None)) => self.members(had.value),
            _ => {
                return Entry {
                    start: None,
                    by_hand: by_hand("it is not a mapping"),
                };
            }
        };
        let value = |name: &str| {
            self.member(&members, name)
                .ok()
                .flatten()
                .map(|found| found.value)
        };
        let list = |name: &str| value(name).map_or_else(|| Some(Vec::new()), |at| self.texts(at));
        let names = match rules.ask {
            Ask::List(name) => list(name).unwrap_or_default(),
            _ => Vec::new(),
        };
        let env = value("envs").map(|at| self.pairs(at)).unwrap_or_default();
        let command = value("cmd").and_then(|at| self.scalar(at));
        let start = command.zip(list("args")).map(|(command, arguments)| Start {
            command: command.to_owned(),
            arguments,
            env,
            names: names.into_iter().collect::<BTreeSet<_>>(),
        });
        let known = |name: &str| WRITTEN.contains(&name) || CLIENTS_OWN.contains(&name) || name == "envs";
        let other = members
            .iter()
            .map(|member| self.scalar(member.key).unwrap_or("?"))
            .find(|name| !known(name));
        let lines = self.lines(had).ok();
        let text = lines
            .clone()
            .and_then(|lines| self.text.get(lines))
            .unwrap_or_default();
        let from = lines.map_or(0, |lines| lines.start);
        let of_a_value = |at: usize| {
            let nodes = self.events.get(had.key..had.end).unwrap_or_default();
            nodes
                .iter()
                .any(|(event, place)| matches!(event, Event::Scalar(..)) && place.contains(&at))
        };
        let comment = text.match_indices('#').any(|(at, _)| !of_a_value(from + at));
        let by_hand = match other {
            Some(name) => Some(format!("it has `{name}`")),
            None if comment => by_hand("it has a comment"),
            None if !starts_stdio(start.as_ref()) => by_hand(ANOTHER_FORM),
            None if value("envs").is_some() => by_hand(HAS_ENV),
            None => None,
        };
        Entry { start, by_hand }
    }

    /// Reads a sequence of texts.
    fn texts(&self, at: usize) -> Option<Vec<String>> {
        if !matches!(self.event(at), Some(Event::SequenceStart(..))) {
            return None;
        }
        let items = self.events.get(at + 1..self.after(at) - 1)?.iter();
        items
            .map(|(event, _)| match event {
                Event::Scalar(text, ..) => Some(text.clone().into_owned()),
                _ => None,
            })
            .collect()
    }

    /// Reads a mapping of texts.
    fn pairs(&self, at: usize) -> BTreeMap<String, String> {
        if !matches!(self.event(at), Some(Event::MappingStart(..))) {
            return BTreeMap::new();
        }
        let members = self.members(at);
        let text = |member: &Member| {
            Some((
                self.scalar(member.key)?.to_owned(),
                self.scalar(member.value)?.to_owned(),
            ))
        };
        members.iter().filter_map(text).collect()
    }
}
