//! Feeds of changes: Atom (RFC 4287) and JSON Feed (<https://www.jsonfeed.org/version/1.1/>).

use std::collections::HashSet;
use std::io;

use chrono::{DateTime, FixedOffset};
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event as Xml};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::FEED_ENTRIES;
use crate::diff::Diff;

/// One change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Time of discovery, RFC 3339.
    pub at: String,
    /// `added`, `changed` or `removed`.
    pub kind: String,
    /// The resource.
    pub resource: String,
    /// The item's id.
    pub id: String,
    /// The item's title.
    pub title: String,
    /// The item's URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The fields that differ, or the reason of a removal.
    pub detail: String,
    /// The state in which an item is that does not stand any more, or with a reservation, if that is the news.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standing: Option<String>,
    /// Whether nothing differs but figures that always move, by the table of their source.
    #[serde(default, skip_serializing_if = "is_not")]
    pub moving: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that serde asks for")]
const fn is_not(flag: &bool) -> bool {
    !*flag
}

impl Event {
    /// Whether it tells that fields of an item differ, and nothing graver.
    fn is_of_fields(&self) -> bool {
        self.kind == "changed" && self.standing.is_none()
    }
}

/// Returns the changes in a diff, found at this time, without those by time alone. `quote` quotes source text
/// on one line; `moves` says of a resource whether a field of its items always moves.
pub fn events(
    diff: &Diff,
    at: &str,
    quote: fn(&str) -> String,
    moves: impl Fn(&str, &str) -> bool,
) -> Vec<Event> {
    let event =
        |kind: &str, resource: &str, id: &str, title: String, url: Option<String>, detail: String| Event {
            at: at.to_owned(),
            kind: kind.to_owned(),
            resource: resource.to_owned(),
            id: id.to_owned(),
            title,
            url,
            detail,
            standing: None,
            moving: false,
        };
    let added = diff.added.iter().map(|added| {
        let text = |name: &str| added.entry.text(name).map(str::to_owned);
        let title = added.entry.title().to_owned();
        let detail = added
            .detail
            .clone()
            .or_else(|| text("published_at").map(|date| format!("published {date}")))
            .unwrap_or_default();
        event(
            "added",
            &added.entry.resource,
            &added.entry.id,
            title,
            text("url"),
            detail,
        )
    });
    let changed = diff.changed.iter().map(|changed| {
        let fields = changed.words(" is now ", quote);
        let (title, url) = (changed.title.clone(), changed.url.clone());
        let event = event(
            "changed",
            &changed.resource,
            &changed.id,
            title,
            url,
            fields.join("; "),
        );
        Event {
            standing: changed.standing(),
            moving: changed.id_then.is_none()
                && changed
                    .fields
                    .iter()
                    .all(|change| moves(&changed.resource, &change.field)),
            ..event
        }
    });
    let removed = diff.removed.iter().map(|removed| {
        let (title, url) = (removed.title.clone(), removed.url.clone());
        let detail = removed.detail.clone();
        event("removed", &removed.resource, &removed.id, title, url, detail)
    });
    let mut all: Vec<Event> = added.chain(changed).chain(removed).collect();
    // What does not stand any more is the first to be known.
    all.sort_by_key(|event| event.standing.is_none());
    all
}

/// The changes of one deliverable, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feed {
    name: String,
    events: Vec<Event>,
}

