//! A signal in the form in which its caller holds it: its fields under the names of [`names`](super::names), on any level of the
//! objects around them, and what was not read.

use std::borrow::Cow;

use freshcontext_contract::quoted_within;
use serde_json_borrow::{ObjectAsVec, Value as Node};

use super::made::Made;
use super::names::{self, Field, meaning, own_name};
use super::text::{is_address, is_blank};
use super::unread::{Looks, Unread, looks};
use crate::date::{date_of_number, read_date};

/// How deep objects around a signal's fields are followed.
const DEEPEST: usize = 4;

/// A value that a signal holds under a name of the table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Held<'a> {
    pub field: Field,
    /// How deep it stands.
    depth: usize,
    /// The order of preference among those of its field.
    order: (usize, usize),
    /// The object it stands in.
    object: usize,
    pub name: &'a str,
    pub value: &'a Node<'a>,
}

impl Held<'_> {
    /// Whether it is the signal's own, not its metadata's.
    pub(super) fn is_outermost(&self) -> bool {
        self.depth == 0
    }

    /// Whether both stand in one object.
    pub(super) fn is_beside(&self, other: &Self) -> bool {
        self.object == other.object
    }
}

/// One signal's fields. Gathered in one pass, because looking each of them up costs more than reading it.
#[derive(Debug, Default)]
pub(super) struct Shape<'a> {
    /// What has a name of the table, the preferred first.
    held: Vec<Held<'a>>,
    /// What has none, and the object it stands in.
    others: Vec<(usize, &'a str, &'a Node<'a>)>,
    /// The objects, with how they are reached.
    objects: Vec<(usize, Cow<'a, str>, &'a ObjectAsVec<'a>)>,
    /// What was read.
    read: Vec<(usize, &'a str)>,
    /// Only this server's items have it.
    pub is_item: bool,
}

/// A text that was read, and the name that it stands under.
#[derive(Debug, Clone, Copy)]
pub(super) struct Read<'a> {
    pub name: &'a str,
    pub text: &'a str,
    /// Whether this is not the server's own name on the outermost level.
    pub other_name: bool,
}

impl<'a> Shape<'a> {
    pub(super) fn gather(signal: &'a ObjectAsVec<'a>) -> Self {
        let mut shape = Self {
            is_item: is_item(signal),
            ..Self::default()
        };
        shape.objects.push((0, Cow::Borrowed(""), signal));
        let mut at = 0;
        while let Some((depth, path, object)) = shape.objects.get(at).cloned() {
            for (name, value) in object.iter() {
                if let Node::Object(inner) = value
                    && depth < DEEPEST
                    && is_nest(name, inner)
                    && !(shape.is_item && name != "metadata")
                {
                    let path = if path.is_empty() {
                        Cow::Borrowed(name)
                    } else {
                        Cow::Owned(format!("{path}.{name}"))
                    };
                    shape.objects.push((depth + 1, path, inner));
                    continue;
                }
                let meant = match name {
                    // Slack: the moment of a message (https://docs.slack.dev/reference/events/message).
                    "ts" if is_message(object) => Some((Field::Published, 0)),
                    // Upstash and Pinecone's kin: the text beside its score or metadata. Elsewhere data are bytes.
                    "data" if !(has_score_or_metadata(object) || is_text_source(object)) => None,
                    name => meaning(name),
                };
                match meant {
                    Some((field, rank)) => {
                        // Of two spellings, the documented one counts.
                        let rank = rank * 2 + usize::from(!names::is_as_spelt(field, rank, name));
                        shape.held.push(Held {
                            field,
                            depth,
                            // `published_at` in the metadata says more than `date` beside them.
                            order: match field {
                                Field::Published => (rank, depth),
                                // A resource's name is less than a title anywhere.
                                Field::Title if name == "name" => (depth + DEEPEST, rank),
                                // So is a summary beside the text, wherever that is.
                                Field::Content if names::is_digest(name) => (depth + DEEPEST, rank),
                                _ => (depth, rank),
                            },
                            object: at,
                            name,
                            value,
                        });
                    }
                    None => shape.others.push((at, name, value)),
                }
            }
            at += 1;
        }
        // Of two fields of one name the last counts, as in every JSON reader that keeps one.
        shape.held.reverse();
        shape.held.sort_by_key(|held| (held.field, held.order));
        shape
            .held
            .dedup_by_key(|held| (held.field, held.order, held.object));
        shape
    }

    /// The values of a field, the preferred first.
    pub(super) fn of(&self, field: Field) -> impl Iterator<Item = Held<'a>> + use<'a, '_> {
        self.held.iter().copied().filter(move |held| held.field == field)
    }

    /// The facts of its origin: the object `metadata`, or what stands for it.
    pub(super) fn metadata(&self) -> Option<&'a ObjectAsVec<'a>> {
        let named = |name: &str| {
            let mut found = self
                .objects
                .iter()
                .filter(|(_, path, _)| path.rsplit('.').next() == Some(name));
            found.next().map(|(_, _, object)| *object)
        };
        [
            "metadata",
            "meta",
            "payload",
            "attributes",
            "properties",
            "_source",
        ]
        .into_iter()
        .find_map(named)
    }

    /// Marks a value as read.
    pub(super) fn take(&mut self, held: Held<'a>) {
        self.read.push((held.object, held.name));
    }

    /// Marks a value as read.
    pub(super) fn taken(&mut self, held: Held<'a>, text: &'a str) -> Read<'a> {
        self.take(held);
        Read {
            name: held.name,
            text,
            other_name: held.depth > 0 || held.name != own_name(held.field),
        }
    }

    /// The first value of a field that is a text, or a number as text, and not blank.
    pub(super) fn text(&mut self, field: Field, made: &'a Made) -> Option<Read<'a>> {
        let found = self
            .of(field)
            .find_map(|held| scalar(held.value, made).map(|text| (held, text)));
        found.map(|(held, text)| self.taken(held, text))
    }

    /// The content: the first that is not blank; else a blank one, which is what was retrieved.
    pub(super) fn content(&mut self, made: &'a Made) -> Option<Read<'a>> {
        let mut blank = None;
        let mut found = None;
        for held in self.of(Field::Content) {
            match content(held.value, made) {
                Some(text) if !is_blank(text) => {
                    found = Some((held, text));
                    break;
                }
                Some(text) if blank.is_none() && matches!(held.name, "content" | "text" | "page_content") => {
                    blank = Some((held, text));
                }
                _ => {}
            }
        }
        found.or(blank).map(|(held, text)| self.taken(held, text))
    }

    /// The first date of a field that can be read; else the first that is there, for it to be named.
    pub(super) fn date(&mut self, field: Field, made: &'a Made) -> Option<Read<'a>> {
        // An age in figures is of a person, or in seconds.
        let is_age = |held: &Held<'a>| {
            matches!(held.name, "age" | "page_age" | "pageAge") && matches!(held.value, Node::Number(_))
        };
        let dates = || {
            let held = self.of(field).filter(|held| !is_age(held));
            held.filter_map(|held| date(held.value, made).map(|text| (held, text)))
        };
        let readable = dates().find(|(_, text)| read_date(text).is_some());
        let (held, text) = readable.or_else(|| dates().next())?;
        Some(self.taken(held, text))
    }

    /// The object of this path, for what is looked for beside a value of it.
    pub(super) fn beside(&self, held: Held<'a>, name: &str) -> Option<&'a Node<'a>> {
        let (_, _, object) = self.objects.get(held.object)?;
        super::fields::last(object, name)
    }

    /// Whether a value stands in an object of this name.
    pub(super) fn is_in(&self, held: &Held<'a>, name: &str) -> bool {
        let object = self.objects.get(held.object);
        object.is_some_and(|(_, path, _)| path.rsplit('.').next() == Some(name))
    }

    /// Whether it stands in the metadata of a Weaviate object, which are the search's; the document's are its properties
    /// (<https://docs.weaviate.io/weaviate/client-libraries/python>).
    pub(super) fn is_weaviates(&self, held: &Held<'a>) -> bool {
        let outermost = self.objects.first().map(|(_, _, object)| *object);
        self.is_in(held, "metadata")
            && outermost.is_some_and(|object| {
                ["uuid", "properties"]
                    .iter()
                    .all(|name| super::fields::last(object, name).is_some())
            })
    }

    /// What was not read and looks as if it said something, apart from repetitions of what was.
    pub(super) fn unread(&self, said: &[Option<&str>]) -> Vec<Unread> {
        /// As many of one signal are named.
        const MOST: usize = 24;
        if self.is_item {
            return Vec::new();
        }
        let held = self
            .held
            .iter()
            .filter(|held| !matches!(held.field, Field::Known | Field::Id))
            .filter(|held| !self.read.contains(&(held.object, held.name)))
            .map(|held| (held.object, held.name, held.value));
        // The server's own names promise a kind.
        let odd = self.held.iter().filter(|held| {
            held.depth == 0
                && held.name == own_name(held.field)
                && !matches!(held.field, Field::Id | Field::Content)
                && (held.field != Field::Known || held.name == "metadata")
                && !self.read.contains(&(held.object, held.name))
                && !matches!(held.value, Node::Null)
                && !matches!(held.value, Node::Str(text) if is_blank(text))
        });
        let mut out: Vec<Unread> = odd
            .map(|held| Unread {
                name: held.name.to_owned(),
                looks: Looks::Odd,
            })
            .collect();
        for (object, name, value) in held.chain(self.others.iter().copied()) {
            let path = self.objects.get(object).map_or("", |(_, path, _)| path);
            let path = match path {
                "" => name.to_owned(),
                path => format!("{path}.{name}"),
            };
            if !out.iter().any(|field| field.name == path) {
                looks(&path, name, value, said, &mut out);
            }
        }
        out.truncate(MOST);
        out
    }

    /// The dates that were there and could not be read, as they were written.
    pub(super) fn is_unreadable_date(read: Read<'_>) -> Option<Unread> {
        read_date(read.text).is_none().then(|| Unread {
            name: format!("{} ({})", read.name, quoted_within(read.text, 40)),
            looks: Looks::Date,
        })
    }

    /// The names that it has, for an error.
    pub(super) fn names(&self) -> Vec<&'a str> {
        let all = self.held.iter().map(|held| held.name);
        all.chain(self.others.iter().map(|(_, name, _)| *name))
            .take(8)
            .collect()
    }
}

