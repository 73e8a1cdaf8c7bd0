//! Definition of a deliverable.

use std::collections::BTreeSet;
use std::fmt::{self, Write as _};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::template::{repeated_slot, unknown_slot};
use crate::{NAME_CHARS, RECIPIENTS, SOURCES, TEMPLATE_BYTES, WORDS_CHARS};

/// Policy for a source that cannot be checked or synced.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnUnchecked {
    /// No version is generated.
    #[default]
    Refuse,
    /// The items of the last sync are used with their age, evaluated at the current time.
    UseLast,
    /// The source is left out, which the version reports.
    LeaveOut,
}

impl OnUnchecked {
    /// All policies.
    pub const ALL: [Self; 3] = [Self::Refuse, Self::UseLast, Self::LeaveOut];

    /// Returns the name in arguments and results.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Refuse => "refuse",
            Self::UseLast => "use_last",
            Self::LeaveOut => "leave_out",
        }
    }
}

/// A tool with its arguments: one resource.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Source {
    /// The tool.
    pub tool: String,
    /// Its arguments, sorted by name.
    pub arguments: Map<String, Value>,
}

impl Source {
    /// Sorts the arguments and removes null values.
    pub fn new(tool: String, arguments: &Map<String, Value>) -> Self {
        let mut sorted: Vec<(&String, &Value)> =
            arguments.iter().filter(|(_, value)| !value.is_null()).collect();
        sorted.sort_by_key(|(name, _)| *name);
        let arguments = sorted
            .into_iter()
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        Self { tool, arguments }
    }

    /// Returns the canonical resource: the tool, a space, and the arguments as JSON.
    pub fn resource(&self) -> String {
        let arguments = serde_json::to_string(&self.arguments).unwrap_or_default();
        format!("{} {arguments}", self.tool)
    }

    /// Returns the resource in words: `search_jobs query="rust engineer" remote_only=true`.
    pub fn words(&self) -> String {
        let mut out = self.tool.clone();
        for (name, value) in &self.arguments {
            let plain =
                |text: &&str| !text.is_empty() && !text.contains(|c: char| c.is_whitespace() || c == '"');
            let value = value
                .as_str()
                .filter(plain)
                .map_or_else(|| value.to_string(), str::to_owned);
            // Writing to a String cannot fail.
            let _ = write!(out, " {name}={value}");
        }
        out
    }
}

/// A stored deliverable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Definition {
    /// Its sources, in the given order.
    pub sources: Vec<Source>,
    /// Profile for the evaluation of its items.
    pub profile: String,
    /// Intended use of the items.
    pub intent: String,
    /// Query in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Token budget of a version.
    pub max_tokens: u64,
    /// Policy for a source that cannot be checked.
    pub on_unchecked: OnUnchecked,
    /// Writing style; stored and returned unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub style: Option<String>,
    /// Markdown template of a version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// Recipients; stored and returned unchanged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recipients: Vec<String>,
}

/// Error in a definition: the field and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// The field.
    pub field: &'static str,
    /// Reason, phrased to follow the field's name.
    pub problem: String,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", self.field, self.problem)
    }
}

impl std::error::Error for Wrong {}

fn wrong(field: &'static str, problem: impl Into<String>) -> Wrong {
    Wrong {
        field,
        problem: problem.into(),
    }
}

/// Checks the name of a deliverable, which appears in addresses and file names.
pub fn check_name(name: &str) -> Result<(), Wrong> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if name.is_empty() || name.chars().count() > NAME_CHARS || !name.chars().all(allowed) {
        let problem = format!("must be 1 to {NAME_CHARS} letters, digits, - and _");
        return Err(wrong("name", problem));
    }
    Ok(())
}

