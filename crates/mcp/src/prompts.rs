//! Prompts for clients that show them as commands.

use rmcp::model::{
    ArgumentInfo, CacheScope, CompleteResult, CompletionInfo, ErrorData, GetPromptRequestParams,
    GetPromptResult, ListPromptsResult, Prompt, PromptArgument, PromptMessage, Reference, Role,
};
use serde_json::Value;

use freshcontext_contract::named;
use freshcontext_core::sanitize::clean_error;

/// Maximum length of an argument, in characters. A question is shorter; a document belongs into `evaluate_context`.
const ARGUMENT_CHARS: usize = 2_000;

/// An argument of a prompt.
struct Argument {
    name: &'static str,
    about: &'static str,
    /// Used where the argument is left out; `None` for a required argument.
    default: Option<&'static str>,
    /// Values to complete.
    values: &'static [&'static str],
}

/// A prompt. `{name}` in the text stands for an argument.
struct Template {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    arguments: &'static [Argument],
    text: &'static str,
}

const PERIODS: &[&str] = &["24 hours", "7 days", "30 days", "90 days", "12 months"];

const PROMPTS: [Template; 4] = [
    Template {
        name: "what_changed",
        title: "What changed",
        about: "What is new about a project, a company or a topic since a moment.",
        arguments: &[
            Argument {
                name: "subject",
                about: "A repository, a package, a company or a topic, for example rust-lang/rust",
                default: None,
                values: &[],
            },
            Argument {
                name: "since",
                about: "A period or a day, for example 30 days or 2026-11-01",
                default: Some("30 days"),
                values: PERIODS,
            },
        ],
        text: "Find out what changed about the subject below since the moment below. For a repository or a package use \
extract_changelog and package_trends, for a company extract_sec_filings and extract_company_landscape, else \
extract_landscape. Report only items whose publication date lies after that moment, newest first, each with its date, \
the confidence of the date and its source. List undated items apart. Name every call that failed.\n\n\
Subject: {subject}\nSince: {since}",
    },
    Template {
        name: "is_it_still_true",
        title: "Is it still true",
        about: "Whether a statement, an earlier answer or a document still stands.",
        arguments: &[
            Argument {
                name: "claim",
                about: "The statement to check, in a sentence",
                default: None,
                values: &[],
            },
            Argument {
                name: "source",
                about: "Where it comes from, if known: an address, a DOI, a package, or the id of an earlier answer",
                default: Some("unknown"),
                values: &[],
            },
        ],
        text: "Check whether the claim below still stands. If its source is the id of an earlier answer and the tool recheck \
is there, call it first. Else ask the tool of that source, and a second source of another origin. Look at the standing of \
each item: retracted, deprecated, removed, amended. Answer with one of: still true, no longer true, unclear. Give the newest \
evidence with its date, what it is older or newer than, and what could not be checked.\n\n\
Claim: {claim}\nSource: {source}",
    },
    Template {
        name: "brief_me",
        title: "Brief me",
        about: "A short briefing on a topic, with the age of every fact.",
        arguments: &[
            Argument {
                name: "topic",
                about: "The topic, for example WebAssembly on servers",
                default: None,
                values: &[],
            },
            Argument {
                name: "focus",
                about: "The kind of briefing",
                default: Some("technology"),
                values: &["technology", "idea", "company", "finance", "government"],
            },
        ],
        text: "Write a briefing of at most 300 words on the topic below. Call the landscape of the focus below: \
extract_landscape for technology, extract_idea_landscape for an idea, extract_company_landscape for a company, \
extract_finance_landscape for finance, extract_gov_landscape for government. Give every fact its date and source, put the \
newest first, say where origins disagree and how many there are, and end with what is stale, undated or failed.\n\n\
Topic: {topic}\nFocus: {focus}",
    },
    Template {
        name: "pick_a_library",
        title: "Pick a library",
        about: "A library for a need, by its present state rather than its fame.",
        arguments: &[
            Argument {
                name: "need",
                about: "What the library is to do, for example parse YAML and keep comments",
                default: None,
                values: &[],
            },
            Argument {
                name: "ecosystem",
                about: "Registry or language",
                default: Some("any"),
                values: &["crates.io", "npm", "PyPI"],
            },
        ],
        text: "Recommend a library for the need below. Find candidates with search_repos, then compare at most four of them \
with package_trends (latest version, cadence, downloads, vulnerabilities, deprecation) and extract_github (newest commit, \
open issues). Read extract_changelog of the best two. Answer with a table of dated facts, one recommendation with its \
reason, what would change it, and which candidates are deprecated or have known vulnerabilities.\n\n\
Need: {need}\nEcosystem: {ecosystem}",
    },
];

