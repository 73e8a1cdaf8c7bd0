//! Merges the layers: defaults, a TOML file, the environment, command-line flags.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use freshcontext_contract::{Limits, near_miss};
use serde_json::Value;

use crate::error::ConfigError;
use crate::settings::Settings;
use crate::table::{Setting, settings};
use crate::tokens;
use freshcontext_files::read::{self as input, Bound};

/// Inputs of the layers.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// The file named by `--config`; it must exist.
    pub file: Option<PathBuf>,
    /// Environment names and values.
    pub environment: Vec<(String, String)>,
    /// Environment names whose values are not UTF-8.
    pub not_text: Vec<(String, OsString)>,
    /// `key=value` pairs from the command line.
    pub flags: Vec<(String, String)>,
    /// Data folder from the command line, in any encoding. Takes precedence over the other layers.
    pub data_dir: Option<PathBuf>,
}

impl Sources {
    /// Returns the process's own environment, without flags.
    pub fn from_process() -> Self {
        let mut sources = Self::default();
        for (name, value) in std::env::vars_os() {
            let Ok(name) = name.into_string() else {
                continue;
            };
            match value.into_string() {
                Ok(value) => sources.environment.push((name, value)),
                Err(value) => sources.not_text.push((name, value)),
            }
        }
        sources
    }
}

/// Result of loading.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The settings in force.
    pub settings: Settings,
    /// The file that was read, if any.
    pub file: Option<PathBuf>,
    /// Path of the default file if it is not a regular file; such a file is not read.
    pub no_file: Option<PathBuf>,
    /// Environment variables with the server's prefix that no setting has.
    pub unknown_environment: Vec<String>,
}

/// Loads the settings in rising order of precedence.
pub fn load(sources: &Sources) -> Result<Loaded, ConfigError> {
    let table = settings();
    let mut loaded = Loaded {
        settings: Settings::default(),
        file: None,
        no_file: None,
        unknown_environment: Vec::new(),
    };
    if sources.file.is_none() {
        loaded.no_file = default_file().filter(|file| file.exists() && !file.is_file());
    }
    if let Some(file) = find_file(sources) {
        let text = input::read_file(&file, Bound::config(&Limits::DEFAULT))
            .map_err(|refused| ConfigError(refused.to_string()))?;
        let text = String::from_utf8(text)
            .map_err(|_| ConfigError(format!("{} is not UTF-8 text", file.display())))?;
        read_file(&table, &mut loaded.settings, &text)
            .map_err(|ConfigError(problem)| ConfigError(format!("{}: {problem}", file.display())))?;
        loaded.file = Some(file);
    }
    read_environment(&table, &mut loaded, &sources.environment)?;
    read_not_text(&table, &mut loaded.settings, &sources.not_text)?;
    for (key, value) in &sources.flags {
        let setting = find(&table, key)?;
        setting
            .store_text(&mut loaded.settings, value)
            .map_err(|problem| ConfigError(format!("`{key}` {problem}")))?;
    }
    if let Some(folder) = &sources.data_dir {
        loaded.settings.data_dir = Some(folder.clone());
    }
    add_tokens(&mut loaded.settings)?;
    let settings = &loaded.settings;
    if settings.replay_at.is_some() && !settings.upstreams.iter().any(|(host, _)| host == "*") {
        return Err(ConfigError(
            "`replay_at` makes time stand still, which is only right for a replay: set an upstream for `*`, or leave it out"
                .to_owned(),
        ));
    }
    Ok(loaded)
}

/// Adds the tokens of `http.tokens_file` to those of the settings.
fn add_tokens(settings: &mut Settings) -> Result<(), ConfigError> {
    let Some(file) = &settings.http.tokens_file else {
        return Ok(());
    };
    let wrong = |what: String| ConfigError(format!("`http.tokens_file`: {what}"));
    for (name, token) in tokens::read_file(file).map_err(wrong)? {
        if settings.http.tokens.contains_key(&name) {
            return Err(wrong(format!("`{name}` has a token in `http.tokens`, too")));
        }
        settings.http.tokens.insert(name, token);
    }
    Ok(())
}

