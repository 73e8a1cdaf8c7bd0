//! Assembles one run: settings, pipeline, engine.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use freshcontext_contract::{AnyAdapter, Clock, Descriptor, Transport};
use freshcontext_coordination::Coordinator;
use freshcontext_fetch::{Config, Deny, Observe, Pipeline, ProxyConfig, TokioTimer, Upstream};
use freshcontext_sources::{adapters, composites};

use crate::replicas::Watched;
use freshcontext_config::{ConfigError, Settings};
use freshcontext_engine::about::secret_names;
use freshcontext_engine::retrievals::{FailureLog, Told, ToldSource};
use freshcontext_engine::{Engine, Parts, Toolset};
use freshcontext_files::read::{self as input, Bound};
use freshcontext_follow::{Follow, TimeToolset};
use freshcontext_lookup::ReferencesToolset;
use freshcontext_metrics::{Metered, Metrics};
use freshcontext_serve::http::ClosedTool;
use freshcontext_spec::signed::{Given, Keyring};

/// Differences between the kinds of runs.
#[derive(Default)]
struct Wiring {
    /// Replaces the settings' clock.
    clock: Option<Arc<dyn Clock>>,
    observer: Option<Arc<dyn Observe>>,
    /// Whether retrieval failures are logged at the default level, for runs whose results no person sees.
    told: bool,
    counted: bool,
}

/// An assembled server without a transport.
pub struct App {
    /// Runs the tools.
    pub engine: Arc<Engine>,
    /// Rechecks, deliverables and stored records, if the toolset `time` is enabled.
    pub follow: Option<Follow>,
    /// Sends the requests.
    pub pipeline: Arc<Pipeline>,
    /// Metrics, if enabled.
    pub metrics: Option<Arc<Metrics>>,
    /// What replicas share, if Redis is configured.
    pub shared: Option<Coordinator>,
}

impl App {
    /// Assembles everything. Makes no requests and reads no file except `extra_ca`.
    pub fn build(settings: &Settings, environment: &[(String, String)]) -> Result<Self, ConfigError> {
        Self::assemble(settings, environment, Wiring::default())
    }

    /// Like [`build`](Self::build), and logs retrieval failures.
    pub fn build_for_stdio(
        settings: &Settings,
        environment: &[(String, String)],
    ) -> Result<Self, ConfigError> {
        let wiring = Wiring {
            told: true,
            ..Wiring::default()
        };
        Self::assemble(settings, environment, wiring)
    }

    /// Like [`build`](Self::build), with an exchange observer and an optional clock.
    pub fn build_observed(
        settings: &Settings,
        environment: &[(String, String)],
        observer: Arc<dyn Observe>,
        clock: Option<Arc<dyn Clock>>,
    ) -> Result<Self, ConfigError> {
        let wiring = Wiring {
            observer: Some(observer),
            clock,
            ..Wiring::default()
        };
        Self::assemble(settings, environment, wiring)
    }

    /// Like [`build_for_stdio`](Self::build_for_stdio), with metrics for `GET /metrics` if the settings
    /// enable them.
    pub fn build_for_http(
        settings: &Settings,
        environment: &[(String, String)],
    ) -> Result<Self, ConfigError> {
        let wiring = Wiring {
            told: true,
            counted: settings.http.serves_metrics(),
            ..Wiring::default()
        };
        Self::assemble(settings, environment, wiring)
    }

    /// Returns the toolset `time`, or an error if it is disabled.
    pub fn follow(&self) -> Result<&Follow, ConfigError> {
        self.follow
            .as_ref()
            .ok_or_else(|| ConfigError("this needs the toolset `time` (`toolsets`)".to_owned()))
    }

