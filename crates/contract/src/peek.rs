//! The cheap question: whether what was answered earlier is still so, without fetching it again.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use url::Url;

use crate::error::{ErrorCode, SourceError};
use crate::wire::{Condition, Media, Method, Request, Response};

/// What a source can be asked instead of everything. A constant of its descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peek {
    /// How it is asked.
    pub question: Question,
    /// What an answer of this source is a list of, for telling what is gone from what was pushed out.
    pub listing: Listing,
    /// One phrase: what is asked, and what it costs.
    pub asks: &'static str,
    /// One phrase: what the answer can tell.
    pub tells: &'static str,
}

/// How a source is asked cheaply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// The same addresses with the validators of their answers (RFC 9110, section 13): `304` has no body.
    Validators,
    /// A question of the source's own, in its adapter's [`peek`](crate::adapter::Adapter::peek).
    Own,
    /// There is none but to fetch again.
    None,
}

impl Question {
    /// In words, as lists show it.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Validators => "conditional request",
            Self::Own => "question of its own",
            Self::None => "none",
        }
    }
}

/// What an answer is a list of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listing {
    /// The newest or best of many: what is missing may have been pushed out, and is not known to be gone.
    Window,
    /// The things that were asked for by name: a missing one says so itself.
    Named,
}

impl Listing {
    /// In words, as lists show it.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Window => "a window: a missing item is not known to be gone",
            Self::Named => "named things: each says itself when it is gone",
        }
    }
}

impl Peek {
    /// A conditional request for what is a window of many.
    pub const fn validators(listing: Listing) -> Self {
        Self {
            question: Question::Validators,
            listing,
            asks: "the same addresses with the ETag or Last-Modified of their answers; a 304 has no body",
            tells: "that every answer is the same to the byte, where each had a validator",
        }
    }

    /// Nothing but the query itself.
    pub const fn none(listing: Listing) -> Self {
        Self {
            question: Question::None,
            listing,
            asks: "the query itself once more, counted as such",
            tells: "all that the answer can",
        }
    }
}

/// One exchange of an earlier call: the request as it was, and marks of its answer. No content, no secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EarlierRequest {
    /// The method.
    pub method: Method,
    /// The address, without credentials.
    pub url: String,
    /// The adapter's own headers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<(String, String)>,
    /// The body of a query by POST.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The kind of body that was expected.
    pub expect: Media,
    /// Whether the host's credential could go along.
    pub keyed: bool,
    /// The answer's `ETag`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// The answer's `Last-Modified`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
    /// SHA-256 of the body, in hexadecimal.
    pub body_hash: String,
}

/// Longest validator kept, in bytes.
const VALIDATOR_BYTES: usize = 512;

impl EarlierRequest {
    /// What is kept of an exchange; `None` where its answer is not one to compare with (no plain 200).
    pub fn of(request: &Request, response: &Response) -> Option<Self> {
        if response.status != 200 {
            return None;
        }
        let validator = |name: &str| {
            let value = response.headers.get(name)?;
            (!value.is_empty() && value.len() <= VALIDATOR_BYTES).then(|| value.to_owned())
        };
        let headers = request.headers.iter();
        Some(Self {
            method: request.method,
            url: request.url.to_string(),
            headers: headers
                .map(|(name, value)| (name.to_string(), value.clone()))
                .collect(),
            body: request
                .body
                .as_ref()
                .map(|body| String::from_utf8_lossy(body).into_owned()),
            expect: request.expect,
            keyed: request.may_carry_credential(),
            etag: validator("etag"),
            last_modified: validator("last-modified"),
            body_hash: sha256(&response.body),
        })
    }

    /// Whether it can be asked about conditionally.
    pub fn has_validator(&self) -> bool {
        self.method == Method::Get && (self.etag.is_some() || self.last_modified.is_some())
    }

    /// The same request, with the validators where it is a GET: a 304 is an answer. A POST that matches would be refused
    /// with 412 (RFC 9110, section 13.1.2), so it goes out as it was.
    pub fn conditional(&self) -> Result<Request, SourceError> {
        let url = Url::parse(&self.url).map_err(|error| {
            SourceError::new(ErrorCode::Internal, "a kept address does not parse").caused_by(error)
        })?;
        let mut request = Request::again(url, self.expect, self.keyed).accepting(&[304]);
        request.method = self.method;
        request.body = self.body.clone().map(Into::into);
        request.headers = self
            .headers
            .iter()
            .map(|(name, value)| (Cow::Owned(name.clone()), value.clone()))
            .collect();
        let get = self.method == Method::Get;
        request.condition = Some(Condition {
            etag: self.etag.clone().filter(|_| get),
            last_modified: self.last_modified.clone().filter(|_| get),
        });
        Ok(request)
    }

    /// Whether an answer says "not modified" though it was not asked so: what is there now is not known.
    pub fn is_unasked(&self, response: &Response) -> bool {
        response.status == 304 && !self.has_validator()
    }

    /// How this answer is known to be the same; `None` where it is not.
    pub fn confirmed_by(&self, response: &Response) -> Option<Evidence> {
        let url = self.url.clone();
        if response.status == 304 {
            // A 304 names the state that it is about (RFC 9110, section 15.4.5): another one than ours confirms nothing.
            let weak = |etag: &str| etag.trim().trim_start_matches("W/").to_owned();
            let other = response.headers.get("etag").zip(self.etag.as_deref());
            if other.is_some_and(|(theirs, ours)| weak(theirs) != weak(ours)) {
                return None;
            }
            let validator = self.etag.clone().or_else(|| self.last_modified.clone());
            return Some(Evidence::NotModified {
                url,
                validator: validator.unwrap_or_default(),
            });
        }
        (response.status == 200 && sha256(&response.body) == self.body_hash)
            .then_some(Evidence::SameBytes { url })
    }
}

/// SHA-256 in hexadecimal.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    base16ct::lower::encode_string(&Sha256::digest(bytes))
}

/// What a cheap question found out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Peeked {
    /// All is as it was.
    Unchanged(Vec<Evidence>),
    /// Something changed; a full look tells what.
    Moved,
    /// It could not tell, or there is no such question.
    Untold,
}

/// What a verdict rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Evidence {
    /// The source answered 304 to a validator.
    NotModified {
        /// The address.
        url: String,
        /// The validator.
        validator: String,
    },
    /// The source answered with the same bytes.
    SameBytes {
        /// The address.
        url: String,
    },
    /// A mark of the source's own is the same.
    SameMark {
        /// What it is: a newest id, a number of hits.
        what: String,
        /// Its value.
        value: String,
    },
}

/// What is kept of the earlier answer, for the question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Earlier {
    /// Its exchanges, in the order of their answers.
    pub asked: Vec<EarlierRequest>,
}

impl Earlier {
    /// Whether this very address was asked. Where an address follows from the day, it is another one tomorrow, and the
    /// old one cannot tell what is new.
    pub fn has_asked(&self, url: &Url) -> bool {
        self.asked.iter().any(|asked| asked.url == url.as_str())
    }
}