/// Only this server's items have all of these.
fn is_item(signal: &ObjectAsVec<'_>) -> bool {
    let has = |wanted: &str| signal.iter().any(|(name, _)| name == wanted);
    has("summary") && has("date_confidence") && (has("freshness_score") || has("fields"))
}

/// Whether an object of this name stands around what the signal says.
fn is_nest(name: &str, inner: &ObjectAsVec<'_>) -> bool {
    match name {
        "source" => is_text_source(inner),
        // Of Pinecone's assistant, with the file that a snippet is from. Elsewhere what a document refers to is another one.
        "reference" => super::fields::last(inner, "file").is_some(),
        name => names::NESTS.contains(&name),
    }
}

/// Whether this is a message of Slack.
fn is_message(object: &ObjectAsVec<'_>) -> bool {
    matches!(super::fields::last(object, "type"), Some(Node::Str(kind)) if kind == "message")
}

/// Whether this is the source of a document of Anthropic that is a text
/// (<https://docs.claude.com/en/docs/build-with-claude/citations>).
fn is_text_source(object: &ObjectAsVec<'_>) -> bool {
    matches!(super::fields::last(object, "type"), Some(Node::Str(kind)) if kind == "text")
        && super::fields::last(object, "media_type").is_some()
}

fn has_score_or_metadata(object: &ObjectAsVec<'_>) -> bool {
    ["score", "metadata"]
        .iter()
        .any(|name| super::fields::last(object, name).is_some())
}

