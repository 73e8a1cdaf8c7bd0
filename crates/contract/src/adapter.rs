//! The adapter trait, its object-safe twin, and what an adapter is handed for one call.

use std::any::TypeId;
use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use futures_util::future::join_all;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::args::is_absent;
use crate::limits::QUERY_CHARS;
use crate::peek::by_validators;
use crate::schema::argument_schema;
use crate::{
    CacheValidity, Clock, CommonArgs, Descriptor, Earlier, ErrorCode, Harvest, Peeked, Provenance, Question,
    Request, Response, SourceError, Switch,
};

/// A boxed future, for the object-safe side.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// One source behind one tool. Write `async fn collect`; erasure is done for you.
///
/// Keep two pure halves and let `collect` join them: build a [`Request`] from the input, and read
/// bytes into items. Not your business: retries, caching, pacing, user agent, secrets, confidence,
/// scores, lengths, hidden characters.
pub trait Adapter: Send + Sync + 'static {
    /// The tool's own arguments, without the common ones of [`ArgSpec`](crate::ArgSpec). Doc comments
    /// become the descriptions that the model reads. No `flatten`, no untagged enums.
    type Input: DeserializeOwned + JsonSchema + Send;

    /// The facts about this source.
    fn descriptor(&self) -> &'static Descriptor;

    /// Collects what was asked for. Bad input must be refused before the first request.
    fn collect(
        &self,
        cx: &Cx<'_>,
        input: Self::Input,
    ) -> impl Future<Output = Result<Harvest, SourceError>> + Send;

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
    ) -> BoxFuture<'a, Result<Harvest, SourceError>>;

    /// Decodes the tool's own arguments and asks the cheap question.
    fn peek<'a>(
        &'a self,
        cx: &'a Cx<'_>,
        arguments: Map<String, Value>,
        earlier: &'a Earlier,
    ) -> BoxFuture<'a, Result<Peeked, SourceError>>;
}

impl<A: Adapter> AnyAdapter for A {
    fn descriptor(&self) -> &'static Descriptor {
        Adapter::descriptor(self)
    }

    fn input_schema(&self) -> Value {
        schema_of(self).as_ref().clone()
    }

    fn collect<'a>(
        &'a self,
        cx: &'a Cx<'_>,
        arguments: Map<String, Value>,
    ) -> BoxFuture<'a, Result<Harvest, SourceError>> {
        Box::pin(async move {
            let descriptor = Adapter::descriptor(self);
            let input = decode_input::<A::Input>(&schema_of(self), descriptor.example, arguments)?;
            let mut harvest = Adapter::collect(self, cx, input).await;
            if let Err(error) = &mut harvest
                && error.code.is_against_the_answer()
                && !error.without_answer
            {
                cx.discard_unread(error);
            }
            harvest
        })
    }

    fn peek<'a>(
        &'a self,
        cx: &'a Cx<'_>,
        arguments: Map<String, Value>,
        earlier: &'a Earlier,
    ) -> BoxFuture<'a, Result<Peeked, SourceError>> {
        Box::pin(async move {
            let descriptor = Adapter::descriptor(self);
            let input = decode_input::<A::Input>(&schema_of(self), descriptor.example, arguments)?;
            Adapter::peek(self, cx, input, earlier).await
        })
    }
}

type Schemas = RwLock<HashMap<(TypeId, usize), Arc<Value>>>;

/// The schema of an adapter's arguments, made once: deriving it costs more than most cached calls.
fn schema_of<A: Adapter>(adapter: &A) -> Arc<Value> {
    static MADE: LazyLock<Schemas> = LazyLock::new(RwLock::default);
    let descriptor = Adapter::descriptor(adapter);
    let key = (TypeId::of::<A>(), std::ptr::from_ref(descriptor).addr());
    if let Some(schema) = MADE.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
        return Arc::clone(schema);
    }
    let schema = Arc::new(argument_schema::<A::Input>(&descriptor.args));
    MADE.write()
        .unwrap_or_else(PoisonError::into_inner)
        .insert(key, Arc::clone(&schema));
    schema
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

/// What sends requests: the HTTP pipeline, or a replay in tests.
pub trait Transport: Send + Sync + 'static {
    /// Sends one request for a call and returns a 2xx (or accepted) answer, or why there is none.
    fn send<'a>(
        &'a self,
        scope: &'a CallScope,
        request: Request,
    ) -> BoxFuture<'a, Result<Response, SourceError>>;

    /// Whether the operator has set this environment name (a key, a contact).
    fn configured(&self, env: &str) -> bool;

    /// Whether the operator turned on a route that is off by default, as `<adapter id>.<route id>`.
    fn enabled(&self, adapter: &str, route: &str) -> bool;
}

/// What the transport must know about the call that a request belongs to.
#[derive(Debug, Clone)]
pub struct CallScope {
    /// The source.
    pub descriptor: &'static Descriptor,
    /// When the call must have answered, on the monotonic clock.
    pub deadline: Instant,
    /// No cached answer older than this.
    pub max_age: Option<Duration>,
}

