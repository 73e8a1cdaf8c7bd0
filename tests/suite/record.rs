//! `cargo xtask record` against an upstream full of secrets: the case plays like the call, and gives nothing away.

use std::path::{Path, PathBuf};

use freshcontext_config::Settings;
use freshcontext_contract::chrono::{DateTime, Utc};
use freshcontext_testkit::case::Origin;
use freshcontext_testkit::{Case, Kind, Reply, ScriptedUpstream, SeenRequest, load_cases};
use freshcontext_xtask::record::{Order, Recorded, record};
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};

use crate::cases::all_checks;
use crate::run::block_on;

/// What nobody may find in a case.
const CANARIES: [&str; 12] = [
    "canary-operator-key",
    "canary-client-secret",
    "canary-bearer-token",
    "canary-cookie",
    "canary-signature",
    "canary-session-token",
    "canary-header",
    "jane.canary",
    "ops.canary",
    "203.0.113.77",
    "2001:db8:85a3",
    "127.0.0.1",
];

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("record::signed_address", || block_on(signed_address())),
        Trial::test("record::token_and_cookies", || block_on(token_and_cookies())),
        Trial::test("record::redirects_and_packed_bodies", || block_on(redirects())),
        Trial::test("record::key_in_query", || block_on(key_in_query())),
        Trial::test("record::refusals", || block_on(refusals())),
        Trial::test("record::limits", || block_on(limits())),
    ]
}

/// A folder of this trial's own.
fn place(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("recorded").join(name)
}

