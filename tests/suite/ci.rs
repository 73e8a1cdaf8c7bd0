//! CI's check of advisories, with a scripted `cargo`: a finding and an unavailable database are
//! distinguished. Also checks that the workflow runs the README's commands.

use std::path::PathBuf;

use libtest_mimic::{Failed, Trial};

use crate::process::{finish, program};
use crate::run::block_on;
use crate::{root, verdict};

pub fn trials() -> Vec<Trial> {
    let mut trials = vec![Trial::test("ci::workflow", || verdict(workflow()))];
    if cfg!(unix) {
        trials.push(Trial::test("ci::advisories", || block_on(advisories())));
    }
    trials
}

/// The contributors' workflow runs the README's commands, has read-only permissions, and pins its actions
/// like the release workflow.
fn workflow() -> Vec<String> {
    let read = |file: &str| std::fs::read_to_string(root().join(file)).unwrap_or_default();
    let (readme, ci, release) = (
        read("README.md"),
        read(".github/workflows/ci.yml"),
        read(".github/workflows/release.yml"),
    );
    let mut complaints = Vec::new();
    for mark in ["demo", "test"] {
        let block = readme.split_once(&format!("<!-- {mark} command -->\n```sh\n"));
        let command = block
            .and_then(|(_, rest)| rest.split_once("\n```"))
            .map(|(command, _)| command);
        let runs = command.is_some_and(|command| ci.contains(&format!("- run: {command}\n")));
        if !runs {
            complaints.push(format!(
                "ci.yml does not run the README's {mark} command: {command:?}"
            ));
        }
    }
    if !ci.contains("\npermissions:\n  contents: read\n") || ci.contains(": write") {
        complaints.push("ci.yml may do more than read".to_owned());
    }
    let uses = |workflow: &str| -> Vec<String> {
        let steps = workflow
            .lines()
            .filter_map(|line| line.trim().strip_prefix("- uses: "));
        steps.map(str::to_owned).collect()
    };
    let (used, pinned) = (uses(&ci), uses(&release));
    if used.is_empty() {
        complaints.push("ci.yml uses no action: is it still read rightly?".to_owned());
    }
    let strangers = used.into_iter().filter(|action| !pinned.contains(action));
    complaints
        .extend(strangers.map(|action| format!("ci.yml uses {action}, which release.yml does not name so")));
    complaints
}

/// A folder with a `cargo` that runs these lines.
fn cargo(name: &str, lines: &str) -> std::io::Result<PathBuf> {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("ci").join(name);
    std::fs::create_dir_all(&folder)?;
    let file = folder.join("cargo");
    std::fs::write(&file, format!("#!/usr/bin/env bash\n{lines}\n"))?;
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755))?;
    Ok(folder)
}

async fn advisories() -> Result<(), Failed> {
    let mut complaints = Vec::new();
    for (name, lines, code, said) in [
        ("none", "exit 0", 0, "advisories: none"),
        ("no-tool", "exit 101", 1, "cargo-deny is not installed"),
        (
            "no-network",
            "case \"$*\" in *fetch*) echo 'error: could not resolve host' >&2; exit 1;; esac",
            3,
            "NOT CHECKED: advisories (the database could not be fetched within 2 s: error: could not resolve host)",
        ),
        (
            "silence",
            "case \"$*\" in *fetch*) exec sleep 60;; esac",
            3,
            "NOT CHECKED: advisories (the database could not be fetched within 2 s: no answer)",
        ),
        (
            "finding",
            "case \"$*\" in *check*) echo 'error[vulnerability]: RUSTSEC-0000-0000' ; exit 4;; esac",
            1,
            "RUSTSEC-0000-0000",
        ),
    ] {
        let folder = cargo(name, lines)?;
        let path = format!("{}:/usr/bin:/bin", folder.display());
        let mut script = program("bash", &[".ci/advisories"]);
        script
            .current_dir(root())
            .env("PATH", path)
            .env("ADVISORIES_WAIT", "2");
        let finished = finish(script, "").await;
        if finished.code != Some(code) || !finished.stdout.contains(said) {
            complaints.push(format!("{name}: {finished:?}"));
        }
    }
    verdict(complaints)
}
