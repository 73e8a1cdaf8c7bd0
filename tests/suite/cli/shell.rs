//! Shell features: help, completions, manual pages, arguments from files, exit codes.

use freshcontext_testkit::ScriptedUpstream;
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};

use crate::process::{Finished, command, finish, scratch};
use crate::run::block_on;
use crate::upstreams::ordinary;
use crate::verdict;

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("cli::help", || block_on(help())),
        Trial::test("cli::help_of_every_tool", || block_on(tools())),
        Trial::test("cli::completions_and_manual", || block_on(for_the_shell())),
        Trial::test("cli::arguments_from_files", || block_on(files())),
        Trial::test("cli::exit_codes", || block_on(codes())),
        Trial::test("cli::every_listing_as_json", || block_on(listings())),
    ]
}

/// Runs a command line under the program's usual name.
async fn told(arguments: &[&str]) -> Finished {
    let mut done = finish(command(arguments), "").await;
    done.stdout = done.stdout.replace("freshcontext-under-test", "freshcontext");
    done
}

/// `--help` is one page; the settings have a page of their own; every command and the settings have help.
async fn help() -> Result<(), Failed> {
    let mut complaints = Vec::new();
    let short = told(&["--help"]).await;
    if short.code != Some(0)
        || short.stdout.lines().count() > 60
        || short.stdout.contains("FRESHCONTEXT_LIMIT_")
        || !short.stdout.contains("help settings")
        || !short.stdout.contains("Exit codes: 0")
    {
        complaints.push(format!("--help: {short:?}"));
    }
    let page = told(&["help"]).await;
    if (page.code, &page.stdout) != (Some(0), &short.stdout) {
        complaints.push("`help` is not `--help`".to_owned());
    }
    let settings = told(&["settings", "--json"]).await;
    let settings: Vec<Value> = serde_json::from_str(&settings.stdout)?;
    for topic in ["settings", "config"] {
        let page = told(&["help", topic]).await;
        for setting in &settings {
            for part in ["key", "environment", "about"] {
                if !page.stdout.contains(setting[part].as_str().unwrap_or("?")) {
                    complaints.push(format!(
                        "help {topic} does not say the {part} of {}",
                        setting["key"]
                    ));
                }
            }
        }
    }
    // Invalid settings do not prevent help.
    let broken = ["--set", "colour=red"];
    for words in [&["help", "call"][..], &["call", "--help"], &["call", "-h"]] {
        let shown = told(&[words, &broken].concat()).await;
        if shown.code != Some(0) || !shown.stdout.contains("key=@FILE") {
            complaints.push(format!("{words:?}: {shown:?}"));
        }
    }
    let commands = short
        .stdout
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        // Continued descriptions are indented further.
        .filter_map(|line| line.strip_prefix("  "))
        .filter(|line| !line.starts_with(' '));
    let mut count = 0;
    for name in commands.filter_map(|line| line.split(' ').next()) {
        count += 1;
        let shown = told(&["help", name]).await;
        let usual = told(&[name, "--help"]).await;
        if shown.code != Some(0) || (name != "settings" && shown.stdout != usual.stdout) {
            complaints.push(format!("help {name}: {shown:?}"));
        }
    }
    if count < 10 {
        complaints.push(format!("--help lists {count} commands"));
    }
    for words in [&["help", "nonsense"][..], &["help", "tools", "nonsense"]] {
        let unknown = told(words).await;
        if (unknown.code, unknown.stdout.as_str()) != (Some(2), "") || unknown.stderr.is_empty() {
            complaints.push(format!("{words:?}: {unknown:?}"));
        }
    }
    verdict(complaints)
}

