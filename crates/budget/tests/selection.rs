//! Selections, as properties over random batches, for all strategies.

use std::borrow::Cow;
use std::collections::BTreeSet;

use freshcontext_budget::{
    Budget, Candidate, Facts, Judge, Method, Purpose, Reason, Relevance, Require, Strategy as Overflow,
    Tokenizer, Usability, select,
};
use freshcontext_contract::ErrorCode;
use freshcontext_contract::quote::{is_line_end, quote_lines};
use proptest::prelude::*;
use serde_json::json;
use unicode_segmentation::UnicodeSegmentation;

fn content() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        "[a-z]{3,8}( [a-z]{3,8}){2,12}\\.".prop_map(|sentence| (sentence + " ").repeat(30)),
        "([A-Z][a-z]{2,8}( [a-z]{2,8}){3,9}\\. ){1,60}",
        Just("\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}\u{1f1eb}\u{1f1f7}e\u{301}\u{600} \u{1100}\u{1161}\u{11a8}\r\n".repeat(25)),
        Just("\u{65e5}\u{672c}\u{8a9e}\u{306e}\u{6587}\u{3002}".repeat(60)),
        Just("a".repeat(1_500)),
        "\\PC{0,60}",
    ]
}

fn usability() -> impl Strategy<Value = Usability> {
    prop_oneof![
        6 => Just(Usability::Usable),
        1 => Just(Usability::Failed),
        1 => Just(Usability::NeedsRefresh),
        1 => Just(Usability::Void),
    ]
}

type One = (String, Usability, u8, Option<String>, Option<String>, u8);

fn candidates() -> impl Strategy<Value = Vec<Candidate<'static>>> {
    let one = (
        content(),
        usability(),
        0_u8..12,
        prop::option::of("[a-z ]{1,30}"),
        prop::option::of("[a-z ]{1,60}"),
        0_u8..20,
    );
    prop::collection::vec(one, 0..9).prop_map(|all| {
        let make = |(at, one): (usize, One)| {
            let (content, usability, address, title, replacement, odd) = one;
            let facts = Facts {
                sensitivity: (odd == 0).then_some("Secret"),
                permission: (odd == 1).then_some("denied"),
                blocking_policy: (odd == 2).then_some(Cow::Borrowed("pol_7")),
                media_type: (odd == 3).then_some("image/png"),
                replacement: replacement.map(Cow::<str>::Owned),
            };
            Candidate {
                index: at + 1,
                named: false,
                item_id: format!("itm_{at}").into(),
                source: format!("https://example.org/{address}").into(),
                source_type: if address % 2 == 0 {
                    "hackernews"
                } else {
                    "official_docs"
                }
                .into(),
                title: title.map(Cow::<str>::Owned),
                details: "".into(),
                address: Some(format!("example.org/{address}").into()),
                content_sha256: (!content.is_empty()).then(|| format!("hash {}", content.len()).into()),
                published_at: (address > 3)
                    .then(|| format!("2026-01-{:02}T00:00:00.000Z", 10 + address).into()),
                published_shown: None,
                age: None,
                retrieved_at: Some("2026-06-09T12:00:00.000Z".into()),
                date_confidence: "high",
                freshness: (address > 3).then_some(if address % 2 == 0 { 90 } else { 20 }),
                rank: 0.8,
                selection_rank: f64::from(odd % 4) / 4.0,
                position: at,
                relevance: (odd % 2 == 0).then(|| Relevance {
                    score: f64::from(odd) / 20.0,
                    least: 0.35,
                    by: if odd % 4 == 0 { Judge::Query } else { Judge::Caller },
                }),
                decision: "use_as_background",
                why: "Because.".into(),
                content: Some(content.into()),
                usability,
                facts,
                call: None,
                standing: None,
                replaced_by: None,
            }
        };
        all.into_iter().enumerate().map(make).collect()
    })
}

