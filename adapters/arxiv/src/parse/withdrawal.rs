//! Whether a paper says of itself that it was withdrawn.
//!
//! A withdrawal is a new version, whose comment gives the reason (<https://info.arxiv.org/help/withdraw.html>). Comments
//! are free text: they also speak of other papers, of theorems and of agents that are withdrawn.

use freshcontext_contract::standing::Replacement;
use freshcontext_contract::{StandingEvidence, StandingState};

use crate::input::{parse_id, without_version};

/// What a comment may call its own paper.
const PAPERS: [&str; 12] = [
    "paper",
    "submission",
    "article",
    "manuscript",
    "preprint",
    "eprint",
    "e-print",
    "work",
    "note",
    "report",
    "letter",
    "thesis",
];
/// Words before it that mean this very paper, and what may stand between.
const THIS: [&str; 3] = ["this", "the", "our"];
const PRESENT: [&str; 4] = ["present", "current", "entire", "arxiv"];
/// Words after which it is only what something else belongs to: "Theorem 4 of this paper".
const OF: [&str; 12] = [
    "of", "to", "in", "for", "from", "with", "by", "on", "than", "against", "about", "behind",
];
/// Words of a comment that speaks of another paper: behind them "the paper" may be that one.
const OTHERS: [&str; 7] = [
    "comment",
    "comments",
    "reply",
    "response",
    "rebuttal",
    "supersedes",
    "replaces",
];
/// Words beside `has been` that change nothing.
const ADVERBS: [&str; 9] = [
    "now",
    "since",
    "hereby",
    "temporarily",
    "permanently",
    "voluntarily",
    "officially",
    "formally",
    "therefore",
];
/// What may follow `withdrawn` at the beginning of a comment, besides punctuation and the end.
const AFTER: [&str; 4] = ["by", "due", "because", "as"];
const WITHDRAW: [&str; 9] = [
    "withdraw",
    "withdraws",
    "withdrew",
    "withdrawn",
    "withdrawing",
    "retract",
    "retracts",
    "retracted",
    "retracting",
];
/// Most words between those who withdraw and the verb: "the authors would like to withdraw".
const WISHES: usize = 4;

/// The sign of a version that is a withdrawal. `id` is the paper's own, `since` when that version was submitted.
pub fn sign(id: &str, comment: Option<&str>, summary: &str, since: Option<&str>) -> Option<StandingEvidence> {
    let by_comment = comment.filter(|comment| says_so(comment));
    let (field, said) = by_comment.map(|said| ("arxiv:comment", said)).or_else(|| {
        let first = summary.split_inclusive(". ").next()?.trim();
        begins_so(first).then_some(("summary", first))
    })?;
    // Else only its authors can withdraw a paper.
    let by = if said.to_lowercase().contains("by arxiv") {
        "host"
    } else {
        "author"
    };
    let sign = StandingEvidence::field(StandingState::Withdrawn, field, said)
        .since(since)
        .by(by)
        .reason(Some(said));
    Some(sign.replaced_by(replacement(said, id)))
}

/// Whether a comment says it anywhere.
fn says_so(comment: &str) -> bool {
    let text = Text::of(comment);
    begins_with_the_word(comment)
        || (0..text.words.len()).any(|at| text.is_withdrawn(at) || text.withdraws(at))
}

/// Whether a summary begins with it: an abstract that goes on to speak of withdrawn things says nothing of itself.
fn begins_so(summary: &str) -> bool {
    let text = Text::of(summary);
    let first = usize::from(text.is(0, &["the"]));
    begins_with_the_word(summary) || text.is_withdrawn(0) || text.withdraws(first)
}

/// A word in lower case, without the punctuation around it.
struct Word {
    bare: String,
    /// Whether a sentence or a clause ends with it.
    ends: bool,
}

struct Text {
    words: Vec<Word>,
    /// The first word that speaks of another paper.
    other: Option<usize>,
}

impl Text {
    fn of(text: &str) -> Self {
        let word = |written: &str| {
            let bare = bare(written).to_lowercase();
            let ends = written.ends_with(['.', ';', ':', '!', '?', ',', ')', ']']);
            (!bare.is_empty()).then_some(Word { bare, ends })
        };
        let words: Vec<Word> = text.split_whitespace().filter_map(word).collect();
        let speaks_of_another =
            |word: &Word| OTHERS.contains(&word.bare.as_str()) || id_in(&word.bare).is_some();
        let other = words.iter().position(speaks_of_another);
        Self { words, other }
    }

