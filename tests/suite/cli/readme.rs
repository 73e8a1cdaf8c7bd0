//! The shell examples in README.md show what the shell prints, at the fixed time of the replay.

use std::net::SocketAddr;

use freshcontext_xtask::{examples, replay};
use libtest_mimic::{Failed, Trial};

use crate::process::{BINARY, finish, program, scratch};
use crate::run::block_on;
use crate::{root, verdict};

pub fn trials() -> Vec<Trial> {
    vec![Trial::test("cli::readme", || block_on(readme()))]
}

/// Returns the commands of a page's console blocks, each with its output.
fn console(page: &str) -> Vec<(String, String)> {
    let mut out: Vec<(String, String)> = Vec::new();
    for block in page.split("```console\n").skip(1) {
        let block = block.split("```").next().unwrap_or_default();
        for line in block.lines() {
            match (line.strip_prefix("$ "), out.last_mut()) {
                (Some(command), _) => out.push((command.to_owned(), String::new())),
                (None, Some((_, said))) => {
                    said.push_str(line);
                    said.push('\n');
                }
                (None, None) => {}
            }
        }
    }
    out
}

async fn readme() -> Result<(), Failed> {
    let upstream = replay::Replay::load(&root(), None)?
        .start(SocketAddr::from(([127, 0, 0, 1], 0)))
        .await?;
    let folder = scratch().join("readme-path");
    std::fs::create_dir_all(&folder)?;
    let name = folder.join("freshcontext");
    if !name.exists() {
        std::os::unix::fs::symlink(BINARY, &name)?;
    }
    let mut path = vec![folder];
    path.extend(std::env::split_paths(
        &std::env::var_os("PATH").unwrap_or_default(),
    ));
    let path = std::env::join_paths(path)?;
    let page = std::fs::read_to_string(root().join("README.md"))?;
    let (mut complaints, mut ran) = (Vec::new(), 0);
    for (line, shown) in console(&page) {
        // The replay runs in this test, and its environment is set below.
        if line.starts_with("cargo xtask replay") || line.starts_with("export FRESHCONTEXT_UPSTREAM=") {
            continue;
        }
        let mut command = program("sh", &["-c", &line]);
        command
            .env("PATH", &path)
            .env("FRESHCONTEXT_UPSTREAM", format!("*={}", upstream.base()))
            .env("FRESHCONTEXT_REPLAY_AT", examples::NOW)
            .current_dir(root());
        let done = finish(command, "").await;
        let said = format!("{}{}", done.stdout, done.stderr);
        ran += 1;
        if said.trim_end() != shown.trim_end() {
            complaints.push(format!(
                "README.md shows of `{line}`:\n{shown}\nand it prints:\n{said}"
            ));
        }
    }
    if ran < 4 {
        complaints.push(format!("only {ran} commands are shown"));
    }
    verdict(complaints)
}
