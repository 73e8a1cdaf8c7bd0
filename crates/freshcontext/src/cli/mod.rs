//! The command line.

mod args;
mod call;
mod deliverable;
mod doctor;
mod evaluate;
mod explain;
mod facts;
mod files;
mod healthcheck;
mod history;
mod install;
mod lists;
mod live;
mod local;
mod look;
mod oauth;
mod online;
mod records;
mod references;
mod reload;
mod report;
mod shell;
mod signed;
mod stamp;
mod store;
mod tool_names;
mod values;
mod watch;

use std::io::IsTerminal as _;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::FromArgMatches as _;
use freshcontext_contract::{Limits, SourceError, Transport as _, named};
use tokio::runtime::Builder;
use tokio_util::sync::CancellationToken;

use crate::access::resource_server;
use crate::app::{App, closed_tools};
use crate::replicas::SharedRates;
use crate::webhooks::{courier, post_until};
use crate::{logging, output, telemetry};
use args::{Cli, Command, Global, History};
use freshcontext_config::{ConfigError, Loaded, Settings, Sources, load, settings_markdown};
use freshcontext_coordination::Coordinator;
use freshcontext_engine::about::secret_names;
use freshcontext_engine::{Engine, Owner};
use freshcontext_files::read::Refused;
use freshcontext_follow::{Courier, Follow};
use freshcontext_mcp::{McpServer, Traced};
use freshcontext_metrics::Metrics;
use freshcontext_oauth::ResourceServer;
use freshcontext_serve::{http, signals, stdio};
use reload::Reload;
pub use values::read as read_arguments;

/// Program name in usage and help.
const PROGRAM: &str = "freshcontext";
/// Exit code of a failed request.
pub(crate) const FAILED: u8 = 1;
/// Exit code of wrong usage or configuration.
pub(crate) const WRONG: u8 = 2;
/// Exit code of `deliverable check` where a source is stale.
const STALE: u8 = 3;
/// Exit code of `deliverable check` where a source could not be checked.
const UNCHECKED: u8 = 4;

/// Threads for blocking work: name resolution, large evaluations, decompression.
const BLOCKING_THREADS: usize = 32;

/// Runs the command line of this process.
pub fn run() -> ExitCode {
    files_that_may_not_grow_are_errors();
    // The name is fixed: usage would otherwise show the file name of the program.
    let words = std::iter::once(PROGRAM.into()).chain(std::env::args_os().skip(1));
    let parsed = command()
        .try_get_matches_from(words)
        .and_then(|matches| Cli::from_arg_matches(&matches));
    let code = match parsed {
        Ok(cli) => dispatch(cli),
        Err(said) if !said.use_stderr() => explain::shown(&said.render()),
        Err(error) => {
            output::usage_error(error);
            WRONG
        }
    };
    ExitCode::from(output::end(code))
}

/// Returns clap's definition of the command line.
pub fn command() -> clap::Command {
    args::command()
}

/// Makes a write beyond the file-size limit fail with EFBIG instead of ending the process, by handling SIGXFSZ.
fn files_that_may_not_grow_are_errors() {
    #[cfg(unix)]
    {
        let seen = Arc::new(std::sync::atomic::AtomicBool::new(false));
        // On failure, the signal ends the process as before.
        let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, seen);
    }
}

