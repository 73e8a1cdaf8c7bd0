//! Command-line arguments.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, CommandFactory as _, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use super::install::Client;

const ABOUT: &str = "Public sources with the age of every item, for language models and for people.";

const EXAMPLES: &str = "\
Examples:
  freshcontext call extract_hackernews url=\"rust async\"   run one tool here
  freshcontext call extract_hackernews --help             what that tool takes
  freshcontext call search_repos query=x --html a.html    also as a page with a timeline
  freshcontext tools                                      what there is
  freshcontext evaluate signals.json --max-tokens 4000    judge context, and take what fits
  freshcontext history truncate chat.json                 the newest messages of 50,000 tokens
  freshcontext validate answer.txt                        check any FreshContext answer
  freshcontext doctor --online                            do the sources still answer?
  freshcontext install cursor                             let a client start this server
  freshcontext help settings                              every setting, and how to set it

Exit codes: 0 fine; 1 what was asked for failed; 2 wrong usage, arguments or configuration.

As an MCP server: start `freshcontext stdio` from your client's configuration, or run `freshcontext http`.";

const CALLING: &str = "\
How arguments are written:
  key=value        typed as the tool declares it; lists as a,b,c or as JSON
  key=@FILE        the text of a file (@- is stdin); a value that begins with @ is written @@
  '{...}'          several arguments as a JSON object
  @FILE or -       a JSON object from a file or from stdin
  a word alone     the tool's one required argument

`freshcontext call TOOL --help` lists what a tool takes.

Exit codes: 0 an answer; 1 the call failed; 2 wrong usage, arguments or configuration.";

/// The command line.
#[derive(Debug, Parser)]
#[command(name = "freshcontext", about = ABOUT, after_help = EXAMPLES, disable_help_subcommand = true)]
#[command(disable_version_flag = true)] // clap's own would end before it has read --json
pub(crate) struct Cli {
    /// Print the version
    #[arg(short = 'V', long)]
    pub(crate) version: bool,
    /// With --version: as JSON, with the specification that is implemented
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
    /// Configuration file (TOML); else config.toml in the platform's configuration folder, if there
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Change one setting for this run; `freshcontext help settings` lists them
    #[arg(long = "set", global = true, value_name = "KEY=VALUE", value_parser = key_value)]
    pub(crate) set: Vec<(String, String)>,
    /// What to log on stderr: error, warn, info, debug, trace, off
    #[arg(long, global = true, value_name = "LEVEL")]
    pub(crate) log: Option<String>,
    /// Offer one more group of tools: time (answers have ids, and `recheck`, deliverables)
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) toolset: Vec<String>,
    /// Folder for the server's own files
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
}

