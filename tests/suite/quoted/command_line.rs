//! The commands, each with a poison in what it reads. A command that is not in the list fails.

use std::collections::BTreeSet;

use freshcontext_testkit::ScriptedUpstream;
use freshcontext_testkit::forms::{self, MARK, poison};
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};

use super::{held_text, signals};
use crate::process::{command, finish, scratch};
use crate::run::block_on;
use crate::upstreams::{hits, json_reply};
use crate::verdict;

/// How the words of others reach what a command prints.
#[derive(Clone, Copy)]
enum Way {
    /// Here, with this on stdin, once for each poison.
    Here(&'static [&'static str], fn(usize) -> String),
    /// In `kept`, which needs a store and a source.
    Kept,
    /// It prints what this server, its operator or the machine says, and no words of a source.
    Ours,
}

/// Every command of the program.
const COMMANDS: [(&str, Way); 49] = [
    ("stdio", Way::Kept),
    ("http", Way::Ours),
    ("healthcheck", Way::Ours),
    ("call", Way::Kept),
    ("recheck", Way::Kept),
    ("references", Way::Here(&["references", "-"], bibliography)),
    ("store info", Way::Kept),
    ("store check", Way::Ours),
    ("store vacuum", Way::Ours),
    ("store export", Way::Ours),
    ("store migrate", Way::Ours),
    ("keys", Way::Ours),
    ("deliverable add", Way::Kept),
    ("deliverable list", Way::Kept),
    ("deliverable check", Way::Kept),
    ("deliverable sync", Way::Kept),
    ("deliverable generate", Way::Kept),
    ("deliverable show", Way::Kept),
    ("deliverable diff", Way::Kept),
    ("deliverable watch", Way::Kept),
    ("deliverable notify", Way::Ours),
    ("deliverable remove", Way::Ours),
    ("sync", Way::Kept),
    ("tools", Way::Ours),
    ("sources", Way::Ours),
    ("validate", Way::Here(&["validate", "-"], envelope)),
    ("evaluate", Way::Here(&["evaluate", "-"], judged)),
    ("records list", Way::Kept),
    ("records show", Way::Kept),
    ("records export", Way::Kept),
    ("records page", Way::Kept),
    ("records check", Way::Here(&["records", "check", "-"], bundle)),
    (
        "history truncate",
        Way::Here(&["history", "truncate", "-", "--max-tokens", "200"], conversation),
    ),
    ("inspect", Way::Here(&["inspect", "-"], page_of_failure)),
    ("stamp", Way::Here(&["stamp", "-"], facts)),
    ("verify", Way::Here(&["verify", "-"], facts)),
    ("decay", Way::Ours),
    ("settings", Way::Ours),
    ("doctor", Way::Ours),
    ("install", Way::Ours),
    ("uninstall", Way::Ours),
    ("help", Way::Ours),
    ("completions", Way::Ours),
    ("man", Way::Ours),
    ("version", Way::Ours),
    // What is printed of the same files in another form.
    (
        "evaluate --max-tokens",
        Way::Here(&["evaluate", "-", "--max-tokens", "900"], judged),
    ),
    ("evaluate --json", Way::Here(&["evaluate", "-", "--json"], judged)),
    (
        "validate --json",
        Way::Here(&["validate", "-", "--json"], envelope),
    ),
    (
        "inspect --jsonl",
        Way::Here(&["inspect", "--jsonl", "-"], lines_of_failures),
    ),
];

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("quoted::commands", || block_on(commands())),
        Trial::test("quoted::every_command", || block_on(every_command())),
        Trial::test("quoted::pages", || block_on(pages())),
    ]
}

fn judged(turn: usize) -> String {
    json!({"profile": "local_custom", "intent": "developer_adoption", "now": "2026-11-21T12:00:00Z",
        "query": poison(turn), "signals": signals(turn)})
    .to_string()
}

/// A bibliography whose entry has nothing to be found by: its words are shown, and nobody is asked.
fn bibliography(turn: usize) -> String {
    json!([{"id": poison(turn + 1), "type": "article", "title": poison(turn)}]).to_string()
}

fn envelope(turn: usize) -> String {
    let words = poison(turn);
    let first = words.lines().next().unwrap_or_default();
    format!(
        "[FRESHCONTEXT]\nSource: {first}\nPublished: {first}\nRetrieved: {first}\nConfidence: {first}\n{words}\n---\n\
         {words}\n[/FRESHCONTEXT]\n"
    )
}

fn bundle(turn: usize) -> String {
    let words = poison(turn);
    json!({"context_envelope": {"context_id": words, "note": words, words.clone(): 1}, "context_item": [
        {"item_id": words, "title": words}], "selection_record": [{"selection_id": words, "reason": words}]})
    .to_string()
}

