//! The generated parts of docs/evaluate.md: profiles, intents, and examples with what the tool really answers.

use std::fmt::Write as _;

use freshcontext_core::decay::half_life_words;
use freshcontext_core::evaluate::{
    Authority, DatePolicy, INTENTS, Options, PROFILES, Profile, evaluate_text,
};

/// Moment at which the examples are evaluated.
const NOW: &str = "2026-11-20T12:00:00Z";

/// An example: who asks, and the arguments as JSON.
struct Example {
    title: &'static str,
    about: &'static str,
    arguments: &'static str,
}

const EXAMPLES: [Example; 10] = [
    Example {
        title: "RAG over a manual",
        about: "Chunks of a manual as LangChain holds them, and a question. Reference text hardly ages, so the old page \
                leads; no scores are given, so relevance is the share of the question's words.",
        arguments: r#"{
  "query": "how do I rotate the signing key",
  "signals": [
    {"page_content": "To rotate the signing key, run keytool rotate.", "metadata": {"source": "manual/keys.md", "date": "2021-05-04"}},
    {"page_content": "Backups run every night.", "metadata": {"source": "manual/backup.md", "date": "2026-10-01"}}
  ]
}"#,
    },
    Example {
        title: "Search results",
        about: "Results of a search interface with its own relevance. The newer result is used first, although the older one \
                matches a little better.",
        arguments: r#"{
  "profile": "code_activity", "intent": "developer_adoption",
  "signals": [
    {"url": "https://example.com/old", "title": "Release 1.0", "source_type": "github", "score": 0.95, "published_date": "2024-01-10"},
    {"url": "https://example.com/new", "title": "Release 2.0", "source_type": "github", "score": 0.93, "published_date": "2026-11-10"}
  ]
}"#,
    },
    Example {
        title: "A job list",
        about: "Adverts age within days, and only current ones are of use.",
        arguments: r#"{
  "profile": "jobs_opportunities", "intent": "job_search",
  "signals": [
    {"source": "https://example.com/jobs/1", "title": "Rust engineer", "source_type": "jobs", "semantic_score": 0.9, "published_at": "2026-11-19"},
    {"source": "https://example.com/jobs/2", "title": "Rust developer", "source_type": "jobs", "semantic_score": 0.9, "published_at": "2026-10-01"}
  ]
}"#,
    },
    Example {
        title: "Quotes",
        about: "A price without a date cannot be used as a current one.",
        arguments: r#"{
  "profile": "market_finance", "intent": "market_watch",
  "signals": [
    {"source": "https://example.com/quotes/EXMP", "title": "EXMP: 120.50 USD", "source_type": "finance", "semantic_score": 0.95, "published_at": "2026-11-20T11:00:00Z"},
    {"source": "https://example.com/quotes/SMPL", "title": "SMPL: 3.10 USD", "source_type": "finance", "semantic_score": 0.95}
  ]
}"#,
    },
    Example {
        title: "Citations",
        about: "An intent that cites: a current official page is primary evidence, an old one supports.",
        arguments: r#"{
  "profile": "official_docs", "intent": "citation_check",
  "signals": [
    {"source": "https://example.org/spec", "title": "The specification", "semantic_score": 0.95, "published_at": "2026-11-18", "date_confidence": "high"},
    {"source": "https://example.org/draft", "title": "An early draft", "semantic_score": 0.9, "published_at": "2019-03-01", "date_confidence": "high"}
  ]
}"#,
    },
    Example {
        title: "Papers without a date",
        about: "A paper without a date needs verification, however well it matches.",
        arguments: r#"{
  "profile": "academic_research", "intent": "student_research",
  "signals": [
    {"source": "https://example.edu/paper", "title": "A survey", "source_type": "arxiv", "semantic_score": 1.0},
    {"source": "https://example.edu/other", "title": "A loosely related paper", "source_type": "arxiv", "semantic_score": 0.4}
  ]
}"#,
    },
    Example {
        title: "A failed retrieval",
        about: "An agent fetched two pages, and one of them is a block page. The text of a failure is excluded, whatever its score.",
        arguments: r#"{
  "profile": "company_intel", "intent": "business_due_diligence",
  "signals": [
    {"source": "https://example.com/about", "content": "Access denied. You do not have permission to access this resource.", "http_status": 403, "semantic_score": 0.9},
    {"source": "https://example.com/news", "title": "Example opens a plant", "content": "Example Corp opened a plant in Springfield.", "semantic_score": 0.8, "published_at": "2026-11-12"}
  ]
}"#,
    },
    Example {
        title: "Scores of a reranker",
        about: "Logits and BM25 scores are no shares. The batch is ranked by their order, and the notes say so.",
        arguments: r#"{
  "profile": "local_custom", "intent": "developer_adoption",
  "signals": [
    {"source": "notes/a.md", "title": "Deploying", "semantic_score": 7.2, "published_at": "2026-10-30"},
    {"source": "notes/b.md", "title": "Rolling back", "semantic_score": -3.1, "published_at": "2026-11-15"}
  ]
}"#,
    },
    Example {
        title: "The same story twice",
        about: "A wire story under another first line is named as nearly the same, and kept.",
        arguments: r#"{
  "profile": "social_pulse", "intent": "market_watch", "query": "harbour strike",
  "signals": [
    {"source": "https://example.com/a", "title": "Harbour strike ends", "published_at": "2026-11-20T08:00:00Z", "source_type": "hackernews",
     "content": "SPRINGFIELD. The harbour strike ended on Thursday after the union and the port agreed on a raise of four percent over two years, both sides said in a joint statement."},
    {"source": "https://example.net/b", "title": "Strike at the harbour is over", "published_at": "2026-11-20T09:00:00Z", "source_type": "hackernews",
     "content": "By our staff. The harbour strike ended on Thursday after the union and the port agreed on a raise of four percent over two years, both sides said in a joint statement."}
  ]
}"#,
    },
    Example {
        title: "A hand-off",
        about: "Context for another agent, within a budget. Each block that goes in says how old it is; see [budget.md](budget.md).",
        arguments: r#"{
  "profile": "multi_agent_handoff", "intent": "developer_adoption", "query": "upgrade the database",
  "budget": {"max_tokens": 400},
  "signals": [
    {"id": "runbook-7", "source": "runbooks/db.md", "source_type": "runbook", "title": "Upgrade the database", "content": "Stop writes, take a snapshot, upgrade, start.", "published_at": "2023-02-01"},
    {"id": "chat-1", "source": "chat/1", "title": "Lunch", "content": "Pizza on Friday.", "published_at": "2026-11-19"}
  ]
}"#,
    },
];

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

