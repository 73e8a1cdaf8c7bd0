//! What the pages of answers, records and deliverables are made of: values in the words of the text, nothing that a script could
//! run, and what changed between two versions. tests/timeline looks at the drawn pages in a browser.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use freshcontext_testkit::{Reply, ScriptedUpstream};
use libtest_mimic::Failed;
use serde_json::{Value, json};

use crate::places::Kept;
use crate::process::{command, finish, scratch};
use crate::upstreams::{json_reply, reply};
use crate::{ensure, verdict};

const MONDAY: &str = "2026-11-23T09:00:00Z";
const FRIDAY: &str = "2026-11-27T09:00:00Z";
/// Ends a script element, names a script, and hides its direction.
const HOSTILE: &str = "</script><script>alert(1)</script> javascript:alert(2) \u{202e}gpj";

/// The page in a file, and the answer that it holds.
struct Page {
    text: String,
    answer: Value,
}

impl Page {
    fn read(file: &PathBuf) -> Result<Self, Failed> {
        Self::of(std::fs::read_to_string(file)?)
    }

    fn of(text: String) -> Result<Self, Failed> {
        let start = "<script type=\"application/json\" id=\"answer\">";
        let held = text
            .split_once(start)
            .and_then(|(_, rest)| rest.split_once("</script>"));
        let (held, _) = held.ok_or("the page holds no answer")?;
        let answer = serde_json::from_str(held)?;
        Ok(Self { text, answer })
    }

    fn structured(&self) -> &Value {
        &self.answer["structured"]
    }

    /// Three scripts of ours, and no other.
    fn is_closed(&self) -> bool {
        self.text.matches("<script").count() == 3
            && self.text.matches("</script>").count() == 3
            && self.text.contains("default-src 'none'")
            && !self.text.contains("'unsafe-inline'")
    }
}

fn hits(list: &[(u64, &str, u64)]) -> Reply {
    let hits: Vec<Value> = list
        .iter()
        .map(|(id, title, points)| {
            json!({"objectID": id.to_string(), "title": title, "url": format!("https://example.com/{id}"),
                "author": "someone", "points": points, "num_comments": 3, "created_at": "2026-11-22T10:00:00Z",
                "_tags": ["story"]})
        })
        .collect();
    json_reply(
        &json!({"hits": hits, "nbHits": hits.len(), "page": 0, "nbPages": 1, "hitsPerPage": 20}).to_string(),
    )
}

/// A page has the words of the text for every value, says the question's place, and keeps days as days.
pub async fn values() -> Result<(), Failed> {
    let quote = r#"{"FormattedQuoteResult":{"FormattedQuote":[{"symbol":"AAPL","name":"Example","last":"10.00","last_time":"2026-11-20T16:00:00.000-0500","currencyCode":"USD","type":"STOCK"},
        {"symbol":"MSFT","name":"Sample","last":"20.00","last_time":"2026-11-20","currencyCode":"USD","type":"STOCK"}]}}"#;
    let upstream = ScriptedUpstream::start(move |seen| match seen.host.as_str() {
        "quote.cnbc.com" => json_reply(quote),
        "hn.algolia.com" => hits(&[(1, HOSTILE, 10)]),
        _ => reply(404, "text/plain", "nothing"),
    })
    .await?;
    let mut complaints = Vec::new();
    for (words, place) in [
        (&["call", "extract_finance", "url=AAPL,MSFT"][..], "on the market"),
        (&["call", "extract_hackernews", "url=rust"], "on Hacker News"),
    ] {
        let file = scratch().join(format!("{}.html", words[1]));
        let mut command = command(words);
        command
            .env("FRESHCONTEXT_UPSTREAM", format!("*={}", upstream.base()))
            .env("FRESHCONTEXT_REPLAY_AT", "2026-11-23T09:00:00Z")
            .arg("--html")
            .arg(&file);
        let done = finish(command, "").await;
        let page = Page::read(&file)?;
        if done.code != Some(0) || !page.is_closed() || !page.text.contains(place) {
            complaints.push(format!("{words:?}: {done:?}"));
        }
        for item in page.structured()["items"].as_array().into_iter().flatten() {
            let date = item["published_at"].as_str().unwrap_or_default();
            if date.is_empty() || date.ends_with("T00:00:00.000Z") {
                complaints.push(format!("{words:?}: a date of {item}"));
            }
            for (name, value) in item["fields"].as_object().into_iter().flatten() {
                let Some(value) = value.as_str() else {
                    complaints.push(format!("{words:?}: {name} is not in words: {value}"));
                    continue;
                };
                // A fact that says no more than the date of its item is named beside that.
                let is_told = [format!("{name}: {value}"), format!(" ago, {name}, ")];
                if !is_told.iter().any(|told| done.stdout.contains(told)) {
                    complaints.push(format!("{words:?}: the text does not say `{name}: {value}`"));
                }
            }
        }
    }
    verdict(complaints)
}

