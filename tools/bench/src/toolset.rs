//! Cost of the `time` toolset, disabled and enabled: startup, memory, the tool list, and the instructions of a cached
//! call, counted by callgrind.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use freshcontext_testkit::ScriptedUpstream;
use serde_json::{Value, json};

use crate::report::{Row, Target, Times, note};
use crate::stdio::{Program, Session};
use crate::{Failure, Plan, cached};

const GROUP: &str = "toolset";
/// Number of calls in the shorter and in the longer run under callgrind. The difference of the two runs excludes
/// startup and the first call.
const CALLS: [u64; 2] = [10, 60];
/// Name fragments of functions that belong to the toolset or to its store.
const ITS_OWN: [&str; 3] = ["freshcontext_store::", "engine::time::", "sqlx"];

/// A server configuration: its name in the report, and its environment.
struct Setting {
    name: &'static str,
    environment: &'static [(&'static str, &'static str)],
}

const SETTINGS: [Setting; 4] = [
    Setting {
        name: "default toolset",
        environment: &[],
    },
    Setting {
        name: "default toolset, store off",
        environment: &[("FRESHCONTEXT_STORE", "off")],
    },
    Setting {
        name: "toolset time, store off",
        environment: &[
            ("FRESHCONTEXT_TOOLSETS", "default,time"),
            ("FRESHCONTEXT_STORE", "off"),
        ],
    },
    Setting {
        name: "toolset time, in a file",
        environment: &[("FRESHCONTEXT_TOOLSETS", "default,time")],
    },
];

/// A folder for the server's store and callgrind's output, removed at the end.
struct Folder(std::path::PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs the measurements of this group.
pub(crate) async fn run(plan: &Plan) -> Result<Vec<Row>, Failure> {
    note("the toolset `time`");
    let folder = Folder(std::env::temp_dir().join(format!("freshcontext-toolset-{}", std::process::id())));
    std::fs::create_dir_all(&folder.0)?;
    let body = cached::stories();
    let upstream = ScriptedUpstream::start(move |_| cached::reply(body.clone())).await?;
    let base = upstream.base();
    let plan = plan.clone();
    // The children are driven by blocking reads, the upstream by this runtime.
    tokio::task::spawn_blocking(move || {
        let mut rows = idle(&plan, &folder.0)?;
        rows.extend(counted(&plan, &folder.0, &base)?);
        Ok(rows)
    })
    .await?
}

fn with(mut command: Command, setting: &Setting, folder: &Path) -> Command {
    command
        .envs(setting.environment.iter().copied())
        .env("FRESHCONTEXT_DATA_DIR", folder);
    command
}

/// Measurements of one setting.
#[derive(Default)]
struct Idle {
    start: Vec<f64>,
    resident: Vec<f64>,
    list: Value,
}

/// Measures startup, memory and the tool list. The settings take turns, so that other load on the machine affects all
/// of them alike.
fn idle(plan: &Plan, folder: &Path) -> Result<Vec<Row>, Failure> {
    let mut seen: [Idle; SETTINGS.len()] = Default::default();
    for _ in 0..plan.spawns {
        for (setting, idle) in SETTINGS.iter().zip(&mut seen) {
            let command = with(plan.ours.command(&[]), setting, folder);
            let (mut session, millis) = Session::greeted(command, plan.life)?;
            idle.start.push(millis);
            idle.resident.push(session.resident_kib()? / 1024.0);
            if idle.list.is_null() {
                idle.list = session.request("tools/list", &json!({}))?;
            }
        }
    }
    if let [default, without_store, ..] = &seen
        && default.list != without_store.list
    {
        return Err("where the toolset is off, the list of tools depends on the store".into());
    }
    let mut rows = Vec::new();
    for (setting, idle) in SETTINGS.iter().zip(seen) {
        let bytes = idle.list.to_string().len() as f64;
        for (what, unit, figure) in [
            (
                "start to first reply, median",
                "ms",
                Times::new(idle.start).median(),
            ),
            (
                "memory after it (VmRSS), median",
                "MiB",
                Times::new(idle.resident).median(),
            ),
            ("tools/list", "bytes", bytes),
        ] {
            rows.push(Row::new(GROUP, format!("{}: {what}", setting.name), unit, figure));
        }
    }
    Ok(rows)
}

/// Instruction counts of one callgrind run.
struct Count {
    /// All instructions.
    all: u64,
    /// Instructions in functions of the toolset and the store and in their callees; `None` if the binary has no
    /// function names.
    own: Option<u64>,
}

/// Counts the instructions of one cached call for each setting.
fn counted(plan: &Plan, folder: &Path, base: &str) -> Result<Vec<Row>, Failure> {
    let Program::Ours(server) = &plan.ours else {
        return Err("only our server has the toolset".into());
    };
    if Command::new("valgrind")
        .arg("--version")
        .stdout(Stdio::null())
        .status()
        .is_err()
    {
        return Ok(vec![Row::not_measured(
            GROUP,
            "instructions of a cached call",
            "valgrind is not installed",
        )]);
    }
    let mut rows = Vec::new();
    let mut by_default = None;
    for setting in &SETTINGS {
        note(&format!("callgrind: {}", setting.name));
        let mut counts = Vec::new();
        for calls in CALLS {
            let file = folder.join(format!("{calls}.callgrind"));
            let mut command = Command::new("valgrind");
            command
                .args(["--tool=callgrind", "--quiet"])
                .arg(format!("--callgrind-out-file={}", file.display()))
                .arg(server)
                .env("FRESHCONTEXT_UPSTREAM", format!("*={base}"));
            call(with(command, setting, folder), calls)?;
            counts.push(read(&std::fs::read_to_string(&file)?)?);
        }
        let [short, long] = counts.as_slice() else {
            return Err("two runs".into());
        };
        let calls = (CALLS[1] - CALLS[0]) as f64;
        let each = long.all.saturating_sub(short.all) as f64 / calls;
        let of = |what: &str| format!("{}: {what}", setting.name);
        rows.push(Row::new(
            GROUP,
            of("instructions of a cached call"),
            "M",
            each / 1e6,
        ));
        match by_default {
            None => {
                by_default = Some(each);
                let what = of("of them for the toolset and the store");
                rows.push(match (short.own, long.own) {
                    (Some(short), Some(long)) => {
                        let share = long.saturating_sub(short) as f64 / calls / each * 100.0;
                        Row::new(GROUP, what, "%", share).target(Target::AtMost(2.0))
                    }
                    _ => Row::not_measured(
                        GROUP,
                        &what,
                        "this binary names no functions; give one of the dev profile",
                    ),
                });
            }
            Some(known) => {
                let more = (each - known) / known * 100.0;
                rows.push(Row::new(GROUP, of("beyond the default toolset"), "%", more));
            }
        }
    }
    Ok(rows)
}

/// Calls the tool `calls` times after a first call, then lets the server exit by itself.
fn call(mut command: Command, calls: u64) -> Result<(), Failure> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut input = child.stdin.take().ok_or("no stdin")?;
    let mut lines = BufReader::new(child.stdout.take().ok_or("no stdout")?).lines();
    let mut ask = |message: Value| -> Result<Value, Failure> {
        writeln!(input, "{message}")?;
        input.flush()?;
        Ok(serde_json::from_str(&lines.next().ok_or("the server ended")??)?)
    };
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"}});
    ask(json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}))?;
    for id in 1..=calls + 1 {
        let params = json!({"name": cached::TOOL, "arguments": {"url": "rust language"}});
        let answer = ask(json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}))?;
        cached::checked(&answer)?;
    }
    drop(input);
    // The server exits at the end of its input.
    let status = child.wait()?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("the server ended with {status}").into())
    }
}