/// The same, empty.
fn folder(name: &str) -> PathBuf {
    let folder = place(name);
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

fn now() -> DateTime<Utc> {
    "2026-11-21T12:00:00.123Z".parse().expect("a moment")
}

fn reply(status: u16, kind: &str, body: impl Into<Vec<u8>>) -> Reply {
    Reply {
        status,
        headers: vec![
            ("content-type".to_owned(), kind.to_owned()),
            ("set-cookie".to_owned(), "sid=canary-cookie; Path=/".to_owned()),
            (
                "x-request-owner".to_owned(),
                "canary-header for jane.canary@example.com".to_owned(),
            ),
        ],
        body: body.into(),
        delay_ms: 0,
    }
}

async fn run(
    name: &str,
    tool: &str,
    arguments: Value,
    environment: &[(&str, &str)],
    upstream: &ScriptedUpstream,
) -> Result<Recorded, String> {
    let settings = Settings {
        upstreams: vec![("*".to_owned(), upstream.base())],
        contact: Some("ops.canary@example.com".to_owned()),
        ..Settings::default()
    };
    let environment: Vec<(String, String)> = environment
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    record(Order {
        tool,
        arguments: arguments.as_object().cloned().unwrap_or_default(),
        into: &folder(name),
        name,
        settings: &settings,
        environment: &environment,
        now: now(),
    })
    .await
}

/// The case as the suite loads it: it gives nothing away, and passes every check of the suite.
async fn kept(name: &str, recorded: &Recorded) -> Result<Case, Failed> {
    for entry in std::fs::read_dir(&recorded.folder)?.flatten() {
        let bytes = std::fs::read(entry.path())?;
        let text = String::from_utf8_lossy(&bytes);
        for canary in CANARIES {
            assert!(
                !text.contains(canary),
                "{canary} in {}: {text}",
                entry.path().display()
            );
        }
    }
    let case = load_cases(&place(name))?.pop().expect("one case");
    assert_eq!(
        (case.origin, case.now.to_rfc3339().as_str()),
        (Origin::Recorded, "2026-11-21T12:00:00+00:00")
    );
    assert!(case.note.contains("2026-11-21"), "{}", case.note);
    all_checks(case.clone()).await?;
    Ok(case)
}

/// A page that names a signed address, which is asked next; a mail and an IP address in the feed behind it.
async fn signed_address() -> Result<(), Failed> {
    let signed = "https://files.example.org/releases.atom\
                  ?X-Amz-Credential=canary-bearer-token%2F20261121&X-Amz-Signature=canary-signature-0123456789";
    let page = format!(
        "<!doctype html><html><head><title>Tool</title><link rel=\"alternate\" type=\"application/atom+xml\" href=\"{}\"></head>\
         <body><p>Welcome.</p></body></html>",
        signed.replace('&', "&amp;")
    );
    let feed = "<?xml version=\"1.0\"?><feed xmlns=\"http://www.w3.org/2005/Atom\"><title>Releases</title><id>urn:x:releases</id>\
        <updated>2026-11-02T00:00:00Z</updated><entry><title>1.2.0</title><id>urn:x:1.2.0</id><updated>2026-11-01T10:00:00Z</updated>\
        <content>Reads feeds of every kind. Ask jane.canary@example.com, or 203.0.113.77.</content></entry></feed>";
    let upstream = ScriptedUpstream::start(move |seen: &SeenRequest| {
        if seen
            .target
            .contains("X-Amz-Signature=canary-signature-0123456789")
        {
            reply(200, "application/atom+xml", feed)
        } else if seen.target == "/tool" {
            reply(200, "text/html", page.clone())
        } else {
            reply(404, "text/plain", "nothing here")
        }
    })
    .await?;
    let arguments = json!({"url": "https://tool.example.org/tool"});
    let recorded = run("signed", "extract_changelog", arguments, &[], &upstream).await?;
    let case = kept("signed", &recorded).await?;
    assert_eq!(case.kind, Kind::Ok);
    assert!(
        recorded.summary.contains("the same answer"),
        "{}",
        recorded.summary
    );
    let address = case
        .exchanges
        .iter()
        .find(|exchange| exchange.url.as_str().contains("X-Amz-Signature"));
    let query = address
        .and_then(|exchange| exchange.url.query())
        .unwrap_or_default();
    assert!(query.contains("scrubbed-"), "{query}");
    let headers: Vec<&str> = case
        .exchanges
        .iter()
        .flat_map(|exchange| exchange.headers.keys())
        .map(String::as_str)
        .collect();
    assert!(headers.iter().all(|name| *name == "content-type"), "{headers:?}");
    Ok(())
}

/// A token fetched with the client's secret, and used.
async fn token_and_cookies() -> Result<(), Failed> {
    let listing = std::fs::read_to_string(crate::root().join("fixtures/reddit/ok_oauth/01.body.json"))?;
    let upstream = ScriptedUpstream::start(move |seen: &SeenRequest| {
        if seen.target.contains("access_token") {
            let body = json!({"access_token": "canary-bearer-token-0123456789", "token_type": "bearer", "expires_in": 86400});
            return reply(200, "application/json", body.to_string());
        }
        let mut reply = reply(200, "application/json; charset=UTF-8", listing.clone());
        reply.headers.push(("x-ratelimit-remaining".to_owned(), "599.0".to_owned()));
        reply
    })
    .await?;
    let keys = [
        ("REDDIT_CLIENT_ID", "canary-operator-key"),
        ("REDDIT_CLIENT_SECRET", "canary-client-secret"),
    ];
    let arguments = json!({"url": "r/rust", "sort": "newest", "limit": 8});
    let recorded = run("token", "extract_reddit", arguments, &keys, &upstream).await?;
    let sent = upstream.requests();
    assert!(
        sent.iter()
            .any(|seen| seen.header("authorization") == Some("Bearer canary-bearer-token-0123456789")),
        "the token was used, or this proves nothing"
    );
    let case = kept("token", &recorded).await?;
    assert_eq!(case.expect.items, Some(6));
    assert_eq!(case.exchanges.len(), 2);
    assert!(
        case.exchanges[1].headers.contains_key("x-ratelimit-remaining"),
        "{:?}",
        case.exchanges[1].headers
    );
    Ok(())
}

/// A page behind two redirects, packed, in another charset, with what belongs to somebody in it.
async fn redirects() -> Result<(), Failed> {
    let page = "<!doctype html><html><head><meta charset=\"iso-8859-1\"><title>Changes of the tool</title></head><body>\
        <h1>Changelog of the tool</h1><p>Caf\u{e9}: ask jane.canary@example.com (203.0.113.77, 2001:db8:85a3::7334).</p>\
        <h2>1.2.0 - 2026-11-01</h2><p>Reads feeds of every kind, and says when it cannot.</p>\
        <p><a href=\"https://dl.example.org/x?token=canary-session-token-1&amp;v=1\">Download</a></p>\
        <h2>1.1.0 - 2026-10-01</h2><p>Keeps its settings in a file, and reads them again.</p></body></html>";
    let latin: Vec<u8> = page
        .chars()
        .map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?'))
        .collect();
    let upstream = ScriptedUpstream::start(move |seen: &SeenRequest| {
        let to = |place: &str| {
            let mut reply = reply(302, "text/html", "gone");
            reply.headers.push(("location".to_owned(), place.to_owned()));
            reply
        };
        match seen.target.as_str() {
            "/changes" => to("https://tool.example.org/moved?session=canary-session-token-2"),
            "/moved?session=canary-session-token-2" => to("/changelog"),
            "/changelog" => {
                let mut reply = reply(200, "text/html; charset=iso-8859-1", gzip(&latin));
                reply
                    .headers
                    .push(("content-encoding".to_owned(), "gzip".to_owned()));
                reply
            }
            _ => reply(404, "text/plain", "nothing here"),
        }
    })
    .await?;
    let arguments = json!({"url": "https://tool.example.org/changes"});
    let recorded = run("redirects", "extract_changelog", arguments, &[], &upstream).await?;
    let case = kept("redirects", &recorded).await?;
    let statuses: Vec<u16> = case.exchanges.iter().map(|exchange| exchange.status).collect();
    assert_eq!(
        statuses.iter().filter(|status| **status == 302).count(),
        2,
        "{statuses:?}"
    );
    assert!(statuses.contains(&200), "{statuses:?}");
    let page = case
        .exchanges
        .iter()
        .find(|exchange| exchange.status == 200)
        .expect("the page");
    let body = case.body(page, Path::new(""))?;
    assert!(
        body.windows(4).any(|part| part == b"Caf\xe9"),
        "unpacked, and each byte as it was"
    );
    Ok(())
}

/// Bytes as a stored gzip member (RFC 1952), so that the test needs no packer.
fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1];
    let length = u16::try_from(bytes.len()).expect("a short page");
    out.extend(length.to_le_bytes());
    out.extend((!length).to_le_bytes());
    out.extend_from_slice(bytes);
    let mut crc = u32::MAX;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 {
                (crc >> 1) ^ 0xedb8_8320
            } else {
                crc >> 1
            };
        }
    }
    out.extend((!crc).to_le_bytes());
    out.extend(u32::from(length).to_le_bytes());
    out
}

