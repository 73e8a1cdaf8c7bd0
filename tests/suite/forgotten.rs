//! A response that its reader rejected is not served from the cache: the next call requests the source again.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Mutex;

use freshcontext_testkit::check::{self, Outcome};
use freshcontext_testkit::{Case, Kind, Reply, load_cases};
use libtest_mimic::{Failed, Trial};

use crate::cases::{of_a_composite, panic_line};
use crate::run::{Bench, block_on, once};
use crate::{root, verdict};

pub fn trials() -> Vec<Trial> {
    let cases = load_cases(&root().join("fixtures")).unwrap_or_else(|error| panic_line(&error));
    let mut trials: Vec<Trial> = cases
        .into_iter()
        .filter(|case| case.kind == Kind::Ok && !of_a_composite(case))
        .map(|case| {
            let name = format!("{}::{}::forgotten", case.tool, case.name);
            Trial::test(name, move || block_on(foreign_document(case)))
        })
        .collect();
    for (name, case, first) in [
        ("arxiv_unsteady", ARXIV, "upstream_error"),
        ("search_incomplete", SEARCH, "partial"),
    ] {
        trials.push(Trial::test(format!("forgotten::{name}"), move || {
            block_on(soft_failure(case, first))
        }));
    }
    trials
}

/// A document of the right type that is not the source's: the outer structure fits, so only the source's
/// reader can detect it.
fn foreign(content_type: &str) -> &'static str {
    if content_type.contains("json") {
        "{\"service\":\"example\",\"state\":\"maintenance\"}"
    } else if content_type.contains("html") {
        "<!doctype html><html><head><title>Example</title></head><body><p>Back soon.</p></body></html>"
    } else if content_type.contains("xml") {
        "<?xml version=\"1.0\"?><status><state>maintenance</state></status>"
    } else {
        "Back soon."
    }
}

/// The source returns a foreign document first, then the case's response. The rejected first response must
/// not affect the second call.
async fn foreign_document(case: Case) -> Result<(), Failed> {
    let originals: Mutex<HashMap<String, Vec<Reply>>> = Mutex::default();
    let bench = Bench::hurried(&case, Path::new(""), once(), |script| {
        script.alter(|exchange, reply| {
            let mut originals = originals.lock().expect("one thread");
            originals.entry(key(exchange)).or_default().push(reply.clone());
            if (200..300).contains(&reply.status) {
                reply.body = foreign(&exchange.content_type()).as_bytes().to_vec();
            }
        });
    })
    .await?;
    let first = bench.call(&case.tool, case.arguments.clone()).await?;
    if !first.is_error && became(&first) != "partial" {
        return Err(format!(
            "a document of another kind was taken for an answer:\n{}",
            first.text
        )
        .into());
    }
    bench.script.alter(|exchange, reply| {
        let mut originals = originals.lock().expect("one thread");
        let kept = originals.get_mut(&key(exchange)).expect("seen before");
        *reply = kept.remove(0);
    });
    let second = bench.call(&case.tool, case.arguments.clone()).await?;
    let complaints = check::expectations(&case, &second);
    verdict(
        complaints
            .into_iter()
            .map(|line| format!("after {}: {line}", first.text))
            .collect(),
    )
}

/// Returns the error code or the status of an answer.
fn became(outcome: &Outcome) -> &str {
    if outcome.is_error {
        outcome.code()
    } else {
        outcome.structured["status"].as_str().unwrap_or_default()
    }
}

fn key(exchange: &freshcontext_testkit::Exchange) -> String {
    format!(
        "{} {} {:?}",
        exchange.method, exchange.url, exchange.body_contains
    )
}

/// Counted but not sent, twice; then sent.
const ARXIV: &str = r#"
tool = "extract_arxiv"
kind = "odd"
origin = "crafted"
note = "An unsteady index, and the same question a little later."
now = "2026-11-21T12:00:00Z"

[arguments]
url = "x"

[[exchange]]
url = "https://export.arxiv.org/api/query?search_query=all%3Ax&sortBy=relevance&sortOrder=descending&start=0&max_results=10"
headers = { content-type = "application/atom+xml" }
text = "<feed xmlns='http://www.w3.org/2005/Atom' xmlns:o='http://a9.com/-/spec/opensearch/1.1/'><o:totalResults>1</o:totalResults><o:startIndex>0</o:startIndex></feed>"

[[exchange]]
url = "https://export.arxiv.org/api/query?search_query=all%3Ax&sortBy=relevance&sortOrder=descending&max_results=10&start=0"
headers = { content-type = "application/atom+xml" }
text = ""

[[exchange]]
url = "https://export.arxiv.org/api/query?search_query=all%3Ax&sortBy=relevance&sortOrder=descending&start=0&max_results=10"
headers = { content-type = "application/atom+xml" }
text = "<feed xmlns='http://www.w3.org/2005/Atom' xmlns:o='http://a9.com/-/spec/opensearch/1.1/'><o:totalResults>1</o:totalResults><o:startIndex>0</o:startIndex><entry><id>http://arxiv.org/abs/2611.00001v1</id><title>A paper</title><published>2026-11-20T12:00:00Z</published><updated>2026-11-20T12:00:00Z</updated><summary>Of something.</summary></entry></feed>"

[expect]
status = "success"
items = 1
content_date = "2026-11-20T12:00:00.000Z"
confidence = "high"
"#;

/// GitHub timed out with status 200; then it succeeds.
const SEARCH: &str = r#"
tool = "search_repos"
kind = "odd"
origin = "crafted"
note = "An incomplete search, and the same search a little later."
now = "2026-11-21T12:00:00Z"

[arguments]
query = "x"

[[exchange]]
url = "https://api.github.com/search/repositories?q=x&per_page=10"
headers = { content-type = "application/json", cache-control = "public, max-age=600" }
text = '{"total_count":1,"incomplete_results":true,"items":[{"full_name":"example/a","pushed_at":"2026-11-01T12:00:00Z"}]}'

[[exchange]]
url = "https://api.github.com/search/repositories?q=x&per_page=10"
headers = { content-type = "application/json", cache-control = "public, max-age=600" }
text = '{"total_count":2,"incomplete_results":false,"items":[{"full_name":"example/a","pushed_at":"2026-11-01T12:00:00Z"},{"full_name":"example/b","pushed_at":"2026-11-20T12:00:00Z"}]}'

[expect]
status = "success"
items = 2
content_date = "2026-11-20T12:00:00.000Z"
"#;

/// Fails, succeeds, and then answers from the cache: each exchange is requested once.
async fn soft_failure(case: &str, first: &str) -> Result<(), Failed> {
    let case = Case::inline(case)?;
    let bench = Bench::hurried(&case, Path::new(""), once(), |_| {}).await?;
    let failed = bench.call(&case.tool, case.arguments.clone()).await?;
    let mut complaints = Vec::new();
    if became(&failed) != first {
        complaints.push(format!("first {first} was due, not\n{}", failed.text));
    }
    for _ in 0..2 {
        let outcome = bench.call(&case.tool, case.arguments.clone()).await?;
        complaints.extend(check::expectations(&case, &outcome));
    }
    complaints.extend(bench.script.complaints());
    verdict(complaints)
}
