//! The matrix of tools, cases and checks.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::TimeDelta;
use freshcontext_contract::Limits;
use freshcontext_contract::limits::MIN_RESULT_CHARS;
use freshcontext_spec::validate::{Level, validate};
use freshcontext_testkit::check::{self, Outcome};
use freshcontext_testkit::damage::{CHALLENGE, damaged, poisoned};
use freshcontext_testkit::forms::Group;
use freshcontext_testkit::{Case, Kind, Reply, load_cases};
use libtest_mimic::{Failed, Trial};
use serde_json::{Map, Value, json};

use crate::run::{Bench, block_on, once};
use crate::{quoted, root, shared, verdict, wanted};

/// Returns the tests of all cases, and one per tool that checks its set of cases.
pub fn trials() -> Vec<Trial> {
    let own = load_cases(&root().join("fixtures")).unwrap_or_else(|error| panic_line(&error));
    let recorded = load_cases(&root().join("tests/recordings")).unwrap_or_else(|error| panic_line(&error));
    let recordings = shared().map(|shared| shared.join("recordings"));
    let mut trials = minimum(&own);
    for adapter in freshcontext_sources::adapters() {
        let tool = adapter.descriptor().tool;
        let ordinary = own
            .iter()
            .filter(|case| case.tool == tool && case.kind == Kind::Ok);
        let ordinary: Vec<Arc<Case>> = ordinary.cloned().map(Arc::new).collect();
        trials.push(poison_arrives(tool, ordinary.clone()));
        trials.push(short_cuts(tool, ordinary));
    }
    // These checks read one envelope; a composite has one per section, and its own checks in `composites`.
    for case in own.into_iter().filter(|case| !of_a_composite(case)) {
        let named = format!("{}::{}", case.tool, case.name);
        trials.extend(checked(&named, case, Path::new("")));
    }
    trials.extend(elsewhere());
    // Cases of recordings are listed only if the recordings are present.
    if let Some(recordings) = recordings {
        trials.push(every_recording_has_a_case(&recorded, &recordings));
        for case in recorded {
            let named = format!("{}::recordings/{}", case.tool, case.name);
            trials.extend(checked(&named, case, &recordings));
        }
    }
    trials
}

/// Returns a test for each applicable check of a case.
fn checked(named: &str, case: Case, recordings: &Path) -> Vec<Trial> {
    let case = Arc::new(case);
    let due = CHECKS.into_iter().filter_map(|(check, run)| {
        let name = format!("{named}::{check}");
        if !wanted(&name) || !applies(check, &case, recordings) {
            return None;
        }
        let (case, recordings) = (Arc::clone(&case), recordings.to_owned());
        Some(Trial::test(name, move || block_on(run(case, recordings))))
    });
    due.collect()
}

/// Returns the cases of a folder named by `CASES`, such as those of `cargo xtask record`.
fn elsewhere() -> Vec<Trial> {
    let Some(folder) = std::env::var_os("CASES").map(PathBuf::from) else {
        return Vec::new();
    };
    let cases = load_cases(&folder).unwrap_or_else(|error| panic_line(&error));
    let single = cases.into_iter().filter(|case| !of_a_composite(case));
    single
        .flat_map(|case| checked(&format!("recorded::{}", case.name), case, Path::new("")))
        .collect()
}

/// Every check on one case.
pub async fn all_checks(case: Case) -> Result<(), Failed> {
    let case = Arc::new(case);
    for (check, run) in CHECKS {
        if !applies(check, &case, Path::new("")) {
            continue;
        }
        let failed = run(Arc::clone(&case), PathBuf::new()).await.err();
        if let Some(failed) = failed {
            let said = failed.message().unwrap_or("failed");
            return Err(Failed::from(format!("{check}: {said}")));
        }
    }
    Ok(())
}

/// Whether a case is a call of a composite.
pub fn of_a_composite(case: &Case) -> bool {
    freshcontext_sources::composites()
        .iter()
        .any(|composite| composite.tool == case.tool)
}

