//! Every value of the specification, and what becomes of it here. A test holds the table to what the fixtures' records
//! hold: what is called produced is found there, and nothing else is.

use std::fmt::Write as _;

use crate::values::{
    CompactionMethod, ContentMode, EventClass, InjectionPoint, Kind, Native, OmissionReason,
    OverflowStrategy, RedactionState, Scope, SelectorType, Severity, State,
};

/// What becomes of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Records of ours have it; when.
    Produced(&'static str),
    /// It comes from the caller's `context`, and is kept as it is.
    Accepted(&'static str),
    /// Not ours to produce; why. Records of others that have it are read, checked and exported.
    Declined(&'static str),
}

impl Fate {
    /// The word of the table.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Produced(_) => "produced",
            Self::Accepted(_) => "accepted",
            Self::Declined(_) => "not ours",
        }
    }

    /// When, or why.
    pub const fn why(self) -> &'static str {
        match self {
            Self::Produced(why) | Self::Accepted(why) | Self::Declined(why) => why,
        }
    }
}

/// A value of one list of the specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The list.
    pub list: &'static str,
    /// The value.
    pub value: &'static str,
    /// What becomes of it.
    pub fate: Fate,
}

/// The lists that the specification closes, without what was added to them.
pub fn table() -> Vec<Row> {
    let mut out = Vec::new();
    let own_reasons = OmissionReason::ALL
        .get(..OmissionReason::OF_THE_SPECIFICATION)
        .unwrap_or_default();
    let nine: Vec<SelectorType> = SelectorType::ALL
        .iter()
        .copied()
        .filter(|selector| *selector != SelectorType::Custom)
        .collect();
    rows(&mut out, "object", Kind::ALL, Kind::as_str, object);
    rows(&mut out, "scope", Scope::ALL, Scope::as_str, scope);
    rows(&mut out, "lifecycle", State::ALL, State::as_str, state);
    rows(
        &mut out,
        "content_mode",
        ContentMode::ALL,
        ContentMode::as_str,
        content_mode,
    );
    rows(&mut out, "selector", &nine, SelectorType::as_str, selector);
    rows(&mut out, "event", EventClass::ALL, EventClass::as_str, event);
    rows(
        &mut out,
        "overflow_strategy",
        OverflowStrategy::ALL,
        OverflowStrategy::as_str,
        strategy,
    );
    rows(
        &mut out,
        "omission_reason",
        own_reasons,
        OmissionReason::as_str,
        reason,
    );
    rows(&mut out, "mapping", Native::ALL, Native::as_str, mapping);
    rows(
        &mut out,
        "redaction_state",
        RedactionState::ALL,
        RedactionState::as_str,
        redaction,
    );
    rows(
        &mut out,
        "method",
        CompactionMethod::ALL,
        CompactionMethod::as_str,
        method,
    );
    rows(
        &mut out,
        "injection_point",
        InjectionPoint::ALL,
        InjectionPoint::as_str,
        point,
    );
    rows(&mut out, "severity", Severity::ALL, Severity::as_str, severity);
    out
}

/// Adds a list.
fn rows<T: Copy>(
    out: &mut Vec<Row>,
    list: &'static str,
    values: &[T],
    name: fn(T) -> &'static str,
    fate: fn(T) -> Fate,
) {
    out.extend(values.iter().map(|value| Row {
        list,
        value: name(*value),
        fate: fate(*value),
    }));
}

/// The table in Markdown.
pub fn markdown() -> String {
    let rows = table();
    let count = |word: &str| rows.iter().filter(|row| row.fate.word() == word).count();
    let mut out = format!(
        "{} values: {} produced, {} accepted from the caller, {} not ours to produce.\n\n\
         | list | value | | when, or why not |\n| --- | --- | --- | --- |\n",
        rows.len(),
        count("produced"),
        count("accepted"),
        count("not ours"),
    );
    for row in &rows {
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "| {} | `{}` | {} | {} |",
            row.list,
            row.value,
            row.fate.word(),
            row.fate.why()
        );
    }
    out
}

const fn object(kind: Kind) -> Fate {
    Fate::Produced(match kind {
        Kind::Envelope | Kind::Surface | Kind::Assembly | Kind::Injection | Kind::Event => "every call",
        Kind::Item | Kind::SourceRef => "every call that brings or judges something",
        Kind::Selection => "judgements; composites with `min_freshness_score`",
        Kind::Budget | Kind::Window => "judgements under a budget",
        Kind::Compaction | Kind::Summary => "strategies that summarise, and `custom`",
        Kind::Missing => "failures, missing dates, sources to be fetched again, sections that were not asked",
    })
}

