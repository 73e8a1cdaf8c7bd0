//! What a person at the shell gets out of a deliverable: named sources are relevant, an empty version is an error, exit codes
//! say how the sources stand, and what is stored can be looked at and checked.

use std::sync::{Arc, Mutex, PoisonError};

use freshcontext_testkit::{Reply, ScriptedUpstream};
use libtest_mimic::Failed;
use serde_json::{Value, json};
use sqlx::sqlite::SqliteConnection;
use sqlx::{Connection as _, Executor as _};

use super::setup::{ensure, limited, stories};
use crate::places::Kept;
use crate::process::{Finished, finish};

/// Long after the stories, which are of the 20th of November.
const NOW: &str = "2026-12-24T09:00:00Z";
const LATER: &str = "2026-12-24T15:00:00Z";

/// A folder, and one source whose answer can be changed.
struct Shell {
    kept: Kept,
    upstream: ScriptedUpstream,
    says: Arc<Mutex<Reply>>,
}

impl Shell {
    async fn start(reply: Reply) -> Result<Self, Failed> {
        let says = Arc::new(Mutex::new(reply));
        let answer = Arc::clone(&says);
        let upstream =
            ScriptedUpstream::start(move |_| answer.lock().unwrap_or_else(PoisonError::into_inner).clone())
                .await?;
        Ok(Self {
            kept: Kept::in_folder(),
            upstream,
            says,
        })
    }

    fn set(&self, reply: Reply) {
        *self.says.lock().unwrap_or_else(PoisonError::into_inner) = reply;
    }

    async fn run(&self, now: &str, arguments: &[&str]) -> Finished {
        finish(self.kept.command(arguments, now, &self.upstream.base()), "").await
    }

    async fn json(&self, now: &str, arguments: &[&str]) -> Result<Value, Failed> {
        let done = self.run(now, &[arguments, &["--json"]].concat()).await;
        serde_json::from_str(&done.stdout)
            .map_err(|error| format!("{arguments:?}: {error}: {}{}", done.stdout, done.stderr).into())
    }

    async fn add(&self, more: &[&str]) -> Result<(), Failed> {
        let add = [
            "deliverable",
            "add",
            "brief",
            "--source",
            "extract_hackernews url=rust",
        ];
        let added = self.run(NOW, &[&add, more].concat()).await;
        ensure(added.code == Some(0), &added.stderr)
    }
}

/// Items of a named source go in however old they are and whatever the query; what is left out is named.
pub(super) async fn named() -> Result<(), Failed> {
    let titles = ["A compiler for plants", "Rust 2.0 is out", "Gardening in winter"];
    let list: Vec<(u64, &str)> = (1..).zip(titles).collect();
    let shell = Shell::start(stories(&list, None)).await?;
    shell.add(&[]).await?;
    let made = shell.json(NOW, &["deliverable", "generate", "brief"]).await?;
    ensure(
        made["blocks"].as_array().map(Vec::len) == Some(3),
        &made["selection"],
    )?;
    // The JSON is complete alone, as that of `show`.
    ensure(made["items"].as_array().map(Vec::len) == Some(3), &made["items"])?;
    let text = made["markdown"].as_str().unwrap_or_default();
    ensure(text.contains("~~~text\n[FRESHCONTEXT]\nSource: "), text)?;
    for fact in [
        "points: 10",
        "comments: 3",
        "Age: 33 days (fast discussion, score 0)",
        "Title: Rust 2.0 is out",
    ] {
        ensure(text.contains(fact), format!("{fact}: {text}"))?;
    }
    let shown = shell.json(NOW, &["deliverable", "show", "brief"]).await?;
    ensure(
        shown["markdown"] == made["markdown"] && shown["items"] == made["items"],
        &shown,
    )?;

    shell.run(NOW, &["deliverable", "remove", "brief"]).await;
    shell.add(&["--query", "quantum chemistry"]).await?;
    let made = shell.json(LATER, &["deliverable", "generate", "brief"]).await?;
    ensure(
        made["blocks"].as_array().map(Vec::len) == Some(1),
        &made["selection"],
    )?;
    let text = made["markdown"].as_str().unwrap_or_default();
    let left_out = text
        .lines()
        .filter(|line| line.starts_with("- Left out: \"") && line.contains("low_relevance: "));
    ensure(left_out.count() == 2, text)
}