/// A command.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Speak MCP on stdin and stdout (what an MCP client starts)
    Stdio,
    /// Speak MCP over HTTP at /mcp
    Http {
        /// Address and port; anything but a loopback address needs a token (FRESHCONTEXT_HTTP_TOKEN)
        #[arg(long, value_name = "ADDR")]
        addr: Option<String>,
    },
    /// Ask the HTTP service of this configuration whether it is ready: 0 if it is, 1 if not
    Healthcheck {
        /// Address and port that it listens on
        #[arg(long, value_name = "ADDR")]
        addr: Option<String>,
    },
    /// Run one tool and print its answer
    #[command(disable_help_flag = true, after_help = CALLING)] // clap's own knows nothing of the tool
    Call {
        /// Tool name, for example extract_hackernews
        #[arg(index = 1, required_unless_present = "help")]
        tool: Option<String>,
        /// Arguments of the tool: key=value, @FILE, - for stdin, or JSON
        #[arg(index = 2, value_name = "KEY=VALUE")]
        arguments: Vec<String>,
        /// Print the structured answer as JSON
        #[arg(long)]
        json: bool,
        /// Also write the answer as a page with a timeline
        #[arg(long, value_name = "FILE")]
        html: Option<PathBuf>,
        /// Write the call's context records into this file, for `freshcontext records`
        #[arg(long, value_name = "FILE")]
        records: Option<PathBuf>,
        /// Print help: with a tool, what that tool takes
        #[arg(short, long)]
        help: bool,
    },
    /// Say whether an earlier answer is still so: current, changed, gone or could_not_check
    Recheck {
        /// Id of the answer, as `freshcontext call --toolset time` shows it
        answer_id: String,
        /// Print the structured answer as JSON
        #[arg(long)]
        json: bool,
        /// Write the call's context records into this file, for `freshcontext records`
        #[arg(long, value_name = "FILE")]
        records: Option<PathBuf>,
    },
    /// Look after what the toolset `time` keeps
    Store {
        /// What to do
        #[command(subcommand)]
        task: StoreTask,
    },
    /// Named sets of sources: check, sync, put together, compare
    Deliverable {
        /// Use the data of the HTTP caller with the token of this name, instead of this machine's own
        #[arg(long, global = true, value_name = "NAME")]
        token: Option<String>,
        /// What to do
        #[command(subcommand)]
        task: DeliverableTask,
    },
    /// List the tools and what they cost a model to read
    Tools {
        /// Print the list as MCP clients get it, with an example of right arguments for each
        #[arg(long)]
        json: bool,
    },
    /// List the sources: keys, routes, limits, terms, and how dates are found
    Sources {
        /// Print it as JSON
        #[arg(long)]
        json: bool,
    },
    /// Check any FreshContext response: the level it reaches, and what it lacks for the next
    Validate {
        /// File to read, - for stdin, or the response itself ({...}, "..." or [FRESHCONTEXT]...)
        #[arg(value_name = "FILE|RESPONSE")]
        response: OsString,
        /// End with 1 where this level is not reached
        #[arg(long, value_enum, default_value_t = RequiredLevel::Aware)]
        level: RequiredLevel,
        /// Print the report as JSON
        #[arg(long)]
        json: bool,
    },
    /// Judge signals from a file: the arguments of evaluate_context as JSON
    Evaluate {
        /// File to read, or - for stdin
        file: PathBuf,
        /// Print what fits into so many tokens, ready to paste; what stays out, and why, goes to stderr
        #[arg(long, value_name = "N")]
        max_tokens: Option<u64>,
        /// What happens to what does not fit, such as truncate_tail, summarize_oldest, ask_for_choice
        #[arg(long, value_name = "STRATEGY", requires = "max_tokens")]
        strategy: Option<String>,
        /// Print the structured result as JSON
        #[arg(long)]
        json: bool,
        /// Write the context records of the judgement into this file, for `freshcontext records`
        #[arg(long, value_name = "FILE")]
        records: Option<PathBuf>,
    },
    /// Context records: those that are kept, checking, and forms that others read
    Records {
        /// Use the data of the HTTP caller with the token of this name, instead of this machine's own
        #[arg(long, global = true, value_name = "NAME")]
        token: Option<String>,
        /// What to do
        #[command(subcommand)]
        task: Records,
    },
    /// Work on the messages of a conversation
    #[command(subcommand)]
    History(History),
    /// Tell whether a text is content or a failed retrieval, and why
    Inspect {
        /// File to read, or - for stdin
        #[arg(required_unless_present = "jsonl")]
        file: Option<PathBuf>,
        /// Judge a file of {"id","text"} lines instead, one line of JSON for each
        #[arg(long, value_name = "FILE", conflicts_with = "file")]
        jsonl: Option<PathBuf>,
    },
    /// Sign facts of provenance, so that a change of any of them shows (Ha-Pri)
    Stamp {
        /// File with the facts as JSON ({"content", "adapter", ...}), or - for stdin
        file: PathBuf,
        /// File with a key: then the verdict is signed, too, and only who has the key can sign or verify
        #[arg(long, value_name = "FILE")]
        key_file: Option<PathBuf>,
    },
    /// Check a stamp against its facts: ends with 0 where it is valid
    Verify {
        /// File with what `stamp` printed, or - for stdin
        file: PathBuf,
        /// File with the key that it was signed with
        #[arg(long, value_name = "FILE")]
        key_file: Option<PathBuf>,
        /// Print the result as JSON
        #[arg(long)]
        json: bool,
    },
    /// List the decay classes: how fast each kind of source ages
    Decay {
        /// Print them as JSON
        #[arg(long)]
        json: bool,
    },
    /// List all settings, their environment names and the values in force
    Settings {
        /// Print the page for the documentation (defaults, not the values in force)
        #[arg(long, conflicts_with = "json")]
        markdown: bool,
        /// Print them as JSON
        #[arg(long)]
        json: bool,
    },
    /// Check the set-up of this machine
    Doctor {
        /// Also ask each source one question, and compare its answer with what is known of it
        #[arg(long)]
        online: bool,
        /// Print the report as JSON
        #[arg(long)]
        json: bool,
    },
    /// Put this server into a client's configuration; what else is there stays
    Install {
        /// The client
        client: Client,
        /// Show what would change, and write nothing
        #[arg(long)]
        dry_run: bool,
        /// What the client starts instead of this very program; `stdio` is added: -- npx -y freshcontext
        #[arg(last = true, value_name = "COMMAND")]
        command: Vec<String>,
    },
    /// Take this server out of a client's configuration again
    Uninstall {
        /// The client
        client: Client,
        /// Show what would change, and write nothing
        #[arg(long)]
        dry_run: bool,
        /// Take out an entry that was written or changed by hand, too; a copy of the file is kept
        #[arg(long)]
        force: bool,
    },
    /// Explain a command, a tool, or the settings
    Help {
        /// A command, a tool, or `settings`; nothing for the list of commands
        topic: Vec<String>,
    },
    /// Print a script that completes commands, and in bash and zsh tools, too
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page of this program or of one of its commands
    Man {
        /// The command
        command: Option<String>,
        /// Write all pages into this folder instead
        #[arg(long, value_name = "DIR", conflicts_with = "command")]
        into: Option<PathBuf>,
    },
    /// Print the version, and the specification that is implemented
    Version {
        /// Print them as JSON
        #[arg(long)]
        json: bool,
    },
}

