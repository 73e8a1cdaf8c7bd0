//! Shapes of the sources' responses: for each address, the fields that are read, derived from the fixtures.
//! `doctor --online` compares live responses with them.
//!
//! `cargo xtask generate` writes the table. A field counts as read if the adapter's result differs without
//! it, so no hand-written list is needed.

mod places;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use freshcontext_contract::url::Url;
use serde::{Deserialize, Serialize};

pub use places::{Form, Kind, Places, Tally, form_of, places, without};

/// The generated table.
const TABLE: &str = include_str!("table.json");

/// The shapes of all sources.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shapes {
    /// Addresses by adapter id.
    pub sources: BTreeMap<String, Vec<Endpoint>>,
    /// Rate-limit headers by the host known to send them.
    pub limit_headers: BTreeMap<String, BTreeSet<String>>,
}

/// Shape of the responses of one address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Endpoint {
    /// The host.
    pub host: String,
    /// The path, with `*` in place of identifiers.
    pub path: String,
    /// Format of the body.
    pub form: Form,
    /// The fields that the adapter reads, by path.
    pub fields: BTreeMap<String, Field>,
}

/// A field that the adapter reads. The table has it as `always number or null` or `mostly text`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Field {
    /// The value types seen.
    pub kinds: BTreeSet<Kind>,
    /// How often the field was present.
    pub often: Often,
}

/// How often a field was present where it could be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Often {
    /// Every time.
    Always,
    /// Half of the time or more.
    Mostly,
    /// Less often.
    Sometimes,
}

/// Minimum number of holders that lack a mostly present field for the absence to be significant.
const TELLING: u64 = 5;

impl Often {
    const ALL: [Self; 3] = [Self::Always, Self::Mostly, Self::Sometimes];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Mostly => "mostly",
            Self::Sometimes => "sometimes",
        }
    }

    /// Returns whether a field that is absent from all of these holders has been removed.
    const fn gone_from(self, holders: u64) -> bool {
        match self {
            Self::Always => holders > 0,
            Self::Mostly => holders >= TELLING,
            Self::Sometimes => false,
        }
    }
}

impl From<Field> for String {
    fn from(field: Field) -> Self {
        format!("{} {}", field.often.as_str(), listed(&field.kinds))
    }
}

impl TryFrom<String> for Field {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let unknown = || format!("`{text}` describes no field");
        let (often, kinds) = text.split_once(' ').ok_or_else(unknown)?;
        let often = Often::ALL.into_iter().find(|known| known.as_str() == often);
        let kinds = kinds
            .split(" or ")
            .map(|name| Kind::parse(name).ok_or_else(unknown));
        Ok(Self {
            kinds: kinds.collect::<Result<_, _>>()?,
            often: often.ok_or_else(unknown)?,
        })
    }
}

/// A difference between a response and its known shape.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Drift {
    /// Kind of difference: `field_gone`, `type_changed`, `new_limit_header`, `block_page`, `slow` ...
    pub kind: &'static str,
    /// Host, path and field.
    pub place: String,
    /// Observed value.
    pub detail: String,
}

impl Shapes {
    /// Returns the generated table; empty if it is invalid, which a test rules out.
    pub fn generated() -> &'static Self {
        static SHAPES: LazyLock<Shapes> = LazyLock::new(|| serde_json::from_str(TABLE).unwrap_or_default());
        &SHAPES
    }

    /// Returns the known shape of an address.
    pub fn endpoint(&self, source: &str, url: &Url) -> Option<&Endpoint> {
        let (host, path) = (url.host_str()?, pattern(url.path()));
        let known = self.sources.get(source)?.iter();
        known
            .filter(|endpoint| endpoint.host == host)
            .find(|endpoint| endpoint.path == path)
    }

    /// Returns rate-limit headers of a host that belong to no family known for it.
    pub fn new_limit_headers<'h>(&self, host: &str, names: impl Iterator<Item = &'h str>) -> Vec<&'h str> {
        let known: BTreeSet<&str> = self
            .limit_headers
            .get(host)
            .into_iter()
            .flatten()
            .map(|name| family(name))
            .collect();
        names
            .filter(|name| states_limit(name) && !known.contains(family(name)))
            .collect()
    }
}

