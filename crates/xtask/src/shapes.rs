//! `crates/freshcontext/src/shape/table.json`: the shapes of the sources' responses, as far as they are read,
//! derived from the fixtures.
//!
//! Each ordinary case is run through its adapter unchanged and again without each field of its bodies. If the
//! result differs, the field is read. No list of fields is maintained by hand.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use freshcontext::shape::{
    Endpoint, Field, Form, Often, Places, Shapes, form_of, pattern, places, states_limit, without,
};
use freshcontext_contract::{
    AnyAdapter, BoxFuture, CacheValidity, CallScope, Cx, ErrorCode, FixedClock, Headers, Limits, Method,
    Provenance, Request, Response, SourceError, Transport, split_arguments,
};
use freshcontext_testkit::{Case, Kind as CaseKind, Reply, Script, SeenRequest, load_cases};

/// Returns the table as text.
pub fn table(root: &Path) -> Result<String, String> {
    let mut cases = load_cases(&root.join("fixtures"))?;
    cases.retain(|case| !case.needs_recordings());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .map_err(|error| error.to_string())?;
    let mut shapes = Shapes::default();
    for adapter in freshcontext_sources::adapters() {
        let descriptor = adapter.descriptor();
        let own: Vec<&Case> = cases.iter().filter(|case| case.tool == descriptor.tool).collect();
        let endpoints = runtime.block_on(of_source(adapter.as_ref(), &own))?;
        shapes.sources.insert(descriptor.id.to_owned(), endpoints);
    }
    for exchange in cases.iter().flat_map(|case| &case.exchanges) {
        let host = exchange.url.host_str().unwrap_or_default();
        let names = exchange.headers.keys().map(|name| name.to_ascii_lowercase());
        let stated: BTreeSet<String> = names.filter(|name| states_limit(name)).collect();
        if !stated.is_empty() {
            shapes
                .limit_headers
                .entry(host.to_owned())
                .or_default()
                .extend(stated);
        }
    }
    let mut text = serde_json::to_string_pretty(&shapes).map_err(|error| error.to_string())?;
    text.push('\n');
    Ok(text)
}

/// Shape of one address while the cases are read.
#[derive(Default)]
struct Known {
    documents: Vec<Places>,
    read: BTreeSet<String>,
}

async fn of_source(adapter: &dyn AnyAdapter, cases: &[&Case]) -> Result<Vec<Endpoint>, String> {
    let mut known: BTreeMap<(String, String, Form), Known> = BTreeMap::new();
    for case in cases {
        if !matches!(case.kind, CaseKind::Ok | CaseKind::Odd | CaseKind::Empty)
            || case.expect.status.is_none()
        {
            continue;
        }
        let whole = played(adapter, case, None).await?;
        for (at, exchange) in case.exchanges.iter().enumerate() {
            if !(200..300).contains(&exchange.status) {
                continue;
            }
            let body = case.body(exchange, Path::new(""))?;
            let headers = Headers(vec![("content-type".to_owned(), exchange.content_type())]);
            let Some(form) = form_of(&headers, &body) else {
                continue;
            };
            let Some(found) = places(&body, form) else {
                continue;
            };
            let host = exchange.url.host_str().unwrap_or_default().to_owned();
            let key = (host, pattern(exchange.url.path()), form);
            let mut read = Vec::new();
            // An empty response shows which fields may be missing, and little of what is read.
            if case.kind != CaseKind::Empty {
                for place in found.0.keys().filter(|place| is_field(place)) {
                    let Some(rest) = without(&body, form, place) else {
                        continue;
                    };
                    if played(adapter, case, Some((at, &rest))).await? != whole {
                        read.push(place.clone());
                    }
                }
            }
            let entry = known.entry(key).or_default();
            entry.read.extend(read);
            entry.documents.push(found);
        }
    }
    let endpoints = known.into_iter().filter(|(_, known)| !known.read.is_empty());
    Ok(endpoints
        .map(|((host, path, form), known)| Endpoint {
            fields: fields(&known),
            host,
            path,
            form,
        })
        .collect())
}

/// Whether a path is a field, rather than a list entry or an identifier.
fn is_field(place: &str) -> bool {
    !place.is_empty() && !place.ends_with("[]") && !place.ends_with('*')
}

