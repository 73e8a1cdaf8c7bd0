//! The registry of all sources, and of the composites that call several of them.

mod arguments;
mod company;
mod composite;
mod landscapes;
mod question;

pub use composite::{Composite, Identify, PartCall, Plan};

use freshcontext_contract::{AnyAdapter, erased};

/// Returns all adapters, in no particular order.
pub fn adapters() -> Vec<Box<dyn AnyAdapter>> {
    vec![
        // adapters, one line each
        erased(freshcontext_adapter_arxiv::Arxiv),
        erased(freshcontext_adapter_changelog::Changelog),
        erased(freshcontext_adapter_finance::Finance),
        erased(freshcontext_adapter_gdelt::Gdelt),
        erased(freshcontext_adapter_gebiz::Gebiz),
        erased(freshcontext_adapter_github::GitHub),
        erased(freshcontext_adapter_github::RepoSearch),
        erased(freshcontext_adapter_govcontracts::GovContracts),
        erased(freshcontext_adapter_hackernews::HackerNews),
        erased(freshcontext_adapter_jobs::Jobs),
        erased(freshcontext_adapter_packages::Packages),
        erased(freshcontext_adapter_producthunt::ProductHunt),
        erased(freshcontext_adapter_reddit::Reddit),
        erased(freshcontext_adapter_scholar::Scholar),
        erased(freshcontext_adapter_sec::SecFilings),
        erased(freshcontext_adapter_yc::Yc),
    ]
}

/// Returns all composites, in no particular order.
pub fn composites() -> &'static [Composite] {
    &landscapes::COMPOSITES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_say_where_they_are_from_and_what_to_tell_the_reader() {
        for adapter in adapters() {
            let facts = adapter.descriptor();
            let links = facts.rates.iter().map(|rate| (rate.host, rate.link));
            let places = facts
                .credentials
                .iter()
                .map(|credential| (credential.host, credential.obtain));
            for (host, address) in links.chain(places) {
                assert!(
                    address.starts_with("https://"),
                    "{}: {host}: {address:?}",
                    facts.id
                );
            }
            let rules = facts.status_rules.iter().map(|rule| rule.message);
            let markers = facts.markers.iter().map(|marker| marker.message);
            for message in rules.chain(markers) {
                assert!(
                    !message.is_empty(),
                    "{}: a rule or marker without a word",
                    facts.id
                );
            }
        }
    }
}