impl Definition {
    /// Checks everything that does not depend on the tools.
    pub fn check(&self) -> Result<(), Wrong> {
        if self.sources.is_empty() || self.sources.len() > SOURCES {
            return Err(wrong("sources", format!("must be 1 to {SOURCES}")));
        }
        let mut seen = BTreeSet::new();
        if let Some(twice) = self.sources.iter().find(|source| !seen.insert(source.resource())) {
            return Err(wrong("sources", format!("has `{}` twice", twice.words())));
        }
        if self.recipients.len() > RECIPIENTS {
            return Err(wrong("recipients", format!("must be at most {RECIPIENTS}")));
        }
        let texts = self.style.iter().chain(&self.recipients);
        if texts.into_iter().any(|text| text.chars().count() > WORDS_CHARS) {
            let problem = format!("and each recipient may have {WORDS_CHARS} characters");
            return Err(wrong("style", problem));
        }
        let Some(template) = &self.template else {
            return Ok(());
        };
        if template.len() > TEMPLATE_BYTES {
            return Err(wrong(
                "template",
                format!("must have at most {TEMPLATE_BYTES} bytes"),
            ));
        }
        if let Some(slot) = unknown_slot(template) {
            return Err(wrong("template", format!("has the unknown part {{{{{slot}}}}}")));
        }
        if let Some(slot) = repeated_slot(template) {
            let problem = format!("has {{{{{slot}}}}} twice; each part may stand once");
            return Err(wrong("template", problem));
        }
        if !template.contains("{{blocks}}") {
            return Err(wrong("template", "lacks {{blocks}}, where the items go"));
        }
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use serde_json::json;

    use super::*;

    pub(crate) fn source(tool: &str) -> Source {
        Source::new(tool.to_owned(), &Map::new())
    }

    pub(crate) fn definition(sources: Vec<Source>) -> Definition {
        Definition {
            sources,
            profile: "local_custom".to_owned(),
            intent: "developer_adoption".to_owned(),
            query: None,
            max_tokens: crate::MAX_TOKENS,
            on_unchecked: OnUnchecked::Refuse,
            style: None,
            template: None,
            recipients: Vec::new(),
        }
    }

    #[test]
    fn a_resource_does_not_depend_on_the_order_of_its_arguments() {
        let read = |value: Value| match value {
            Value::Object(map) => Source::new("a".to_owned(), &map),
            _ => source("a"),
        };
        let one = read(json!({"b": 1, "a": "x", "c": null}));
        assert_eq!(one, read(json!({"a": "x", "b": 1})));
        assert_eq!(one.resource(), r#"a {"a":"x","b":1}"#);
        assert_eq!(one.words(), "a a=x b=1");
        assert_eq!(read(json!({"a": "x y"})).words(), r#"a a="x y""#);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let with = |change: fn(&mut Definition)| {
            let mut definition = definition(vec![source("a")]);
            change(&mut definition);
            definition.check().map_err(|wrong| wrong.field)
        };
        assert_eq!(with(|_| ()), Ok(()));
        assert_eq!(with(|all| all.sources.clear()), Err("sources"));
        assert_eq!(with(|all| all.sources.push(source("a"))), Err("sources"));
        assert_eq!(with(|all| all.template = Some("# {{blocks}}".to_owned())), Ok(()));
        assert_eq!(
            with(|all| all.template = Some("# {{items}}".to_owned())),
            Err("template")
        );
        assert_eq!(
            with(|all| all.template = Some("no items".to_owned())),
            Err("template")
        );
        let mut twice = definition(vec![source("a")]);
        twice.template = Some("{{blocks}} {{name}} {{ name }}".to_owned());
        let wrong = twice.check().unwrap_err();
        assert_eq!(
            wrong.to_string(),
            "`template` has {{name}} twice; each part may stand once"
        );
        assert_eq!(with(|all| all.style = Some("x".repeat(501))), Err("style"));
        assert!(check_name("job-search_2").is_ok());
        for bad in ["", "a b", "../a", "é", &"a".repeat(65)] {
            assert!(check_name(bad).is_err(), "{bad}");
        }
    }
}
