//! What needs no weighing: nothing there, binary formats, error objects, what retrieval tools print.

use freshcontext_contract::block_pages::Strength;
use http::StatusCode;

use crate::figures::Figures;
use crate::form::Form;
use crate::segment::Segments;
use crate::verdict::{Inspection, Kind};

/// Opening bytes of formats that are not text; in text form, where the upper bytes were replaced.
const MAGIC: [(&str, &str); 14] = [
    ("%PDF-", "PDF"),
    ("PK\u{3}\u{4}", "a ZIP archive"),
    ("\u{fffd}PNG", "PNG"),
    ("\u{89}PNG", "PNG"),
    ("GIF87a", "GIF"),
    ("GIF89a", "GIF"),
    ("\u{1f}\u{8b}", "gzip"),
    ("\u{1f}\u{fffd}", "gzip"),
    ("\u{7f}ELF", "an ELF program"),
    ("\u{fffd}\u{fffd}\u{fffd}\u{fffd}", "a binary format"),
    ("ÿØÿ", "JPEG"),
    ("Rar!\u{1a}", "a RAR archive"),
    ("7z¼¯", "a 7z archive"),
    ("wOF2", "a font"),
];

/// Share of unreadable characters from which a text is none.
const UNREADABLE: f64 = 0.1;

/// How much of a text is searched for unreadable characters, in bytes.
const SEARCHED: usize = 600;

/// Words in brackets or before a colon with which tools open a failure, in lower case, with `|` between.
const MARKERS: &str = "error|fatal|failed|failure|unavailable|timeout|timed out|blocked|denied|access denied|\
    not found|forbidden|rate limited|rate limit|unauthorized|fetch error|http error|\
    network error|tool error|request failed|fetch failed|fetch_error|rejected|unreachable";

/// Those that no title opens with: more words may follow.
const TELLING: &str = "timeout|timed out|fetch error|fetch_error|http error|network error|tool error|request failed|\
    fetch failed";
const WORDS_AFTER_TELLING: usize = 14;

/// Longest text that a tool's marker opens, in bytes, and the most words after a bare `Error:`.
const MARKED: usize = 400;
const WORDS_AFTER_ERROR: usize = 4;

/// Most visible bytes of a page that a vendor's proof decides.
pub(crate) const WALLED: usize = 400;

/// Statuses whose reasons (RFC 9110) stand alone on the shortest error pages; others are words of their own.
const ALONE: [StatusCode; 19] = [
    StatusCode::BAD_REQUEST,
    StatusCode::UNAUTHORIZED,
    StatusCode::PAYMENT_REQUIRED,
    StatusCode::FORBIDDEN,
    StatusCode::NOT_FOUND,
    StatusCode::METHOD_NOT_ALLOWED,
    StatusCode::NOT_ACCEPTABLE,
    StatusCode::PROXY_AUTHENTICATION_REQUIRED,
    StatusCode::REQUEST_TIMEOUT,
    StatusCode::CONFLICT,
    StatusCode::GONE,
    StatusCode::UNPROCESSABLE_ENTITY,
    StatusCode::TOO_MANY_REQUESTS,
    StatusCode::UNAVAILABLE_FOR_LEGAL_REASONS,
    StatusCode::INTERNAL_SERVER_ERROR,
    StatusCode::NOT_IMPLEMENTED,
    StatusCode::BAD_GATEWAY,
    StatusCode::SERVICE_UNAVAILABLE,
    StatusCode::GATEWAY_TIMEOUT,
];

/// Longest text that is a status and nothing else, in bytes.
const STATUS: usize = 60;

/// Longest response that is taken for one, in bytes: what is longer explains one.
const RESPONSE: usize = 2000;

/// Judges what is certain; `None` leaves it to the weights.
pub(crate) fn classify(text: &str, segments: &Segments<'_>, figures: &Figures) -> Option<Inspection> {
    binary(text)
        .or_else(|| hollow(text, segments))
        .or_else(|| marker(text))
        .or_else(|| browser(text))
        .or_else(|| status(text))
        .or_else(|| response(text))
        .or_else(|| thrown(text))
        .or_else(|| object(segments, figures))
        .or_else(|| fault(segments))
        .or_else(|| block_page(segments, figures))
}