const fn scope(scope: Scope) -> Fate {
    match scope {
        Scope::ToolInvocation => Fate::Produced("unless the caller says otherwise"),
        _ => Fate::Accepted("`context.scope`"),
    }
}

const fn state(state: State) -> Fate {
    match state {
        State::Draft => Fate::Declined("records are made once, when the call has ended"),
        State::Available => Fate::Produced("what came, or was left out"),
        State::Selected => Fate::Produced("by `context.selection.completed`"),
        State::Assembled => Fate::Produced("by `context.assembly.created`"),
        State::Injected => Fate::Produced("what the text of the answer holds"),
        State::Compacted => Fate::Produced("what a summary stands in for"),
        State::Redacted => Fate::Produced("an item with a field that was masked or removed"),
        State::Expired => Fate::Produced("what `recheck` or a sync finds changed or gone"),
        State::Archived => Fate::Declined("what retention ends is deleted; there is no archive"),
    }
}

const fn content_mode(mode: ContentMode) -> Fate {
    match mode {
        ContentMode::Inline => Fate::Produced("delivered text of at most 4,096 bytes"),
        ContentMode::Ref => Fate::Produced("what was not delivered, at its address"),
        ContentMode::ToolResultRef => {
            Fate::Produced("longer delivered text, at its place in the structured result")
        }
        ContentMode::Opaque => Fate::Produced("what is no text"),
        ContentMode::Summary => Fate::Declined("a summary is a `context_summary` beside its item"),
        ContentMode::EmbeddedResource | ContentMode::ResourceLink => {
            Fate::Declined("answers hold no MCP resources")
        }
        ContentMode::ArtifactRef => Fate::Declined("no artifacts are made"),
    }
}

const fn selector(selector: SelectorType) -> Fate {
    match selector {
        SelectorType::ByteRange => Fate::Produced("the parts of a text that a summary keeps"),
        SelectorType::JsonPointer => {
            Fate::Declined("`content_ref` holds its pointer as the fragment of a reference")
        }
        SelectorType::TextQuote => Fate::Declined("a quote would repeat the content"),
        SelectorType::TextPosition | SelectorType::LineRange => Fate::Declined("bytes are counted"),
        SelectorType::CssSelector | SelectorType::XPath => {
            Fate::Declined("the place in a page is not kept when it is read")
        }
        SelectorType::PageRegion | SelectorType::MediaTimeRange => Fate::Declined("texts only"),
        SelectorType::Custom => Fate::Produced("the source's own id of an item"),
    }
}

const fn event(class: EventClass) -> Fate {
    Fate::Produced(match class {
        EventClass::SurfaceCreated | EventClass::AssemblyCreated | EventClass::InjectionApplied => {
            "every call"
        }
        EventClass::ItemAdded => "every call that brings or judges something",
        EventClass::SurfaceUpdated => "`recheck` or a sync, where an answer changed",
        EventClass::ItemUpdated => "`recheck` or a sync, for an item that changed",
        EventClass::ItemRemoved => "`recheck` or a sync, for an item that is gone",
        EventClass::SelectionStarted | EventClass::SelectionCompleted => {
            "judgements; composites with `min_freshness_score`"
        }
        EventClass::BudgetApplied => "judgements under a budget",
        EventClass::CompactionStarted | EventClass::CompactionCompleted | EventClass::SummaryCreated => {
            "strategies that summarise, and `custom`"
        }
        EventClass::MissingDetected => "a gap",
        EventClass::MissingRequested => "a call with `freshcontext/missing_id`",
        EventClass::MissingResolved => "such a call that brought something",
        EventClass::RedactionApplied => "something was masked or removed",
        EventClass::Exported => "`freshcontext records export`",
    })
}

const fn strategy(strategy: OverflowStrategy) -> Fate {
    Fate::Produced(match strategy {
        OverflowStrategy::Reject => "`budget.overflow_strategy`, where all fits; else the call fails",
        _ => "`budget.overflow_strategy`",
    })
}

