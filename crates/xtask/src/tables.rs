//! Tables and pages generated from the descriptors.

use std::fmt::Write as _;

use freshcontext_contract::{Apply, Descriptor, Hosts, Key, Refetch};
use freshcontext_core::decay::{Band, CLASSES, DEFAULT_LAMBDA, half_life_words};
use freshcontext_spec::specification::{self, says};
use serde_json::Value;

fn key(descriptor: &Descriptor) -> String {
    let names: Vec<String> = descriptor
        .distinct_credentials()
        .into_iter()
        .filter_map(|credential| {
            let name = credential.env.first()?;
            Some(match credential.apply {
                Apply::ClientCredentials { secret_env, .. } => format!("`{name}` and `{secret_env}`"),
                _ => format!("`{name}`"),
            })
        })
        .collect();
    match descriptor.key() {
        Key::None => "none".to_owned(),
        Key::Optional => format!("optional: {}", names.join(", ")),
        Key::Required => format!("required: {}", names.join(", ")),
    }
}

/// Returns the README's table with a row per tool.
pub fn readme_tools() -> String {
    let mut out =
        String::from("| tool | what it answers | key | where dates come from |\n| --- | --- | --- | --- |\n");
    for adapter in freshcontext_sources::adapters() {
        let facts = adapter.descriptor();
        let _ = writeln!(
            out,
            "| `{}` | {} | {} | {} |",
            facts.tool,
            cell(facts.description),
            key(facts),
            cell(facts.dates)
        );
    }
    for composite in freshcontext_sources::composites() {
        let _ = writeln!(
            out,
            "| `{}` | {} | as its sources | each section has its own |",
            composite.tool,
            cell(composite.description)
        );
    }
    out.push_str("| `evaluate_context` | Judges context that you already hold; fetches nothing. | none | the signals' own |\n");
    out
}

/// Returns the evidence behind each route of a source, for its README.
pub fn founding(facts: &Descriptor) -> String {
    facts.routes.iter().fold(String::new(), |mut out, route| {
        let _ = writeln!(out, "- `{}`: {}", route.id, route.founding.words());
        out
    })
}

/// Returns docs/tools.md with a section per tool.
pub fn tools_page() -> String {
    let mut out = String::from(
        "# Tools\n\nGenerated from the sources' descriptors by `cargo xtask generate`; do not edit.\n\
         Every answer is a FreshContext envelope as text and the same as structured content.\n",
    );
    for adapter in freshcontext_sources::adapters() {
        let facts = adapter.descriptor();
        let _ = write!(
            out,
            "\n## {} (`{}`)\n\n{}\n\n",
            facts.tool, facts.id, facts.description
        );
        let _ = write!(out, "Example: `{}`\n\n", facts.example);
        arguments(&mut out, &adapter.input_schema());
        let _ = writeln!(out, "\n- Dates: {}", facts.dates);
        let _ = writeln!(out, "- Key: {}", key(facts));
        for credential in facts.distinct_credentials() {
            let _ = writeln!(
                out,
                "  - `{}`: {}",
                credential.env.join("` or `"),
                credential.obtain
            );
        }
        let interface = if facts.official {
            "the publisher's own interfaces"
        } else {
            "public pages or feeds"
        };
        let _ = writeln!(
            out,
            "- Reads {interface} at {}{}",
            facts.hosts.named().join(", "),
            match facts.hosts {
                Hosts::Fixed(_) => "",
                Hosts::PublicWeb(_) => ", and pages that the caller names",
            }
        );
        if !facts.routes.is_empty() {
            out.push_str("- Routes, in this order:\n");
            for route in facts.routes {
                let needs = route
                    .needs
                    .map(|env| format!(" (needs `{env}`)"))
                    .unwrap_or_default();
                let _ = writeln!(out, "  - `{}`: {}{needs}", route.id, route.about);
                let _ = writeln!(out, "    - Standing: {}", crate::standings::of_route(route));
                let _ = writeln!(out, "    - As of: {}", crate::earlier::of_route(route.as_of));
            }
        }
        for rate in facts.rates {
            let pace = rate.pace;
            let _ = writeln!(
                out,
                "- Pace: {}{}: {} per {} s, {} at once ([published]({}))",
                rate.host,
                rate.path,
                pace.requests,
                pace.per.as_secs(),
                rate.in_flight,
                rate.link
            );
        }
        let _ = writeln!(out, "- Terms: {}", facts.terms);
        let _ = writeln!(
            out,
            "- Recheck: {} (see [below](#recheck))",
            facts.peek.question.words()
        );
    }
    for composite in freshcontext_sources::composites() {
        let _ = write!(
            out,
            "\n## {} (`{}`)\n\n{}\n\n",
            composite.tool, composite.id, composite.description
        );
        let _ = write!(out, "Example: `{}`\n\n", composite.example);
        arguments(&mut out, &(composite.input_schema)());
    }
    out.push_str("\n## evaluate_context\n\nJudges context that you already hold; fetches nothing. [evaluate.md](evaluate.md) has the rules, with ten examples.\n\n");
    arguments(&mut out, &freshcontext_core::evaluate::input_schema());
    out.push_str(
        "\n## recheck\n\nOnly with the toolset `time` (`--toolset time`); see [time.md](time.md). What each source is \
         asked first, and\nwhat its answers are lists of:\n\n",
    );
    out.push_str("| tool | cheap question | what is asked | what it can tell | its answer is |\n| --- | --- | --- | --- | --- |\n");
    for adapter in freshcontext_sources::adapters() {
        let facts = adapter.descriptor();
        let peek = facts.peek;
        let _ = writeln!(
            out,
            "| `{}` | {} | {} | {} | {} |",
            facts.tool,
            peek.question.words(),
            cell(peek.asks),
            cell(peek.tells),
            peek.listing.words()
        );
    }
    let references = freshcontext_lookup::check_references_tool();
    let _ = write!(
        out,
        "\n## {}\n\nOnly with the toolset `references`; see [references.md](references.md). {}\n\nExample: `{}`\n\n",
        references.name, references.description, references.example
    );
    arguments(&mut out, &references.input_schema);
    out.push_str("\nRegistries that no other tool asks:\n\n| registry | hosts | limits kept | dates | terms |\n| --- | --- | --- | --- | --- |\n");
    for facts in freshcontext_lookup::descriptors() {
        let limits: Vec<String> = facts
            .rates
            .iter()
            .map(|rate| format!("{} in {} s", rate.pace.requests, rate.pace.per.as_secs()))
            .collect();
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} |",
            facts.title,
            facts.hosts.named().join(", "),
            limits.join(", "),
            cell(facts.dates),
            cell(facts.terms)
        );
    }
    out.push_str(
        "\n## Deliverables\n\nOnly with the toolset `time`; see [deliverables.md](deliverables.md). They are defined on the \
         command line.\n",
    );
    for tool in freshcontext_follow::deliverable_tools() {
        let kind = if tool.writes() { "writes" } else { "read-only" };
        let _ = write!(out, "\n### {} ({kind})\n\n{}\n\n", tool.name, tool.description);
        let _ = write!(out, "Example: `{}`\n\n", tool.example);
        arguments(&mut out, &tool.input_schema);
    }
    out
}

