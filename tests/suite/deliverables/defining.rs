//! Ownership, invalid definitions, and options that reach a version.

use freshcontext_engine::{CallContext, Owner};
use freshcontext_testkit::ScriptedUpstream;
use libtest_mimic::Failed;
use serde_json::{Value, json};

use super::setup::{HN, Scene, ensure, hn, stories};
use crate::places::Kept;
use crate::process::finish;
use crate::run::call;

/// Owners are isolated from each other.
pub(super) async fn owners() -> Result<(), Failed> {
    let scene = Scene::start().await?;
    scene.says.set(HN, stories(&[(1, "First")], None));
    scene.add(&[hn()], "refuse").await?;
    scene.generate().await?;
    let context = || CallContext {
        owner: Owner::named("token:ben"),
        ..CallContext::default()
    };
    let arguments = |value: Value| value.as_object().cloned().unwrap_or_default();
    let list = call(
        scene.follow.engine(),
        "deliverable_list",
        arguments(json!({})),
        context(),
    )
    .await?;
    ensure(list.structured["deliverables"] == json!([]), &list.structured)?;
    let checked = scene.check().await?;
    ensure(checked["requests"] == 0, "asked a moment ago")?;
    for (tool, given) in [
        ("deliverable_generate", json!({"name": "brief"})),
        ("deliverable_diff", json!({"name": "brief", "from": 1})),
    ] {
        let done = call(scene.follow.engine(), tool, arguments(given), context()).await?;
        ensure(done.code() == "not_found", &done.text)?;
    }
    // On the command line, by the name of a token.
    let kept = Kept::in_folder();
    let (base, now) = (scene.upstream.base(), "2026-11-23T09:00:00Z");
    let run = |arguments: &[&str]| {
        let mut command = kept.command(arguments, now, &base);
        command.env("FRESHCONTEXT_HTTP_TOKENS", "ben=ben-has-a-long-token");
        finish(command, "")
    };
    let source = "extract_hackernews url=rust";
    run(&[
        "deliverable",
        "--token",
        "ben",
        "add",
        "brief",
        "--source",
        source,
    ])
    .await;
    let asked = scene.asked();
    let nobody = run(&[
        "deliverable",
        "--token",
        "bne",
        "add",
        "brief",
        "--source",
        source,
    ])
    .await;
    ensure(
        nobody.code == Some(2) && nobody.stderr.contains("no token is named"),
        &nobody.stderr,
    )?;
    let bens = run(&["deliverable", "check", "brief", "--token", "ben"]).await;
    ensure(bens.stdout.contains("never_synced"), &bens.stdout)?;
    ensure(scene.asked() == asked, "of what was never synced nobody is asked")?;
    let own = run(&["deliverable", "list"]).await;
    ensure(
        own.stdout.trim() == "No deliverables of this caller.",
        &own.stdout,
    )
}

/// Invalid definitions are rejected by name before any request.
pub(super) async fn refused() -> Result<(), Failed> {
    let scene = Scene::start().await?;
    for (source, says) in [
        (json!({"tool": "no_such", "arguments": {}}), "is no tool"),
        (
            json!({"tool": "extract_idea_landscape", "arguments": {"idea": "x"}}),
            "more than one source",
        ),
        (
            json!({"tool": "extract_hackernews", "arguments": {"url": "a", "cursor": "b"}}),
            "cursor",
        ),
        (
            json!({"tool": "extract_hackernews", "arguments": {"url": "a", "limit": "many"}}),
            "limit",
        ),
    ] {
        let error = scene.add(std::slice::from_ref(&source), "refuse").await;
        let error = error.err().and_then(|failed| failed.message().map(str::to_owned));
        ensure(
            error
                .as_deref()
                .is_some_and(|error| error.contains(says) && error.contains("invalid_input")),
            format!("{source}: {error:?}"),
        )?;
    }
    ensure(scene.add(&[], "refuse").await.is_err(), "no source")?;
    scene.add(&[hn()], "refuse").await?;
    ensure(scene.add(&[hn()], "refuse").await.is_err(), "the same name")?;
    ensure(scene.asked() == 0, "nobody was asked")
}

/// A template, style and recipients go from the command line into the version.
pub(super) async fn template() -> Result<(), Failed> {
    let kept = Kept::in_folder();
    let upstream = ScriptedUpstream::start(|_| stories(&[(1, "First {{name}}")], None)).await?;
    let (base, now) = (upstream.base(), "2026-11-20T12:00:00Z");
    let add = [
        "deliverable",
        "add",
        "brief",
        "--source",
        "extract_hackernews url=rust",
        "--template",
        "-",
        "--style",
        "short",
        "--recipients",
        "the team,the board",
    ];
    let text = "# {{version}}, {{style}}, for {{recipients}}\n{{blocks}}\n{{missing}}\nEnd of {{ name }}";
    let added = finish(kept.command(&add, now, &base), text).await;
    ensure(added.code == Some(0), &added.stderr)?;
    let made = finish(
        kept.command(&["deliverable", "generate", "brief"], now, &base),
        "",
    )
    .await;
    ensure(
        made.stdout
            .starts_with("# 1, short, for the team, the board\n~~~text\n[FRESHCONTEXT]")
            && made.stdout.contains("Title: First {{name}}")
            && made.stdout.trim_end().ends_with("End of brief"),
        &made.stdout,
    )?;
    let wrong = finish(
        kept.command(
            &[
                "deliverable",
                "add",
                "other",
                "--source",
                "extract_hackernews url=rust",
                "--template",
                "-",
            ],
            now,
            &base,
        ),
        "{{items}}",
    )
    .await;
    ensure(
        wrong.code == Some(2) && wrong.stderr.contains("{{items}}"),
        &wrong.stderr,
    )?;
    let json = ["deliverable", "generate", "brief", "--json"];
    let made = finish(kept.command(&json, now, &base), "").await;
    let made: Value = serde_json::from_str(&made.stdout)?;
    ensure(
        made["style"] == "short"
            && made["recipients"] == json!(["the team", "the board"])
            && made["version"] == 2,
        &made,
    )
}
