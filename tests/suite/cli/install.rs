//! `install` and `uninstall` through the binary, each client in a home folder of its own.

use std::fs;
use std::path::{Path, PathBuf};

use libtest_mimic::{Failed, Trial};

use crate::process::{Finished, command, finish, scratch};
use crate::run::block_on;
use crate::verdict;

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("cli::install", || block_on(there_and_back())),
        Trial::test("cli::install_refuses_what_is_broken", || block_on(broken())),
        Trial::test("cli::install_with_nothing_there", || block_on(nothing_there())),
    ]
}

/// A client, its file below the home folder, what a user may have in it, and what cannot be read.
struct Sample {
    client: &'static str,
    file: &'static str,
    text: &'static str,
    broken: &'static str,
}

const SAMPLES: [Sample; 5] = [
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

/// The entry is put in beside what is there, once; the difference shows no line of anybody else; undone, every byte is
/// as it was.
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
        if other.code != Some(0) || !now().contains("\"npx\"") || !now().contains("\"-y\"") {
            complaints.push(format!("{client}: another command: {other:?}\n{}", now()));
        }
        // The copy is now of a text with our entry, which is no way back.
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
        // What came in between is kept.
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

/// A file that cannot be read is named with its fault, and no byte of it changes.
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

/// Where there was no file, one is made, and goes again.
async fn nothing_there() -> Result<(), Failed> {
    let mut complaints = Vec::new();
    for sample in &SAMPLES {
        let Sample { client, .. } = sample;
        let home = home("empty", client);
        told(&home, &["install", client]).await;
        let text = fs::read_to_string(home.join(sample.file)).unwrap_or_default();
        let start: serde_json::Value = if sample.client == "codex" {
            toml::from_str(&text)?
        } else {
            serde_json::from_str(&text)?
        };
        let section = ["mcpServers", "servers", "mcp_servers"];
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
