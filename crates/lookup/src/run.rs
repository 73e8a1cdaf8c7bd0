//! One call: the page of references, each asked once, within the deadline.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use freshcontext_contract::SourceError;
use freshcontext_contract::limits::SMALL_REQUEST;
use freshcontext_core::references::{Checked, Judged, References, Verdict, is_to_be_asked_again};
use freshcontext_engine::{Engine, defect};
use freshcontext_parse::registry::Registry;
use freshcontext_references::{Cited, Ecosystem, NotRecognised, Reference, recognise};
use futures_util::future::{join, join_all};
use serde_json::{Map, Value};

use crate::check::{Answered, Asker};
use crate::input::{EXAMPLE, Input, Position};
use crate::title;
use crate::tool::CHECK_REFERENCES;

/// How long a question may outlast the deadline before it counts as not asked.
const GRACE: Duration = Duration::from_millis(250);

/// Most different references of a call on which one further request may be spent.
const FEW: usize = 5;

/// A question of a call: equal ones are asked once.
type Key<'c> = (Reference, Option<&'c str>);

/// Checks references. Whatever keeps a source from answering is a verdict, not an error.
///
/// # Errors
/// [`InvalidInput`](freshcontext_contract::ErrorCode::InvalidInput) for wrong arguments;
/// [`Overloaded`](freshcontext_contract::ErrorCode::Overloaded) where no place among the calls at work comes free.
pub async fn check_references(
    engine: &Arc<Engine>,
    arguments: &Map<String, Value>,
) -> Result<References, SourceError> {
    let limits = engine.limits();
    let input = read(engine, arguments).await?;
    let position = match &input.cursor {
        Some(cursor) => {
            let state = engine.open_cursor(CHECK_REFERENCES, arguments, cursor)?;
            Position::read(&state).ok_or_else(SourceError::foreign_cursor)?
        }
        None => Position::default(),
    };
    let total = input.cited.len();
    if position.next > total {
        return Err(SourceError::invalid_input(
            "cursor",
            "is of another list of references",
            EXAMPLE,
        ));
    }
    let (places, mut behind) = position.page(total, limits.references);
    let page: Vec<(usize, &Cited)> = places
        .iter()
        .filter_map(|place| Some((*place, input.cited.get(*place)?)))
        .collect();
    let read: Vec<Result<Reference, NotRecognised>> =
        page.iter().map(|(_, cited)| recognise(&cited.text)).collect();
    let answers = answers(engine, &page, &read).await?;
    let mut checked = Vec::with_capacity(page.len());
    for ((place, cited), reference) in page.into_iter().zip(read) {
        let one = match reference {
            Ok(reference) => {
                let answered = answers.get(&key(&reference, cited)).cloned();
                made(engine, (place, cited), &reference, answered)
            }
            Err(why) => not_recognised(engine, (place, cited), why),
        };
        if is_to_be_asked_again(&one.judged) {
            behind.left.push(place);
        }
        checked.push(one);
    }
    behind.left.sort_unstable();
    let is_rest = behind.next < total || !behind.left.is_empty();
    let cursor = is_rest
        .then(|| engine.seal_cursor(CHECK_REFERENCES, arguments, &behind.state()))
        .flatten();
    Ok(References {
        checked,
        total,
        format: input.format,
        notes: input.notes,
        cursor,
    })
}

/// The arguments. Long texts are read beside the threads that serve, a few at once, because of their time and their memory.
async fn read(engine: &Arc<Engine>, arguments: &Map<String, Value>) -> Result<Input, SourceError> {
    let is_long = |text: &str| text.len() > SMALL_REQUEST;
    if !arguments.get("text").and_then(Value::as_str).is_some_and(is_long) {
        return Input::read(arguments, engine.limits());
    }
    let (own, arguments) = (Arc::clone(engine), arguments.clone());
    let reading = engine.beside(move || Input::read(&arguments, own.limits()));
    reading.await.unwrap_or_else(|| Err(defect()))
}

