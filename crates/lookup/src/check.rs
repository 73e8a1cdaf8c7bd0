//! One reference after the other to its verdict: which source is asked, and what follows from its answer.

use std::sync::{Arc, PoisonError};
use std::time::Instant;

use chrono::{DateTime, Utc};
use freshcontext_contract::{CommonArgs, ErrorCode, Lookup, Presence, SourceError};
use freshcontext_core::references::{ArchivedCopy, Judged, Verdict, judge};
use freshcontext_engine::{Ask, Engine, Place};
use freshcontext_parse::registry::Registry;
use freshcontext_references::{Ecosystem, Reference};

use crate::question::{Asking, Came, Question, Slot};

/// What all questions of one call share.
pub(crate) struct Asker<'e> {
    pub(crate) engine: &'e Arc<Engine>,
    pub(crate) place: Arc<Place>,
    pub(crate) deadline: Instant,
    /// Whether one package of PyPI at most is asked about, among few references: a further request may be spent on it.
    pub(crate) asks_status: bool,
}

/// A verdict, and when its source was asked.
#[derive(Clone)]
pub(crate) struct Answered {
    pub(crate) judged: Judged,
    pub(crate) copy: Option<ArchivedCopy>,
    pub(crate) checked_at: DateTime<Utc>,
}

/// What a question came to, and when its source gave the answer.
type Read = (Result<Lookup, SourceError>, Option<DateTime<Utc>>);

fn unanswered() -> Read {
    (
        Err(SourceError::internal("a question was answered as another one")),
        None,
    )
}

impl Asker<'_> {
    /// The verdict on a reference. `company` is the one that a filing is of.
    pub(crate) async fn check(&self, reference: &Reference, company: Option<&str>) -> Answered {
        let (read, at) = self.look_up(reference, company).await;
        let now = self.engine.clock().now();
        let judged = judge(read, now);
        let mut copy = None;
        if judged.verdict == Verdict::Gone
            && let Some(page) = reference.page()
            && let Ok((Came::Copy(found), _)) = self.ask(Question::Copy(page)).await
        {
            copy = found;
        }
        Answered {
            judged,
            copy,
            checked_at: at.unwrap_or(now),
        }
    }

    async fn look_up(&self, reference: &Reference, company: Option<&str>) -> Read {
        let question = match reference {
            Reference::Doi(doi) => return self.doi(doi).await,
            Reference::Isbn(_) => return (Ok(Lookup::new(Presence::Unsettled("no_source"))), None),
            Reference::Arxiv(id) => {
                return self
                    .papers(std::slice::from_ref(id))
                    .await
                    .pop()
                    .unwrap_or_else(unanswered);
            }
            Reference::Page(url) => Question::Page(url.clone()),
            Reference::Package {
                ecosystem,
                name,
                version,
            } => match ecosystem {
                // PyPI takes no local versions (<https://packaging.python.org/en/latest/specifications/version-specifiers/>),
                // so it does not know whether `2.1.0+cu118` exists elsewhere.
                Ecosystem::Registry(Registry::Pypi)
                    if version.as_ref().is_some_and(|version| version.contains('+')) =>
                {
                    return (Ok(Lookup::new(Presence::Unsettled("not_covered"))), None);
                }
                Ecosystem::Registry(registry) => {
                    Question::Package(*registry, name.clone(), version.clone(), self.asks_status)
                }
                Ecosystem::Go => Question::Module(name.clone(), version.clone()),
            },
            Reference::Repository { repository, tag } => {
                Question::Repository(repository.clone(), tag.clone())
            }
            Reference::Advisory(id) => Question::Advisory(id.clone()),
            Reference::HackerNews(id) => Question::HackerNews(*id),
            Reference::Reddit { post, comment } => Question::Reddit {
                address: reference.id(),
                name: match comment {
                    Some(comment) => format!("t1_{comment}"),
                    None => format!("t3_{post}"),
                },
            },
            Reference::Filing { accession, cik } => {
                let company = company
                    .map(str::to_owned)
                    .or_else(|| cik.map(|cik| cik.to_string()));
                Question::Filing(accession.clone(), company)
            }
            Reference::Award(id) => Question::Award(id.clone()),
            Reference::Tender(number) => Question::Tender(number.clone()),
            Reference::Rfc(number) => Question::Rfc(*number),
        };
        self.lookup(question).await
    }

    /// The verdicts on papers of arXiv, in their order, by one question.
    pub(crate) async fn check_papers(&self, ids: &[String]) -> Vec<Answered> {
        let read = self.papers(ids).await;
        let now = self.engine.clock().now();
        let answered = read.into_iter().map(|(read, at)| Answered {
            judged: judge(read, now),
            copy: None,
            checked_at: at.unwrap_or(now),
        });
        answered.collect()
    }

    async fn papers(&self, ids: &[String]) -> Vec<Read> {
        match self.ask(Question::Arxiv(ids.to_vec())).await {
            Ok((Came::Lookups(lookups), at)) => lookups.into_iter().map(|lookup| (Ok(lookup), at)).collect(),
            Ok(_) => ids.iter().map(|_| unanswered()).collect(),
            Err(error) => ids
                .iter()
                .map(|_| (Err(error.clone()), error.retrieved_at))
                .collect(),
        }
    }

    /// Crossref, then DataCite. Where neither has it, the owner of its prefix tells whether Crossref would.
    async fn doi(&self, doi: &str) -> Read {
        let is_absent = |read: &Result<Lookup, SourceError>| {
            read.as_ref()
                .is_err_and(|error| error.code == ErrorCode::NotFound)
        };
        let first = self.lookup(Question::Crossref(doi.to_owned())).await;
        if !is_absent(&first.0) {
            return first;
        }
        let second = self.lookup(Question::DataCite(doi.to_owned())).await;
        if !is_absent(&second.0) {
            return second;
        }
        let prefix = doi.split('/').next().unwrap_or_default();
        self.lookup(Question::CrossrefPrefix(prefix.to_owned())).await
    }

    async fn lookup(&self, question: Question) -> Read {
        match self.ask(question).await {
            Ok((Came::Lookup(lookup), at)) => (Ok(lookup), at),
            Ok(_) => unanswered(),
            Err(error) => {
                let at = error.retrieved_at;
                (Err(error), at)
            }
        }
    }

    async fn ask(&self, question: Question) -> Result<(Came, Option<DateTime<Utc>>), SourceError> {
        let slot = Slot::default();
        let asking = Asking {
            question,
            slot: Arc::clone(&slot),
        };
        let adapter: Arc<dyn freshcontext_contract::AnyAdapter> = Arc::new(asking);
        let ask = Ask {
            common: CommonArgs::defaults(&adapter.descriptor().args),
            adapter,
            own: serde_json::Map::new(),
            deadline: self.deadline,
            place: Arc::clone(&self.place),
            transport: None,
        };
        self.engine.read(ask, |_, _| Ok(())).await?;
        let came = slot.lock().unwrap_or_else(PoisonError::into_inner).take();
        came.ok_or_else(|| SourceError::internal("a question was not answered"))
    }
}
