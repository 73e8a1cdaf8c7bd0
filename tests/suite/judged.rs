//! `evaluate_context` through the whole server: past misclassifications, and inputs that both transports must
//! accept.

use freshcontext_config::SystemClock;
use freshcontext_contract::Clock as _;
use freshcontext_testkit::check::Outcome;
use freshcontext_testkit::{ScriptedUpstream, SeenRequest};
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};

use crate::process::{MODERN, Session, command, finish};
use crate::run::block_on;
use crate::upstreams::{json_reply, query};
use crate::wire::HttpServer;

/// Time of the evaluation.
const NOW: &str = "2026-06-09T12:00:00Z";

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("judged::at_the_moment_of_asking", || block_on(moments())),
        Trial::test("judged::what_tools_print", || block_on(what_tools_print())),
        Trial::test("judged::explained_at_length", || block_on(explained_at_length())),
        Trial::test("judged::own_results", || block_on(own_results())),
        Trial::test("judged::any_script_on_both_doors", || block_on(any_script())),
    ]
}

/// Returns arguments that evaluate these signals at [`NOW`].
pub fn arguments(signals: &[Value]) -> Value {
    json!({"profile": "official_docs", "intent": "developer_adoption", "now": NOW, "signals": signals})
}

/// Returns the reference's maximum number of signals, each of maximum length, in a script with three bytes
/// per character.
pub fn large() -> Value {
    const SENTENCE: &str = "今天图书馆照常开放读者可以在二楼借阅新到的书籍也可以预约自习的座位";
    let length = SENTENCE.chars().count();
    let signals: Vec<Value> = (0..100)
        .map(|number| {
            let content: String = SENTENCE.chars().cycle().skip(number % length).take(50_000).collect();
            json!({"source": format!("https://docs.example.org/{number}"), "source_type": "official_docs",
                "title": format!("Notice {number}"), "content": content, "published_at": "2026-06-08T10:00:00Z",
                "semantic_score": 0.9, "date_confidence": "high"})
        })
        .collect();
    arguments(&signals)
}

/// Returns an ordinary signal with this content.
fn quickstart(content: &str) -> Value {
    json!({"source": "https://docs.example.org/quickstart", "source_type": "official_docs", "title": "Quickstart",
        "content": content, "published_at": "2026-06-08T10:00:00Z", "retrieved_at": "2026-06-09T11:00:00Z",
        "semantic_score": 0.94, "date_confidence": "high"})
}

async fn session() -> Session {
    Session::open(command(&["stdio"]), MODERN).await
}

fn results(outcome: &Outcome) -> &[Value] {
    let results = outcome.structured.get("results").and_then(Value::as_array);
    results.map_or(&[], Vec::as_slice)
}

/// A document that differs from others only in its dates, their confidence, and its status.
async fn moments() -> Result<(), Failed> {
    let ordinary = quickstart("Install the package, then run the setup command once for each project.");
    let mut session = session().await;
    for (given, decision, freshness, confidence, safe) in [
        (json!({}), "use_first", json!(97), "high", true),
        // Fresh at retrieval, six years ago.
        (
            json!({"published_at": "2020-06-01", "retrieved_at": "2020-06-01T09:00:00Z"}),
            "needs_refresh",
            json!(0),
            "high",
            false,
        ),
        // A job of that time.
        (
            json!({"source_type": "jobs", "published_at": "2020-06-01", "retrieved_at": "2020-06-01T09:00:00Z"}),
            "needs_refresh",
            json!(0),
            "high",
            false,
        ),
        // Both dates are in the future.
        (
            json!({"published_at": "2030-01-01T00:00:00Z", "retrieved_at": "2030-01-02T00:00:00Z"}),
            "needs_verification",
            Value::Null,
            "medium",
            false,
        ),
        // Its own source marks it as old.
        (
            json!({"status": "stale"}),
            "needs_refresh",
            json!(97),
            "high",
            false,
        ),
        // The date is an estimate.
        (
            json!({"date_confidence": "low"}),
            "use_as_background",
            json!(97),
            "medium",
            true,
        ),
    ] {
        let mut signal = ordinary.clone();
        for (name, value) in given.as_object().into_iter().flatten() {
            signal[name] = value.clone();
        }
        let outcome = session.call("evaluate_context", arguments(&[signal])).await;
        let [found] = results(&outcome) else {
            return Err(format!("{given}: {}", outcome.text).into());
        };
        assert_eq!(found["decision"], decision, "{given}: {found}");
        assert_eq!(found["freshness_score"], freshness, "{given}: {found}");
        assert_eq!(found["confidence"], confidence, "{given}: {found}");
        assert_eq!(
            found["handoff"]["safe_for_agent_handoff"], safe,
            "{given}: {found}"
        );
    }
    Ok(())
}

