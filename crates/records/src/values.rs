//! The closed lists of values of the Agent Context specification, and what was added to them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A closed list of values with their names in records.
macro_rules! values {
    ($(#[$about:meta])* $name:ident { $($(#[$what:meta])* $value:ident = $text:literal,)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        pub enum $name {
            $($(#[$what])* #[serde(rename = $text)] $value,)+
        }

        impl $name {
            /// All of them, in the order of the specification.
            pub const ALL: &'static [Self] = &[$(Self::$value),+];

            /// The name in records.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$value => $text,)+
                }
            }

            /// The value of this name.
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.as_str() == name)
            }
        }
    };
}

values! {
    /// The thirteen objects.
    Kind {
        /// A snapshot for a turn, task, session, call, review or hand-off.
        Envelope = "context_envelope",
        /// What was available before anything was selected.
        Surface = "context_surface",
        /// One unit of context.
        Item = "context_item",
        /// Where an item is from.
        SourceRef = "context_source_ref",
        /// What was selected, what was not, and why.
        Selection = "context_selection",
        /// What was allowed and what was used.
        Budget = "context_budget",
        /// How the room of a target is laid out.
        Window = "context_window",
        /// Blocks in order, prepared for a target.
        Assembly = "context_assembly",
        /// Where an assembly became visible.
        Injection = "context_injection",
        /// A replacement of larger context by shorter.
        Compaction = "context_compaction",
        /// What stands in for larger context.
        Summary = "context_summary",
        /// A known gap.
        Missing = "missing_context",
        /// Something that happened to the others.
        Event = "context_event",
    }
}

values! {
    /// Whose context it is.
    Scope {
        /// One turn of a conversation.
        Turn = "turn",
        /// One task.
        Task = "task",
        /// One session.
        Session = "session",
        /// One call of a tool: ours, unless the caller says otherwise.
        ToolInvocation = "tool_invocation",
        /// A review.
        Review = "review",
        /// A hand-off between agents.
        Handoff = "handoff",
        /// Something else.
        Custom = "custom",
    }
}

values! {
    /// Where a record stands in its life.
    State {
        /// Not final.
        Draft = "draft",
        /// There, and not selected.
        Available = "available",
        /// Chosen, before budget and assembly.
        Selected = "selected",
        /// In the order for a target.
        Assembled = "assembled",
        /// Visible to a target.
        Injected = "injected",
        /// Replaced by a summary or digest.
        Compacted = "compacted",
        /// Sensitive portions are removed or masked in the record.
        Redacted = "redacted",
        /// No longer valid.
        Expired = "expired",
        /// Kept for history only.
        Archived = "archived",
    }
}

impl State {
    /// Whether a record may go from this state to another. The specification gives the states and no steps; the steps
    /// are ours. Nothing becomes available again, and nothing leaves the archive.
    pub const fn may_become(self, next: Self) -> bool {
        use State::{
            Archived, Assembled, Available, Compacted, Draft, Expired, Injected, Redacted, Selected,
        };
        match self {
            Draft => matches!(next, Available | Expired),
            Available => matches!(next, Selected | Redacted | Expired | Archived),
            Selected => matches!(next, Assembled | Compacted | Redacted | Expired | Archived),
            Assembled => matches!(next, Injected | Compacted | Redacted | Expired | Archived),
            Injected => matches!(next, Compacted | Redacted | Expired | Archived),
            // What stands in for it is what goes on.
            Compacted => matches!(next, Redacted | Expired | Archived),
            Redacted => matches!(next, Expired | Archived),
            Expired => matches!(next, Archived),
            Archived => false,
        }
    }
}

values! {
    /// How an item's content is held.
    ContentMode {
        /// In the record.
        Inline = "inline",
        /// At an address.
        Ref = "ref",
        /// A summary of it is in the record.
        Summary = "summary",
        /// An MCP resource in the answer.
        EmbeddedResource = "embedded_resource",
        /// A link to an MCP resource.
        ResourceLink = "resource_link",
        /// In an artifact.
        ArtifactRef = "artifact_ref",
        /// In the structured result of the tool, at a JSON Pointer.
        ToolResultRef = "tool_result_ref",
        /// Nothing that could be read as text.
        Opaque = "opaque",
    }
}

