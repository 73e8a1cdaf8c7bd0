//! Stack traces, and the lines that exceptions leave.

use memchr::memchr;

use super::fold::{fold, head, quote};
use super::phrases::{self, Role};
use super::reading::read;
use super::verdict::{Inspection, Kind};

/// How much of a text is looked at, in bytes.
const LOOK: usize = 8 << 10;

/// How much of the first line, in bytes.
const FIRST: usize = 512;

/// How many lines of it.
const LINES: usize = 80;

/// What a trace or a line of an exception begins with where it does not begin with a name.
const STARTS: [&str; 19] = [
    "Traceback (most recent",
    "Exception in thread",
    "Unhandled exception",
    "Unhandled rejection",
    "Uncaught ",
    "Caused by: ",
    "panic: ",
    "thread '",
    "goroutine ",
    "PHP Fatal error",
    "PHP Parse error",
    "PHP Warning",
    "Fatal error: ",
    "Parse error: ",
    "Warning: ",
    "Notice: ",
    "Deprecated: ",
    "fatal error: ",
    "System.",
];

/// How the names of exceptions end.
const ENDS: [&str; 13] = [
    "Error",
    "Exception",
    "Fault",
    "Timeout",
    "NotFound",
    "Unavailable",
    "Forbidden",
    "Refused",
    "TooManyRequests",
    "Required",
    "Denied",
    "Exceeded",
    "Limited",
];

/// What an exception of the net is named after, and what that means.
const NAMES: &[(&str, Kind)] = &[
    ("timeout", Kind::Timeout),
    ("timedout", Kind::Timeout),
    ("ratelimit", Kind::RateLimited),
    ("toomany", Kind::RateLimited),
    ("throttl", Kind::RateLimited),
    ("quota", Kind::RateLimited),
    ("limitexceeded", Kind::RateLimited),
    ("unknownhost", Kind::Unavailable),
    ("gaierror", Kind::Unavailable),
    ("nameresolution", Kind::Unavailable),
    ("connect", Kind::Unavailable),
    ("socket", Kind::Unavailable),
    ("unavailable", Kind::Unavailable),
    ("network", Kind::Unavailable),
    ("ssl", Kind::Unavailable),
    ("certificate", Kind::Unavailable),
    ("proxy", Kind::Unavailable),
    ("protocolerror", Kind::Unavailable),
    ("notfound", Kind::NotFound),
    ("nosuchkey", Kind::NotFound),
    ("doesnotexist", Kind::NotFound),
    ("accessdenied", Kind::AccessDenied),
    ("forbidden", Kind::AccessDenied),
    ("permission", Kind::AccessDenied),
    ("unauthorized", Kind::LoginRequired),
    ("loginrequired", Kind::LoginRequired),
    ("authentication", Kind::LoginRequired),
    ("http", Kind::ServerError),
    ("urlerror", Kind::Unavailable),
    ("remote", Kind::ServerError),
    ("request", Kind::ServerError),
    ("response", Kind::ServerError),
    ("apierror", Kind::ServerError),
    ("apistatus", Kind::ServerError),
    ("webdriver", Kind::ToolError),
    ("fetch", Kind::ServerError),
    ("decode", Kind::Malformed),
    ("parse", Kind::Malformed),
];

/// The name of an exception that a line begins with: `java.net.ConnectException`, `httpx.ReadTimeout`.
fn name(line: &str) -> Option<&str> {
    let end = line
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$' | ':' | '\\')))
        .unwrap_or(line.len());
    let name = line.get(..end)?.trim_end_matches(':');
    let rest = line.get(name.len()..)?;
    let closed = rest.is_empty() || rest.starts_with([':', ' ', '(']);
    let simple = name.rsplit(['.', '$', ':', '\\']).next()?;
    let named = ENDS.iter().any(|end| simple.ends_with(end)) && simple.len() > 5;
    (closed && named && !name.contains("..")).then_some(name)
}

/// What follows the name.
fn message<'a>(line: &'a str, name: &str) -> &'a str {
    line.get(name.len()..).unwrap_or_default()
}

/// The kind of the first wording inside a message.
fn quoted(said: &str) -> Option<Kind> {
    phrases::find(&fold(head(said, 1024), true))
        .into_iter()
        .find_map(|hit| match hit.role {
            Role::Verdict(kind) => Some(kind),
            _ => None,
        })
}

/// The kind that a name says.
fn kind_of(name: &str) -> Option<Kind> {
    let name = name.to_ascii_lowercase();
    NAMES
        .iter()
        .find(|(part, _)| name.contains(part))
        .map(|(_, kind)| *kind)
}

/// A line of PHP's: the message, the file and the line.
fn php(line: &str) -> bool {
    let placed = line.contains(" on line ") || line.contains(".php:");
    placed && (line.contains(".php") || line.contains(" in /"))
}

/// A line of a stack below its exception.
fn frame(line: &str) -> bool {
    const OPENINGS: [&str; 15] = [
        "at ",
        "File \"",
        "from /",
        "... ",
        "[signal ",
        "goroutine ",
        "note: ",
        "stack backtrace:",
        "Stack trace:",
        "[cause]",
        "The above exception",
        "During handling of",
        "thrown in ",
        "called `",
        "{main}",
    ];
    let numbered = line
        .strip_prefix('#')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    // org.example.Servlet.service(Servlet.java:728), main.go:8 +0x1d, a.rb:5:in `b'
    let placed = [
        ".java:", ".kt:", ".scala:", ".go:", ".rb:", ".js:", ".ts:", ".cs:line", ".rs:", ".py:",
    ]
    .iter()
    .any(|end| line.contains(end));
    let call = line.ends_with(')') && line.contains('(') && !line.contains(' ');
    let marks = line.bytes().all(|byte| matches!(byte, b'^' | b'~' | b' ' | b'|'));
    numbered || placed || call || marks || OPENINGS.iter().any(|opening| line.starts_with(opening))
}

