//! Sealed cursors: an adapter's paging state, opaque and authenticated on its way through a caller.
//!
//! A token is bound to the tool and to the arguments that it continues, and expires. A token that
//! is forged, cut, of another call or out of date is an `invalid_input` naming `cursor`. Using one
//! twice gives the same page twice: a caller may retry.

use std::fmt::Write as _;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, TimeDelta, Utc};
use freshcontext_contract::SourceError;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Map, Value};
use sha2::Sha256;

/// How long a cursor is good for.
const LIFETIME: TimeDelta = TimeDelta::hours(24);
/// Bytes of the tag kept: 128 bits.
const TAG: usize = 16;
/// Longest paging state, as the contract says.
const STATE: usize = 512;
/// The file that holds the key.
const KEY_FILE: &str = "cursor.key";
/// First byte of a token, so that the form can change.
const VERSION: u8 = 1;

/// Seals and opens cursors.
pub(crate) struct Cursors {
    key: [u8; 32],
}

impl Cursors {
    /// With the key of the data folder, made there on first use; with a random one where there is
    /// no folder to write to. Then cursors end with the process.
    pub(crate) fn open(folder: Option<&Path>) -> Self {
        let kept = folder.and_then(|folder| match load_or_make(folder) {
            Ok(key) => Some(key),
            Err(error) => {
                tracing::info!(%error, "no key can be kept in the data folder; cursors end with this process");
                None
            }
        });
        Self {
            key: kept.unwrap_or_else(random_key),
        }
    }

    /// A token for a state. `None` where the state is too long to be one.
    pub(crate) fn seal(
        &self,
        tool: &str,
        arguments: &Map<String, Value>,
        state: &str,
        now: DateTime<Utc>,
    ) -> Option<String> {
        if state.len() > STATE {
            return None;
        }
        let mut token = vec![VERSION];
        token.extend_from_slice(&(now + LIFETIME).timestamp().to_be_bytes());
        token.extend_from_slice(state.as_bytes());
        let tag = self.tag(tool, arguments, &token)?;
        token.extend_from_slice(tag.get(..TAG)?);
        Some(URL_SAFE_NO_PAD.encode(token))
    }

    /// The state in a token.
    pub(crate) fn open_token(
        &self,
        tool: &str,
        arguments: &Map<String, Value>,
        token: &str,
        now: DateTime<Utc>,
    ) -> Result<String, SourceError> {
        let refuse = |problem: &str| {
            SourceError::invalid_input(
                "cursor",
                problem,
                "pass the cursor of the previous answer, with the same arguments",
            )
        };
        let not_ours = || refuse("was not issued for this call");
        if token.len() > 2 * (STATE + TAG + 9) {
            return Err(not_ours());
        }
        let bytes = URL_SAFE_NO_PAD.decode(token.trim()).map_err(|_| not_ours())?;
        let (signed, tag) = bytes
            .split_at_checked(bytes.len().saturating_sub(TAG))
            .ok_or_else(not_ours)?;
        self.verify(tool, arguments, signed, tag).ok_or_else(not_ours)?;
        let (version, rest) = signed.split_first().ok_or_else(not_ours)?;
        let (expiry, state) = rest.split_first_chunk::<8>().ok_or_else(not_ours)?;
        if *version != VERSION {
            return Err(not_ours());
        }
        if i64::from_be_bytes(*expiry) < now.timestamp() {
            return Err(refuse("has expired"));
        }
        String::from_utf8(state.to_vec()).map_err(|_| not_ours())
    }

    fn mac(&self, tool: &str, arguments: &Map<String, Value>, signed: &[u8]) -> Option<Hmac<Sha256>> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.key).ok()?;
        mac.update(tool.as_bytes());
        mac.update(&[0]);
        mac.update(canonical(arguments).as_bytes());
        mac.update(&[0]);
        mac.update(signed);
        Some(mac)
    }

    fn tag(&self, tool: &str, arguments: &Map<String, Value>, signed: &[u8]) -> Option<Vec<u8>> {
        Some(
            self.mac(tool, arguments, signed)?
                .finalize()
                .into_bytes()
                .to_vec(),
        )
    }

    fn verify(&self, tool: &str, arguments: &Map<String, Value>, signed: &[u8], tag: &[u8]) -> Option<()> {
        if tag.len() != TAG {
            return None;
        }
        self.mac(tool, arguments, signed)?.verify_truncated_left(tag).ok()
    }
}

/// The arguments that decide what is paged through, in one order. How long the answer may be and
/// how old a cached page may be are the caller's to change between pages.
fn canonical(arguments: &Map<String, Value>) -> String {
    let mut kept: Vec<(&String, &Value)> = arguments
        .iter()
        .filter(|(name, value)| {
            !matches!(name.as_str(), "cursor" | "max_length" | "max_age") && !value.is_null()
        })
        .collect();
    kept.sort_by_key(|(name, _)| *name);
    let mut out = String::new();
    for (name, value) in kept {
        let _ = writeln!(out, "{name}={value}");
    }
    out
}