/// A text, or a number or an object id as text. Blank counts as not given. Of a list of one that one: so Elasticsearch's
/// `fields` and Solr give every value.
pub(super) fn scalar<'a>(value: &'a Node<'a>, made: &'a Made) -> Option<&'a str> {
    match value {
        Node::Array(list) => match list.as_slice() {
            [one @ (Node::Str(_) | Node::Number(_))] => scalar(one, made),
            _ => None,
        },
        Node::Str(text) => Some(text.as_ref()).filter(|text| !is_blank(text)),
        Node::Number(_) => Some(made.keep(serde_json::Value::from(value).to_string())),
        // MongoDB's extended JSON.
        Node::Object(object) => ["$oid", "rendered"]
            .into_iter()
            .find_map(|name| super::fields::last(object, name)?.as_str()),
        _ => None,
    }
}

/// A text, or the texts of a list, each a paragraph: strings, or blocks with a `text` or `snippet`.
fn content<'a>(value: &'a Node<'a>, made: &'a Made) -> Option<&'a str> {
    match value {
        Node::Str(text) => Some(text),
        Node::Array(list) => {
            let parts: Vec<&str> = list
                .iter()
                .filter_map(part)
                .filter(|part| !is_blank(part))
                .collect();
            match parts.as_slice() {
                [] => None,
                [one] => Some(one),
                several => Some(made.keep(several.join("\n\n"))),
            }
        }
        Node::Object(object) => of_body(object),
        _ => None,
    }
}

