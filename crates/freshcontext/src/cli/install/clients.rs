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
}

impl Client {
    /// Returns the rules for this user, or an error if the user has no home folder.
    pub(super) fn rules(self, environment: &[(String, String)]) -> Result<Rules, String> {
        let folders =
            BaseDirs::new().ok_or("this user has no home folder, where clients keep their files")?;
        let home = folders.home_dir();
        // ~/.config, ~/Library/Application Support or %APPDATA%.
        let config = folders.config_dir();
        let named = |name: &str| {
            let set = environment
                .iter()
                .find(|(known, at)| known == name && !at.is_empty());
            set.map(|(_, at)| PathBuf::from(at))
        };
        Ok(match self {
            Self::ClaudeDesktop => Rules {
                name: "Claude Desktop",
                file: config.join("Claude").join("claude_desktop_config.json"),
                form: Form::Json,
                section: "mcpServers",
                says_stdio: false,
            },
            Self::ClaudeCode => Rules {
                name: "Claude Code",
                file: named("CLAUDE_CONFIG_DIR")
                    .unwrap_or_else(|| home.to_owned())
                    .join(".claude.json"),
                form: Form::Json,
                section: "mcpServers",
                says_stdio: true,
            },
            Self::Cursor => Rules {
                name: "Cursor",
                file: home.join(".cursor").join("mcp.json"),
                form: Form::Json,
                section: "mcpServers",
                says_stdio: false,
            },
            Self::Vscode => Rules {
                name: "VS Code",
                file: config.join("Code").join("User").join("mcp.json"),
                form: Form::JsonWithComments,
                section: "servers",
                says_stdio: true,
            },
            Self::Codex => Rules {
                name: "Codex",
                file: named("CODEX_HOME")
                    .unwrap_or_else(|| home.join(".codex"))
                    .join("config.toml"),
                form: Form::Toml,
                section: "mcp_servers",
                says_stdio: false,
            },
        })
    }
}