fn find(name: &str) -> Result<&'static Template, ErrorData> {
    let found = PROMPTS.iter().find(|prompt| prompt.name == name);
    found.ok_or_else(|| {
        let message = format!("there is no prompt {}", named(name));
        ErrorData::invalid_params(clean_error(&message), None)
    })
}

/// Returns the name of the prompt, if there is one of that name.
pub(crate) fn known(name: &str) -> Option<&'static str> {
    find(name).ok().map(|prompt| prompt.name)
}

/// Lists the prompts.
pub(crate) fn list(ttl_ms: u64) -> ListPromptsResult {
    let prompts = PROMPTS.iter().map(|prompt| {
        let arguments = prompt.arguments.iter().map(|argument| {
            PromptArgument::new(argument.name)
                .with_description(argument.about)
                .with_required(argument.default.is_none())
        });
        Prompt::new(prompt.name, Some(prompt.about), Some(arguments.collect())).with_title(prompt.title)
    });
    ListPromptsResult::with_all_items(prompts.collect())
        .with_ttl_ms(ttl_ms)
        .with_cache_scope(CacheScope::Public)
}

/// Returns a prompt with its arguments filled in.
pub(crate) fn get(request: &GetPromptRequestParams) -> Result<GetPromptResult, ErrorData> {
    let invalid = |message: String| ErrorData::invalid_params(clean_error(&message), None);
    let prompt = find(&request.name)?;
    let given = request.arguments.as_ref();
    if let Some(name) = given
        .into_iter()
        .flat_map(|given| given.keys())
        .find(|name| !prompt.arguments.iter().any(|argument| argument.name == *name))
    {
        return Err(invalid(format!(
            "{} has no argument {}",
            prompt.name,
            named(name)
        )));
    }
    let mut text = String::new();
    let mut rest = prompt.text;
    // In one pass, so that `{since}` in an argument stays as it is.
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, after)) = after.split_once('}') else {
            break;
        };
        text.push_str(before);
        rest = after;
        let argument = prompt.arguments.iter().find(|argument| argument.name == name);
        let default = argument.and_then(|argument| argument.default);
        let value = match given.and_then(|given| given.get(name)) {
            Some(Value::String(value)) if !value.trim().is_empty() => value.trim(),
            None | Some(Value::String(_)) => default.ok_or_else(|| {
                let about = argument.map_or("", |argument| argument.about);
                invalid(format!("`{name}` is required: {about}"))
            })?,
            Some(_) => return Err(invalid(format!("`{name}` must be a text"))),
        };
        if value.chars().count() > ARGUMENT_CHARS {
            return Err(invalid(format!(
                "`{name}` is longer than {ARGUMENT_CHARS} characters; pass documents to evaluate_context"
            )));
        }
        text.push_str(value);
    }
    text.push_str(rest);
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]).with_description(prompt.about))
}

/// Completes an argument of a prompt from its known values.
pub(crate) fn complete(reference: &Reference, typed: &ArgumentInfo) -> Result<CompleteResult, ErrorData> {
    let Reference::Prompt(reference) = reference else {
        let message = "arguments of prompts are completed; `ref` names something else";
        return Err(ErrorData::invalid_params(message, None));
    };
    let prompt = find(&reference.name)?;
    let argument = prompt
        .arguments
        .iter()
        .find(|argument| argument.name == typed.name);
    let argument = argument.ok_or_else(|| {
        let message = format!("{} has no argument {}", prompt.name, named(&typed.name));
        ErrorData::invalid_params(clean_error(&message), None)
    })?;
    let begins = typed.value.to_lowercase();
    let values = argument
        .values
        .iter()
        .filter(|value| value.to_lowercase().starts_with(&begins));
    let values = values.map(|value| (*value).to_owned()).collect();
    let found =
        CompletionInfo::with_all_values(values).map_err(|error| ErrorData::internal_error(error, None))?;
    Ok(CompleteResult::new(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_argument_is_in_the_text_and_described() {
        for prompt in &PROMPTS {
            assert!(
                prompt.arguments.iter().any(|argument| argument.default.is_none()),
                "{}",
                prompt.name
            );
            for argument in prompt.arguments {
                assert!(
                    prompt.text.contains(&format!("{{{}}}", argument.name)),
                    "{}",
                    argument.name
                );
                assert!(!argument.about.is_empty());
            }
            assert_eq!(
                prompt.text.matches('{').count(),
                prompt.arguments.len(),
                "{}",
                prompt.name
            );
        }
    }
}
