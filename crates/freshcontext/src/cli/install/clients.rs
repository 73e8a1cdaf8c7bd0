//! Location and format of each client's list of MCP servers.

use std::path::PathBuf;

use clap::ValueEnum;
use directories::BaseDirs;

/// A client whose configuration can be edited. Locations and formats follow the clients' documentation as of
/// November 2026.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Client {
    /// Claude Desktop
    ClaudeDesktop,
    /// Claude Code, for all projects of this user
    ClaudeCode,
    /// Cursor, for all projects of this user
    Cursor,
    /// VS Code, for all workspaces of this user
    Vscode,
    /// Codex
    Codex,
    /// Windsurf
    Windsurf,
    /// Zed
    Zed,
    /// Cline, the extension of VS Code or the command line
    Cline,
    /// Gemini CLI, for all projects of this user
    GeminiCli,
    /// JetBrains IDEs with Junie
    Jetbrains,
    /// goose
    Goose,
    /// LM Studio
    LmStudio,
}

/// Format of a configuration file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// JSON (RFC 8259).
    Json,
    /// JSON with comments and trailing commas.
    JsonWithComments,
    /// TOML.
    Toml,
    /// YAML 1.2.
    Yaml,
}

/// How a client obtains the value of a variable that its configuration names without a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ask {
    /// It does not.
    Never,
    /// The value refers to the client's own environment: the text before and after the variable's name.
    Environment(&'static str, &'static str),
    /// The client prompts for it: an item in the list `inputs`.
    Inputs,
    /// The names stand in a list with this name, and the client has the values elsewhere.
    List(&'static str),
}

/// Deep link that adds a server to a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    /// `cursor://`, with the entry as base64 (<https://cursor.com/docs/context/mcp/install-links>).
    Cursor,
    /// `vscode:`, with the entry as JSON
    /// (<https://code.visualstudio.com/api/extension-guides/ai/mcp#create-an-mcp-installation-url>).
    Vscode,
}

/// Configuration rules of one client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rules {
    /// The client's name.
    pub(super) name: &'static str,
    /// Configuration file.
    pub(super) file: PathBuf,
    /// Its format.
    pub(super) form: Form,
    /// Object or table of the servers.
    pub(super) section: &'static str,
    /// Whether an entry names the stdio transport.
    pub(super) says_stdio: bool,
    /// How the client obtains values that are not in the file.
    pub(super) ask: Ask,
    /// Its deep link, if it has one.
    pub(super) link: Option<Link>,
}

/// Folders that the locations start from.
struct Folders {
    home: PathBuf,
    /// `~/.config`, `~/Library/Application Support` or `%APPDATA%`.
    config: PathBuf,
    /// As `config`, but `~/.config` on macOS, too.
    xdg: PathBuf,
}

impl Folders {
    fn find() -> Option<Self> {
        let folders = BaseDirs::new()?;
        let (home, config) = (folders.home_dir().to_owned(), folders.config_dir().to_owned());
        let xdg = if cfg!(target_os = "macos") {
            home.join(".config")
        } else {
            config.clone()
        };
        Some(Self { home, config, xdg })
    }
}

