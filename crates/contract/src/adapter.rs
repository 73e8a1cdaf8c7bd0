//! The adapter trait and its object-safe twin.

use std::future::Future;
use std::sync::OnceLock;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::args::is_absent;
use crate::asking::by_validators;
use crate::cx::{BoxFuture, Cx};
use crate::descriptor::Descriptor;
use crate::error::SourceError;
use crate::identity::Identity;
use crate::limits::QUERY_CHARS;
use crate::peek::{Earlier, Peeked, Question};
use crate::schema::argument_schema;
use crate::source_result::SourceResult;

/// One source behind one tool. Write `async fn collect`; erasure is done for you.
///
/// Keep two pure halves and let `collect` join them: build a [`Request`](crate::wire::Request) from the input, and read
/// bytes into items. Not your business: retries, caching, pacing, user agent, secrets, confidence,
/// scores, lengths, hidden characters.
pub trait Adapter: Send + Sync + 'static {
    /// The tool's own arguments, without the common ones of [`ArgSpec`](crate::arg_spec::ArgSpec). Doc comments
    /// become the descriptions that the model reads. No `flatten`, no untagged enums.
    type Input: DeserializeOwned + JsonSchema + Send;

    /// The facts about this source.
    fn descriptor(&self) -> &'static Descriptor;

    /// Collects what was asked for. Bad input must be refused before the first request.
    fn collect(
        &self,
        cx: &Cx<'_>,
        input: Self::Input,
    ) -> impl Future<Output = Result<SourceResult, SourceError>> + Send;

    /// Which company a name and a ticker are of; `None` from sources that are no register of companies.
    ///
    /// # Errors
    /// Where the register cannot be read.
    fn identify(
        &self,
        cx: &Cx<'_>,
        name: Option<&str>,
        ticker: Option<&str>,
    ) -> impl Future<Output = Result<Option<Identity>, SourceError>> + Send {
        let _ = (cx, name, ticker);
        async { Ok(None) }
    }

    /// The cheap question that the descriptor declares: whether what an earlier call of these arguments brought is
    /// still so. Ask [`Question::Own`] here; the others are asked for you.
    fn peek(
        &self,
        cx: &Cx<'_>,
        input: Self::Input,
        earlier: &Earlier,
    ) -> impl Future<Output = Result<Peeked, SourceError>> + Send {
        let _ = input;
        async move {
            match Adapter::descriptor(self).peek.question {
                Question::Validators => by_validators(cx, earlier).await,
                Question::Own | Question::None => Ok(Peeked::Untold),
            }
        }
    }
}

/// The object-safe form of [`Adapter`].
pub trait AnyAdapter: Send + Sync + 'static {
    /// The facts about this source.
    fn descriptor(&self) -> &'static Descriptor;

    /// The schema of all arguments, common ones included.
    fn input_schema(&self) -> Value;

    /// Decodes the tool's own arguments and collects. Where an answer turns out to be a
    /// failure, the cache forgets it and those not read yet: the same call asks again.
    fn collect<'a>(
        &'a self,
        cx: &'a Cx<'_>,
        arguments: Map<String, Value>,
    ) -> BoxFuture<'a, Result<SourceResult, SourceError>>;

    /// Which company a name and a ticker are of; `None` of a source that keeps no register.
    fn identify<'a>(
        &'a self,
        cx: &'a Cx<'_>,
        name: Option<&'a str>,
        ticker: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Option<Identity>, SourceError>> {
        let _ = (cx, name, ticker);
        Box::pin(std::future::ready(Ok(None)))
    }

    /// Decodes the tool's own arguments and asks the cheap question.
    fn peek<'a>(
        &'a self,
        cx: &'a Cx<'_>,
        arguments: Map<String, Value>,
        earlier: &'a Earlier,
    ) -> BoxFuture<'a, Result<Peeked, SourceError>>;
}

/// An adapter in its object-safe form.
pub fn erased(adapter: impl Adapter) -> Box<dyn AnyAdapter> {
    let schema = OnceLock::new();
    Box::new(Erased { adapter, schema })
}

/// An adapter, and the schema of its arguments once it is made: deriving it costs more than most cached calls.
struct Erased<A> {
    adapter: A,
    schema: OnceLock<Value>,
}

impl<A: Adapter> Erased<A> {
    fn schema(&self) -> &Value {
        let args = &self.adapter.descriptor().args;
        self.schema.get_or_init(|| argument_schema::<A::Input>(args))
    }

    fn decode(&self, arguments: Map<String, Value>) -> Result<A::Input, SourceError> {
        decode_input(self.schema(), self.adapter.descriptor().example, arguments)
    }
}

impl<A: Adapter> AnyAdapter for Erased<A> {
    fn descriptor(&self) -> &'static Descriptor {
        self.adapter.descriptor()
    }

    fn input_schema(&self) -> Value {
        self.schema().clone()
    }

    fn collect<'a>(
        &'a self,
        cx: &'a Cx<'_>,
        arguments: Map<String, Value>,
    ) -> BoxFuture<'a, Result<SourceResult, SourceError>> {
        Box::pin(async move {
            let input = self.decode(arguments)?;
            let mut result = self.adapter.collect(cx, input).await;
            if let Ok(found) = &result
                && found.items.is_empty()
                && found.fields.is_empty()
                && let Some(error) = cx.first_said_error()
            {
                // Nothing was found in an answer that states an error: nobody knows whether there is nothing.
                cx.discard();
                result = Err(error);
            }
            if let Err(error) = &mut result
                && error.code.is_against_the_answer()
                && !error.without_answer
            {
                cx.discard_unread(error);
            }
            result
        })
    }

    fn identify<'a>(
        &'a self,
        cx: &'a Cx<'_>,
        name: Option<&'a str>,
        ticker: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Option<Identity>, SourceError>> {
        Box::pin(self.adapter.identify(cx, name, ticker))
    }

    fn peek<'a>(
        &'a self,
        cx: &'a Cx<'_>,
        arguments: Map<String, Value>,
        earlier: &'a Earlier,
    ) -> BoxFuture<'a, Result<Peeked, SourceError>> {
        Box::pin(async move {
            let input = self.decode(arguments)?;
            self.adapter.peek(cx, input, earlier).await
        })
    }
}

