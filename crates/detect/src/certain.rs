//! Cases that need no weights: empty text, binary data, a bare status, a stack trace, error objects, output
//! of retrieval tools, a vendor's block page.

use freshcontext_contract::block_pages::Strength;
use http::StatusCode;

use crate::figures::Figures;
use crate::form::Form;
use crate::score::Model;
use crate::segment::Segments;
use crate::text::{first_line, head};
use crate::verdict::{Inspection, Kind};

/// Magic bytes of formats whose beginning reads as text, with their high bytes replaced as in decoded text.
/// Other binary formats are unreadable anyway.
const MAGIC: [(&str, &str); 8] = [
    ("%PDF-", "PDF"),
    ("PK\u{3}\u{4}", "a ZIP archive"),
    ("\u{fffd}PNG", "PNG"),
    ("\u{89}PNG", "PNG"),
    ("GIF8", "GIF"),
    ("\u{1f}\u{8b}", "gzip"),
    ("\u{1f}\u{fffd}", "gzip"),
    ("\u{7f}ELF", "an ELF program"),
];

/// Share of unreadable characters above which data counts as binary.
const UNREADABLE: f64 = 0.1;

/// How much of a text is searched for unreadable characters, in bytes.
const SEARCHED: usize = 600;

/// Failure words in brackets or before a colon at the start of a tool's output, in lower case, separated by
/// `|`.
const MARKERS: &str = "error|fatal|failed|failure|unavailable|timeout|timed out|blocked|denied|access denied|\
    not found|forbidden|rate limited|rate limit|unauthorized|fetch error|http error|\
    network error|tool error|request failed|fetch failed|fetch_error|rejected|unreachable";

/// Tool names that may precede such a word in brackets.
const TOOLS: &str = "security|policy|guard|proxy|fetch|http|tool|network";

/// System and resolver calls that Node.js reports with a single error code, and those codes
/// (nodejs.org/api/errors.html, "Common system errors", and `dns`).
const CALLS: &str = "connect|read|write|getaddrinfo|queryA|queryAaaa|open|stat|spawn";
const ERRNO: &str = "ECONNREFUSED|ECONNRESET|ECONNABORTED|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EAI_FAIL|ESERVFAIL|ENODATA|EPIPE|\
    EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EPROTO|EACCES|EPERM|ENOENT|ENOTDIR|EISDIR|EMFILE";

/// Words that never open a title, so more words may follow them.
const TELLING: &str = "timeout|timed out|fetch error|fetch_error|http error|network error|tool error|request failed|\
    fetch failed";
const WORDS_AFTER_TELLING: usize = 14;

/// Longest text after a tool's marker, in bytes; and the most words after a bare `Error:`.
const MARKED: usize = 400;
const WORDS_AFTER_ERROR: usize = 4;

/// Most visible bytes of a page on which a vendor's proof alone decides.
const WALLED: usize = 400;

/// Longest bare status, in bytes.
const STATUS: usize = 60;

/// Longest raw HTTP response, in bytes; longer texts explain one.
const RESPONSE: usize = 2000;

/// Longest stack trace, in bytes.
const TRACE: usize = 6000;

/// Classifies the certain cases; `None` leaves the text to the weights.
pub(crate) fn classify(text: &str, segments: &Segments<'_>, figures: &Figures) -> Option<Inspection> {
    if text.is_empty() {
        return Some(Inspection::new(Kind::Empty, 1.0, "there is no text"));
    }
    binary(text)
        .or_else(|| hollow(text, segments))
        .or_else(|| marker(text))
        .or_else(|| status(text))
        .or_else(|| trace(text, segments))
        .or_else(|| object(segments, figures))
        .or_else(|| fault(segments))
        .or_else(|| block_page(segments, figures))
}

/// Prefixes of a bare status, in lower case, separated by `|`; the last is ingress-nginx's default backend.
const BEFORE_STATUS: &str = "http/1.1 |http/1.0 |http/2 |http/3 |http error |error |http |default backend - ";