/// Returns the table of the profiles.
pub fn profiles() -> String {
    let decay = Options::default().decay;
    let row = |profile: &Profile| {
        let authority = match profile.authority {
            Authority::High => "yes",
            Authority::Medium => "no",
        };
        let policy = match profile.date_policy {
            DatePolicy::Strict => "strict",
            DatePolicy::Balanced => "balanced",
            DatePolicy::Lenient => "lenient",
        };
        let mut own = Vec::new();
        if profile.needs_current {
            own.push("undated, or below 50: `needs_refresh`");
        }
        if profile.unnamed_as != "default" {
            own.push("without `source_type`: ages as documentation");
        }
        format!(
            "| `{}` | {} | {authority} | {policy} ({}) | {} |",
            profile.id,
            half_life_words(decay.lambda(profile.decay_of)),
            profile.date_policy.freshness_weight(),
            own.join("; "),
        )
    };
    let rows: Vec<String> = PROFILES.iter().map(row).collect();
    format!(
        "| profile | half-life of its main kind | primary evidence | date policy (weight of freshness in a selection) | of its own |\n\
         | --- | --- | --- | --- | --- |\n{}",
        rows.join("\n")
    )
}

/// Returns the table of the intents.
pub fn intents() -> String {
    let rows: Vec<String> = INTENTS
        .iter()
        .map(|intent| {
            let cites = if intent.cites { "yes" } else { "no" };
            format!("| `{}` | {cites} | {} |", intent.id, intent.caveat.unwrap_or(""))
        })
        .collect();
    format!(
        "| intent | looks for something to cite | added to the answer |\n| --- | --- | --- |\n{}",
        rows.join("\n")
    )
}

/// Returns the examples, each with the arguments and a table of the results.
///
/// # Errors
/// If the tool refuses the arguments of an example.
pub fn examples() -> Result<String, String> {
    let now = NOW.parse().map_err(|error| format!("{NOW}: {error}"))?;
    let mut out = format!("All examples are evaluated at {NOW}.\n");
    for (at, example) in EXAMPLES.iter().enumerate() {
        let wrong = |error| format!("docs/evaluate.md, {}: {error}", example.title);
        let found = evaluate_text(example.arguments, now, &Options::default()).map_err(wrong)?;
        let _ = write!(
            out,
            "\n### {}. {}\n\n{}\n\n```json\n{}\n```\n\n| result | decision | freshness | why |\n| --- | --- | --- | --- |\n",
            at + 1,
            example.title,
            example.about,
            example.arguments
        );
        for verdict in &found.verdicts {
            let score = verdict
                .freshness_score
                .map_or_else(|| "unknown".to_owned(), |score| score.to_string());
            let why: Vec<&str> = verdict
                .why
                .iter()
                .chain(&verdict.warnings)
                .map(String::as_str)
                .collect();
            let _ = writeln!(
                out,
                "| {} | `{}` | {score} | {} |",
                cell(&verdict.title),
                verdict.decision.as_str(),
                cell(&why.join(" "))
            );
        }
        for note in &found.notes {
            let _ = writeln!(out, "\nNote: {}", cell(note));
        }
        if let Some(assembly) = &found.assembly {
            let _ = writeln!(out, "\n```text\n{}\n```", assembly.text.trim_end());
        }
    }
    Ok(out.trim_end().to_owned())
}