/// A command on the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Subcommand)]
pub(crate) enum StoreTask {
    /// Say what is kept, since when, and how large it is
    Info {
        /// Print it as JSON
        #[arg(long)]
        json: bool,
    },
    /// Check that the database is sound; ends with 1 where it is not
    Check,
    /// Forget what is too old or too much, and give room back
    Vacuum,
    /// Print what is kept of this machine's own answers, a line of JSON for each
    Export,
}

/// A command on context records.
#[derive(Debug, Clone, PartialEq, Eq, Subcommand)]
pub(crate) enum Records {
    /// List the records that the toolset `time` keeps, newest first
    List {
        /// Print it as JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the records that are kept of one call, as JSON
    Show {
        /// Id of their envelope (ctx_...)
        context_id: String,
    },
    /// Write records in a form that others read
    Export {
        /// File with records: a bundle, an answer that holds one, JSON Lines or CloudEvents; - for stdin
        #[arg(required_unless_present = "kept", conflicts_with = "kept")]
        file: Option<PathBuf>,
        /// Instead of a file: the records that are kept under this id (ctx_...)
        #[arg(long, value_name = "ID")]
        kept: Option<String>,
        /// The form
        #[arg(long, value_parser = ["json", "jsonl", "cloudevents", "prov"], default_value = "json")]
        format: String,
    },
    /// Print records as one page: what was offered, selected and left out, by age, and what happened
    Page {
        /// File with records, as for `export`
        file: PathBuf,
    },
    /// Hold records to their rules: references, partition, states, order, room, no secrets; ends with 1 where one is broken
    Check {
        /// File with records, as for `export`
        file: PathBuf,
        /// Print the complaints as JSON
        #[arg(long)]
        json: bool,
    },
}

/// A command on deliverables.
#[derive(Debug, Clone, PartialEq, Eq, Subcommand)]
pub(crate) enum DeliverableTask {
    /// Define one
    Add(NewDeliverable),
    /// List them with their sources and newest versions
    List {
        /// Print it as JSON
        #[arg(long)]
        json: bool,
    },
    /// Say which sources are stale, were never synced, or could not be checked
    Check {
        /// Name of the deliverable
        name: String,
        /// Print it as JSON
        #[arg(long)]
        json: bool,
    },
    /// Fetch what is stale
    Sync {
        /// Name of the deliverable
        name: String,
        /// Print it as JSON
        #[arg(long)]
        json: bool,
    },
    /// Check, fetch what is stale, judge all of it at this moment, and keep that as a new version
    Generate {
        /// Name of the deliverable
        name: String,
        /// Print it as JSON
        #[arg(long)]
        json: bool,
    },
    /// Print a version
    Show {
        /// Name of the deliverable
        name: String,
        /// Number of the version; the newest unless given
        version: Option<i64>,
        /// Print everything that is kept of it as JSON
        #[arg(long)]
        json: bool,
    },
    /// Say what changed between two versions, or between one and now
    Diff {
        /// Name of the deliverable
        name: String,
        /// Number of the version to compare from
        from: i64,
        /// Number of the version to compare with, or `now`
        #[arg(default_value = "now")]
        to: String,
        /// Print it as JSON
        #[arg(long)]
        json: bool,
    },
    /// Keep its sources synced, each by the half-life of its kind, and print a line of JSON for each change
    Watch {
        /// Name of the deliverable
        name: String,
        /// Ask each source again after so many seconds, instead of by its half-life
        #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
        every: Option<u64>,
        /// Keep this Atom feed of changes
        #[arg(long, value_name = "FILE")]
        atom: Option<PathBuf>,
        /// Keep this JSON Feed of changes
        #[arg(long, value_name = "FILE")]
        json_feed: Option<PathBuf>,
    },
    /// Remove one; its versions are kept as long as answers are
    Remove {
        /// Name of the deliverable
        name: String,
        /// Print it as JSON
        #[arg(long)]
        json: bool,
    },
}

/// A new deliverable.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub(crate) struct NewDeliverable {
    /// Its name: letters, digits, - and _
    pub(crate) name: String,
    /// A tool with its arguments, such as 'search_jobs query=rust remote_only=true'; as often as needed
    #[arg(long, required = true, value_name = "TOOL KEY=VALUE ...")]
    pub(crate) source: Vec<String>,
    /// How items are judged, as evaluate_context knows it
    #[arg(long)]
    pub(crate) profile: Option<String>,
    /// What they are wanted for, as evaluate_context knows it
    #[arg(long)]
    pub(crate) intent: Option<String>,
    /// What is looked for, in words
    #[arg(long)]
    pub(crate) query: Option<String>,
    /// Tokens of a version; 4000 unless given
    #[arg(long, value_name = "N")]
    pub(crate) max_tokens: Option<u64>,
    /// What happens to a source that cannot be checked or synced
    #[arg(long, value_enum, default_value_t = Unchecked::Refuse)]
    pub(crate) on_unchecked: Unchecked,
    /// How it is to be written; kept and given back
    #[arg(long)]
    pub(crate) style: Option<String>,
    /// Markdown file that a version is filled into, with {{blocks}} where the items go
    #[arg(long, value_name = "FILE")]
    pub(crate) template: Option<PathBuf>,
    /// Who it is for; kept and given back
    #[arg(long, value_name = "RECIPIENT", value_delimiter = ',')]
    pub(crate) recipients: Vec<String>,
    /// Print it as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// What happens to a source that cannot be checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum Unchecked {
    /// No version is made
    Refuse,
    /// What was synced last goes in, with its age
    UseLast,
    /// It stays out
    LeaveOut,
}

