//! All readers of outside bytes. Adapters are found automatically; the project's other readers are listed here.

use std::path::Path;

use bytes::Bytes;
use chrono::DateTime;
use freshcontext_contract::limits::SIGNALS_VALUES;
use freshcontext_contract::{Descriptor, Headers, Method, block_pages};
use freshcontext_core::values::hold_more_values_than;
use freshcontext_core::{date, evaluate, sanitize};
use freshcontext_fetch::fuzzing as http;
use freshcontext_parse::{charset, feed, github, html, json, link, table, text};
use freshcontext_redact as redact;
use freshcontext_serve::fuzzing as server;
use freshcontext_spec::validate;
use serde_json::Value;
use url::Url;

use crate::reader::Reader;
use crate::shapes::{Coding, Format};

/// The current time for all readers, in seconds since 1970: 2026-11-21T12:00:00Z.
const NOW: i64 = 1_795_262_400;
/// Maximum decompressed size: the server's own limit.
const DECODED: usize = freshcontext_contract::Limits::DEFAULT.body_decoded_bytes;

/// Returns every reader.
///
/// # Errors
///
/// A source without a reader, or a case that cannot be read.
pub fn all(fixtures: &Path) -> Result<Vec<Reader>, String> {
    let mut out = ours();
    out.extend(crate::adapters::readers(fixtures)?);
    Ok(out)
}

fn reader(name: &str, format: Format, seed: &str, read: impl Fn(&Bytes) -> bool + 'static) -> Reader {
    Reader {
        name: name.to_owned(),
        group: name.split("::").next().unwrap_or_default().to_owned(),
        format,
        seed: seed.as_bytes().to_vec(),
        often: true,
        read: Box::new(read),
    }
}

/// Creates a reader of text. Invalid UTF-8 is replaced before the read.
fn of_text(name: &str, format: Format, seed: &str, read: impl Fn(&str) -> bool + 'static) -> Reader {
    reader(name, format, seed, move |bytes| {
        match std::str::from_utf8(bytes) {
            Ok(text) => read(text),
            Err(_) => read(&String::from_utf8_lossy(bytes)),
        }
    })
}

const PAGE: &str = "<!doctype html><html><head><title>t</title><meta charset=\"utf-8\"></head><body><main>\
    <h1>Changes</h1><h2 id=\"v1\">1.2.3</h2><p class=\"a\">One <a href=\"/x\">two</a> <b>three</b></p>\
    <ul><li>a</li></ul><table><tr><td>b</td></tr></table><pre>c</pre></main></body></html>";
const FEED: &str = "<?xml version=\"1.0\"?><feed xmlns=\"http://www.w3.org/2005/Atom\"><id>f</id><title>t</title>\
    <updated>2026-01-05T00:00:00Z</updated><author><name>n</name></author><entry><id>e</id><title type=\"html\">a</title>\
    <link href=\"https://example.com/1\"/><published>2026-01-02T03:04:05Z</published><category term=\"c\"/>\
    <summary>s</summary><content type=\"html\">&lt;p&gt;Hi&lt;/p&gt;</content></entry></feed>";
const RSS: &str = "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>t</title><link>https://example.com</link>\
    <item><title>a</title><link>https://example.com/1</link><guid>g</guid><pubDate>Fri, 02 Jan 2026 03:04:05 GMT</pubDate>\
    <description>&lt;p&gt;Hi&lt;/p&gt;</description></item></channel></rss>";
const JSON_FEED: &str = r#"{"version": "https://jsonfeed.org/version/1.1", "title": "t", "items": [{"id": "1",
    "url": "https://example.com/1", "content_html": "<p>Hi</p>", "date_published": "2026-01-02T03:04:05Z"}]}"#;
const SIGNALS: &str = r#"{"profile": "official_docs", "intent": "citation_check", "signals": [{"source": "https://example.com/a",
    "source_type": "docs", "title": "A title", "content": "A text about gardens.", "published_at": "2026-01-02",
    "retrieved_at": "2026-01-03T00:00:00Z", "semantic_score": 0.5, "date_confidence": "high", "status": "success",
    "id": "1", "metadata": {"a": "b"}}], "now": "2026-11-21T12:00:00Z"}"#;
const ENVELOPE: &str = "[FRESHCONTEXT]\nSource: https://x.example/a\nPublished: 2026-03-05\n\
    Retrieved: 2026-03-05T12:00:00Z\nConfidence: high\n---\nA text about gardens.\n[/FRESHCONTEXT]\n";
/// Openings of secrets, repeated and never closed.
const SECRETS: &str = "token=\"\nsession=(\n-----BEGIN PRIVATE KEY-----\na@b.\n%2525\nhttps://a:b\ncurl -u a:\nCookie: a=\n\
    [masked:email\n\\\"password\\\": \\\"\n&#64;a\nname=\"password\" value=\"\n";
