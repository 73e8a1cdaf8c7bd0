//! Command-line arguments.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, CommandFactory as _, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use super::install::clients::Client;

const ABOUT: &str = "Public sources with the age of every item, for language models and for people.";

const EXAMPLES: &str = "\
Examples:
  freshcontext call extract_hackernews url=\"rust async\"   run one tool
  freshcontext call extract_hackernews --help             the arguments of that tool
  freshcontext call search_repos query=x --html a.html    also write an HTML page with a timeline
  freshcontext tools                                      list all tools
  freshcontext evaluate signals.json --max-tokens 4000    evaluate context, and select what fits
  freshcontext history truncate chat.json                 the newest messages within 50,000 tokens
  freshcontext validate answer.txt                        validate any FreshContext answer
  freshcontext doctor --online                            check whether all sources respond
  freshcontext install cursor                             add this server to a client
  freshcontext help settings                              describe all settings

Exit codes: 0 success; 1 failure; 2 wrong usage, arguments or configuration.

MCP server: start `freshcontext stdio` from your client's configuration, or `freshcontext http`.";

const CALLING: &str = "\
Syntax of arguments:
  key=value        typed by the tool's schema; lists as a,b,c or as JSON
  key=@FILE        the text of a file (@- is stdin); for a value that begins with @, write @@
  '{...}'          several arguments as a JSON object
  @FILE or -       a JSON object from a file or from stdin
  a word alone     the tool's single required argument

`freshcontext call TOOL --help` lists the arguments of a tool.

Exit codes: 0 success; 1 the call failed; 2 wrong usage, arguments or configuration.";

/// The command line.
#[derive(Debug, Parser)]
#[command(name = "freshcontext", about = ABOUT, after_help = EXAMPLES, disable_help_subcommand = true)]
#[command(disable_version_flag = true)] // clap's own flag would exit before --json is parsed
pub(crate) struct Cli {
    /// Print the version
    #[arg(short = 'V', long)]
    pub(crate) version: bool,
    /// With --version: print JSON, with the specification's version
    #[arg(long, requires = "version")]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// Flags of all commands.
#[derive(Debug, Args, Clone)]
pub(crate) struct Global {
    /// Configuration file (TOML); default: config.toml in the platform's folder
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Override one setting for this run (see `freshcontext help settings`)
    #[arg(long = "set", global = true, value_name = "KEY=VALUE", value_parser = key_value)]
    pub(crate) set: Vec<(String, String)>,
    /// Log level on stderr: error, warn, info, debug, trace, off
    #[arg(long, global = true, value_name = "LEVEL")]
    pub(crate) log: Option<String>,
    /// Form of the log's lines: text or json
    #[arg(long, global = true, value_name = "FORM")]
    pub(crate) log_format: Option<String>,
    /// Enable a toolset: time (`recheck`, deliverables), references, or all
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) toolset: Vec<String>,
    /// Folder for the server's own files
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
}

