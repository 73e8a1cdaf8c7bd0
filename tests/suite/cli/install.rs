//! `install` and `uninstall` through the binary, each client with a separate home folder.

use std::fs;
use std::path::{Path, PathBuf};

use libtest_mimic::{Failed, Trial};

use crate::process::{Finished, command, finish, scratch};
use crate::run::block_on;
use crate::verdict;

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("cli::install", || block_on(there_and_back())),
        Trial::test("cli::install_writes_every_option", || block_on(options())),
        Trial::test("cli::install_of_what_cannot_start", || block_on(cannot_start())),
        Trial::test("cli::install_links", || block_on(deep_links())),
        Trial::test("cli::install_refuses_what_is_broken", || block_on(broken())),
        Trial::test("cli::install_with_nothing_there", || block_on(nothing_there())),
        Trial::test("cli::install_shows_no_neighbour", || block_on(neighbours())),
        Trial::test("cli::uninstall_keeps_what_was_written_by_hand", || {
            block_on(by_hand())
        }),
        Trial::test("cli::install_writes_over_no_copy", || block_on(copies())),
        Trial::test("cli::install_at_once", || block_on(at_once())),
        Trial::test("cli::install_in_a_large_file", || block_on(large())),
        #[cfg(unix)]
        Trial::test("cli::install_and_links", || block_on(links())),
    ]
}

/// A client, its file below the home folder, example content, and unreadable content.
struct Sample {
    client: &'static str,
    file: &'static str,
    text: &'static str,
    broken: &'static str,
}

const SAMPLES: [Sample; 12] = [
    Sample {
        client: "claude-desktop",
        file: if cfg!(target_os = "macos") {
            "Library/Application Support/Claude/claude_desktop_config.json"
        } else {
            ".config/Claude/claude_desktop_config.json"
        },
        text: "{\n  \"globalShortcut\": \"\",\n  \"mcpServers\": {\n    \"other\": {\n      \"command\": \"other\",\n      \"env\": { \"KEY\": \"kept-secret\" }\n    }\n  }\n}\n",
        broken: "{\"mcpServers\": {\"other\": {}}",
    },
    Sample {
        client: "claude-code",
        file: ".claude.json",
        text: "{\"numStartups\": 7, \"projects\": {\"/a\": {\"mcpServers\": {}}}}",
        broken: "{\"numStartups\": 7,}",
    },
    Sample {
        client: "cursor",
        file: ".cursor/mcp.json",
        text: "{\r\n\t\"mcpServers\": {\r\n\t\t\"other\": { \"url\": \"http://127.0.0.1:1/mcp\" }\r\n\t}\r\n}",
        broken: "{\"mcpServers\": {} // a comment\n}",
    },
    Sample {
        client: "vscode",
        file: if cfg!(target_os = "macos") {
            "Library/Application Support/Code/User/mcp.json"
        } else {
            ".config/Code/User/mcp.json"
        },
        text: "// servers of mine\n{\n    \"inputs\": [], // none yet\n    \"servers\": {\n        /* the other */\n        \"other\": { \"type\": \"stdio\", \"command\": \"x\", },\n    },\n}\n",
        broken: "{\"servers\": {\"other\" {}}}",
    },
    Sample {
        client: "codex",
        file: ".codex/config.toml",
        text: "# mine\nmodel = \"m\"   # spaced\n\n[mcp_servers.other]\ncommand = \"x\" # kept\n\n[tools]\nweb_search = true\n",
        broken: "model = m\n",
    },
    Sample {
        client: "windsurf",
        file: ".codeium/windsurf/mcp_config.json",
        text: "{\n    \"mcpServers\": {\n        \"other\": {\n            \"serverUrl\": \"https://mcp.example/mcp\"\n        }\n    }\n}\n",
        broken: "{\"mcpServers\": {\"other\": }}",
    },
    Sample {
        client: "zed",
        file: ".config/zed/settings.json",
        text: "// mine\n{\n  \"theme\": \"One Dark\", // kept\n  \"context_servers\": {\n    \"other\": { \"command\": \"x\", \"args\": [] },\n  },\n}\n",
        broken: "{\"context_servers\": {\"other\": {}}",
    },
    Sample {
        client: "cline",
        file: if cfg!(target_os = "macos") {
            "Library/Application Support/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"
        } else {
            ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"
        },
        text: "{\n  \"mcpServers\": {\n    \"other\": { \"command\": \"x\", \"disabled\": false, \"autoApprove\": [] }\n  }\n}",
        broken: "{\"mcpServers\": []}",
    },
    Sample {
        client: "gemini-cli",
        file: ".gemini/settings.json",
        text: "{\n  // mine\n  \"ui\": { \"theme\": \"GitHub\" }\n}\n",
        broken: "{\"ui\" 1}",
    },
    Sample {
        client: "jetbrains",
        file: ".junie/mcp/mcp.json",
        text: "{\"mcpServers\":{\"other\":{\"command\":\"x\"}}}",
        broken: "[]",
    },
    Sample {
        client: "goose",
        file: ".config/goose/config.yaml",
        text: "# mine\nGOOSE_MODEL: \"m\"   # spaced\nextensions:\n  # the other\n  other:\n    enabled: true\n    type: stdio\n    cmd: x # kept\n    args:\n      - a\n    envs:\n      KEY: kept-secret\n\nGOOSE_MODE: auto\n",
        broken: "extensions: [\n",
    },
    Sample {
        client: "lm-studio",
        file: ".lmstudio/mcp.json",
        text: "{\n  \"mcpServers\": {}\n}\n",
        broken: "{\"mcpServers\": {}} x",
    },
];