fn arguments(out: &mut String, schema: &Value) {
    let required: Vec<&str> = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    out.push_str("| argument | type | about |\n| --- | --- | --- |\n");
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let kind = property["type"].as_str().unwrap_or("any");
        let mut about = property["description"].as_str().unwrap_or_default().to_owned();
        if let Some(values) = property["enum"].as_array() {
            let values: Vec<&str> = values.iter().filter_map(Value::as_str).collect();
            let _ = write!(about, ": {}", values.join(", "));
        }
        let bounds: Vec<String> = [
            ("default", "default"),
            ("minimum", "at least"),
            ("maximum", "at most"),
        ]
        .iter()
        .filter_map(|(key, word)| Some(format!("{word} {}", property.get(key)?)))
        .collect();
        if !bounds.is_empty() {
            let _ = write!(about, " ({})", bounds.join(", "));
        }
        let must = if required.contains(&name.as_str()) {
            ", required"
        } else {
            ""
        };
        let _ = writeln!(out, "| `{name}` | {kind}{must} | {} |", cell(&about));
    }
}

/// Returns docs/configuration.md.
pub fn configuration_page() -> String {
    let mut out = String::from(
        "# Configuration\n\nGenerated from the settings table by `cargo xtask generate`; do not edit.\n\n",
    );
    out.push_str(&freshcontext_config::settings_markdown());
    out.push_str("\n## Keys\n\nRead from the environment, sent to their own host only, never logged.\n\n");
    out.push_str("| name | for | where to get it |\n| --- | --- | --- |\n");
    for adapter in freshcontext_sources::adapters() {
        let facts = adapter.descriptor();
        for credential in facts.credentials {
            let _ = writeln!(
                out,
                "| `{}` | {} ({}) | {} |",
                credential.env.join("` or `"),
                facts.id,
                credential.host,
                cell(credential.obtain)
            );
        }
    }
    out
}

/// Returns the README's line about the specification.
pub fn readme_specification() -> String {
    format!(
        "Implements the {} {}: the envelope, the JSON form and its levels, and the decay classes of\n\
         [docs/specification.md](docs/specification.md). `freshcontext version` says so, too.\n",
        specification::NAME,
        specification::VERSION
    )
}