fn budget() -> impl Strategy<Value = Budget> {
    let limit = |least: u64, most: u64| prop::option::of(least..most);
    let strategy = prop::sample::select(Overflow::ALL.to_vec());
    (
        limit(64, 3_000),
        0_u64..40,
        limit(256, 20_000),
        limit(1, 8),
        strategy,
        prop::sample::select(Require::ALL.to_vec()),
    )
        .prop_map(
            |(max_tokens, reserved, max_bytes, max_items, overflow_strategy, require)| Budget {
                max_tokens: max_tokens.map(|most| most + reserved),
                reserved_tokens: if max_tokens.is_some() { reserved } else { 0 },
                max_bytes,
                max_items,
                overflow_strategy,
                require,
                ..Budget::default()
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn each_candidate_is_in_one_place_and_no_limit_is_passed(candidates in candidates(), budget in budget()) {
        let fitted = match select(&candidates, &budget, Purpose { query: Some("words of a query"), needed_for: "test" }) {
            Ok(fitted) => fitted,
            Err(error) => {
                prop_assert_eq!(budget.overflow_strategy, Overflow::Reject);
                prop_assert_eq!(error.code, ErrorCode::TooLarge);
                return Ok(());
            }
        };
        let places: Vec<usize> = fitted.selection.selected.iter().map(|it| it.index)
            .chain(fitted.selection.omitted.iter().map(|it| it.index)).collect();
        let all: BTreeSet<usize> = candidates.iter().map(|candidate| candidate.index).collect();
        prop_assert_eq!(places.len(), candidates.len());
        prop_assert_eq!(places.into_iter().collect::<BTreeSet<_>>(), all);

        // The limits hold for the text itself, counted as a whole.
        let text = &fitted.assembly.text;
        let tokens = budget.tokenizer.count(text);
        prop_assert_eq!(tokens, fitted.budget.actual_tokens);
        prop_assert_eq!(text.len(), fitted.budget.actual_bytes);
        prop_assert!(budget.tokens().is_none_or(|most| tokens as u64 <= most));
        prop_assert!(budget.max_bytes.is_none_or(|most| text.len() as u64 <= most));
        prop_assert!(budget.max_items.is_none_or(|most| fitted.assembly.blocks.len() as u64 <= most));
        prop_assert_eq!(fitted.assembly.blocks.iter().map(|block| block.text.as_str()).collect::<String>(), text.clone());
        prop_assert_eq!(fitted.assembly.blocks.iter().map(|block| block.tokens).sum::<usize>(), tokens);

        let at = |index: usize| &candidates[index - 1];
        let mut cuts = 0;
        for (selected, block) in fitted.selection.selected.iter().zip(&fitted.assembly.blocks) {
            prop_assert_eq!(selected.index, block.index);
            prop_assert_eq!(budget.tokenizer.count(&block.text), block.tokens);
            let candidate = at(selected.index);
            prop_assert!(candidate.ineligible(budget.require).is_none());
            let content = candidate.content.as_deref().unwrap_or_default();
            let Some(method) = selected.cut else {
                // An envelope has content: of what has none, its title, else its source.
                let bare = candidate.title.as_deref().unwrap_or(&candidate.source);
                let told = if content.is_empty() { bare } else { content };
                let whole = format!("---\n{}\n[/FRESHCONTEXT]", quoted(told));
                prop_assert!(block.text.contains(&whole));
                continue;
            };
            let record = fitted.budget.truncation_records.iter().find(|record| record.index == selected.index).expect("a record");
            prop_assert_eq!(record.method, method);
            let borders: BTreeSet<usize> = content.grapheme_indices(true).map(|(at, _)| at).chain([content.len()]).collect();
            let mut kept = 0;
            for span in &record.kept {
                prop_assert!(borders.contains(&span.start) && borders.contains(&span.end), "{:?}", span);
                let part = content.get(span.start..span.end);
                prop_assert!(part.is_some_and(|part| unquoted(&block.text).contains(&lines(part))));
                kept += span.end - span.start;
            }
            prop_assert_eq!(kept, record.kept_bytes);
            match method {
                Method::TruncateTail | Method::TruncateMiddle => cuts += 1,
                Method::ExtractiveSummary => prop_assert!(kept < content.len()),
                Method::Custom => prop_assert!(block.text.contains(candidate.facts.replacement.as_deref().expect("a text"))),
                Method::Deferred => prop_assert!(false, "what is deferred is not selected"),
            }
        }
        prop_assert!(cuts <= 1);

        // Whatever is left out for its duplicate, something selected has.
        for omitted in fitted.selection.omitted.iter().filter(|it| it.reason == Reason::DuplicateCoverage) {
            let own = at(omitted.index);
            let covers = |other: &Candidate<'_>| {
                let same = own.content_sha256.is_some() && other.content_sha256 == own.content_sha256;
                let bare = own.content.as_deref().is_none_or(str::is_empty) && other.title == own.title;
                let flat = |one: &Candidate<'_>| {
                    let words: Vec<&str> = one.content.as_deref().unwrap_or_default().split_whitespace().collect();
                    words.join(" ")
                };
                same || bare || flat(other).contains(&flat(own))
            };
            prop_assert!(fitted.selection.selected.iter().any(|it| covers(at(it.index))));
        }
        // Something is said of a selection of nothing, and the order is that of use.
        prop_assert_eq!(fitted.selection.note.is_some(), fitted.selection.selected.is_empty() && !candidates.is_empty());
        let ranks: Vec<f64> = fitted.selection.selected.iter().map(|it| at(it.index).selection_rank).collect();
        prop_assert!(ranks.is_sorted_by(|one, other| one >= other), "{:?}", ranks);
        for omitted in &fitted.selection.omitted {
            prop_assert!(!omitted.detail.is_empty() && !omitted.detail.contains("-0"), "{}", omitted.detail);
        }
        // A gap is said once.
        let ids: BTreeSet<&str> = fitted.missing_context.iter().map(|gap| gap.missing_id.as_str()).collect();
        prop_assert_eq!(ids.len(), fitted.missing_context.len());
    }

    #[test]
    fn counting_with_a_limit_is_counting(text in content(), more in "[\\PC a-z]{0,60}", times in 1_usize..40, most in 0_usize..2_000) {
        let text = text + &more.repeat(times);
        for tokenizer in Tokenizer::ALL {
            let tokens = tokenizer.count(&text);
            prop_assert_eq!(tokenizer.count_within(&text, most), (tokens <= most).then_some(tokens));
        }
    }

    #[test]
    fn tokens_of_blocks_add_up(one in content(), other in content()) {
        for tokenizer in Tokenizer::ALL {
            let block = |text: &str| format!("[FRESHCONTEXT]\nSource: a\n---\n{text}\n[/FRESHCONTEXT]\n");
            let both = block(&one) + &block(&other);
            prop_assert_eq!(tokenizer.count(&both), tokenizer.count(&block(&one)) + tokenizer.count(&block(&other)));
        }
    }
}