/// A home folder with nothing in it.
fn home(name: &str, client: &str) -> PathBuf {
    let folder = scratch().join("install").join(name).join(client);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a home folder");
    folder
}

async fn told(home: &Path, words: &[&str]) -> Finished {
    let mut command = command(words);
    command.env("HOME", home);
    finish(command, "").await
}

fn put(home: &Path, sample: &Sample, text: &str) -> PathBuf {
    let file = home.join(sample.file);
    fs::create_dir_all(file.parent().expect("a folder")).expect("the client's folder");
    fs::write(&file, text).expect("the client's file");
    file
}

/// All files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found
}

/// The entry is added once to the existing content; the diff shows no foreign line; undoing restores every
/// byte.
async fn there_and_back() -> Result<(), Failed> {
    let mut complaints = Vec::new();
    for sample in &SAMPLES {
        let Sample { client, text, .. } = sample;
        let home = home("kept", client);
        let file = put(&home, sample, text);
        #[cfg(unix)]
        let mode = {
            use std::os::unix::fs::PermissionsExt as _;
            fs::set_permissions(&file, fs::Permissions::from_mode(0o640))?;
            || fs::metadata(&file).map(|data| data.permissions().mode() & 0o777)
        };
        let now = || fs::read_to_string(&file).unwrap_or_default();
        let dry = told(&home, &["install", client, "--dry-run"]).await;
        if dry.code != Some(0) || !dry.stdout.contains("\n+") || now() != *text || files(&home).len() != 1 {
            complaints.push(format!("{client}: --dry-run: {dry:?}"));
        }
        let first = told(&home, &["install", client]).await;
        let once = now();
        if first.code != Some(0) || !once.contains("freshcontext") || !first.stdout.contains("\n+") {
            complaints.push(format!("{client}: install: {first:?}"));
        }
        if first.stdout.contains("kept-secret") {
            complaints.push(format!("{client}: shows what others keep: {}", first.stdout));
        }
        for part in [
            "kept",
            "mine",
            "none yet",
            "the other",
            "spaced",
            "numStartups",
            "\"other\"",
        ] {
            if text.contains(part) && !once.contains(part) {
                complaints.push(format!("{client}: `{part}` is lost:\n{once}"));
            }
        }
        let backup = PathBuf::from(format!("{}.freshcontext-backup", file.display()));
        if fs::read_to_string(&backup).ok().as_deref() != Some(text) {
            complaints.push(format!("{client}: no copy of what was there"));
        }
        #[cfg(unix)]
        if mode()? != 0o640 {
            complaints.push(format!("{client}: who may read it has changed: {:o}", mode()?));
        }
        let second = told(&home, &["install", client]).await;
        if second.code != Some(0) || !second.stdout.contains("nothing to do") || now() != once {
            complaints.push(format!("{client}: a second time: {second:?}\n{}", now()));
        }
        let words = ["install", client, "--", "npx", "-y", "freshcontext"];
        let other = told(&home, &words).await;
        if other.code != Some(0)
            || !other.stderr.contains("not published")
            || !now().contains("\"npx\"")
            || !now().contains("\"-y\"")
        {
            complaints.push(format!("{client}: another command: {other:?}\n{}", now()));
        }
        // The backup now contains the entry, so it cannot undo it.
        let out = told(&home, &["uninstall", client]).await;
        if out.code != Some(0)
            || now().contains("freshcontext")
            || !now().contains(text.split('"').nth(1).unwrap_or("?"))
        {
            complaints.push(format!("{client}: uninstall: {out:?}\n{}", now()));
        }
        fs::write(&file, text)?;
        told(&home, &["install", client]).await;
        let undone = told(&home, &["uninstall", client]).await;
        if undone.code != Some(0) || now() != *text || files(&home).len() != 1 {
            complaints.push(format!(
                "{client}: not as it was: {undone:?}\n{}\n{:?}",
                now(),
                files(&home)
            ));
        }
        let again = told(&home, &["uninstall", client]).await;
        if again.code != Some(0) || !again.stdout.contains("nothing to do") || now() != *text {
            complaints.push(format!("{client}: uninstall twice: {again:?}"));
        }
        // Changes made in between are kept.
        told(&home, &["install", client]).await;
        let between = now().replace("other", "another");
        fs::write(&file, &between)?;
        told(&home, &["uninstall", client]).await;
        if now().contains("freshcontext") || now().matches("another").count() != text.matches("other").count()
        {
            complaints.push(format!("{client}: what came in between is lost:\n{}", now()));
        }
    }
    verdict(complaints)
}

