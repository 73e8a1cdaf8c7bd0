//! Several routes to the same facts: which is tried next, and how failed ones are reported.

use std::fmt::Write as _;
use std::future::Future;
use std::time::Duration;

use crate::cx::Cx;
use crate::descriptor::Descriptor;
use crate::error::{ErrorCode, SourceError};
use crate::source_result::SourceResult;

/// No further route is begun with less time than this.
const ENOUGH_TIME: Duration = Duration::from_secs(2);

/// What the first route that answered gave.
#[derive(Debug)]
pub struct Routed<T> {
    /// Its answer.
    pub answer: T,
    /// Its id in the descriptor.
    pub route: &'static str,
    /// The routes asked before it, and why each failed.
    pub failed: Vec<(&'static str, SourceError)>,
    descriptor: &'static Descriptor,
}

impl<T> Routed<T> {
    /// A remark for the reader on each route that failed.
    pub fn notes(&self) -> impl Iterator<Item = String> + '_ {
        self.failed.iter().map(|(route, error)| {
            let name = self.descriptor.route_name(route);
            let mut letters = name.chars();
            let name: String = letters
                .next()
                .into_iter()
                .flat_map(char::to_uppercase)
                .chain(letters)
                .collect();
            format!("{name} did not answer ({error})")
        })
    }
}

impl Routed<SourceResult> {
    /// The result of the route that answered, under its name and with a remark on each that failed before it.
    pub fn into_result(self) -> SourceResult {
        let notes: Vec<String> = self.notes().collect();
        let mut result = self.answer;
        result.route = Some(self.route);
        result.notes.extend(notes);
        result
    }
}

impl Cx<'_> {
    /// Asks one route after the other, of those that are open, until one answers. A route is an enum of the source's
    /// ([`texts!`](crate::texts)) whose ids are those of the descriptor. The one rule for all sources:
    /// the next is asked where [`ErrorCode::another_route_may_help`], or where the failure is one of `also` (an
    /// index that does not know everything says `not_found` of what exists).
    ///
    /// # Errors
    /// The source's own statement, if a route gave one; otherwise the failure of the first route that is not in `also`,
    /// with the others named.
    pub async fn first_route<R, T, F>(
        &self,
        routes: &[R],
        also: &[ErrorCode],
        ask: impl Fn(R) -> F,
    ) -> Result<Routed<T>, SourceError>
    where
        R: Copy + Into<&'static str>,
        F: Future<Output = Result<T, SourceError>>,
    {
        let mut failed: Vec<(&'static str, SourceError)> = Vec::new();
        for asked in routes.iter().copied() {
            let route: &'static str = asked.into();
            if !self.route_open(route) {
                continue;
            }
            if !failed.is_empty() && self.remaining() < ENOUGH_TIME {
                break;
            }
            match ask(asked).await {
                Ok(answer) => {
                    return Ok(Routed {
                        answer,
                        route,
                        failed,
                        descriptor: self.descriptor(),
                    });
                }
                Err(error) if error.code.another_route_may_help() || also.contains(&error.code) => {
                    failed.push((route, error));
                }
                Err(error) => return Err(self.naming(error, &failed)),
            }
        }
        if failed.is_empty() {
            return Err(SourceError::new(
                ErrorCode::Misconfigured,
                "no route that could answer this is turned on",
            ));
        }
        // That the thing does not exist is believed of the route that was asked last: of one before it, it was a
        // reason to ask on. Else what kept the first from answering counts.
        let missing = failed
            .last()
            .is_some_and(|(_, error)| error.code == ErrorCode::NotFound);
        let told = if missing {
            failed.len() - 1
        } else {
            let plain = failed.iter().position(|(_, error)| !also.contains(&error.code));
            plain.unwrap_or(0)
        };
        let (_, error) = failed.remove(told);
        Err(self.naming(error, &failed))
    }

    fn naming(&self, mut error: SourceError, others: &[(&'static str, SourceError)]) -> SourceError {
        for (route, other) in others {
            let name = self.descriptor().route_name(route);
            let _ = write!(error.message, "; {name}: {}", other.code);
        }
        error
    }
}
