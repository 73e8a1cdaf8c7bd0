//! Clients of the REST interface, generated from its description.

mod python;
mod shapes;
mod typescript;

use std::path::Path;

use freshcontext::app::App;
use freshcontext_config::{Settings, StoreMode};
use freshcontext_serve::http::openapi;
use serde_json::Value;

use shapes::Shape;

/// A method of a client.
#[derive(Debug)]
struct Call {
    /// Name in the description: `extract_hackernews`.
    id: String,
    method: &'static str,
    path: String,
    summary: String,
    input: Option<Shape>,
    output: Shape,
    /// Whether the answer can be had as text.
    has_text: bool,
}

/// What a client is made from.
#[derive(Debug)]
struct Interface {
    /// Named types, in the order of the description.
    types: Vec<(String, Shape)>,
    calls: Vec<Call>,
}

/// Returns the description of the interface with every tool on.
fn description() -> Result<Value, String> {
    let settings = Settings {
        toolsets: vec!["all".to_owned()],
        store: StoreMode::Memory,
        ..Settings::default()
    };
    let app = App::build(&settings, &[]).map_err(|error| error.to_string())?;
    Ok(openapi(app.engine.tools()))
}

/// Returns the generated files below `clients/`, by name.
pub fn files(_root: &Path) -> Result<Vec<(String, String)>, String> {
    let described = description()?;
    let interface = read(&described)?;
    let pretty = serde_json::to_string_pretty(&described).map_err(|error| error.to_string())?;
    Ok(vec![
        ("clients/openapi.json".to_owned(), pretty + "\n"),
        (
            "clients/python/freshcontext_client.py".to_owned(),
            python::module(&interface),
        ),
        (
            "clients/typescript/index.ts".to_owned(),
            typescript::module(&interface),
        ),
    ])
}

fn read(described: &Value) -> Result<Interface, String> {
    let object = |value: &'static str| {
        described
            .pointer(value)
            .and_then(Value::as_object)
            .ok_or_else(|| format!("the description has no {value}"))
    };
    let types = object("/components/schemas")?;
    let types = types
        .iter()
        .map(|(name, schema)| (shapes::camel(name), Shape::of(schema)))
        .collect();
    let mut calls = Vec::new();
    for (path, item) in object("/paths")? {
        for (method, word) in [("get", "GET"), ("post", "POST")] {
            let Some(operation) = item.get(method) else {
                continue;
            };
            let text = |name: &str| {
                let text = operation.get(name).and_then(Value::as_str);
                text.map(str::to_owned)
                    .ok_or_else(|| format!("{path} has no {name}"))
            };
            let content = |pointer: &str| operation.pointer(pointer).map(Shape::of);
            calls.push(Call {
                id: text("operationId")?,
                method: word,
                path: path.clone(),
                summary: text("summary")?,
                input: content("/requestBody/content/application~1json/schema"),
                output: content("/responses/200/content/application~1json/schema")
                    .ok_or_else(|| format!("{path} has no answer"))?,
                has_text: operation.pointer("/responses/200/content/text~1plain").is_some(),
            });
        }
    }
    Ok(Interface { types, calls })
}

/// The first line of a generated file, behind the sign of a comment.
const GENERATED: &str = "Generated from the server's description by `cargo xtask generate`; edits are lost.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_field_changes_both_clients() {
        let mut described = description().unwrap();
        let made = |described: &Value| {
            let interface = read(described).unwrap();
            (python::module(&interface), typescript::module(&interface))
        };
        let before = made(&described);
        let types = described
            .pointer_mut("/components/schemas/Inspection/properties")
            .unwrap();
        let field = types.as_object_mut().unwrap().shift_remove("reason").unwrap();
        types["motive"] = field;
        let after = made(&described);
        assert_ne!(before.0, after.0);
        assert_ne!(before.1, after.1);
        assert!(after.0.contains("motive") && after.1.contains("motive"));
    }
}