/// Longest status line with a server's signature behind it, and longest signature below one, in bytes.
const SIGNED: usize = 200;

/// Recognises a bare status (`404`, `HTTP/1.1 503 Service Unavailable`, `Too Many Requests`), the page of a
/// server that holds a status and the server's signature, and a raw refusal: a status line followed by a header
/// field (RFC 9112).
fn status(text: &str) -> Option<Inspection> {
    // Checked first: a long text may be a single line, and would be searched for its end.
    if text.len() > RESPONSE {
        return None;
    }
    let (first, below) = first_line(text);
    let is_response = first.starts_with("HTTP/") && is_field(below);
    let is_alone = below.is_empty() || is_response;
    if first.len() > SIGNED || !is_alone && below.len() > SIGNED {
        return None;
    }
    let lower = unmarked(first).to_ascii_lowercase();
    let is_marked = lower.len() < first.trim_end().len();
    let behind = BEFORE_STATUS
        .split('|')
        .find_map(|before| lower.strip_prefix(before));
    let status = behind.unwrap_or(&lower);
    let digits = status.get(..3).and_then(|digits| digits.parse().ok());
    let code = digits.filter(|code| (400..600).contains(code));
    let reason = status.get(code.map_or(0, |_| 3)..).unwrap_or_default();
    let reason = reason.trim_matches(AROUND_REASON);
    let is_bare = reason.is_empty() && (behind.is_some() || first.len() == 3);
    let named = code_of_reason(reason);
    let code =
        if is_alone && !is_marked && first.len() <= STATUS && (is_response || is_bare || named.is_some()) {
            code.or(named)
        } else {
            // A number and its reason phrase: words alone above or beside a product's name may be a heading.
            code.filter(|_| {
                let signed = || !below.is_empty() && is_signed(below, &lower);
                let beside = || (below.is_empty() || is_signed(below, &lower)) && is_signed_beside(reason);
                (named.is_some() && signed()) || (named.is_none() && beside())
            })
        }?;
    let why = "an HTTP status that refuses, and no content";
    Some(Inspection::new(kind_of_status(code), 0.95, why).with("wording", first.trim_end()))
}

/// Marks around a reason phrase.
const AROUND_REASON: [char; 5] = [' ', ':', '-', '.', '!'];

/// Names of servers and edge networks in the pages that they write themselves, in lower case, separated by `|`.
const SERVERS: &str = "nginx|openresty|tengine|angie|freenginx|cloudflare|cloudflare-nginx|cloudfront|awselb|caddy|apache|\
    apache-coyote|tomcat|lighttpd|litespeed|varnish|envoy|istio-envoy|haproxy|traefik|squid|gunicorn|uvicorn|\
    werkzeug|tornadoserver|waitress|cherrypy|cowboy|puma|thin|webrick|kestrel|microsoft-iis|microsoft-azure-application-gateway|microsoft-httpapi|\
    jetty|undertow|akamaighost|ats|vercel|netlify|fly|h2o|kong|apisix|gws|gse|esf|tinyproxy|pepyaka";

/// Names of the fields that such a page gives for a report to its operator, in lower case, separated by `|`.
const REPORTED: &str = "code|id|ray id|cloudflare ray id|cf-ray|request id|requestid|x-request-id|reference|error code|\
    trace id|host|server|date";

/// A line without the marks of a heading or of emphasis that readers of pages write in Markdown.
fn unmarked(line: &str) -> &str {
    line.trim().trim_start_matches('#').trim_matches(['*', ' '])
}

/// Whether all lines below a status are a server's signature, repeat the status, or are fields of a report.
fn is_signed(below: &str, status: &str) -> bool {
    let lower = below.to_ascii_lowercase();
    let mut lines = lower.lines().map(unmarked).filter(|line| {
        let is_rule = line.bytes().all(|byte| matches!(byte, b'-' | b'_' | b'=' | b'*'));
        !is_rule
    });
    let mut signed = false;
    let all = lines.all(|line| {
        let is_own = is_signature(line) || is_report(line);
        signed = signed || is_own;
        is_own || line == status
    });
    all && signed
}

