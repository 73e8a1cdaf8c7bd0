//! What was put together, where it became visible, and what stands in for what.

use super::content::{Freshness, Selector};
use super::measures::Span;
use super::record::{Facts, is_empty, record};
use crate::values::{CompactionMethod, InjectionPoint, RedactionState, Scope};

record! {
    /// Blocks in order, prepared for a target.
    Assembly
    needs {
        /// Its id.
        assembly_id: String,
        /// Who reads it.
        target: String,
        /// How items are wrapped.
        wrapping_policy: String,
        /// What stands between blocks.
        separator_policy: String,
        /// What is known of its visibility.
        visibility: String,
        /// What was done to sensitive portions of the record; the text itself is as it was answered.
        redaction_state: RedactionState,
        /// When.
        created_at: String,
    }
    may {
        /// The budget.
        budget_ref: String,
    }
    lists {
        /// The blocks.
        ordered_blocks: Vec<Block>,
        /// Items in it.
        source_item_refs: Vec<String>,
    }
}

record! {
    /// One block: a stretch of the text that was answered.
    Block
    needs {
        /// Place, from 1.
        order: u64,
        /// Where it is in the text, in bytes.
        span: Span,
    }
    may {
        /// SHA-256 of its bytes; left out where they hold what is redacted in the records.
        sha256: String,
        /// Its tokens.
        tokens: u64,
    }
    lists {
        /// Items in it.
        item_refs: Vec<String>,
    }
}

record! {
    /// Where an assembly became visible.
    Injection
    needs {
        /// Its id.
        injection_id: String,
        /// What became visible.
        assembly_id: String,
        /// To whom.
        target: String,
        /// Where; a tool's result is `custom`, as the specification has no value for it.
        injection_point: InjectionPoint,
        /// What is known: `delivered` to the client. What the client shows its model is not known here.
        visibility: String,
        /// When.
        created_at: String,
    }
    may {
        /// Id of the request, in the client's words.
        native_id: String,
        /// Where it ended up: a JSON Pointer into the MCP result.
        final_ref: String,
        /// `sha256:` and the hash of the exact bytes of the text; left out where they hold what is redacted in the
        /// records.
        hash: String,
    }
    lists {
        /// Further facts.
        metadata: Facts,
    }
}

record! {
    /// A replacement of larger context by shorter.
    Compaction
    needs {
        /// Its id.
        compaction_id: String,
        /// Whose context it is.
        scope: Scope,
        /// What stands in.
        summary_ref: String,
        /// How.
        method: CompactionMethod,
        /// Why.
        trigger: String,
        /// How much of the source stands in.
        coverage: Coverage,
        /// What a reader should know of the loss.
        loss_notes: String,
        /// How it was checked.
        validation: String,
        /// What became of the source.
        replacement_policy: String,
        /// When.
        created_at: String,
    }
    lists {
        /// What was replaced.
        source_item_refs: Vec<String>,
        /// Further facts.
        metadata: Facts,
    }
}

record! {
    /// How much of a text stands in for it.
    Coverage
    needs {
        /// Bytes of the source that are kept.
        kept_bytes: u64,
        /// Bytes of the source.
        original_bytes: u64,
    }
    may {
        /// Which.
        selector: Selector,
    }
}

record! {
    /// What stands in for larger context. The specification lists no fields; these are ours.
    Summary
    needs {
        /// Its id.
        summary_id: String,
        /// How it was made.
        method: CompactionMethod,
        /// How much of the source it holds.
        coverage: Coverage,
        /// What a reader should know of the loss.
        loss_notes: String,
        /// How it was checked.
        validation: String,
        /// How to get the whole again.
        refresh_policy: String,
        /// No better than that of its weakest source.
        freshness: Freshness,
        /// When.
        created_at: String,
    }
    may {
        /// Where its text is: a JSON Pointer into the structured result.
        content_ref: String,
    }
    lists {
        /// What it stands in for.
        source_item_refs: Vec<String>,
    }
}