/// Returns docs/specification.md: the implemented specification and its numbers.
pub fn specification_page() -> String {
    let mut out = format!(
        "# The specification\n\nGenerated from the tables of `crates/core` by `cargo xtask generate`; do not edit.\n\n\
         This server implements version {} of the {} and checks responses, its own and others', against it\n\
         (`freshcontext validate`).\n\n## Levels\n\n| level | what the specification says |\n| --- | --- |\n",
        specification::VERSION,
        specification::NAME
    );
    for (level, sentence) in [
        ("aware", says::AWARE),
        ("compatible, as text", says::ENVELOPE),
        ("compatible, as JSON", says::JSON_FORM),
        ("scored", says::SCORED),
        ("scored, as JSON", says::FULL_FORM),
    ] {
        let _ = writeln!(out, "| {level} | {} |", cell(sentence));
    }
    out.push_str(
        "\nFor every level that a response does not reach, `freshcontext validate` names what is missing or wrong, and \
         the\nsentence that asks for it. What is missing is no fault: a response with `retrieved_at` alone is *aware*.\n\n\
         ## Decay\n\n`score = 100 * e^(-rate * hours)`, from publication to retrieval, rounded; `decay_rate` in every \
         JSON answer is the rate\nper hour. `freshcontext decay` prints the table with the rates in force; the setting \
         `decay` changes them.\n\n| class | rate per hour | half-life | sources |\n| --- | ---: | --- | --- |\n",
    );
    for class in CLASSES {
        let sources: Vec<String> = class.sources().map(|source| format!("`{source}`")).collect();
        let (rate, half_life) = (class.lambda, half_life_words(class.lambda));
        let _ = writeln!(
            out,
            "| {} | {rate} | {half_life} | {} |",
            class.name,
            sources.join(", ")
        );
    }
    let _ = writeln!(
        out,
        "| (any other) | {DEFAULT_LAMBDA} | {} | source types that no class names |",
        half_life_words(DEFAULT_LAMBDA)
    );
    out.push_str(
        "\nReference text is this project's class; the other eight are the specification's. Under the profile `local_custom` \
         what has\nno `source_type` ages as reference text.\n",
    );
    out.push_str("\n| score | band |\n| --- | --- |\n");
    for (range, score) in [
        ("90 to 100", 90),
        ("70 to 89", 70),
        ("50 to 69", 50),
        ("below 50", 0),
    ] {
        let _ = writeln!(out, "| {range} | {} |", Band::of(score).as_str());
    }
    out.push_str("\nWithout a reliable date there is no score.\n");
    out
}

/// Escapes a text for a Markdown table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

/// The generated part of the core: which decay class each source has.
pub fn decay_table() -> String {
    let rows = sources()
        .into_iter()
        .map(|facts| format!("(\"{}\", Decay::{:?})", facts.id, facts.decay));
    table(
        "freshcontext_contract::Decay",
        "Id of a source, and its class.",
        "pub(super) const SOURCES: [(&str, Decay)",
        &rows.collect::<Vec<_>>(),
    )
}

/// The generated part of the budget: which call fetches an item of each source again.
pub fn refetch_table() -> String {
    let way = |way: Refetch| match way {
        // A list prints without the sign of a reference, which a constant needs.
        Refetch::Address(argument, hosts) => format!("Address({argument:?}, &{hosts:?})"),
        other => format!("{other:?}"),
    };
    let rows = sources().into_iter().map(|facts| {
        format!(
            "(\"{}\", \"{}\", Refetch::{})",
            facts.id,
            facts.tool,
            way(facts.refetch)
        )
    });
    table(
        "freshcontext_contract::Refetch",
        "Id of a source, its tool, and how the tool is asked for one item again.",
        "pub(crate) const SOURCES: [(&str, &str, Refetch)",
        &rows.collect::<Vec<_>>(),
    )
}

/// The descriptors by id: the order of the registry is of no meaning.
fn sources() -> Vec<&'static Descriptor> {
    let mut all: Vec<&Descriptor> = freshcontext_sources::adapters()
        .iter()
        .map(|adapter| adapter.descriptor())
        .collect();
    all.sort_by_key(|facts| facts.id);
    all
}

fn table(used: &str, about: &str, head: &str, rows: &[String]) -> String {
    format!(
        "//! Made by `cargo xtask generate` from the descriptors of the sources.\n\nuse {used};\n\n/// {about}\n\
         #[rustfmt::skip]\n{head}; {}] = [\n    {},\n];\n",
        rows.len(),
        rows.join(",\n    ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_several_hosts_take_is_named_once() {
        for adapter in freshcontext_sources::adapters() {
            let facts = adapter.descriptor();
            let key = key(facts);
            let mut names: Vec<&str> = key.split('`').skip(1).step_by(2).collect();
            let all = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), all, "{}: {key}", facts.id);
        }
    }
}
