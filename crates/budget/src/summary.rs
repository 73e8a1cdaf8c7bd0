//! Summaries made of whole sentences of the source: nothing is reworded, and each sentence can be located.

use std::collections::HashSet;
use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use crate::cut::Kept;
use crate::tokens::Tokenizer;

/// A summary takes at most one token of so many.
const SHARE: usize = 4;
/// Tokens that a summary may always take.
const LEAST: usize = 48;

/// The words of a query, each once.
pub(crate) fn words(query: Option<&str>) -> HashSet<String> {
    query
        .unwrap_or_default()
        .unicode_words()
        .map(str::to_lowercase)
        .collect()
}

/// The sentences that share most words with the query, then those that come first, within a quarter of the text's
/// tokens; in their order. None where no sentence is short enough, or all of them would be kept.
pub(crate) fn extract(text: &str, query: &HashSet<String>, tokenizer: Tokenizer) -> Option<Kept> {
    let sentences: Vec<Sentence> = text
        .split_sentence_bound_indices()
        .filter_map(|(at, sentence)| {
            let begin = at + (sentence.len() - sentence.trim_start().len());
            let span = begin..at + sentence.trim_end().len();
            let own = text.get(span.clone()).filter(|own| !own.is_empty())?;
            let tokens = tokenizer.count(own);
            let shared: HashSet<String> = if query.is_empty() {
                HashSet::new()
            } else {
                own.unicode_words()
                    .map(str::to_lowercase)
                    .filter(|word| query.contains(word))
                    .collect()
            };
            Some(Sentence {
                span,
                tokens,
                shared: shared.len(),
            })
        })
        .collect();
    let all: usize = sentences.iter().map(|sentence| sentence.tokens).sum();
    let mut room = (all / SHARE).max(LEAST);
    let mut order: Vec<&Sentence> = sentences.iter().collect();
    order.sort_by_key(|sentence| (usize::MAX - sentence.shared, sentence.span.start));
    let mut chosen: Vec<Range<usize>> = Vec::new();
    for sentence in order {
        if sentence.tokens <= room {
            room -= sentence.tokens;
            chosen.push(sentence.span.clone());
        }
    }
    if chosen.is_empty() || chosen.len() == sentences.len() {
        return None;
    }
    chosen.sort_by_key(|span| span.start);
    let texts: Vec<&str> = chosen.iter().filter_map(|span| text.get(span.clone())).collect();
    Some(Kept {
        text: texts.join(" "),
        spans: chosen,
    })
}

struct Sentence {
    span: Range<usize>,
    tokens: usize,
    shared: usize,
}