/// A command.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve MCP on stdin and stdout (for MCP clients to start)
    Stdio,
    /// Serve MCP over HTTP at /mcp
    Http {
        /// Address and port; a non-loopback address requires a token (FRESHCONTEXT_HTTP_TOKEN)
        #[arg(long, value_name = "ADDR")]
        addr: Option<String>,
    },
    /// Check whether the HTTP service is ready; exits with 0 if it is, 1 if not
    Healthcheck {
        /// Address and port of the service
        #[arg(long, value_name = "ADDR")]
        addr: Option<String>,
    },
    /// Run one tool and print its answer
    #[command(disable_help_flag = true, after_help = CALLING)] // clap's own help does not know the tool
    Call {
        /// Tool name, for example extract_hackernews
        #[arg(index = 1, required_unless_present = "help")]
        tool: Option<String>,
        /// Arguments of the tool: key=value, @FILE, - for stdin, or JSON
        #[arg(index = 2, value_name = "KEY=VALUE")]
        arguments: Vec<String>,
        /// Print the structured result as JSON
        #[arg(long)]
        json: bool,
        /// Also write the answer as an HTML page with a timeline
        #[arg(long, value_name = "FILE")]
        html: Option<PathBuf>,
        /// Write the call's context records to this file, for `freshcontext records`
        #[arg(long, value_name = "FILE")]
        records: Option<PathBuf>,
        /// Print help; with a tool, list its arguments
        #[arg(short, long)]
        help: bool,
    },
    /// Check whether an earlier answer is current, changed or gone, or could not be checked
    Recheck {
        /// Id of the answer, as printed by `freshcontext call --toolset time`
        answer_id: String,
        /// Write what became of it as an HTML page to this file
        #[arg(long, value_name = "FILE")]
        html: Option<PathBuf>,
        /// Print the structured result as JSON
        #[arg(long)]
        json: bool,
        /// Write the call's context records to this file, for `freshcontext records`
        #[arg(long, value_name = "FILE")]
        records: Option<PathBuf>,
    },
    /// Check whether the references in a text, a bibliography or a lock file still stand
    #[command(
        after_help = "Exit code: 0 all stand, 3 one was moved or superseded, 4 one could not be checked or was not \
                            recognised or none was found, 5 one was withdrawn or is gone."
    )]
    References {
        /// File that holds the references; `-` is stdin
        file: PathBuf,
        /// Write the verdicts as an HTML page to this file
        #[arg(long, value_name = "FILE")]
        html: Option<PathBuf>,
        /// Print the structured result as JSON
        #[arg(long)]
        json: bool,
    },
    /// Manage the data that the toolset `time` stores
    Store {
        /// Task
        #[command(subcommand)]
        task: StoreTask,
    },
    /// Manage deliverables (named sets of sources): check, sync, generate, compare
    Deliverable {
        /// Use the data of the HTTP caller with the token of this name instead of this machine's own
        #[arg(long, global = true, value_name = "NAME")]
        token: Option<String>,
        /// Task
        #[command(subcommand)]
        task: DeliverableTask,
    },
    /// Report what is stored of every deliverable, and since when; asks no source
    Sync {
        /// Use the data of the HTTP caller with the token of this name, instead of this machine's own
        #[arg(long, value_name = "NAME")]
        token: Option<String>,
        /// Print the result as JSON
        #[arg(long)]
        json: bool,
    },
    /// List the tools and their size for a model
    Tools {
        /// Print the list as MCP clients get it, with valid example arguments for each tool
        #[arg(long)]
        json: bool,
    },
    /// List the sources with their keys, routes, limits, terms, and date rules
    Sources {
        /// Show the live state of each source: last success, pace and waiting requests, suspensions, block pages, route in use,
        /// missing keys. Asks the running service at `http.addr` with the first configured token. Without a service, it shows what
        /// this process knows: keys and limits
        #[arg(long)]
        live: bool,
        /// Print the list as JSON
        #[arg(long)]
        json: bool,
    },
    /// Validate a FreshContext response: its level, and what the next level requires
    Validate {
        /// File to read, - for stdin, or the response itself ({...}, "..." or [FRESHCONTEXT]...)
        #[arg(value_name = "FILE|RESPONSE")]
        response: OsString,
        /// Exit with 1 if the response does not reach this level
        #[arg(long, value_enum, default_value_t = RequiredLevel::Aware)]
        level: RequiredLevel,
        /// Print the report as JSON
        #[arg(long)]
        json: bool,
    },
    /// Evaluate documents: a JSON list, JSON Lines, or arguments of evaluate_context
    Evaluate {
        /// File to read, or - for stdin
        file: PathBuf,
        /// Words of the question that the documents should answer
        #[arg(long, value_name = "WORDS")]
        query: Option<String>,
        /// Kind of the documents; local_custom by default
        #[arg(long)]
        profile: Option<String>,
        /// Purpose of the documents; developer_adoption by default
        #[arg(long)]
        intent: Option<String>,
        /// Print a selection of at most N tokens, ready to paste; the omitted items and the reasons go to stderr
        #[arg(long, value_name = "N")]
        max_tokens: Option<u64>,
        /// Strategy for items that exceed the budget, such as truncate_tail, summarize_oldest, ask_for_choice
        #[arg(long, value_name = "STRATEGY", requires = "max_tokens")]
        strategy: Option<String>,
        /// Print the structured result as JSON
        #[arg(long)]
        json: bool,
        /// Write the evaluation as an HTML page to this file
        #[arg(long, value_name = "FILE")]
        html: Option<PathBuf>,
        /// Write the context records of the evaluation to this file, for `freshcontext records`
        #[arg(long, value_name = "FILE")]
        records: Option<PathBuf>,
    },
    /// Manage context records: list, check and export them
    Records {
        /// Use the data of the HTTP caller with the token of this name instead of this machine's own
        #[arg(long, global = true, value_name = "NAME")]
        token: Option<String>,
        /// Task
        #[command(subcommand)]
        task: Records,
    },
    /// Process the messages of a conversation
    #[command(subcommand)]
    History(History),
    /// Classify a text as content or as a failed retrieval, and explain why
    Inspect {
        /// File to read, or - for stdin
        #[arg(required_unless_present = "jsonl")]
        file: Option<PathBuf>,
        /// Classify the {"id","text"} lines of this file instead; prints one line of JSON for each
        #[arg(long, value_name = "FILE", conflicts_with = "file")]
        jsonl: Option<PathBuf>,
    },
    /// Sign provenance facts, so that any change is detectable (Ha-Pri)
    Stamp {
        /// File with the facts as JSON ({"content", "adapter", ...}), or - for stdin
        file: PathBuf,
        /// File with a key; it also signs the verdict, and only holders of the key can sign or verify
        #[arg(long, value_name = "FILE")]
        key_file: Option<PathBuf>,
    },
    /// Verify a stamp or a signature offline; exits with 0 if it is valid
    Verify {
        /// File with the output of `stamp`, a signed evaluation as JSON, or the bytes of an answer; - for stdin
        file: PathBuf,
        /// File with the key of a stamp's signature
        #[arg(long, value_name = "FILE", conflicts_with = "keys")]
        key_file: Option<PathBuf>,
        /// File with the public keys of a server (`freshcontext keys`, or GET /v1/keys)
        #[arg(long, value_name = "FILE")]
        keys: Option<PathBuf>,
        /// File with the signature of an answer, as JSON
        #[arg(long, value_name = "FILE", requires = "keys")]
        signature: Option<PathBuf>,
        /// Print the result as JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the public keys with which signatures of this deployment are verified, as JSON
    Keys,
    /// List the decay classes: how fast each kind of source ages
    Decay {
        /// Print the list as JSON
        #[arg(long)]
        json: bool,
    },
    /// List all settings with their environment variables and current values
    Settings {
        /// Print the documentation page (with defaults instead of current values)
        #[arg(long, conflicts_with = "json")]
        markdown: bool,
        /// Print the list as JSON
        #[arg(long)]
        json: bool,
    },
    /// Check the installation on this machine
    Doctor {
        /// Also send one request to each source, and compare the response with its known shape
        #[arg(long)]
        online: bool,
        /// Print the report as JSON
        #[arg(long)]
        json: bool,
    },
    /// Add this server to a client's configuration; other content stays unchanged
    ///
    /// The options --toolset, --set, --data-dir, --config and --log of this command are written, too.
    Install {
        /// Client to configure
        client: Client,
        /// Show the changes without writing them
        #[arg(long)]
        dry_run: bool,
        /// Environment variable for the server; KEY alone where the client prompts for the value or has it. Repeatable
        #[arg(long, value_name = "KEY=VALUE")]
        env: Vec<String>,
        /// Print the client's deep link instead (cursor, vscode)
        #[arg(long, conflicts_with = "dry_run")]
        link: bool,
        /// Command for the client to start instead of this program; options and `stdio` are appended
        #[arg(last = true, value_name = "COMMAND")]
        command: Vec<String>,
    },
    /// Remove this server from a client's configuration
    Uninstall {
        /// Client to configure
        client: Client,
        /// Show the changes without writing them
        #[arg(long)]
        dry_run: bool,
        /// Also remove an entry that was written or edited by hand; a backup of the file is kept
        #[arg(long)]
        force: bool,
    },
    /// Show help for a command, a tool, or the settings
    Help {
        /// Command, tool, or `settings`; omit it for the list of commands
        topic: Vec<String>,
    },
    /// Print a completion script for commands, and in bash and zsh also for tools
    Completions {
        /// Shell of the script
        shell: Shell,
    },
    /// Print the manual page of this program or of one of its commands
    Man {
        /// Command to describe
        command: Option<String>,
        /// Write all pages to this folder instead
        #[arg(long, value_name = "DIR", conflicts_with = "command")]
        into: Option<PathBuf>,
    },
    /// Print the version and the implemented specification version
    Version {
        /// Print both as JSON
        #[arg(long)]
        json: bool,
    },
}

