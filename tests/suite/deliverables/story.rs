//! The worked example of docs/deliverables.md, command by command, against upstreams made from fixtures: the
//! output matches the page on both databases, and an MCP client gets the same.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use freshcontext_testkit::{Reply, Script, ScriptedUpstream, SeenRequest, load_cases};
use libtest_mimic::Failed;
use serde_json::json;

use crate::places::Kept;
use crate::process::{MODERN, Session, finish};
use crate::root;
use crate::upstreams::reply;

/// Precedes a block of commands and states the day and the time.
const MARK: &str = "<!-- on ";

/// The sources of the example.
struct World {
    jobs: Script,
    repository: Script,
    papers: Script,
    friday: bool,
}

impl World {
    fn load() -> Result<Self, String> {
        let cases = load_cases(&root().join("fixtures"))?;
        let script = |name: &str| {
            let case = cases.iter().find(|case| case.name == name);
            let case = case.ok_or_else(|| format!("there is no fixture {name}"))?;
            Script::of(case, Path::new(""))
        };
        Ok(Self {
            jobs: script("jobs/ok")?,
            repository: script("github/repository")?,
            papers: script("arxiv/search_bounds")?,
            friday: false,
        })
    }

    /// By Friday one advert pays more, one is no longer listed, one is new, the repository is gone, and arXiv
    /// refuses requests.
    fn become_friday(&mut self) {
        self.friday = true;
        self.jobs.alter(|exchange, reply| {
            let host = exchange.url.host_str().unwrap_or_default();
            let body = String::from_utf8_lossy(&reply.body);
            let altered = match host {
                "remotive.com" => body.replace("€70k - €90k", "€80k - €95k"),
                "www.themuse.com" => body
                    .replace("3001", "3002")
                    .replace("Engineer, Systems", "Engineer, Storage")
                    .replace("2026-11-10T10:00:00Z", "2026-11-25T10:00:00Z"),
                _ => return,
            };
            reply.body = altered.into_bytes();
        });
    }

    fn answer(&self, request: &SeenRequest) -> Reply {
        match request.host.as_str() {
            "api.github.com" if self.friday => reply(
                404,
                "application/json",
                r#"{"message":"Not Found","status":"404"}"#,
            ),
            "api.github.com" => self.repository.answer(request),
            "export.arxiv.org" if self.friday => {
                let mut refusal = reply(429, "text/plain", "slow down");
                refusal.headers.push(("retry-after".to_owned(), "120".to_owned()));
                refusal
            }
            "export.arxiv.org" => self.papers.answer(request),
            _ => self.jobs.answer(request),
        }
    }
}

/// A block of the page: its time and its lines.
struct Block {
    day: String,
    now: String,
    lines: Vec<String>,
}

fn blocks(page: &str) -> Result<Vec<Block>, String> {
    let mut out: Vec<Block> = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        if let Some(rest) = line.strip_prefix(MARK) {
            let words: Vec<&str> = rest.trim_end_matches("-->").split_whitespace().collect();
            let [day, now] = words.as_slice() else {
                return Err(format!("`{line}` is not a day and a moment"));
            };
            out.push(Block {
                day: (*day).to_owned(),
                now: (*now).to_owned(),
                lines: Vec::new(),
            });
        } else if line.starts_with("```") {
            inside = line == "```console" && out.last().is_some_and(|block| block.lines.is_empty());
        } else if inside && let Some(block) = out.last_mut() {
            block.lines.push(line.to_owned());
        }
    }
    Ok(out)
}

/// Returns the commands of a block, each with its output.
fn commands(block: &Block) -> Vec<(String, String)> {
    let mut out: Vec<(String, String)> = Vec::new();
    for line in &block.lines {
        match line.strip_prefix("$ ") {
            Some(command) => out.push((command.to_owned(), String::new())),
            None => {
                if let Some((command, printed)) = out.last_mut() {
                    if command.ends_with('\\') {
                        command.pop();
                        command.push_str(line.trim_start());
                    } else {
                        printed.push_str(line);
                        printed.push('\n');
                    }
                }
            }
        }
    }
    out
}