#[expect(clippy::panic, reason = "a case file that cannot be read must stop the suite")]
pub fn panic_line(error: &str) -> ! {
    panic!("{error}")
}

type Check = fn(Arc<Case>, PathBuf) -> std::pin::Pin<Box<dyn Future<Output = Result<(), Failed>>>>;

const CHECKS: [(&str, Check); 5] = [
    ("answer", |case, recordings| Box::pin(answer(case, recordings))),
    ("again", |case, recordings| Box::pin(again(case, recordings))),
    ("short", |case, recordings| Box::pin(short(case, recordings))),
    ("hostile", |case, recordings| Box::pin(hostile(case, recordings))),
    ("damage", |case, recordings| Box::pin(damage(case, recordings))),
];

/// Whether a check applies to a case: a failure has no content to shorten, and without a request nothing can
/// be damaged or poisoned.
fn applies(check: &str, case: &Case, recordings: &Path) -> bool {
    match check {
        "short" => case.expect.error.is_none(),
        "damage" => !case.exchanges.is_empty(),
        "hostile" => case.exchanges.iter().any(|exchange| {
            // An unreadable body is reported by the test itself.
            let body = case.body(exchange, recordings);
            body.map_or(true, |body| poisoned(&body, &exchange.content_type()) != body)
        }),
        _ => true,
    }
}

/// Every tool has at least an ordinary, an empty, a malformed, a refused and an odd case.
fn minimum(cases: &[Case]) -> Vec<Trial> {
    let mut kinds: BTreeMap<&str, HashSet<Kind>> = BTreeMap::new();
    let mut arguments: BTreeMap<&str, Vec<&Map<String, Value>>> = BTreeMap::new();
    for case in cases {
        kinds.entry(&case.tool).or_default().insert(case.kind);
        if case.kind == Kind::Ok {
            arguments.entry(&case.tool).or_default().push(&case.arguments);
        }
    }
    let mut trials = Vec::new();
    let mut known = HashSet::new();
    for adapter in freshcontext_sources::adapters() {
        let descriptor = adapter.descriptor();
        known.insert(descriptor.tool);
        let has = kinds.get(descriptor.tool).cloned().unwrap_or_default();
        let mut missing: Vec<String> = [Kind::Ok, Kind::Empty, Kind::Malformed, Kind::Odd]
            .into_iter()
            .filter(|kind| !has.contains(kind))
            .map(|kind| {
                format!(
                    "{} has no fixture of kind {kind:?}; see CONTRIBUTING.md",
                    descriptor.tool
                )
            })
            .collect();
        if !has.contains(&Kind::Denied) && !has.contains(&Kind::Limited) {
            missing.push(format!(
                "{} has no fixture of kind Denied or Limited",
                descriptor.tool
            ));
        }
        let example: Map<String, Value> = serde_json::from_str(descriptor.example).unwrap_or_default();
        if !arguments
            .get(descriptor.tool)
            .is_some_and(|all| all.contains(&&example))
        {
            missing.push(format!(
                "{}'s example {} is no fixture of kind ok",
                descriptor.tool, descriptor.example
            ));
        }
        trials.push(Trial::test(
            format!("{}::fixtures::complete", descriptor.tool),
            move || verdict(missing),
        ));
    }
    for composite in freshcontext_sources::composites() {
        known.insert(composite.tool);
        let example: Map<String, Value> = serde_json::from_str(composite.example).unwrap_or_default();
        let shown = arguments
            .get(composite.tool)
            .is_some_and(|all| all.contains(&&example));
        let missing = if shown {
            Vec::new()
        } else {
            vec![format!(
                "{}'s example {} is no fixture of kind ok",
                composite.tool, composite.example
            )]
        };
        trials.push(Trial::test(
            format!("{}::fixtures::complete", composite.tool),
            move || verdict(missing),
        ));
    }
    let strangers: Vec<String> = cases
        .iter()
        .filter(|case| !known.contains(case.tool.as_str()))
        .map(|case| format!("{} is for the unknown tool {}", case.name, case.tool))
        .collect();
    trials.push(Trial::test("fixtures::all_claimed", move || verdict(strangers)));
    trials
}

