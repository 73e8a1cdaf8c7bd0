//! The tokens in force. They are replaced as a whole while the service runs, and the next request of any connection is checked
//! against the new ones.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, PoisonError, RwLock};

use getrandom::fill;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::{ConfigError, check};
use freshcontext_config::{HttpSettings, Secret};

/// The tokens of a running service. Clones share them.
#[derive(Debug, Clone)]
pub struct Tokens(Arc<RwLock<Inner>>);

#[derive(Debug)]
struct Inner {
    settings: HttpSettings,
    current: Arc<TokenSet>,
    /// Numbers of all holders so far, by name. A holder keeps its number, so its rate and its places stay its own.
    numbers: HashMap<Option<String>, usize>,
}

/// Tokens at one moment.
#[derive(Debug, Default)]
pub(super) struct TokenSet {
    pub(super) callers: Vec<TokenOfCaller>,
    pub(super) figures: Option<TokenCheck>,
}

/// A caller's token.
#[derive(Debug)]
pub(super) struct TokenOfCaller {
    pub(super) number: usize,
    pub(super) name: Option<Arc<str>>,
    pub(super) check: TokenCheck,
}

/// Names of the tokens that a replacement changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TokenChanges {
    /// Tokens that there were not before.
    pub added: Vec<String>,
    /// Tokens that have another value.
    pub changed: Vec<String>,
    /// Tokens that are refused from now on.
    pub removed: Vec<String>,
}

impl TokenChanges {
    /// Returns whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty() && self.removed.is_empty()
    }
}

impl Tokens {
    /// Takes the tokens of these settings.
    pub fn new(settings: &HttpSettings) -> Self {
        let mut inner = Inner {
            settings: settings.clone(),
            current: Arc::default(),
            numbers: HashMap::new(),
        };
        inner.prepare();
        Self(Arc::new(RwLock::new(inner)))
    }

    /// Takes the tokens of other settings in place of these, and nothing else of them.
    ///
    /// # Errors
    /// If the service would not start with these tokens, or if none is left of several. The old tokens then stay in force.
    pub fn replace(&self, other: &HttpSettings) -> Result<TokenChanges, ConfigError> {
        let mut inner = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let settings = HttpSettings {
            token: other.token.clone(),
            tokens: other.tokens.clone(),
            metrics_token: other.metrics_token.clone(),
            ..inner.settings.clone()
        };
        check(&settings)?;
        let had_some = inner.settings.all_tokens().next().is_some();
        if had_some && settings.all_tokens().next().is_none() {
            let problem = "no token is left, and without one the service would be open; restart it without tokens for that";
            return Err(ConfigError(problem.to_owned()));
        }
        let changes = changes(&inner.settings, &settings);
        inner.settings = settings;
        inner.prepare();
        Ok(changes)
    }

    pub(super) fn current(&self) -> Arc<TokenSet> {
        let inner = self.0.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&inner.current)
    }
}

impl Inner {
    fn prepare(&mut self) {
        let mut callers = Vec::new();
        for (name, token) in self.settings.all_tokens() {
            let next = self.numbers.len();
            let number = *self.numbers.entry(name.map(str::to_owned)).or_insert(next);
            callers.push(TokenOfCaller {
                number,
                name: name.map(Arc::from),
                check: TokenCheck::new(token),
            });
        }
        self.current = Arc::new(TokenSet {
            callers,
            figures: self.settings.metrics_token.as_ref().map(TokenCheck::new),
        });
    }
}

/// Compares the tokens of two settings, by their names.
fn changes(before: &HttpSettings, after: &HttpSettings) -> TokenChanges {
    fn listed(settings: &HttpSettings) -> BTreeMap<&str, &Secret> {
        let callers = settings.all_tokens();
        let callers = callers.map(|(name, token)| (name.unwrap_or("http.token"), token));
        let figures = settings.metrics_token.iter();
        callers
            .chain(figures.map(|token| ("http.metrics_token", token)))
            .collect()
    }
    let (before, after) = (listed(before), listed(after));
    let mut changes = TokenChanges::default();
    for (name, token) in &after {
        match before.get(name) {
            None => changes.added.push((*name).to_owned()),
            Some(known) if known != token => changes.changed.push((*name).to_owned()),
            Some(_) => {}
        }
    }
    let removed = before.keys().filter(|name| !after.contains_key(*name));
    changes.removed = removed.map(|name| (*name).to_owned()).collect();
    changes
}

/// Compares tokens in a time that depends on neither: it compares their keyed hashes in constant time.
pub(super) struct TokenCheck {
    key: [u8; 32],
    expected: Vec<u8>,
}

impl TokenCheck {
    pub(super) fn new(token: &Secret) -> Self {
        let mut key = [0; 32];
        // A fixed key would also work; a random key only adds blinding.
        let _ = fill(&mut key);
        let expected = digest(&key, token.expose().as_bytes())
            .map(|mac| mac.finalize().into_bytes().to_vec())
            .unwrap_or_default();
        Self { key, expected }
    }