/// Parses callgrind's output: <https://valgrind.org/docs/manual/cl-format.html>. A function appears once with its
/// name and afterwards by its number. The line after `calls=` has the cost of the callee, not the function's own.
fn read(text: &str) -> Result<Count, Failure> {
    let mut names: HashMap<&str, bool> = HashMap::new();
    let (mut all, mut own) = (0_u64, 0_u64);
    let (mut is_own, mut calls_own, mut named, mut of_a_call) = (false, false, false, false);
    for line in text.lines() {
        if let Some((kind @ ("fn" | "cfn"), function)) = line.split_once('=') {
            let (number, name) = function.split_once(' ').unwrap_or((function, ""));
            if !name.is_empty() {
                names.insert(number, ITS_OWN.iter().any(|part| name.contains(part)));
                named |= name.contains("freshcontext");
            }
            let known = names.get(number).copied().unwrap_or_default();
            *if kind == "fn" { &mut is_own } else { &mut calls_own } = known;
        } else if line.starts_with("calls=") {
            of_a_call = true;
        } else if line.starts_with(|first: char| first.is_ascii_digit() || "+-*".contains(first)) {
            let cost: u64 = line
                .split(' ')
                .nth(1)
                .and_then(|cost| cost.parse().ok())
                .unwrap_or_default();
            let called = std::mem::take(&mut of_a_call);
            all += if called { 0 } else { cost };
            own += if is_own && !(called && calls_own) { cost } else { 0 };
        }
    }
    if all == 0 {
        return Err("callgrind counted nothing".into());
    }
    Ok(Count {
        all,
        own: named.then_some(own),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_called_is_not_counted_twice() {
        let text = "version: 1\nevents: Ir\n\nfl=(1) a.rs\nfn=(1) freshcontext::main\n3 100\ncfn=(2) \
            freshcontext_store::open\ncalls=1 9\n4 32\n+1 5\n\nfn=(2)\n9 20\ncfn=(2)\ncalls=2 9\n* 6\ncfn=(3) \
            malloc\ncalls=1 1\n* 7\n* 5\n\nfn=(3)\n1 7\n\ntotals: 137\n";
        let count = read(text).unwrap();
        assert_eq!((count.all, count.own), (137, Some(32)));
        assert_eq!(read("fn=(1) main\n1 7\n").unwrap().own, None);
        assert!(read("version: 1\n").is_err());
    }
}