/// Prefixes of recordings of routes that are no longer used.
const RETIRED: [&str; 5] = [
    "gebiz/csv_rows",
    "stooq/daily_limit",
    "stooq/pow_challenge",
    "stooq/quote_",
    "yc/algolia_",
];

/// Every recording is used.
fn every_recording_has_a_case(cases: &[Case], recordings: &Path) -> Trial {
    let used: HashSet<PathBuf> = cases
        .iter()
        .flat_map(|case| &case.exchanges)
        .filter_map(|exchange| exchange.recording.as_ref())
        .map(|file| recordings.join(file))
        .collect();
    let mut unused = Vec::new();
    for source in std::fs::read_dir(recordings).into_iter().flatten().flatten() {
        for file in std::fs::read_dir(source.path()).into_iter().flatten().flatten() {
            let path = file.path();
            let headers_only = path.to_string_lossy().ends_with(".headers.txt");
            if path.is_file() && !headers_only && !used.contains(&path) {
                let short = path
                    .strip_prefix(recordings)
                    .unwrap_or(&path)
                    .display()
                    .to_string();
                if !RETIRED.iter().any(|retired| short.starts_with(retired)) {
                    unused.push(format!("no case in tests/recordings uses {short}"));
                }
            }
        }
    }
    unused.sort();
    Trial::test("recordings::all_used", move || verdict(unused))
}

/// The case as written: requests, expectations, honesty, form, validity.
async fn answer(case: Arc<Case>, recordings: PathBuf) -> Result<(), Failed> {
    let bench = Bench::start(&case, &recordings, Limits::DEFAULT, |_| {}).await?;
    let outcome = bench.call(&case.tool, case.arguments.clone()).await?;
    let mut complaints = check::expectations(&case, &outcome);
    complaints.extend(bench.script.complaints());
    complaints.extend(check::honesty(&case, &outcome));
    complaints.extend(check::harmless(&outcome));
    complaints.extend(form(&bench, &case, &outcome));
    let shown = format!("{}\n{}", outcome.text, outcome.structured);
    if shown.contains(freshcontext_testkit::SECRET) {
        complaints.push("the answer shows a secret".to_owned());
    }
    verdict(complaints)
}

/// Both forms are what they claim to be.
fn form(bench: &Bench, case: &Case, outcome: &Outcome) -> Vec<String> {
    let mut complaints = Vec::new();
    let schema = bench
        .engine
        .tool(&case.tool)
        .map(|tool| tool.output_schema.clone())
        .unwrap_or_default();
    match jsonschema::validator_for(&schema) {
        Ok(validator) => complaints.extend(
            validator
                .iter_errors(&outcome.structured)
                .map(|error| format!("output schema: {} at {}", error, error.instance_path())),
        ),
        Err(error) => complaints.push(format!("the output schema is not one: {error}")),
    }
    if outcome.is_error {
        return complaints;
    }
    for (form, text) in [
        ("text", outcome.text.clone()),
        ("JSON", outcome.structured.to_string()),
    ] {
        let report = validate(&text, Some(case.now));
        let scored = !outcome.structured["freshcontext"]["freshness_score"].is_null();
        let least = if form == "JSON" && scored {
            Level::Scored
        } else {
            Level::Compatible
        };
        if report.level < least {
            let failed: Vec<_> = report.checks.iter().filter(|check| !check.passed).collect();
            complaints.push(format!(
                "the {form} form reaches only {:?}: {failed:?}",
                report.level
            ));
        }
    }
    complaints
}