/// Whether a line is a reason phrase and a server's signature, in lower case: a page whose line breaks were lost.
fn is_signed_beside(reason: &str) -> bool {
    reason.match_indices(' ').any(|(at, _)| {
        let (phrase, rest) = (reason.get(..at), reason.get(at..));
        let phrase = phrase.unwrap_or_default().trim_matches(AROUND_REASON);
        let rest = rest.unwrap_or_default();
        code_of_reason(phrase).is_some()
            && is_signature(rest.trim_matches([
                ' ', ':', '-', '.', '!', ',', '|', '/', '\u{2013}', '\u{2014}', '\u{b7}',
            ]))
    })
}

/// Whether this is a server's name in lower case, with its version, modules, system and place:
/// `apache/2.4.52 (ubuntu) openssl/3.0.2 server at example.org port 80`.
fn is_signature(line: &str) -> bool {
    let line = line.split_once(" server at ").map_or(line, |(server, place)| {
        let mut words = place.split(' ');
        let _host = words.next();
        let is_place = words.next() == Some("port") && words.next().is_some() && words.next().is_none();
        if is_place { server } else { "" }
    });
    // Apache writes its product name in two words where Tomcat answers.
    let line = line
        .strip_prefix("apache tomcat")
        .map_or(line, |_| line.strip_prefix("apache ").unwrap_or(line));
    let bare = line
        .strip_prefix('(')
        .and_then(|line| line.strip_suffix(')'))
        .unwrap_or(line);
    let mut words = bare.split(' ').filter(|word| !word.is_empty());
    let version = |version: &str| {
        let number = version.strip_prefix('v').unwrap_or(version);
        number.starts_with(|c: char| c.is_ascii_digit())
    };
    let product = |word: &str| word.split_once('/').is_some_and(|(_, after)| version(after));
    let is_server = words.next().is_some_and(|word| {
        let (name, after) = word
            .split_once('/')
            .map_or((word, None), |(name, after)| (name, Some(after)));
        listed(SERVERS, name) && after.is_none_or(version)
    });
    is_server && words.all(|word| product(word) || word.starts_with('(') && word.ends_with(')'))
}

/// Whether a line in lower case is a field of a report: its name, a colon and one word.
fn is_report(line: &str) -> bool {
    line.split_once(':').is_some_and(|(name, value)| {
        let mut words = value.split_whitespace();
        listed(REPORTED, name.trim()) && words.next().is_some() && words.next().is_none()
    })
}

/// Whether a line is a header field.
fn is_field(line: &str) -> bool {
    let token = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let name = line.split_once(':').map_or("", |(name, _)| name);
    !name.is_empty() && name.bytes().all(token)
}

