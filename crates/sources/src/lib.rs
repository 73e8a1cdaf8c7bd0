//! The registry: every source, and the composites that call several of them at once.

mod arguments;
mod composite;
mod landscapes;
mod question;

pub use composite::{Composite, PartCall, Plan};

use freshcontext_contract::AnyAdapter;

/// Every adapter, in no particular order.
pub fn adapters() -> Vec<Box<dyn AnyAdapter>> {
    [
        // adapters, one line each
        freshcontext_adapter_arxiv::adapters(),
        freshcontext_adapter_changelog::adapters(),
        freshcontext_adapter_finance::adapters(),
        freshcontext_adapter_gdelt::adapters(),
        freshcontext_adapter_gebiz::adapters(),
        freshcontext_adapter_github::adapters(),
        freshcontext_adapter_govcontracts::adapters(),
        freshcontext_adapter_hackernews::adapters(),
        freshcontext_adapter_jobs::adapters(),
        freshcontext_adapter_packages::adapters(),
        freshcontext_adapter_producthunt::adapters(),
        freshcontext_adapter_reddit::adapters(),
        freshcontext_adapter_scholar::adapters(),
        freshcontext_adapter_sec::adapters(),
        freshcontext_adapter_yc::adapters(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Every composite, in no particular order.
pub fn composites() -> &'static [Composite] {
    &landscapes::COMPOSITES
}
