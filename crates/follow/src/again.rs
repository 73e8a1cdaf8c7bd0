//! Asking a source again: the cheap question first, everything only where that does not settle it. For `recheck` and for
//! deliverables alike.

use std::sync::Arc;
use std::time::{Duration, Instant};

use freshcontext_contract::{AnyAdapter, Earlier, EarlierRequest, Evidence, SourceError};
use freshcontext_core::answer::Scored;
use freshcontext_engine::{Ask, Collected, Place};
use serde_json::{Map, Value};

use crate::Follow;
use crate::peeking::{Peeking, Settled};
use crate::watch::Watch;

/// A place among the calls at work, and until when.
#[derive(Clone)]
pub(crate) struct Admitted {
    pub place: Arc<Place>,
    pub deadline: Instant,
}

/// What a source says when it is asked again.
pub(crate) enum Again {
    /// The same: the cheap question settled it, by this evidence.
    Unchanged(Vec<Evidence>),
    /// Everything was fetched.
    Fetched(Box<Scored>),
}

impl Follow {
    /// Asks a source again, past the cache: a copy of the answer would confirm itself. `earlier` are the exchanges of the
    /// earlier answer; without any, everything is fetched. `admitted` is the place that the whole call has already.
    pub(crate) async fn ask_again(
        &self,
        adapter: &Arc<dyn AnyAdapter>,
        arguments: &Map<String, Value>,
        earlier: Vec<EarlierRequest>,
        admitted: Option<Admitted>,
        watch: &Arc<Watch>,
    ) -> Result<Again, SourceError> {
        let engine = &self.engine;
        let (mut common, own) = engine.prepare(adapter.as_ref(), arguments)?;
        common.max_age = Some(Duration::ZERO);
        let admitted = match admitted {
            Some(admitted) => admitted,
            None => Admitted {
                place: Arc::new(engine.admit().await?),
                deadline: Instant::now() + Duration::from_millis(engine.limits().call_deadline_ms),
            },
        };
        engine.prepare_tables();
        let settled = Arc::new(Settled::default());
        let ask = Ask {
            adapter: Arc::new(Peeking {
                inner: Arc::clone(adapter),
                earlier: Earlier { asked: earlier },
                settled: Arc::clone(&settled),
            }),
            common,
            own,
            deadline: admitted.deadline,
            place: admitted.place,
            transport: Some(Arc::clone(watch) as _),
        };
        let descriptor = adapter.descriptor();
        let arguments = arguments.clone();
        engine
            .read(ask, move |engine, collected: Collected| {
                if let Some(evidence) = settled.take() {
                    return Ok(Again::Unchanged(evidence));
                }
                let scored = engine.score(descriptor, collected, &arguments)?;
                Ok(Again::Fetched(Box::new(scored)))
            })
            .await
    }
}