/// What an adapter is handed for one call.
pub struct Cx<'a> {
    transport: &'a dyn Transport,
    clock: &'a dyn Clock,
    scope: CallScope,
    args: &'a CommonArgs,
    budget: AtomicU32,
    seen: Mutex<Seen>,
    answers: Mutex<Vec<CacheValidity>>,
}

/// What the answers of one call have in common.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seen {
    /// When the oldest answer left its source.
    pub retrieved_at: Option<DateTime<Utc>>,
    /// Age of the oldest cached answer, where any came from the cache.
    pub cached_age: Option<Duration>,
    /// Answers received.
    pub responses: u32,
    /// Upstream attempts made for them.
    pub attempts: u32,
    /// Environment names of keys that were refused, where the source answered without them.
    pub refused_keys: Vec<&'static str>,
}

impl<'a> Cx<'a> {
    /// A call of `descriptor`'s tool, with at most `budget` requests.
    pub fn new(
        transport: &'a dyn Transport,
        clock: &'a dyn Clock,
        descriptor: &'static Descriptor,
        deadline: Instant,
        args: &'a CommonArgs,
        budget: u32,
    ) -> Self {
        Self {
            transport,
            clock,
            scope: CallScope {
                descriptor,
                deadline,
                max_age: args.max_age,
            },
            args,
            budget: AtomicU32::new(budget),
            seen: Mutex::new(Seen::default()),
            answers: Mutex::default(),
        }
    }

    /// The current instant.
    pub fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// The common arguments of this call.
    pub fn args(&self) -> &CommonArgs {
        self.args
    }

    /// The facts about the source.
    pub(crate) fn descriptor(&self) -> &'static Descriptor {
        self.scope.descriptor
    }

    /// Time left until the call's deadline.
    pub fn remaining(&self) -> Duration {
        self.scope.deadline.saturating_duration_since(Instant::now())
    }

    /// Whether a route of this source can be used: turned on, and its key is set.
    pub fn route_open(&self, id: &str) -> bool {
        self.scope.descriptor.route(id).is_some_and(|route| {
            let switched = match route.switch {
                Switch::On => true,
                Switch::OffBecause(_) => self.transport.enabled(self.scope.descriptor.id, id),
            };
            switched && route.needs.is_none_or(|env| self.configured(env))
        })
    }

    /// Whether the operator has set this environment name; an alias of a credential counts.
    pub fn configured(&self, env: &str) -> bool {
        let aliases = self
            .scope
            .descriptor
            .credentials
            .iter()
            .find(|credential| credential.env.contains(&env))
            .map_or(&[][..], |credential| credential.env);
        self.transport.configured(env) || aliases.iter().any(|alias| self.transport.configured(alias))
    }

    /// Sends one request. Those beyond the budget are refused here; everything else is the pipeline's to decide,
    /// which hosts are the source's included.
    pub async fn send(&self, request: Request) -> Result<Response, SourceError> {
        let taken = self
            .budget
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        if taken.is_err() {
            let message = "this call would need more upstream requests than one call may make";
            return Err(SourceError::new(ErrorCode::TooLarge, message).hint("ask for fewer things at once"));
        }
        let response = self
            .transport
            .send(&self.scope, request)
            .await
            .map_err(|mut error| {
                error.without_answer = true;
                error
            })?;
        self.record(&response);
        Ok(response)
    }

    /// Sends one request and reads its answer, which the cache forgets where it turns out to be none.
    pub async fn read<T>(
        &self,
        request: Request,
        read: impl FnOnce(&Response) -> Result<T, SourceError> + Send,
    ) -> Result<T, SourceError> {
        let response = self.send(request).await?;
        response.judged(read(&response))
    }

    /// Sends several requests at once; the answers come in the order of the requests.
    pub async fn send_all(&self, requests: Vec<Request>) -> Vec<Result<Response, SourceError>> {
        join_all(requests.into_iter().map(|request| self.send(request))).await
    }

    /// What the answers so far have in common.
    pub fn seen(&self) -> Seen {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Has the cache forget the answers of this call that nobody vouched for. Where there is but one, the
    /// error is about it.
    fn discard_unread(&self, error: &mut SourceError) {
        let answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let mut unread = answers.iter().filter(|answer| answer.withdraw_unread());
        if let (Some(only), None) = (unread.next(), unread.next()) {
            only.refused(error);
        }
        unread.for_each(drop);
    }

    fn record(&self, response: &Response) {
        self.answers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(response.validity.clone());
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.responses += 1;
        seen.attempts += response.attempts;
        if let Some(env) = response.key_refused
            && !seen.refused_keys.contains(&env)
        {
            seen.refused_keys.push(env);
        }
        let oldest = seen
            .retrieved_at
            .map_or(response.retrieved_at, |at| at.min(response.retrieved_at));
        seen.retrieved_at = Some(oldest);
        if let Provenance::Cached { age } = response.provenance {
            seen.cached_age = Some(seen.cached_age.map_or(age, |oldest| oldest.max(age)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde::Deserialize;
    use serde_json::json;

    use crate::ArgSpec;

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
