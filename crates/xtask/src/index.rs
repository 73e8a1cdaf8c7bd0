//! docs/README.md: one line for each page of the documentation.

use std::fmt::Write as _;
use std::path::Path;

/// The pages under docs/, by group: file and what it tells.
const PAGES: [(&str, &[(&str, &str)]); 5] = [
    (
        "Use it",
        &[
            (
                "tools.md",
                "Every tool: arguments, routes, limits, dates and terms of its source",
            ),
            (
                "use-cases.md",
                "Questions that people bring, each with its command and answer",
            ),
            (
                "troubleshooting.md",
                "Every error code, what it means and what to do; dates, scores and set-up",
            ),
            (
                "answers/README.md",
                "What every tool answers, as text and as JSON, one page for each kind of tool",
            ),
            (
                "pages.md",
                "Answers, budgets, records and deliverables as HTML pages, with pictures",
            ),
            (
                "configuration.md",
                "Every setting, environment variable and limit",
            ),
            (
                "http.md",
                "The HTTP service: tokens, rate limits, TLS, metrics, several machines",
            ),
            (
                "scale.md",
                "Several replicas with Redis: what they share, what each does without it, and what it costs",
            ),
            (
                "rest.md",
                "REST: paths, media types, errors and their statuses, OpenAPI",
            ),
            (
                "operate.md",
                "Run it for a team: tokens and rotation, proxy, hosts, backup, upgrade, alerts",
            ),
        ],
    ),
    (
        "Judge and select",
        &[
            (
                "evaluate.md",
                "`evaluate_context`: decisions, scores, profiles, intents, ten examples",
            ),
            (
                "budget.md",
                "What fits a budget, why the rest does not, and what is missing",
            ),
            (
                "standing.md",
                "Whether a thing still stands: retracted, deprecated, removed, moved",
            ),
            (
                "references.md",
                "`check_references`: which of many references stand, moved, are gone, or `could_not_check`",
            ),
            (
                "as-of.md",
                "`as_of`: what was known at an earlier moment, and which sources can say it",
            ),
            (
                "origins.md",
                "How many independent origins items have, who was first, where they disagree",
            ),
            (
                "detector.md",
                "How a failure in the form of content is recognized, and how well",
            ),
            (
                "failures.md",
                "Failed calls of every tool, code and cause, each with its next step",
            ),
        ],
    ),
    (
        "Follow over time",
        &[
            (
                "time.md",
                "`recheck`: is an earlier answer still so; what is kept, and for how long",
            ),
            (
                "deliverables.md",
                "Named sets of sources, their versions, what changed, and who is told: feed, listener, webhook",
            ),
            (
                "records.md",
                "Context records: what the model was shown, what was left out, and why",
            ),
            ("provenance.md", "Stamps of facts that show any change"),
        ],
    ),
    (
        "Trust it",
        &[
            (
                "privacy.md",
                "What leaves the machine, to whom, what is stored, and what never is",
            ),
            (
                "specification.md",
                "The FreshContext Specification, sentence by sentence, and the decay classes",
            ),
            (
                "sources-checked.md",
                "What each route is known from, and what is read less well",
            ),
            (
                "faults.md",
                "What may go wrong, what must hold then, and the tests that hold it",
            ),
            (
                "protocol.md",
                "What the protocol recommends to servers, and the tests that hold it",
            ),
            (
                "benchmarks.md",
                "Speed, memory and start, beside the reference server",
            ),
        ],
    ),
    (
        "Work on it",
        &[
            (
                "STYLE.md",
                "How comments, documentation, messages and names are written",
            ),
            (
                "../ARCHITECTURE.md",
                "The crates, the way of a call, and the decisions",
            ),
            ("../CONTRIBUTING.md", "How to build, test and add a source"),
        ],
    ),
];

/// Returns the index. Fails where a page has no line, or a line has no page; `generated` are pages that are about to be written.
pub fn page(root: &Path, generated: &[(String, String)]) -> Result<String, String> {
    let docs = root.join("docs");
    let listed: Vec<&str> = PAGES
        .iter()
        .flat_map(|(_, pages)| pages.iter().map(|(file, _)| *file))
        .collect();
    let is_made = |file: &str| generated.iter().any(|(name, _)| *name == format!("docs/{file}"));
    for file in &listed {
        if !docs.join(file).is_file() && !is_made(file) {
            return Err(format!(
                "crates/xtask/src/index.rs lists docs/{file}, which does not exist"
            ));
        }
    }
    let entries = std::fs::read_dir(&docs).map_err(|error| format!("docs: {error}"))?;
    let mut found = Vec::new();
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        found.push(if entry.path().is_dir() {
            format!("{name}/README.md")
        } else {
            name
        });
    }
    found.retain(|name| docs.join(name).is_file());
    if let Some(name) = unlisted(&listed, &found) {
        return Err(format!("docs/{name} has no line in crates/xtask/src/index.rs"));
    }
    let mut out = "# Documentation\n\nThe [README](../README.md) says what FreshContext is and how to install it. Everything else, a line each:\n".to_owned();
    for (group, pages) in PAGES {
        // Writing to a String cannot fail.
        let _ = write!(out, "\n## {group}\n\n");
        for (file, tells) in pages {
            let name = file.trim_start_matches("../").trim_end_matches("/README.md");
            let _ = writeln!(out, "- [{}]({file}): {tells}", name.trim_end_matches(".md"));
        }
    }
    Ok(out)
}

/// The first page without a line.
fn unlisted<'f>(listed: &[&str], found: &'f [String]) -> Option<&'f String> {
    let is_page =
        |name: &str| name != "README.md" && Path::new(name).extension().is_some_and(|end| end == "md");
    found
        .iter()
        .find(|name| is_page(name) && !listed.contains(&name.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_without_a_line_is_found() {
        let found = ["README.md", "tools.md", "pictures.png", "answers/README.md"].map(str::to_owned);
        assert_eq!(unlisted(&["tools.md", "answers/README.md"], &found), None);
        assert_eq!(
            unlisted(&["tools.md"], &found),
            Some(&"answers/README.md".to_owned())
        );
        assert_eq!(
            unlisted(&["answers/README.md"], &found),
            Some(&"tools.md".to_owned())
        );
    }
}