/// Output of retrieval tools in place of a page is not content, and `inspect` explains why: each of those
/// with `|` between.
async fn what_tools_print() -> Result<(), Failed> {
    let mut session = session().await;
    for (text, kind, reason) in [
        (
            "[Error] upstream said no",
            "tool_error",
            "a tool says that it failed",
        ),
        (
            "[Security] Blocked",
            "access_denied",
            "a tool says that it failed",
        ),
        ("[Unavailable]", "unavailable", "a tool says that it failed"),
        ("Error: boom", "tool_error", "a tool says that it failed"),
        ("Timeout after 30s", "timeout", "a tool says that it failed"),
        (
            "Could not load the page: navigation was stopped after 45 s (net::ERR_HTTP2_PROTOCOL_ERROR)",
            "tool_error",
            "\"Could not load the page\"",
        ),
        (
            "page.goto: Timeout 30000ms exceeded.\nCall log:\n  - navigating to \"https://docs.example.org/\"",
            "timeout",
            "\"30000ms exceeded\"",
        ),
        // Whatever host it names: it may be part of long content.
        (
            "curl: (6) Could not resolve host: garden.test",
            "tool_error",
            "a tool says that it failed",
        ),
        // A report of such output.
        (
            "The page only says \"Too many requests\".",
            "rate_limited",
            "only says|Too many|requests",
        ),
        (
            "The server answered \"Access denied\".",
            "access_denied",
            "\"The server\"|\"answered\"|\"denied\"",
        ),
        (
            "%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>",
            "malformed",
            "the bytes of PDF, not text",
        ),
    ] {
        let outcome = session
            .call("evaluate_context", arguments(&[quickstart(text)]))
            .await;
        let [found] = results(&outcome) else {
            return Err(format!("{text}: {}", outcome.text).into());
        };
        assert_eq!(found["decision"], "exclude", "{text}: {found}");
        assert_eq!(found["freshness_score"], Value::Null, "{text}: {found}");
        assert_eq!(
            found["handoff"]["safe_for_agent_handoff"], false,
            "{text}: {found}"
        );
        let inspected = finish(command(&["inspect", "-"]), text).await;
        let said = format!("failed retrieval ({kind})");
        assert!(
            inspected.stdout.starts_with(&said)
                && reason.split('|').all(|reason| inspected.stdout.contains(reason)),
            "{text}: {inspected:?}"
        );
    }
    Ok(())
}

/// Pages served in place of the requested one, and why; and pages about such pages, with many of the same
/// words.
const LONG: [(&str, Option<&str>); 5] = [
    (
        "Halden Web Gateway\n\nThe site could not be reached\n\nThe gateway tried to open a connection to docs.example.org on \
         port 443 and got no answer within 60 seconds. The server may be switched off, or a firewall on the way may drop what is \
         sent to it.\n\nWhat you can do\n- Check the address for typing mistakes.\n- Wait a few minutes and load the page again.\n\
         - If it is urgent, write to the help desk and quote the reference below.\n\nDetails\nClient: 192.0.2.14\n\
         Time: 2026-06-09 11:58:20 UTC\nReference: HG-20260609-118\n\nThis page was made by your organisation's network, not by \
         the site that you asked for.",
        Some("not by the site that you asked for"),
    ),
    (
        "<!DOCTYPE html><html lang=\"en\"><head><title>Sign in | Example Docs</title><style>.box{width:24em}</style></head><body>\
         <nav><a href=\"/\">Home</a> <a href=\"/pricing\">Pricing</a></nav><h1>Please sign in to see this page</h1>\
         <p>The guide that you opened is part of the partner area. Your session has ended, or you have not signed in yet.</p>\
         <form method=\"post\"><label>E-mail <input name=\"email\"></label><label>Password <input type=\"password\"></label>\
         <button>Sign in</button></form><p>No account? Ask the person who looks after your company's contract to invite you. \
         Invitations are valid for seven days.</p><footer>Example Docs. Privacy. Terms.</footer></body></html>",
        Some("Your session has ended"),
    ),
    (
        "Trailhead Maps\nExplore | My routes | Plans | Help\n\nHome > Routes > Three lakes loop\n\nThis route is no longer available\n\
         The person who published it has made it private or has closed their account. Links that were shared before do not work \
         any more.\n\nYou may like\n- Valley path to the mill, 6 km\n- Ridge walk from the station, 14 km\n\nGet the app. About us.",
        Some("longer available"),
    ),
    (
        "Halden Web Gateway 7.2, administrator's guide\n\nChapter 9: Pages that are shown to users\n\nThe gateway comes with eleven \
         pages of its own. Each is a template in the folder pages; a template may hold the client's address, the time and the \
         reference.\n\nUnreachable sites\nShown where a server gives no answer within 60 seconds, unless you set another time. The \
         page names the host and the port and lists what the user can do. To show a text of your own, copy unreachable.html.",
        None,
    ),
    (
        "<!DOCTYPE html><html lang=\"en\"><head><title>Sign-in settings | Example Docs</title><style>.box{width:24em}</style></head>\
         <body><nav><a href=\"/\">Home</a> <a href=\"/pricing\">Pricing</a></nav><h1>Sign-in settings of the partner area</h1>\
         <p>An administrator decides how partners sign in: with an e-mail address and a password, or through the company's own \
         directory. A session lasts eight hours; after that, the sign-in page is shown again.</p><h2>Invitations</h2><p>Open \
         Partners, choose a company and press Invite. An invitation is valid for seven days.</p></body></html>",
        None,
    ),
];