    pub(super) fn holds(&self, given: &[u8]) -> bool {
        !self.expected.is_empty()
            && digest(&self.key, given).is_some_and(|mac| mac.verify_slice(&self.expected).is_ok())
    }
}

impl std::fmt::Debug for TokenCheck {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TokenCheck")
    }
}

fn digest(key: &[u8], text: &[u8]) -> Option<Hmac<Sha256>> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).ok()?;
    mac.update(text);
    Some(mac)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(addr: &str, tokens: &[(&str, &str)]) -> HttpSettings {
        HttpSettings {
            addr: addr.parse().unwrap(),
            tokens: tokens
                .iter()
                .map(|(name, token)| ((*name).to_owned(), Secret::new(*token)))
                .collect(),
            ..HttpSettings::default()
        }
    }

    fn holder(tokens: &Tokens, given: &str) -> Option<(usize, String)> {
        let current = tokens.current();
        let found = current
            .callers
            .iter()
            .find(|caller| caller.check.holds(given.as_bytes()))?;
        Some((found.number, found.name.as_deref().unwrap_or_default().to_owned()))
    }

    /// E06: a token is compared by [`TokenCheck`] and nowhere else, and it compares keyed hashes in constant time, so how
    /// long a wrong token takes says nothing. Tried here: the text of a token is taken out of its secret in two places, of
    /// which one counts its characters, and no place compares it.
    #[test]
    fn e06_tokens_are_compared_in_one_place() {
        let mut found = Vec::new();
        for text in [
            include_str!("access.rs"),
            include_str!("auth.rs"),
            include_str!("guard.rs"),
            include_str!("mod.rs"),
            include_str!("operator.rs"),
            include_str!("tokens.rs"),
        ] {
            let code = text.split("mod tests {").next().unwrap();
            let lines = code.lines().filter(|line| line.contains("expose()"));
            found.extend(lines.map(|line| line.trim().to_owned()));
        }
        found.sort();
        assert_eq!(
            found,
            [
                "if !settings.addr.ip().is_loopback() && token.expose().chars().count() < LONG_SECRET {",
                "let expected = digest(&key, token.expose().as_bytes())",
            ]
        );
        let token = Secret::new("a token of the operator's own".to_owned());
        let check = TokenCheck::new(&token);
        assert_eq!(check.expected.len(), 32, "every token is as long as every other");
        assert!(check.holds(b"a token of the operator's own"));
        assert_ne!(
            check.expected,
            TokenCheck::new(&token).expected,
            "the key is another each time"
        );
        for wrong in [
            &b""[..],
            b"a",
            b"a token of the operator's owN",
            b"A token of the operator's own",
        ] {
            assert!(!check.holds(wrong));
        }
    }

    #[test]
    fn a_holder_keeps_its_number_and_a_removed_token_opens_nothing() {
        let local = "127.0.0.1:8787";
        let tokens = Tokens::new(&settings(local, &[("bob", "b-1"), ("carol", "c-1")]));
        let shared = tokens.clone();
        assert_eq!(holder(&shared, "c-1"), Some((1, "carol".to_owned())));
        let changes = tokens
            .replace(&settings(local, &[("alice", "a-1"), ("carol", "c-2")]))
            .unwrap();
        assert_eq!(
            (changes.added, changes.changed, changes.removed),
            (
                vec!["alice".to_owned()],
                vec!["carol".to_owned()],
                vec!["bob".to_owned()]
            )
        );
        assert_eq!(holder(&shared, "c-2"), Some((1, "carol".to_owned())));
        assert_eq!(holder(&shared, "a-1"), Some((2, "alice".to_owned())));
        for gone in ["b-1", "c-1", ""] {
            assert_eq!(holder(&shared, gone), None, "{gone}");
        }
        let again = tokens.replace(&settings(local, &[("alice", "a-1"), ("carol", "c-2")]));
        assert!(again.unwrap().is_empty());
    }

    #[test]
    fn tokens_with_which_the_service_would_not_start_change_nothing() {
        let open = "0.0.0.0:8787";
        let tokens = Tokens::new(&settings(open, &[("alice", "a-long-token-of-alice")]));
        for wrong in [
            settings(open, &[]),
            settings(open, &[("alice", "short")]),
            settings(
                open,
                &[("a", "a-long-token-of-alice"), ("b", "a-long-token-of-alice")],
            ),
            // The address is the one that the service listens on, whatever the settings say by now.
            settings("127.0.0.1:1", &[("alice", "short")]),
        ] {
            tokens.replace(&wrong).unwrap_err();
            assert!(holder(&tokens, "a-long-token-of-alice").is_some());
        }
        let local = Tokens::new(&settings("127.0.0.1:1", &[("alice", "a")]));
        local.replace(&settings("127.0.0.1:1", &[])).unwrap_err();
        let without = Tokens::new(&settings("127.0.0.1:1", &[]));
        without
            .replace(&settings("127.0.0.1:1", &[("alice", "a")]))
            .unwrap();
        assert!(holder(&without, "a").is_some());
    }
}