/// A deliverable says how many independent origins its items have, in both forms.
pub(super) async fn copies() -> Result<(), Failed> {
    let headline = "Exampleton closes its old bridge after engineers find cracks";
    let again = format!("{headline} | The Daily Post");
    let shell = Shell::start(stories(
        &[
            (1, headline),
            (2, &again),
            (3, "Nordby ferries leave hourly from March"),
        ],
        None,
    ))
    .await?;
    shell.add(&[]).await?;
    let made = shell.json(NOW, &["deliverable", "generate", "brief"]).await?;
    let text = made["markdown"].as_str().unwrap_or_default();
    ensure(text.contains("Origins: 3 items, 2 origins"), text)?;
    ensure(text.contains("(same headline)"), text)?;
    let told = &made["origins"];
    ensure(told["items"] == 3 && told["origins"] == 2, told)?;
    // The same of a version that is shown later.
    let shown = shell.json(LATER, &["deliverable", "show", "brief"]).await?;
    ensure(shown["markdown"] == made["markdown"], &shown)
}

/// A version without an item is an error that says what each source gave, and nothing is kept.
pub(super) async fn empty() -> Result<(), Failed> {
    let shell = Shell::start(stories(&[], None)).await?;
    shell.add(&["--on-unchecked", "leave_out"]).await?;
    let generate = ["deliverable", "generate", "brief"];
    let refused = shell.run(NOW, &generate).await;
    ensure(refused.code == Some(1), format!("{:?}", refused.code))?;
    let said = "`extract_hackernews url=rust` gave 0 items";
    ensure(refused.stderr.contains(said), &refused.stderr)?;
    let shown = shell.run(NOW, &["deliverable", "show", "brief"]).await;
    ensure(shown.code == Some(1), &shown.stdout)?;
    let kept = shell
        .run(NOW, &[&generate[..], &["--allow-empty"]].concat())
        .await;
    ensure(
        kept.code == Some(0) && kept.stdout.contains("version 1"),
        &kept.stderr,
    )
}

/// The exit code of a check, and what each source says.
pub(super) async fn checked() -> Result<(), Failed> {
    let shell = Shell::start(stories(&[(1, "First")], Some("\"one\""))).await?;
    shell.add(&[]).await?;
    let check = ["deliverable", "check", "brief"];
    let never = shell.run(NOW, &check).await;
    ensure(never.code == Some(3), &never.stdout)?;
    shell.run(NOW, &["deliverable", "sync", "brief"]).await;
    let fresh = shell.run(NOW, &check).await;
    ensure(fresh.code == Some(0), &fresh.stdout)?;
    let told = shell.json(NOW, &check).await?;
    let latest = told["sources"][0]["current_latest"].as_str().unwrap_or_default();
    ensure(
        told["fresh"] == true && told["sources"][0]["fresh"] == true && latest.starts_with("2026-11-20"),
        &told,
    )?;
    shell.set(stories(&[(2, "Second"), (1, "First")], Some("\"two\"")));
    let stale = shell.run(LATER, &check).await;
    ensure(stale.code == Some(3), &stale.stdout)?;
    let told = shell.json(LATER, &check).await?;
    ensure(
        told["fresh"] == false && told["sources"][0]["current_latest"].is_string(),
        &told,
    )?;
    shell.set(limited());
    let unchecked = shell.run(LATER, &check).await;
    ensure(unchecked.code == Some(4), &unchecked.stdout)?;
    let told = shell.json(LATER, &check).await?;
    ensure(
        told["fresh"] == false && told["sources"][0]["fresh"].is_null(),
        &told,
    )
}