pub async fn told(kept: Kept) -> Result<(), Failed> {
    let page = std::fs::read_to_string(root().join("docs/deliverables.md"))?;
    let world = Arc::new(Mutex::new(World::load()?));
    let answers = Arc::clone(&world);
    let upstream = ScriptedUpstream::start(move |request| {
        answers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .answer(request)
    })
    .await?;
    let base = upstream.base();
    let all = blocks(&page)?;
    if all.len() < 2 {
        return Err(Failed::from("the page has no example"));
    }
    let (mut last, mut generated) = (String::new(), String::new());
    let (mut printed_all, mut wrong) = (String::new(), Vec::new());
    for block in &all {
        if block.day == "friday" {
            let mut world = world.lock().unwrap_or_else(PoisonError::into_inner);
            if !world.friday {
                world.become_friday();
            }
        }
        last.clone_from(&block.now);
        for (command, expected) in commands(block) {
            let words = shlex::split(&command).ok_or("a command with an open quote")?;
            let arguments: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
            let done = finish(kept.command(&arguments, &block.now, &base), "").await;
            let printed = format!("{}{}", done.stdout, done.stderr);
            if command.contains("deliverable generate") {
                generated.clone_from(&done.stdout);
            }
            let _ = write!(printed_all, "$ {command}\n{printed}");
            if printed != expected {
                wrong.push(command);
            }
        }
        printed_all.push_str("---\n");
    }
    if !wrong.is_empty() {
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("deliverables.txt");
        std::fs::write(&file, printed_all)?;
        return Err(Failed::from(format!(
            "docs/deliverables.md does not show what these print, which is in {}: {wrong:?}",
            file.display()
        )));
    }
    client(&kept, &last, &base, &generated).await
}

/// The same through MCP: the command line's version is listed, and a new version has the same text.
async fn client(kept: &Kept, now: &str, base: &str, generated: &str) -> Result<(), Failed> {
    let mut session = Session::open(kept.command(&["stdio", "--toolset", "time"], now, base), MODERN).await;
    let tools = session.ask("tools/list", json!({})).await;
    for tool in tools["result"]["tools"].as_array().into_iter().flatten() {
        let says = &tool["annotations"];
        let writes = tool["name"] == "deliverable_generate";
        let outside = !matches!(
            tool["name"].as_str(),
            Some("deliverable_list" | "evaluate_context")
        );
        let expected = json!({"readOnlyHint": !writes, "destructiveHint": false, "idempotentHint": !writes,
            "openWorldHint": outside});
        if *says != expected {
            return Err(Failed::from(format!("{}: {says}", tool["name"])));
        }
    }
    let list = session.call("deliverable_list", json!({})).await;
    let known = &list.structured["deliverables"][0];
    let version = known["version"].as_i64().unwrap_or_default();
    if known["name"] != "search" || version < 2 {
        return Err(Failed::from(format!("{}", list.structured)));
    }
    let made = session
        .call("deliverable_generate", json!({"name": "search"}))
        .await;
    let number = |text: &str, number: i64| text.replace(&format!("version {number}\n"), "version N\n");
    if number(&made.text, version + 1).trim() != number(generated, version).trim() {
        return Err(Failed::from(format!(
            "the client gets\n{}\nthe command line\n{generated}",
            made.text
        )));
    }
    let same = session
        .call(
            "deliverable_diff",
            json!({"name": "search", "from": version, "to": version + 1}),
        )
        .await;
    if same.structured["same"] != true {
        return Err(Failed::from(format!("at the same moment: {}", same.structured)));
    }
    let changed = session
        .call("deliverable_diff", json!({"name": "search", "from": 1, "to": 2}))
        .await;
    let count = |name: &str| changed.structured["diff"][name].as_array().map_or(0, Vec::len);
    if (count("added"), count("removed"), count("changed")) != (1, 2, 1) {
        return Err(Failed::from(format!("{}", changed.structured)));
    }
    let unknown = session
        .call("deliverable_generate", json!({"name": "other"}))
        .await;
    if unknown.code() != "not_found" {
        return Err(Failed::from(unknown.text));
    }
    session.hang_up();
    session.end().await;
    Ok(())
}
