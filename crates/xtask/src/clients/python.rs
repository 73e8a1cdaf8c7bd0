//! The client in Python: one module over the standard library.

use std::fmt::Write as _;

use super::shapes::{Field, Shape, camel};
use super::{GENERATED, Interface};

const HEAD: &str = r#"
"""A thin, typed client of FreshContext's REST interface. It needs Python 3.11 and nothing else."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any, Literal, NotRequired, TypedDict, cast

"#;

const CLIENT: &str = r#"

class FreshContextError(Exception):
    """A refused request or a failed call: the problem (RFC 9457), and the status of the response."""

    def __init__(self, status: int, problem: dict[str, Any]) -> None:
        super().__init__(problem.get("detail") or f"status {status}")
        self.status = status
        self.problem = problem

    @property
    def code(self) -> str | None:
        """The error code, for example `rate_limited`."""
        return self.problem.get("code")


class FreshContext:
    """One server. `token` is sent as a bearer token; `timeout` is in seconds."""

    def __init__(
        self, base: str = "http://127.0.0.1:8787", token: str | None = None, timeout: float = 120
    ) -> None:
        self.base = base.rstrip("/")
        self.token = token
        self.timeout = timeout

    def _send(self, method: str, path: str, body: Any, accept: str) -> str:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Accept": accept, "Content-Type": "application/json"}
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        request = urllib.request.Request(self.base + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=self.timeout) as response:
                return cast(bytes, response.read()).decode()
        except urllib.error.HTTPError as error:
            text = error.read().decode(errors="replace")
            try:
                problem = json.loads(text)
            except ValueError:
                problem = {"status": error.code, "detail": text}
            raise FreshContextError(error.code, problem) from None

    def _json(self, method: str, path: str, body: Any = None) -> Any:
        return json.loads(self._send(method, path, body, "application/json"))

    def text(self, tool: str, arguments: Any) -> str:
        """The answer of a tool as text, as a model reads it."""
        return self._send("POST", f"/v1/tools/{tool}", arguments, "text/plain")
"#;

/// Writes the module.
pub(super) fn module(interface: &Interface) -> String {
    let mut out = format!("# {GENERATED}{HEAD}");
    let mut types = Types::default();
    for (name, shape) in &interface.types {
        types.define(name, shape);
    }
    let mut methods = String::new();
    for call in &interface.calls {
        let input = call
            .input
            .as_ref()
            .map(|shape| types.word(&format!("{}Arguments", camel(&call.id)), shape));
        let output = types.word(&format!("{}Answer", camel(&call.id)), &call.output);
        let (parameter, argument) = match &input {
            Some(input) => (format!(", arguments: {input}"), ", arguments"),
            None => (String::new(), ""),
        };
        let text = if call.has_text { " Its text: `text`." } else { "" };
        // Writing to a String cannot fail.
        let _ = write!(
            methods,
            "\n    def {}(self{parameter}) -> {output}:\n        \"\"\"{}.{text}\"\"\"\n        return cast({output:?}, \
             self._json({:?}, {:?}{argument}))\n",
            call.id, call.summary, call.method, call.path
        );
    }
    out.push_str(types.defined.trim_end());
    out.push('\n');
    out.push_str(CLIENT);
    out.push_str(&methods);
    out
}

/// Types that have been defined so far: a nested object has a name of its own.
#[derive(Default)]
struct Types {
    defined: String,
}

impl Types {
    fn define(&mut self, name: &str, shape: &Shape) {
        match shape {
            Shape::Fields(fields) => self.object(name, fields),
            other => {
                let word = self.word(&format!("{name}Value"), other);
                let _ = writeln!(self.defined, "{name} = {word}\n");
            }
        }
    }

    fn object(&mut self, name: &str, fields: &[Field]) {
        let mut lines = String::new();
        for field in fields {
            let word = self.word(&format!("{name}{}", camel(&field.name)), &field.shape);
            let word = if field.is_required {
                word
            } else {
                format!("NotRequired[{word}]")
            };
            if let Some(about) = &field.about {
                let _ = writeln!(lines, "        # {about}");
            }
            let _ = writeln!(lines, "        {:?}: {word:?},", field.name);
        }
        let _ = writeln!(
            self.defined,
            "{name} = TypedDict(\n    {name:?},\n    {{\n{lines}    }},\n)\n"
        );
    }

    /// The type in words; an object is defined under `name`.
    fn word(&mut self, name: &str, shape: &Shape) -> String {
        match shape {
            Shape::Any => "Any".to_owned(),
            Shape::Null => "None".to_owned(),
            Shape::Boolean => "bool".to_owned(),
            Shape::Integer => "int".to_owned(),
            Shape::Number => "float".to_owned(),
            Shape::Text => "str".to_owned(),
            Shape::Words(words) => {
                let words: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
                format!("Literal[{}]", words.join(", "))
            }
            Shape::List(item) => format!("list[{}]", self.word(&format!("{name}Item"), item)),
            Shape::Fields(fields) => {
                self.object(name, fields);
                name.to_owned()
            }
            Shape::Map => "dict[str, Any]".to_owned(),
            Shape::Named(name) => name.clone(),
            Shape::Either(branches) => {
                let words: Vec<String> = branches
                    .iter()
                    .enumerate()
                    .map(|(at, branch)| self.word(&format!("{name}{}", at + 1), branch))
                    .collect();
                words.join(" | ")
            }
        }
    }
}