/// Replaces identifiers in a path (segments with two digits or more) by `*`.
pub fn pattern(path: &str) -> String {
    let segments = path.split('/').map(|segment| {
        let digits = segment.bytes().filter(u8::is_ascii_digit).count();
        if digits > 1 { "*" } else { segment }
    });
    segments.collect::<Vec<_>>().join("/")
}

/// Returns whether a header (lower case) states a rate limit.
pub fn states_limit(name: &str) -> bool {
    ["ratelimit", "rate-limit", "quota", "throttl", "retry-after"]
        .iter()
        .any(|part| name.contains(part))
}

/// Returns the family of a header: `x-ratelimit-limit` and `x-ratelimit-reset` share one.
fn family(name: &str) -> &str {
    for part in ["ratelimit", "rate-limit"] {
        if let Some(at) = name.find(part) {
            return name.get(..at + part.len()).unwrap_or(name);
        }
    }
    name
}

impl Endpoint {
    /// Compares a body with the known shape. A container that is absent or empty does not count as a
    /// difference.
    pub fn drifts(&self, body: &[u8]) -> Vec<Drift> {
        let at = |field: &str| format!("{}{} {field}", self.host, self.path);
        let Some(found) = places(body, self.form) else {
            return vec![Drift {
                kind: "form_changed",
                place: format!("{}{}", self.host, self.path),
                detail: format!("no {} any more", self.form.as_str()),
            }];
        };
        let mut drifts = Vec::new();
        for (place, field) in &self.fields {
            let parents = found.holders(place);
            match found.0.get(place) {
                None if field.often.gone_from(parents) => drifts.push(Drift {
                    kind: "field_gone",
                    place: at(place),
                    detail: format!("was {}, is in none of {parents}", listed(&field.kinds)),
                }),
                None => {}
                Some(tally) => {
                    let real = |kind: &&Kind| **kind != Kind::Null;
                    let new: BTreeSet<Kind> = tally
                        .kinds
                        .difference(&field.kinds)
                        .filter(real)
                        .copied()
                        .collect();
                    if !new.is_empty() && field.kinds.iter().any(|kind| real(&kind)) {
                        drifts.push(Drift {
                            kind: "type_changed",
                            place: at(place),
                            detail: format!("was {}, is {}", listed(&field.kinds), listed(&new)),
                        });
                    }
                }
            }
        }
        drifts
    }
}