impl Client {
    /// Returns the rules for this user, or an error if the user has no home folder.
    pub(super) fn rules(self, environment: &[(String, String)]) -> Result<Rules, String> {
        let folders =
            Folders::find().ok_or("this user has no home folder, where clients keep their files")?;
        let file = self.file(&folders, environment);
        let json = |name| Rules {
            name,
            file: file.clone(),
            form: Form::Json,
            section: "mcpServers",
            says_stdio: false,
            ask: Ask::Never,
            link: None,
        };
        Ok(match self {
            // https://modelcontextprotocol.io/docs/develop/connect-local-servers
            Self::ClaudeDesktop => json("Claude Desktop"),
            // https://code.claude.com/docs/en/mcp
            Self::ClaudeCode => Rules {
                says_stdio: true,
                ..json("Claude Code")
            },
            // https://cursor.com/docs/context/mcp
            Self::Cursor => Rules {
                ask: Ask::Environment("${env:", "}"),
                link: Some(Link::Cursor),
                ..json("Cursor")
            },
            // https://code.visualstudio.com/docs/copilot/reference/mcp-configuration
            Self::Vscode => Rules {
                form: Form::JsonWithComments,
                section: "servers",
                says_stdio: true,
                ask: Ask::Inputs,
                link: Some(Link::Vscode),
                ..json("VS Code")
            },
            // https://developers.openai.com/codex/mcp
            Self::Codex => Rules {
                form: Form::Toml,
                section: "mcp_servers",
                ask: Ask::List("env_vars"),
                ..json("Codex")
            },
            // https://docs.windsurf.com/windsurf/cascade/mcp
            Self::Windsurf => Rules {
                ask: Ask::Environment("${env:", "}"),
                ..json("Windsurf")
            },
            // https://zed.dev/docs/ai/mcp
            Self::Zed => Rules {
                form: Form::JsonWithComments,
                section: "context_servers",
                ..json("Zed")
            },
            // https://docs.cline.bot/mcp/adding-and-configuring-servers
            Self::Cline => json("Cline"),
            // https://github.com/google-gemini/gemini-cli/blob/main/docs/tools/mcp-server.md; comments are allowed:
            // https://github.com/google-gemini/gemini-cli/blob/main/packages/cli/src/config/settings.ts
            Self::GeminiCli => Rules {
                form: Form::JsonWithComments,
                ask: Ask::Environment("$", ""),
                ..json("Gemini CLI")
            },
            // https://www.jetbrains.com/help/junie/model-context-protocol-mcp.html
            Self::Jetbrains => json("JetBrains Junie"),
            // https://block.github.io/goose/docs/guides/config-files
            Self::Goose => Rules {
                form: Form::Yaml,
                section: "extensions",
                ask: Ask::List("env_keys"),
                ..json("goose")
            },
            // https://lmstudio.ai/docs/app/mcp
            Self::LmStudio => json("LM Studio"),
        })
    }

    /// Returns the path of the client's file. A variable that the client reads for it has precedence.
    fn file(self, folders: &Folders, environment: &[(String, String)]) -> PathBuf {
        let Folders { home, config, xdg } = folders;
        let named = |name: &str| {
            let set = environment
                .iter()
                .find(|(known, at)| known == name && !at.is_empty());
            set.map(|(_, at)| PathBuf::from(at))
        };
        let below = |folder: &PathBuf, parts: &[&str]| folder.join(parts.iter().collect::<PathBuf>());
        match self {
            Self::ClaudeDesktop => below(config, &["Claude", "claude_desktop_config.json"]),
            Self::ClaudeCode => named("CLAUDE_CONFIG_DIR")
                .unwrap_or_else(|| home.clone())
                .join(".claude.json"),
            Self::Cursor => below(home, &[".cursor", "mcp.json"]),
            Self::Vscode => below(config, &["Code", "User", "mcp.json"]),
            Self::Codex => named("CODEX_HOME")
                .unwrap_or_else(|| home.join(".codex"))
                .join("config.toml"),
            Self::Windsurf => below(home, &[".codeium", "windsurf", "mcp_config.json"]),
            Self::Zed if cfg!(windows) => below(config, &["Zed", "settings.json"]),
            Self::Zed => below(xdg, &["zed", "settings.json"]),
            Self::Cline => named("CLINE_MCP_SETTINGS_PATH").unwrap_or_else(|| {
                let name = "cline_mcp_settings.json";
                let own = below(home, &[".cline", "data", "settings"]);
                let extension = [
                    "Code",
                    "User",
                    "globalStorage",
                    "saoudrizwan.claude-dev",
                    "settings",
                ];
                // The command line's own folder, where it exists; else that of the extension.
                if own.is_dir() {
                    own.join(name)
                } else {
                    below(config, &extension).join(name)
                }
            }),
            Self::GeminiCli => below(home, &[".gemini", "settings.json"]),
            Self::Jetbrains => below(home, &[".junie", "mcp", "mcp.json"]),
            Self::Goose if cfg!(windows) => below(config, &["Block", "goose", "config", "config.yaml"]),
            Self::Goose => below(xdg, &["goose", "config.yaml"]),
            Self::LmStudio => below(home, &[".lmstudio", "mcp.json"]),
        }
    }
}