/// Decodes a tool's arguments against its schema. Null or blank optional arguments count as not given.
pub fn decode_input<I: DeserializeOwned>(
    schema: &Value,
    example: &str,
    mut arguments: Map<String, Value>,
) -> Result<I, SourceError> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let known = |name: &str| properties.is_some_and(|properties| properties.contains_key(name));
    if let Some(name) = arguments.keys().find(|name| !known(name)) {
        let names: Vec<&str> = properties
            .into_iter()
            .flatten()
            .map(|(name, _)| name.as_str())
            .collect();
        let shown: String = name.chars().filter(|c| !c.is_control()).take(40).collect();
        let problem = format!("is not an argument of this tool (it takes {})", names.join(", "));
        return Err(SourceError::invalid_input(shown, problem, example));
    }
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    arguments.retain(|name, value| required.contains(&name.as_str()) || !is_absent(value));
    for name in &required {
        match arguments.get(*name) {
            None => {
                return Err(SourceError::invalid_input(
                    (*name).to_owned(),
                    "is missing",
                    example,
                ));
            }
            Some(value) if is_absent(value) => {
                return Err(SourceError::invalid_input(
                    (*name).to_owned(),
                    "is empty",
                    example,
                ));
            }
            Some(_) => {}
        }
    }
    for (name, value) in &arguments {
        check_texts(name, value, example)?;
    }
    serde_path_to_error::deserialize(Value::Object(arguments)).map_err(|error| {
        let path = error.path().to_string();
        let field = if path == "." { "arguments".to_owned() } else { path };
        SourceError::invalid_input(field, format!("does not fit: {}", error.inner()), example)
    })
}

fn check_texts(name: &str, value: &Value, example: &str) -> Result<(), SourceError> {
    match value {
        Value::String(text) => {
            if text.chars().count() > QUERY_CHARS {
                let problem = format!("is longer than {QUERY_CHARS} characters");
                return Err(SourceError::invalid_input(name.to_owned(), problem, example));
            }
            if text.trim().chars().any(char::is_control) {
                let problem = "contains control characters";
                return Err(SourceError::invalid_input(name.to_owned(), problem, example));
            }
            Ok(())
        }
        Value::Array(values) => values
            .iter()
            .try_for_each(|value| check_texts(name, value, example)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde::Deserialize;
    use serde_json::json;

    use crate::arg_spec::ArgSpec;
    use crate::error::ErrorCode;

    #[derive(Debug, Deserialize, JsonSchema)]
    struct Input {
        /// URL or query
        url: String,
        /// Words
        #[serde(default)]
        words: Vec<String>,
        /// Only remote
        remote: Option<bool>,
    }

    const EXAMPLE: &str = r#"{"url": "rust"}"#;

    fn decode(arguments: &Value) -> Result<Input, SourceError> {
        let schema = argument_schema::<Input>(&ArgSpec::length(1_000));
        decode_input(
            &schema,
            EXAMPLE,
            arguments.as_object().cloned().unwrap_or_default(),
        )
    }

    #[test]
    fn right_arguments_are_decoded_and_blank_optional_ones_count_as_absent() {
        let input = decode(&json!({"url": "x", "words": ["a"], "remote": null})).unwrap();
        assert_eq!(
            (input.url.as_str(), input.words.len(), input.remote),
            ("x", 1, None)
        );
    }

    #[test]
    fn wrong_arguments_name_the_field_and_show_a_right_one() {
        for (arguments, field) in [
            (json!({}), "url"),
            (json!({"url": null}), "url"),
            (json!({"url": " \t"}), "url"),
            (json!({"url": 5}), "url"),
            (json!({"url": "a\u{0}b"}), "url"),
            (json!({"url": "x".repeat(QUERY_CHARS + 1)}), "url"),
            (json!({"url": "x", "words": ["a", 1]}), "words[1]"),
            (json!({"url": "x", "words": ["a\u{1b}"]}), "words"),
            (json!({"url": "x", "remote": "yes"}), "remote"),
            (json!({"url": "x", "uri": "y"}), "uri"),
        ] {
            let error = decode(&arguments).unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidInput, "{arguments}");
            assert_eq!(error.field.as_deref(), Some(field), "{arguments}");
            assert!(error.message.contains("rust"), "{}", error.message);
        }
    }

    #[test]
    fn schemas_are_plain_objects() {
        let schema = argument_schema::<Input>(&ArgSpec::length(1_000));
        assert_eq!(schema["required"], json!(["url"]));
        assert_eq!(
            schema["properties"]["remote"],
            json!({"type": "boolean", "description": "Only remote"})
        );
        assert_eq!(schema["properties"]["words"]["items"], json!({"type": "string"}));
        assert_eq!(schema["properties"]["max_length"]["type"], "integer");
    }

    proptest! {
        #[test]
        fn any_arguments_are_decoded_or_refused(name in "\\PC{0,12}", text in "\\PC{0,40}") {
            let _ = decode(&json!({"url": text, name: 1}));
        }
    }
}
