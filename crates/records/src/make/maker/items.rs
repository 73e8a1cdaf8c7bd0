//! Items and their sources: ids of what is clean, content where it was delivered, a place where it was not.

use std::borrow::Cow;

use freshcontext_core::evaluate::item_identity;
use freshcontext_redact::{REMOVED, masked};
use serde_json::Value;

use super::super::native::authority;
use super::{Maker, PRODUCER};
use crate::ids::{sha256_hex, source_id};
use crate::limits::{BYTES_PER_TOKEN, INLINE_BYTES};
use crate::objects::{Facts, Freshness, Item, Redaction, Selector, SourceRef, Tokens};
use crate::values::{ContentMode, RedactionState, SelectorType, State};

/// An item as an answer has it.
#[derive(Debug, Default)]
pub(crate) struct Piece<'a> {
    /// `item`, `document`, `section` or `signal`.
    pub kind: &'static str,
    pub title: Cow<'a, str>,
    /// The title as its source gave it, which is part of the id; not one that was made of something else.
    pub own_title: Option<Cow<'a, str>>,
    /// Address, or a stable name.
    pub uri: Cow<'a, str>,
    pub source_kind: Cow<'a, str>,
    pub native_id: Option<Cow<'a, str>>,
    pub content: Option<Cow<'a, str>>,
    /// A JSON Pointer into the structured result, where the content is there.
    pub pointer: Option<String>,
    pub freshness: Option<Freshness>,
    pub delivered: bool,
    pub priority: Option<u64>,
    pub sensitivity: Option<Cow<'a, str>>,
    pub policy: Option<Cow<'a, str>>,
    /// It is no text.
    pub opaque: bool,
    /// Why its content is not repeated, and by what rule.
    pub withheld: Option<(RedactionState, &'static str)>,
    /// Its id, where the answer names it.
    pub known_id: Option<String>,
    /// SHA-256 of its content, where the answer names it.
    pub known_sha256: Option<String>,
    pub tokens: Option<Tokens>,
    pub retention_hint: Option<String>,
    pub metadata: Facts,
}

/// What a source reference says besides its kind.
struct SourceFacts {
    uri: String,
    digest: Option<String>,
    withheld: bool,
    retrieved_at: Option<String>,
    modified_at: Option<String>,
}