/// A key that travels in the query, and comes back in the body.
async fn key_in_query() -> Result<(), Failed> {
    let works = json!({"meta": {"count": 1, "next_page": "https://api.openalex.org/works?api_key=canary-operator-key"}, "results": [
        {"id": "https://openalex.org/W1", "display_name": "On the age of facts", "publication_date": "2026-11-02",
         "doi": "https://doi.org/10.1000/1", "authorships": [{"raw_affiliation_strings": ["jane.canary@example.com"]}]}]});
    let upstream = ScriptedUpstream::start(move |seen: &SeenRequest| {
        if seen.host.contains("openalex") {
            reply(200, "application/json", works.to_string())
        } else {
            reply(503, "text/plain", "down for jane.canary@example.com")
        }
    })
    .await?;
    let keys = [("OPENALEX_API_KEY", "canary-operator-key")];
    let recorded = run(
        "query",
        "extract_scholar",
        json!({"url": "age of facts"}),
        &keys,
        &upstream,
    )
    .await?;
    kept("query", &recorded).await?;
    Ok(())
}

/// What refuses is kept as such; what does not answer, or asks nothing, is no case.
async fn refusals() -> Result<(), Failed> {
    let upstream = ScriptedUpstream::start(|_| {
        let mut refused = reply(429, "text/plain", "slow down, 203.0.113.77");
        refused
            .headers
            .push(("retry-after".to_owned(), "7200".to_owned()));
        refused
    })
    .await?;
    let recorded = run(
        "limited",
        "extract_hackernews",
        json!({"url": "rust"}),
        &[],
        &upstream,
    )
    .await?;
    let case = kept("limited", &recorded).await?;
    assert_eq!(
        (case.kind, case.expect.error.as_deref()),
        (Kind::Limited, Some("rate_limited"))
    );
    let again = Order {
        tool: "extract_hackernews",
        arguments: json!({"url": "rust"}).as_object().cloned().unwrap_or_default(),
        into: &place("limited"),
        name: "limited",
        settings: &Settings::default(),
        environment: &[],
        now: now(),
    };
    let said = record(again).await.err().unwrap_or_default();
    assert!(said.contains("there already"), "{said}");

    let said = run(
        "nothing",
        "extract_hackernews",
        json!({"url": ""}),
        &[],
        &upstream,
    )
    .await;
    assert!(
        said.as_ref().is_err_and(|said| said.contains("no request")),
        "{said:?}"
    );
    let said = run(
        "fixtures",
        "extract_hackernews",
        json!({"url": "rust"}),
        &[],
        &upstream,
    )
    .await;
    assert!(
        said.as_ref().is_err_and(|said| said.contains("--into")),
        "{said:?}"
    );
    let said = run("unknown", "extract_nothing", json!({}), &[], &upstream).await;
    assert!(
        said.as_ref().is_err_and(|said| said.contains("no tool")),
        "{said:?}"
    );
    assert!(!place("nothing").exists() && !place("unknown").exists());
    Ok(())
}

/// A call that brings more than a case may hold is refused, and leaves nothing.
async fn limits() -> Result<(), Failed> {
    // No answer at all: the upstream has gone.
    let upstream = ScriptedUpstream::start(|_| reply(200, "text/plain", "")).await?;
    let base = upstream.base();
    drop(upstream);
    let settings = Settings {
        upstreams: vec![("*".to_owned(), base)],
        ..Settings::default()
    };
    let into = folder("gone");
    let said = record(Order {
        tool: "extract_hackernews",
        arguments: json!({"url": "rust"}).as_object().cloned().unwrap_or_default(),
        into: &into,
        name: "gone",
        settings: &settings,
        environment: &[],
        now: now(),
    })
    .await;
    assert!(
        said.as_ref().is_err_and(|said| said.contains("no answer")),
        "{said:?}"
    );
    assert!(!into.exists());
    Ok(())
}