fn dispatch(cli: Cli) -> u8 {
    if cli.version {
        facts::version(cli.json);
        return 0;
    }
    let command = match cli.command {
        Some(command) => command,
        None if std::io::stdin().is_terminal() => {
            return explain::help(&[]);
        }
        None => Command::Stdio,
    };
    let sources = layers(&cli.global, &command);
    let loaded = load(&sources);
    // These commands need only the limits and must work with broken settings.
    let limits = match &loaded {
        Ok(loaded) => loaded.settings.limits.clone(),
        Err(_) => Limits::DEFAULT,
    };
    match &command {
        Command::Version { json } => {
            facts::version_and_specification(*json);
            return 0;
        }
        Command::Validate {
            response,
            level,
            json,
        } => return files::validate(response, *level, *json, &limits),
        Command::History(History::Truncate {
            file,
            max_tokens,
            oversize,
            tokenizer,
            form,
            json,
        }) => {
            let options = history::TruncateOptions {
                file,
                max_tokens: *max_tokens,
                oversize: *oversize,
                tokenizer,
                form: form.as_deref(),
                json: *json,
            };
            return history::truncate(&options, &limits);
        }
        Command::Records { token, task } if !task.is_kept() => {
            return records::run(task, token.as_deref(), &limits);
        }
        Command::Inspect { file: Some(file), .. } => return files::inspect(file, &limits),
        Command::Inspect {
            jsonl: Some(file), ..
        } => return files::inspect_lines(file, &limits),
        Command::Stamp { file, key_file } => return stamp::stamp(file, key_file.as_deref(), &limits),
        Command::Verify {
            file,
            keys: Some(keys),
            signature,
            json,
            ..
        } => return signed::verify(file, keys, signature.as_deref(), *json, &limits),
        Command::Verify {
            file, key_file, json, ..
        } => {
            return stamp::verify(file, key_file.as_deref(), *json, &limits);
        }
        Command::Install {
            client,
            dry_run,
            env,
            link,
            command,
        } => {
            let action = install::Action::Install(install::Wanted {
                command,
                global: &cli.global,
                env,
                link: *link,
            });
            return install::run(*client, action, *dry_run, &sources.environment, &limits);
        }
        Command::Uninstall {
            client,
            dry_run,
            force,
        } => {
            let action = install::Action::Uninstall { force: *force };
            return install::run(*client, action, *dry_run, &sources.environment, &limits);
        }
        Command::Help { topic } => return explain::help(topic),
        Command::Call {
            tool,
            help: true,
            json,
            ..
        } => return explain::call(tool.as_deref(), *json),
        Command::Completions { shell } => return shell::completions(*shell),
        Command::Man { command, into } => return shell::manual(command.as_deref(), into.as_deref()),
        Command::Settings { markdown: true, .. } => {
            output::line(settings_markdown().trim_end());
            return 0;
        }
        _ => {}
    }
    let loaded = match loaded {
        Ok(loaded) => loaded,
        Err(error) => return wrong(&error),
    };
    if matches!(command, Command::Stdio | Command::Http { .. })
        && let Err(error) = telemetry::start(&loaded.settings)
    {
        return wrong(&error);
    }
    logging::start(&loaded.settings.log, loaded.settings.log_format);
    if let Some(file) = &loaded.no_file {
        tracing::warn!(
            file = %file.display(),
            "the configuration file is not a regular file that can be read; it was skipped"
        );
    }
    for name in &loaded.unknown_environment {
        tracing::warn!(
            name,
            "unknown environment name, ignored; `freshcontext settings` lists the known ones"
        );
    }
    let result = match command {
        Command::Settings { json, .. } => {
            lists::settings(&loaded, json);
            Ok(0)
        }
        Command::Healthcheck { .. } => healthcheck::run(&loaded.settings.http),
        Command::Keys => signed::keys(&loaded.settings),
        Command::Decay { json } => facts::decay(&loaded.settings, json),
        Command::Evaluate {
            file,
            query,
            profile,
            intent,
            max_tokens,
            strategy,
            json,
            html,
            records,
        } => evaluate::evaluate(
            &file,
            evaluate::Wishes {
                query,
                profile,
                intent,
                max_tokens,
                strategy,
            },
            &evaluate::Form {
                json,
                html: html.as_deref(),
                records: records.as_deref(),
            },
            &loaded.settings,
        ),
        Command::Stdio => speak_stdio(&loaded, &sources),
        Command::Http { .. } => speak_http(&loaded, &sources),
        Command::Call {
            tool: Some(tool),
            arguments,
            json,
            html,
            records,
            ..
        } => {
            let form = call::Form {
                json,
                html: html.as_deref(),
                records: records.as_deref(),
            };
            call::run(&loaded, &sources, &tool, &arguments, form)
        }
        Command::Recheck {
            answer_id,
            html,
            json,
            records,
        } => {
            let words = [format!("answer_id={answer_id}")];
            let form = call::Form {
                json,
                html: html.as_deref(),
                records: records.as_deref(),
            };
            call::run(&loaded, &sources, freshcontext_engine::RECHECK, &words, form)
        }
        Command::References { file, html, json } => {
            references::run(&loaded, &sources, &file, html.as_deref(), json)
        }
        Command::Store { task } => store::run(&loaded, task),
        Command::Records { token, task } => {
            let owner = token.map_or_else(Owner::default, |name| Owner::of_token(&name));
            records::kept(&loaded, &sources, &task, &owner)
        }
        Command::Deliverable { token, task } => {
            if let (Some(name), args::DeliverableTask::Add(_)) = (&token, &task)
                && !loaded.settings.http.tokens.contains_key(name)
                // The subject of an access token, whose name is a hash.
                && !(loaded.settings.http.oauth.is_set() && name.starts_with("oauth:"))
            {
                let problem = format!("no token is named {} (http.tokens)", named(name));
                output::error(
                    &problem,
                    Some("nobody could ever see what is added under that name"),
                );
                return WRONG;
            }
            let owner = token.map_or_else(Owner::default, |name| Owner::of_token(&name));
            deliverable::run(&loaded, &sources, task, &owner)
        }
        Command::Sync { token, json } => {
            let owner = token.map_or_else(Owner::default, |name| Owner::of_token(&name));
            deliverable::stored(&loaded, &sources, json, &owner)
        }
        Command::Tools { json } => lists::tools(&loaded, &sources, json),
        Command::Sources { live: true, json } => live::run(&loaded, &sources, json),
        Command::Sources { json, .. } => lists::sources(&loaded, &sources, json),
        Command::Doctor { online, json } => doctor::run(&loaded, &sources, online, json),
        // Handled above.
        Command::Validate { .. }
        | Command::Inspect { .. }
        | Command::History(_)
        | Command::Stamp { .. }
        | Command::Verify { .. }
        | Command::Version { .. }
        | Command::Install { .. }
        | Command::Uninstall { .. }
        | Command::Help { .. }
        | Command::Call { tool: None, .. }
        | Command::Completions { .. }
        | Command::Man { .. } => Ok(WRONG),
    };
    result.unwrap_or_else(|error| wrong(&error))
}