const fn reason(reason: OmissionReason) -> Fate {
    Fate::Produced(match reason {
        OmissionReason::Budget => "no room was left",
        OmissionReason::LowRelevance => {
            "it is not relevant to `query`, or its `semantic_score` is below 0.35"
        }
        OmissionReason::StaleSource => "it must be fetched again, or fell by `min_freshness_score`",
        OmissionReason::PolicyBlock => "`metadata.policy`, or the strategy of this name",
        OmissionReason::DuplicateCoverage => "what is selected has its content, or contains it",
        OmissionReason::UnsupportedMedia => "it is no text",
        OmissionReason::PrivacyRisk => "`metadata.sensitivity` is restricted or secret",
        OmissionReason::MissingPermission => "`metadata.permission` is denied",
        OmissionReason::FailedRetrieval => "ours: nothing was retrieved",
        OmissionReason::UnverifiedDate => "ours: its date needs to be verified",
        OmissionReason::DoesNotStand => "ours: retracted, withdrawn or removed",
    })
}

const fn mapping(native: Native) -> Fate {
    match native {
        Native::Mcp => Fate::Produced("server and id of the request; the rest from the caller"),
        Native::OpenTelemetry => {
            Fate::Produced("trace and span of the request's `traceparent`; the rest from the caller")
        }
        Native::JsonSchema => Fate::Produced("the schema of the bundle"),
        _ => Fate::Accepted("`context.external_mappings`"),
    }
}

const fn redaction(state: RedactionState) -> Fate {
    match state {
        RedactionState::None => Fate::Produced("nothing was found"),
        RedactionState::Masked => Fate::Produced("a pattern found a secret or an e-mail address"),
        RedactionState::Removed => {
            Fate::Produced("a field that the caller marks; restricted or secret content")
        }
        RedactionState::PolicyBlocked => Fate::Produced("content that a policy or a permission keeps out"),
        RedactionState::Summarized => Fate::Declined("a summary of a secret is not made"),
        RedactionState::EncryptedRef => Fate::Declined("no keys are held"),
        RedactionState::Unknown => Fate::Declined("every text is looked at"),
    }
}

const fn method(method: CompactionMethod) -> Fate {
    match method {
        CompactionMethod::Extractive => Fate::Produced("`summarize_oldest`, `summarize_low_priority`"),
        CompactionMethod::Custom => Fate::Produced("the caller's own text, under the strategy `custom`"),
        CompactionMethod::Abstractive | CompactionMethod::StructuredDigest => {
            Fate::Declined("no words of ours stand in for a source's")
        }
        CompactionMethod::Rolling | CompactionMethod::SemanticMemoryUpdate => {
            Fate::Declined("nothing is carried from one call to the next")
        }
        CompactionMethod::HumanCurated => {
            Fate::Declined("a person's summary comes as `custom`; who wrote it is not known")
        }
        CompactionMethod::ProviderContextEditing => Fate::Declined("no model is called"),
    }
}

const fn point(point: InjectionPoint) -> Fate {
    match point {
        InjectionPoint::Custom => Fate::Produced("a tool's result, for which the list has no value"),
        InjectionPoint::ToolVisibleResource => Fate::Declined("answers are no resources"),
        InjectionPoint::ReviewExport => Fate::Declined("records are exported, not the text"),
        _ => Fate::Declined("the host's: what it does with a tool's result is not known here"),
    }
}

const fn severity(severity: Severity) -> Fate {
    Fate::Produced(match severity {
        Severity::Info => "nobody judged how relevant something is",
        Severity::Low => "a date that is missing",
        Severity::Medium => "a part that failed, or a section that was not asked",
        Severity::High => "a source that failed, or must be fetched again",
        Severity::Blocking => "the caller is asked to choose",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_every_value_of_the_specification_once() {
        let rows = table();
        let of = |list: &str| rows.iter().filter(|row| row.list == list).count();
        let expected = [
            ("object", 13),
            ("scope", 7),
            ("lifecycle", 9),
            ("content_mode", 8),
            ("selector", 9),
            ("event", 18),
            ("overflow_strategy", 9),
            ("omission_reason", 8),
            ("mapping", 8),
            ("redaction_state", 7),
            ("method", 8),
            ("injection_point", 12),
            ("severity", 5),
        ];
        for (list, count) in expected {
            assert_eq!(of(list), count, "{list}");
        }
        assert_eq!(rows.len(), 121);
    }
}
