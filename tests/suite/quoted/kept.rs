//! What is kept: deliverables with all that is said of them, rechecks, records, resources and feeds, through the binary.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use freshcontext_records::export::Format;
use freshcontext_testkit::forms::{self, MARK, poison};
use freshcontext_testkit::{Reply, ScriptedUpstream};
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};

use super::{held, held_text};
use crate::memory::figure;
use crate::places::{Kept, on_both};
use crate::process::{self, Finished, MODERN, Session, finish};
use crate::upstreams::json_reply;
use crate::verdict;

/// The peak above an idle server, in KiB.
const PEAK: u64 = 64 << 10;
/// The moment at which all of this happens; it goes on by minutes.
const HOUR: &str = "2026-11-23T09";

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    trials.extend(on_both("quoted::deliverables", deliverables));
    trials.extend(on_both("quoted::template", template));
    trials.extend(on_both("quoted::rechecks", rechecks));
    trials
}

/// Stories that are poison in every text: with summaries and without, with ids that are words.
fn stories(turn: usize) -> Reply {
    let hits: Vec<Value> = (0..8)
        .map(|id| {
            let words = |at: usize| poison(turn + id * 17 + at);
            let text = (id % 2 == 0).then(|| format!("First line. {}\n\n{}", words(1), words(2)));
            let name = if id == 7 { words(3) } else { id.to_string() };
            json!({"objectID": name, "title": words(4), "url": format!("https://example.com/{id}/{}", words(5)),
                "author": words(6), "points": 10 + turn, "num_comments": 3, "created_at": "2026-11-23T08:00:00Z",
                "created_at_i": 1_795_420_800_usize + id, "_tags": ["story"], "story_text": text})
        })
        .collect();
    let mut out = json_reply(
        &json!({"hits": hits, "nbHits": 8, "page": 0, "nbPages": 1, "hitsPerPage": 20, "exhaustiveNbHits": true})
            .to_string(),
    );
    // What a header can carry.
    out.headers
        .push(("etag".to_owned(), format!("\"## Missing {MARK} {turn}\"")));
    out
}

/// An upstream whose stories change when they are told to.
async fn changing() -> Result<(ScriptedUpstream, Arc<AtomicUsize>), Failed> {
    let turn = Arc::<AtomicUsize>::default();
    let answers = Arc::clone(&turn);
    let upstream = ScriptedUpstream::start(move |_| match answers.load(Ordering::SeqCst) {
        usize::MAX => crate::upstreams::reply(500, "text/plain", &poison(3)),
        turn => stories(turn),
    })
    .await?;
    Ok((upstream, turn))
}

/// One command line at a minute; both of its outputs are held to the law.
struct Line<'a> {
    kept: &'a Kept,
    base: String,
    complaints: Mutex<Vec<String>>,
    seen: AtomicUsize,
}

impl Line<'_> {
    async fn run(&self, minute: u32, arguments: &[&str]) -> Finished {
        let now = format!("{HOUR}:{minute:02}:00Z");
        let done = finish(self.kept.command(arguments, &now, &self.base), "").await;
        let place = arguments.join(" ");
        let mut complaints = self.complaints.lock().unwrap_or_else(PoisonError::into_inner);
        // JSON is held by its fields.
        match serde_json::from_str::<Value>(&done.stdout) {
            Ok(value) => {
                let found = forms::of_value(&value);
                complaints.extend(found.into_iter().map(|complaint| format!("{place}: {complaint}")));
            }
            Err(_) => held_text(&place, &done.stdout, &mut complaints),
        }
        held_text(&place, &done.stderr, &mut complaints);
        self.seen
            .fetch_add(usize::from(done.stdout.contains(MARK)), Ordering::SeqCst);
        done
    }

    fn add(&self, complaint: String) {
        let mut complaints = self.complaints.lock().unwrap_or_else(PoisonError::into_inner);
        complaints.push(complaint);
    }
}