/// A failure explained on a whole page is still a failure; `inspect` shows the sentence.
async fn explained_at_length() -> Result<(), Failed> {
    let mut session = session().await;
    for (text, telling) in LONG {
        let outcome = session
            .call("evaluate_context", arguments(&[quickstart(text)]))
            .await;
        let [found] = results(&outcome) else {
            return Err(format!("{text}: {}", outcome.text).into());
        };
        let safe = &found["handoff"]["safe_for_agent_handoff"];
        assert_eq!(safe, telling.is_none(), "{text}: {found}");
        let inspected = finish(command(&["inspect", "-"]), text).await.stdout;
        let said = if telling.is_some() {
            "failed retrieval ("
        } else {
            "content"
        };
        let shown = telling.is_none_or(|telling| inspected.contains(telling));
        assert!(inspected.starts_with(said) && shown, "{text}: {inspected}");
    }
    Ok(())
}

/// Items of this server's results are valid signals: usable, with a hash, and safe to pass on.
async fn own_results() -> Result<(), Failed> {
    const ITEMS: usize = 9;
    let hour_ago = SystemClock.now() - chrono::TimeDelta::hours(1);
    let upstream = ScriptedUpstream::start(move |request: &SeenRequest| {
        let about = query(request);
        let hits: Vec<Value> = (0..ITEMS)
            .map(|number| {
                json!({"objectID": format!("4100000{number}"), "title": format!("Part {number} of a guide to {about}"),
                    "url": format!("https://example.com/guide/{number}"), "author": "someone", "points": 10,
                    "num_comments": 3, "created_at": hour_ago.format("%Y-%m-%dT%H:%M:%SZ").to_string(),
                    "created_at_i": hour_ago.timestamp(), "_tags": ["story"]})
            })
            .collect();
        json_reply(
            &json!({"hits": hits, "nbHits": ITEMS, "page": 0, "nbPages": 1, "hitsPerPage": 20, "exhaustiveNbHits": true})
                .to_string(),
        )
    })
    .await?;
    let mut session = Session::with_upstream(&upstream.base()).await;
    let answer = session
        .call("extract_hackernews", json!({"url": "gardening", "limit": ITEMS}))
        .await;
    let items = answer.items().to_vec();
    assert_eq!(items.len(), ITEMS, "{}", answer.text);
    for signals in [
        json!(items),
        json!([answer.structured]),
        answer.structured.clone(),
    ] {
        let given = json!({"profile": "social_pulse", "intent": "market_watch", "signals": signals});
        let outcome = session.call("evaluate_context", given).await;
        assert_eq!(results(&outcome).len(), ITEMS, "{}", outcome.text);
        for found in results(&outcome) {
            assert_eq!(found["decision"], "use_as_background", "{found}");
            assert_eq!(found["handoff"]["safe_for_agent_handoff"], true, "{found}");
            let hash = &found["provenance_readiness"]["canonical_content_sha256"];
            assert_eq!(hash.as_str().map(str::len), Some(64), "{found}");
        }
    }
    Ok(())
}

/// stdio and HTTP accept the same input and return the same.
async fn any_script() -> Result<(), Failed> {
    let given = large();
    let server = HttpServer::start(&[]).await;
    let over_http = server.call("evaluate_context", given.clone()).await;
    let over_stdio = session().await.call("evaluate_context", given).await;
    assert_eq!(results(&over_http).len(), 100, "{}", over_http.text);
    assert_eq!(over_http.structured, over_stdio.structured);
    assert_eq!(over_http.text, over_stdio.text);
    Ok(())
}