const CALL: &str = r#"{"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": {"name": "extract_github",
    "arguments": {"url": "a/b"}, "_meta": {"progressToken": 7}}}"#;

fn ours() -> Vec<Reader> {
    let mut out = parsers();
    out.extend(core());
    out.extend(redaction());
    out.extend(doors());
    out
}

fn parsers() -> Vec<Reader> {
    let page = |html: &str| !html::to_text(html).is_empty();
    vec![
        of_text("parse::html::to_text", Format::Html, PAGE, page),
        of_text(
            "parse::html::to_text (fragment)",
            Format::Html,
            "<p>a <b>c</b></p>",
            page,
        ),
        of_text("parse::html::to_line", Format::Html, "<b>a</b>", |html| {
            !html::to_line(html).is_empty()
        }),
        reader("parse::feed (Atom)", Format::Xml, FEED, |bytes| {
            feed::read(&String::from_utf8_lossy(bytes), "feed").is_ok()
        }),
        reader("parse::feed (RSS)", Format::Xml, RSS, |bytes| {
            feed::read(&String::from_utf8_lossy(bytes), "feed").is_ok()
        }),
        reader("parse::feed (JSON)", Format::Json, JSON_FEED, |bytes| {
            feed::read(&String::from_utf8_lossy(bytes), "feed").is_ok()
        }),
        of_text("parse::feed (texts)", Format::Xml, FEED, |text| {
            feed::read(text, "feed")
                .is_ok_and(|feed| feed.entries.iter().map(|entry| entry.text().len()).sum::<usize>() > 0)
        }),
        of_text("parse::json", Format::Json, SIGNALS, |text| {
            json::parse::<Value>(text, "json").is_ok()
        }),
        of_text("parse::json::Lenient", Format::Json, r#"[{"a": "b"}]"#, |text| {
            json::parse::<json::Lenient<std::collections::BTreeMap<String, String>>>(text, "json").is_ok()
        }),
        of_text("parse::table", Format::Text, "a,b\n1,\"2\"\n3,4\n", |text| {
            table::read(text, 5_000, "csv").is_ok()
        }),
        reader("parse::charset", Format::Html, PAGE, |bytes| {
            charset::decode_bytes(bytes, None).replaced == 0
        }),
        reader("parse::charset (labelled)", Format::Text, "a", |bytes| {
            ["utf-16le", "iso-2022-jp", "gb18030"]
                .iter()
                .all(|label| charset::decode_bytes(bytes, Some(label)).replaced == 0)
        }),
        reader("parse::charset (not UTF-8)", Format::Text, "caf\u{e9}", |bytes| {
            let mut broken = vec![0xff, 0xfe_u8.wrapping_sub(1), b' '];
            broken.extend_from_slice(bytes);
            charset::decode_bytes(&broken, None).replaced == 0
        }),
        of_text("parse::text::one_line", Format::Text, "a", |text| {
            !text::one_line(text).is_empty()
        }),
        of_text("parse::text::paragraphs", Format::Text, "a", |text| {
            !text::paragraphs(text).is_empty()
        }),
        of_text(
            "parse::text::without_comments",
            Format::Html,
            "<!-- a -->b",
            |text| !text::without_comments(text).is_empty(),
        ),
        of_text("parse::text::clip", Format::Text, "a", |text| {
            text::clip(text, 100).len() > 1
        }),
        of_text("parse::text::has_word", Format::Text, "a", |text| {
            text::has_word(text, "1.2")
        }),
        of_text("parse::text::telling_words", Format::Text, "a", |text| {
            !text::telling_words(text, |word| ["inc", "the", "co"].contains(&word)).is_empty()
        }),
        of_text("parse::link", Format::Line, "https://example.com/a", |text| {
            let base = Url::parse("https://example.com/b/c").ok();
            base.and_then(|base| link::absolute(&base, text)).is_some() | link::shown(text).is_some()
        }),
        of_text("parse::github", Format::Line, "https://github.com/a/b", |text| {
            github::repository(text).is_ok()
        }),
    ]
}

