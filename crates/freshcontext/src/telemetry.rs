//! Traces and metrics of a run, where `otel.endpoint` is set.

use std::path::Path;

use freshcontext_config::{ConfigError, Settings};
use freshcontext_fetch::OperatorClient;
use freshcontext_files::read::{self as input, Bound};
use freshcontext_telemetry::Options;

/// Starts the exporters, if the settings name a collector.
pub(crate) fn start(settings: &Settings) -> Result<(), ConfigError> {
    let otel = &settings.otel;
    let Some(endpoint) = &otel.endpoint else {
        return Ok(());
    };
    let wrong = |what: String| ConfigError(format!("`otel.endpoint`: {what}"));
    let extra_ca = settings.extra_ca.as_deref().map(|file: &Path| {
        let read = input::read_file(file, Bound::config(&settings.limits));
        read.map_err(|refused| ConfigError(format!("`extra_ca`: {refused}")))
    });
    let client = OperatorClient::new(extra_ca.transpose()?.as_deref());
    let headers = otel.headers.iter();
    let options = Options {
        endpoint: endpoint.clone(),
        headers: headers
            .map(|(name, value)| (name.clone(), value.expose().to_owned()))
            .collect(),
        version: env!("CARGO_PKG_VERSION"),
    };
    let client = client.map_err(|error| wrong(error.to_string()))?;
    freshcontext_telemetry::start(options, client).map_err(wrong)
}

/// What is set for OpenTelemetry and has no effect, in one sentence each.
pub(crate) fn half_set(settings: &Settings, environment: &[(String, String)]) -> Vec<String> {
    let mut out = Vec::new();
    if settings.otel.endpoint.is_some() {
        return out;
    }
    if !settings.otel.headers.is_empty() {
        out.push("`otel.headers` is set without `otel.endpoint`: nothing is exported".to_owned());
    }
    let standard = |name: &str| name.starts_with("OTEL_EXPORTER_OTLP_") && name.ends_with("ENDPOINT");
    let found = environment
        .iter()
        .find(|(name, value)| standard(name) && !value.trim().is_empty());
    if let Some((name, _)) = found {
        out.push(format!(
            "{name} is set and does not switch anything on: set `otel.endpoint` (FRESHCONTEXT_OTEL_ENDPOINT)"
        ));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use freshcontext_config::Secret;

    #[test]
    fn what_has_no_effect_is_named_without_its_value() {
        let mut settings = Settings::default();
        let environment = [(
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT".to_owned(),
            "http://collector".to_owned(),
        )];
        assert!(half_set(&settings, &[]).is_empty());
        assert_eq!(half_set(&settings, &environment).len(), 1);
        settings
            .otel
            .headers
            .insert("x-key".to_owned(), Secret::new("hunter2"));
        let told = half_set(&settings, &environment);
        assert!(told.len() == 2 && !told.join(" ").contains("hunter2"), "{told:?}");
        settings.otel.endpoint = Some("http://127.0.0.1:4318".to_owned());
        assert!(half_set(&settings, &environment).is_empty());
    }
}