/// A text as a block holds it.
fn quoted(text: &str) -> String {
    let mut out = String::new();
    quote_lines(&mut out, text);
    out
}

/// A block without the marks of quotation.
fn unquoted(block: &str) -> String {
    let bare = |line: &str| {
        line.strip_prefix("> ")
            .or(line.strip_prefix('>'))
            .unwrap_or(line)
            .to_owned()
    };
    block.split('\n').map(bare).collect::<Vec<_>>().join("\n")
}

/// A text with one kind of line ends.
fn lines(text: &str) -> String {
    text.replace("\r\n", "\n").replace(is_line_end, "\n")
}

fn plain(index: usize, content: &str) -> Candidate<'_> {
    Candidate {
        index,
        source: format!("https://news.ycombinator.com/item?id={index}").into(),
        source_type: "hackernews".into(),
        title: Some("A title".into()),
        content: Some(content.into()),
        published_at: Some(format!("2026-01-{:02}T00:00:00.000Z", index % 28 + 1).into()),
        retrieved_at: Some("2026-06-09T12:00:00.000Z".into()),
        date_confidence: "high",
        decision: "use_first",
        rank: 0.9,
        // So that they go in by their index, which is not the order of their dates.
        selection_rank: 1.0 - index as f64 / 100.0,
        position: index,
        relevance: Some(Relevance {
            score: 0.9,
            least: 0.35,
            by: Judge::Caller,
        }),
        ..Candidate::default()
    }
}

fn tokens(max_tokens: u64, overflow_strategy: Overflow) -> Budget {
    Budget {
        max_tokens: Some(max_tokens),
        overflow_strategy,
        ..Budget::default()
    }
}