/// Returns the configuration layers of this command line.
fn layers(global: &Global, command: &Command) -> Sources {
    let mut sources = Sources::from_process();
    sources.file.clone_from(&global.config);
    sources.flags.clone_from(&global.set);
    sources.data_dir.clone_from(&global.data_dir);
    let mut flag = |key: &str, value: String| sources.flags.push((key.to_owned(), value));
    if let Some(level) = &global.log {
        flag("log", level.clone());
    }
    if let Some(format) = &global.log_format {
        flag("log_format", format.clone());
    }
    let mut toolsets = global.toolset.clone();
    if matches!(
        command,
        Command::Recheck { .. }
            | Command::Deliverable { .. }
            | Command::Sync { .. }
            | Command::Records { .. }
    ) {
        toolsets.push("time".to_owned());
    }
    if matches!(command, Command::References { .. }) {
        toolsets.push("references".to_owned());
    }
    if !toolsets.is_empty() {
        flag("toolsets", format!("default,{}", toolsets.join(",")));
    }
    if let Command::Http { addr: Some(addr) } | Command::Healthcheck { addr: Some(addr) } = command {
        flag("http.addr", addr.clone());
    }
    sources
}

fn wrong(error: &ConfigError) -> u8 {
    output::error(
        &error.to_string(),
        Some("`freshcontext settings` lists every setting; `freshcontext doctor` checks the set-up"),
    );
    WRONG
}