/// The page of records holds what was checked, and the titles of sources; a bundle that breaks a rule has no page.
pub async fn records() -> Result<(), Failed> {
    let kept = scratch().join("page-records.json");
    let arguments = json!({"query": "rotate tokens", "profile": "local_custom", "intent": "developer_adoption",
        "budget": {"max_tokens": 400}, "signals": [
            {"title": HOSTILE, "source": "javascript:alert(3)", "content": "Rotate tokens every month.", "published_at": "2026-11-20"},
            {"title": "Undated", "source": "https://example.com/b", "content": "Tokens rotate when they are old."}]});
    let mut call = command(&["call", "evaluate_context", &arguments.to_string(), "--records"]);
    call.arg(&kept);
    let done = finish(call, "").await;
    ensure(done.code == Some(0), &done.stderr)?;
    let printed = done.stdout;
    let mut drawing = command(&["records", "page"]);
    drawing.arg(&kept);
    let drawn = finish(drawing, "").await;
    ensure(drawn.code == Some(0), &drawn.stderr)?;
    let page = Page::of(drawn.stdout)?;
    ensure(page.is_closed(), "a script of a title stands in the page")?;
    let bundle: Value = serde_json::from_str(&std::fs::read_to_string(&kept)?)?;
    let count: usize = bundle
        .as_object()
        .into_iter()
        .flatten()
        .map(|(_, records)| records.as_array().map_or(1, Vec::len))
        .sum();
    ensure(
        page.structured()["checked"]["records"] == count,
        &page.structured()["checked"],
    )?;
    let hash = &page.structured()["context_injection"][0]["hash"];
    ensure(
        hash.as_str().is_some_and(|hash| hash.starts_with("sha256:")),
        "the hash of the delivered text is missing",
    )?;
    ensure(
        page.text.contains("\"hackernews\":{\"title\":\"Hacker News\"}"),
        "no titles of sources",
    )?;

    // The text that was delivered has its recorded hash, to the letter.
    let text = scratch().join("page-records.txt");
    let comparing = async |content: String, task: &str| -> Result<Option<i32>, Failed> {
        std::fs::write(&text, content)?;
        let mut compare = command(&["records", task]);
        compare.arg(&kept).arg("--text").arg(&text);
        let done = finish(compare, "").await;
        if task == "page" && done.code != Some(0) {
            ensure(done.stdout.is_empty(), "a page of a text that was not delivered")?;
        }
        Ok(done.code)
    };
    for task in ["check", "page"] {
        ensure(
            comparing(printed.clone(), task).await? == Some(0),
            "the printed text is not what was delivered",
        )?;
        let other = printed.replacen("every month", "every mouth", 1);
        ensure(comparing(other, task).await? == Some(1), "another text passes")?;
    }

    let mut broken = bundle;
    broken["context_selection"][0]["selected_item_refs"] = json!(["itm_nowhere"]);
    std::fs::write(&kept, broken.to_string())?;
    let mut drawing = command(&["records", "page"]);
    drawing.arg(&kept);
    let refused = finish(drawing, "").await;
    ensure(
        refused.code == Some(1) && refused.stdout.is_empty() && !refused.stderr.is_empty(),
        &refused.stdout,
    )
}