impl Feed {
    /// An empty feed.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            events: Vec::new(),
        }
    }

    /// Adds changes found later than the existing ones. A later change of an item's fields takes the place of an earlier
    /// one. Beyond [`FEED_ENTRIES`] the oldest changes of figures that always move go first, then those of other fields:
    /// neither pushes out what was added, removed, or does not stand any more.
    pub fn add(&mut self, events: Vec<Event>) {
        let mut later: HashSet<(String, String)> = HashSet::new();
        let all = events.into_iter().chain(std::mem::take(&mut self.events));
        self.events = all
            .filter(|event| !event.is_of_fields() || later.insert((event.resource.clone(), event.id.clone())))
            .collect();
        self.drop_oldest(|event| event.is_of_fields() && event.moving);
        self.drop_oldest(Event::is_of_fields);
        self.events.truncate(FEED_ENTRIES);
    }

    /// Drops the oldest changes of a kind, as long as there are too many changes.
    fn drop_oldest(&mut self, of_kind: impl Fn(&Event) -> bool) {
        let mut over = self.events.len().saturating_sub(FEED_ENTRIES);
        let mut kept: Vec<Event> = Vec::with_capacity(self.events.len());
        for event in std::mem::take(&mut self.events).into_iter().rev() {
            if over > 0 && of_kind(&event) {
                over -= 1;
            } else {
                kept.push(event);
            }
        }
        kept.reverse();
        self.events = kept;
    }

    /// The changes, newest first.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    fn address(&self) -> String {
        format!("freshcontext://deliverables/{}", self.name)
    }

    /// The same change at the same time has the same id in both formats.
    fn id(&self, event: &Event) -> String {
        let mut hash = Sha256::new();
        for part in [&event.at, &event.kind, &event.resource, &event.id, &event.detail] {
            hash.update(part.len().to_be_bytes());
            hash.update(part);
        }
        let digest = base16ct::lower::encode_string(&hash.finalize());
        format!(
            "{}#{}",
            self.address(),
            digest.get(..32).unwrap_or(digest.as_str())
        )
    }

    /// Formats the feed as Atom. `now` is its date if there are no changes.
    pub fn atom(&self, now: &str) -> String {
        let mut out = Vec::new();
        // Writing to a Vec cannot fail, and only strings are written.
        match self.write_atom(&mut Writer::new(&mut out), now) {
            Ok(()) => String::from_utf8(out).unwrap_or_default(),
            Err(_) => String::new(),
        }
    }

    fn write_atom(&self, out: &mut Writer<&mut Vec<u8>>, now: &str) -> io::Result<()> {
        out.write_event(Xml::Decl(BytesDecl::new("1.0", None, None)))?;
        out.write_event(Xml::Text(BytesText::from_escaped("\n")))?;
        let feed = out.create_element("feed");
        let feed = feed.with_attribute(("xmlns", "http://www.w3.org/2005/Atom"));
        feed.write_inner_content(|out| {
            let newest = self.events.first().map_or(now, |event| event.at.as_str());
            text(out, "title", &format!("Changes of {}", self.name))?;
            text(out, "id", &self.address())?;
            // A wrong clock must not date the feed in the future: readers would ignore later changes.
            let updated = instant(newest).min(instant(now));
            text(out, "updated", &updated.to_rfc3339())?;
            out.create_element("author")
                .write_inner_content(|out| text(out, "name", "freshcontext"))?;
            self.events
                .iter()
                .try_for_each(|event| self.write_entry(out, event))
        })?;
        Ok(())
    }

    fn write_entry(&self, out: &mut Writer<&mut Vec<u8>>, event: &Event) -> io::Result<()> {
        out.create_element("entry").write_inner_content(|out| {
            text(out, "title", &heading(event))?;
            text(out, "id", &self.id(event))?;
            text(out, "updated", &instant(&event.at).to_rfc3339())?;
            if let Some(url) = &event.url {
                let link = out.create_element("link").with_attribute(("href", url.as_str()));
                link.with_attribute(("rel", "alternate")).write_empty()?;
            }
            let content = out.create_element("content").with_attribute(("type", "text"));
            content.write_text_content(BytesText::new(&event.detail))?;
            Ok(())
        })?;
        Ok(())
    }

    /// Formats the feed as JSON Feed 1.1.
    pub fn json(&self) -> Value {
        let items: Vec<Value> = self
            .events
            .iter()
            .map(|event| {
                let mut item = json!({
                    "id": self.id(event),
                    "title": heading(event),
                    "content_text": event.detail,
                    "date_published": event.at,
                    "tags": [event.kind],
                });
                if let (Some(url), Some(item)) = (&event.url, item.as_object_mut()) {
                    item.insert("external_url".to_owned(), url.as_str().into());
                }
                item
            })
            .collect();
        json!({
            "version": "https://jsonfeed.org/version/1.1",
            "title": format!("Changes of {}", self.name),
            "items": items,
        })
    }
}

/// Writes a text element.
fn text(out: &mut Writer<&mut Vec<u8>>, name: &str, text: &str) -> io::Result<()> {
    out.create_element(name)
        .write_text_content(BytesText::new(text))?;
    Ok(())
}

/// Parses a timestamp; 1970 if it is invalid.
fn instant(text: &str) -> DateTime<FixedOffset> {
    DateTime::parse_from_rfc3339(text).unwrap_or_default()
}