/// Every command of deliverables, both texts and data, the resource, and the feeds.
async fn deliverables(kept: Kept) -> Result<(), Failed> {
    let (upstream, turn) = changing().await?;
    let line = Line {
        kept: &kept,
        base: upstream.base(),
        complaints: Mutex::default(),
        seen: AtomicUsize::new(0),
    };
    let argument = poison(1);
    let other = format!("extract_hackernews url='{}'", argument.replace('\'', " "));
    let add = |policy: &'static str| {
        [
            "deliverable",
            "add",
            "brief",
            "--source",
            "extract_hackernews url=rust",
            "--max-tokens",
            "20000",
            "--on-unchecked",
            policy,
        ]
    };
    line.run(0, &add("use_last")).await;
    line.run(0, &["deliverable", "add", "other", "--source", &other])
        .await;
    line.run(0, &["deliverable", "add", &argument, "--source", &other])
        .await;
    line.run(0, &["deliverable", "list"]).await;
    line.run(0, &["deliverable", "list", "--versions"]).await;
    line.run(0, &["sync"]).await;
    for minute in [1, 7] {
        for command in ["check", "sync", "generate", "show"] {
            line.run(minute, &["deliverable", command, "brief"]).await;
            line.run(minute, &["deliverable", command, "brief", "--json"])
                .await;
            line.run(minute, &["deliverable", command, &argument]).await;
        }
        turn.store(100, Ordering::SeqCst);
    }
    let shown = line.run(8, &["deliverable", "show", "brief"]).await;
    headings(&shown.stdout, &line);
    for to in ["2", "now", &argument] {
        line.run(9, &["deliverable", "diff", "brief", "1", to]).await;
        line.run(9, &["deliverable", "diff", "brief", "1", to, "--json"])
            .await;
    }
    turn.store(usize::MAX, Ordering::SeqCst);
    for command in ["check", "sync", "generate"] {
        line.run(20, &["deliverable", command, "brief"]).await;
        line.run(20, &["deliverable", command, "other"]).await;
    }
    line.run(21, &["deliverable", "diff", "brief", "1", "now"]).await;
    turn.store(200, Ordering::SeqCst);
    watched(&line).await?;
    resource(&line).await?;
    let complaints = line
        .complaints
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    if line.seen.load(Ordering::SeqCst) < 10 {
        return Err(Failed::from("the poison came out of less than ten commands"));
    }
    verdict(complaints)
}

/// The headings of a version are those of our template, and nothing else in the page is one.
fn headings(markdown: &str, line: &Line<'_>) {
    let found: Vec<&str> = markdown.lines().filter(|line| line.starts_with('#')).collect();
    let ours = ["## Sources", "## Items", "## Missing"];
    let right = found
        .split_first()
        .is_some_and(|(first, rest)| first.starts_with("# brief, version ") && rest == ours);
    if !right {
        line.add(format!("the headings of a version are {found:?}"));
    }
    let items = markdown.lines().filter(|line| *line == "[FRESHCONTEXT]").count();
    let quoted = markdown
        .lines()
        .filter(|line| line.starts_with("> ") && line.contains(MARK))
        .count();
    if items < 4 || quoted < items {
        line.add(format!(
            "{items} items and {quoted} quoted lines are in a version"
        ));
    }
    let opened = markdown
        .lines()
        .filter(|line| line.trim_start().starts_with("```"))
        .count();
    if opened > 0 {
        line.add(format!("{opened} fences of code"));
    }
}