    fn assemble(
        settings: &Settings,
        environment: &[(String, String)],
        wiring: Wiring,
    ) -> Result<Self, ConfigError> {
        let Wiring {
            clock,
            observer,
            told,
            counted,
        } = wiring;
        let clock = clock.unwrap_or_else(|| settings.clock());
        let mut adapters = adapters();
        let descriptors: Vec<&'static Descriptor> =
            adapters.iter().map(|adapter| adapter.descriptor()).collect();
        let metrics = counted
            .then(|| Metrics::new(&descriptors).map(Arc::new))
            .transpose()
            .map_err(|error| ConfigError(format!("`http.metrics`: {error}")))?;
        let mut config = pipeline_config(settings, environment, descriptors, Arc::clone(&clock))?;
        if settings.with_references() {
            config.descriptors.extend(freshcontext_lookup::descriptors());
        }
        config.observer = observer;
        let shared = coordinator(settings)?;
        if let Some(shared) = &shared {
            config.shared = Some(Arc::new(shared.clone()));
        }
        let pipeline = Arc::new(Pipeline::new(config).map_err(|error| ConfigError(error.to_string()))?);
        let mut transport: Arc<dyn Transport> = Arc::clone(&pipeline) as Arc<dyn Transport>;
        if let Some(metrics) = &metrics {
            transport = Arc::new(Metered::new(transport, Arc::clone(metrics)));
        }
        if told {
            let log = Arc::new(FailureLog::default());
            transport = Arc::new(Told {
                inner: transport,
                log: Arc::clone(&log),
            });
            let telling = |inner| -> Box<dyn AnyAdapter> {
                let log = Arc::clone(&log);
                Box::new(ToldSource { inner, log })
            };
            adapters = adapters.into_iter().map(telling).collect();
        }
        let toolset = settings.with_time().then(|| TimeToolset::new(settings.store()));
        let of_references = settings
            .with_references()
            .then(|| Arc::new(ReferencesToolset) as Arc<dyn Toolset>);
        let of_time = toolset
            .clone()
            .map(|toolset| Arc::new(toolset) as Arc<dyn Toolset>);
        let parts = Parts {
            adapters,
            composites: composites().iter().collect(),
            transport,
            clock,
            toolsets: of_time.into_iter().chain(of_references).collect(),
        };
        let unused_proxy = proxy_variable(environment).filter(|_| !settings.proxy);
        let watched = Watched {
            pipeline: Arc::clone(&pipeline),
            shared: shared.clone(),
        };
        let mut engine = Engine::new(settings, parts)
            .map_err(|error| ConfigError(error.to_string()))?
            .watching(Arc::new(watched))
            .with_unused_proxy(unused_proxy.map(|(name, _)| name));
        if let Some(metrics) = &metrics {
            engine = engine.counting(Arc::clone(metrics));
        }
        let engine = Arc::new(engine.signing(keyring(settings)?));
        Ok(Self {
            follow: toolset.map(|toolset| Follow::new(Arc::clone(&engine), toolset)),
            engine,
            pipeline,
            metrics,
            shared,
        })
    }
}

/// Prepares what replicas share, if Redis is configured.
pub(crate) fn coordinator(settings: &Settings) -> Result<Option<Coordinator>, ConfigError> {
    let Some(address) = &settings.redis_url else {
        return Ok(None);
    };
    Coordinator::new(freshcontext_coordination::Options {
        address: address.expose().to_owned(),
        replicas: settings.replicas,
        limits: settings.limits.clone(),
        timer: Arc::new(TokioTimer),
    })
    .map(Some)
    .map_err(|error| ConfigError(format!("`redis_url`: {error}")))
}

/// Returns the keys that sign, if there are any. Reads the files that the settings name.
pub(crate) fn keyring(settings: &Settings) -> Result<Option<Arc<Keyring>>, ConfigError> {
    let signing = &settings.signing;
    if signing.keys.is_empty() {
        return Ok(None);
    }
    let wrong = |what: String| ConfigError(format!("`signing.keys`: {what}"));
    let mut seeds = Vec::new();
    for (id, key) in &signing.keys {
        let seed = match key.expose().strip_prefix("file:") {
            None => key.expose().to_owned(),
            Some(file) => {
                let bytes = input::read_file(Path::new(file), Bound::config(&settings.limits));
                let bytes = bytes.map_err(|refused| wrong(refused.to_string()))?;
                String::from_utf8_lossy(&bytes).trim().to_owned()
            }
        };
        seeds.push((id, seed));
    }
    let given: Vec<Given<'_>> = seeds
        .iter()
        .map(|(id, seed)| Given {
            id,
            seed,
            until: signing.retired.get(*id).copied(),
        })
        .collect();
    let keys = Keyring::new(&given, signing.key.as_deref()).map_err(|error| wrong(error.to_string()))?;
    Ok(Some(Arc::new(keys)))
}

/// Returns the tools that an engine does not offer, each with what opens it.
pub(crate) fn closed_tools(engine: &Engine) -> Vec<ClosedTool> {
    let sources = adapters();
    let sources = sources.iter().map(|adapter| adapter.descriptor().tool);
    let disabled = sources
        .chain(composites().iter().map(|composite| composite.tool))
        .chain([freshcontext_engine::EVALUATE])
        .map(|name| {
            (
                name.to_owned(),
                "take it out of `disable_sources` (FRESHCONTEXT_DISABLE_SOURCES)",
            )
        });
    let time = TimeToolset::new(None);
    let toolsets: [(&dyn Toolset, &str); 2] = [
        (&time, "add `time` to `toolsets` (FRESHCONTEXT_TOOLSETS)"),
        (
            &ReferencesToolset,
            "add `references` to `toolsets` (FRESHCONTEXT_TOOLSETS)",
        ),
    ];
    let optional = toolsets.into_iter().flat_map(|(toolset, opened_by)| {
        let tools = toolset.tools().into_iter();
        tools.map(move |tool| (tool.name, opened_by)).collect::<Vec<_>>()
    });
    disabled
        .chain(optional)
        .filter(|(name, _)| engine.tool(name).is_none())
        .map(|(name, opened_by)| ClosedTool {
            name,
            opened_by: opened_by.to_owned(),
        })
        .collect()
}

