//! Every adapter as a reader: replays its own cases, with one upstream body replaced by the hostile one.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use freshcontext_contract::{
    AnyAdapter, BoxFuture, CacheValidity, CallScope, CommonArgs, Cx, ErrorCode, FixedClock, Headers, Limits,
    Method, Provenance, Request, Response, SourceError, Transport, split_arguments,
};
use freshcontext_core::answer::{ScoreInput, score};
use freshcontext_core::decay::DecayTable;
use freshcontext_testkit::{Case, Kind, SeenRequest, load_cases};
use serde_json::{Map, Value};

use crate::reader::Reader;
use crate::shapes::Format;

/// A case with its answers loaded into memory.
struct Scene {
    adapter: Box<dyn AnyAdapter>,
    case: Case,
    bodies: Vec<Bytes>,
    arguments: Map<String, Value>,
    common: CommonArgs,
}

/// Transport that answers as the case specifies, except for one exchange.
struct Stage {
    scene: Arc<Scene>,
    hostile: usize,
    body: Bytes,
}

impl Transport for Stage {
    fn send<'a>(
        &'a self,
        _: &'a CallScope,
        request: Request,
    ) -> BoxFuture<'a, Result<Response, SourceError>> {
        Box::pin(async move { self.answer(request) })
    }

    fn configured(&self, env: &str) -> bool {
        self.scene.case.env.iter().any(|name| name == env)
    }
}

impl Stage {
    /// Returns one answer; if the case redirects, the answer of the redirect's target.
    fn answer(&self, mut request: Request) -> Result<Response, SourceError> {
        for _ in 0..Limits::DEFAULT.redirects {
            match self.step(&request)? {
                Ok(response) => return Ok(response),
                Err(next) => request.url = next,
            }
        }
        Err(SourceError::new(
            ErrorCode::UpstreamError,
            "the case redirects without end",
        ))
    }

    /// Returns an answer, or the address that it redirects to.
    fn step(&self, request: &Request) -> Result<Result<Response, url::Url>, SourceError> {
        let seen = SeenRequest {
            method: if request.method == Method::Get {
                "GET"
            } else {
                "POST"
            }
            .to_owned(),
            host: request.url.host_str().unwrap_or_default().to_owned(),
            target: request.url.query().map_or_else(
                || request.url.path().to_owned(),
                |query| format!("{}?{query}", request.url.path()),
            ),
            headers: Vec::new(),
            body: request.body.as_deref().unwrap_or_default().to_vec(),
            at: Instant::now(),
        };
        let found = self
            .scene
            .case
            .exchanges
            .iter()
            .position(|exchange| exchange.fits(&seen));
        let Some((place, exchange)) =
            found.and_then(|place| Some((place, self.scene.case.exchanges.get(place)?)))
        else {
            return Err(SourceError::new(
                ErrorCode::UpstreamError,
                "the case has no answer to this",
            ));
        };
        let location = exchange
            .headers
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case("location"));
        if let Some((_, location)) = location.filter(|_| (300..400).contains(&exchange.status))
            && let Ok(next) = request.url.join(location)
        {
            return Ok(Err(next));
        }
        if !(200..300).contains(&exchange.status) && !request.accept_status.contains(&exchange.status) {
            let code = match exchange.status {
                404 | 410 => ErrorCode::NotFound,
                401 | 403 => ErrorCode::AccessDenied,
                429 => ErrorCode::RateLimited,
                _ => ErrorCode::UpstreamError,
            };
            return Err(SourceError::new(code, "a refusal").status(exchange.status));
        }
        let body = if place == self.hostile {
            self.body.clone()
        } else {
            self.scene.bodies.get(place).cloned().unwrap_or_default()
        };
        let mut headers: Vec<(String, String)> = exchange
            .headers
            .iter()
            .map(|(name, value)| (name.to_ascii_lowercase(), value.clone()))
            .collect();
        headers.push(("content-type".to_owned(), exchange.content_type()));
        Ok(Ok(Response {
            status: exchange.status,
            headers: Headers(headers),
            body,
            final_url: request.url.clone(),
            retrieved_at: self.scene.case.now,
            provenance: Provenance::Live,
            attempts: 1,
            validity: CacheValidity::default(),
            key_refused: None,
        }))
    }
}

impl Scene {
    fn of(case: Case) -> Result<Self, String> {
        let adapter = freshcontext_sources::adapters()
            .into_iter()
            .find(|adapter| adapter.descriptor().tool == case.tool)
            .ok_or_else(|| format!("{}: there is no tool {}", case.name, case.tool))?;
        let bodies = case
            .exchanges
            .iter()
            .map(|exchange| case.body(exchange, Path::new("")).map(Bytes::from));
        let bodies = bodies.collect::<Result<_, _>>()?;
        let (common, arguments) =
            split_arguments(adapter.descriptor(), &Limits::DEFAULT, case.arguments.clone())
                .map_err(|error| format!("{}: {error}", case.name))?;
        Ok(Self {
            adapter,
            case,
            bodies,
            arguments,
            common,
        })
    }