/// Options of the command and variables are in the client's file, no value of a variable is shown, a second run
/// changes nothing, and undoing restores every byte, with and without a file before.
async fn options() -> Result<(), Failed> {
    let words = [
        "--toolset",
        "time",
        "--set",
        "http.addr=127.0.0.1:9000",
        "--data-dir",
        "kept",
        "--log",
        "warn",
        "--env",
        "GITHUB_TOKEN=value-a",
        "--env",
        "FINNHUB_API_KEY=value \"b\" # \\ ä",
    ];
    let secrets = ["value-a", "value \"b\"", "# \\"];
    let mut complaints = Vec::new();
    for sample in &SAMPLES {
        for before in [Some(sample.text), None] {
            let Sample { client, .. } = sample;
            let home = home("options", client);
            let file = match before {
                Some(text) => put(&home, sample, text),
                None => home.join(sample.file),
            };
            let now = || fs::read_to_string(&file).unwrap_or_default();
            let install: Vec<&str> = ["install", client].into_iter().chain(words).collect();
            let first = told(&home, &install).await;
            let once = now();
            let plain = once.replace("\", \"", "\",\"");
            let data = std::path::absolute("kept")?;
            let written = [
                "\"--toolset\",\"time\"".to_owned(),
                "\"--set\",\"http.addr=127.0.0.1:9000\"".to_owned(),
                format!("\"--data-dir\",\"{}\"", data.display()),
                "\"--log\",\"warn\"".to_owned(),
                "value-a".to_owned(),
                "FINNHUB_API_KEY".to_owned(),
                "\"stdio\"]".to_owned(),
            ];
            for part in written.iter().filter(|part| !plain.contains(part.as_str())) {
                complaints.push(format!("{client}: no {part} in:\n{once}"));
            }
            let second = told(&home, &install).await;
            if first.code != Some(0) || second.code != Some(0) || now() != once {
                complaints.push(format!("{client}: twice: {first:?} {second:?}\n{}", now()));
            }
            // Another value replaces the first, and what is not named stays.
            let changed = told(&home, &["install", client, "--env", "GITHUB_TOKEN=value-c"]).await;
            if !now().contains("value-c") || now().contains("value-a") || !now().contains("FINNHUB") {
                complaints.push(format!("{client}: another value: {changed:?}\n{}", now()));
            }
            told(&home, &install).await;
            let undone = told(&home, &["uninstall", client]).await;
            let left = before.map_or(0, |_| 1);
            if undone.code != Some(0) || now() != before.unwrap_or_default() || files(&home).len() != left {
                complaints.push(format!(
                    "{client}: undone: {undone:?}\n{}\n{:?}",
                    now(),
                    files(&home)
                ));
            }
            let said = format!("{first:?}{second:?}{changed:?}{undone:?}");
            for secret in secrets
                .iter()
                .chain(&["value-c"])
                .filter(|secret| said.contains(**secret))
            {
                complaints.push(format!("{client}: shows {secret}: {said}"));
            }
        }
    }
    verdict(complaints)
}