/// `404`, `HTTP/1.1 503 Service Unavailable`, `Too Many Requests`: a status and nothing else.
fn status(text: &str) -> Option<Inspection> {
    if text.len() > STATUS {
        return None;
    }
    let lower = text.to_ascii_lowercase();
    let rest = [
        "http/1.1 ",
        "http/1.0 ",
        "http/2 ",
        "http error ",
        "error ",
        "http ",
    ]
    .iter()
    .find_map(|start| lower.strip_prefix(start))
    .unwrap_or(&lower);
    let code = rest.get(..3).and_then(refusal);
    let reason = rest.get(code.map_or(0, |_| 3)..).unwrap_or_default();
    let reason = reason.trim_matches([' ', ':', '-', '.', '!']);
    let says = |status: &StatusCode| {
        status
            .canonical_reason()
            .is_some_and(|known| known.eq_ignore_ascii_case(reason))
    };
    let named = match reason {
        "gateway time-out" => Some(StatusCode::GATEWAY_TIMEOUT),
        "service temporarily unavailable" => Some(StatusCode::SERVICE_UNAVAILABLE),
        "unprocessable content" => Some(StatusCode::UNPROCESSABLE_ENTITY),
        _ => ALONE.into_iter().find(says),
    };
    let bare = code.is_some() && reason.is_empty() && (rest.len() < lower.len() || text.len() == 3);
    if !bare && named.is_none() {
        return None;
    }
    let kind = kind_of_status(code.or(named.map(|status| status.as_u16()))?);
    Some(Inspection::failure(kind, 0.95, "an HTTP status and nothing else").with("wording", text))
}

/// A whole response as it came, which refuses: a status line, and a header field below it (RFC 9112).
fn response(text: &str) -> Option<Inspection> {
    // By its length first: a long text may be one line, and would be searched for its end.
    if text.len() > RESPONSE {
        return None;
    }
    let (first, rest) = text.split_once('\n')?;
    let (_, status) = first.strip_prefix("HTTP/")?.split_once(' ')?;
    let code = status.get(..3).and_then(refusal)?;
    let (name, _) = rest.lines().next()?.split_once(':')?;
    let token = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let field = !name.is_empty() && name.bytes().all(token);
    field.then(|| {
        Inspection::failure(kind_of_status(code), 0.95, "an HTTP response that refuses")
            .with("wording", first.trim_end())
    })
}

/// A status code that refuses.
fn refusal(digits: &str) -> Option<u16> {
    digits.parse().ok().filter(|code| (400..600).contains(code))
}

const fn kind_of_status(code: u16) -> Kind {
    match code {
        404 | 410 => Kind::NotFound,
        401 | 407 => Kind::LoginRequired,
        403 | 451 => Kind::AccessDenied,
        429 => Kind::RateLimited,
        408 | 504 => Kind::Timeout,
        503 => Kind::Unavailable,
        500.. => Kind::ServerError,
        _ => Kind::ClientError,
    }
}

/// An exception of a client library in place of an answer: its qualified name first, or a stack trace and nothing else.
fn thrown(text: &str) -> Option<Inspection> {
    let start = crate::text::head(text, 4000);
    let (first, rest) = crate::text::first_line(start);
    let (second, _) = crate::text::first_line(rest);
    let name = first.split([':', ' ']).next().unwrap_or_default();
    let qualified = name.contains('.')
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'$'))
        && ["Error", "Exception", "Timeout", "Failed", "Denied"]
            .iter()
            .any(|end| name.ends_with(end));
    let is_frame = |line: &str| {
        let line = line.trim_start();
        line.starts_with("at ")
            || line.starts_with("File \"")
            || line.starts_with("Caused by: ")
            || line.starts_with("... ")
    };
    let traceback = first.starts_with("Traceback (most recent call last)");
    if !qualified && !traceback && !is_frame(second) {
        return None;
    }
    let (mut frames, mut others) = (0, 0);
    for line in start.lines().skip(1).filter(|line| !line.trim().is_empty()) {
        if is_frame(line) { frames += 1 } else { others += 1 }
    }
    let traced = frames > 0 && (traceback && others <= frames + 2 || frames >= 2 && others == 0);
    let alone = qualified
        && first
            .get(name.len()..)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
        && text.len() <= 800
        && (others <= 2 || frames >= others)
        && !first.ends_with('?');
    (traced && text.len() <= 6000 || alone).then(|| {
        let lower = start.to_ascii_lowercase();
        let kind = match kind_of(&lower) {
            Kind::ToolError if traced => Kind::ServerError,
            kind => kind,
        };
        Inspection::failure(kind, 0.92, "an exception in place of an answer")
            .with("shape", crate::text::head(first, 80))
    })
}

