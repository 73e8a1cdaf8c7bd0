//! What a person at the shell sees of calls that failed as a whole, and the pages of checks.

use freshcontext_testkit::ScriptedUpstream;
use libtest_mimic::{Failed, Trial};

use crate::process::{command, finish, scratch};
use crate::run::block_on;
use crate::upstreams::reply;
use crate::verdict;

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test(
            "cli::a_failed_composite_keeps_its_lines",
            || block_on(composite()),
        ),
        Trial::test("cli::references_have_a_page", || block_on(page())),
    ]
}

/// The table of a composite of which every section failed says in lines which source failed, and why.
async fn composite() -> Result<(), Failed> {
    let upstream = ScriptedUpstream::start(|_| reply(403, "text/plain", "no")).await?;
    let mut call = command(&["call", "extract_idea_landscape", "idea=bridges"]);
    call.env("FRESHCONTEXT_UPSTREAM", format!("*={}", upstream.base()));
    let done = finish(call, "").await;
    let lines: Vec<&str> = done.stderr.lines().collect();
    let mut complaints = Vec::new();
    if done.code != Some(1) || !done.stdout.is_empty() {
        complaints.push(format!("code {:?}, stdout {:?}", done.code, done.stdout));
    }
    let heads = |begin: &str| lines.iter().filter(|line| line.starts_with(begin)).count();
    if heads("error: ") != 1 || heads("## ") < 3 || heads("| ") < 3 || heads("Generated: ") != 1 {
        complaints.push(format!("headings stand in lines of their own: {}", done.stderr));
    }
    verdict(complaints)
}

/// The page of `freshcontext references` has every verdict.
async fn page() -> Result<(), Failed> {
    let (file, page) = (
        scratch().join("references.txt"),
        scratch().join("references.html"),
    );
    std::fs::write(&file, "ISBN 978-0-306-40615-7")?;
    let (file, target) = (file.display().to_string(), page.display().to_string());
    let done = finish(command(&["references", &file, "--html", &target]), "").await;
    let written = std::fs::read_to_string(&page)?;
    let mut complaints = Vec::new();
    if done.code != Some(4) {
        complaints.push(format!("{done:?}"));
    }
    for part in ["\"check_references\"", "\"verdict\":", "\"could_not_check\""] {
        if !written.contains(part) {
            complaints.push(format!("the page lacks {part}"));
        }
    }
    verdict(complaints)
}