/// A command that cannot start is refused, or written with a warning that says what to do. Nothing refused is
/// written, and no argument of `--env` is repeated.
async fn cannot_start() -> Result<(), Failed> {
    let mut complaints = Vec::new();
    for (words, code, says) in [
        (&["--", "/nonexistent/freshcontext"][..], 2, "does not exist"),
        (&["--set", "nonsense=1"], 2, "unknown key"),
        (&["--toolset", "nonsense"], 2, "nonsense"),
        (&["--env", "FRESHCONTEXT_HTTP_ADDR=nonsense"], 2, "IP address"),
        (&["--env", "kept-secret"], 2, "KEY=VALUE"),
        (&["--env", "=kept-secret"], 2, "KEY=VALUE"),
        (&["--env", "GITHUB_TOKEN"], 2, "pass KEY=VALUE"),
        (&["--", "npx", "-y", "freshcontext"], 0, "not published"),
        (&["--", "uvx", "freshcontext@1.0"], 0, "not published"),
        (&["--", "no-such-command"], 0, "no command `no-such-command`"),
        (&[], 0, "cargo clean"),
    ] {
        let home = home("cannot-start", "zed");
        let words: Vec<&str> = ["install", "zed"].iter().chain(words).copied().collect();
        let done = told(&home, &words).await;
        let is_written = !files(&home).is_empty();
        if done.code != Some(code) || !done.stderr.contains(says) || is_written != (code == 0) {
            complaints.push(format!("{words:?}: {done:?} {:?}", files(&home)));
        }
        if format!("{done:?}").contains("kept-secret") {
            complaints.push(format!("{words:?} repeats a secret: {done:?}"));
        }
    }
    // What cannot be edited is shown to paste.
    let goose = SAMPLES
        .iter()
        .find(|sample| sample.client == "goose")
        .ok_or("a client")?;
    let home = home("cannot-start", "goose");
    let flow = "{extensions: {other: {cmd: x}}}\n";
    let file = put(&home, goose, flow);
    let done = told(&home, &["install", "goose", "--env", "GITHUB_TOKEN=kept-secret"]).await;
    if done.code != Some(1)
        || !done.stdout.contains("To paste into goose")
        || !done.stdout.contains("      GITHUB_TOKEN: \"VALUE\"")
        || fs::read_to_string(&file)? != flow
    {
        complaints.push(format!("to paste: {done:?}"));
    }
    verdict(complaints)
}

/// Links name the command, hold no value of a variable, and are those of the README's buttons.
async fn deep_links() -> Result<(), Failed> {
    let mut complaints = Vec::new();
    let readme = fs::read_to_string(crate::root().join("README.md"))?;
    let home = home("links", "none");
    for (client, scheme, button) in [
        (
            "cursor",
            "cursor://anysphere.cursor-deeplink/mcp/install?",
            "https://cursor.com/en/install-mcp?",
        ),
        (
            "vscode",
            "vscode:mcp/install?",
            "https://insiders.vscode.dev/redirect?url=vscode%3Amcp%2Finstall%3F",
        ),
    ] {
        let done = told(&home, &["install", client, "--link", "--", "freshcontext"]).await;
        let Some(rest) = done.stdout.trim().strip_prefix(scheme) else {
            complaints.push(format!("{client}: {done:?}"));
            continue;
        };
        let rest = match client {
            "vscode" => rest.replace('%', "%25"),
            _ => rest.to_owned(),
        };
        if !readme.contains(&format!("{button}{rest})")) {
            complaints.push(format!("README.md has no button {button}{rest}"));
        }
        let secret = told(&home, &["install", client, "--link", "--env", "A=kept-secret"]).await;
        if secret.code != Some(2) || format!("{secret:?}").contains("kept-secret") {
            complaints.push(format!("{client}: a secret in a link: {secret:?}"));
        }
        let asked = told(&home, &["install", client, "--link", "--env", "GITHUB_TOKEN"]).await;
        if asked.code != Some(0) {
            complaints.push(format!("{client}: a prompt in a link: {asked:?}"));
        }
    }
    let none = told(&home, &["install", "zed", "--link"]).await;
    if none.code != Some(2) || !none.stderr.contains("no deep link") || !files(&home).is_empty() {
        complaints.push(format!("a client without links: {none:?} {:?}", files(&home)));
    }
    verdict(complaints)
}