/// Runs a future on a runtime with this many threads, and shuts down without waiting for stuck blocking
/// reads. A single thread is the caller's own.
pub(crate) fn with_runtime<T>(threads: usize, work: impl Future<Output = T>) -> Result<T, ConfigError> {
    let mut builder = match threads {
        1 => Builder::new_current_thread(),
        _ => Builder::new_multi_thread(),
    };
    let runtime = builder
        .worker_threads(threads)
        .thread_name("freshcontext")
        .max_blocking_threads(BLOCKING_THREADS)
        .enable_all()
        .build()
        .map_err(|error| ConfigError(format!("cannot start: {error}")))?;
    let value = runtime.block_on(work);
    runtime.shutdown_timeout(Duration::from_millis(50));
    Ok(value)
}

/// Returns the number of processors available to this process; two if unknown.
fn processors() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from)
}

fn speak_stdio(loaded: &Loaded, sources: &Sources) -> Result<u8, ConfigError> {
    let app = App::build_for_stdio(&loaded.settings, &sources.environment)?;
    over_stdio(app.engine, app.follow, &loaded.settings.limits)
}

/// Serves an engine on stdin and stdout until the session ends. Returns the exit code.
pub fn over_stdio(engine: Arc<Engine>, follow: Option<Follow>, limits: &Limits) -> Result<u8, ConfigError> {
    // One thread suffices: parsing and evaluation have their own threads, and the steps of a session would only wake
    // one thread after another.
    with_runtime(1, async {
        engine.begin();
        freshcontext_telemetry::attach();
        let kept = Arc::clone(&engine);
        let server = McpServer::new(engine).with_deliverables(follow).for_one_session();
        let served = stdio::serve(Traced::new(server), limits).await;
        kept.close().await;
        freshcontext_telemetry::shut_down().await;
        match served {
            Ok(()) => 0,
            Err(error) => {
                output::error(&format!("cannot write to stdout: {error}"), None);
                FAILED
            }
        }
    })
}

fn speak_http(loaded: &Loaded, sources: &Sources) -> Result<u8, ConfigError> {
    let settings = &loaded.settings;
    http::check(&settings.http)?;
    let app = App::build_for_http(settings, &sources.environment)?;
    let oauth = resource_server(&settings.http.oauth, &app.pipeline)?;
    log_start(settings, &app);
    let courier = courier(app.follow.as_ref(), &app.pipeline, settings)?;
    let pipeline = app.pipeline;
    let tokens = http::Tokens::new(&settings.http);
    let reload = Reload::new(sources.clone(), settings, tokens.clone());
    let parts = HttpParts {
        engine: app.engine,
        follow: app.follow,
        courier,
        metrics: app.metrics,
        shared: app.shared,
        oauth,
        tokens: Some((tokens, reload)),
    };
    serve_http(parts, settings, move |address| {
        pipeline.add_own_address(address);
    })
}

/// Logs in one line what an operator wants to know of a start.
fn log_start(settings: &Settings, app: &App) {
    let listed = |names: Vec<&str>| names.join(",");
    let store = settings
        .with_time()
        .then(|| settings.store().map_or("off", |store| store.kind()));
    let keys = app.engine.descriptors().flat_map(secret_names);
    let mut keys: Vec<&str> = keys.filter(|name| app.pipeline.configured(name)).collect();
    keys.sort_unstable();
    keys.dedup();
    tracing::info!(
        version = env!("CARGO_PKG_VERSION"),
        address = %settings.http.addr,
        toolsets = settings.toolsets.join(","),
        tools = app.engine.tools().len(),
        store,
        redis = settings.redis_url.is_some(),
        tokens = listed(settings.http.all_tokens().map(|(name, _)| name.unwrap_or("http.token")).collect()),
        oauth = settings.http.oauth.issuer,
        keys = listed(keys),
        metrics = settings.http.serves_metrics(),
        "started"
    );
}