/// A command on the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Subcommand)]
pub(crate) enum StoreTask {
    /// Show the number of stored entries, their age, and the size of the store
    Info {
        /// Print the statistics as JSON
        #[arg(long)]
        json: bool,
    },
    /// Check the integrity of the database, and the hash of every version and its predecessor; exits with 1 if one is wrong
    Check,
    /// Delete expired and surplus entries, and release free space
    Vacuum,
    /// Export the stored answers of this machine, one line of JSON for each
    Export,
    /// Make or update the tables, and do nothing else: for a database whose other users may not make tables
    Migrate,
}

/// A command on context records.
#[derive(Debug, Clone, PartialEq, Eq, Subcommand)]
pub(crate) enum Records {
    /// List the records that the toolset `time` stores, newest first
    List {
        /// Print the list as JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the stored records of one call as JSON
    Show {
        /// Id of their envelope (ctx_...)
        context_id: String,
    },
    /// Export records in a format that other programs read
    Export {
        /// File with records: a bundle, an answer that contains one, JSON Lines or CloudEvents; - for stdin
        #[arg(required_unless_present = "kept", conflicts_with = "kept")]
        file: Option<PathBuf>,
        /// Use the stored records with this id (ctx_...) instead of a file
        #[arg(long, value_name = "ID")]
        kept: Option<String>,
        /// Output format
        #[arg(long, value_parser = ["json", "jsonl", "cloudevents", "prov"], default_value = "json")]
        format: String,
    },
    /// Print records as an HTML page: items offered, selected and omitted, by age, and the events
    Page {
        /// File with records, as for `export`
        file: PathBuf,
        /// File with the text that was delivered: compared with its recorded hash, and shown on the page
        #[arg(long, value_name = "FILE")]
        text: Option<PathBuf>,
    },
    /// Check records against their rules: references, partition, states, order, room, no secrets; exits with 1 on a
    /// violation
    Check {
        /// File with records, as for `export`
        file: PathBuf,
        /// File with the text that was delivered: compare it, and each of its blocks, with the recorded hashes
        #[arg(long, value_name = "FILE")]
        text: Option<PathBuf>,
        /// Print the violations as JSON
        #[arg(long)]
        json: bool,
    },
}

/// A command on deliverables.
#[derive(Debug, Clone, PartialEq, Eq, Subcommand)]
pub(crate) enum DeliverableTask {
    /// Define a deliverable
    Add(NewDeliverable),
    /// List the deliverables with their sources and newest versions
    List {
        /// List every stored version instead, with its number, time, items and hash
        #[arg(long)]
        versions: bool,
        /// Print the list as JSON
        #[arg(long)]
        json: bool,
    },
    /// Report which sources are stale, were never synced, or could not be checked; exits with 0 if all are fresh, 3 if one is
    /// stale, 4 if one could not be checked
    Check {
        /// Name of the deliverable
        name: String,
        /// Print the report as JSON
        #[arg(long)]
        json: bool,
    },
    /// Fetch stale sources
    Sync {
        /// Name of the deliverable
        name: String,
        /// Print the report as JSON
        #[arg(long)]
        json: bool,
    },
    /// Check and sync the sources, evaluate them now, and store the result as a new version
    Generate {
        /// Name of the deliverable
        name: String,
        /// Also keep a version without an item; otherwise that is an error, and nothing is kept
        #[arg(long)]
        allow_empty: bool,
        /// Write the version as an HTML page to this file: what changed since the one before, then what it holds
        #[arg(long, value_name = "FILE")]
        html: Option<PathBuf>,
        /// Print the version as JSON
        #[arg(long)]
        json: bool,
    },
    /// Print a version
    Show {
        /// Name of the deliverable
        name: String,
        /// Version number; default: the newest
        version: Option<i64>,
        /// Write the version as an HTML page to this file: what changed since the one before, then what it holds
        #[arg(long, value_name = "FILE")]
        html: Option<PathBuf>,
        /// Print the complete stored version as JSON
        #[arg(long)]
        json: bool,
    },
    /// Show the changes between two versions, or between a version and now
    Diff {
        /// Name of the deliverable
        name: String,
        /// Version to compare from
        from: i64,
        /// Version to compare with, or `now`
        #[arg(default_value = "now")]
        to: String,
        /// Write the changes as an HTML page to this file
        #[arg(long, value_name = "FILE")]
        html: Option<PathBuf>,
        /// Print the changes as JSON
        #[arg(long)]
        json: bool,
    },
    /// Keep the sources synced at their half-lives, and print a line of JSON for each change
    Watch {
        /// Name of the deliverable
        name: String,
        /// Sync each source at this interval instead of at its half-life
        #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
        every: Option<u64>,
        /// Maintain this Atom feed of changes
        #[arg(long, value_name = "FILE")]
        atom: Option<PathBuf>,
        /// Maintain this JSON Feed of changes
        #[arg(long, value_name = "FILE")]
        json_feed: Option<PathBuf>,
    },
    /// Post the changes that webhooks wait for, once, and exit with 1 if one could not be posted
    Notify {
        /// Name of the deliverable; default: all of the caller's
        name: Option<String>,
        /// Print the result as JSON
        #[arg(long)]
        json: bool,
    },
    /// Remove a deliverable; its versions are kept as long as answers
    Remove {
        /// Name of the deliverable
        name: String,
        /// Print the result as JSON
        #[arg(long)]
        json: bool,
    },
}

/// A new deliverable.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub(crate) struct NewDeliverable {
    /// Name: letters, digits, - and _
    pub(crate) name: String,
    /// Tool with arguments, such as 'search_jobs query=rust remote_only=true'; repeatable
    #[arg(long, required = true, value_name = "TOOL KEY=VALUE ...")]
    pub(crate) source: Vec<String>,
    /// Profile of the evaluation, as in evaluate_context
    #[arg(long)]
    pub(crate) profile: Option<String>,
    /// Intent of the evaluation, as in evaluate_context
    #[arg(long)]
    pub(crate) intent: Option<String>,
    /// Search query, in plain words
    #[arg(long)]
    pub(crate) query: Option<String>,
    /// Maximum tokens of a version; default: 4000
    #[arg(long, value_name = "N")]
    pub(crate) max_tokens: Option<u64>,
    /// Handling of a source that cannot be checked or synced
    #[arg(long, value_enum, default_value_t = Unchecked::Refuse)]
    pub(crate) on_unchecked: Unchecked,
    /// Writing style; stored and returned unchanged
    #[arg(long)]
    pub(crate) style: Option<String>,
    /// Markdown template of a version, with {{blocks}} in place of the items
    #[arg(long, value_name = "FILE")]
    pub(crate) template: Option<PathBuf>,
    /// Recipients, comma-separated; stored and returned unchanged
    #[arg(long, value_name = "RECIPIENT", value_delimiter = ',')]
    pub(crate) recipients: Vec<String>,
    /// Post each change to this https address, signed; the HTTP service and `watch` do so as changes come
    #[arg(long, value_name = "URL")]
    pub(crate) notify: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Handling of a source that cannot be checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum Unchecked {
    /// Generate no version
    Refuse,
    /// Use the last synced state, with its age
    UseLast,
    /// Leave the source out
    LeaveOut,
}

/// A command on a conversation.
#[derive(Debug, Subcommand)]
pub(crate) enum History {
    /// Keep the newest messages that fit: tool calls always with their results, and always the system message
    Truncate {
        /// File with the messages as JSON or JSON Lines, in any of the formats of --form, or - for stdin
        file: PathBuf,
        /// Maximum tokens to keep
        #[arg(long, value_name = "N", default_value_t = freshcontext_budget::history::MAX_TOKENS)]
        max_tokens: usize,
        /// Handling of a newest message that exceeds the maximum
        #[arg(long, value_enum, default_value_t = Larger::Error)]
        oversize: Larger,
        /// Tokenizer
        #[arg(long, default_value = "o200k_base", value_parser = ["o200k_base", "cl100k_base"])]
        tokenizer: String,
        /// Message format; detected by default
        #[arg(long, value_parser = freshcontext_budget::history::Form::ALL.map(|form| form.as_str()))]
        form: Option<String>,
        /// Print {history, record} as JSON
        #[arg(long)]
        json: bool,
    },
}

/// Handling of a newest message that exceeds the budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Larger {
    /// Fail and name the message
    Error,
    /// Shorten its longest texts
    Cut,
}

/// A level of the specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RequiredLevel {
    /// Reports its retrieval time
    Aware,
    /// Has the envelope, or JSON with retrieval time and confidence
    Compatible,
    /// Compatible, with a decay score
    Scored,
}

/// Returns clap's definition of the command line.
pub(crate) fn command() -> clap::Command {
    Cli::command()
}

fn key_value(text: &str) -> Result<(String, String), String> {
    text.split_once('=')
        .map(|(key, value)| (key.trim().to_owned(), value.to_owned()))
        .ok_or_else(|| "needs the form KEY=VALUE".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        command().debug_assert();
    }
}