#[test]
fn each_strategy_does_what_it_says() {
    let long =
        "The quick brown fox jumps over the lazy dog. A reader finds this sentence second. ".repeat(30);
    // Texts that differ: one that another contains would be a duplicate.
    let longs: Vec<String> = (1..=4).map(|number| format!("Text {number}. {long}")).collect();
    let texts: Vec<Candidate> = (1..)
        .zip(&longs)
        .map(|(index, text)| plain(index, text))
        .collect();
    let fit = |strategy| select(&texts, &tokens(900, strategy), Purpose::default());

    let error = fit(Overflow::Reject).unwrap_err();
    assert_eq!(
        (error.code, error.field.as_deref()),
        (ErrorCode::TooLarge, Some("budget.max_tokens"))
    );
    assert!(error.message.contains("more than the 900"), "{}", error.message);

    let cut = fit(Overflow::TruncateTail).unwrap();
    assert_eq!(cut.selection.selected[1].cut, Some(Method::TruncateTail));
    assert!(
        cut.assembly.blocks[1].text.ends_with(".\n[/FRESHCONTEXT]\n"),
        "{}",
        cut.assembly.blocks[1].text
    );
    assert!(cut.budget.actual_tokens > 850, "{}", cut.budget.actual_tokens);
    let middle = fit(Overflow::TruncateMiddle).unwrap();
    assert_eq!(middle.budget.truncation_records[0].kept.len(), 2);
    assert!(middle.assembly.text.contains("\n[...]\n"));

    for (strategy, first) in [
        (Overflow::SummarizeOldest, 1),
        (Overflow::SummarizeLowPriority, 4),
    ] {
        let summarised = fit(strategy).unwrap();
        let replaced: Vec<usize> = summarised
            .budget
            .truncation_records
            .iter()
            .map(|record| record.index)
            .collect();
        assert!(
            replaced.contains(&first) && !summarised.selection.selected.is_empty(),
            "{replaced:?}"
        );
    }
    let deferred = fit(Overflow::DeferToRetrieval).unwrap();
    let reference = deferred.budget.truncation_records[0].reference.as_ref().unwrap();
    assert_eq!(
        reference["call"],
        json!({"tool": "extract_hackernews", "arguments": {"url": "https://news.ycombinator.com/item?id=2"}})
    );
    let asked = fit(Overflow::AskForChoice).unwrap();
    assert_eq!(asked.missing_context[0].blocked_actions, ["use_assembly"]);
    assert_eq!(asked.missing_context[0].results, [2, 3, 4]);
    let blocked = fit(Overflow::PolicyBlock).unwrap();
    assert!(
        blocked
            .selection
            .omitted
            .iter()
            .all(|it| it.reason == Reason::PolicyBlock)
    );

    let mut own = texts.clone();
    own[1].facts.replacement = Some("In short: a fox jumps.".into());
    let custom = select(&own, &tokens(900, Overflow::Custom), Purpose::default()).unwrap();
    assert_eq!(custom.selection.selected[1].cut, Some(Method::Custom));
    assert!(
        custom
            .assembly
            .text
            .contains("Part: the caller's own text in place of the source's\n---\n> In short")
    );
}

#[test]
fn what_is_small_fits_where_what_is_large_did_not_and_nothing_small_is_cut() {
    let long = "word ".repeat(600);
    let texts = [plain(1, &long), plain(2, "Short."), plain(3, &long)];
    let chosen = |max_tokens| -> Vec<(usize, bool)> {
        let budget = tokens(max_tokens, Overflow::TruncateTail);
        let fitted = select(&texts, &budget, Purpose::default()).unwrap();
        let selected = fitted.selection.selected.iter();
        selected.map(|it| (it.index, it.cut.is_some())).collect()
    };
    assert_eq!(
        chosen(200),
        [(1, true)],
        "the first that does not fit is cut to all the room there is"
    );
    assert_eq!(
        chosen(110),
        [(2, false)],
        "less than 64 tokens of a text are not worth its place"
    );
}

