//! Asking a source again: the cheap question first, everything only where that does not settle it. For `recheck` and for
//! deliverables alike.

use std::sync::Arc;
use std::time::{Duration, Instant};

use freshcontext_contract::{AnyAdapter, Earlier, EarlierRequest, ErrorCode, Evidence, Listing, SourceError};
use freshcontext_core::answer::Scored;
use freshcontext_engine::{Ask, Collected, Place};
use serde_json::{Map, Value};

use crate::Follow;
use crate::peeking::{Peeking, Settled};
use crate::watch::Watch;

/// RFC 9110, section 15.5.11: gone, and likely for good.
const GONE: u16 = 410;

/// A place among the calls at work, and until when.
#[derive(Clone)]
pub(crate) struct Admitted {
    pub place: Arc<Place>,
    pub deadline: Instant,
}

/// What a section of a composite is asked within.
#[derive(Default)]
pub(crate) struct Within {
    /// The place that the composite has.
    pub admitted: Option<Admitted>,
    /// The least score of the items that the caller wants to see.
    pub least: Option<f64>,
}

/// What a source says when it is asked again.
pub(crate) enum Again {
    /// The same: the cheap question settled it, by this evidence.
    Unchanged(Vec<Evidence>),
    /// Everything was fetched.
    Fetched(Box<Scored>),
}

/// Whether a failure is the source's word that the one thing that was answered is no more: it knows none of the name that was
/// asked for, or says that it is gone, by its status or in its answer. Of a list, an address that is gone tells nothing.
pub(crate) fn says_gone(error: &SourceError, listing: Listing, items: usize) -> bool {
    let said = error.http_status == Some(GONE) || !error.standing.is_empty();
    error.code == ErrorCode::NotFound && items <= 1 && (said || listing == Listing::Named)
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
