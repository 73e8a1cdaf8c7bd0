//! `freshcontext version` and `freshcontext decay`: version and decay classes.

use freshcontext_core::decay::{CLASSES, DEFAULT_LAMBDA, DecayTable, half_life_words};
use freshcontext_spec::specification;
use serde_json::json;

use crate::output::{self, Style};
use freshcontext_config::{ConfigError, Settings};

const NAME: &str = "freshcontext";
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Prints one line, for `--version`.
pub(super) fn version(as_json: bool) {
    if as_json {
        return as_object();
    }
    output::line(&format!("{NAME} {VERSION}"));
}

/// Prints the version and the specification's version, for `version`.
pub(super) fn version_and_specification(as_json: bool) {
    if as_json {
        return as_object();
    }
    output::line(&format!("{NAME} {VERSION}"));
    output::line(&format!("{} {}", specification::NAME, specification::VERSION));
}

fn as_object() {
    let facts = json!({
        "name": NAME,
        "version": VERSION,
        "specification": {"name": specification::NAME, "version": specification::VERSION},
    });
    output::line(&serde_json::to_string_pretty(&facts).unwrap_or_default());
}

/// Prints the decay classes and the operator's rates.
pub(super) fn decay(settings: &Settings, as_json: bool) -> Result<u8, ConfigError> {
    let rates = settings.decay.iter().map(|(class, rate)| (class.as_str(), *rate));
    let table = DecayTable::with_overrides(rates).map_err(|error| ConfigError(error.to_string()))?;
    if as_json {
        output::line(
            &serde_json::to_string_pretty(&freshcontext_engine::about::decay(&table)).unwrap_or_default(),
        );
        return Ok(0);
    }
    let cell = |text: &str| text.to_owned();
    let mut rows = vec![vec![
        cell("CLASS"),
        cell("RATE/H"),
        cell("HALF-LIFE"),
        cell("SOURCES"),
    ]];
    let mut row = |class: &str, lambda: f64, sources: &str| {
        rows.push(vec![
            class.to_owned(),
            lambda.to_string(),
            half_life_words(lambda),
            sources.to_owned(),
        ]);
    };
    for class in CLASSES {
        let sources: Vec<&str> = class.sources().collect();
        row(class.name, class.lambda, &sources.join(", "));
    }
    row(
        "(any other)",
        DEFAULT_LAMBDA,
        "what no class names; without a source_type under local_custom: reference text",
    );
    for (source, lambda) in table.overrides() {
        row("set by the operator", lambda, source);
    }
    for (at, line) in output::table(&rows).into_iter().enumerate() {
        let style = if at == 0 { Style::Bold } else { Style::Plain };
        output::line(&output::paint(style, &line));
    }
    let formula = format!(
        "score = 100 * e^(-rate * hours from publication to retrieval); classes of {} {}, but for reference text",
        specification::NAME,
        specification::VERSION
    );
    output::line(&output::paint(Style::Dim, &formula));
    Ok(0)
}