fn core() -> Vec<Reader> {
    let evaluated = |text: &str| {
        let now = DateTime::from_timestamp(NOW, 0).unwrap_or_default();
        let options = evaluate::Options::default();
        let borrowed = evaluate::evaluate_text(text, now, &options).ok();
        // Same order as on the command line: checked before the tree is built.
        let judged = (!hold_more_values_than(&[text.as_bytes()], SIGNALS_VALUES))
            .then(|| serde_json::from_str::<Value>(text).ok())
            .flatten()
            .and_then(|value| evaluate::evaluate(&value, now, &options).ok());
        [borrowed, judged]
            .into_iter()
            .flatten()
            .filter(|evaluation| !evaluation.text().is_empty() && evaluation.json().is_ok())
            .count()
            > 0
    };
    vec![
        of_text("sanitize::clean", Format::Text, "a\n", |text| {
            !sanitize::clean(text).is_empty()
        }),
        of_text("sanitize::clean_line", Format::Text, "a\n", |text| {
            !sanitize::clean_line(text).is_empty()
        }),
        of_text("sanitize::clean_error", Format::Text, "a\n", |text| {
            !sanitize::clean_error(text).is_empty()
        }),
        of_text("sanitize::cut_marked", Format::Text, "a\n", |text| {
            !sanitize::cut_marked(text, 20_000).is_empty() && !sanitize::cut(text, 300).is_empty()
        }),
        of_text("sanitize::clean_value", Format::Json, SIGNALS, |text| {
            // Parsed like the tool's arguments, so that text with too many values is refused before it becomes a
            // tree.
            json::parse::<Value>(text, "json")
                .is_ok_and(|mut value| sanitize::clean_value(&mut value) == sanitize::Counts::default())
        }),
        of_text(
            "date::parse_instant",
            Format::Line,
            "2026-01-02T03:04:05.",
            |text| date::parse_instant(text).is_some(),
        ),
        of_text(
            "date::parse_instant (in words)",
            Format::Line,
            "Fri, 02 Jan 2026",
            |text| date::parse_instant(text).is_some(),
        ),
        of_text("evaluate", Format::Json, SIGNALS, evaluated),
        of_text("validate (text)", Format::Text, ENVELOPE, |text| {
            validate::validate(text, None).passed()
        }),
        of_text(
            "validate (JSON)",
            Format::Json,
            r#"{"freshcontext": {"source_url": "https://x.example/a", "content_date": "2026-03-05",
            "retrieved_at": "2026-03-05T12:00:00Z", "freshness_confidence": "high", "freshness_score": 90}, "content": "A text"}"#,
            |text| validate::validate(text, None).passed(),
        ),
    ]
}

fn redaction() -> Vec<Reader> {
    vec![
        of_text("redact::masked", Format::Text, SECRETS, |text| {
            !redact::masked(text).0.is_empty()
        }),
        of_text("redact::masked_value", Format::Json, SIGNALS, |text| {
            json::parse::<Value>(text, "json").is_ok_and(|value| !redact::masked_value(value).is_null())
        }),
    ]
}

/// Returns the readers at the boundaries: HTTP towards the sources, and both transports towards clients.
fn doors() -> Vec<Reader> {
    let mut out = Vec::new();
    for (name, coding) in [
        ("gzip", Coding::Gzip),
        ("deflate", Coding::Deflate),
        ("br", Coding::Brotli),
        ("zstd", Coding::Zstd),
        ("gzip, gzip", Coding::Gzip),
    ] {
        out.push(reader(
            &format!("http::decode ({name})"),
            Format::Packed(coding),
            "",
            move |bytes| http::unpack(name, bytes, DECODED).is_some(),
        ));
    }
    for kind in ["text/html", "application/json"] {
        out.push(reader(
            &format!("block_pages ({kind})"),
            Format::Html,
            PAGE,
            move |bytes| block_pages::recognise(403, kind, &Headers::default(), bytes).is_some(),
        ));
    }
    let page_reader = freshcontext_sources::adapters()
        .iter()
        .map(|adapter| adapter.descriptor())
        .find(|descriptor| descriptor.tool == "extract_changelog");
    if let Some(source) = page_reader {
        out.push(of_text(
            "http::redirect",
            Format::Line,
            "https://example.com/a",
            move |text| redirect(source, text),
        ));
    }
    out.push(of_text(
        "http::retry_after",
        Format::Line,
        "Fri, 02 Jan 2026 03:04:05 GMT",
        |text| {
            let headers = ["retry-after", "x-ratelimit-remaining", "x-ratelimit-reset"]
                .map(|name| (name.to_owned(), text.to_owned()));
            let now = DateTime::from_timestamp(NOW, 0).unwrap_or_default();
            http::wait(&Headers(headers.to_vec()), now, 3_600).is_some()
        },
    ));
    out.push(reader("stdio::frame", Format::Json, CALL, server::frame));
    let judged = CALL
        .replace("extract_github", "evaluate_context")
        .replace(r#"{"url": "a/b"}"#, SIGNALS);
    out.push(reader(
        "stdio::frame (evaluate_context)",
        Format::Json,
        &judged,
        server::frame,
    ));
    out.push(reader("stdio::lines", Format::Text, "{}\n", |bytes| {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.is_ok_and(|runtime| runtime.block_on(server::lines(bytes, 8 << 20)) > 0)
    }));
    for piece in [1, 4096] {
        out.push(reader(
            &format!("serve::head (in pieces of {piece})"),
            Format::Head,
            "",
            move |bytes| server::head(bytes, piece),
        ));
    }
    out
}

fn redirect(source: &'static Descriptor, location: &str) -> bool {
    Url::parse("https://example.org/changelog")
        .is_ok_and(|asked| http::follow(source, Method::Get, &asked, 302, location).is_some())
}
