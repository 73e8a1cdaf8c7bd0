//! What goes in: candidates in rank order, each once, within every limit.

use std::collections::HashSet;

use freshcontext_contract::{ErrorCode, SourceError, named};
use serde_json::json;

use crate::block::{block, whole};
use crate::calls::refetch;
use crate::candidate::{Candidate, Judge, Reason, Relevance};
use crate::coverage::{Coverage, identity};
use crate::cut::{self, Kept};
use crate::ids::sha256_hex;
use crate::limits::{Budget, CUT_LEAST_TOKENS, Strategy};
use crate::missing;
use crate::nothing;
use crate::output::{
    Assembly, Block, Fitted, Limits, Method, Omitted, Selected, Selection, Span, TruncationRecord, Used,
};
use crate::room::{Over, Room};
use crate::summary;

/// What a selection is for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Purpose<'a> {
    /// The caller's question, where there is one.
    pub query: Option<&'a str>,
    /// What the context is needed for, in a word.
    pub needed_for: &'a str,
}

/// Fits candidates into a budget, in the order of [`Candidate::before`]. Linear in their tokens.
///
/// Fails only under [`Strategy::Reject`], where something does not fit: the error says how much is over.
pub fn select(
    candidates: &[Candidate<'_>],
    budget: &Budget,
    purpose: Purpose<'_>,
) -> Result<Fitted, SourceError> {
    let mut fitting = Fitting::new(budget);
    let mut eligible = Vec::with_capacity(candidates.len());
    let mut order: Vec<&Candidate<'_>> = candidates.iter().collect();
    order.sort_by(|one, other| one.before(other));
    for candidate in &order {
        match candidate.ineligible(budget.require) {
            Some((reason, detail)) => fitting.omit(candidate, reason, detail),
            None => eligible.push(*candidate),
        }
    }
    match budget.overflow_strategy {
        Strategy::Reject => fitting.all_or_nothing(&eligible)?,
        Strategy::SummarizeOldest | Strategy::SummarizeLowPriority => fitting.summarised(&eligible, purpose),
        _ => fitting.by_rank(&eligible),
    }
    fitting.name_the_weakest(candidates);
    if fitting.selection.selected.is_empty() {
        fitting.selection.note = nothing::note(&order, &fitting.selection.omitted, budget);
    }
    let mut gaps = missing::gaps(candidates, purpose.needed_for);
    if !fitting.to_choose.is_empty() {
        gaps.insert(0, missing::choice(&fitting.to_choose, purpose.needed_for));
    }
    Ok(fitting.done(gaps))
}

struct Fitting<'b, 'c> {
    budget: &'b Budget,
    room: Room,
    selection: Selection,
    blocks: Vec<Block>,
    records: Vec<TruncationRecord>,
    /// What is selected, to tell duplicates.
    coverage: Coverage<'c>,
    /// Whether one was cut, or could not be.
    cut_tried: bool,
    to_choose: Vec<&'c Candidate<'c>>,
}

impl<'b, 'c> Fitting<'b, 'c> {
    fn new(budget: &'b Budget) -> Self {
        Self {
            budget,
            room: Room::of(budget),
            selection: Selection::default(),
            blocks: Vec::new(),
            records: Vec::new(),
            coverage: Coverage::default(),
            cut_tried: false,
            to_choose: Vec::new(),
        }
    }

    fn omit(&mut self, candidate: &Candidate<'_>, reason: Reason, detail: String) {
        let index = candidate.index;
        self.selection.omitted.push(Omitted {
            index,
            reason,
            detail,
        });
    }

    fn omit_for_room(&mut self, candidate: &Candidate<'_>, over: Over) {
        self.omit(candidate, Reason::Budget, format!("It takes {over}."));
    }

    /// Beside the relevance of what is not relevant enough, the least that went in.
    fn name_the_weakest(&mut self, candidates: &[Candidate<'_>]) {
        let relevance = |index: usize| {
            let found = index.checked_sub(1).and_then(|place| candidates.get(place));
            found.and_then(|candidate| candidate.relevance)
        };
        let chosen: Vec<Relevance> = (self.selection.selected.iter())
            .filter_map(|selected| relevance(selected.index))
            .collect();
        let weakest = |by: Judge| {
            let scores = chosen.iter().filter(|relevance| relevance.by == by);
            scores.map(|relevance| relevance.score).min_by(f64::total_cmp)
        };
        for omitted in &mut self.selection.omitted {
            if omitted.reason == Reason::LowRelevance
                && let Some(relevance) = relevance(omitted.index)
            {
                omitted.detail = relevance.too_low(weakest(relevance.by));
            }
        }
    }

    /// Where what is selected covers a candidate already, that is said and true returned.
    fn is_covered(&mut self, candidate: &Candidate<'_>) -> bool {
        let Some(covered) = self.coverage.of(candidate) else {
            return false;
        };
        self.omit(candidate, Reason::DuplicateCoverage, covered.words());
        true
    }

    fn add(&mut self, candidate: &'c Candidate<'_>, text: String, tokens: usize, cut: Option<Method>) {
        self.room.take(tokens, text.len());
        self.coverage.note(candidate, cut.is_none());
        self.selection.selected.push(Selected {
            index: candidate.index,
            item_id: candidate.item_id.to_string(),
            tokens,
            cut,
        });
        self.blocks.push(Block {
            index: candidate.index,
            text,
            tokens,
        });
    }

    fn tokens_of(&self, text: &str) -> Result<usize, Over> {
        self.room.tokens_of(text, self.budget.tokenizer)
    }

    /// One after the other by rank; what does not fit is passed over, and the next is tried.
    fn by_rank(&mut self, eligible: &[&'c Candidate<'c>]) {
        for candidate in eligible {
            if self.is_covered(candidate) {
                continue;
            }
            let text = whole(candidate);
            match self.tokens_of(&text) {
                Ok(tokens) => self.add(candidate, text, tokens, None),
                Err(over) => self.overflow(candidate, over),
            }
        }
    }

    fn overflow(&mut self, candidate: &'c Candidate<'c>, over: Over) {
        match self.budget.overflow_strategy {
            Strategy::TruncateTail => self.cut(candidate, Method::TruncateTail, over),
            Strategy::TruncateMiddle => self.cut(candidate, Method::TruncateMiddle, over),
            Strategy::DeferToRetrieval => self.defer(candidate, over),
            Strategy::AskForChoice => {
                self.to_choose.push(candidate);
                self.omit_for_room(candidate, over);
            }
            Strategy::PolicyBlock => {
                let detail = format!("It takes {over}, and overflow_strategy policy_block withholds it.");
                self.omit(candidate, Reason::PolicyBlock, detail);
            }
            Strategy::Custom => self.replace(candidate, over),
            // These three do not come here.
            Strategy::Reject | Strategy::SummarizeOldest | Strategy::SummarizeLowPriority => {
                self.omit_for_room(candidate, over);
            }
        }
    }

    /// Cuts the first that does not fit, and no other.
    fn cut(&mut self, candidate: &'c Candidate<'c>, method: Method, over: Over) {
        let content = candidate.content.as_deref().unwrap_or_default();
        let tried = std::mem::replace(&mut self.cut_tried, true);
        if tried || over.is_of_items() || content.is_empty() {
            return self.omit_for_room(candidate, over);
        }
        let fits = |kept: &Kept| self.tokens_of(&part(candidate, kept, method)).is_ok();
        let kept = match method {
            Method::TruncateMiddle => cut::middle(content, fits),
            _ => cut::tail(content, fits),
        };
        let enough = |kept: &Kept| {
            self.budget
                .tokenizer
                .count_within(&kept.text, CUT_LEAST_TOKENS - 1)
                .is_none()
        };
        let kept = kept.filter(enough);
        let made = kept.and_then(|kept| {
            let text = part(candidate, &kept, method);
            let tokens = self.tokens_of(&text).ok()?;
            Some((kept, text, tokens))
        });
        match made {
            Some((kept, text, tokens)) => {
                let left_out = content.len() - kept_bytes(&kept);
                let notes = format!("{left_out} of {} bytes are left out.", content.len());
                self.record(candidate, content, method, &kept, notes);
                self.add(candidate, text, tokens, Some(method));
            }
            None => self.omit_for_room(candidate, over),
        }
    }

    fn defer(&mut self, candidate: &'c Candidate<'c>, over: Over) {
        let content = candidate.content.as_deref().unwrap_or_default();
        let nothing = Kept {
            text: String::new(),
            spans: Vec::new(),
        };
        self.record(
            candidate,
            content,
            Method::Deferred,
            &nothing,
            "All of it is left out; ref says where it is.".to_owned(),
        );
        if let Some(record) = self.records.last_mut() {
            record.reference = Some(json!({
                "item_id": candidate.item_id,
                "uri": candidate.source,
                "content_sha256": candidate.content_sha256,
                "call": refetch(candidate),
            }));
        }
        let detail = format!("It takes {over}, and is deferred: truncation_records has its ref.");
        self.omit(candidate, Reason::Budget, detail);
    }

    /// The caller's own text stands in, where there is one that fits.
    fn replace(&mut self, candidate: &'c Candidate<'c>, over: Over) {
        let Some(replacement) = candidate.facts.replacement.as_deref() else {
            let detail = format!("It takes {over}, and has no metadata.replacement.");
            return self.omit(candidate, Reason::Budget, detail);
        };
        let kept = Kept {
            text: replacement.to_owned(),
            spans: Vec::new(),
        };
        let text = part(candidate, &kept, Method::Custom);
        match self.tokens_of(&text) {
            Ok(tokens) => {
                let content = candidate.content.as_deref().unwrap_or_default();
                let notes = "The caller's own text stands in; what it leaves out, the caller knows.";
                self.record(candidate, content, Method::Custom, &kept, notes.to_owned());
                self.add(candidate, text, tokens, Some(Method::Custom));
            }
            Err(over) => self.omit_for_room(candidate, over),
        }
    }

    /// All of them, or an error that says how much is over.
    fn all_or_nothing(&mut self, eligible: &[&'c Candidate<'c>]) -> Result<(), SourceError> {
        let granted = std::mem::take(&mut self.room);
        self.by_rank(eligible);
        let (tokens, bytes, items) = self.totals();
        let over = [
            (tokens, granted.tokens, "tokens", "max_tokens"),
            (bytes, granted.bytes, "bytes", "max_bytes"),
            (items, granted.items, "items", "max_items"),
        ];
        for (needed, granted, what, field) in over {
            if let Some(granted) = granted.filter(|granted| needed > *granted) {
                let mut error = SourceError::new(
                    ErrorCode::TooLarge,
                    format!(
                        "the context takes {needed} {what}, {} more than the {granted} of the budget",
                        needed - granted
                    ),
                )
                .hint("raise the limit, give fewer signals, or use another overflow_strategy");
                error.field = Some(format!("budget.{field}").into());
                return Err(error);
            }
        }
        self.room = granted;
        Ok(())
    }

    /// Replaces by summaries, the oldest or the lowest first, until all fits; where that is not enough, what fits
    /// by rank goes in.
    fn summarised(&mut self, eligible: &[&'c Candidate<'c>], purpose: Purpose<'_>) {
        // Duplicates of earlier ones are counted in only where these do not go in after all.
        let mut known = HashSet::new();
        let mut drafts: Vec<Draft<'c>> = Vec::with_capacity(eligible.len());
        for candidate in eligible {
            let new = identity(candidate)
                .is_none_or(|identity| known.insert((identity, candidate.details.as_ref())));
            let text = whole(candidate);
            let tokens = self.budget.tokenizer.count(&text);
            drafts.push(Draft {
                candidate,
                text,
                tokens,
                kept: None,
                counts: new,
            });
        }
        let mut order: Vec<usize> = (0..drafts.len()).rev().collect();
        if self.budget.overflow_strategy == Strategy::SummarizeOldest {
            // Without a date, none is known to be younger.
            let date = |at: &usize| {
                drafts
                    .get(*at)
                    .and_then(|draft| draft.candidate.published_at.as_deref())
                    .unwrap_or_default()
                    .to_owned()
            };
            order.sort_by_cached_key(date);
        }
        let (mut tokens, mut bytes) = (0, 0);
        for draft in drafts.iter().filter(|draft| draft.counts) {
            tokens += draft.tokens;
            bytes += draft.text.len();
        }
        let query = summary::words(purpose.query);
        for at in order {
            let over = self.room.tokens.is_some_and(|most| tokens > most)
                || self.room.bytes.is_some_and(|most| bytes > most);
            let Some(draft) = drafts.get_mut(at).filter(|_| over) else {
                break;
            };
            if !draft.counts {
                continue;
            }
            let content = draft.candidate.content.as_deref().unwrap_or_default();
            let Some(kept) = summary::extract(content, &query, self.budget.tokenizer) else {
                continue;
            };
            let text = part(draft.candidate, &kept, Method::ExtractiveSummary);
            let shorter = self.budget.tokenizer.count(&text);
            if shorter < draft.tokens && text.len() <= draft.text.len() {
                tokens -= draft.tokens - shorter;
                bytes -= draft.text.len() - text.len();
                *draft = Draft {
                    tokens: shorter,
                    text,
                    kept: Some(kept),
                    ..*draft
                };
            }
        }
        for draft in drafts {
            if self.is_covered(draft.candidate) {
                continue;
            }
            if let Err(over) = self.tokens_of(&draft.text) {
                self.omit_for_room(draft.candidate, over);
                continue;
            }
            let method = draft.kept.as_ref().map(|kept| {
                let content = draft.candidate.content.as_deref().unwrap_or_default();
                let notes = format!(
                    "{} whole sentences, {} of {} bytes; date and confidence are those of the source.",
                    kept.spans.len(),
                    kept_bytes(kept),
                    content.len()
                );
                self.record(draft.candidate, content, Method::ExtractiveSummary, kept, notes);
                Method::ExtractiveSummary
            });
            self.add(draft.candidate, draft.text, draft.tokens, method);
        }
    }

    fn record(
        &mut self,
        candidate: &Candidate<'_>,
        content: &str,
        method: Method,
        kept: &Kept,
        notes: String,
    ) {
        self.records.push(TruncationRecord {
            index: candidate.index,
            method,
            original_bytes: content.len(),
            kept_bytes: kept_bytes(kept),
            kept: kept
                .spans
                .iter()
                .map(|span| Span {
                    start: span.start,
                    end: span.end,
                })
                .collect(),
            text_sha256: sha256_hex(content),
            loss_notes: notes,
            refresh_policy: match refetch(candidate) {
                Some(call) => {
                    format!(
                        "Fetch it again with {}, or select it with more room.",
                        named(&call.tool)
                    )
                }
                None => "Take the signal's own text, or select it with more room.".to_owned(),
            },
            reference: None,
        });
    }

    fn totals(&self) -> (usize, usize, usize) {
        let tokens = self.blocks.iter().map(|block| block.tokens).sum();
        let bytes = self.blocks.iter().map(|block| block.text.len()).sum();
        (tokens, bytes, self.blocks.len())
    }

    fn done(mut self, missing_context: Vec<missing::MissingContext>) -> Fitted {
        self.selection.omitted.sort_by_key(|omitted| omitted.index);
        let (tokens, bytes, items) = self.totals();
        let text: String = self.blocks.iter().map(|block| block.text.as_str()).collect();
        let budget = self.budget;
        let exact = budget.tokenizer.is_of(budget.target.as_deref()).unwrap_or(true);
        Fitted {
            selection: self.selection,
            budget: Used {
                limits: Limits {
                    max_tokens: budget.max_tokens,
                    reserved_tokens: budget.reserved_tokens,
                    max_bytes: budget.max_bytes,
                    max_items: budget.max_items,
                },
                target: budget.target.clone(),
                actual_tokens: tokens,
                actual_bytes: bytes,
                actual_items: items,
                tokenizer: budget.tokenizer.as_str(),
                token_counts: if exact { "exact" } else { "estimate" },
                overflow_strategy: budget.overflow_strategy,
                require: budget.require,
                truncation_records: self.records,
            },
            assembly: Assembly {
                text,
                blocks: self.blocks,
            },
            missing_context,
        }
    }
}

/// A block that may still be replaced by a shorter one.
struct Draft<'c> {
    candidate: &'c Candidate<'c>,
    text: String,
    tokens: usize,
    kept: Option<Kept>,
    /// Whether nothing before it has its content and its facts.
    counts: bool,
}

fn kept_bytes(kept: &Kept) -> usize {
    kept.spans.iter().map(ExactSizeIterator::len).sum()
}

/// The block with what stands in for the whole, and a line that says so.
fn part(candidate: &Candidate<'_>, kept: &Kept, method: Method) -> String {
    let whole = candidate.content.as_deref().unwrap_or_default().len();
    let said = match method {
        Method::TruncateTail => format!(
            "the first {} of {whole} bytes; the end is left out",
            kept_bytes(kept)
        ),
        Method::TruncateMiddle => {
            format!(
                "{} of {whole} bytes; the middle is left out, at [...]",
                kept_bytes(kept)
            )
        }
        Method::ExtractiveSummary => {
            format!("sentences of the source, {} of {whole} bytes", kept_bytes(kept))
        }
        Method::Custom => "the caller's own text in place of the source's".to_owned(),
        Method::Deferred => "nothing".to_owned(),
    };
    let content = candidate.content.as_deref().unwrap_or_default();
    let parts: Vec<&str> = match method {
        // The gap between two parts is a line of ours.
        Method::TruncateMiddle => {
            let spans = kept.spans.iter();
            spans.filter_map(|span| content.get(span.clone())).collect()
        }
        _ => vec![&kept.text],
    };
    block(candidate, &parts, Some(&said))
}
