//! Answers of each form, as core has them.

#![expect(clippy::unwrap_used, reason = "a test")]

use chrono::{DateTime, Utc};
use freshcontext_budget::{Assembly, Block, Limits, Omitted, Reason, Require, Selection, Strategy, Used};
use freshcontext_contract::{
    ArgSpec, CommonArgs, DateEvidence, Descriptor, ErrorCode, Hosts, Item, Listing, PartFailure, Peek, Seen,
    SourceError, SourceResult, url::Url,
};
use freshcontext_core::answer::{Failure, ScoreInput, Scored, score};
use freshcontext_core::composite::{CompositeAnswer, CompositeInput, Section, assemble};
use freshcontext_core::date::KeptMoment;
use freshcontext_core::decay::DecayTable;
use freshcontext_core::evaluate::{
    Confidence, DateConfidence, Decision, Evaluation, Handoff, Known, Legend, Noted, ProvenanceReadiness,
    ReadinessState, SourceCompleteness, SourceIdentity, TimingCompleteness, Verdict,
};
use freshcontext_core::recheck::{
    Against, Comparison, Finding, Found, ItemVerdict, Recheck, SectionFinding, Subject,
};

const DESCRIPTOR: Descriptor = Descriptor {
    id: "x",
    tool: "extract_x",
    title: "X",
    description: "Items.",
    example: "{}",
    profile: "social_pulse",
    hosts: Hosts::Fixed(&["example.org"]),
    official: true,
    peek: Peek::validators(Listing::Window),
    args: ArgSpec {
        max_length: 4000,
        limit: Some((20, 100)),
        dates: true,
        sort: &[],
        cursor: true,
        max_age: true,
    },
    dates: "created_at",
    terms: "none",
    ..Descriptor::PLAIN
};

/// When every answer was retrieved.
pub fn now() -> DateTime<Utc> {
    "2026-11-21T12:00:00Z".parse().unwrap()
}

/// An item of a source.
pub fn item(source: u8, dated: bool, summary: &str) -> Item {
    let date = if dated {
        DateEvidence::field("created_at", "2026-11-20T00:00:00.000Z")
    } else {
        DateEvidence::None
    };
    let mut item = Item::new("t", date);
    item.id = Some(source.to_string());
    item.url = Some(format!("https://example.org/{source}"));
    summary.clone_into(&mut item.summary);
    item
}

/// The answer of a source, with a part that failed where that is said.
pub fn answer(items: Vec<Item>, partial: bool) -> Result<Scored, SourceError> {
    let mut result = SourceResult::new(Url::parse("https://example.org/").unwrap(), items);
    if partial {
        result.failures.push(PartFailure {
            what: "a part".to_owned(),
            error: SourceError::new(ErrorCode::Timeout, "m"),
        });
    }
    let seen = Seen {
        retrieved_at: Some(now()),
        cached_age: None,
        responses: 1,
        attempts: 1,
        refused_keys: Vec::new(),
    };
    score(ScoreInput {
        descriptor: &DESCRIPTOR,
        result,
        args: &CommonArgs::defaults(&DESCRIPTOR.args),
        seen: &seen,
        now: now(),
        decay: &DecayTable::default(),
        cursor: None,
    })
}

fn late() -> SourceError {
    SourceError::new(ErrorCode::Timeout, "m").retry_after(std::time::Duration::from_secs(3))
}

/// A failed call.
pub fn failure() -> Failure {
    Failure::new(&late(), "x", "extract_x", now())
}

/// A composite of two answers, a failed section, and one that was not asked. Sections below the score are stale.
pub fn composite(
    answers: [Result<Scored, SourceError>; 2],
    max_length: usize,
    min_score: Option<f64>,
) -> CompositeAnswer {
    let not_asked = SourceError::new(ErrorCode::InvalidInput, "no question");
    let sections = answers.into_iter().chain([Err(late()), Err(not_asked)]);
    assemble(CompositeInput {
        company: None,
        says_subjects: false,
        tool: "extract_landscape",
        title: "Landscape".to_owned(),
        query: "q".to_owned(),
        generated_at: now(),
        min_score,
        max_length,
        sections: sections
            .map(|outcome| Section {
                words: None,
                adapter: "x",
                tool: "extract_x",
                label: "X".to_owned(),
                arguments: None,
                outcome,
            })
            .collect(),
        notes: Vec::new(),
    })
}

/// Indices that a budget omits, each with its reason, and the block of each index that it selects.
type Budgeted = (Vec<(usize, Reason)>, Vec<(usize, String)>);