#[test]
fn summaries_prefer_sentences_that_share_words_with_the_query() {
    let mut text = "Nothing of interest is said in this sentence. ".repeat(40);
    text.push_str("The borrow checker rejects aliased mutation.");
    let candidate = [plain(1, &text), plain(2, &text)];
    let purpose = Purpose {
        query: Some("borrow checker"),
        needed_for: "test",
    };
    let fitted = select(&candidate, &tokens(300, Overflow::SummarizeLowPriority), purpose).unwrap();
    assert!(
        fitted
            .assembly
            .text
            .contains("The borrow checker rejects aliased mutation."),
        "{}",
        fitted.assembly.text
    );
}

#[test]
fn targets_that_count_otherwise_make_counts_estimates() {
    let of = |target: Option<&str>| {
        let budget = Budget {
            target: target.map(str::to_owned),
            ..tokens(100, Overflow::TruncateTail)
        };
        select(&[], &budget, Purpose::default())
            .unwrap()
            .budget
            .token_counts
    };
    assert_eq!(
        (of(None), of(Some("gpt-4o")), of(Some("claude-sonnet"))),
        ("exact", "exact", "estimate")
    );
}

#[test]
fn budgets_that_hold_nothing_are_refused_by_name_with_an_example() {
    for (given, field) in [
        (json!({}), "budget"),
        (json!([]), "budget"),
        (json!({"reserved_tokens": 5}), "budget"),
        (json!({"max_tokens": 0}), "budget.max_tokens"),
        (json!({"max_tokens": 1}), "budget.max_tokens"),
        (json!({"max_tokens": 100.5}), "budget.max_tokens"),
        (json!({"max_tokens": "4000"}), "budget.max_tokens"),
        (json!({"max_bytes": 1}), "budget.max_bytes"),
        (json!({"max_items": 0}), "budget.max_items"),
        (
            json!({"max_tokens": 100, "reserved_tokens": 100}),
            "budget.reserved_tokens",
        ),
        (
            json!({"max_tokens": 100, "reserved_tokens": 50}),
            "budget.reserved_tokens",
        ),
        (
            json!({"max_bytes": 500, "reserved_tokens": 50}),
            "budget.reserved_tokens",
        ),
        (
            json!({"max_tokens": 100, "tokenizer": "gpt2"}),
            "budget.tokenizer",
        ),
        (
            json!({"max_tokens": 100, "overflow_strategy": "drop"}),
            "budget.overflow_strategy",
        ),
        (json!({"max_tokens": 100, "target": 5}), "budget.target"),
        (
            json!({"max_tokens": 100, "allow_unverified": 1}),
            "budget.allow_unverified",
        ),
        (json!({"max_tokens": 100, "require": "new"}), "budget.require"),
        (json!({"max_tokens": 100, "limit": 1}), "budget.limit"),
    ] {
        let error = Budget::read(&given).unwrap_err();
        assert_eq!(error.field.as_deref(), Some(field), "{given}");
        assert!(
            error.message.contains("Example: {\"budget\""),
            "{}",
            error.message
        );
    }
}

#[test]
fn age_excludes_only_where_the_budget_says_so() {
    let mut fresh = plain(1, "Fresh.");
    fresh.freshness = Some(90);
    let mut old = plain(2, "Old.");
    old.freshness = Some(3);
    old.usability = Usability::NeedsRefresh;
    let mut undated = plain(3, "Undated.");
    (undated.freshness, undated.published_at) = (None, None);
    let all = [fresh, old, undated];
    for (given, selected, reasons) in [
        (json!({}), vec![1, 2, 3], vec![]),
        (json!({"require": "any"}), vec![1, 2, 3], vec![]),
        (
            json!({"require": "dated"}),
            vec![1, 2],
            vec![Reason::UnverifiedDate],
        ),
        (
            json!({"require": "fresh"}),
            vec![1],
            vec![Reason::StaleSource, Reason::UnverifiedDate],
        ),
        (json!({"allow_unverified": true}), vec![1, 2, 3], vec![]),
        (
            json!({"allow_unverified": false}),
            vec![1, 2],
            vec![Reason::UnverifiedDate],
        ),
        (
            json!({"require": "any", "allow_unverified": false}),
            vec![1, 2, 3],
            vec![],
        ),
    ] {
        let mut budget = given.clone();
        budget["max_tokens"] = json!(1000);
        let fitted = select(&all, &Budget::read(&budget).unwrap(), Purpose::default()).unwrap();
        let chosen: Vec<usize> = fitted.selection.selected.iter().map(|it| it.index).collect();
        let why: Vec<Reason> = fitted.selection.omitted.iter().map(|it| it.reason).collect();
        assert_eq!((chosen, why), (selected, reasons), "{given}");
    }
}