/// An unreadable file is named with its error and stays unchanged.
async fn broken() -> Result<(), Failed> {
    let mut complaints = Vec::new();
    for sample in &SAMPLES {
        let home = home("broken", sample.client);
        let file = put(&home, sample, sample.broken);
        for word in ["install", "uninstall"] {
            let done = told(&home, &[word, sample.client]).await;
            let now = fs::read_to_string(&file)?;
            if done.code != Some(1)
                || !done.stderr.contains("is left as it is")
                || now != sample.broken
                || files(&home).len() != 1
            {
                complaints.push(format!("{word} {}: {done:?}\n{now}", sample.client));
            }
        }
    }
    let unknown = told(&scratch(), &["install", "abacus"]).await;
    if unknown.code != Some(2) {
        complaints.push(format!("a client that is none: {unknown:?}"));
    }
    verdict(complaints)
}

/// A missing file is created and removed again.
async fn nothing_there() -> Result<(), Failed> {
    let mut complaints = Vec::new();
    for sample in &SAMPLES {
        let Sample { client, .. } = sample;
        let home = home("empty", client);
        told(&home, &["install", client]).await;
        let text = fs::read_to_string(home.join(sample.file)).unwrap_or_default();
        let start: serde_json::Value = match sample.client {
            "codex" => toml::from_str(&text)?,
            // Written like this, a line a value.
            "goose" => {
                let value = |name: &str| {
                    let line = text
                        .lines()
                        .find_map(|line| line.strip_prefix(&format!("    {name}: ")));
                    serde_json::from_str::<serde_json::Value>(line.unwrap_or("null"))
                };
                serde_json::json!({"servers": {"freshcontext": {"command": value("cmd")?, "args": value("args")?}}})
            }
            _ => serde_json::from_str(&text)?,
        };
        let section = ["mcpServers", "servers", "mcp_servers", "context_servers"];
        let entry = section
            .iter()
            .find_map(|name| start.get(name)?.get("freshcontext"));
        let program = entry
            .and_then(|entry| entry["command"].as_str())
            .unwrap_or_default();
        if !Path::new(program).is_file()
            || entry.is_none_or(|entry| entry["args"] != serde_json::json!(["stdio"]))
        {
            complaints.push(format!("{client}: {text}"));
        }
        let out = told(&home, &["uninstall", client]).await;
        if out.code != Some(0) || !files(&home).is_empty() {
            complaints.push(format!("{client}: {out:?} {:?}", files(&home)));
        }
    }
    verdict(complaints)
}

