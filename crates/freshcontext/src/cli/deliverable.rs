//! `freshcontext deliverable`: checks, generates and compares named sets of sources.

use std::path::{Path, PathBuf};

use chrono::SecondsFormat;
use freshcontext_contract::url::Url;
use freshcontext_contract::{Limits, SourceError, code, named};
use freshcontext_deliverables::{Definition, MAX_TOKENS, OnUnchecked, Source};

use super::args::{DeliverableTask, NewDeliverable, Unchecked};
use super::{
    FAILED, STALE, UNCHECKED, WRONG, call, failed, refused, tool_names, values, watch, with_runtime,
};
use crate::app::App;
use crate::output;
use crate::webhooks::{WebhookPoster, courier};
use freshcontext_config::{ConfigError, Loaded, Settings, Sources};
use freshcontext_engine::{Engine, Outcome, Owner, SourcesState};
use freshcontext_files::read::{self as input, Bound};
use freshcontext_files::write::{self as atomic_file, NewFile};
use freshcontext_follow::{Courier, Follow, INTENT, Notify, PROFILE, Passed, Poster as _, Task, To};
use freshcontext_mcp::timeline;
use freshcontext_serve::signals;
use serde_json::json;
use tokio_util::sync::CancellationToken;

pub(super) fn run(
    loaded: &Loaded,
    sources: &Sources,
    task: DeliverableTask,
    owner: &Owner,
) -> Result<u8, ConfigError> {
    let task = match task {
        DeliverableTask::Watch {
            name,
            every,
            atom,
            json_feed,
        } => {
            let options = watch::WatchOptions {
                name,
                every,
                atom,
                json_feed,
            };
            return watch::run(loaded, sources, &options, owner);
        }
        other => other,
    };
    let settings = &loaded.settings;
    let app = App::build(settings, &sources.environment)?;
    let follow = app.follow()?;
    let courier = courier(Some(follow), &app.pipeline, settings)?;
    let task = match task {
        DeliverableTask::Notify { name, json } => {
            return post(follow, courier.as_ref(), name.as_deref(), json, owner);
        }
        other => other,
    };
    let html = html_of(&task);
    let notify = match notify_of(&task, &app, settings) {
        Ok(notify) => notify,
        Err(error) => return Ok(refused(&error)),
    };
    let (task, json) = match read(follow.engine(), task, notify, &settings.limits) {
        Ok(read) => read,
        Err(problem) => {
            output::error(
                &problem,
                Some("`freshcontext help deliverable` shows what is taken"),
            );
            return Ok(WRONG);
        }
    };
    work(follow, courier.as_ref(), task, json, html.as_deref(), owner)
}

/// Returns where the changes of a new deliverable are posted. Checks the address; no name is looked up.
fn notify_of(task: &DeliverableTask, app: &App, settings: &Settings) -> Result<Option<Notify>, SourceError> {
    let DeliverableTask::Add(NewDeliverable {
        notify: Some(address),
        ..
    }) = task
    else {
        return Ok(None);
    };
    let wrong = |problem: &str| {
        SourceError::invalid_input("--notify", problem, "https://hooks.example.com/freshcontext")
    };
    let url = Url::parse(address.trim()).map_err(|_| wrong("is not an address"))?;
    WebhookPoster::new(&app.pipeline, settings)
        .check(&url)
        .map_err(|error| wrong(&format!("cannot be posted to: {}", error.message)))?;
    Ok(Some(Notify {
        url,
        own_secret: settings.webhook.secret.is_some(),
    }))
}