fn conversation(turn: usize) -> String {
    let words = |at: usize| poison(turn + at);
    let long = |at: usize| {
        (0..20)
            .map(|line| words(at + line))
            .collect::<Vec<_>>()
            .join("\n")
    };
    json!([
        {"role": "user", "content": long(0)},
        {"role": "assistant", "content": words(1), "tool_calls": [{"id": words(2), "type": "function",
            "function": {"name": words(3), "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": words(2), "content": long(4)},
        {"role": "user", "content": words(5)},
    ])
    .to_string()
}

fn page_of_failure(turn: usize) -> String {
    format!(
        "Access denied. {} Please verify that you are human. Timeout: {}",
        poison(turn),
        poison(turn + 1)
    )
}

fn lines_of_failures(turn: usize) -> String {
    json!({"id": poison(turn), "text": page_of_failure(turn)}).to_string()
}

fn facts(turn: usize) -> String {
    let words = poison(turn);
    json!({"source_url": words, "content": words, "retrieved_at": words, words.clone(): words}).to_string()
}

/// Both outputs of every command that reads a file, and of calls and topics that are none.
async fn commands() -> Result<(), Failed> {
    let (mut complaints, mut seen) = (Vec::new(), BTreeSet::new());
    let mut hold = |place: &str, text: &str| {
        match serde_json::from_str::<Value>(text) {
            Ok(value) => {
                let found = forms::of_value(&value);
                complaints.extend(found.into_iter().map(|complaint| format!("{place}: {complaint}")));
            }
            Err(_) => held_text(place, text, &mut complaints),
        }
        if text.contains(MARK) {
            seen.insert(place.to_owned());
        }
    };
    for (name, way) in COMMANDS {
        let Way::Here(arguments, input) = way else {
            continue;
        };
        for turn in 0..6 {
            let done = finish(command(arguments), &input(turn * 5)).await;
            // History is given back as it came: it is the caller's.
            if !name.starts_with("history") {
                hold(name, &done.stdout);
            }
            hold(name, &done.stderr);
        }
    }
    for turn in 0..6 {
        let words = poison(turn * 5);
        let pair = format!("{words}=1");
        for arguments in [
            vec!["call", words.as_str()],
            vec!["call", "extract_hackernews", &pair],
            vec!["call", "extract_hackernews", "url=x", &pair],
            vec!["help", &words],
            vec!["evaluate", &words],
            vec!["deliverable", "add", "x", "--source", &words],
        ] {
            let done = finish(command(&arguments), "").await;
            hold(arguments[0], &done.stdout);
            hold(arguments[0], &done.stderr);
        }
    }
    if !["evaluate", "inspect", "evaluate --max-tokens"]
        .iter()
        .all(|name| seen.contains(*name))
    {
        complaints.push(format!("the poison came out of {seen:?} only"));
    }
    complaints.truncate(40);
    verdict(complaints)
}

/// The commands that `help` lists are those that the law knows.
async fn every_command() -> Result<(), Failed> {
    let mut found = BTreeSet::new();
    let mut left = vec![Vec::<String>::new()];
    while let Some(words) = left.pop() {
        let mut arguments = vec!["help".to_owned()];
        arguments.extend(words.clone());
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let help = finish(command(&arguments), "").await.stdout;
        let listed = help.split_once("\nCommands:\n").map_or("", |(_, rest)| rest);
        let names: Vec<&str> = listed
            .lines()
            .take_while(|line| !line.is_empty())
            .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
            .filter(|name| !name.is_empty())
            .collect();
        if names.is_empty() {
            found.insert(words.join(" "));
        }
        left.extend(
            names
                .into_iter()
                .map(|name| [words.clone(), vec![name.to_owned()]].concat()),
        );
    }
    let known: BTreeSet<String> = COMMANDS.iter().map(|(name, _)| (*name).to_owned()).collect();
    let mut complaints: Vec<String> = found
        .iter()
        .filter(|name| !known.contains(*name))
        .map(|name| format!("`{name}` is a command whose words nobody tried: add it to COMMANDS"))
        .collect();
    let options = |name: &&String| name.contains(" --");
    complaints.extend(
        known
            .iter()
            .filter(|name| !options(name) && !found.contains(*name))
            .map(|name| format!("`{name}` is no command any more")),
    );
    verdict(complaints)
}

/// What a page holds of its answer stays data: nothing in it is an element of the page.
pub fn page(html: &str, complaints: &mut Vec<String>) {
    let count = |what: &str| html.matches(what).count();
    if !html.contains(MARK) {
        complaints.push("the poison reached no page".to_owned());
    }
    if count("</script>") != 3 || count("<h1>Missing") > 0 {
        complaints.push(format!("a page has {} ends of scripts", count("</script>")));
    }
    let open = html
        .rfind("application/json")
        .and_then(|at| html.get(at..))
        .unwrap_or_default();
    let data = open
        .split_once('>')
        .and_then(|(_, rest)| rest.split_once("</script>"));
    match data.map(|(data, _)| serde_json::from_str::<Value>(data)) {
        Some(Ok(_)) => {}
        other => complaints.push(format!("the data of a page cannot be read: {other:?}")),
    }
}

/// Timelines of answers and of failures.
async fn pages() -> Result<(), Failed> {
    let mut complaints = Vec::new();
    for turn in 0..3 {
        let body = hits(&poison(turn * 3));
        let upstream = ScriptedUpstream::start(move |_| json_reply(&body)).await?;
        let file = scratch().join(format!("quoted-{}-{turn}.html", std::process::id()));
        let name = file.display().to_string();
        let mut call = command(&["call", "extract_hackernews", "url=rust", "--html", &name]);
        call.env("FRESHCONTEXT_UPSTREAM", format!("*={}", upstream.base()));
        let done = finish(call, "").await;
        held_text("call", &done.stdout, &mut complaints);
        page(&std::fs::read_to_string(&file)?, &mut complaints);
        std::fs::remove_file(&file)?;
    }
    verdict(complaints)
}