/// Judges the page that a framework shows to developers in place of its own: the title names an exception and
/// where it was raised, "TypeError at /tides/", "NoMethodError in TidesController#index", and a heading repeats it.
pub(super) fn debug_page(title: &str, headings: &str) -> Option<Inspection> {
    let title = title.trim();
    let name = name(title)?;
    let place = title.get(name.len()..)?.trim_start();
    let at = place
        .strip_prefix("at ")
        .is_some_and(|path| path.trim_start().starts_with(['/', '"', 'G', 'P']));
    let inside = place.strip_prefix("in ").is_some_and(|place| place.contains('#'));
    let repeated = headings.contains(name) || name.contains("::");
    ((at || inside) && repeated).then(|| {
        Inspection::failure(
            kind_of(name).unwrap_or(Kind::ServerError),
            0.9,
            "a framework's page for an exception",
        )
        .with("shape", format!("title {:?}", quote(title, 60)))
    })
}

/// Judges a text that is a stack trace or the line of an exception; `None` where it is neither.
pub(super) fn judge(text: &str) -> Option<Inspection> {
    // a line of an exception is short; prose may have no line end for long
    let start = head(text, FIRST);
    let end = memchr(b'\n', start.as_bytes()).unwrap_or(start.len());
    let first = start.get(..end)?.trim();
    let named = name(first);
    let opens = STARTS.iter().any(|start| first.starts_with(start));
    if (named.is_none() && !opens) || text.contains("```") {
        return None;
    }
    let (mut lines, mut heads, mut frames) = (0_usize, 0_usize, 0_usize);
    let mut below = false;
    let mut last = None;
    for line in head(text, LOOK)
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .take(LINES)
    {
        lines += 1;
        let source = std::mem::replace(&mut below, line.starts_with("File \""));
        if frame(line) || source {
            frames += 1;
        } else if let Some(name) = name(line) {
            heads += 1;
            frames += usize::from(php(line));
            last = Some((name, message(line, name)));
        } else if STARTS.iter().any(|start| line.starts_with(start)) {
            heads += 1;
            frames += usize::from(php(line));
        }
    }
    let trace = frames > 0 && heads > 0 && (frames + heads) * 4 >= lines * 3;
    let (name, said) = last
        .or_else(|| named.map(|name| (name, message(first, name))))
        .unwrap_or(("", first));
    let reading = read(&fold(head(said, 1024), true));
    let worded = reading
        .leading()
        .filter(|verdict| verdict.strong)
        .map(|verdict| verdict.kind)
        .or_else(|| quoted(said));
    let kind = worded
        .filter(|kind| !matches!(kind, Kind::ServerError | Kind::ToolError | Kind::ClientError))
        .or_else(|| kind_of(name));
    if trace {
        return Some(
            Inspection::failure(
                kind.unwrap_or(Kind::ToolError),
                0.88,
                "an exception and its stack, in place of content",
            )
            .with(
                "shape",
                format!("{frames} of {lines} lines are frames of a stack"),
            )
            .with("wording", quote(first, 60)),
        );
    }
    // one line is an exception's own where its name is qualified, and of the net
    let qualified = named.is_some_and(|name| name.contains(['.', ':', '\\']));
    let spoken = reading.mentions + reading.verdicts.len() > 0;
    let own = reading.person == 0 && reading.about <= 3 && reading.subject_words <= 24;
    // "... in the nightly job" goes on as a title does
    let after = named.map_or("", |name| message(first, name)).trim_start();
    let entitles = [
        "in ", "on ", "when ", "while ", "with ", "during ", "after ", "at ", "from ", "since ", "if ",
    ]
    .iter()
    .any(|word| after.starts_with(word));
    (qualified && !entitles && lines <= 2 && own && (spoken || kind_of(name).is_some())).then(|| {
        Inspection::failure(
            kind.or(worded).unwrap_or(Kind::ToolError),
            0.82,
            "the line of an exception, in place of content",
        )
        .with("wording", quote(first, 60))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_are_told_from_talk_about_them() {
        for (text, kind) in [
            (
                "org.example.net.FerryTimeoutException: no answer\n\tat org.example.Ferry.cross(Ferry.java:12)\n\tat org.example.Main.main(Main.java:3)",
                Kind::Timeout,
            ),
            (
                "panic: harbour is nil\n\ngoroutine 1 [running]:\nmain.dock()\n\t/srv/dock.go:8 +0x1d",
                Kind::ToolError,
            ),
            (
                "ferry.client.UnknownHostError: harbour.example",
                Kind::Unavailable,
            ),
            (
                "Warning: fsockopen(): refused in /srv/ferry.php on line 7",
                Kind::ToolError,
            ),
        ] {
            assert_eq!(judge(text).and_then(|found| found.kind), Some(kind), "{text}");
        }
        for text in [
            "ConnectionError in the ferry client when the harbour is closed",
            "TypeError: harbour is not a function",
            "Warning: the pier is slippery in winter",
            "The trace is below.\n\tat Ferry.cross(Ferry.java:12)",
            "org.example.Ferry: a library for harbours",
        ] {
            assert_eq!(judge(text), None, "{text}");
        }
    }
}