/// XML whose first elements are an error or a fault.
fn fault(segments: &Segments<'_>) -> Option<Inspection> {
    let shape = &segments.shape;
    (shape.fault && shape.visible < 2000 && !shape.feed && segments.form == Form::Xml).then(|| {
        let kind = crate::score::kind(segments).unwrap_or(Kind::ClientError);
        Inspection::failure(kind, 0.95, "XML that holds an error and nothing else")
            .with("shape", "an element that is called a fault or an error")
    })
}

fn binary(text: &str) -> Option<Inspection> {
    if let Some((_, what)) = MAGIC.iter().find(|(magic, _)| text.starts_with(magic)) {
        return Some(
            Inspection::failure(Kind::Malformed, 0.99, format!("the bytes of {what}, not text"))
                .with("shape", what.to_owned()),
        );
    }
    let start = crate::text::head(text, SEARCHED);
    // most texts have no such byte at all; without an early end, this compares many bytes at a time
    let odd = |byte: u8| matches!(byte, 0..=8 | 14..=0x1f | 0x7f | 0xc2 | 0xef);
    if !start.bytes().fold(false, |any, byte| any | odd(byte)) {
        return None;
    }
    let (mut bad, mut all) = (0_u32, 0_u32);
    for c in start.chars() {
        all += 1;
        bad += u32::from(c == '\u{fffd}' || c.is_control() && !c.is_whitespace() && c != '\u{1b}');
    }
    let share = f64::from(bad) / f64::from(all.max(1));
    (share >= UNREADABLE && bad >= 3).then(|| {
        Inspection::failure(Kind::Malformed, 0.97, "bytes that are no text").with(
            "shape",
            format!("{:.0} % of its characters cannot be read", share * 100.0),
        )
    })
}

fn hollow(text: &str, segments: &Segments<'_>) -> Option<Inspection> {
    let nothing = |what: &'static str| Some(Inspection::failure(Kind::Empty, 0.97, what).with("shape", what));
    match segments.form {
        Form::Plain if text.len() <= 64 && !text.chars().any(char::is_alphanumeric) => {
            nothing("there is not one word")
        }
        Form::Plain
            if matches!(
                text,
                "null" | "undefined" | "None" | "nil" | "NaN" | "N/A" | "n/a" | "NULL" | "[object Object]"
            ) =>
        {
            nothing("a placeholder for nothing")
        }
        Form::Json => {
            let json = segments.json?;
            (json.closed
                && json.errors + json.content == 0
                && json.denials + json.refusals == 0
                && json.envelope <= 3
                && (json.hollow > 0 || json.envelope == 0))
                .then(|| nothing("JSON without any content"))?
        }
        Form::Xml if segments.shape.feed && segments.shape.entries == 0 && segments.shape.bytes < 4000 => {
            nothing("a feed without entries")
        }
        Form::Html
            if segments.shape.visible == 0 && segments.title.is_empty() && segments.shape.scripts == 0 =>
        {
            nothing("markup without a word")
        }
        _ => None,
    }
}

fn listed(words: &str, word: &str) -> bool {
    words.split('|').any(|listed| listed == word)
}

