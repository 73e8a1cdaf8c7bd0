//! What calls saw of each source since the start of the process.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, SubsecRound as _, Utc};
use freshcontext_contract::{ErrorCode, SourceError, SourceResult};

use super::Failed;
use crate::retrievals::is_of_retrieval;

/// What was seen of one source.
#[derive(Debug, Clone, Default)]
pub(crate) struct SeenSource {
    pub(crate) success: Option<DateTime<Utc>>,
    pub(crate) failure: Option<Failed>,
    pub(crate) block_page: Option<DateTime<Utc>>,
    pub(crate) route: Option<&'static str>,
    /// Whether it failed when it was last asked.
    pub(crate) failing: bool,
}

/// What was seen of all sources, by adapter id. Its size is bounded by the number of adapters.
#[derive(Debug, Default)]
pub(crate) struct SeenSources(Mutex<HashMap<&'static str, SeenSource>>);

impl SeenSources {
    fn lock(&self) -> MutexGuard<'_, HashMap<&'static str, SeenSource>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn of(&self, source: &str) -> SeenSource {
        self.lock().get(source).cloned().unwrap_or_default()
    }

    /// Notes an answer, and the parts of it that failed: when the oldest of its responses left the source, and whether none
    /// came from the cache.
    pub(crate) fn answered(
        &self,
        source: &'static str,
        result: &SourceResult,
        (retrieved_at, from_source): (Option<DateTime<Utc>>, bool),
        now: DateTime<Utc>,
    ) {
        for part in &result.failures {
            self.failed(source, &part.error, now);
        }
        let mut sources = self.lock();
        let seen = sources.entry(source).or_default();
        let success = Some(retrieved_at.unwrap_or(now).trunc_subsecs(0));
        // An older answer from the cache says nothing about the source now.
        if success >= seen.success {
            seen.success = success;
            seen.route = result.route.or(seen.route);
            if from_source {
                seen.failing = false;
            }
        }
    }

    /// Notes a block page that came in answer to a request, also where another route makes up for it.
    pub(crate) fn met(&self, source: &'static str, error: &SourceError, now: DateTime<Utc>) {
        if error.code == ErrorCode::Challenge {
            self.lock().entry(source).or_default().block_page = Some(now.trunc_subsecs(0));
        }
    }

    /// Notes a failed call or a part of one. Only what says something about the source counts.
    pub(crate) fn failed(&self, source: &'static str, error: &SourceError, now: DateTime<Utc>) {
        let at = now.trunc_subsecs(0);
        let mut sources = self.lock();
        let seen = sources.entry(source).or_default();
        if error.code == ErrorCode::NotFound {
            // The source answered that there is nothing.
            seen.success = seen.success.max(Some(at));
            seen.failing = false;
        }
        if !is_of_retrieval(error.code) {
            return;
        }
        if error.code == ErrorCode::Challenge {
            seen.block_page = Some(at);
        }
        seen.failing = true;
        seen.failure = Some(Failed {
            at,
            code: error.code.as_str().to_owned(),
            http_status: error.http_status,
        });
    }
}