/// Returns the path of the default file, used without `--config`.
pub fn default_file() -> Option<PathBuf> {
    directories::ProjectDirs::from("", "", "freshcontext").map(|dirs| dirs.config_dir().join("config.toml"))
}

fn find_file(sources: &Sources) -> Option<PathBuf> {
    if let Some(file) = &sources.file {
        return Some(file.clone());
    }
    default_file().filter(|file| Path::is_file(file))
}

fn read_file(table: &[Setting], settings: &mut Settings, text: &str) -> Result<(), ConfigError> {
    let parsed: toml::Table = text.parse().map_err(|error: toml::de::Error| {
        ConfigError(format!(
            "not valid TOML: {}",
            error.message().lines().next().unwrap_or_default()
        ))
    })?;
    let parsed = serde_json::to_value(parsed).map_err(|_| ConfigError("not valid TOML".to_owned()))?;
    walk(table, settings, "", &parsed)
}

fn walk(table: &[Setting], settings: &mut Settings, prefix: &str, value: &Value) -> Result<(), ConfigError> {
    let Some(entries) = value.as_object() else {
        return Err(ConfigError(format!("`{prefix}` must be a table")));
    };
    for (name, value) in entries {
        let key = if prefix.is_empty() {
            name.clone()
        } else {
            format!("{prefix}.{name}")
        };
        let group = format!("{key}.");
        if let Some(setting) = table.iter().find(|setting| setting.key == key) {
            setting
                .store(settings, value)
                .map_err(|problem| ConfigError(format!("`{key}` {problem} ({})", setting.kind.words())))?;
        } else if table.iter().any(|setting| setting.key.starts_with(&group)) {
            walk(table, settings, &key, value)?;
        } else {
            return Err(unknown(table, &key));
        }
    }
    Ok(())
}

fn read_environment(
    table: &[Setting],
    loaded: &mut Loaded,
    environment: &[(String, String)],
) -> Result<(), ConfigError> {
    for (name, value) in environment
        .iter()
        .filter(|(name, _)| name.starts_with("FRESHCONTEXT_"))
    {
        if let Some(setting) = table.iter().find(|setting| setting.env == *name) {
            if !value.trim().is_empty() {
                setting
                    .store_text(&mut loaded.settings, value)
                    .map_err(|problem| ConfigError(format!("environment: `{name}` {problem}")))?;
            }
        } else if name.starts_with("FRESHCONTEXT_LIMIT_")
            || ["FRESHCONTEXT_HTTP_", "FRESHCONTEXT_EGRESS_", "FRESHCONTEXT_OTEL_"]
                .iter()
                .any(|group| name.starts_with(group))
        {
            // Misspelt names must not be ignored. All names, and those of the limits alone, are too many for a line.
            let meant = near_miss(name, table.iter().map(|setting| setting.env.as_str()));
            let meant = meant.map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"));
            return Err(ConfigError(format!("environment: unknown name `{name}`{meant}")));
        } else {
            loaded.unknown_environment.push(name.clone());
        }
    }
    Ok(())
}

/// Applies values that are not UTF-8. Paths accept any bytes; other settings reject such a value.
fn read_not_text(
    table: &[Setting],
    settings: &mut Settings,
    environment: &[(String, OsString)],
) -> Result<(), ConfigError> {
    for (name, value) in environment {
        let Some(setting) = table.iter().find(|setting| setting.env == *name) else {
            continue;
        };
        match setting.key.as_str() {
            "data_dir" => settings.data_dir = Some(PathBuf::from(value)),
            "extra_ca" => settings.extra_ca = Some(PathBuf::from(value)),
            "http.tokens_file" => settings.http.tokens_file = Some(PathBuf::from(value)),
            _ => {
                return Err(ConfigError(format!(
                    "environment: `{name}` must be text in UTF-8 ({})",
                    setting.kind.words()
                )));
            }
        }
    }
    Ok(())
}