/// The text of an object that is a text with its form: Elasticsearch's `semantic_text`, Microsoft Graph's `body`, WordPress's
/// `rendered`, Confluence's `body` in one of its representations.
fn of_body<'a>(object: &'a ObjectAsVec<'a>) -> Option<&'a str> {
    let under = |object: &'a ObjectAsVec<'a>, names: &[&str]| {
        let mut found = names.iter().filter_map(|name| super::fields::last(object, name));
        found.find_map(Node::as_str)
    };
    under(object, &["text", "content", "rendered"]).or_else(|| {
        ["plain", "view", "export_view", "storage"]
            .into_iter()
            .find_map(|name| match super::fields::last(object, name)? {
                Node::Object(inner) => under(inner, &["value"]),
                _ => None,
            })
    })
}

fn part<'a>(value: &'a Node<'a>) -> Option<&'a str> {
    match value {
        Node::Str(text) => Some(text),
        Node::Object(object) => ["text", "snippet", "content", "value", "fragment"]
            .into_iter()
            .find_map(|name| super::fields::last(object, name)?.as_str()),
        _ => None,
    }
}

/// A date as text: text, a number, MongoDB's `$date`, or seconds in an object. Flags are none.
fn date<'a>(value: &'a Node<'a>, made: &'a Made) -> Option<&'a str> {
    match value {
        Node::Array(list) => match list.as_slice() {
            [one @ (Node::Str(_) | Node::Number(_) | Node::Array(_))] => date(one, made),
            parts => date_of_parts(parts).map(|text| made.keep(text)),
        },
        Node::Str(text) => Some(text.as_ref()).filter(|text| !is_blank(text)),
        Node::Number(number) => {
            let text = scalar(value, made)?;
            match number.as_f64().and_then(date_of_number) {
                // 1.7e9 is no text of a date.
                Some(date) if read_date(text) != Some(date) => {
                    Some(made.keep(crate::date::iso_millis(date.instant)))
                }
                _ => Some(text),
            }
        }
        Node::Object(object) => [
            "$date",
            "$numberLong",
            "seconds",
            "_seconds",
            "date-parts",
            "date_parts",
        ]
        .into_iter()
        .find_map(|name| date(super::fields::last(object, name)?, made)),
        _ => None,
    }
}

/// The date of a list of numbers: its year, month and day. CSL's `date-parts`, Java's `LocalDateTime` and Python's `struct_time` have no
/// zone, so of what stands behind the day nothing is known.
fn date_of_parts(parts: &[Node<'_>]) -> Option<String> {
    let numbers: Option<Vec<i64>> = parts.iter().map(Node::as_i64).collect();
    match numbers?.as_slice() {
        [year @ 1000..=9999, month] => Some(format!("{year}-{month:02}")),
        [year @ 1000..=9999, month, day, rest @ ..] if rest.len() <= 6 => {
            Some(format!("{year}-{month:02}-{day:02}"))
        }
        _ => None,
    }
}

/// Whether this names a place: an address, or a path.
pub(super) fn is_place(text: &str) -> bool {
    is_address(text) || text.contains(['/', '\\'])
}

/// The lists of documents in the answer of a search interface or a store, each with its name, where this is no document
/// itself.
pub(super) fn lists_in<'a>(object: &'a ObjectAsVec<'a>) -> Vec<(&'a str, &'a [Node<'a>])> {
    let says = |field: Field| {
        object.iter().any(|(name, value)| {
            meaning(name).is_some_and(|(known, _)| known == field) && matches!(value, Node::Str(_))
        })
    };
    let mut out = Vec::new();
    if !(says(Field::Content) || says(Field::Title) || says(Field::Source)) {
        gather_lists(object, DEEPEST, false, &mut out);
    }
    out
}

fn gather_lists<'a>(
    object: &'a ObjectAsVec<'a>,
    depth: usize,
    any_name: bool,
    out: &mut Vec<(&'a str, &'a [Node<'a>])>,
) {
    for (name, value) in object.iter() {
        match value {
            Node::Array(list) if any_name || names::LISTS.contains(&name) => {
                // A list of blocks of text is a content.
                let documents = list.iter().any(|entry| match entry {
                    Node::Object(entry) => name != "content" || entry.iter().any(|(name, _)| name == "url"),
                    _ => false,
                });
                if documents {
                    out.push((name, list.as_slice()));
                }
            }
            Node::Object(inner) if depth > 0 && names::AROUND.contains(&name) => {
                gather_lists(inner, depth - 1, name == "Get", out);
            }
            _ => {}
        }
    }
}
