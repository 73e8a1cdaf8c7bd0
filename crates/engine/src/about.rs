//! Facts about the server as data: its sources and the decay of their content. The command line and the HTTP service
//! show the same.

use std::collections::HashSet;

use freshcontext_contract::{Apply, Descriptor, Hosts, Key, Transport};
use freshcontext_core::decay::{CLASSES, DEFAULT_LAMBDA, DecayTable, half_life_hours, half_life_words};
use freshcontext_spec::specification;
use serde_json::{Value, json};

use crate::Engine;

/// The decay classes, and the rates in force by source.
pub fn decay(table: &DecayTable) -> Value {
    let rate = |lambda: f64| {
        json!({
            "decay_rate": lambda,
            "half_life_hours": half_life_hours(lambda),
            "half_life": half_life_words(lambda),
        })
    };
    let named = |name: &str, value: Value, lambda: f64| {
        let mut row = rate(lambda);
        if let Some(row) = row.as_object_mut() {
            row.insert(name.to_owned(), value);
        }
        row
    };
    let classes: Vec<Value> = CLASSES
        .iter()
        .map(|class| {
            let mut row = named("class", class.name.into(), class.lambda);
            if let Some(row) = row.as_object_mut() {
                row.insert("sources".to_owned(), class.sources().collect::<Value>());
            }
            row
        })
        .collect();
    let in_force: Vec<Value> = table
        .entries()
        .into_iter()
        .map(|(source, lambda)| named("source", source.into(), lambda))
        .collect();
    json!({
        "specification": specification::VERSION,
        "unit": "lambda per hour",
        "formula": "100 * e^(-decay_rate * hours)",
        "classes": classes,
        "default": rate(DEFAULT_LAMBDA),
        "in_force": in_force,
    })
}

/// The sources that are on.
pub fn sources(engine: &Engine) -> Vec<Value> {
    let transport = engine.transport().as_ref();
    let describe = |descriptor| describe(transport, descriptor);
    engine.descriptors().map(describe).collect()
}

/// Returns whether a source needs a key, in one word.
pub fn key_words(descriptor: &Descriptor) -> &'static str {
    match descriptor.key() {
        Key::None => "none",
        Key::Optional => "optional",
        Key::Required => "required",
    }
}

/// Returns whether a route is usable, and the reason if not.
pub fn route_state(transport: &dyn Transport, descriptor: &Descriptor, id: &str) -> (bool, String) {
    let Some(route) = descriptor.route(id) else {
        return (false, "unknown".to_owned());
    };
    match route.needs {
        Some(env) if !transport.configured(env) => (false, format!("needs {env}")),
        _ => (true, "on".to_owned()),
    }
}

/// Returns the limits of a source's hosts, one line each.
pub fn rates(descriptor: &Descriptor) -> Vec<String> {
    descriptor
        .rates
        .iter()
        .map(|rate| {
            let pace =
                |pace: freshcontext_contract::Pace| format!("{} per {} s", pace.requests, pace.per.as_secs());
            let keyed = rate
                .keyed
                .map(|keyed| format!(", {} with a key", pace(keyed)))
                .unwrap_or_default();
            format!(
                "{}{}: {}{keyed}, {} at once ({})",
                rate.host,
                rate.path,
                pace(rate.pace),
                rate.in_flight,
                rate.link
            )
        })
        .collect()
}

fn describe(transport: &dyn Transport, descriptor: &'static Descriptor) -> Value {
    let routes: Vec<Value> = descriptor
        .routes
        .iter()
        .map(|route| {
            let (usable, state) = route_state(transport, descriptor, route.id);
            json!({
                "id": route.id,
                "about": route.about,
                "usable": usable,
                "state": state,
                "needs": route.needs,
            })
        })
        .collect();
    let keys: Vec<Value> = secret_names(descriptor)
        .into_iter()
        .map(|name| json!({"env": name, "set": transport.configured(name)}))
        .collect();
    let (hosts, any_public) = match descriptor.hosts {
        Hosts::Fixed(hosts) => (hosts, false),
        Hosts::PublicWeb(hosts) => (hosts, true),
    };
    json!({
        "id": descriptor.id,
        "tool": descriptor.tool,
        "title": descriptor.title,
        "official": descriptor.official,
        "key": key_words(descriptor),
        "keys": keys,
        "routes": routes,
        "limits": rates(descriptor),
        "hosts": hosts,
        "any_public_host": any_public,
        "dates": descriptor.dates,
        "terms": descriptor.terms,
        "profile": descriptor.profile,
    })
}

/// Returns the keys that a source may be given: alternatives, each with all the environment variables that it takes.
pub fn key_sets(descriptor: &Descriptor) -> Vec<Vec<&'static str>> {
    let mut sets: Vec<Vec<&'static str>> = Vec::new();
    for credential in descriptor.credentials {
        for env in credential.env {
            sets.push(match credential.apply {
                Apply::ClientCredentials { secret_env, .. } => vec![*env, secret_env],
                _ => vec![*env],
            });
        }
    }
    for env in descriptor.routes.iter().filter_map(|route| route.needs) {
        if !sets.iter().flatten().any(|known| *known == env) {
            sets.push(vec![env]);
        }
    }
    let mut seen = HashSet::new();
    sets.retain(|set| seen.insert(set.clone()));
    sets
}

/// Returns every environment variable that a source's credentials or routes may use.
pub fn secret_names(descriptor: &Descriptor) -> Vec<&'static str> {
    let mut seen = HashSet::new();
    let mut names: Vec<&'static str> = key_sets(descriptor).into_iter().flatten().collect();
    names.retain(|name| seen.insert(*name));
    names
}