/// Serves an engine over HTTP until shutdown. Calls `bound` with the address. Returns the exit code.
pub fn over_http(
    engine: Arc<Engine>,
    settings: &Settings,
    bound: impl FnOnce(SocketAddr),
) -> Result<u8, ConfigError> {
    let parts = HttpParts {
        engine,
        follow: None,
        courier: None,
        metrics: None,
        shared: None,
        oauth: None,
        tokens: None,
    };
    serve_http(parts, settings, bound)
}

/// What the HTTP service is put together from.
struct HttpParts {
    engine: Arc<Engine>,
    follow: Option<Follow>,
    /// Posts changes of deliverables while the service runs.
    courier: Option<Courier>,
    metrics: Option<Arc<Metrics>>,
    shared: Option<Coordinator>,
    oauth: Option<Arc<ResourceServer>>,
    /// Tokens that are read again. The configuration that this process was started with says where.
    tokens: Option<(http::Tokens, Reload)>,
}

fn serve_http(
    parts: HttpParts,
    settings: &Settings,
    bound: impl FnOnce(SocketAddr),
) -> Result<u8, ConfigError> {
    let HttpParts {
        engine,
        follow,
        courier,
        metrics,
        shared,
        oauth,
        tokens,
    } = parts;
    with_runtime(processors().clamp(2, 8), async {
        let listener = http::bind(settings.http.addr).await?;
        if let Ok(address) = listener.local_addr() {
            bound(address);
            output::note(&format!(
                "freshcontext: MCP at http://{address}{}",
                http::MCP_PATH
            ));
        }
        engine.begin();
        freshcontext_telemetry::attach();
        if let Some(shared) = &shared {
            shared.start();
        }
        let kept = Arc::clone(&engine);
        let replicas = shared
            .clone()
            .map(|shared| Arc::new(SharedRates(shared)) as Arc<dyn http::Replicas>);
        let ending = CancellationToken::new();
        let mcp = McpServer::new(Arc::clone(&engine))
            .with_deliverables(follow)
            .for_listeners(ending.clone());
        let rest = http::Rest::new(engine, mcp.clone(), closed_tools);
        let (tokens, reload) = tokens.unzip();
        let interfaces = http::Interfaces {
            mcp: Traced::new(mcp),
            rest: Some(Arc::new(rest)),
            metrics,
            replicas,
            oauth,
            tokens,
            ending,
        };
        let stop = CancellationToken::new();
        let posting = courier.map(|courier| {
            let stop = stop.clone();
            tokio::spawn(async move { post_until(Some(&courier), &stop).await })
        });
        match reload {
            Some(reload) => {
                let first = async {
                    tokio::select! {
                        () = signals::asked_to_end() => {}
                        () = reload.run() => {}
                    }
                };
                let second = signals::asked_to_end();
                let (settings, limits) = (&settings.http, &settings.limits);
                http::serve_until(interfaces, listener, settings, limits, first, second).await;
            }
            None => http::serve(interfaces, listener, &settings.http, &settings.limits).await,
        }
        stop.cancel();
        if let Some(posting) = posting {
            // It ends in bounded time, and only a defect makes it fail.
            let _ = posting.await;
        }
        kept.close().await;
        if let Some(shared) = shared {
            shared.leave().await;
        }
        freshcontext_telemetry::shut_down().await;
        Ok(0)
    })?
}

/// Reports an unreadable input.
fn unreadable(refused: &Refused) -> u8 {
    output::error(&refused.to_string(), Some("give a file, or - for stdin"));
    WRONG
}

/// Reports an invalid input.
fn refused(error: &SourceError) -> u8 {
    output::error(&error.message, error.hint.as_deref());
    WRONG
}

/// Reports a failed task.
fn failed(error: &SourceError) -> u8 {
    use freshcontext_contract::ErrorCode::{InvalidInput, Misconfigured};
    output::error(&error.message, error.hint.as_deref());
    match error.code {
        InvalidInput | Misconfigured => WRONG,
        _ => FAILED,
    }
}