    fn is(&self, at: usize, any: &[&str]) -> bool {
        self.words
            .get(at)
            .is_some_and(|word| any.contains(&word.bare.as_str()))
    }

    /// Whether there is nothing, or the end of a clause, before a word.
    fn begins(&self, at: usize) -> bool {
        at.checked_sub(1)
            .and_then(|before| self.words.get(before))
            .is_none_or(|before| before.ends)
    }

    /// Whether a clause ends with a word, or the text.
    fn ends(&self, at: usize) -> bool {
        self.words.get(at).is_none_or(|word| word.ends)
    }

    /// The index behind `this paper`, where that is what is spoken of: behind another paper's id, `the paper` is that one.
    fn this_paper(&self, at: usize) -> Option<usize> {
        if !self.is(at, &THIS) {
            return None;
        }
        let noun = at + 1 + usize::from(self.is(at + 1, &PRESENT));
        let is_near = self.is(at, &["this"]);
        let is_this = is_near || self.other.is_none_or(|other| other > at);
        // The version that carries the comment is the one shown: "the version" may be another, "the current version" is none.
        let is_shown = is_near || self.is(at + 1, &["present", "current"]);
        let is_paper = self.is(noun, &PAPERS) || is_shown && self.is(noun, &["version"]);
        (is_paper && is_this).then_some(noun + 1)
    }

    /// The index behind the paper itself as the subject of a clause. `paper` alone is, where a clause begins with it.
    fn subject(&self, at: usize) -> Option<usize> {
        if self.begins(at) && self.is(at, &PAPERS) && !self.ends(at) {
            return Some(at + 1);
        }
        let belongs = !self.begins(at) && at.checked_sub(1).is_some_and(|before| self.is(before, &OF));
        self.this_paper(at)
            .filter(|behind| !belongs && !self.ends(behind - 1))
    }

    /// "This paper has been withdrawn", "this submission is withdrawn", "paper withdrawn", "this version has been removed by
    /// arXiv administrators".
    fn is_withdrawn(&self, at: usize) -> bool {
        let Some(mut next) = self.subject(at) else {
            return false;
        };
        let is_past = self.is(next, &["was"]);
        let adverb = |at: usize| usize::from(self.is(at, &ADVERBS));
        if self.is(next, &["has"]) {
            next += 1 + adverb(next + 1);
            if !self.is(next, &["been"]) {
                return false;
            }
            next += 1;
        } else if is_past || self.is(next, &["is"]) {
            next += 1 + usize::from(self.is(next + 1, &["being"]));
        }
        next += adverb(next);
        let by_host =
            self.is(next, &["removed"]) && self.is(next + 1, &["by"]) && self.is(next + 2, &["arxiv"]);
        let is_said = by_host || self.is(next, &["withdrawn", "retracted"]) && self.is_meant(next);
        is_said && (!is_past || self.is_last_said(next) && self.other.is_none_or(|other| other > at))
    }

    /// Whether nothing but a reason follows. What "was" withdrawn may have been restored since, as a further clause tells.
    fn is_last_said(&self, last: usize) -> bool {
        let Some(behind) = self.words.get(last + 1..) else {
            return true;
        };
        let has_further = behind.iter().rev().skip(1).any(|word| word.ends);
        behind.is_empty() || self.is(last + 1, &AFTER) && !self.ends(last) && !has_further
    }

    /// "The authors withdraw this paper", "we have withdrawn this submission", "I retract the paper".
    fn withdraws(&self, at: usize) -> bool {
        let foreign = |at: usize| self.is(at, &["its", "whose", "their", "those"]);
        if !self.is(at, &["author", "authors", "we", "i"])
            || self.is(at + 1, &["of"])
            || at.checked_sub(1).is_some_and(foreign)
        {
            return false;
        }
        let mut behind = at + 1..=at + 1 + WISHES;
        let stops = |at: &usize| self.is(*at, &WITHDRAW) || self.is(*at, &["not", "never"]) || self.ends(*at);
        let verb = behind.find(stops).filter(|verb| self.is(*verb, &WITHDRAW));
        verb.and_then(|verb| self.this_paper(verb + 1))
            .is_some_and(|behind| self.is_meant(behind - 1))
    }

    /// Whether what follows leaves it so: a paper that was withdrawn from a conference still stands, and so does one that
    /// was withdrawn by mistake.
    fn is_meant(&self, last: usize) -> bool {
        if self.ends(last) {
            return true;
        }
        let place = last + 2 + usize::from(self.is(last + 2, &["the", "this"]));
        let elsewhere = self.is(last + 1, &["from"]) && !self.is(place, &["arxiv", "archive", "archives"]);
        let by_mistake = self.is(last + 1, &["by"]) && self.is(last + 2, &["mistake", "accident"]);
        !elsewhere && !by_mistake
    }
}

fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

/// "Withdrawn.", "Withdrawn: Lemma 2 is false", "[withdrawn due to ...]"; not "Withdrawn agents".
fn begins_with_the_word(text: &str) -> bool {
    const WORD: &str = "withdrawn";
    let text = text.trim_start_matches(['[', '(', '*', '-', ' ']);
    let Some((first, rest)) = text.split_at_checked(WORD.len()) else {
        return false;
    };
    if !first.eq_ignore_ascii_case(WORD) {
        return false;
    }
    let goes_on = rest
        .strip_prefix(['-', '_', '\'', '/'])
        .unwrap_or_else(|| rest.trim_start())
        .starts_with(char::is_alphanumeric);
    let text = Text::of(text);
    !goes_on || (rest.starts_with(char::is_whitespace) && text.is(1, &AFTER) && text.is_meant(0))
}

/// Words that name what took a paper's place.
const PLACES: [&str; 12] = [
    "superseded",
    "replaced",
    "favor",
    "favour",
    "merged",
    "subsumed",
    "incorporated",
    "included",
    "contained",
    "moved",
    "resubmitted",
    "successor",
];
/// Words that point to something, which may be what took its place.
const POINTERS: [&str; 8] = [
    "see",
    "refer",
    "available",
    "version",
    "corrected",
    "updated",
    "appears",
    "instead",
];
/// Words of a sentence that points to the reason of a withdrawal.
const REASONS: [&str; 11] = [
    "overlap",
    "plagiarism",
    "plagiarized",
    "plagiarised",
    "copied",
    "counterexample",
    "counterexamples",
    "contradicts",
    "contradicted",
    "refuted",
    "disproved",
];

/// The paper that took the place of a withdrawn one, where its comment names it by its id.
fn replacement(comment: &str, own: &str) -> Option<Replacement> {
    let own = without_version(own).0;
    let mut sentences = comment.split(". ").flat_map(|part| part.split(';'));
    let id = sentences.find_map(|sentence| {
        let text = Text::of(sentence);
        let has = |any: &[&str]| (0..text.words.len()).any(|at| text.is(at, any));
        let ids = sentence.split_whitespace().filter_map(|word| id_in(bare(word)));
        let other = ids.into_iter().find(|id| without_version(id).0 != own)?;
        (has(&PLACES) || (has(&POINTERS) && !has(&REASONS))).then_some(other)
    })?;
    Some(Replacement {
        url: Some(format!("https://arxiv.org/abs/{id}")),
        ..Replacement::id(id)
    })
}