fn heading(event: &Event) -> String {
    let Some(standing) = &event.standing else {
        return format!("{}: {}", event.kind, event.title);
    };
    let mut letters = standing.chars();
    let word: String = letters
        .next()
        .into_iter()
        .flat_map(char::to_uppercase)
        .chain(letters)
        .collect();
    format!("[{word}] {}", event.title)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moving_figures_push_out_nothing_graver() {
        let of = |kind: &str, id: String, at: usize| Event {
            at: format!("2026-11-21T00:{:02}:{:02}Z", at / 60 % 60, at % 60),
            kind: kind.to_owned(),
            resource: "r".to_owned(),
            moving: kind == "changed" && id != "kept",
            id,
            title: "t".to_owned(),
            url: None,
            detail: format!("fields.points {at}"),
            standing: None,
        };
        let mut feed = Feed::new("x");
        feed.add(vec![
            of("removed", "gone".to_owned(), 0),
            of("added", "new".to_owned(), 0),
            of("changed", "kept".to_owned(), 0),
        ]);
        for at in 0..FEED_ENTRIES * 2 {
            feed.add(vec![
                of("changed", format!("i{at}"), at),
                of("changed", "same".to_owned(), at),
            ]);
        }
        let kinds = |kind: &str| feed.events().iter().filter(|event| event.kind == kind).count();
        assert_eq!(
            (feed.events().len(), kinds("removed"), kinds("added")),
            (FEED_ENTRIES, 1, 1)
        );
        let with_id = |id: &str| feed.events().iter().filter(|event| event.id == id).count();
        // A change of something else than figures is kept as long as there are figures to drop.
        assert_eq!((with_id("same"), with_id("kept")), (1, 1));
    }

    fn event(at: &str, title: &str) -> Event {
        Event {
            at: at.to_owned(),
            kind: "changed".to_owned(),
            resource: "a {}".to_owned(),
            id: title.to_owned(),
            title: title.to_owned(),
            url: Some("https://example.com/?a=1&b=<2>".to_owned()),
            detail: "title: A & B is now <C>".to_owned(),
            standing: None,
            moving: false,
        }
    }

    #[test]
    fn what_does_not_stand_any_more_comes_first_and_in_the_title() {
        use crate::diff::{Changed, FieldChange};
        let changed = |id: &str, field: &str, now: Value| Changed {
            resource: "a {}".to_owned(),
            id: id.to_owned(),
            id_then: None,
            title: format!("Study {id}"),
            url: None,
            fields: vec![FieldChange {
                field: field.to_owned(),
                then: None,
                now: Some(now),
            }],
            aged: Vec::new(),
        };
        let diff = Diff {
            changed: vec![
                changed("1", "title", json!("b")),
                changed(
                    "2",
                    "standing",
                    json!({"state": "retracted", "since": "2026-11-02"}),
                ),
            ],
            ..Diff::default()
        };
        let found = events(
            &diff,
            "2026-11-20T00:00:00Z",
            |text| format!("\"{text}\""),
            |_, _| false,
        );
        assert_eq!(heading(&found[0]), "[Retracted] Study 2");
        assert_eq!(found[0].detail, "standing: nothing is now \"retracted\"");
        assert_eq!(heading(&found[1]), "changed: Study 1");
    }

    fn feed() -> Feed {
        let mut feed = Feed::new("jobs");
        feed.add(vec![event("2026-11-16T09:00:00.000Z", "first")]);
        feed.add(vec![event("2026-11-20T09:00:00.000Z", "second <b>")]);
        feed
    }

    /// Parses the newest entry of the Atom feed with another library.
    fn read_back(feed: &Feed) -> feed_rs::model::Entry {
        let atom = feed.atom("2026-11-21T09:00:00.000Z");
        feed_rs::parser::parse(atom.as_bytes())
            .unwrap()
            .entries
            .swap_remove(0)
    }

    /// Both formats are read back by another library.
    #[test]
    fn both_forms_are_read_by_others() {
        let now = "2026-11-21T09:00:00.000Z";
        for bytes in [
            feed().atom(now).into_bytes(),
            feed().json().to_string().into_bytes(),
        ] {
            let read = feed_rs::parser::parse(bytes.as_slice()).unwrap();
            let titles: Vec<String> = read
                .entries
                .iter()
                .filter_map(|entry| entry.title.as_ref().map(|title| title.content.clone()))
                .collect();
            assert_eq!(titles, ["changed: second <b>", "changed: first"]);
            assert_eq!(read.entries.first().unwrap().id, feed().id(&feed().events()[0]));
            assert_eq!(read.entries.len(), 2);
        }
        assert_eq!(
            feed().atom(now).split_once("<entry>").unwrap().0,
            "<?xml version=\"1.0\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>Changes of jobs</title>\
             <id>freshcontext://deliverables/jobs</id><updated>2026-11-20T09:00:00+00:00</updated>\
             <author><name>freshcontext</name></author>"
        );
        let hostile = read_back(&feed());
        // The library normalises addresses.
        assert_eq!(
            hostile.links.first().unwrap().href,
            "https://example.com/?a=1&b=%3C2%3E"
        );
        let content = hostile.content.unwrap().body.unwrap();
        assert_eq!(content, "title: A & B is now <C>");
        let empty = Feed::new("jobs").atom(now);
        assert!(
            feed_rs::parser::parse(empty.as_bytes())
                .unwrap()
                .entries
                .is_empty()
        );
        assert!(empty.contains("2026-11-21T09:00:00"), "{empty}");
    }

    #[test]
    fn a_feed_is_bounded() {
        let mut feed = Feed::new("jobs");
        let many: Vec<Event> = (0..FEED_ENTRIES + 5)
            .map(|at| event("2026-11-16T09:00:00.000Z", &at.to_string()))
            .collect();
        feed.add(many);
        feed.add(vec![event("2026-11-20T09:00:00.000Z", "newest")]);
        assert_eq!(feed.events().len(), FEED_ENTRIES);
        assert_eq!(feed.events()[0].title, "newest");
    }
}