/// `call TOOL --help` names each argument with its description in the schema, and a valid example.
async fn tools() -> Result<(), Failed> {
    let listed = told(&["tools", "--json"]).await;
    let listed: Vec<Value> = serde_json::from_str(&listed.stdout)?;
    assert!(!listed.is_empty());
    let mut complaints = Vec::new();
    for tool in &listed {
        let name = tool["name"].as_str().unwrap_or_default();
        let shown = told(&["call", name, "--help"]).await;
        if shown.code != Some(0) {
            complaints.push(format!("{name}: {shown:?}"));
            continue;
        }
        let said = |text: &Value| shown.stdout.contains(text.as_str().unwrap_or("?"));
        if !said(&tool["description"]) {
            complaints.push(format!("{name}: its description is missing"));
        }
        for (argument, property) in tool["inputSchema"]["properties"]
            .as_object()
            .into_iter()
            .flatten()
        {
            let line = shown
                .stdout
                .lines()
                .find(|line| line.starts_with(&format!("  {argument}  ")));
            let required = tool["inputSchema"]["required"]
                .as_array()
                .is_some_and(|all| all.contains(&json!(argument)));
            let choices = property["enum"].as_array().into_iter().flatten();
            let all_said = line.is_some_and(|line| {
                line.contains("required") == required
                    && choices
                        .into_iter()
                        .all(|one| line.contains(one.as_str().unwrap_or("?")))
            });
            if !all_said || !said(&property["description"]) {
                complaints.push(format!("{name}: {argument} is not told: {line:?}"));
            }
        }
        let example = shown
            .stdout
            .lines()
            .find(|line| line.starts_with("  freshcontext call "));
        if !example.is_some_and(|line| line.contains(name)) {
            complaints.push(format!("{name}: no example"));
        }
    }
    let short = told(&["call", "hackernews", "--help"]).await;
    let long = told(&["help", "extract_hackernews"]).await;
    if short.stdout != long.stdout
        || !long
            .stdout
            .contains("freshcontext call extract_hackernews url=rust")
    {
        complaints.push(format!("one tool by its names: {short:?} {long:?}"));
    }
    let schema = told(&["call", "hackernews", "--help", "--json"]).await;
    if !serde_json::from_str::<Value>(&schema.stdout)?["inputSchema"]["properties"].is_object() {
        complaints.push(format!("--help --json: {schema:?}"));
    }
    let unknown = told(&["call", "extract_hackernwes", "--help"]).await;
    if (unknown.code, unknown.stdout.as_str()) != (Some(2), "") {
        complaints.push(format!("a tool that is none: {unknown:?}"));
    }
    verdict(complaints)
}

/// Completions for four shells, in two of them with the names of tools, and bash reads its own; each command has a manual page.
async fn for_the_shell() -> Result<(), Failed> {
    let mut complaints = Vec::new();
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let script = told(&["completions", shell]).await;
        let mut named = vec!["healthcheck", "completions", "config"];
        // The others complete commands and options only.
        if matches!(shell, "bash" | "zsh") {
            named.extend(["extract_hackernews", "evaluate_context"]);
        }
        if script.code != Some(0) || !named.iter().all(|word| script.stdout.contains(word)) {
            complaints.push(format!("{shell}: {:?} {}", script.code, script.stderr));
        }
        if shell == "bash" && cfg!(unix) {
            let read = finish(crate::process::program("bash", &["-n"]), &script.stdout).await;
            if read.code != Some(0) {
                complaints.push(format!("bash does not read it: {}", read.stderr));
            }
        }
    }
    let none = told(&["completions", "abacus"]).await;
    if none.code != Some(2) {
        complaints.push(format!("completions of no shell: {none:?}"));
    }
    let page = told(&["man"]).await;
    if page.code != Some(0)
        || !page.stdout.contains(".TH freshcontext")
        || !page.stdout.contains("Exit codes")
    {
        complaints.push(format!("man: {page:?}"));
    }
    let page = told(&["man", "call"]).await;
    if page.code != Some(0) || !page.stdout.contains("freshcontext\\-call") {
        complaints.push(format!("man call: {page:?}"));
    }
    let folder = scratch().join("man");
    let _ = std::fs::remove_dir_all(&folder);
    let written = told(&["man", "--into", &folder.display().to_string()]).await;
    let pages: Vec<String> = std::fs::read_dir(&folder)?
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    for name in ["freshcontext.1", "freshcontext-call.1", "freshcontext-doctor.1"] {
        if !pages.iter().any(|page| page == name) {
            complaints.push(format!("{name} is not written: {written:?} {pages:?}"));
        }
    }
    for (words, code) in [
        (&["man", "nonsense"][..], 2),
        (&["man", "--into", "/dev/null/none"], 1),
    ] {
        let done = told(words).await;
        if cfg!(unix) && done.code != Some(code) {
            complaints.push(format!("{words:?}: {done:?}"));
        }
    }
    verdict(complaints)
}