/// A command on a conversation.
#[derive(Debug, Subcommand)]
pub(crate) enum History {
    /// Keep the newest messages that fit: whole calls with their results, the system message always
    Truncate {
        /// File with the messages as JSON (Anthropic, OpenAI chat or Responses, MCP sampling), or - for stdin
        file: PathBuf,
        /// Tokens of what is kept
        #[arg(long, value_name = "N", default_value_t = freshcontext_budget::history::MAX_TOKENS)]
        max_tokens: usize,
        /// What to do with a newest message that is larger than that
        #[arg(long, value_enum, default_value_t = Larger::Error)]
        oversize: Larger,
        /// What counts the tokens
        #[arg(long, default_value = "o200k_base", value_parser = ["o200k_base", "cl100k_base"])]
        tokenizer: String,
        /// How the messages are written; found out unless told
        #[arg(long, value_parser = ["anthropic_messages", "openai_chat", "openai_responses", "mcp_sampling"])]
        form: Option<String>,
        /// Print {history, record} as JSON
        #[arg(long)]
        json: bool,
    },
}

/// What happens to a newest message that exceeds the budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Larger {
    /// Fail, and name it
    Error,
    /// Cut its longest texts
    Cut,
}

/// A level of the specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RequiredLevel {
    /// Says when it was retrieved
    Aware,
    /// The envelope, or JSON with retrieval and confidence
    Compatible,
    /// Compatible, with a score from decay
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