/// `[Error] upstream said no`, `Error: boom`, `Timeout after 30s`: what retrieval tools print themselves.
fn marker(text: &str) -> Option<Inspection> {
    if text.len() > MARKED || text.lines().count() > 3 {
        return None;
    }
    let lower = text.to_ascii_lowercase();
    let said = |marker: &str| {
        Some(Inspection::failure(kind_of(&lower), 0.93, "a tool says that it failed").with("wording", marker))
    };
    if let Some((word, rest)) = lower.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        let refuses = MARKERS.split('|').any(|marker| rest.trim().starts_with(marker));
        if rest.starts_with('(') {
            return None;
        }
        if listed(MARKERS, word)
            || refuses
                && matches!(
                    word,
                    "security" | "policy" | "guard" | "proxy" | "fetch" | "http" | "tool" | "network"
                )
        {
            return said(text.get(..word.len() + 2).unwrap_or_default());
        }
    }
    if let Some((word, rest)) = lower.split_once(": ")
        && listed(MARKERS, word)
        && rest.split_whitespace().count()
            <= if listed(TELLING, word) {
                WORDS_AFTER_TELLING
            } else {
                WORDS_AFTER_ERROR
            }
        && !lower.contains('\n')
    {
        return said(text.get(..=word.len()).unwrap_or_default());
    }
    let words: Vec<&str> = lower.split_whitespace().take(9).collect();
    let after = words
        .windows(2)
        .position(|pair| matches!(pair, ["timeout" | "out", "after"]));
    let time = after
        .and_then(|at| words.get(at + 2))
        .is_some_and(|time| time.starts_with(|c: char| c.is_ascii_digit()));
    if time && words.len() <= 8 && after.is_some_and(|at| at <= 3) {
        return Some(
            Inspection::failure(Kind::Timeout, 0.93, "a tool says that it waited in vain")
                .with("wording", text),
        );
    }
    None
}

/// What a browser that was driven by a program says in place of the page: a network error's code in brackets or before the
/// address, or the method that waited in vain.
fn browser(text: &str) -> Option<Inspection> {
    if text.len() > 2 * MARKED {
        return None;
    }
    let first = text.lines().next().unwrap_or_default();
    if first.len() > MARKED {
        return None;
    }
    let coded = first.split_once("net::ERR_").is_some_and(|(before, after)| {
        before.ends_with('(') && after.ends_with(')') || after.contains(" at http")
    });
    let waited = first
        .split_once("ms exceeded")
        .and_then(|(before, _)| before.rsplit_once("imeout "))
        .is_some_and(|(method, time)| {
            method.ends_with(": T") && !time.is_empty() && time.bytes().all(|byte| byte.is_ascii_digit())
        });
    let kind = if waited || first.contains("TIMED_OUT") {
        Kind::Timeout
    } else {
        Kind::ToolError
    };
    (coded || waited).then(|| {
        Inspection::failure(kind, 0.94, "a driven browser says that it got no page").with("wording", first)
    })
}

fn kind_of(lower: &str) -> Kind {
    const WORDS: [(&str, Kind); 9] = [
        ("rate limit", Kind::RateLimited),
        ("too many", Kind::RateLimited),
        ("captcha", Kind::Challenge),
        ("timeout", Kind::Timeout),
        ("timed out", Kind::Timeout),
        ("not found", Kind::NotFound),
        ("unavailable", Kind::Unavailable),
        ("denied", Kind::AccessDenied),
        ("blocked", Kind::AccessDenied),
    ];
    WORDS
        .iter()
        .find(|(word, _)| lower.contains(word))
        .map_or(Kind::ToolError, |(_, kind)| *kind)
}

/// JSON that is an error and nothing else: problem details, JSON-RPC, GraphQL and the home-made ones.
fn object(segments: &Segments<'_>, figures: &Figures) -> Option<Inspection> {
    let json = segments.json?;
    if json.has_content() && figures.mark.is_none() {
        return Some(Inspection::genuine(0.97, "JSON with content of its own"));
    }
    if json.content > 0 || json.listed {
        return None;
    }
    if json.errors + json.denials + json.refusals == 0 {
        return None;
    }
    let kind = crate::score::kind(segments).unwrap_or(Kind::ClientError);
    Some(
        Inspection::failure(kind, 0.96, "JSON that holds an error and nothing else")
            .with("shape", "an error object"),
    )
}

/// A vendor's proof on a page without a document of its own.
fn block_page(segments: &Segments<'_>, figures: &Figures) -> Option<Inspection> {
    let mark = figures.mark.filter(|mark| mark.strength == Strength::Proof)?;
    if segments.form != Form::Html || segments.shape.visible > WALLED {
        return None;
    }
    Some(
        Inspection::failure(
            Kind::from(mark.kind),
            0.95,
            format!("{}: {}", mark.vendor, mark.kind.phrase()),
        )
        .with("wall", format!("{} ({})", mark.vendor, mark.needle)),
    )
}