/// An evaluation of signals from these sources. Under a budget: what stays out, and the block of each that goes in, by index.
pub fn evaluation(sources: &[String], known: Vec<Known>, budgeted: Option<Budgeted>) -> Evaluation {
    let (mut selection, mut budget, mut assembly) = (None, None, None);
    if let Some((omitted, blocks)) = budgeted {
        let text: String = blocks.iter().map(|(_, text)| text.as_str()).collect();
        selection = Some(Selection {
            selected: Vec::new(),
            omitted: omitted
                .into_iter()
                .map(|(index, reason)| Omitted {
                    index,
                    reason,
                    detail: "because".to_owned(),
                })
                .collect(),
            note: None,
        });
        budget = Some(Used {
            limits: Limits {
                max_tokens: Some(500),
                reserved_tokens: 100,
                max_bytes: None,
                max_items: None,
            },
            target: None,
            actual_tokens: 3 * blocks.len(),
            actual_bytes: text.len(),
            actual_items: blocks.len(),
            tokenizer: "o200k_base",
            token_counts: "exact",
            overflow_strategy: Strategy::TruncateTail,
            require: Require::Any,
            truncation_records: Vec::new(),
        });
        let blocks = blocks.into_iter();
        assembly = Some(Assembly {
            text,
            blocks: blocks
                .map(|(index, text)| Block {
                    index,
                    text,
                    tokens: 3,
                })
                .collect(),
        });
    }
    Evaluation {
        profile: "p",
        intent: "i",
        now: "2026-11-21T12:00:00.000Z".to_owned(),
        notes: Vec::new(),
        legend: Legend(vec![Decision::UseFirst]),
        origins: None,
        verdicts: sources
            .iter()
            .enumerate()
            .map(|(place, source)| verdict(place, source))
            .collect(),
        selection,
        budget,
        assembly,
        missing_context: None,
        noted: Some(Noted { known, query: None }),
    }
}

fn verdict(place: usize, source: &str) -> Verdict {
    let now = "2026-11-21T12:00:00.000Z".to_owned();
    Verdict {
        index: place + 1,
        position: place,
        id: None,
        title: "t".to_owned(),
        source: source.to_owned(),
        source_type: "x".to_owned(),
        decision: Decision::UseFirst,
        label: "Use first",
        freshness_score: None,
        rank_score: 0.5,
        selection_rank: 0.5,
        relevance: None,
        utility_score: None,
        confidence: Confidence::Medium,
        why: Vec::new(),
        duplicate: None,
        warnings: Vec::new(),
        standing: None,
        verdict_id: String::new(),
        evaluated_at: now.clone(),
        revalidate_after: None,
        handoff: Handoff {
            safe_for_agent_handoff: true,
            reason: "",
        },
        provenance_readiness: ProvenanceReadiness {
            state: ReadinessState::Complete,
            source_identity: SourceIdentity {
                source_type: "x".to_owned(),
                result_id: None,
                completeness: SourceCompleteness::Complete,
            },
            published_at: None,
            retrieved_at: now,
            timing_confidence: DateConfidence::Unknown,
            timing_completeness: TimingCompleteness::Partial,
            canonical_content_sha256: None,
            semantic_fingerprint_sha256: None,
            warnings: Vec::new(),
        },
    }
}

/// A recheck that found this of the items of an answer, or of the one section of a composite.
pub fn recheck(verdicts: &[freshcontext_core::recheck::Verdict], in_section: bool) -> Recheck {
    let items = verdicts.iter().enumerate().map(|(at, verdict)| ItemVerdict {
        now: std::collections::BTreeMap::new(),
        id: at.to_string(),
        verdict: *verdict,
        detail: None,
        changed: Vec::new(),
        published_then: None,
        published_now: None,
        standing_then: None,
        standing_now: None,
    });
    let finding = Finding {
        comparison: Comparison {
            verdict: freshcontext_core::recheck::Verdict::Changed,
            items: items.collect(),
            ..Comparison::unknown()
        },
        ..Finding::default()
    };
    Recheck {
        subject: Subject {
            answer_id: Some("a1".to_owned()),
            tool: "extract_x".to_owned(),
            answered: Some(KeptMoment::given(now())),
            against: Against::Answer,
            unanswered: Vec::new(),
        },
        found: if in_section {
            Found::Sections(vec![SectionFinding {
                tool: "extract_y".to_owned(),
                label: "Y".to_owned(),
                finding,
            }])
        } else {
            Found::Answer(Box::new(finding))
        },
        checked_at: now(),
    }
}