/// `@FILE`, `-` and `key=@FILE` are equivalent to the words themselves.
async fn files() -> Result<(), Failed> {
    let upstream = ScriptedUpstream::start(ordinary).await?;
    let asked = async |words: &[&str], input: &str| {
        let mut call = command(&[&["call", "extract_hackernews"][..], words].concat());
        call.env("FRESHCONTEXT_UPSTREAM", format!("*={}", upstream.base()));
        finish(call, input).await
    };
    let file = |name: &str, text: &str| -> Result<String, Failed> {
        let path = scratch().join(name);
        std::fs::write(&path, text)?;
        Ok(format!("@{}", path.display()))
    };
    let all = file("arguments.json", r#"{"url": "from afar", "max_length": 400}"#)?;
    let part = file("arguments-without-url.json", r#"{"max_length": 400}"#)?;
    let value = file("argument.txt", "from afar\n")?;
    let broken = file("arguments-broken.json", "{\"url\": ")?;
    let of_value = format!("url={value}");
    let mut complaints = Vec::new();
    for (words, input) in [
        (&[all.as_str()][..], ""),
        (&["-"], r#"{"url": "from afar"}"#),
        (&[of_value.as_str()], ""),
        (&["url=@-"], "from afar"),
        (&[part.as_str(), "url=from afar"], ""),
        (&[r#"{"url": "from afar"}"#, "limit=3"], ""),
    ] {
        let done = asked(words, input).await;
        if done.code != Some(0) || !done.stdout.contains("About from afar") {
            complaints.push(format!("{words:?}: {done:?}"));
        }
    }
    let literal = asked(&["url=@@somebody"], "").await;
    if literal.code != Some(0) || !literal.stdout.contains("About @somebody") {
        complaints.push(format!("two @: {literal:?}"));
    }
    for (words, input) in [
        (&["url=@none/at/all"][..], ""),
        (&["@none/at/all"], ""),
        (&[broken.as_str()], ""),
        (&["-"], "rust"),
        (&[all.as_str(), "url=again"], ""),
    ] {
        let done = asked(words, input).await;
        if (done.code, done.stdout.as_str()) != (Some(2), "") || done.stderr.is_empty() {
            complaints.push(format!("{words:?}: {done:?}"));
        }
    }
    verdict(complaints)
}

/// Every command exits with 0 on success, 1 if the request failed, and 2 for wrong usage or configuration.
async fn codes() -> Result<(), Failed> {
    let upstream = ScriptedUpstream::start(ordinary).await?;
    let base = format!("*={}", upstream.base());
    let mut complaints = Vec::new();
    for (words, code) in [
        (&["call", "extract_hackernews", "url=rust"][..], 0),
        // The source has no such item.
        (
            &["call", "extract_github", "url=https://github.com/example/none"],
            1,
        ),
        // Rejected by the tool, by the schema, as an unknown name, and by the configuration.
        (&["call", "extract_hackernews", "url=https://example.com/"], 2),
        (&["call", "extract_hackernews"], 2),
        (&["call", "extract_hackernews", "limit=many"], 2),
        (&["call", "extract_none"], 2),
        (
            &["call", "extract_hackernews", "url=rust", "--set", "colour=red"],
            2,
        ),
        (&["tools"], 0),
        (&["tools", "--set", "disable_sources=nobody"], 2),
        (&["sources", "--yaml"], 2),
        (&["decay"], 0),
        (&["decay", "--set", "decay=hackernews=-1"], 2),
        (&["doctor"], 0),
        (&["settings"], 0),
        (&["settings", "--config", "none/at/all.toml"], 2),
        (&["validate", "{}"], 1),
        (&["validate", "none/at/all"], 2),
        (&["evaluate", "none/at/all"], 2),
        (&["inspect", "none/at/all"], 2),
        (&["inspect"], 2),
        (&["healthcheck", "--addr", "127.0.0.1:0"], 2),
        (&["http", "--addr", "192.0.2.1:80"], 2),
        (&["--version"], 0),
        (&["--json"], 2),
        (&["nonsense"], 2),
    ] {
        let mut asking = command(words);
        asking.env("FRESHCONTEXT_UPSTREAM", &base);
        let done = finish(asking, "").await;
        if done.code != Some(code)
            || (code == 2) != (done.stdout.is_empty() && !done.stderr.is_empty()) && code != 1
        {
            complaints.push(format!("{words:?} ends with {:?}: {done:?}", done.code));
        }
    }
    let mut bad = command(&["doctor"]);
    bad.env("FRESHCONTEXT_COLOUR", "red");
    let bad = finish(bad, "").await;
    if bad.code != Some(1) {
        complaints.push(format!("a doctor who finds something: {bad:?}"));
    }
    verdict(complaints)
}

/// Every listing command has JSON output.
async fn listings() -> Result<(), Failed> {
    let mut complaints = Vec::new();
    for name in ["tools", "sources", "decay", "settings", "doctor", "version"] {
        let listed = told(&[name, "--json"]).await;
        let value: Value = serde_json::from_str(&listed.stdout).unwrap_or_default();
        let filled = value.as_array().is_some_and(|all| !all.is_empty())
            || value.as_object().is_some_and(|all| !all.is_empty());
        if listed.code != Some(0) || !filled {
            complaints.push(format!("{name} --json: {listed:?}"));
        }
    }
    verdict(complaints)
}