/// What `watch` prints, and the feeds that it keeps.
async fn watched(line: &Line<'_>) -> Result<(), Failed> {
    let folder = process::scratch().join(format!("quoted-{}-{}", std::process::id(), line.kept.kind()));
    std::fs::create_dir_all(&folder)?;
    let (atom, json_feed) = (folder.join("a.atom"), folder.join("a.json"));
    let (atom_name, json_name) = (atom.display().to_string(), json_feed.display().to_string());
    let arguments = [
        "deliverable",
        "watch",
        "brief",
        "--every",
        "1",
        "--atom",
        &atom_name,
        "--json-feed",
        &json_name,
    ];
    let now = format!("{HOUR}:30:00Z");
    let mut child = line.kept.command(&arguments, &now, &line.base).spawn()?;
    let mut lines = BufReader::new(child.stdout.take().ok_or("a pipe")?).lines();
    let event = tokio::time::timeout(process::PATIENCE, lines.next_line()).await??;
    let event: Value = serde_json::from_str(&event.ok_or("a line")?)?;
    for complaint in forms::of_value(&event) {
        line.add(format!("watch: {complaint}"));
    }
    let until = std::time::Instant::now() + process::PATIENCE;
    while !std::fs::read_to_string(&json_feed)?.contains("\"items\": [\n")
        && std::time::Instant::now() < until
    {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    process::signal(child.id().ok_or("it runs")?, "TERM");
    tokio::time::timeout(process::PATIENCE, child.wait()).await??;
    let feed: Value = serde_json::from_str(&std::fs::read_to_string(&json_feed)?)?;
    let items = feed["items"].as_array().cloned().unwrap_or_default();
    if items.is_empty() {
        line.add("the feed is empty".to_owned());
    }
    let kinds = ["added: ", "changed: ", "removed: "];
    for item in &items {
        let text = |name: &str| item[name].as_str().unwrap_or_default();
        if !kinds.iter().any(|kind| text("title").starts_with(kind)) || text("title").contains('\n') {
            line.add(format!("a title of a feed: {:?}", text("title")));
        }
        held_text(
            "feed",
            &format!("Note: {}", text("content_text")),
            &mut line.complaints.lock().unwrap_or_else(PoisonError::into_inner),
        );
    }
    let read = feed_rs::parser::parse(std::fs::read(&atom)?.as_slice())?;
    for entry in &read.entries {
        let title = entry
            .title
            .as_ref()
            .map(|title| title.content.clone())
            .unwrap_or_default();
        let body = entry
            .content
            .as_ref()
            .and_then(|content| content.body.clone())
            .unwrap_or_default();
        if !kinds.iter().any(|kind| title.starts_with(kind)) {
            line.add(format!("a title of the Atom feed: {title:?}"));
        }
        held_text(
            "Atom",
            &format!("Note: {body}"),
            &mut line.complaints.lock().unwrap_or_else(PoisonError::into_inner),
        );
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

/// Every resource there is, by every template there is.
async fn resource(line: &Line<'_>) -> Result<(), Failed> {
    let now = format!("{HOUR}:40:00Z");
    let command = line
        .kept
        .command(&["stdio", "--toolset", "time"], &now, &line.base);
    let mut session = Session::open(command, MODERN).await;
    let listed = session.ask("resources/list", json!({})).await;
    for resource in listed["result"]["resources"].as_array().into_iter().flatten() {
        let read = session
            .ask("resources/read", json!({"uri": resource["uri"]}))
            .await;
        let text = read["result"]["contents"][0]["text"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        if resource["mimeType"] == "text/markdown" {
            held_text(
                "resource",
                &text,
                &mut line.complaints.lock().unwrap_or_else(PoisonError::into_inner),
            );
        }
    }
    let templates = session.ask("resources/templates/list", json!({})).await;
    let known = [
        "freshcontext://deliverables/{name}",
        "freshcontext://deliverables/{name}/changes",
        "freshcontext://records/{context_id}",
    ];
    for template in templates["result"]["resourceTemplates"]
        .as_array()
        .into_iter()
        .flatten()
    {
        let uri = template["uriTemplate"].as_str().unwrap_or_default();
        if !known.contains(&uri) {
            line.add(format!("{uri} is a resource without a trial of its words"));
        }
        let (begin, _) = uri.split_once('{').unwrap_or((uri, ""));
        let missing = session
            .ask("resources/read", json!({"uri": format!("{begin}{}", poison(5))}))
            .await;
        let message = missing["error"]["message"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        held_text(
            "an unknown resource",
            &message,
            &mut line.complaints.lock().unwrap_or_else(PoisonError::into_inner),
        );
    }
    for method in ["deliverable_generate", "deliverable_diff", "deliverable_list"] {
        let outcome = session.call(method, json!({"name": "brief", "from": 1})).await;
        held(
            method,
            &outcome,
            &mut line.complaints.lock().unwrap_or_else(PoisonError::into_inner),
        );
        let arguments = if method == "deliverable_list" {
            json!({})
        } else {
            json!({"name": "brief"})
        };
        let outcome = session.call(method, arguments).await;
        held(
            method,
            &outcome,
            &mut line.complaints.lock().unwrap_or_else(PoisonError::into_inner),
        );
    }
    session.hang_up();
    session.end().await;
    Ok(())
}

/// What is said of an earlier answer, and the records of it: in every form they are given out in.
async fn rechecks(kept: Kept) -> Result<(), Failed> {
    let (upstream, turn) = changing().await?;
    let line = Line {
        kept: &kept,
        base: upstream.base(),
        complaints: Mutex::default(),
        seen: AtomicUsize::new(0),
    };
    let records = process::scratch().join(format!(
        "quoted-records-{}-{}.json",
        std::process::id(),
        kept.kind()
    ));
    let records_name = records.display().to_string();
    let call = [
        "call",
        "extract_hackernews",
        "url=rust",
        "--toolset",
        "time",
        "--json",
        "--records",
        &records_name,
    ];
    let answer = line.run(0, &call).await;
    let answer: Value = serde_json::from_str(&answer.stdout)?;
    let id = answer["answer_id"].as_str().ok_or("no id")?.to_owned();
    for (minute, story) in [(2, 0), (4, 100), (6, usize::MAX)] {
        turn.store(story, Ordering::SeqCst);
        line.run(minute, &["recheck", &id]).await;
        line.run(minute, &["recheck", &id, "--json"]).await;
    }
    line.run(7, &["recheck", &poison(2)]).await;
    line.run(8, &["records", "list"]).await;
    line.run(8, &["records", "check", &records_name]).await;
    for form in Format::ALL {
        let exported = line
            .run(
                8,
                &["records", "export", &records_name, "--format", form.as_str()],
            )
            .await;
        for row in exported.stdout.lines() {
            if let Ok(value) = serde_json::from_str::<Value>(row) {
                for complaint in forms::of_value(&value) {
                    line.add(format!("{}: {complaint}", form.as_str()));
                }
            }
        }
    }
    let page = finish(
        kept.command(
            &["records", "page", &records_name],
            "2026-11-23T09:08:00Z",
            &line.base,
        ),
        "",
    )
    .await;
    super::command_line::page(
        &page.stdout,
        &mut line.complaints.lock().unwrap_or_else(PoisonError::into_inner),
    );
    line.run(9, &["records", "show", &poison(4)]).await;
    line.run(9, &["store", "info"]).await;
    std::fs::remove_file(&records)?;
    if line.seen.load(Ordering::SeqCst) == 0 {
        return Err(Failed::from("the poison came out of no command"));
    }
    verdict(
        line.complaints
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner),
    )
}

/// A template of 64 KiB: where it is defined twice over, an error that names the part; where one was kept before that
/// was refused, a version as small as any.
async fn template(kept: Kept) -> Result<(), Failed> {
    let (upstream, _turn) = changing().await?;
    let base = upstream.base();
    let now = format!("{HOUR}:00:00Z");
    let add = [
        "deliverable",
        "add",
        "brief",
        "--source",
        "extract_hackernews url=rust",
        "--template",
        "-",
    ];
    let many = "{{blocks}}\n".repeat((64 << 10) / 11);
    let refused = finish(kept.command(&add, &now, &base), &many).await;
    if refused.code != Some(2) || !refused.stderr.contains("{{blocks}} twice") {
        return Err(Failed::from(format!("{:?}: {}", refused.code, refused.stderr)));
    }
    let added = finish(
        kept.command(&add, &now, &base),
        "# {{name}}\n{{blocks}}\n{{missing}}\n",
    )
    .await;
    if added.code != Some(0) {
        return Err(Failed::from(added.stderr));
    }
    let store = kept.store();
    let backend = store.backend().await?;
    let row = backend.deliverable("local", "brief").await?.ok_or("it is kept")?;
    let mut definition: Value = serde_json::from_str(&row.definition)?;
    definition["template"] = json!(many);
    let removed = backend.remove_deliverable("local", "brief", 0).await?;
    let stored = backend
        .add_deliverable("local", "brief", &definition.to_string(), 0, 100, None)
        .await?;
    store.close().await;
    if !removed || !matches!(stored, freshcontext_store::Added::New) {
        return Err(Failed::from("the definition was not put in its place"));
    }
    let mut session = Session::open(kept.command(&["stdio", "--toolset", "time"], &now, &base), MODERN).await;
    session.call("deliverable_list", json!({})).await;
    let idle = figure(session.process(), "VmHWM");
    let made = session
        .call("deliverable_generate", json!({"name": "brief"}))
        .await;
    let above = figure(session.process(), "VmHWM").saturating_sub(idle);
    session.hang_up();
    session.end().await;
    let envelopes = made.text.lines().filter(|line| *line == "[FRESHCONTEXT]").count();
    let begin: String = made.text.chars().take(500).collect();
    eprintln!("a template of 64 KiB: {} bytes, +{above} KiB", made.text.len());
    if made.is_error || made.text.len() > 128 << 10 || !(1..=8).contains(&envelopes) || above > PEAK {
        let length = made.text.len();
        return Err(Failed::from(format!(
            "{length} bytes, {envelopes} blocks, +{above} KiB: {begin}"
        )));
    }
    let mut bounded = kept.command(
        &["deliverable", "generate", "brief"],
        &format!("{HOUR}:05:00Z"),
        &base,
    );
    bounded.env("FRESHCONTEXT_LIMIT_VERSION_BYTES", "4096");
    let made = finish(bounded, "").await;
    if made.stdout.len() > 4_097 || !made.stdout.contains("limits.version_bytes") {
        return Err(Failed::from(format!(
            "{} bytes: {}",
            made.stdout.len(),
            made.stdout
        )));
    }
    Ok(())
}