/// Posts what webhooks wait for.
fn post(
    follow: &Follow,
    courier: Option<&Courier>,
    name: Option<&str>,
    json: bool,
    owner: &Owner,
) -> Result<u8, ConfigError> {
    with_runtime(2, async {
        let stop = CancellationToken::new();
        let work = async {
            if let Some(name) = name {
                follow.find_deliverable(name, owner).await?;
            }
            let passed = match courier {
                Some(courier) => courier.pass(Some((owner, name)), &stop).await?,
                None => Passed::default(),
            };
            Ok((passed, follow.waiting_changes(owner, name).await?))
        };
        let done: Result<_, SourceError> = work.await;
        follow.engine().close().await;
        let (passed, waiting) = match done {
            Ok(passed) => passed,
            Err(error) => return failed(&error),
        };
        if json {
            let Passed {
                delivered,
                failed,
                given_up,
            } = &passed;
            output::line(
                &json!({
                    "delivered": delivered,
                    "failed": failed,
                    "given_up": given_up,
                    "waiting": waiting.map_or(0, |(changes, _)| changes),
                    "next_attempt": waiting.map(|(_, next)| next),
                })
                .to_string(),
            );
        } else {
            let wait = waiting.map(|(changes, next)| {
                let verb = if changes == 1 { "waits" } else { "wait" };
                format!(
                    "; {changes} {verb} until {}",
                    next.to_rfc3339_opts(SecondsFormat::Secs, true)
                )
            });
            output::line(&format!(
                "Posted: {}{}",
                passed.delivered,
                wait.unwrap_or_default()
            ));
        }
        told(&passed)
    })
}

/// Prints what could not be posted. Returns the exit code.
fn told(passed: &Passed) -> u8 {
    for problem in &passed.failed {
        output::note(&output::one_line(&format!("webhook: {problem}")));
    }
    for problem in &passed.given_up {
        output::note(&output::one_line(&format!("webhook: given up: {problem}")));
    }
    if passed.failed.is_empty() && passed.given_up.is_empty() {
        0
    } else {
        FAILED
    }
}

/// The file for the page.
fn html_of(task: &DeliverableTask) -> Option<PathBuf> {
    match task {
        DeliverableTask::Generate { html, .. }
        | DeliverableTask::Show { html, .. }
        | DeliverableTask::Diff { html, .. } => html.clone(),
        _ => None,
    }
}

/// Prints what is stored of the sources of all deliverables.
pub(super) fn stored(
    loaded: &Loaded,
    sources: &Sources,
    json: bool,
    owner: &Owner,
) -> Result<u8, ConfigError> {
    let app = App::build(&loaded.settings, &sources.environment)?;
    work(app.follow()?, None, Task::Stored, json, None, owner)
}

fn work(
    follow: &Follow,
    courier: Option<&Courier>,
    task: Task,
    json: bool,
    html: Option<&Path>,
    owner: &Owner,
) -> Result<u8, ConfigError> {
    let engine = follow.engine();
    with_runtime(2, async {
        let compared = match (&task, html) {
            (Task::Generate { name, .. }, Some(_)) => Some((name.clone(), None, None)),
            (Task::Show { name, version }, Some(_)) => Some((name.clone(), None, version.map(To::Version))),
            (Task::Diff { name, from, to }, Some(_)) => Some((name.clone(), Some(*from), Some(*to))),
            _ => None,
        };
        let made = match &task {
            Task::Generate { name, .. } => Some(name.clone()),
            _ => None,
        };
        let work = async {
            let done = follow.deliverable(task, owner).await?;
            if let (Some(courier), Some(name)) = (courier, &made) {
                // The version is stored, and what cannot be posted now waits: neither changes the exit code.
                match courier
                    .pass(Some((owner, Some(name))), &CancellationToken::new())
                    .await
                {
                    Ok(passed) => drop(told(&passed)),
                    Err(error) => output::note(&output::one_line(&format!("webhook: {}", error.message))),
                }
            }
            let page = match compared {
                Some((name, from, to)) => Some(follow.deliverable_page(&name, from, to, owner).await?),
                None => None,
            };
            Ok::<_, SourceError>((done, page))
        };
        let done = tokio::select! {
            done = work => Some(done),
            () = signals::end() => None,
        };
        engine.close().await;
        match done {
            Some(Ok((done, page))) => {
                if let (Some(page), Some(file)) = (page, html) {
                    let written = timeline::of_deliverable(&page, engine.tools());
                    if let Err(problem) = atomic_file::write(file, written.as_bytes(), NewFile::Shared) {
                        output::error(&problem, None);
                        return FAILED;
                    }
                    output::note(&format!("page: {}", file.display()));
                }
                let found = match done.state() {
                    SourcesState::Fresh => 0,
                    SourcesState::Stale => STALE,
                    SourcesState::Unchecked => UNCHECKED,
                };
                call::show(&Outcome::Deliverable(done).into(), json).max(found)
            }
            Some(Err(error)) => failed(&error),
            None => FAILED,
        }
    })
}