fn load_or_make(folder: &Path) -> std::io::Result<[u8; 32]> {
    let file = folder.join(KEY_FILE);
    match std::fs::read(&file) {
        Ok(bytes) => bytes
            .try_into()
            .map_err(|_| std::io::Error::new(std::io::ErrorKind::InvalidData, "the key file is not a key")),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            std::fs::create_dir_all(folder)?;
            let key = random_key();
            write_private(folder, &file, &key)?;
            // Another process may have been first; what is on disk counts.
            std::fs::read(&file)?.try_into().map_err(|_| {
                std::io::Error::new(std::io::ErrorKind::InvalidData, "the key file is not a key")
            })
        }
        Err(error) => Err(error),
    }
}

/// Writes a file that only its owner can read, in one step, without replacing an existing one.
fn write_private(folder: &Path, file: &Path, bytes: &[u8]) -> std::io::Result<()> {
    use std::io::Write as _;
    let temporary = folder.join(format!("{KEY_FILE}.{}", std::process::id()));
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut handle = options.open(&temporary)?;
    handle.write_all(bytes)?;
    handle.sync_all()?;
    drop(handle);
    let linked = std::fs::hard_link(&temporary, file);
    let _ = std::fs::remove_file(&temporary);
    match linked {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

fn random_key() -> [u8; 32] {
    let mut key = [0; 32];
    if getrandom::fill(&mut key).is_err() {
        // Without a source of randomness no cursor may ever verify; the clock and addresses of this
        // process are the best that is left.
        let seed = format!(
            "{:?}{:p}{}",
            std::time::Instant::now(),
            &raw const key,
            std::process::id()
        );
        key = <sha2::Sha256 as sha2::Digest>::digest(seed.as_bytes()).into();
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn arguments(value: Value) -> Map<String, Value> {
        let Value::Object(arguments) = value else {
            panic!("{value}")
        };
        arguments
    }

    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000, 0).unwrap()
    }

    #[test]
    fn a_sealed_state_comes_back_for_the_same_call_only() {
        let cursors = Cursors::open(None);
        let call = arguments(json!({"query": "rust", "limit": 5}));
        let token = cursors.seal("search_repos", &call, "page=2", now()).unwrap();
        assert!(!token.contains("page"), "opaque");
        let later = arguments(json!({"limit": 5, "max_length": 900, "query": "rust"}));
        assert_eq!(
            cursors.open_token("search_repos", &later, &token, now()).unwrap(),
            "page=2"
        );
        for (tool, call) in [
            ("extract_arxiv", call.clone()),
            ("search_repos", arguments(json!({"query": "go", "limit": 5}))),
            ("search_repos", arguments(json!({"query": "rust", "limit": 9}))),
        ] {
            let error = cursors.open_token(tool, &call, &token, now()).unwrap_err();
            assert_eq!(error.field.as_deref(), Some("cursor"));
        }
        let expired = cursors
            .open_token("search_repos", &call, &token, now() + TimeDelta::hours(25))
            .unwrap_err();
        assert!(expired.message.contains("expired"));
        let other = Cursors { key: [7; 32] };
        assert!(other.open_token("search_repos", &call, &token, now()).is_err());
    }

    #[test]
    fn the_key_is_kept_and_private() {
        let folder = std::env::temp_dir().join(format!("freshcontext-cursor-{}", std::process::id()));
        let first = Cursors::open(Some(&folder));
        let second = Cursors::open(Some(&folder));
        assert_eq!(first.key, second.key);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = std::fs::metadata(folder.join(KEY_FILE))
                .unwrap()
                .permissions()
                .mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        assert_eq!(
            std::fs::read_dir(&folder).unwrap().count(),
            1,
            "no temporary file is left"
        );
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_broken_key_file_is_not_overwritten() {
        let folder = std::env::temp_dir().join(format!("freshcontext-badkey-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(KEY_FILE), b"short").unwrap();
        let _ = Cursors::open(Some(&folder));
        assert_eq!(std::fs::read(folder.join(KEY_FILE)).unwrap(), b"short");
        std::fs::remove_dir_all(&folder).unwrap();
    }

    proptest! {
        #[test]
        fn no_text_and_no_damage_opens(text in ".{0,200}", flip in 0usize..200) {
            let cursors = Cursors { key: [1; 32] };
            let call = arguments(json!({"query": "x"}));
            prop_assert!(cursors.open_token("t", &call, &text, now()).is_err());
            let token = cursors.seal("t", &call, "state", now()).unwrap();
            let mut bytes = URL_SAFE_NO_PAD.decode(&token).unwrap();
            let at = flip % bytes.len();
            bytes[at] ^= 1 << (flip % 8);
            let damaged = URL_SAFE_NO_PAD.encode(&bytes);
            prop_assert!(cursors.open_token("t", &call, &damaged, now()).is_err());
            let cut: String = token.chars().take(flip % token.len()).collect();
            prop_assert!(cursors.open_token("t", &call, &cut, now()).is_err());
        }
    }
}