#[test]
fn of_two_that_are_as_useful_the_newer_goes_first_and_then_the_one_that_came_first() {
    let with = |index: usize, date: Option<&str>, position| Candidate {
        published_at: date.map(|date| date.to_owned().into()),
        selection_rank: 0.5,
        position,
        ..plain(index, "Text.")
    };
    let all = [
        with(1, None, 0),
        with(2, Some("2026-01-01T00:00:00.000Z"), 2),
        with(3, Some("2026-02-01T00:00:00.000Z"), 3),
        with(4, Some("2026-01-01T00:00:00.000Z"), 1),
    ];
    let fitted = select(&all, &tokens(2000, Overflow::TruncateTail), Purpose::default()).unwrap();
    let chosen: Vec<usize> = fitted.selection.selected.iter().map(|it| it.index).collect();
    assert_eq!(chosen, [3, 4, 2, 1]);
}

#[test]
fn a_selection_of_nothing_says_what_came_nearest_and_how_to_get_it() {
    let long = "word ".repeat(900);
    let judged = |by, score, least| Some(Relevance { score, least, by });
    let mut far = plain(1, &long);
    far.relevance = judged(Judge::Query, 0.0, 0.1);
    let mut near = plain(2, &long);
    near.title = Some("ssh(1), part 1".into());
    near.relevance = judged(Judge::Query, 0.77, 0.1);
    let said = |all: &[Candidate<'_>], budget: serde_json::Value| {
        let fitted = select(all, &Budget::read(&budget).unwrap(), Purpose::default()).unwrap();
        assert!(fitted.selection.selected.is_empty() && fitted.assembly.text.is_empty());
        fitted.selection.note.unwrap()
    };
    let room = said(
        &[far.clone(), near.clone()],
        json!({"max_tokens": 90, "overflow_strategy": "defer_to_retrieval"}),
    );
    let expected =
        "0 of 2 fit. Nearest: \"ssh(1), part 1\" (77 % of the query, 2026-01-03), left out because it takes ";
    assert!(
        room.starts_with(expected) && room.contains("and 90 were left. To get it: raise max_tokens to "),
        "{room}"
    );
    // What it says holds.
    let most: u64 = room
        .split("max_tokens to ")
        .nth(1)
        .unwrap()
        .split(',')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    let enough = select(
        &[far.clone(), near.clone()],
        &tokens(most, Overflow::TruncateTail),
        Purpose::default(),
    )
    .unwrap();
    assert_eq!(enough.selection.selected[0].index, 2);

    near.freshness = Some(3);
    assert!(
        said(&[near.clone()], json!({"max_tokens": 5000, "require": "fresh"}))
            .ends_with("left out because its freshness is 3. To get it: use require: dated, or any.")
    );
    assert!(said(&[far], json!({"max_items": 3})).contains("it shares no word of weight with the query"));
    near.facts.sensitivity = Some("secret");
    let withheld = said(&[near], json!({"max_items": 3}));
    assert!(
        !withheld.contains("ssh") && withheld.starts_with("0 of 1 fit. All are withheld"),
        "{withheld}"
    );
}

#[test]
fn what_is_not_relevant_says_both_figures() {
    let judged = |index, by, score| Candidate {
        relevance: Some(Relevance {
            score,
            least: 0.12,
            by,
        }),
        ..plain(index, "Text.")
    };
    let all = [
        judged(1, Judge::Query, 0.41),
        judged(2, Judge::Query, 0.08),
        judged(3, Judge::Query, -0.0),
        judged(4, Judge::Caller, 0.11),
    ];
    let fitted = select(&all, &tokens(1000, Overflow::TruncateTail), Purpose::default()).unwrap();
    let details: Vec<&str> = fitted
        .selection
        .omitted
        .iter()
        .map(|it| it.detail.as_str())
        .collect();
    assert_eq!(
        details,
        [
            "Shares 8 % of the query's weight; the weakest chosen has 41 %.",
            "Shares no word of weight with the query; the weakest chosen has 41 %.",
            "Its score is 0.11; the least that goes in is 0.12.",
        ]
    );
}