/// The same call twice: byte-identical from a fresh server; from the same server either a new request or the
/// original time of retrieval.
async fn again(case: Arc<Case>, recordings: PathBuf) -> Result<(), Failed> {
    let first = Bench::hurried(&case, &recordings, once(), |_| {}).await?;
    let outcome = first.call(&case.tool, case.arguments.clone()).await?;
    let second = Bench::hurried(&case, &recordings, once(), |_| {}).await?;
    let same = second.call(&case.tool, case.arguments.clone()).await?;
    // Each server seals cursors with its own key.
    let without_cursor = |outcome: &Outcome| {
        let mut value = outcome.structured.clone();
        if let Some(object) = value.as_object_mut() {
            object.remove("next_cursor");
        }
        value.to_string()
    };
    let mut complaints = Vec::new();
    if without_cursor(&outcome) != without_cursor(&same) {
        complaints.push(format!(
            "two servers answer differently:\n{}\n{}",
            outcome.structured, same.structured
        ));
    }
    if !outcome.is_error {
        let asked = first.script.asked();
        first.clock.step(TimeDelta::seconds(30));
        let later = first.call(&case.tool, case.arguments.clone()).await?;
        let moment = |outcome: &Outcome| outcome.structured["freshcontext"]["retrieved_at"].clone();
        if first.script.asked() == asked && moment(&later) != moment(&outcome) {
            complaints.push(format!(
                "nothing was asked again, yet Retrieved moved from {} to {}",
                moment(&outcome),
                moment(&later)
            ));
        }
    }
    verdict(complaints)
}

/// A short answer keeps its limit, is cut between items, and reports omissions; one that fits is unchanged.
async fn short(case: Arc<Case>, recordings: PathBuf) -> Result<(), Failed> {
    let (whole, _) = at_most(&case, &recordings, None).await?;
    let (outcome, bench) = at_most(&case, &recordings, Some(SHORT)).await?;
    let mut complaints = check::honesty(&case, &outcome);
    complaints.extend(form(&bench, &case, &outcome));
    let length = outcome.content().chars().count();
    if length > SHORT {
        complaints.push(format!("{length} characters of content, {SHORT} were asked for"));
    }
    let counted = |outcome: &Outcome| {
        let truncated = outcome.structured["truncated"].as_u64();
        truncated.map(|truncated| (outcome.items().len() as u64, truncated))
    };
    match (counted(&whole), counted(&outcome)) {
        (Some((shown, left)), Some((fewer, more))) if shown + left == fewer + more => {}
        (whole, short) => complaints.push(format!("items shown and left out: {whole:?} became {short:?}")),
    }
    if !is_cut(&outcome) && outcome.content() != whole.content() {
        complaints.push(format!(
            "it does not say that it was cut:\n{}\nThe whole:\n{}",
            outcome.text, whole.text
        ));
    }
    verdict(complaints)
}

/// Length that [`short`] requests, in characters: the minimum.
const SHORT: usize = MIN_RESULT_CHARS;

/// Returns a fresh server's answer, with this maximum length if given, and the server.
async fn at_most(case: &Case, recordings: &Path, most: Option<usize>) -> Result<(Outcome, Bench), Failed> {
    let bench = Bench::hurried(case, recordings, once(), |_| {}).await?;
    let mut arguments = case.arguments.clone();
    if let Some(most) = most {
        arguments.insert("max_length".to_owned(), json!(most));
    }
    Ok((bench.call(&case.tool, arguments).await?, bench))
}

/// Whether an answer reports an omission or a cut.
fn is_cut(outcome: &Outcome) -> bool {
    let said = format!("to fit {SHORT} characters");
    [".", ";"]
        .iter()
        .any(|end| outcome.content().contains(&format!("{said}{end}")))
}

/// Whether [`short`] ever cuts an answer of this tool: if not, the check proves nothing.
fn short_cuts(tool: &'static str, cases: Vec<Arc<Case>>) -> Trial {
    Trial::test(format!("{tool}::fixtures::short_cuts"), move || {
        block_on(async {
            for case in &cases {
                let (outcome, _) = at_most(case, Path::new(""), Some(SHORT)).await?;
                if is_cut(&outcome) {
                    return Ok(());
                }
            }
            Err("no ordinary case is longer than a short answer, so that one could be seen cut".into())
        })
    })
}

