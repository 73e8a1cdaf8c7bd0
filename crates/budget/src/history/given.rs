//! Where the list of messages stands in what was given.

use freshcontext_contract::SourceError;
use serde_json::Value;

use super::foreign;

/// JSON Pointers under which messages stand in requests, states and dumps; the first that is there.
const PATHS: [&str; 7] = [
    "/messages",
    "/input",
    "/contents",
    "/history",
    // LangChain's serialised prompt, a state of LangGraph, a request of MCP.
    "/kwargs/messages",
    "/values/messages",
    "/params/messages",
];

/// The list of messages and where it stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Given<'a> {
    pub messages: &'a [Value],
    /// JSON Pointer of the list.
    pub path: &'static str,
    /// The object that holds the list; a history that is a list itself.
    pub around: &'a Value,
}

impl<'a> Given<'a> {
    pub(super) fn read(history: &'a Value) -> Result<Self, SourceError> {
        let wrong = |field: String, problem: &str| SourceError::invalid_input(field, problem, super::EXAMPLE);
        let path = PATHS
            .into_iter()
            .find(|path| history.pointer(path).is_some())
            .unwrap_or_default();
        let list = history.pointer(path).unwrap_or(history);
        let name = || match path {
            "" => "history".to_owned(),
            path => path.trim_start_matches('/').replace('/', "."),
        };
        let messages = list.as_array().ok_or_else(|| {
            let foreign = foreign::name(history, &[]);
            foreign.map_or_else(|| wrong(name(), "must be a list of messages"), foreign::refusal)
        })?;
        // Rows of a dataset are no messages, though their ids look like references to items.
        if messages
            .iter()
            .any(|row| row.get("conversations").is_some_and(Value::is_array))
            && let Some(named) = foreign::name(history, messages)
        {
            return Err(foreign::refusal(named));
        }
        match messages.iter().position(|message| !message.is_object()) {
            Some(at) => Err(wrong(format!("messages[{at}]"), "must be an object")),
            None => Ok(Self {
                messages,
                path,
                around: path
                    .rsplit_once('/')
                    .and_then(|(parent, _)| history.pointer(parent))
                    .unwrap_or(history),
            }),
        }
    }

    /// What was given, with these messages.
    pub(super) fn with(&self, history: &Value, kept: Vec<Value>) -> Value {
        let mut out = history.clone();
        match out.pointer_mut(self.path) {
            Some(list) => *list = Value::Array(kept),
            None => out = Value::Array(kept),
        }
        out
    }
}
