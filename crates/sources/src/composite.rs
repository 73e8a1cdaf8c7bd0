//! Composite tools: a plan maps the arguments to calls of other tools.

use freshcontext_contract::{Identity, SourceError};
use serde_json::{Map, Value};

/// A tool that calls several sources at once. Constant data and two pure functions.
#[derive(Debug)]
pub struct Composite {
    /// MCP tool name, for example `extract_landscape`.
    pub tool: &'static str,
    /// Adapter id, for example `landscape`. Also names the decay class in the core's table.
    pub id: &'static str,
    /// Tool title for people.
    pub title: &'static str,
    /// Tool description for the model. At most 400 characters.
    pub description: &'static str,
    /// Valid arguments, as the text of a JSON object.
    pub example: &'static str,
    /// The schema of the arguments: one plain object.
    pub input_schema: fn() -> Value,
    /// Validates the arguments and plans the calls. Makes no request.
    pub plan: fn(Map<String, Value>) -> Result<Plan, SourceError>,
}

/// Plan of a composite call.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The query, for the heading.
    pub query: String,
    /// The calls, in the order of the sections.
    pub sections: Vec<PartCall>,
    /// Sections that score less than this show a warning in place of their content (0 to 100).
    pub min_score: Option<f64>,
    /// Nothing later than this in any section, as the caller wrote it.
    pub as_of: Option<Value>,
    /// Maximum length of the whole answer's content, in characters.
    pub max_length: usize,
    /// Notes for the reader about how the arguments were interpreted.
    pub notes: Vec<String>,
    /// What is to be settled before any source is asked: which company is meant.
    pub identify: Option<Identify>,
    /// The name of the company that is asked about.
    pub company: Option<String>,
    /// Whether the head says what each section was taken for: where a name is asked about, which may be of several things.
    pub says_subjects: bool,
}

/// Which company is meant, and what follows from it.
#[derive(Debug, Clone)]
pub struct Identify {
    /// The tool of the register that knows.
    pub tool: &'static str,
    /// The name given.
    pub name: Option<String>,
    /// The ticker given.
    pub ticker: Option<String>,
    /// Plans anew from what the register says. Where it could not be read, the plan stays as it is.
    pub then: fn(&mut Plan, &Identify, &Identity),
}

impl PartialEq for Identify {
    fn eq(&self, other: &Self) -> bool {
        (self.tool, &self.name, &self.ticker) == (other.tool, &other.name, &other.ticker)
    }
}

/// One section: a call of a source's tool.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PartCall {
    /// The tool's name.
    pub tool: &'static str,
    /// Heading of the section.
    pub label: String,
    /// Arguments of the call.
    pub arguments: Map<String, Value>,
    /// Why the source is not called, if the arguments cannot form its query. The section keeps its heading
    /// and reports the reason.
    pub skipped: Option<String>,
    /// The words that it searches for as they are, whatever they mean.
    pub words: Option<String>,
    /// The composite's own argument that the question is from, for errors; else its first one.
    pub from: Option<&'static str>,
}

impl PartCall {
    /// A call with one argument.
    pub fn ask(tool: &'static str, label: &str, argument: &str, value: &str) -> Self {
        let arguments = Map::from_iter([(argument.to_owned(), Value::from(value))]);
        Self {
            tool,
            label: label.to_owned(),
            arguments,
            skipped: None,
            words: None,
            from: None,
        }
    }

    /// A section without a call, with the reason.
    pub fn skip(tool: &'static str, label: &str, reason: &str) -> Self {
        Self {
            tool,
            label: label.to_owned(),
            arguments: Map::new(),
            skipped: Some(reason.to_owned()),
            words: None,
            from: None,
        }
    }
}