/// Five chunks of one page are five texts; equal or contained content is a duplicate, unless its facts differ.
#[test]
fn a_chunk_is_not_its_document() {
    let page = "https://example.org/manual";
    let chunk = |index: usize, content: &'static str| Candidate {
        source: page.into(),
        address: Some("example.org/manual".into()),
        content_sha256: Some(content.into()),
        published_at: None,
        ..plain(index, content)
    };
    let texts = [
        chunk(
            1,
            "Install the package with the package manager of your system, then start the service once by hand.",
        ),
        chunk(
            2,
            "The service reads its configuration from the folder that the environment names, else from the home folder.",
        ),
        chunk(3, "then start the   service once by hand."),
        chunk(4, "of your system, then start the\nservice once by hand."),
        chunk(
            5,
            "The service reads its configuration from the folder that the environment names, else from the home folder.",
        ),
    ];
    let with_facts = |index: usize, details: &'static str| Candidate {
        details: details.into(),
        ..chunk(
            index,
            "Supply of road salt for the winter of this year in the northern district of the town.",
        )
    };
    let bare = |index: usize, title: &'static str| Candidate {
        title: Some(title.into()),
        content: None,
        published_at: None,
        ..plain(index, "")
    };
    let mut all = texts.to_vec();
    all.extend([
        with_facts(6, "amount: 500"),
        with_facts(7, "amount: 900"),
        with_facts(8, "amount: 900"),
    ]);
    all.extend([
        bare(9, "A headline"),
        bare(10, "A headline"),
        bare(11, "Another one"),
    ]);
    let fitted = select(&all, &tokens(4_000, Overflow::TruncateTail), Purpose::default()).unwrap();
    let selected: Vec<usize> = fitted.selection.selected.iter().map(|one| one.index).collect();
    // The third is too short to be looked for in others.
    assert_eq!(selected, [1, 2, 3, 6, 7, 9, 11]);
    let omitted = &fitted.selection.omitted;
    assert!(
        omitted.iter().all(|one| one.reason == Reason::DuplicateCoverage),
        "{omitted:?}"
    );
    let details: Vec<&str> = omitted.iter().map(|one| one.detail.as_str()).collect();
    assert_eq!(
        details,
        [
            "Its content is contained in that of result 1, which is selected.",
            "Same content as result 2, which is selected.",
            "Same content as result 7, which is selected.",
            "Same content as result 9, which is selected.",
        ]
    );
}

/// A block is an envelope with what is known and nothing else.
#[test]
fn a_block_holds_the_facts_and_invents_none() {
    let whole = Candidate {
        details: "amount: 5000000000 USD · agency: Example Agency".into(),
        published_shown: Some("2021-03-01".into()),
        age: Some("5 years (reference text, score 64)".into()),
        date_confidence: "high",
        freshness: Some(64),
        published_at: Some("2021-03-01T00:00:00.000Z".into()),
        ..plain(1, "")
    };
    let unknown = Candidate {
        retrieved_at: None,
        date_confidence: "low",
        published_at: None,
        ..plain(2, "A text.")
    };
    let fitted = select(
        &[whole, unknown],
        &tokens(4_000, Overflow::TruncateTail),
        Purpose::default(),
    )
    .unwrap();
    assert_eq!(
        fitted.assembly.text,
        "[FRESHCONTEXT]\nSource: https://news.ycombinator.com/item?id=1\nPublished: 2021-03-01\n\
         Retrieved: 2026-06-09T12:00:00Z\nConfidence: high\nAge: 5 years (reference text, score 64)\n\
         Score: 64 of 100 by age\nDecision: use_first\nTitle: A title\n---\n\
         amount: 5000000000 USD · agency: Example Agency\n[/FRESHCONTEXT]\n\
         [FRESHCONTEXT]\nSource: https://news.ycombinator.com/item?id=2\nPublished: unknown\nConfidence: low\n\
         Score: unknown\nDecision: use_first\nTitle: A title\n---\n> A text.\n[/FRESHCONTEXT]\n"
    );
}
