//! A list that changes: what `recheck` must report about the earlier answer and its items.

use freshcontext_engine::RECHECK;
use freshcontext_testkit::Reply;
use libtest_mimic::{Failed, Trial};
use serde_json::json;

use super::setup::{FIRST, Folder, Says, ask, engine, ensure, recheck, stories};
use crate::run::block_on;
use crate::upstreams::reply;
use crate::verdict;

/// Later content of a list of stories, and the expected verdicts of the earlier answer and its three items.
struct Scene {
    name: &'static str,
    then: fn() -> Reply,
    verdict: &'static str,
    items: [(&'static str, &'static str); 3],
    code: Option<&'static str>,
}

const CURRENT: (&str, &str) = ("current", "");
const NOT_READ: (&str, &str) = ("could_not_check", "not_read");
const OUTSIDE: (&str, &str) = ("could_not_check", "outside_window");

const SCENES: [Scene; 10] = [
    Scene {
        name: "unchanged",
        then: || stories(&FIRST),
        verdict: "current",
        items: [CURRENT; 3],
        code: None,
    },
    Scene {
        name: "reordered",
        then: || stories(&[(1, "First"), (3, "Third"), (2, "Second")]),
        verdict: "current",
        items: [CURRENT; 3],
        code: None,
    },
    Scene {
        name: "changed",
        then: || stories(&[(3, "Third"), (2, "Second, corrected"), (1, "First")]),
        verdict: "changed",
        items: [CURRENT, ("changed", ""), CURRENT],
        code: None,
    },
    Scene {
        name: "deleted",
        then: || stories(&[(3, "Third"), (1, "First")]),
        verdict: "could_not_check",
        items: [CURRENT, OUTSIDE, CURRENT],
        code: None,
    },
    Scene {
        name: "pushed_out",
        then: || stories(&[(5, "Fifth"), (4, "Fourth"), (3, "Third")]),
        verdict: "changed",
        items: [CURRENT, OUTSIDE, OUTSIDE],
        code: None,
    },
    Scene {
        name: "slow_down",
        then: || Reply {
            headers: vec![("retry-after".to_owned(), "77".to_owned())],
            ..reply(429, "text/plain", "slow down")
        },
        verdict: "could_not_check",
        items: [NOT_READ; 3],
        code: Some("rate_limited"),
    },
    Scene {
        name: "block_page",
        then: || reply(403, "text/html", BLOCK_PAGE),
        verdict: "could_not_check",
        items: [NOT_READ; 3],
        code: Some("challenge"),
    },
    Scene {
        name: "block_page_as_200",
        then: || reply(200, "text/html", BLOCK_PAGE),
        verdict: "could_not_check",
        items: [NOT_READ; 3],
        code: Some("challenge"),
    },
    Scene {
        name: "down",
        then: || reply(503, "text/plain", "maintenance"),
        verdict: "could_not_check",
        items: [NOT_READ; 3],
        code: Some("upstream_error"),
    },
    Scene {
        name: "list_not_found",
        then: || reply(404, "application/json", "{}"),
        verdict: "could_not_check",
        items: [NOT_READ; 3],
        code: Some("not_found"),
    },
];

const BLOCK_PAGE: &str = "<!DOCTYPE html><html><head><title>Just a moment...</title></head><body><h1>Checking your \
    browser before accessing the site.</h1><script src=\"/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1\">\
    </script></body></html>";

pub(super) fn trials() -> Vec<Trial> {
    let scenes = SCENES.iter().map(|scene| {
        Trial::test(format!("time::list::{}", scene.name), move || {
            block_on(list(scene))
        })
    });
    let releases = Trial::test("time::list::releases", || block_on(releases()));
    let page = Trial::test("time::list::page", || block_on(page()));
    scenes.chain([releases, page]).collect()
}

/// A page that its host says is gone is gone; one that is not found may come back.
async fn page() -> Result<(), Failed> {
    for (status, verdict) in [(410, "gone"), (404, "could_not_check")] {
        let article = "<html><head><title>Tables</title><meta property=\"article:published_time\" \
                       content=\"2026-10-02T08:00:00Z\"></head><body><article><h1>Tables</h1><p>The reader of tables \
                       takes the columns by their names, and the rows in their order, whatever stands between them.\
                       </p><p>Empty cells stay empty.</p></article></body></html>";
        let says = Says::new(reply(200, "text/html", article));
        let upstream = says.upstream().await?;
        let folder = Folder::new();
        let engine = engine(&upstream.base(), &folder, None, |_| {})?;
        let arguments = json!({"url": "https://example.com/blog/tables"});
        let answer = ask(&engine, "extract_changelog", arguments).await?;
        ensure(!answer.is_error, &answer.text)?;
        says.now(reply(status, "text/html", "<h1>No such page</h1>"));
        let found = recheck(&engine, &answer).await?;
        engine.close().await;
        ensure(found.structured["verdict"] == verdict, &found.text)?;
    }
    Ok(())
}