fn listed(kinds: &BTreeSet<Kind>) -> String {
    let names: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
    names.join(" or ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generated_table_is_read_and_knows_every_source() {
        let shapes: Shapes = serde_json::from_str(TABLE).unwrap();
        assert_eq!(&shapes, Shapes::generated());
        for adapter in freshcontext_sources::adapters() {
            let id = adapter.descriptor().id;
            assert!(shapes.sources.contains_key(id), "{id}");
        }
    }

    fn endpoint(form: Form, fields: &[(&str, &[Kind], Often)]) -> Endpoint {
        Endpoint {
            host: "api.example.org".to_owned(),
            path: "/items".to_owned(),
            form,
            fields: fields
                .iter()
                .map(|(place, kinds, often)| {
                    let field = Field {
                        kinds: kinds.iter().copied().collect(),
                        often: *often,
                    };
                    ((*place).to_owned(), field)
                })
                .collect(),
        }
    }

    fn kinds(endpoint: &Endpoint, body: &str) -> Vec<(&'static str, String)> {
        endpoint
            .drifts(body.as_bytes())
            .into_iter()
            .map(|drift| (drift.kind, drift.place))
            .collect()
    }

    #[test]
    fn what_is_gone_or_of_another_type_is_named_and_an_absence_is_not() {
        let items = endpoint(
            Form::Json,
            &[
                ("hits", &[Kind::List], Often::Always),
                ("hits[].title", &[Kind::Text], Often::Always),
                ("hits[].points", &[Kind::Number, Kind::Null], Often::Always),
                ("hits[].text", &[Kind::Text], Often::Sometimes),
                ("hits[].url", &[Kind::Text], Often::Mostly),
            ],
        );
        let place = |field: &str| format!("api.example.org/items {field}");
        assert_eq!(
            kinds(&items, r#"{"hits": [{"title": "a", "points": 1, "new": {}}]}"#),
            []
        );
        assert_eq!(kinds(&items, r#"{"hits": []}"#), []);
        assert_eq!(
            kinds(
                &items,
                r#"{"hits": [{"title": null, "points": null, "text": "x"}]}"#
            ),
            []
        );
        assert_eq!(
            kinds(&items, r#"{"hits": [{"points": 1}, {"points": 2}]}"#),
            [("field_gone", place("hits[].title"))]
        );
        assert_eq!(
            kinds(
                &items,
                r#"{"hits": [{"points": 1, "title": "a"}, {"points": 2}]}"#
            ),
            [],
            "one item without it is no drift"
        );
        assert_eq!(
            kinds(&items, r#"{"hits": [{"points": "1", "title": ["a"]}]}"#),
            [
                ("type_changed", place("hits[].points")),
                ("type_changed", place("hits[].title"))
            ]
        );
        let many = serde_json::json!({"hits": vec![serde_json::json!({"title": "a", "points": 1}); 5]});
        assert_eq!(
            kinds(&items, &many.to_string()),
            [("field_gone", place("hits[].url"))],
            "five without what is mostly there"
        );
        assert_eq!(kinds(&items, r#"{"items": []}"#), [("field_gone", place("hits"))]);
        assert_eq!(
            kinds(&items, "<html>"),
            [("form_changed", "api.example.org/items".to_owned())]
        );
    }

    #[test]
    fn feeds_and_tables_are_held_to_their_elements_and_columns() {
        let feed = endpoint(
            Form::Xml,
            &[("feed/entry/published", &[Kind::Text], Often::Always)],
        );
        assert_eq!(
            kinds(&feed, "<feed><entry><published>x</published></entry></feed>"),
            []
        );
        assert_eq!(kinds(&feed, "<feed/>"), []);
        let gone = kinds(&feed, "<feed><entry><title/></entry></feed>");
        assert_eq!(gone[0].0, "field_gone");
        let table = endpoint(Form::Csv, &[("Close", &[Kind::Text], Often::Always)]);
        assert_eq!(kinds(&table, "Date,Close\n2026-01-02,5\n"), []);
        assert_eq!(kinds(&table, "Date,Last\n2026-01-02,5\n")[0].0, "field_gone");
    }

    #[test]
    fn a_limit_of_a_known_family_is_not_new() {
        let mut shapes = Shapes::default();
        shapes.limit_headers.insert(
            "api.example.org".to_owned(),
            BTreeSet::from(["x-ratelimit-remaining".to_owned()]),
        );
        let names = [
            "x-ratelimit-limit",
            "content-type",
            "x-rate-limit-interval",
            "ratelimit-policy",
        ];
        assert_eq!(
            shapes.new_limit_headers("api.example.org", names.into_iter()),
            ["x-rate-limit-interval", "ratelimit-policy"]
        );
        assert_eq!(
            shapes
                .new_limit_headers("other.example.org", names.into_iter())
                .len(),
            3
        );
    }

    #[test]
    fn paths_are_compared_without_what_names_one_thing() {
        assert_eq!(pattern("/api/v1/items/18562744"), "/api/v1/items/*");
        assert_eq!(pattern("/submissions/CIK0000320193.json"), "/submissions/*");
        assert_eq!(pattern("/repos/example/tool"), "/repos/example/tool");
    }
}