/// Parses the task, and whether the result is printed as JSON.
fn read(
    engine: &Engine,
    task: DeliverableTask,
    notify: Option<Notify>,
    limits: &Limits,
) -> Result<(Task, bool), String> {
    Ok(match task {
        DeliverableTask::Add(new) => {
            let json = new.json;
            let name = new.name.clone();
            let definition = Box::new(definition(engine, new, limits)?);
            let task = Task::Add {
                name,
                definition,
                notify,
            };
            (task, json)
        }
        DeliverableTask::List { versions, json } => (Task::List { versions }, json),
        DeliverableTask::Check { name, json } => (Task::Check { name }, json),
        DeliverableTask::Sync { name, json } => (Task::Sync { name }, json),
        DeliverableTask::Generate {
            name,
            allow_empty,
            json,
            html: _,
        } => (Task::Generate { name, allow_empty }, json),
        DeliverableTask::Show {
            name, version, json, ..
        } => (Task::Show { name, version }, json),
        DeliverableTask::Diff {
            name, from, to, json, ..
        } => {
            let to =
                match to.trim() {
                    "now" => To::Now,
                    number => To::Version(number.parse().map_err(|_| {
                        format!("{} is neither the number of a version nor `now`", code(number))
                    })?),
                };
            (Task::Diff { name, from, to }, json)
        }
        DeliverableTask::Remove { name, json } => (Task::Remove { name }, json),
        // Handled before.
        DeliverableTask::Watch { .. } | DeliverableTask::Notify { .. } => {
            return Err("this is no task of one deliverable".to_owned());
        }
    })
}

fn definition(engine: &Engine, new: NewDeliverable, limits: &Limits) -> Result<Definition, String> {
    let sources = new.source.iter().map(|words| source(engine, words, limits));
    Ok(Definition {
        sources: sources.collect::<Result<_, _>>()?,
        profile: new.profile.unwrap_or_else(|| PROFILE.to_owned()),
        intent: new.intent.unwrap_or_else(|| INTENT.to_owned()),
        query: new.query,
        max_tokens: new.max_tokens.unwrap_or(MAX_TOKENS),
        on_unchecked: match new.on_unchecked {
            Unchecked::Refuse => OnUnchecked::Refuse,
            Unchecked::UseLast => OnUnchecked::UseLast,
            Unchecked::LeaveOut => OnUnchecked::LeaveOut,
        },
        style: new.style,
        template: new
            .template
            .as_deref()
            .map(|file| template(file, limits))
            .transpose()?,
        recipients: new.recipients,
    })
}

/// Parses `search_jobs query="rust engineer" remote_only=true` by the tool's schema.
fn source(engine: &Engine, words: &str, limits: &Limits) -> Result<Source, String> {
    let split = shlex::split(words).ok_or_else(|| format!("a quote is not closed in {}", code(words)))?;
    let Some((name, arguments)) = split.split_first() else {
        return Err("a source is empty".to_owned());
    };
    let Some(tool) = tool_names::find(engine, name) else {
        return Err(format!(
            "there is no tool {}; {}",
            code(name),
            tool_names::near(engine, name)
        ));
    };
    let arguments = values::read(&tool.input_schema, arguments, limits)
        .map_err(|problem| format!("{}: {problem}", named(name)))?;
    Ok(Source::new(tool.name.clone(), &arguments))
}

fn template(file: &Path, limits: &Limits) -> Result<String, String> {
    let bytes =
        input::read(file, Bound::input(limits)).map_err(|refused| format!("`--template`: {refused}"))?;
    String::from_utf8(bytes).map_err(|_| format!("{} is not UTF-8", file.display()))
}
