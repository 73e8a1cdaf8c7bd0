//! Reads tokens again while the HTTP service runs: at SIGHUP, and when the file of tokens has changed.

use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::time::Duration;

use freshcontext_config::{ConfigError, Settings, Sources, load};
use freshcontext_files::read::{self as input, Bound};
use freshcontext_serve::http::Tokens;
use freshcontext_serve::signals::Hangups;

/// Interval between two looks at the file of tokens.
const LOOK: Duration = Duration::from_secs(5);

/// Tokens of a running service, and where they come from.
pub(super) struct Reload {
    sources: Sources,
    tokens: Tokens,
    file: Option<PathBuf>,
    bound: Bound,
    /// Content of the file of tokens when it was last read, or why it could not be read.
    seen: Result<Vec<u8>, String>,
    from_terminal: bool,
}

impl Reload {
    pub(super) fn new(sources: Sources, settings: &Settings, tokens: Tokens) -> Self {
        let mut reload = Self {
            sources,
            tokens,
            file: settings.http.tokens_file.clone(),
            bound: Bound::config(&settings.limits),
            seen: Ok(Vec::new()),
            from_terminal: std::io::stdin().is_terminal(),
        };
        reload.seen = reload.look();
        reload
    }

    /// Reads tokens again until the terminal that started the service is gone.
    pub(super) async fn run(mut self) {
        let mut hangups = Hangups::new();
        let mut looks = tokio::time::interval(LOOK);
        looks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            let asked = tokio::select! {
                () = hangups.next() => true,
                _ = looks.tick(), if self.file.is_some() => false,
            };
            if asked && self.from_terminal && !std::io::stdin().is_terminal() {
                return;
            }
            let now = self.look();
            if asked || now != self.seen {
                self.seen = now;
                self.read(asked);
            }
        }
    }

    fn look(&self) -> Result<Vec<u8>, String> {
        match &self.file {
            Some(file) => input::read_file(file, self.bound).map_err(|refused| refused.to_string()),
            None => Ok(Vec::new()),
        }
    }

    fn read(&self, asked: bool) {
        let replaced = load(&self.sources).and_then(|loaded| self.tokens.replace(&loaded.settings.http));
        match replaced {
            // At the default level: an operator wants to know, and a changed token is a matter of security.
            Ok(changes) if !changes.is_empty() => tracing::warn!(
                added = changes.added.join(","),
                changed = changes.changed.join(","),
                removed = changes.removed.join(","),
                "the tokens were read again: the new ones are in force, removed ones are refused"
            ),
            Ok(_) if asked => tracing::warn!("the tokens were read again: they are the same"),
            Ok(_) => {}
            Err(ConfigError(problem)) => {
                tracing::error!(
                    problem,
                    "the tokens could not be read again: the old ones stay in force"
                );
            }
        }
    }
}