    /// Runs one call, from the arguments to the answer in both forms. An error means that the call gave no answer.
    fn play(self: &Arc<Self>, hostile: usize, body: &Bytes) -> Result<(), SourceError> {
        let stage = Stage {
            scene: Arc::clone(self),
            hostile,
            body: body.clone(),
        };
        let descriptor = self.adapter.descriptor();
        let clock = FixedClock(self.case.now);
        let deadline = Instant::now() + Duration::from_hours(1);
        let budget = Limits::DEFAULT.requests_per_call;
        let cx = Cx::new(&stage, &clock, descriptor, deadline, &self.common, budget);
        let result = wait(self.adapter.collect(&cx, self.arguments.clone()))?;
        let seen = cx.seen();
        let scored = score(ScoreInput {
            descriptor,
            result,
            args: &self.common,
            seen: &seen,
            now: self.case.now,
            decay: &DecayTable::default(),
            cursor: None,
        })?;
        let _ = scored.render(self.common.max_length);
        Ok(())
    }
}

/// Blocks on a future that never waits for anything external.
fn wait<T>(future: impl Future<Output = Result<T, SourceError>>) -> Result<T, SourceError> {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime
        .map_err(|error| SourceError::new(ErrorCode::Internal, "no runtime").caused_by(error))?
        .block_on(future)
}

/// Returns a reader for every upstream answer of every case that succeeds here. Among the readers of one source with
/// the same host, kind of path and format, the one with the longest valid body runs at every check.
///
/// # Errors
///
/// A case that cannot be read or does not give its expected result, and a source without a reader, since each source
/// must be held to the laws.
pub fn readers(fixtures: &Path) -> Result<Vec<Reader>, String> {
    let mut out = Vec::new();
    let mut longest: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for case in load_cases(fixtures)? {
        let tools = freshcontext_sources::adapters();
        let of_adapter = tools.iter().any(|adapter| adapter.descriptor().tool == case.tool);
        if !of_adapter || case.expect.status.is_none() || case.arguments.contains_key("cursor") {
            continue;
        }
        let scene = Arc::new(Scene::of(case)?);
        if let Err(error) = scene.play(usize::MAX, &Bytes::new()) {
            if scene.case.kind == Kind::Ok {
                return Err(format!(
                    "{}: {error}: its readers would see nothing",
                    scene.case.name
                ));
            }
            // The case depends on pipeline steps before the adapter, which this stage does not run.
            continue;
        }
        for (place, exchange) in scene.case.exchanges.iter().enumerate() {
            let good = scene.bodies.get(place).cloned().unwrap_or_default();
            if !(200..300).contains(&exchange.status) || good.is_empty() {
                continue;
            }
            let format = Format::of(&good, &exchange.content_type());
            let key = format!("{} {} {format:?}", scene.case.tool, way(&exchange.url));
            let entry = longest.entry(key).or_insert((0, usize::MAX));
            if good.len() > entry.0 {
                *entry = (good.len(), out.len());
            }
            let scene = Arc::clone(&scene);
            out.push(Reader {
                name: format!(
                    "{} {}",
                    scene.case.name,
                    exchange.url.host_str().unwrap_or_default()
                ) + exchange.url.path(),
                group: scene.adapter.descriptor().tool.to_owned(),
                format,
                seed: good.to_vec(),
                often: false,
                read: Box::new(move |body| scene.play(place, body).is_ok()),
            });
        }
    }
    for (_, place) in longest.values() {
        if let Some(reader) = out.get_mut(*place) {
            reader.often = true;
        }
    }
    for adapter in freshcontext_sources::adapters() {
        let tool = adapter.descriptor().tool;
        if !out.iter().any(|reader| reader.group == tool) {
            return Err(format!(
                "{tool} has no case with an answer to hold it to the laws by"
            ));
        }
    }
    Ok(out)
}

/// Returns the host and the kind of path, without the parts that differ from call to call.
fn way(url: &url::Url) -> String {
    let segments = url.path_segments().into_iter().flatten();
    let kinds: Vec<&str> = segments
        .map(|part| {
            if part.contains(|c: char| c.is_ascii_digit()) && part.len() > 2 {
                "*"
            } else {
                part
            }
        })
        .collect();
    let (first, last) = (kinds.first().unwrap_or(&""), kinds.last().unwrap_or(&""));
    format!(
        "{} {first} {} {last}",
        url.host_str().unwrap_or_default(),
        kinds.len()
    )
}