/// Whether the poison of [`hostile`] ever reaches an answer of this tool: if not, the check proves nothing.
fn poison_arrives(tool: &'static str, cases: Vec<Arc<Case>>) -> Trial {
    Trial::test(format!("{tool}::fixtures::poison_arrives"), move || {
        block_on(async {
            for case in &cases {
                let outcome = poisoned_answer(case, &PathBuf::new()).await?;
                if check::poison_arrived(&outcome) {
                    return Ok(());
                }
            }
            Err("no ordinary case shows a text of its source, so that poison in it could be seen".into())
        })
    })
}

async fn poisoned_answer(case: &Case, recordings: &Path) -> Result<Outcome, Failed> {
    let bench = Bench::hurried(case, recordings, once(), |script| {
        script.alter(|exchange, reply| reply.body = poisoned(&reply.body, &exchange.content_type()));
    })
    .await?;
    Ok(bench.call(&case.tool, case.arguments.clone()).await?)
}

/// Poison in every text of every body, then in every string.
async fn hostile(case: Arc<Case>, recordings: PathBuf) -> Result<(), Failed> {
    let outcome = poisoned_answer(&case, &recordings).await?;
    let mut complaints = check::harmless(&outcome);
    complaints.extend(check::honesty(&case, &outcome));
    // Also names, ids, addresses and dates, one group at a time: with most of the body intact, the call
    // proceeds as usual.
    for number in 0..quoted::GROUPS {
        let group = Group {
            number,
            of: quoted::GROUPS,
        };
        let outcome = quoted::poisoned_case(&case, &recordings, group).await?;
        complaints.extend(quoted::of_case(&case, &outcome));
    }
    verdict(complaints)
}

/// Damage at every position: a typed error or fewer items, never a panic, never content from a block page.
async fn damage(case: Arc<Case>, recordings: PathBuf) -> Result<(), Failed> {
    let mut complaints = Vec::new();
    let seed = case.name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    for variant in 0..6_usize {
        let mut what = String::new();
        let bench = Bench::hurried(&case, &recordings, once(), |script| {
            script.alter(|_, reply| {
                if let Some((_, body)) = damaged(&reply.body, seed).into_iter().nth(variant) {
                    reply.body = body;
                }
            });
        })
        .await?;
        if let Some(exchange) = case.exchanges.first() {
            let body = case.body(exchange, &recordings)?;
            what = damaged(&body, seed)
                .into_iter()
                .nth(variant)
                .map(|(what, _)| what)
                .unwrap_or_default();
        }
        let outcome = bench.call(&case.tool, case.arguments.clone()).await?;
        complaints.extend(
            check::honesty(&case, &outcome)
                .into_iter()
                .map(|line| format!("{what}: {line}")),
        );
        if let Some(items) = case.expect.items
            && !outcome.is_error
            && outcome.items().len() > items
        {
            complaints.push(format!("{what}: {} items out of {items}", outcome.items().len()));
        }
    }
    if !case.exchanges.is_empty() && case.expect.error.as_deref() != Some("invalid_input") {
        for (what, content_type) in [
            ("a challenge page", "text/html; charset=utf-8"),
            ("a mislabelled challenge page", "application/json"),
        ] {
            let bench = Bench::hurried(&case, &recordings, once(), |script| {
                script.answer_all(&Reply {
                    status: 200,
                    headers: vec![("content-type".to_owned(), content_type.to_owned())],
                    body: CHALLENGE.as_bytes().to_vec(),
                    delay_ms: 0,
                });
            })
            .await?;
            let outcome = bench.call(&case.tool, case.arguments.clone()).await?;
            complaints.extend(
                check::honesty(&case, &outcome)
                    .into_iter()
                    .map(|line| format!("{what}: {line}")),
            );
            if !outcome.is_error {
                complaints.push(format!("{what} became an answer:\n{}", outcome.text));
            } else if !["challenge", "malformed", "access_denied", "misconfigured"].contains(&outcome.code())
            {
                complaints.push(format!("{what} is called {}: {}", outcome.code(), outcome.text));
            }
        }
    }
    verdict(complaints)
}
