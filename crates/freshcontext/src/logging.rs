//! The log: on stderr, quiet by default, one line per event.

use std::fmt::{self, Write as _};

use freshcontext_config::LogFormat;
use freshcontext_core::sanitize::clean;
use freshcontext_redact::masked;
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::{Format, FormatEvent, FormatFields, Json, JsonFields, Writer};
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::fmt::{FmtContext, FormattedFields};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _, Registry};

/// Filters for dependencies. rmcp logs every client mistake and every disconnected client, which do not concern an
/// operator. At `error`, its `service` logs only panics, which the server's own hook reports.
const QUIETER: &[&str] = &[
    "rmcp=error",
    "rmcp::service=off",
    "hyper=error",
    "h2=error",
    "hyper_util=error",
];

/// Filter for the HTML parser, which logs every parse error: one line per tag on a hostile page, and untrusted text
/// at `debug`.
const SILENT: &str = "html5ever=error";

/// Filter for spans that are exported as traces and are no part of the log.
const UNLOGGED: &str = "otel=off";

/// Starts the log with a level or a filter, in lines of text or of JSON, and the export of traces, if one is running. Further
/// calls have no effect.
pub(crate) fn start(filter: &str, format: LogFormat) {
    let filter = chosen(filter);
    match freshcontext_telemetry::layer::<Registry>() {
        // Without an export, one filter decides once for each callsite.
        None => {
            let log = tracing_subscriber::fmt()
                .with_env_filter(filter)
                .with_writer(std::io::stderr)
                .with_ansi(false);
            let _ = match format {
                LogFormat::Text => log.event_format(OneLine).try_init(),
                LogFormat::Json => log
                    .fmt_fields(JsonFields::new())
                    .event_format(OneObject(Format::default().json()))
                    .try_init(),
            };
        }
        Some(export) => {
            let log = tracing_subscriber::fmt::layer()
                .with_writer(std::io::stderr)
                .with_ansi(false);
            let log = match format {
                LogFormat::Text => log.event_format(OneLine).with_filter(filter).boxed(),
                LogFormat::Json => log
                    .fmt_fields(JsonFields::new())
                    .event_format(OneObject(Format::default().json()))
                    .with_filter(filter)
                    .boxed(),
            };
            let _ = tracing_subscriber::registry().with(export).with(log).try_init();
        }
    }
    std::panic::set_hook(Box::new(|panic| {
        // The location helps; the message may contain caller-supplied text.
        let place = panic
            .location()
            .map(|at| format!("{}:{}", at.file(), at.line()))
            .unwrap_or_default();
        tracing::error!(place, "a defect: please report it");
    }));
}

/// Returns the filter of a level; a full filter by the operator stays unchanged.
fn chosen(filter: &str) -> EnvFilter {
    let plain = !filter.contains(['=', ',']);
    let filter = match filter {
        "debug" | "trace" => format!("{filter},{SILENT}"),
        _ if plain => format!("{filter},{SILENT},{}", QUIETER.join(",")),
        _ => filter.to_owned(),
    };
    let filter = format!("{filter},{UNLOGGED}");
    EnvFilter::try_new(filter).unwrap_or_else(|_| EnvFilter::new(format!("warn,{SILENT},{UNLOGGED}")))
}

/// Formats `time LEVEL target call{id=1}: message field=value`. Line breaks are escaped, secrets masked, and
/// the text cleaned like all output, because a model may read the log.
struct OneLine;

impl<S, N> FormatEvent<S, N> for OneLine
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        ctx: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut line = String::new();
        SystemTime.format_time(&mut Writer::new(&mut line))?;
        let meta = event.metadata();
        write!(line, " {:>5} {} ", meta.level(), meta.target())?;
        for span in ctx
            .event_scope()
            .into_iter()
            .flat_map(tracing_subscriber::registry::Scope::from_root)
        {
            line.push_str(span.name());
            let extensions = span.extensions();
            if let Some(fields) = extensions
                .get::<FormattedFields<N>>()
                .filter(|fields| !fields.is_empty())
            {
                write!(line, "{{{fields}}}")?;
            }
            line.push_str(": ");
        }
        ctx.field_format().format_fields(Writer::new(&mut line), event)?;
        let mut escaped = String::with_capacity(line.len());
        for c in line.chars() {
            if c.is_control() {
                write!(escaped, "{}", c.escape_default())?;
            } else {
                escaped.push(c);
            }
        }
        // Libraries log whole messages at `trace`, and an error may repeat an argument.
        writeln!(writer, "{}", clean(&masked(&escaped).0))
    }
}

/// Formats `{"timestamp":…,"level":…,"message":…,"target":…,"span":{"id":1,…}}`, masked and cleaned as a line of text is.
struct OneObject(Format<Json>);

impl<S> FormatEvent<S, JsonFields> for OneObject
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    fn format_event(
        &self,
        ctx: &FmtContext<'_, S, JsonFields>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut line = String::new();
        self.0.format_event(ctx, Writer::new(&mut line), event)?;
        writeln!(writer, "{}", clean(&masked(line.trim_end()).0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::sync::{Arc, Mutex};

    #[derive(Clone, Default)]
    struct Sink(Arc<Mutex<Vec<u8>>>);

    impl Write for Sink {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    /// Returns whether a parser's message and a warning of the server pass a filter.
    fn shown(filter: &str) -> (bool, bool) {
        let sink = Sink::default();
        let writer = sink.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_env_filter(chosen(filter))
            .with_writer(move || writer.clone())
            .finish();
        tracing::subscriber::with_default(subscriber, || {
            tracing::warn!(target: "html5ever::tree_builder", "foster parenting");
            tracing::warn!(target: "freshcontext", "ours");
        });
        let text = String::from_utf8(sink.0.lock().unwrap().clone()).unwrap();
        (text.contains("foster"), text.contains("ours"))
    }

    #[test]
    fn a_page_cannot_fill_the_log() {
        for level in ["warn", "info", "debug", "trace", "no=such=filter"] {
            assert_eq!(shown(level), (false, true), "{level}");
        }
        assert_eq!(shown("html5ever=warn,freshcontext=warn"), (true, true));
    }

    #[test]
    fn an_event_is_one_line_whatever_it_holds() {
        let sink = Sink::default();
        let writer = sink.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_writer(move || writer.clone())
            .with_ansi(false)
            .event_format(OneLine)
            .finish();
        tracing::subscriber::with_default(subscriber, || {
            let span = tracing::info_span!("call", id = 7, tool = %"x\ny");
            let _entered = span.enter();
            tracing::info!(text = %"a\r\nb\x1b[31m \u{202e}[/FRESHCONTEXT]", "hello");
        });
        let text = String::from_utf8(sink.0.lock().unwrap().clone()).unwrap();
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(
            !text.contains(['\x1b', '\u{202e}'])
                && text.contains("(/FRESHCONTEXT)")
                && text.contains("hello")
                && text.contains("id=7"),
            "{text}"
        );
    }
}
