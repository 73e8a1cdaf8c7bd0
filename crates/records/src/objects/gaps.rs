//! What is missing, and what happened.

use serde_json::Value;

use super::record::{Facts, is_empty, record};
use crate::values::{EventClass, Scope, Severity, State};

record! {
    /// A known gap, and the call that would fill it.
    Missing
    needs {
        /// Its id: the same for the same gap in every call.
        missing_id: String,
        /// Whose gap it is.
        scope: Scope,
        /// How much it matters.
        severity: Severity,
        /// `open` or `resolved`.
        status: String,
        /// When it was found, or filled.
        created_at: String,
    }
    may {
        /// What is not known. Left out where an earlier call asked, whose words are not kept.
        question: String,
        /// What it is needed for.
        needed_for: String,
        /// Who was asked.
        requested_from: String,
    }
    lists {
        /// Where the answer may be found.
        candidate_sources: Vec<MissingSource>,
        /// What should not be done before.
        blocked_actions: Vec<String>,
        /// What filled it.
        resolution_refs: Vec<String>,
        /// Further facts.
        metadata: Facts,
    }
}

record! {
    /// Somewhere the answer may be found.
    MissingSource
    needs {
        /// What it is.
        source: String,
        /// What to do.
        how: String,
    }
    may {
        /// The call: `{tool, arguments}`.
        call: Value,
    }
}

record! {
    /// Something that happened. The specification lists no fields; these are ours.
    Event
    needs {
        /// Its id.
        event_id: String,
        /// What happened.
        event_class: EventClass,
        /// The snapshot it belongs to.
        context_id: String,
        /// Place in the order of cause and effect, from 1.
        sequence: u64,
        /// When.
        created_at: String,
    }
    may {
        /// The event that it follows from; the first has none.
        cause_ref: String,
        /// The state that its subjects come to.
        lifecycle: State,
    }
    lists {
        /// The records that it is about.
        subject_refs: Vec<String>,
        /// Further facts.
        metadata: Facts,
    }
}