/// A feed of releases, the newest first, each with notes that are longer than what is shown of them.
fn feed(numbers: impl Iterator<Item = u32>, edited: Option<u32>) -> Reply {
    let entry = |number: u32| {
        let mut notes = format!("Release {number} mends the reader of tables. ").repeat(60);
        if edited == Some(number) {
            notes.push_str("It is withdrawn.");
        }
        format!(
            "<entry><id>tag:{number}</id><title>v1.{number}.0</title><updated>2026-10-{number:02}T08:00:00Z</updated>\
             <link href=\"https://example.com/v1.{number}.0\"/><content type=\"text\">{notes}</content></entry>"
        )
    };
    let entries: String = numbers.map(entry).collect();
    reply(
        200,
        "application/atom+xml",
        &format!(
            "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>Releases</title><id>tag:x</id>\
             <updated>2026-10-20T08:00:00Z</updated>{entries}</feed>"
        ),
    )
}

/// The first releases are shown with more of their notes. A new one moves them down, and changes none.
async fn releases() -> Result<(), Failed> {
    let says = Says::new(feed((10..16).rev(), None));
    let upstream = says.upstream().await?;
    let folder = Folder::new();
    let engine = engine(&upstream.base(), &folder, None, |_| {})?;
    let arguments = json!({"url": "https://example.com/releases.atom", "max_length": 20_000});
    let answer = ask(&engine, "extract_changelog", arguments.clone()).await?;
    ensure(!answer.is_error, &answer.text)?;
    says.now(feed((10..17).rev(), None));
    let found = recheck(&engine, &answer).await?;
    let verdicts: Vec<_> = found.structured["items"]
        .as_array()
        .into_iter()
        .flatten()
        .collect();
    ensure(verdicts.len() == 6, &found.text)?;
    ensure(
        verdicts.iter().all(|item| item["verdict"] == "current"),
        &found.text,
    )?;
    ensure(found.structured["added_count"] == 1, &found.text)?;
    // An edit beyond what is shown is one.
    says.now(feed((10..16).rev(), Some(11)));
    let found = recheck(&engine, &answer).await?;
    ensure(
        found.structured["items"][4]["changed"] == json!(["text"]),
        &found.text,
    )?;
    ensure(found.structured["items"][3]["verdict"] == "current", &found.text)?;
    // Nothing is newer than what is to come, and a verdict by a day covers only what is newer.
    let by = |since: &str| json!({"tool": "extract_changelog", "arguments": arguments, "since": since});
    let ahead = ask(&engine, RECHECK, by("2027-03-01")).await?;
    ensure(
        ahead.code() == "invalid_input" && ahead.structured["field"] == "since",
        &ahead.text,
    )?;
    let newer = ask(&engine, RECHECK, by("2026-11-01")).await?;
    engine.close().await;
    ensure(newer.structured["verdict"] == "current", &newer.text)?;
    ensure(
        newer.text.contains("edits and removals were not looked for"),
        &newer.text,
    )
}

/// The cache still holds the first response: a recheck bypasses it.
async fn list(scene: &'static Scene) -> Result<(), Failed> {
    let says = Says::new(stories(&FIRST));
    let upstream = says.upstream().await?;
    let folder = Folder::new();
    let engine = engine(&upstream.base(), &folder, None, |_| {})?;
    let arguments = json!({"url": "rust async", "sort": "newest"});
    let answer = ask(&engine, "extract_hackernews", arguments).await?;
    ensure(!answer.is_error, &answer.text)?;
    says.now((scene.then)());
    let before = upstream.requests().len();
    let found = recheck(&engine, &answer).await?;
    let asked = upstream.requests().len() - before;
    engine.close().await;
    let said = &found.structured;
    let mut wrong = Vec::new();
    if found.is_error || said["verdict"] != scene.verdict {
        wrong.push(format!(
            "verdict {} where {} is right",
            said["verdict"], scene.verdict
        ));
    }
    let items: Vec<(&str, &str)> = said["items"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|item| {
            let text = |name: &str| item[name].as_str().unwrap_or_default();
            (text("verdict"), text("detail"))
        })
        .collect();
    if items != scene.items {
        wrong.push(format!("items {items:?}"));
    }
    if said["code"].as_str() != scene.code {
        wrong.push(format!("code {} where {:?} is right", said["code"], scene.code));
    }
    if scene.name == "slow_down" && said["retry_after_s"] != 77 {
        wrong.push(format!("retry_after_s {}", said["retry_after_s"]));
    }
    if asked == 0 || said["requests"] != asked {
        wrong.push(format!("{asked} requests made, {} told", said["requests"]));
    }
    if !wrong.is_empty() {
        wrong.push(found.text);
    }
    verdict(wrong)
}