/// Versions are listed, what is stored is said without a request, and a version that was altered is found.
pub(super) async fn stored() -> Result<(), Failed> {
    let shell = Shell::start(stories(&[(1, "First")], None)).await?;
    let nothing = shell.run(NOW, &["sync"]).await;
    ensure(
        nothing.code == Some(0) && nothing.stdout.starts_with("Nothing is synced"),
        &nothing.stdout,
    )?;
    shell.add(&[]).await?;
    let asked = shell.upstream.requests().len();
    let never = shell.run(NOW, &["sync"]).await;
    ensure(never.stdout.contains("never synced; in brief"), &never.stdout)?;
    ensure(shell.upstream.requests().len() == asked, "nobody is asked")?;
    shell.run(NOW, &["deliverable", "generate", "brief"]).await;
    shell.run(LATER, &["deliverable", "generate", "brief"]).await;
    let synced = shell.json(LATER, &["sync"]).await?;
    ensure(
        synced["sources"][0]["item_count"] == 1 && synced["sources"][0]["deliverables"] == json!(["brief"]),
        &synced,
    )?;
    let listed = shell.json(LATER, &["deliverable", "list", "--versions"]).await?;
    let versions = &listed["deliverables"][0]["versions"];
    ensure(
        versions[0]["version"] == 1 && versions[1]["predecessor_hash"] == versions[0]["hash"],
        versions,
    )?;
    ensure(versions[1]["selected"] == 1, versions)?;
    let sound = shell.run(LATER, &["store", "check"]).await;
    ensure(
        sound.code == Some(0) && sound.stdout.starts_with("sound\nversions of deliverables: 2,"),
        &sound.stdout,
    )?;
    let address = format!("sqlite://{}", shell.kept.file().display());
    let mut other = SqliteConnection::connect(&address).await?;
    other
        .execute("UPDATE deliverable_versions SET body = replace(body, 'First', 'Fjrst') WHERE version = 1")
        .await?;
    other.close().await?;
    let broken = shell.run(LATER, &["store", "check"]).await;
    ensure(
        broken.code == Some(1) && broken.stderr.contains("version 1 of the deliverable brief"),
        &broken.stderr,
    )?;
    let mut other = SqliteConnection::connect(&address).await?;
    other.execute("UPDATE deliverables SET definition = '{}'").await?;
    other.close().await?;
    let unread = shell.run(LATER, &["store", "check"]).await;
    ensure(
        unread.code == Some(1) && unread.stderr.contains("the definition of the deliverable brief"),
        &unread.stderr,
    )
}

/// A version makes the records of the evaluation that chose what is in it.
pub(super) async fn recorded() -> Result<(), Failed> {
    let shell = Shell::start(stories(
        &[(1, "Rust 2.0 is out"), (2, "Gardening in winter")],
        None,
    ))
    .await?;
    shell.add(&["--query", "rust"]).await?;
    std::fs::create_dir_all(shell.kept.folder())?;
    let file = shell.kept.folder().join("records.json");
    let file = file.to_str().ok_or("a path in UTF-8")?;
    let call = [
        "call",
        "deliverable_generate",
        "name=brief",
        "--toolset",
        "time",
        "--records",
        file,
    ];
    let made = shell.run(NOW, &call).await;
    ensure(made.code == Some(0), &made.stderr)?;
    let bundle: Value = serde_json::from_str(&std::fs::read_to_string(file)?)?;
    let selection = &bundle["context_selection"][0];
    ensure(
        selection["selected_item_refs"].as_array().map(Vec::len) == Some(1)
            && selection["omitted_item_refs"][0]["reason"] == "low_relevance",
        selection,
    )?;
    let items = bundle["context_item"].as_array().map(Vec::len);
    ensure(
        items == Some(2) && bundle["context_budget"][0]["max_tokens"] == 4000,
        &bundle["context_budget"],
    )?;
    let checked = shell.run(NOW, &["records", "check", file]).await;
    ensure(checked.code == Some(0), &checked.stderr)
}

/// A source without its required argument is refused when it is added.
pub(super) async fn required() -> Result<(), Failed> {
    let shell = Shell::start(stories(&[], None)).await?;
    for (source, named) in [
        ("extract_hackernews", "url"),
        ("extract_github", "url"),
        ("search_jobs remote_only=perhaps query=x", "remote_only"),
    ] {
        let add = ["deliverable", "add", "brief", "--source", source];
        let refused = shell.run(NOW, &add).await;
        ensure(
            refused.code == Some(2) && refused.stderr.contains(named),
            format!("{source}: {:?} {}", refused.code, refused.stderr),
        )?;
    }
    Ok(())
}