/// Builds the pipeline's configuration. Checks the names of sources and routes.
fn pipeline_config(
    settings: &Settings,
    environment: &[(String, String)],
    descriptors: Vec<&'static Descriptor>,
    clock: Arc<dyn Clock>,
) -> Result<Config, ConfigError> {
    check_names(settings, &descriptors)?;
    let mut config = Config::new(clock);
    config.limits = settings.limits.clone();
    if !settings.cache {
        config.limits.cache_bytes = 0;
    }
    for (host, base) in &settings.upstreams {
        let entry = format!("{host}={base}");
        config
            .upstreams
            .push(Upstream::parse(&entry).map_err(|error| ConfigError(format!("`upstreams`: {error}")))?);
    }
    config.deny =
        Deny::parse(&settings.egress_deny).map_err(|error| ConfigError(format!("`egress.deny`: {error}")))?;
    if settings.proxy {
        config.proxy = proxy(environment)?;
    }
    if let Some(file) = &settings.extra_ca {
        let pem = input::read_file(file, Bound::config(&settings.limits))
            .map_err(|refused| ConfigError(format!("`extra_ca`: {refused}")))?;
        config.extra_ca_pem = Some(pem);
    }
    config.secrets = secrets(environment, &descriptors);
    if let Some(contact) = &settings.contact {
        config
            .secrets
            .insert("FRESHCONTEXT_CONTACT".to_owned(), contact.clone());
    }
    config.contact.clone_from(&settings.contact);
    config.descriptors = descriptors;
    Ok(config)
}

/// Selects the secrets that a source may use from the environment.
fn secrets(environment: &[(String, String)], descriptors: &[&'static Descriptor]) -> HashMap<String, String> {
    let wanted: HashSet<&str> = descriptors
        .iter()
        .flat_map(|descriptor| secret_names(descriptor))
        .collect();
    environment
        .iter()
        .filter(|(name, value)| wanted.contains(name.as_str()) && !value.trim().is_empty())
        .map(|(name, value)| (name.clone(), value.trim().to_owned()))
        .collect()
}

fn proxy(environment: &[(String, String)]) -> Result<Option<ProxyConfig>, ConfigError> {
    let Some((_, text)) = proxy_variable(environment) else {
        return Ok(None);
    };
    let url = url::Url::parse(text)
        .map_err(|_| ConfigError("`proxy` is on, and the proxy variable is not an address".to_owned()))?;
    Ok(Some(ProxyConfig {
        url,
        no_proxy: variable(environment, "NO_PROXY").unwrap_or_default().to_owned(),
    }))
}

/// The first variable of the environment that names a proxy, and what it says.
pub(crate) fn proxy_variable(environment: &[(String, String)]) -> Option<(&'static str, &str)> {
    let names = ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"];
    names
        .into_iter()
        .find_map(|name| Some((name, variable(environment, name)?)))
}

/// The value of a variable that is set, whatever the case of its name.
fn variable<'e>(environment: &'e [(String, String)], name: &str) -> Option<&'e str> {
    environment
        .iter()
        .find(|(known, value)| known.eq_ignore_ascii_case(name) && !value.trim().is_empty())
        .map(|(_, value)| value.trim())
}

fn check_names(settings: &Settings, descriptors: &[&'static Descriptor]) -> Result<(), ConfigError> {
    let composite_ids = composites()
        .iter()
        .flat_map(|composite| [composite.id, composite.tool]);
    let mut ids: Vec<&str> = descriptors
        .iter()
        .flat_map(|d| [d.id, d.tool])
        .chain(composite_ids)
        .collect();
    ids.push(freshcontext_engine::EVALUATE);
    ids.sort_unstable();
    for name in &settings.disable_sources {
        if !ids.contains(&name.as_str()) {
            return Err(ConfigError(format!(
                "`disable_sources`: unknown source `{name}`. Known: {}",
                ids.join(", ")
            )));
        }
    }
    Ok(())
}
