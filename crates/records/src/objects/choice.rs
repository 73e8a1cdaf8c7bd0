//! What was selected, and the room there was.

use serde_json::Value;

use super::measures::Span;
use super::record::{Facts, is_empty, record};
use crate::values::{OmissionReason, OverflowStrategy, State};

record! {
    /// What was selected, what was left out, and why. Every candidate is in exactly one of the two.
    Selection
    needs {
        /// Its id.
        selection_id: String,
        /// What it chose from.
        surface_id: String,
        /// When.
        created_at: String,
        /// Where it stands in its life (ours).
        lifecycle: State,
    }
    may {
        /// What was looked for, in words.
        query: String,
        /// What for.
        intent: String,
        /// What decided, as `profile:ID intent:ID` or a rule in words.
        selection_policy: String,
        /// The budget.
        budget_ref: String,
        /// What it rests on, in words.
        rationale: String,
        /// Who selected.
        actor_ref: String,
        /// The model that selected; ours is none.
        model_ref: String,
    }
    lists {
        /// All candidates, in rank order.
        candidate_item_refs: Vec<String>,
        /// Those that go in.
        selected_item_refs: Vec<String>,
        /// Those that stay out, each with its reason.
        omitted_item_refs: Vec<Omission>,
        /// What ranked them, an entry for each candidate.
        ranking_signals: Vec<Value>,
        /// Further facts.
        metadata: Facts,
    }
}

record! {
    /// An item that was left out.
    Omission
    needs {
        /// The item.
        item_ref: String,
        /// Why.
        reason: OmissionReason,
        /// What that rests on.
        detail: String,
    }
}

record! {
    /// What was allowed and what was used.
    BudgetRecord
    needs {
        /// Its id.
        budget_id: String,
        /// What happens to what does not fit.
        overflow_strategy: OverflowStrategy,
        /// When.
        created_at: String,
        /// Tokens of the assembly.
        actual_tokens: u64,
        /// Bytes of the assembly.
        actual_bytes: u64,
        /// Items in the assembly.
        actual_items: u64,
        /// What counted (ours): its name, and whether it is the target's own.
        tokenizer: String,
        /// `exact`, or `estimate` (ours).
        token_counts: String,
    }
    may {
        /// Who reads it.
        target: String,
        /// Tokens, what is reserved included.
        max_tokens: u64,
        /// Tokens of these that are kept free.
        reserved_tokens: u64,
        /// Bytes.
        max_bytes: u64,
        /// Items.
        max_items: u64,
    }
    lists {
        /// What was cut, replaced or deferred.
        truncation_records: Vec<Truncation>,
        /// How the room is laid out.
        window_segments: Vec<WindowSegment>,
    }
}

record! {
    /// One item that was cut, replaced or deferred.
    Truncation
    needs {
        /// The item.
        item_ref: String,
        /// What was done.
        method: String,
        /// Bytes before.
        original_bytes: u64,
        /// Bytes that are kept.
        kept_bytes: u64,
        /// What a reader should know of the loss.
        loss_notes: String,
        /// How to get the whole again.
        refresh_policy: String,
    }
    may {
        /// SHA-256 of the text that the spans are in; left out where that text was redacted.
        text_sha256: String,
        /// Where the whole is, and the call that fetches it.
        deferred_to: Value,
    }
    lists {
        /// What is kept of it, in bytes of its text.
        kept: Vec<Span>,
    }
}

record! {
    /// The room of a target, in order. The specification lists no fields; these are ours.
    Window
    needs {
        /// Its id.
        window_id: String,
        /// Its budget.
        budget_ref: String,
        /// When.
        created_at: String,
    }
    may {
        /// Who reads it.
        target: String,
    }
    lists {
        /// Its segments in order.
        segments: Vec<WindowSegment>,
    }
}

record! {
    /// A segment of a window.
    WindowSegment
    needs {
        /// `context`, `free`, or `reserved` for the caller's own prompt.
        segment: String,
        /// Its tokens.
        tokens: u64,
    }
}