/// Returns the status code of a reason phrase (RFC 9110) in lower case; none if the words are conclusive by
/// themselves.
fn code_of_reason(reason: &str) -> Option<u16> {
    // Vercel: `404: NOT_FOUND` (https://vercel.com/docs/errors).
    let spaced = reason.replace('_', " ");
    let reason = spaced.as_str();
    match reason {
        "gateway time-out" => Some(504),
        "service temporarily unavailable" => Some(503),
        "unprocessable content" => Some(422),
        "locked" | "too early" | "loop detected" => None,
        _ => (400..600).find(|code| {
            let known = StatusCode::from_u16(*code).ok();
            let known = known.and_then(|status| status.canonical_reason());
            known.is_some_and(|known| known.eq_ignore_ascii_case(reason))
        }),
    }
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

/// Whether a line belongs to a stack trace.
fn is_frame(line: &str) -> bool {
    let mut begins = ["at ", "File \"", "Caused by: ", "... "].iter();
    begins.any(|begin| line.trim_start().starts_with(begin))
}

/// Recognises a stack trace in place of content.
fn trace(text: &str, segments: &Segments<'_>) -> Option<Inspection> {
    if text.len() > TRACE {
        return None;
    }
    let (first, below) = first_line(text);
    let python = first.starts_with("Traceback (most recent call last)");
    if !python && !is_frame(first_line(below).0) {
        return None;
    }
    let lines = below.lines().filter(|line| !line.trim().is_empty()).count();
    let frames = below.lines().filter(|line| is_frame(line)).count();
    let traced = if python {
        frames > 0 && lines <= 2 * frames + 2
    } else {
        frames >= 2 && lines == frames
    };
    let found = Inspection::new(kind(segments), 0.92, "a stack trace in place of an answer");
    traced.then(|| found.with("shape", head(first, 80)))
}

/// Recognises XML whose first elements are an error or a fault.
fn fault(segments: &Segments<'_>) -> Option<Inspection> {
    let shape = &segments.shape;
    if !shape.fault || shape.visible >= 2000 || shape.feed || segments.form != Form::Xml {
        return None;
    }
    let found = Inspection::new(kind(segments), 0.95, "XML that holds an error and nothing else");
    Some(found.with("shape", "an element that is called a fault or an error"))
}

fn binary(text: &str) -> Option<Inspection> {
    if let Some((_, what)) = MAGIC.iter().find(|(magic, _)| text.starts_with(magic)) {
        let found = Inspection::new(Kind::Malformed, 0.99, format!("the bytes of {what}, not text"));
        return Some(found.with("shape", *what));
    }
    let start = head(text, SEARCHED);
    // Most texts contain no such byte. Without an early exit, this loop is vectorised.
    let odd = |byte: u8| matches!(byte, 0..=8 | 14..=0x1f | 0x7f | 0xc2 | 0xef);
    if !start.bytes().fold(false, |any, byte| any | odd(byte)) {
        return None;
    }
    let unreadable = |c: &char| *c == '\u{fffd}' || c.is_control() && !c.is_whitespace() && *c != '\u{1b}';
    let bad = start.chars().filter(unreadable).count();
    let share = bad as f64 / start.chars().count().max(1) as f64;
    if share < UNREADABLE || bad < 3 {
        return None;
    }
    let seen = format!("{:.0} % of its characters cannot be read", share * 100.0);
    Some(Inspection::new(Kind::Malformed, 0.97, "bytes that are no text").with("shape", seen))
}

/// Placeholders for an absent value, separated by `|`.
const PLACEHOLDERS: &str = "null|NULL|undefined|None|nil|NaN|N/A|n/a|[object Object]";

fn hollow(text: &str, segments: &Segments<'_>) -> Option<Inspection> {
    let shape = &segments.shape;
    let wordless = text.len() <= 64 && !text.chars().any(char::is_alphanumeric);
    let unseen = shape.visible == 0 && segments.title.is_empty();
    let what = match segments.form {
        Form::Plain if wordless => "there is not one word",
        Form::Plain if text.len() <= 64 && listed(PLACEHOLDERS, text) => "a placeholder for nothing",
        Form::Json if segments.json.is_some_and(|json| json.is_hollow()) => "JSON without any content",
        Form::Xml if shape.feed && shape.entries == 0 && shape.bytes < 4000 => "a feed without entries",
        Form::Html if unseen && shape.scripts == 0 => "markup without a word",
        _ => return None,
    };
    Some(Inspection::new(Kind::Empty, 0.97, what).with("shape", what))
}

fn listed(words: &str, word: &str) -> bool {
    words.split('|').any(|listed| listed == word)
}

/// Recognises output of retrieval tools: `[Error] upstream said no`, `Error: boom`, `Timeout after 30s`.
fn marker(text: &str) -> Option<Inspection> {
    if text.len() > MARKED || text.lines().count() > 3 {
        return None;
    }
    let lower = text.to_ascii_lowercase();
    let bytes = bracketed(&lower)
        .or_else(|| announced(&lower))
        .or_else(|| waited(&lower))
        .or_else(|| system_error(text))?;
    let found = Inspection::new(named_kind(&lower), 0.93, "a tool says that it failed");
    Some(found.with("wording", head(text, bytes)))
}

/// Length of a marker in brackets.
fn bracketed(lower: &str) -> Option<usize> {
    let (word, rest) = lower.strip_prefix('[')?.split_once(']')?;
    let is_link = rest.starts_with('(');
    let refuses = || MARKERS.split('|').any(|marker| rest.trim().starts_with(marker));
    let marks = !is_link && (listed(MARKERS, word) || listed(TOOLS, word) && refuses());
    marks.then_some(word.len() + 2)
}

/// Length of a marker before a colon and a few words.
fn announced(lower: &str) -> Option<usize> {
    let (word, rest) = lower.split_once(": ")?;
    let words = rest.split_whitespace().count();
    let by_curl = word == "curl" && rest.starts_with('(');
    let telling = by_curl || listed(TELLING, word);
    let few = words <= WORDS_AFTER_ERROR || telling && words <= WORDS_AFTER_TELLING;
    (few && (by_curl || listed(MARKERS, word)) && !lower.contains('\n')).then_some(word.len() + 1)
}

/// Length of a marker before a duration.
fn waited(lower: &str) -> Option<usize> {
    let (word, time) = lower.split_once(" after ")?;
    let is_time = time.starts_with(|c: char| c.is_ascii_digit()) && time.split_whitespace().count() <= 2;
    (is_time && listed(TELLING, word)).then_some(word.len())
}

/// Length of a failed system call in Node.js's notation: `connect ECONNREFUSED 192.0.2.7:443`.
fn system_error(text: &str) -> Option<usize> {
    let (call, rest) = text.split_once(' ')?;
    let name = rest.split([' ', ',']).next()?;
    let few = rest.split_whitespace().count() <= 1 + WORDS_AFTER_ERROR;
    (few && listed(CALLS, call) && listed(ERRNO, name)).then_some(call.len() + 1 + name.len())
}

/// Returns the kind of failure that a tool's short message names, in lower case; too short for weights.
fn named_kind(lower: &str) -> Kind {
    let kinds = [
        ("rate limit|too many", Kind::RateLimited),
        ("captcha", Kind::Challenge),
        ("timeout|timed out|etimedout", Kind::Timeout),
        ("not found|enoent", Kind::NotFound),
        ("unavailable", Kind::Unavailable),
        ("denied|blocked", Kind::AccessDenied),
    ];
    let names = |(words, _): &(&str, Kind)| words.split('|').any(|word| lower.contains(word));
    kinds
        .into_iter()
        .find(names)
        .map_or(Kind::ToolError, |(_, kind)| kind)
}

/// Returns the kind of failure by the text's words.
fn kind(segments: &Segments<'_>) -> Kind {
    Model::built_in().kind(segments).unwrap_or(Kind::ToolError)
}

/// Recognises JSON that is only an error: problem details, JSON-RPC, GraphQL and custom formats.
fn object(segments: &Segments<'_>, figures: &Figures) -> Option<Inspection> {
    let json = segments.json?;
    let unmarked = json.is_document() || figures.mark.is_none();
    if json.has_content() && !json.is_error() && unmarked {
        return Some(Inspection::new(None, 0.97, "JSON with content of its own"));
    }
    if !json.is_error() && (json.content > 0 || json.listed || json.complaints() == 0) {
        return None;
    }
    let kind = json.refused.map_or_else(|| kind(segments), kind_of_status);
    let found = Inspection::new(kind, 0.96, "JSON that holds an error and nothing else");
    Some(found.with("shape", "an error object"))
}

/// Recognises a vendor's proof on a page without content of its own.
fn block_page(segments: &Segments<'_>, figures: &Figures) -> Option<Inspection> {
    let mark = figures.mark.filter(|mark| mark.strength == Strength::Proof)?;
    if segments.form != Form::Html || segments.shape.visible > WALLED {
        return None;
    }
    let reason = format!("{}: {}", mark.vendor, mark.kind.phrase());
    let wall = format!("{} ({})", mark.vendor, mark.needle);
    Some(Inspection::new(mark.kind, 0.95, reason).with("wall", wall))
}