values! {
    /// How a part of a source is pointed at. `custom` stands beside the nine of the specification.
    SelectorType {
        /// Its words.
        TextQuote = "text_quote",
        /// Characters, from and to.
        TextPosition = "text_position",
        /// Bytes, from and to.
        ByteRange = "byte_range",
        /// Lines, from and to.
        LineRange = "line_range",
        /// A JSON Pointer.
        JsonPointer = "json_pointer",
        /// A CSS selector.
        CssSelector = "css_selector",
        /// An XPath.
        XPath = "xpath",
        /// A region of a page.
        PageRegion = "page_region",
        /// A stretch of time.
        MediaTimeRange = "media_time_range",
        /// Something else.
        Custom = "custom",
    }
}

values! {
    /// What happens to what does not fit.
    OverflowStrategy {
        /// The call fails.
        Reject = "reject",
        /// The end of one text is cut.
        TruncateTail = "truncate_tail",
        /// The middle of one text is cut.
        TruncateMiddle = "truncate_middle",
        /// The oldest are summarised.
        SummarizeOldest = "summarize_oldest",
        /// The lowest are summarised.
        SummarizeLowPriority = "summarize_low_priority",
        /// A reference and a call stand in.
        DeferToRetrieval = "defer_to_retrieval",
        /// The caller is asked.
        AskForChoice = "ask_for_choice",
        /// It stays out by policy.
        PolicyBlock = "policy_block",
        /// The caller's own text stands in.
        Custom = "custom",
    }
}

values! {
    /// Why something was left out: the eight of the specification, then three of ours.
    OmissionReason {
        /// No room.
        Budget = "budget",
        /// It ranks too low.
        LowRelevance = "low_relevance",
        /// It must be fetched again first.
        StaleSource = "stale_source",
        /// A policy fact of the caller.
        PolicyBlock = "policy_block",
        /// What is selected has its content or address.
        DuplicateCoverage = "duplicate_coverage",
        /// It is no text.
        UnsupportedMedia = "unsupported_media",
        /// It is restricted or secret.
        PrivacyRisk = "privacy_risk",
        /// Its use is not permitted.
        MissingPermission = "missing_permission",
        /// Ours: nothing was retrieved.
        FailedRetrieval = "failed_retrieval",
        /// Ours: its date needs to be verified first.
        UnverifiedDate = "unverified_date",
        /// Ours: it does not stand any more.
        DoesNotStand = "does_not_stand",
    }
}

impl From<freshcontext_budget::Reason> for OmissionReason {
    fn from(reason: freshcontext_budget::Reason) -> Self {
        use freshcontext_budget::Reason;
        match reason {
            Reason::Budget => Self::Budget,
            Reason::LowRelevance => Self::LowRelevance,
            Reason::StaleSource => Self::StaleSource,
            Reason::PolicyBlock => Self::PolicyBlock,
            Reason::DuplicateCoverage => Self::DuplicateCoverage,
            Reason::UnsupportedMedia => Self::UnsupportedMedia,
            Reason::PrivacyRisk => Self::PrivacyRisk,
            Reason::MissingPermission => Self::MissingPermission,
            Reason::FailedRetrieval => Self::FailedRetrieval,
            Reason::UnverifiedDate => Self::UnverifiedDate,
            Reason::DoesNotStand => Self::DoesNotStand,
        }
    }
}

impl From<freshcontext_budget::Strategy> for OverflowStrategy {
    fn from(strategy: freshcontext_budget::Strategy) -> Self {
        use freshcontext_budget::Strategy;
        match strategy {
            Strategy::Reject => Self::Reject,
            Strategy::TruncateTail => Self::TruncateTail,
            Strategy::TruncateMiddle => Self::TruncateMiddle,
            Strategy::SummarizeOldest => Self::SummarizeOldest,
            Strategy::SummarizeLowPriority => Self::SummarizeLowPriority,
            Strategy::DeferToRetrieval => Self::DeferToRetrieval,
            Strategy::AskForChoice => Self::AskForChoice,
            Strategy::PolicyBlock => Self::PolicyBlock,
            Strategy::Custom => Self::Custom,
        }
    }
}

impl From<freshcontext_budget::Severity> for Severity {
    fn from(severity: freshcontext_budget::Severity) -> Self {
        use freshcontext_budget::Severity;
        match severity {
            Severity::Info => Self::Info,
            Severity::Low => Self::Low,
            Severity::Medium => Self::Medium,
            Severity::High => Self::High,
            Severity::Blocking => Self::Blocking,
        }
    }
}

impl OmissionReason {
    /// How many of [`ALL`](Self::ALL) are the specification's own.
    pub const OF_THE_SPECIFICATION: usize = 8;
}