/// The id that a word is or leads to.
fn id_in(word: &str) -> Option<String> {
    let (_, id) = word.split_once("arxiv.org/abs/").unwrap_or(("", word));
    parse_id(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(comment: &str) -> Option<StandingEvidence> {
        sign(
            "2401.00009v3",
            Some(comment),
            "We prove a thing.",
            Some("2026-11-20T09:00:00Z"),
        )
    }

    #[test]
    fn a_comment_that_says_it_of_this_paper_is_a_sign() {
        for comment in [
            "This paper has been withdrawn",
            "This paper has been withdrawn by the author due to a gap in Lemma 2",
            "10 pages. This paper has now been withdrawn; see v2",
            "We found an error and this paper has been withdrawn",
            "The present article is hereby withdrawn.",
            "This arXiv submission has been withdrawn from arXiv",
            "This submission has been withdrawn by arXiv administrators due to inappropriate text overlap",
            "Paper withdrawn: Theorem 1 is false",
            "The authors withdraw this paper because of an error",
            "The authors have decided to withdraw this submission.",
            "I retract the paper",
            "We have withdrawn this manuscript",
            "Withdrawn",
            "withdrawn.",
            "[withdrawn]",
            "*** Withdrawn ***",
            "Withdrawn by the author",
            "Withdrawn due to an error in Eq. 3",
            "Withdrawn because Lemma 2 is false",
            "WITHDRAWN as it overlaps with other work",
            "Withdrawn - see arXiv:2408.33333",
            "This paper was withdrawn by the authors due to errors",
            "The paper was withdrawn.",
            "This version has been withdrawn by the author",
            "The current version has been withdrawn",
            "The present version is withdrawn due to an error in Eq. 3",
            "This version has been removed by arXiv administrators as the submitter did not have the right to license it",
            "arXiv admin note: This submission has been removed by arXiv administrators",
            "This thesis has been withdrawn by the author",
        ] {
            let sign = of(comment).unwrap_or_else(|| panic!("{comment}"));
            assert_eq!(
                (sign.field.as_ref(), sign.state),
                ("arxiv:comment", StandingState::Withdrawn)
            );
            assert_eq!(sign.since, Some("2026-11-20T09:00:00Z".into()));
            let host = comment.contains("administrators");
            assert_eq!(sign.by.as_deref(), Some(if host { "host" } else { "author" }));
        }
    }

    #[test]
    fn what_is_said_of_other_things_is_none() {
        for comment in [
            "Supersedes arXiv:1901.00001, which has been withdrawn",
            "Theorem 4 of v1 has been withdrawn",
            "Theorem 4 of this paper has been withdrawn",
            "An earlier version of the present paper has been withdrawn",
            "v2 had been withdrawn by mistake",
            "This paper had been withdrawn by mistake",
            "Withdrawn by mistake, restored in v3",
            "Withdrawn agents code at example.org; 12 pages",
            "Withdrawn-agent model, 12 pages",
            "\"Withdrawn\" is a label of Fig. 3",
            "This paper has not been withdrawn",
            "We do not withdraw this paper",
            "This paper has been withdrawn from ICML 2024 and submitted elsewhere",
            "We withdrew the paper from a journal; 12 pages",
            "Comment on arXiv:1901.00001; the paper has been withdrawn",
            "Comment on a recent preprint; its authors have withdrawn the paper",
            "The authors of arXiv:1901.00001 have withdrawn the paper",
            "Our previous paper has been withdrawn",
            "We withdraw the claim of Theorem 3",
            "We withdraw the paper's third claim",
            "12 pages; money is withdrawn",
            "This paper was withdrawn in error and is now restored",
            "This paper was withdrawn, and is resubmitted with a correct proof",
            "This paper was withdrawn due to an error. It is corrected here",
            "This paper was previously withdrawn",
            "Corrects arXiv:1901.00001, this paper was withdrawn",
            "The version has been withdrawn by the journal",
            "Theorem 3 of this version has been withdrawn",
            "Theorem 3 of the current version has been withdrawn",
            "The previous version has been withdrawn",
            "Figures of this version have been removed by arXiv administrators",
            "This version was removed by the publisher",
            "",
        ] {
            assert_eq!(of(comment), None, "{comment}");
        }
    }

    #[test]
    fn a_summary_is_a_sign_only_where_it_begins_so() {
        let of = |summary: &str| sign("2401.00009v3", Some("12 pages"), summary, None);
        for summary in [
            "This paper has been withdrawn by the authors, pending further review.",
            "[This submission is withdrawn.] We prove a thing.",
            "The authors have withdrawn this paper. It was wrong.",
            "Withdrawn.",
        ] {
            assert_eq!(of(summary).unwrap().field, "summary", "{summary}");
        }
        assert_eq!(of("Withdrawn. We prove a thing.").unwrap().value, "Withdrawn.");
        for summary in [
            "We prove a thing. This paper has been withdrawn in part.",
            "Twelve were withdrawn from the study.",
            "Withdrawn agents hold cash.",
            "Papers that have been withdrawn are studied.",
            "",
        ] {
            assert_eq!(of(summary), None, "{summary}");
        }
    }

    #[test]
    fn what_took_its_place_is_named_by_its_id() {
        let of = |comment: &str| of(comment).unwrap().replaced_by.and_then(|by| by.id);
        for (comment, id) in [
            (
                "This paper has been withdrawn by the author. It has been superseded by a newer version available at arXiv:2406.00780",
                Some("2406.00780"),
            ),
            (
                "Withdrawn: Lemma 2 is false. See arXiv:2408.33333 for a corrected treatment",
                Some("2408.33333"),
            ),
            (
                "Withdrawn; merged into https://arxiv.org/abs/math/0309136v2.",
                Some("math/0309136v2"),
            ),
            (
                "Withdrawn due to an error in Lemma 2, replaced by 2408.33333",
                Some("2408.33333"),
            ),
            ("Withdrawn due to text overlap with arXiv:1901.00001", None),
            ("Withdrawn; see arXiv:1901.00001 for a counterexample", None),
            (
                "Withdrawn; an error was found by the authors of arXiv:1901.00001",
                None,
            ),
            ("Withdrawn; superseded by arXiv:2401.00009v2", None),
            ("Withdrawn", None),
        ] {
            assert_eq!(of(comment).as_deref(), id, "{comment}");
        }
    }
}