/// Content around the entry appears in no diff and no error, on one line or many, valid or not.
async fn neighbours() -> Result<(), Failed> {
    let mut complaints = Vec::new();
    let minified =
        r#"{"mcpServers":{"other":{"command":"x","env":{"KEY":"kept-secret"}}},"token":"kept-secret"}"#;
    let ours = r#""freshcontext":{"command":"old","args":["stdio"],"env":{"GITHUB_TOKEN":"kept-secret"}}"#;
    let servers = minified.replace("mcpServers", "servers");
    let with_ours = minified.replace("\"other\"", &format!("{ours},\"other\""));
    let toml = "mcp_servers = { other = { command = \"x\", env = { KEY = \"kept-secret\" } } }\n";
    for (client, text) in [
        ("cursor", minified.to_owned()),
        ("cursor", minified.replace(':', ": ").replace(',', ", ")),
        ("cursor", minified.replace("kept-secret\"}", "kept-secret\"\n}")),
        ("cursor", with_ours.clone()),
        ("claude-code", minified.to_owned()),
        ("claude-desktop", minified.to_owned()),
        ("vscode", servers.clone()),
        ("vscode", format!("// kept-secret\n{servers}")),
        ("codex", toml.to_owned()),
        (
            "codex",
            "[mcp_servers]\nother = { command = \"x\", env = { KEY = \"kept-secret\" } }\n".to_owned(),
        ),
        // Invalid at the key.
        ("cursor", minified.replace("\"kept-secret\"}", "kept-secret}")),
        ("cursor", minified.replace("kept-secret\"}", "kept-secret}")),
        ("vscode", servers.replace("\"kept-secret\"}", "kept-secret}")),
        ("vscode", servers.replace("\"kept-secret", "\"\\ukept-secret")),
        ("codex", toml.replace("\"kept-secret\"", "kept-secret")),
        ("codex", format!("{toml}kept-secret = 1\nkept-secret = 2\n")),
        ("cursor", r#"{"mcpServers": "kept-secret"}"#.to_owned()),
        (
            "cursor",
            r#"{"mcpServers": {"freshcontext": "kept-secret"}}"#.to_owned(),
        ),
    ] {
        let sample = SAMPLES
            .iter()
            .find(|sample| sample.client == client)
            .ok_or("a client")?;
        let home = home("neighbours", client);
        put(&home, sample, &text);
        for words in [
            &["install", client, "--dry-run"][..],
            &["uninstall", client, "--dry-run"],
            &["install", client],
            &["install", client, "--", "npx", "freshcontext"],
            &["uninstall", client],
            &["uninstall", client, "--force"],
        ] {
            let done = told(&home, words).await;
            if format!("{}{}", done.stdout, done.stderr).contains("kept-") {
                complaints.push(format!("{words:?} shows what others keep: {done:?}\n{text}"));
            }
        }
    }
    verdict(complaints)
}

/// Hand-written content is not removed, and `--force` makes a backup.
async fn by_hand() -> Result<(), Failed> {
    let mut complaints = Vec::new();
    let json = |entry: &str| format!("{{ \"mcpServers\": {{ \"freshcontext\": {entry} }} }}");
    let table = "[mcp_servers.freshcontext]\ncommand = \"mine\"\nargs = [\"stdio\"]\n";
    for (client, text) in [
        (
            "cursor",
            json(r#"{ "command": "mine", "args": ["stdio"], "env": { "GITHUB_TOKEN": "" } }"#),
        ),
        (
            "cursor",
            json(r#"{ "command": "mine", "args": ["--log", "debug"] }"#),
        ),
        ("cursor", json(r#"{ "url": "http://127.0.0.1:1/mcp" }"#)),
        (
            "vscode",
            json("{ \"command\": \"mine\", /* mine */ \"args\": [\"stdio\"] }")
                .replace("mcpServers", "servers"),
        ),
        ("codex", format!("{table}env = {{ GITHUB_TOKEN = \"\" }}\n")),
        ("codex", table.replace("\nargs", " # mine\nargs")),
        (
            "codex",
            format!("{table}\n[mcp_servers.freshcontext.env]\nGITHUB_TOKEN = \"\"\n"),
        ),
    ] {
        let sample = SAMPLES
            .iter()
            .find(|sample| sample.client == client)
            .ok_or("a client")?;
        let home = home("by-hand", client);
        let file = put(&home, sample, &text);
        for words in [&["uninstall", client][..], &["uninstall", client, "--dry-run"]] {
            let done = told(&home, words).await;
            if done.code != Some(1)
                || !done.stderr.contains("by hand")
                || fs::read_to_string(&file)? != text
                || files(&home).len() != 1
            {
                complaints.push(format!("{words:?}: {done:?}\n{text}"));
            }
        }
        let done = told(&home, &["uninstall", client, "--force"]).await;
        let now = fs::read_to_string(&file).unwrap_or_default();
        let copy = fs::read_to_string(format!("{}.freshcontext-backup", file.display())).unwrap_or_default();
        if done.code != Some(0) || now.contains("freshcontext") || copy != text {
            complaints.push(format!("{client} --force: {done:?}\n{now}\n{copy}"));
        }
    }
    // An entry like `install`'s in a hand-written file: the file and a backup stay.
    for (client, text) in [
        ("cursor", json(r#"{ "command": "mine", "args": ["stdio"] }"#)),
        ("codex", format!("# mine\n{table}")),
        ("codex", table.replace("mine", "x").replace('\n', "\n\n")),
    ] {
        let sample = SAMPLES
            .iter()
            .find(|sample| sample.client == client)
            .ok_or("a client")?;
        let home = home("by-hand", client);
        let file = put(&home, sample, &text);
        let done = told(&home, &["uninstall", client]).await;
        let copy = fs::read_to_string(format!("{}.freshcontext-backup", file.display())).unwrap_or_default();
        let kept =
            fs::read_to_string(&file).is_ok_and(|now| now.contains("# mine") == text.contains("# mine"));
        if done.code != Some(0) || !kept || copy != text {
            complaints.push(format!("{client}: {done:?} {copy}\n{text}"));
        }
    }
    verdict(complaints)
}

/// Every text that a person wrote is in some backup, after any number of runs.
async fn copies() -> Result<(), Failed> {
    let mut complaints = Vec::new();
    for sample in &SAMPLES {
        let Sample { client, text, .. } = sample;
        let home = home("copies", client);
        let file = put(&home, sample, text);
        let later = text.replace("other", "another");
        let mut had = vec![(*text).to_owned()];
        told(&home, &["install", client]).await;
        // Another program rewrites the file.
        let between = fs::read_to_string(&file)?.replace("other", "another");
        fs::write(&file, &between)?;
        if text.contains("other") {
            had.push(between);
        }
        told(&home, &["install", client, "--", "npx", "freshcontext"]).await;
        told(&home, &["uninstall", client]).await;
        fs::write(&file, &later)?;
        had.push(later);
        for words in [["install", client], ["install", client], ["uninstall", client]] {
            told(&home, &words).await;
        }
        let texts: Vec<String> = files(&home)
            .iter()
            .map(|file| fs::read_to_string(file).unwrap_or_default())
            .collect();
        for text in had {
            if !texts.contains(&text) {
                complaints.push(format!(
                    "{client}: no file has what a person had:\n{text}\n{texts:?}"
                ));
            }
        }
    }
    verdict(complaints)
}

/// Concurrent runs: the file is complete at all times, and its earlier content is never lost.
async fn at_once() -> Result<(), Failed> {
    let mut complaints = Vec::new();
    for sample in [&SAMPLES[0], &SAMPLES[4]] {
        let Sample { client, text, .. } = sample;
        let home = home("at-once", client);
        let file = put(&home, sample, text);
        let running: Vec<_> = (0..12)
            .map(|at| {
                let home = home.clone();
                tokio::spawn(async move {
                    let word = if at % 3 == 2 { "uninstall" } else { "install" };
                    told(&home, &[word, client]).await
                })
            })
            .collect();
        while running.iter().any(|one| !one.is_finished()) {
            let now = fs::read_to_string(&file)?;
            if !now.contains("\"x\"") && !now.contains("kept-secret") || now.len() < text.len() {
                complaints.push(format!("{client}: half of it: {now}"));
            }
            tokio::time::sleep(std::time::Duration::from_millis(2)).await;
        }
        for one in running {
            let done = one.await?;
            if done.code != Some(0) {
                complaints.push(format!("{client}: {done:?}"));
            }
        }
        told(&home, &["uninstall", client]).await;
        if fs::read_to_string(&file)? != *text {
            complaints.push(format!("{client}: not as it was: {}", fs::read_to_string(&file)?));
        }
        if files(&home)
            .iter()
            .any(|file| file.display().to_string().contains("/.freshcontext-"))
        {
            complaints.push(format!("{client}: unfinished files: {:?}", files(&home)));
        }
    }
    verdict(complaints)
}

/// The time for a large file is linear: 80,000 members take a hundredth of the earlier time.
async fn large() -> Result<(), Failed> {
    /// Processor time in seconds; a quadratic algorithm does not finish in it.
    const TIME: &str = "20";
    /// The TOML parser takes longer per member.
    const OF_TOML: usize = 10_000;

    let many = |form: fn(usize) -> String, count| (0..count).map(form).collect::<Vec<_>>().join(", ");
    let members = |form| many(form, 80_000);
    let servers = members(|at| format!("\"s{at}\": {{\"command\": \"x\"}}"));
    let mut complaints = Vec::new();
    for (client, text) in [
        ("cursor", format!("{{\"mcpServers\": {{{servers}}}}}")),
        (
            "claude-code",
            format!("{{{}}}", members(|at| format!("\"p{at}\": 1"))),
        ),
        (
            "codex",
            format!(
                "mcp_servers = {{ {} }}\n",
                many(|at| format!("s{at} = {{ command = \"x\" }}"), OF_TOML)
            ),
        ),
    ] {
        let sample = SAMPLES
            .iter()
            .find(|sample| sample.client == client)
            .ok_or("a client")?;
        let home = home("large", client);
        let file = put(&home, sample, &text);
        for word in ["install", "uninstall"] {
            let mut plain = command(&[word, client]);
            plain.env("HOME", &home);
            let mut limited =
                crate::process::through("sh", &["-c", "ulimit -t $0 && exec \"$@\"", TIME], &plain);
            // Limited by processor time, because the wall-clock time depends on other tests.
            let done = limited.output().await?;
            if !done.status.success() {
                let said = String::from_utf8_lossy(&done.stderr).into_owned();
                complaints.push(format!("{word} {client}: {:?} {said:.300}", done.status));
            }
            if (fs::read_to_string(&file)? == text) != (word == "uninstall") {
                complaints.push(format!("{word} {client}: not what it should be"));
            }
        }
        fs::remove_dir_all(&home)?;
    }
    verdict(complaints)
}

/// A symbolic link into the user's own folder is followed and stays a link. Another user's link is not
/// followed.
#[cfg(unix)]
async fn links() -> Result<(), Failed> {
    use std::os::unix::fs::symlink;

    let mut complaints = Vec::new();
    let sample = &SAMPLES[2];
    let home = home("links", sample.client);
    let real = home.join("dotfiles/mcp.json");
    fs::create_dir_all(home.join("dotfiles"))?;
    fs::create_dir_all(home.join(".cursor"))?;
    fs::write(&real, sample.text)?;
    let link = home.join(sample.file);
    symlink("../dotfiles/mcp.json", &link)?;
    let done = told(&home, &["install", "cursor"]).await;
    let says = format!("{}, to which {} leads", real.display(), link.display());
    if done.code != Some(0)
        || !done.stdout.contains(&says)
        || !fs::read_to_string(&real)?.contains("freshcontext")
    {
        complaints.push(format!("a link of one's own: {done:?}"));
    }
    let done = told(&home, &["uninstall", "cursor"]).await;
    if done.code != Some(0) || fs::read_to_string(&real)? != sample.text || !link.is_symlink() {
        complaints.push(format!("a link of one's own, back: {done:?}"));
    }
    // The name of a backup that is already taken by a link to another file.
    let victim = home.join("victim");
    fs::write(&victim, "kept")?;
    symlink(&victim, format!("{}.freshcontext-backup", real.display()))?;
    let done = told(&home, &["install", "cursor"]).await;
    if done.code != Some(0) || fs::read_to_string(&victim)? != "kept" {
        complaints.push(format!("a copy through a link: {done:?}"));
    }
    fs::remove_file(&real)?;
    let done = told(&home, &["install", "cursor"]).await;
    if done.code != Some(1) || !done.stderr.contains("not there") {
        complaints.push(format!("a link that leads nowhere: {done:?}"));
    }
    // Only root can give a link to another user.
    fs::write(&real, sample.text)?;
    let given = crate::process::program("chown", &["-h", "65534:65534"])
        .arg(&link)
        .output()
        .await?;
    if given.status.success() {
        let done = told(&home, &["install", "cursor"]).await;
        if done.code != Some(1)
            || !done.stderr.contains("a symbolic link of another user")
            || fs::read_to_string(&real)? != sample.text
        {
            complaints.push(format!("another user's link: {done:?}"));
        }
        // Nor is it followed as a folder on the path.
        let folder = home.join("planted");
        symlink(home.join("dotfiles"), &folder)?;
        crate::process::program("chown", &["-h", "65534:65534"])
            .arg(&folder)
            .output()
            .await?;
        let page = folder.join("a.1").display().to_string();
        let into = told(&home, &["man", "--into", &folder.display().to_string()]).await;
        let records = finish(
            command(&["evaluate", "-", "--records", &page]),
            r#"{"profile": "official_docs", "intent": "citation_check", "signals": [{"source": "https://a.example/", "content": "a"}]}"#,
        )
        .await;
        if into.code != Some(1)
            || records.code != Some(1)
            || fs::read_dir(home.join("dotfiles"))?.count() != 3
        {
            complaints.push(format!("a planted folder: {into:?} {records:?}"));
        }
    }
    verdict(complaints)
}
