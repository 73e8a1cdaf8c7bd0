//! The cheapest question about a reference, asked as any source is asked: on the reading threads, under its own descriptor.

use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, Utc};
use freshcontext_adapter_arxiv as arxiv;
use freshcontext_adapter_changelog as pages;
use freshcontext_adapter_gebiz as gebiz;
use freshcontext_adapter_github as github;
use freshcontext_adapter_govcontracts as govcontracts;
use freshcontext_adapter_hackernews as hackernews;
use freshcontext_adapter_packages as packages;
use freshcontext_adapter_reddit as reddit;
use freshcontext_adapter_scholar as scholar;
use freshcontext_adapter_sec as sec;
use freshcontext_contract::{
    AnyAdapter, BoxFuture, Cx, Descriptor, Earlier, Lookup, Peeked, Presence, SourceError, SourceResult,
};
use freshcontext_core::references::ArchivedCopy;
use freshcontext_parse::github::Repository;
use freshcontext_parse::registry::Registry;
use serde_json::{Map, Value};
use url::Url;

use crate::registries::{archive, datacite, go, osv, rfc};

/// One question to one source.
#[derive(Debug, Clone)]
pub(crate) enum Question {
    Crossref(String),
    CrossrefPrefix(String),
    DataCite(String),
    /// Of several papers: arXiv answers one request in three seconds.
    Arxiv(Vec<String>),
    Page(Url),
    /// With whether a further request may be spent on it.
    Package(Registry, String, Option<String>, bool),
    Module(String, Option<String>),
    Repository(Repository, Option<String>),
    Advisory(String),
    HackerNews(u64),
    Reddit {
        address: String,
        name: String,
    },
    Filing(String, Option<String>),
    Award(String),
    Tender(String),
    Rfc(u32),
    Copy(Url),
}

/// What a question came to.
pub(crate) enum Came {
    Lookup(Lookup),
    /// Of several references, in their order.
    Lookups(Vec<Lookup>),
    Copy(Option<ArchivedCopy>),
}

impl Question {
    const fn descriptor(&self) -> &'static Descriptor {
        match self {
            Self::Crossref(_) | Self::CrossrefPrefix(_) => &scholar::DESCRIPTOR,
            Self::DataCite(_) => &datacite::DESCRIPTOR,
            Self::Arxiv(_) => &arxiv::DESCRIPTOR,
            Self::Page(_) => &pages::DESCRIPTOR,
            Self::Package(..) => &packages::DESCRIPTOR,
            Self::Module(..) => &go::DESCRIPTOR,
            Self::Repository(..) => &github::GITHUB,
            Self::Advisory(_) => &osv::DESCRIPTOR,
            Self::HackerNews(_) => &hackernews::DESCRIPTOR,
            Self::Reddit { .. } => &reddit::DESCRIPTOR,
            Self::Filing(..) => &sec::DESCRIPTOR,
            Self::Award(_) => &govcontracts::DESCRIPTOR,
            Self::Tender(_) => &gebiz::DESCRIPTOR,
            Self::Rfc(_) => &rfc::DESCRIPTOR,
            Self::Copy(_) => &archive::DESCRIPTOR,
        }
    }

    async fn run(&self, cx: &Cx<'_>) -> Result<Came, SourceError> {
        let lookup = match self {
            Self::Crossref(doi) => scholar::look_up(cx, doi).await?,
            Self::CrossrefPrefix(prefix) => {
                let gone = scholar::look_up_prefix(cx, prefix).await?;
                gone.unwrap_or_else(|| Lookup::new(Presence::Unsettled("other_agency")))
            }
            Self::DataCite(doi) => datacite::look_up(cx, doi).await?,
            Self::Arxiv(ids) => return Ok(Came::Lookups(arxiv::look_up(cx, ids).await?)),
            Self::Page(url) => pages::look_up(cx, url).await?,
            Self::Package(registry, name, version, asks_status) => {
                packages::look_up(cx, *registry, name, version.as_deref(), *asks_status).await?
            }
            Self::Module(module, version) => go::look_up(cx, module, version.as_deref()).await?,
            Self::Repository(repository, tag) => github::look_up(cx, repository, tag.as_deref()).await?,
            Self::Advisory(id) => osv::look_up(cx, id).await?,
            Self::HackerNews(id) => hackernews::look_up(cx, *id).await?,
            Self::Reddit { address, name } => reddit::look_up(cx, address, name).await?,
            Self::Filing(accession, company) => sec::look_up(cx, accession, company.as_deref()).await?,
            Self::Award(id) => govcontracts::look_up(cx, id).await?,
            Self::Tender(number) => gebiz::look_up(cx, number).await?,
            Self::Rfc(number) => rfc::look_up(cx, *number).await?,
            Self::Copy(page) => return Ok(Came::Copy(archive::copy_of(cx, page).await?)),
        };
        Ok(Came::Lookup(lookup))
    }
}

/// The descriptors of registries that no tool of its own asks: their hosts have paces like any other's.
pub fn descriptors() -> [&'static Descriptor; 5] {
    [
        &datacite::DESCRIPTOR,
        &go::DESCRIPTOR,
        &osv::DESCRIPTOR,
        &rfc::DESCRIPTOR,
        &archive::DESCRIPTOR,
    ]
}

/// Where the answer to a question is left, with the moment at which its source gave it.
pub(crate) type Slot = Arc<Mutex<Option<(Came, Option<DateTime<Utc>>)>>>;

/// A question in the form in which the engine asks sources.
pub(crate) struct Asking {
    pub(crate) question: Question,
    pub(crate) slot: Slot,
}

impl AnyAdapter for Asking {
    fn descriptor(&self) -> &'static Descriptor {
        self.question.descriptor()
    }

    fn input_schema(&self) -> Value {
        Value::Null
    }

    fn collect<'a>(
        &'a self,
        cx: &'a Cx<'_>,
        _: Map<String, Value>,
    ) -> BoxFuture<'a, Result<SourceResult, SourceError>> {
        Box::pin(async move {
            let came = self.question.run(cx).await?;
            *self.slot.lock().unwrap_or_else(PoisonError::into_inner) = Some((came, cx.seen().retrieved_at));
            // Never shown: the answer is in the slot.
            let nowhere = Url::parse("https://reference.invalid/");
            let nowhere = nowhere.map_err(|_| SourceError::internal("a built-in address does not parse"))?;
            Ok(SourceResult::new(nowhere, Vec::new()))
        })
    }

    fn peek<'a>(
        &'a self,
        _: &'a Cx<'_>,
        _: Map<String, Value>,
        _: &'a Earlier,
    ) -> BoxFuture<'a, Result<Peeked, SourceError>> {
        Box::pin(std::future::ready(Ok(Peeked::Untold)))
    }
}