fn key<'c>(reference: &Reference, cited: &'c Cited) -> Key<'c> {
    let company = cited
        .company
        .as_deref()
        .filter(|_| matches!(reference, Reference::Filing { .. }));
    (reference.clone(), company)
}

/// The answers to all different questions of a page, asked at once: the pace of each host is the pipeline's to keep.
async fn answers<'c>(
    engine: &Arc<Engine>,
    page: &[(usize, &'c Cited)],
    read: &[Result<Reference, NotRecognised>],
) -> Result<HashMap<Key<'c>, Answered>, SourceError> {
    let mut keys: Vec<Key<'c>> = Vec::new();
    for ((_, cited), reference) in page.iter().zip(read) {
        if let Ok(reference) = reference {
            let key = key(reference, cited);
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
    }
    if keys.is_empty() {
        return Ok(HashMap::new());
    }
    let deadline = Instant::now() + Duration::from_millis(engine.limits().references_deadline_ms);
    let of_pypi = keys.iter().filter(|(reference, _)| is_of_pypi(reference)).count();
    let asker = Asker {
        engine,
        place: Arc::new(engine.admit().await?),
        deadline,
        asks_status: of_pypi <= 1 && keys.len() <= FEW,
    };
    let asker = &asker;
    let within = deadline.saturating_duration_since(Instant::now()) + GRACE;
    let (papers, others): (Vec<Key<'c>>, Vec<Key<'c>>) = keys
        .into_iter()
        .partition(|(reference, _)| matches!(reference, Reference::Arxiv(_)));
    let ids: Vec<String> = papers.iter().map(|(reference, _)| reference.id()).collect();
    let of_papers = async {
        if ids.is_empty() {
            return Vec::new();
        }
        let answered = tokio::time::timeout(within, asker.check_papers(&ids)).await;
        papers.into_iter().zip(answered.unwrap_or_default()).collect()
    };
    let asked = others.into_iter().map(|key| async move {
        let answered = tokio::time::timeout(within, asker.check(&key.0, key.1))
            .await
            .ok()?;
        Some((key, answered))
    });
    let (of_papers, of_others) = join(of_papers, join_all(asked)).await;
    Ok(of_papers
        .into_iter()
        .chain(of_others.into_iter().flatten())
        .collect())
}

fn is_of_pypi(reference: &Reference) -> bool {
    let pypi = Ecosystem::Registry(Registry::Pypi);
    matches!(reference, Reference::Package { ecosystem, .. } if *ecosystem == pypi)
}

fn made(
    engine: &Engine,
    (place, cited): (usize, &Cited),
    reference: &Reference,
    answered: Option<Answered>,
) -> Checked {
    let mut answered = answered.unwrap_or_else(|| Answered {
        judged: Judged::not_asked(),
        copy: None,
        checked_at: engine.clock().now(),
    });
    if answered.judged.verdict == Verdict::Gone
        && let Some(doubt) = cited.doubt
    {
        answered.judged = Judged::not_settled(doubt.as_str());
        answered.copy = None;
    }
    let has_own_title = !matches!(
        reference,
        Reference::Package { .. } | Reference::Repository { .. }
    );
    let title_differs = has_own_title
        && cited
            .title
            .as_deref()
            .zip(answered.judged.title.as_deref())
            .is_some_and(|(given, found)| title::differs(given, found));
    Checked {
        place,
        given: cited.text.clone(),
        kind: Some(reference.kind()),
        id: Some(reference.id()),
        judged: answered.judged,
        title_differs,
        archived_copy: answered.copy,
        checked_at: answered.checked_at,
    }
}

fn not_recognised(engine: &Engine, (place, cited): (usize, &Cited), why: NotRecognised) -> Checked {
    Checked {
        place,
        given: cited.text.clone(),
        kind: None,
        id: None,
        judged: Judged::not_recognised(why.as_str()),
        title_differs: false,
        archived_copy: None,
        checked_at: engine.clock().now(),
    }
}