/// The page of a version: what was added, what changed from which value to which, what is no longer listed, what could not
/// be checked, and the axis of versions; the same through `show` and `diff`.
pub async fn deliverable() -> Result<(), Failed> {
    let friday = Arc::new(Mutex::new(false));
    let is_friday = Arc::clone(&friday);
    let upstream = ScriptedUpstream::start(move |seen| {
        let friday = *is_friday.lock().unwrap_or_else(PoisonError::into_inner);
        match seen.host.as_str() {
            "hn.algolia.com" if friday => hits(&[(1, "Kept", 25), (3, HOSTILE, 1)]),
            "hn.algolia.com" => hits(&[(1, "Kept", 10), (2, "Dropped", 5)]),
            "export.arxiv.org" if friday => reply(429, "text/plain", "slow down"),
            "export.arxiv.org" => reply(200, "application/atom+xml", FEED),
            _ => reply(404, "text/plain", "nothing"),
        }
    })
    .await?;
    let kept = Kept::in_folder();
    let run = async |now: &str, words: &[&str], file: Option<&PathBuf>| {
        let mut command = kept.command(&[&["deliverable"], words].concat(), now, &upstream.base());
        if let Some(file) = file {
            command.arg("--html").arg(file);
        }
        let done = finish(command, "").await;
        ensure(done.code == Some(0), format!("{words:?}: {done:?}"))
    };
    let file = scratch().join("version.html");
    let sources = [
        "add",
        "brief",
        "--on-unchecked",
        "use_last",
        "--source",
        "extract_hackernews url=rust",
        "--source",
        "extract_arxiv url=rust",
    ];
    run(MONDAY, &sources, None).await?;
    run(MONDAY, &["generate", "brief"], Some(&file)).await?;
    let first = Page::read(&file)?;
    ensure(
        first.structured()["from"].is_null() && first.structured()["to"] == 1,
        "the first version is compared with another",
    )?;
    *friday.lock().unwrap_or_else(PoisonError::into_inner) = true;
    run(FRIDAY, &["generate", "brief"], Some(&file)).await?;
    let made = Page::read(&file)?;
    ensure(made.is_closed(), "a script of a title stands in the page")?;
    for words in [
        &["show", "brief"][..],
        &["show", "brief", "2"],
        &["diff", "brief", "1", "2"],
    ] {
        run(FRIDAY, words, Some(&file)).await?;
        ensure(
            Page::read(&file)?.answer == made.answer,
            format!("{words:?} has another page"),
        )?;
    }
    let page = made.structured();
    let changes = &page["changes"];
    let points = json!({"field": "fields.points", "then": "10", "now": "25"});
    let changed = changes["changed"][0]["fields"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    ensure(changed.contains(&points), changes)?;
    ensure(
        changes["added"].as_array().is_some_and(|added| added.len() == 1),
        changes,
    )?;
    ensure(
        changes["removed"][0]["title"] == "Dropped" && changes["removed"][0]["detail"] == "outside_window",
        changes,
    )?;
    let papers = page["sources"].as_array().into_iter().flatten();
    let papers = papers.filter(|source| source["platform"] == "extract_arxiv");
    ensure(
        papers.map(|source| &source["state"]).collect::<Vec<_>>() == ["last_used"],
        &page["sources"],
    )?;
    ensure(
        page["from"] == 1 && page["to"] == 2 && page["from_at"] == "2026-11-23T09:00:00.000Z",
        &page["from_at"],
    )?;
    ensure(
        page["versions"]
            .as_array()
            .is_some_and(|versions| versions.len() == 2),
        &page["versions"],
    )?;
    // Ages of facts count to the version, also those of what could not be fetched again.
    let paper = page["version"]["items"].as_array().into_iter().flatten();
    let published = paper
        .map(|entry| &entry["item"]["fields"]["first_submitted"])
        .find(|value| !value.is_null());
    ensure(
        published == Some(&json!("2026-11-20T10:00:00Z (6 days ago)")),
        page["version"]["items"].to_string(),
    )?;
    // Against now, nothing is kept, and the page says so.
    run(FRIDAY, &["diff", "brief", "1", "now"], Some(&file)).await?;
    let now = Page::read(&file)?;
    ensure(
        now.structured()["to"] == "now" && now.structured()["version"].is_null(),
        &now.structured()["to"],
    )
}

const FEED: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" xmlns="http://www.w3.org/2005/Atom">
  <id>https://arxiv.org/api/x</id><title>arXiv Query</title><updated>2026-11-20T10:00:00Z</updated>
  <opensearch:itemsPerPage>10</opensearch:itemsPerPage><opensearch:totalResults>1</opensearch:totalResults>
  <opensearch:startIndex>0</opensearch:startIndex>
  <entry><id>http://arxiv.org/abs/2611.00001v1</id><title>A paper</title><updated>2026-11-20T10:00:00Z</updated>
    <published>2026-11-20T10:00:00Z</published><summary>About checking before acting.</summary>
    <author><name>Example Person</name></author></entry>
</feed>"#;