impl Maker<'_> {
    /// An item and its source. An item that is there already is the same; its id either way.
    pub(crate) fn item(&mut self, piece: Piece<'_>) -> String {
        let clean_uri = if self.marks("uri") {
            // No hash of what is removed; told apart by their order.
            format!("{REMOVED} {}", self.bundle.context_item.len() + 1)
        } else {
            masked(&piece.uri).0.into_owned()
        };
        let content = piece.content.as_deref();
        let holds = content.is_some_and(|content| self.is_withheld(content));
        let unseen = content.is_none() && self.marks("content");
        let hashed = match content {
            Some(_) if self.marks("content") => {
                Some(format!("{REMOVED} {}", self.bundle.context_item.len() + 1))
            }
            Some(content) => Some(masked(content).0.into_owned()),
            None => None,
        };
        let title = piece.own_title.as_deref();
        let clean_title = match title {
            Some(_) if self.marks("title") => {
                Some(format!("{REMOVED} {}", self.bundle.context_item.len() + 1))
            }
            title => title.map(|title| masked(title).0.into_owned()),
        };
        let changed = holds || unseen || clean_uri != piece.uri || clean_title.as_deref() != title;
        let item_id = match piece.known_id.filter(|_| !changed) {
            Some(id) => id,
            None => item_identity(&clean_uri, clean_title.as_deref(), hashed.as_deref()),
        };
        if self
            .bundle
            .context_item
            .iter()
            .any(|item| item.item_id == item_id)
        {
            return item_id;
        }
        let digest = match (&piece.known_sha256, content) {
            _ if holds || unseen => None,
            (Some(known), _) => Some(format!("sha256:{known}")),
            (None, Some(content)) => Some(format!("sha256:{}", sha256_hex(content))),
            (None, None) => None,
        };
        let source = self.source(
            &piece.source_kind,
            &clean_uri,
            piece.native_id.as_deref(),
            &item_id,
            {
                let freshness = piece.freshness.as_ref();
                SourceFacts {
                    uri: piece.uri.clone().into_owned(),
                    digest: digest.clone(),
                    withheld: holds || unseen,
                    retrieved_at: freshness.and_then(|it| it.retrieved_at.clone()),
                    modified_at: freshness.and_then(|it| it.published_at.clone()),
                }
            },
        );
        if let Some((state, rule)) = piece.withheld {
            self.withheld.push(Redaction {
                record_ref: item_id.clone(),
                field: "/content".to_owned(),
                redaction_state: state,
                redaction_method: rule.to_owned(),
                redacted_by: PRODUCER.to_owned(),
            });
        }
        // What was not delivered is pointed at.
        let inline =
            content.filter(|content| content.len() <= INLINE_BYTES && piece.delivered && !piece.opaque);
        let (content_mode, content_ref) = match (&inline, &piece.pointer) {
            (Some(_), _) => (ContentMode::Inline, None),
            _ if piece.opaque => (ContentMode::Opaque, Some(piece.uri.clone().into_owned())),
            (None, Some(pointer)) if content.is_some() => (
                ContentMode::ToolResultRef,
                Some(format!("structuredContent#{pointer}")),
            ),
            _ => (ContentMode::Ref, Some(piece.uri.clone().into_owned())),
        };
        let bytes = content.map(|content| content.len() as u64);
        self.bundle.context_item.push(Item {
            item_id: item_id.clone(),
            context_kind: piece.kind.to_owned(),
            title: piece.title.into_owned(),
            content_mode,
            trust_level: "external".to_owned(),
            sensitivity: piece
                .sensitivity
                .map_or_else(|| "unknown".to_owned(), Cow::into_owned),
            redaction_state: RedactionState::None,
            visibility: if piece.delivered {
                "delivered"
            } else {
                "not_delivered"
            }
            .to_owned(),
            lifecycle: State::Available,
            created_at: self.at.clone(),
            freshness: piece.freshness.unwrap_or_else(unknown_age),
            content: inline.map(str::to_owned),
            content_ref,
            mime_type: content.map(|_| "text/plain".to_owned()),
            language: None,
            token_estimate: piece.tokens.or_else(|| {
                bytes.map(|bytes| Tokens {
                    tokens: bytes.div_ceil(BYTES_PER_TOKEN),
                    counted_by: format!("estimate: bytes / {BYTES_PER_TOKEN}"),
                })
            }),
            byte_size: bytes,
            priority: piece.priority,
            retention_hint: piece.retention_hint,
            source_refs: vec![source],
            policy_refs: piece
                .policy
                .map(|policy| Value::String(policy.into_owned()))
                .into_iter()
                .collect(),
            metadata: piece.metadata,
        });
        item_id
    }

    fn source(
        &mut self,
        kind: &str,
        clean_uri: &str,
        native_id: Option<&str>,
        item_id: &str,
        facts: SourceFacts,
    ) -> String {
        // Two versions of one page are two sources, each with its digest.
        let id = source_id(kind, clean_uri, item_id);
        let mut metadata = Facts::new();
        if let Some(native) = native_id {
            metadata.insert("native_id".to_owned(), native.into());
        }
        if facts.withheld {
            self.withhold(&id, "/digest");
        }
        let selector = native_id.map(|native| Selector {
            selector_type: SelectorType::Custom,
            value: Some(format!("native id {native}")),
            of_sha256: None,
            spans: Vec::new(),
        });
        self.bundle.context_source_ref.push(SourceRef {
            source_id: id.clone(),
            authority: authority(&facts.uri).filter(|_| !self.marks("uri")),
            uri: facts.uri,
            source_kind: kind.to_owned(),
            selector,
            digest: facts.digest,
            external_mappings: None,
            license: None,
            retrieved_at: facts.retrieved_at,
            modified_at: facts.modified_at,
            provenance_refs: Vec::new(),
            metadata,
        });
        id
    }
}

fn unknown_age() -> Freshness {
    Freshness {
        date_confidence: "unknown".to_owned(),
        published_at: None,
        retrieved_at: None,
        freshness_score: None,
        age: None,
        decision: None,
        revalidate_after: None,
    }
}