values! {
    /// How larger context was replaced.
    CompactionMethod {
        /// Whole sentences of the source.
        Extractive = "extractive_summary",
        /// New sentences.
        Abstractive = "abstractive_summary",
        /// A digest with fields.
        StructuredDigest = "structured_digest",
        /// A summary that goes on.
        Rolling = "rolling_summary",
        /// An update of a memory.
        SemanticMemoryUpdate = "semantic_memory_update",
        /// A person's summary.
        HumanCurated = "human_curated_summary",
        /// The model provider's own editing.
        ProviderContextEditing = "provider_context_editing",
        /// The caller's own text.
        Custom = "custom",
    }
}

values! {
    /// Where context becomes visible.
    InjectionPoint {
        /// The system prompt.
        SystemPrompt = "system_prompt",
        /// The developer prompt.
        DeveloperPrompt = "developer_prompt",
        /// The history of messages.
        MessageHistory = "message_history",
        /// Beside a message of the user.
        UserMessageAppendix = "user_message_appendix",
        /// An argument of a tool.
        ToolArgument = "tool_argument",
        /// A resource that tools see.
        ToolVisibleResource = "tool_visible_resource",
        /// Metadata of a runtime.
        RuntimeMetadata = "runtime_metadata",
        /// A panel.
        UiPanel = "ui_panel",
        /// An export for a review.
        ReviewExport = "review_export",
        /// A message to another agent.
        PeerAgentMessage = "peer_agent_message",
        /// The input of an artifact.
        ArtifactInput = "artifact_input",
        /// Something else: of ours, the result of a tool.
        Custom = "custom",
    }
}

values! {
    /// How much a gap matters.
    Severity {
        /// Good to know.
        Info = "info",
        /// Little.
        Low = "low",
        /// It matters.
        Medium = "medium",
        /// What it is needed for is weak without it.
        High = "high",
        /// Nothing should be done before it is filled.
        Blocking = "blocking",
    }
}

values! {
    /// What was done to sensitive portions.
    RedactionState {
        /// Nothing: none was found.
        None = "none",
        /// A mark stands in their place.
        Masked = "masked",
        /// They are gone.
        Removed = "removed",
        /// A summary stands in their place.
        Summarized = "summarized",
        /// A sealed reference stands in their place.
        EncryptedRef = "encrypted_ref",
        /// A policy keeps them out.
        PolicyBlocked = "policy_blocked",
        /// Nobody looked.
        Unknown = "unknown",
    }
}

values! {
    /// Whose ids are preserved.
    Native {
        /// Model Context Protocol.
        Mcp = "mcp",
        /// Agent2Agent.
        A2a = "a2a",
        /// OpenTelemetry.
        OpenTelemetry = "opentelemetry",
        /// The API of a model.
        ModelApi = "model_api",
        /// W3C Web Annotation.
        WebAnnotation = "web_annotation",
        /// W3C PROV.
        Prov = "w3c_prov",
        /// CloudEvents.
        CloudEvents = "cloudevents",
        /// JSON Schema.
        JsonSchema = "json_schema",
    }
}

values! {
    /// What happened.
    EventClass {
        /// A surface is there.
        SurfaceCreated = "context.surface.created",
        /// A surface changed.
        SurfaceUpdated = "context.surface.updated",
        /// Items came.
        ItemAdded = "context.item.added",
        /// An item changed.
        ItemUpdated = "context.item.updated",
        /// An item went.
        ItemRemoved = "context.item.removed",
        /// A selection began.
        SelectionStarted = "context.selection.started",
        /// A selection ended.
        SelectionCompleted = "context.selection.completed",
        /// A budget was applied.
        BudgetApplied = "context.budget.applied",
        /// Blocks are in order.
        AssemblyCreated = "context.assembly.created",
        /// An assembly became visible.
        InjectionApplied = "context.injection.applied",
        /// A replacement began.
        CompactionStarted = "context.compaction.started",
        /// A replacement ended.
        CompactionCompleted = "context.compaction.completed",
        /// A summary is there.
        SummaryCreated = "context.summary.created",
        /// A gap was found.
        MissingDetected = "context.missing.detected",
        /// Somebody was asked to fill a gap.
        MissingRequested = "context.missing.requested",
        /// A gap was filled.
        MissingResolved = "context.missing.resolved",
        /// Sensitive portions were removed or masked.
        RedactionApplied = "context.redaction.applied",
        /// The records were exported.
        Exported = "context.exported",
    }
}