fn fields(known: &Known) -> BTreeMap<String, Field> {
    let mut fields = BTreeMap::new();
    for place in &known.read {
        let mut kinds = BTreeSet::new();
        let (mut seen, mut holders) = (0, 0);
        for document in &known.documents {
            let tally = document.0.get(place);
            kinds.extend(tally.into_iter().flat_map(|tally| &tally.kinds));
            // An element may occur several times in one parent, which does not compensate for its absence in
            // another.
            seen += tally.map_or(0, |tally| tally.seen).min(document.holders(place));
            holders += document.holders(place);
        }
        let often = if seen >= holders {
            Often::Always
        } else if seen * 2 >= holders {
            Often::Mostly
        } else {
            Often::Sometimes
        };
        fields.insert(place.clone(), Field { kinds, often });
    }
    fields
}

/// Returns an adapter's result for a case, with one body replaced.
async fn played(
    adapter: &dyn AnyAdapter,
    case: &Case,
    other: Option<(usize, &[u8])>,
) -> Result<String, String> {
    let script = Script::of(case, Path::new(""))?;
    if let Some((at, body)) = other {
        let number = Mutex::new(0);
        script.alter(|_, reply| {
            let mut number = number.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            if *number == at {
                reply.body = body.to_vec();
            }
            *number += 1;
        });
    }
    let stage = Stage {
        script,
        env: case.env.clone(),
    };
    let descriptor = adapter.descriptor();
    let clock = FixedClock(case.now);
    let wrong = |error: SourceError| format!("{}: {error}", case.name);
    let (common, own) =
        split_arguments(descriptor, &Limits::DEFAULT, case.arguments.clone()).map_err(wrong)?;
    let deadline = Instant::now() + Duration::from_mins(1);
    let cx = Cx::new(
        &stage,
        &clock,
        descriptor,
        deadline,
        &common,
        Limits::DEFAULT.requests_per_call,
    );
    Ok(match adapter.collect(&cx, own).await {
        Ok(result) => format!("{result:?}"),
        Err(error) => error.to_string(),
    })
}

/// A case's exchanges as a transport, without sockets.
struct Stage {
    script: Script,
    env: Vec<String>,
}

impl Transport for Stage {
    fn send<'a>(
        &'a self,
        scope: &'a CallScope,
        request: Request,
    ) -> BoxFuture<'a, Result<Response, SourceError>> {
        let target = match request.url.query() {
            Some(query) => format!("{}?{query}", request.url.path()),
            None => request.url.path().to_owned(),
        };
        let seen = SeenRequest {
            method: match request.method {
                Method::Get => "GET",
                Method::PostQuery => "POST",
            }
            .to_owned(),
            host: request.url.host_str().unwrap_or_default().to_owned(),
            target,
            headers: Vec::new(),
            body: request.body.as_deref().unwrap_or_default().to_vec(),
            at: Instant::now(),
        };
        let reply = self.script.answer(&seen);
        Box::pin(std::future::ready(answered(scope, request, reply)))
    }

    fn configured(&self, env: &str) -> bool {
        self.env.iter().any(|set| set == env)
    }
}

fn answered(scope: &CallScope, request: Request, reply: Reply) -> Result<Response, SourceError> {
    let fine = (200..300).contains(&reply.status) || request.accept_status.contains(&reply.status);
    if !fine {
        let code = match reply.status {
            404 | 410 => ErrorCode::NotFound,
            429 => ErrorCode::RateLimited,
            401 | 403 => ErrorCode::AccessDenied,
            _ => ErrorCode::UpstreamError,
        };
        let message = format!("{} answered {}", scope.descriptor.id, reply.status);
        return Err(SourceError::new(code, message).status(reply.status));
    }
    Ok(Response {
        status: reply.status,
        headers: Headers(reply.headers),
        body: reply.body.into(),
        final_url: request.url,
        retrieved_at: freshcontext_contract::chrono::DateTime::UNIX_EPOCH,
        provenance: Provenance::Live,
        attempts: 1,
        validity: CacheValidity::default(),
        key_refused: None,
    })
}
