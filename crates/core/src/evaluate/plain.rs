//! Reading plain arguments straight from JSON text: texts are borrowed from it, and no tree of values is made,
//! which takes half as long as all the judging.
//!
//! Only what is right in every way is read here. Anything else (a wrong type, a field twice, a field that is
//! not known, a nested value) is left to [`Request::read`], which names what is wrong, or lets it pass.

use std::borrow::Cow;
use std::fmt;

use chrono::{DateTime, Utc};
use freshcontext_contract::Limits;
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde_json::{Map, Value};

use super::input::{
    DATE_CONFIDENCES, FRESHNESS_CONFIDENCES, Given, Request, STATUSES, choose, instant, to_millis,
};
use super::profile::{Intent, Profile};
use crate::json::from_object;

/// Arguments of a call that are plain in their form: each field is known, of the right type, and there once.
/// Borrowed from the JSON text that they are read from.
///
/// They may still be wrong in what they say, which [`judge_plain`](super::judge_plain) finds.
#[derive(Debug, serde::Deserialize)]
#[serde(transparent)]
pub struct PlainArguments<'a>(#[serde(borrow, deserialize_with = "from_object")] Call<'a>);

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Call<'a> {
    #[serde(borrow)]
    profile: Text<'a>,
    #[serde(borrow)]
    intent: Text<'a>,
    #[serde(borrow, default, deserialize_with = "present")]
    now: Option<Text<'a>>,
    #[serde(borrow)]
    signals: Vec<Signal<'a>>,
}

#[derive(Debug, serde::Deserialize)]
#[serde(transparent)]
struct Signal<'a>(#[serde(borrow, deserialize_with = "from_object")] Fields<'a>);

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<Text<'a>>,
    #[serde(borrow)]
    source: Text<'a>,
    #[serde(borrow, default, deserialize_with = "present")]
    source_type: Option<Text<'a>>,
    #[serde(borrow, default, deserialize_with = "present")]
    title: Option<Text<'a>>,
    #[serde(borrow, default, deserialize_with = "present")]
    content: Option<Text<'a>>,
    // These may be null.
    #[serde(borrow, default)]
    published_at: Option<Text<'a>>,
    #[serde(borrow, default)]
    content_date: Option<Text<'a>>,
    #[serde(borrow, default)]
    retrieved_at: Option<Text<'a>>,
    #[serde(default, deserialize_with = "present")]
    semantic_score: Option<f64>,
    #[serde(borrow, default, deserialize_with = "present")]
    date_confidence: Option<Text<'a>>,
    #[serde(borrow, default, deserialize_with = "present")]
    freshness_confidence: Option<Text<'a>>,
    #[serde(borrow, default, deserialize_with = "present")]
    status: Option<Text<'a>>,
    #[serde(default, deserialize_with = "present")]
    metadata: Option<Map<String, Value>>,
}

/// A field that must not be null where it is given.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// A text, borrowed where no escape is in it. (Serde copies a `Cow` that is inside an `Option`.)
#[derive(Debug)]
struct Text<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Borrowing;

        impl<'de> Visitor<'de> for Borrowing {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("text")
            }

            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }

        deserializer.deserialize_str(Borrowing)
    }
}

/// What is in a field, if it is there.
fn text<'a>(field: Option<&'a Text<'_>>) -> Option<&'a str> {
    field.map(|text| text.0.as_ref())
}

/// What a name in a field stands for; the outer one is none where it stands for nothing.
#[expect(clippy::option_option, reason = "a wrong name is not an absent one")]
fn name<T: Copy>(field: Option<&Text<'_>>, known: &[(&str, T)]) -> Option<Option<T>> {
    text(field).map_or(Some(None), |given| choose(given, known).map(Some))
}

impl Fields<'_> {
    fn given(&self, index: usize) -> Option<Given<'_>> {
        let metadata = self.metadata.as_ref();
        if metadata.is_some_and(|fields| fields.values().any(|value| value.is_array() || value.is_object())) {
            return None;
        }
        let published_at = text(self.published_at.as_ref());
        let content_date = text(self.content_date.as_ref());
        let given = Given {
            is_item: false,
            id: text(self.id.as_ref()),
            source: self.source.0.as_ref(),
            source_type: text(self.source_type.as_ref()),
            title: text(self.title.as_ref()),
            content: text(self.content.as_ref()),
            published_at: published_at.or(content_date),
            content_date_used: published_at.is_none() && content_date.is_some(),
            retrieved_at: text(self.retrieved_at.as_ref()),
            semantic_score: self.semantic_score,
            date_confidence: name(self.date_confidence.as_ref(), &DATE_CONFIDENCES)?,
            freshness_confidence: name(self.freshness_confidence.as_ref(), FRESHNESS_CONFIDENCES)?,
            status: name(self.status.as_ref(), &STATUSES)?,
            metadata,
        };
        given.check(index).ok().map(|()| given)
    }
}

impl PlainArguments<'_> {
    /// The checked request, if nothing at all is wrong with it.
    pub(super) fn request(&self, clock_now: DateTime<Utc>, limits: &Limits) -> Option<Request<'_>> {
        let Self(call) = self;
        let now = match &call.now {
            None => clock_now,
            Some(text) => instant(&text.0)?,
        };
        if call.signals.is_empty() || call.signals.len() > limits.signals {
            return None;
        }
        let signals = call.signals.iter().enumerate();
        let request = Request {
            profile: Profile::find(&call.profile.0)?,
            intent: Intent::find(&call.intent.0)?,
            now: to_millis(now),
            signals: signals
                .map(|(index, signal)| signal.0.given(index))
                .collect::<Option<_>>()?,
        };
        (request.bytes() <= limits.signals_bytes).then_some(request)
    }
}