fn find<'t>(table: &'t [Setting], key: &str) -> Result<&'t Setting, ConfigError> {
    table
        .iter()
        .find(|setting| setting.key == key)
        .ok_or_else(|| unknown(table, key))
}

fn unknown(table: &[Setting], key: &str) -> ConfigError {
    let shown: String = key.chars().filter(|c| !c.is_control()).take(60).collect();
    let group = key.rsplit_once('.').map(|(group, _)| format!("{group}."));
    let keys = || table.iter().map(|setting| setting.key.as_str());
    let mut known: Vec<&str> = keys()
        .filter(|known| {
            group
                .as_ref()
                .is_some_and(|group| known.starts_with(group.as_str()))
        })
        .collect();
    if known.is_empty() {
        // The many limits have a page of their own.
        known = keys()
            .filter(|known| !known.starts_with("limits."))
            .chain(["limits.*"])
            .collect();
    }
    ConfigError(format!("unknown key `{shown}`. Known: {}", known.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> Result<Settings, ConfigError> {
        let mut settings = Settings::default();
        read_file(&crate::table::settings(), &mut settings, text)?;
        Ok(settings)
    }

    fn environment(pairs: &[(&str, &str)]) -> Result<Loaded, ConfigError> {
        let mut loaded = Loaded {
            settings: Settings::default(),
            file: None,
            no_file: None,
            unknown_environment: Vec::new(),
        };
        let pairs: Vec<_> = pairs
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
            .collect();
        read_environment(&crate::table::settings(), &mut loaded, &pairs)?;
        Ok(loaded)
    }

    #[test]
    fn a_file_sets_every_kind_of_value() {
        let settings = file(
            "contact = 'ops@example.com'\ncache = false\ndisable_sources = ['reddit']\n\
             [http]\naddr = '127.0.0.1:9000'\n[limits]\ncall_deadline_ms = 5000\n\
             [decay]\nhackernews = 0.1\n[upstreams]\n'api.example.com' = 'http://127.0.0.1:1/'\n",
        )
        .unwrap();
        assert_eq!(settings.contact.as_deref(), Some("ops@example.com"));
        assert!(!settings.cache);
        assert_eq!(settings.disable_sources, ["reddit"]);
        assert_eq!(settings.http.addr.port(), 9000);
        assert_eq!(settings.limits.call_deadline_ms, 5000);
        assert!((settings.decay["hackernews"] - 0.1).abs() < f64::EPSILON);
        assert_eq!(
            settings.upstreams,
            [("api.example.com".to_owned(), "http://127.0.0.1:1".to_owned())]
        );
    }

    #[test]
    fn time_stands_still_only_for_a_replay() {
        let at = |moment: &str, upstream: Option<&str>| {
            let mut sources = Sources::default();
            let mut flag = |key: &str, value: &str| sources.flags.push((key.to_owned(), value.to_owned()));
            flag("replay_at", moment);
            if let Some(host) = upstream {
                flag("upstreams", &format!("{host}=http://127.0.0.1:1/"));
            }
            load(&sources)
        };
        for upstream in [None, Some("api.example.com")] {
            let ConfigError(text) = at("2026-11-21T20:15:00Z", upstream).unwrap_err();
            assert!(text.contains("an upstream for `*`"), "{text}");
        }
        let loaded = at("2026-11-21T20:15:00Z", Some("*")).unwrap();
        let now = loaded.settings.clock().now();
        assert_eq!(now.to_rfc3339(), "2026-11-21T20:15:00+00:00");
        let ConfigError(text) = at("now", Some("*")).unwrap_err();
        assert!(
            text.contains("replay_at") && text.contains("2026-11-21T20:15:00Z"),
            "{text}"
        );
    }

    #[test]
    fn an_unknown_key_is_named_and_the_valid_ones_listed() {
        let ConfigError(text) = file("[http]\nadress = 'x'").unwrap_err();
        assert!(
            text.contains("`http.adress`") && text.contains("http.addr"),
            "{text}"
        );
        assert!(
            !text.contains("limits."),
            "only the group's own keys help: {text}"
        );
        let ConfigError(text) = file("colour = 1").unwrap_err();
        assert!(text.contains("`colour`") && text.contains("contact"), "{text}");
    }

    #[test]
    fn a_wrong_type_names_the_key() {
        let ConfigError(text) = file("[limits]\nattempts = 'three'").unwrap_err();
        assert!(
            text.contains("`limits.attempts`") && text.contains("whole number"),
            "{text}"
        );
        let ConfigError(text) = file("cache = 3").unwrap_err();
        assert!(
            text.contains("`cache`") && text.contains("true or false"),
            "{text}"
        );
        let ConfigError(text) = file("http = 3").unwrap_err();
        assert!(text.contains("`http`") && text.contains("table"), "{text}");
    }

    #[test]
    fn the_environment_sets_lists_tables_and_limits() {
        let loaded = environment(&[
            (
                "FRESHCONTEXT_UPSTREAM",
                "*=http://127.0.0.1:9/x/, a.example=https://b.example",
            ),
            ("FRESHCONTEXT_DISABLE_SOURCES", "scholar , gdelt"),
            ("FRESHCONTEXT_LIMIT_ATTEMPTS", "1"),
            ("FRESHCONTEXT_CONTACT", ""),
            ("FRESHCONTEXT_COLOUR", "red"),
        ])
        .unwrap();
        assert_eq!(loaded.settings.upstreams.len(), 2);
        assert_eq!(loaded.settings.upstreams[0].1, "http://127.0.0.1:9/x");
        assert_eq!(loaded.settings.disable_sources, ["scholar", "gdelt"]);
        assert_eq!(loaded.settings.limits.attempts, 1);
        assert_eq!(loaded.settings.contact, None);
        assert_eq!(loaded.unknown_environment, ["FRESHCONTEXT_COLOUR"]);
    }

    #[test]
    fn a_misspelt_limit_in_the_environment_is_refused() {
        let ConfigError(text) = environment(&[("FRESHCONTEXT_LIMIT_ATTEMTPS", "1")]).unwrap_err();
        assert!(text.contains("FRESHCONTEXT_LIMIT_ATTEMTPS") && text.contains("FRESHCONTEXT_LIMIT_ATTEMPTS"));
    }

    #[test]
    fn what_is_denied_is_a_list_and_a_bad_entry_is_named() {
        let settings = file("[egress]\ndeny = ['192.0.2.0/24', '*.corp.example']").unwrap();
        assert_eq!(settings.egress_deny, ["192.0.2.0/24", "*.corp.example"]);
        let loaded = environment(&[("FRESHCONTEXT_EGRESS_DENY", "example.com, 2001:db8::1")]).unwrap();
        assert_eq!(loaded.settings.egress_deny, ["example.com", "2001:db8::1"]);
        let ConfigError(text) = file("[egress]\ndeny = ['example.com', '192.0.2.0/40']").unwrap_err();
        assert!(
            text.contains("`egress.deny`")
                && text.contains("`192.0.2.0/40`")
                && text.contains("*.example.com"),
            "{text}"
        );
        let ConfigError(text) = environment(&[("FRESHCONTEXT_EGRESS_DENI", "example.com")]).unwrap_err();
        assert!(text.contains("FRESHCONTEXT_EGRESS_DENI") && text.contains("FRESHCONTEXT_EGRESS_DENY"));
    }

    #[test]
    fn flags_win_over_the_environment() {
        let sources = Sources {
            environment: vec![("FRESHCONTEXT_HTTP_ADDR".to_owned(), "127.0.0.1:1000".to_owned())],
            flags: vec![("http.addr".to_owned(), "[::1]:2000".to_owned())],
            ..Sources::default()
        };
        assert_eq!(
            load(&sources).unwrap().settings.http.addr.to_string(),
            "[::1]:2000"
        );
    }

    #[cfg(unix)]
    #[test]
    fn paths_may_be_of_any_bytes_and_nothing_else() {
        use std::os::unix::ffi::OsStringExt as _;
        let bytes = OsString::from_vec(b"/data/\xff".to_vec());
        let with = |name: &str| {
            load(&Sources {
                not_text: vec![(name.to_owned(), bytes.clone())],
                ..Sources::default()
            })
        };
        let loaded = with("FRESHCONTEXT_DATA_DIR").unwrap();
        assert_eq!(
            loaded.settings.data_dir.as_deref().map(Path::as_os_str),
            Some(&*bytes)
        );
        let ConfigError(text) = with("FRESHCONTEXT_STORE").unwrap_err();
        assert!(
            text.contains("FRESHCONTEXT_STORE") && text.contains("UTF-8"),
            "{text}"
        );
        assert!(with("OTHER").is_ok());
    }

    #[test]
    fn a_database_is_an_address() {
        for wrong in [
            "nonsense",
            "http://host/database",
            "postgres:",
            "host/database",
            "postgres://host:port/x",
        ] {
            let ConfigError(text) = environment(&[("FRESHCONTEXT_DATABASE_URL", wrong)]).unwrap_err();
            assert!(
                text.contains("FRESHCONTEXT_DATABASE_URL")
                    && text.contains("postgres://user:password@host/database")
                    && !text
                        .replace("postgres://user:password@host/database", "")
                        .contains(wrong),
                "{text}"
            );
        }
        for right in [
            "postgres://u:p@host/db",
            "postgresql://host:5433/db",
            "postgres:///db?host=/run/postgresql",
        ] {
            assert!(
                environment(&[("FRESHCONTEXT_DATABASE_URL", right)]).is_ok(),
                "{right}"
            );
        }
    }

    #[test]
    fn a_secret_never_shows() {
        let loaded = environment(&[("FRESHCONTEXT_HTTP_TOKEN", "hunter2hunter2")]).unwrap();
        let token = crate::table::settings()
            .into_iter()
            .find(|setting| setting.key == "http.token")
            .unwrap();
        assert_eq!(token.show(&loaded.settings), "(set)");
        assert!(!format!("{:?}", loaded.settings).contains("hunter2"));
        let settings = file("[http.tokens]\nalice = 'hunter2hunter2'\n'night.job' = 'hunter2'").unwrap();
        assert_eq!(settings.http.tokens["night.job"].expose(), "hunter2");
        assert!(!format!("{settings:?}").contains("hunter2"));
        let ConfigError(text) = file("[http.tokens]\nalice = 'hunter2 hunter2'").unwrap_err();
        assert!(
            text.contains("`http.tokens`") && !text.contains("hunter2"),
            "{text}"
        );
    }

    #[test]
    fn a_name_stands_for_one_token() {
        let two = "alice=hunter2hunter2, alice=hunter3hunter3";
        let ConfigError(text) = environment(&[("FRESHCONTEXT_HTTP_TOKENS", two)]).unwrap_err();
        assert!(
            text.contains("`alice` twice") && !text.contains("hunter"),
            "{text}"
        );
    }

    #[test]
    fn keys_and_environment_names_are_unique_and_documented() {
        let table = settings();
        for setting in &table {
            assert_eq!(
                table.iter().filter(|other| other.key == setting.key).count(),
                1,
                "{}",
                setting.key
            );
            assert_eq!(
                table.iter().filter(|other| other.env == setting.env).count(),
                1,
                "{}",
                setting.env
            );
        }
        let page = crate::table::settings_markdown();
        assert_eq!(page.lines().count(), table.len() + 2);
    }
}
