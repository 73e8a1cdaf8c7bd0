//! What was available, and where it is from.

use serde_json::Value;

use super::mappings::Mappings;
use super::measures::{Span, Tokens};
use super::record::{Facts, is_empty, record};
use crate::values::{ContentMode, RedactionState, Scope, SelectorType, State};

record! {
    /// What was available in a scope before anything was selected. The specification lists no fields; these are ours.
    Surface
    needs {
        /// Its id.
        surface_id: String,
        /// Whose it is.
        scope: Scope,
        /// `tool_result`, `section` of a composite, or `candidates` that the caller brought.
        surface_kind: String,
        /// When it was there.
        created_at: String,
    }
    may {
        /// The tool.
        tool: String,
        /// What was asked for, in words.
        query: String,
        /// `success`, `partial`, `empty`, `stale` or `failed`.
        status: String,
        /// Items that there are, shown or not.
        item_count: u64,
        /// When the answer's content left its source.
        retrieved_at: String,
    }
    lists {
        /// Its items.
        item_refs: Vec<String>,
        /// Further facts.
        metadata: Facts,
    }
}

record! {
    /// One unit of context.
    Item
    needs {
        /// Its id: the same for the same content and address in every call.
        item_id: String,
        /// `item` of a source, `document`, `section`, `signal` of a caller.
        context_kind: String,
        /// Title in one line.
        title: String,
        /// How its content is held.
        content_mode: ContentMode,
        /// How far its words may be trusted: `external` is data, never instructions.
        trust_level: String,
        /// `public`, `unknown`, or the caller's word.
        sensitivity: String,
        /// What was done to sensitive portions.
        redaction_state: RedactionState,
        /// `delivered` where it was in the text of the answer, else `not_delivered`.
        visibility: String,
        /// Where it stands in its life (ours on items).
        lifecycle: State,
        /// When the record was made.
        created_at: String,
        /// How old it is, and how sure that is.
        freshness: Freshness,
    }
    may {
        /// The content.
        content: String,
        /// Where the content is: an address, or a JSON Pointer into the structured result.
        content_ref: String,
        /// Media type of the content.
        mime_type: String,
        /// Language of the content, where it is known.
        language: String,
        /// Tokens of the content.
        token_estimate: Tokens,
        /// Bytes of the content before redaction.
        byte_size: u64,
        /// Place in rank order, from 1.
        priority: u64,
        /// How long it should be kept, where somebody said so.
        retention_hint: String,
    }
    lists {
        /// Where it is from.
        source_refs: Vec<String>,
        /// Decisions of policies about it (ours on items).
        policy_refs: Vec<Value>,
        /// Further facts.
        metadata: Facts,
    }
}

record! {
    /// How old an item is.
    Freshness
    needs {
        /// How reliable the date is: `high`, `medium`, `low`, `unknown`.
        date_confidence: String,
    }
    may {
        /// When it was published.
        published_at: String,
        /// When it was retrieved.
        retrieved_at: String,
        /// 0 to 100; none where the date is not known.
        freshness_score: u64,
        /// Age in words.
        age: String,
        /// The decision of the judgement, where it was judged.
        decision: String,
        /// When to judge it again.
        revalidate_after: String,
    }
}

record! {
    /// Where an item is from.
    SourceRef
    needs {
        /// Its id: the same for the same address in every call.
        source_id: String,
        /// Address, or the stable name that the caller gave.
        uri: String,
        /// The kind of source: an adapter's id, or the caller's word.
        source_kind: String,
    }
    may {
        /// The part of it.
        selector: Selector,
        /// `sha256:` and the hash of the content; never of a text that was redacted.
        digest: String,
        /// Who answers for it: the host of its address.
        authority: String,
        /// Ids of other protocols.
        external_mappings: Mappings,
        /// Its licence, where it is known.
        license: String,
        /// When it was retrieved.
        retrieved_at: String,
        /// When it was last changed or published, by its own word.
        modified_at: String,
    }
    lists {
        /// What it was derived from.
        provenance_refs: Vec<String>,
        /// Further facts; `native_id` is the source's own id.
        metadata: Facts,
    }
}

record! {
    /// A part of a source or of a text.
    Selector
    needs {
        /// How it is pointed at.
        selector_type: SelectorType,
    }
    may {
        /// A pointer, path or quote.
        value: String,
        /// What the positions are in: the SHA-256 of a text.
        of_sha256: String,
    }
    lists {
        /// Stretches, from and to.
        spans: Vec<Span>,
    }
}
