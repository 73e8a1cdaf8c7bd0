//! npm's registry: what it says where it has no document to give.

use freshcontext_contract::serde_json::Value;
use freshcontext_contract::standing::{Replacement, replacement_in};
use freshcontext_contract::{ErrorCode, SourceError, StandingEvidence, StandingState, named, quoted};

use crate::date::instant;
use crate::json::text_at;
use crate::registry::{Registry, is_npm_name};
use crate::{link, text};

/// The error in an answer: `{"error": "..."}`, at times with a `reason`, and with any status, 200 too (a
/// registry behind a proxy). Only one that says so means that the package does not exist.
pub fn error(answer: &Value) -> Option<SourceError> {
    let said = answer.get("error").filter(|said| !said.is_null())?;
    let words = |value: &Value| match value {
        Value::String(text) => text::one_line(text),
        other => other
            .get("message")
            .or_else(|| other.get("summary"))
            .and_then(Value::as_str)
            .map(text::one_line)
            .unwrap_or_default(),
    };
    let mut message = words(said);
    let reason = answer.get("reason").or_else(|| answer.get("message")).map(words);
    if let Some(reason) = reason.filter(|reason| !reason.is_empty() && *reason != message) {
        message = format!("{message}: {reason}");
    }
    let lower = message.to_ascii_lowercase().replace('_', " ");
    let says = |any: &[&str]| any.iter().any(|words| lower.contains(words));
    let code = if says(&["not found", "does not exist", "no such package"]) {
        ErrorCode::NotFound
    } else if says(&["too many", "rate limit", "slow down"]) {
        ErrorCode::RateLimited
    } else if says(&["unauthorized", "forbidden", "authentication", "not allowed"]) {
        ErrorCode::AccessDenied
    } else {
        ErrorCode::UpstreamError
    };
    let message = if message.is_empty() {
        "npm answered with an error and no reason".to_owned()
    } else {
        format!(
            "npm answered with an error: {}",
            quoted(&text::clip(&message, 160))
        )
    };
    Some(SourceError::new(code, message))
}

/// The error of a package of which npm's placeholder alone is left: what was there was removed for malice
/// (<https://github.com/npm/security-holder>). `None` where another version is handed out.
pub fn security_holding(value: &Value) -> Option<SourceError> {
    let latest = text_at(value, "/dist-tags/latest").or_else(|| text_at(value, "/version"))?;
    let manifest = value.get("versions").and_then(|versions| versions.get(latest));
    let said = manifest.and_then(|manifest| text_at(manifest, "/description"));
    let said = said
        .or_else(|| text_at(value, "/description"))
        .unwrap_or_default();
    let source = manifest
        .and_then(|manifest| manifest.get("repository"))
        .or_else(|| value.get("repository"));
    let source = source.and_then(|source| source.as_str().or_else(|| text_at(source, "/url")));
    let is_holder = said.to_lowercase().contains("security holding package")
        || source.is_some_and(|source| source.contains("npm/security-holder"));
    (latest.contains("-security") && is_holder).then(|| {
        let name = text_at(value, "/name").unwrap_or("the package");
        let sign = StandingEvidence::field(StandingState::Removed, "dist-tags.latest", latest)
            .by("registry")
            .reason(Some(said).filter(|said| !said.is_empty()));
        SourceError::not_found(format!(
            "{} was removed from npm for security reasons: a security holding package is in its place",
            named(name)
        ))
        .standing(sign)
    })
}

/// The error of a package that was unpublished as a whole: its document has `time.unpublished` and no versions. `None` where
/// versions were published again.
pub fn unpublished(value: &Value) -> Option<SourceError> {
    let gone = value
        .pointer("/time/unpublished")
        .filter(|gone| gone.is_object())?;
    let versions = value.get("versions").and_then(Value::as_object);
    if versions.is_some_and(|versions| !versions.is_empty()) {
        return None;
    }
    let written = text_at(gone, "/time");
    let at = written.and_then(instant);
    let at = at.map_or_else(String::new, |at| format!(" on {}", at.date_naive()));
    let name = text_at(value, "/name").unwrap_or("the package");
    let sign = StandingEvidence::field(
        StandingState::Removed,
        "time.unpublished",
        written.unwrap_or("true"),
    );
    Some(
        SourceError::not_found(format!("{} was unpublished from npm{at}", named(name)))
            .hint("the package is gone: look for its successor with search_repos")
            .standing(sign.since(written)),
    )
}

/// The sign of a version that its owner advises against. npm keeps an empty text where that was taken back
/// (<https://docs.npmjs.com/cli/commands/npm-deprecate>), and some registries write `true` or `false`.
pub fn deprecation(package: &str, version: &str, manifest: &Value) -> Option<StandingEvidence> {
    let sign = |value: &str| {
        let field = format!("versions[{version}].deprecated");
        StandingEvidence::field(StandingState::Deprecated, field, value).by("owner")
    };
    match manifest.get("deprecated")? {
        Value::String(reason) => {
            let reason = text::present(reason)?;
            let replacement = replacement(package, &reason);
            Some(sign(&reason).reason(Some(reason)).replaced_by(replacement))
        }
        Value::Bool(true) => Some(sign("true")),
        _ => None,
    }
}

/// Words that are names in npm, too, and mean none in a sentence.
const NO_NAMES: [&str; 30] = [
    "a", "an", "the", "this", "that", "it", "its", "our", "your", "their", "another", "other", "one", "new",
    "newer", "latest", "native", "built-in", "version", "versions", "v1", "v2", "package", "packages", "npm",
    "yarn", "node", "node.js", "at", "at:",
];

/// What a message of deprecation names instead: a package, a version of this one, or an address.
fn replacement(own: &str, message: &str) -> Option<Replacement> {
    let is_address = |word: &str| word.starts_with("https://") || word.starts_with("http://");
    let is_version = |word: &str| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.');
    let is_package = |word: &str| {
        is_npm_name(word) && word != own && !NO_NAMES.contains(&word) && stands_alone(message, word)
    };
    let found = replacement_in(message, |word| {
        is_address(word) || is_version(word) || is_package(word)
    })
    .or_else(|| scoped_successor(own, message))?;
    Some(if is_address(found) {
        Replacement::url(link::shown(found)?)
    } else if is_version(found) {
        Replacement {
            url: link::shown(&Registry::Npm.version_page(own, found)),
            ..Replacement::id(format!("{own}@{found}"))
        }
    } else {
        Replacement {
            url: link::shown(&Registry::Npm.page(found)),
            ..Replacement::id(found)
        }
    })
}

/// The scoped name that a message sends its readers to: "has moved, use @scope/name", "is now published as @scope/name".
/// A scope can be nothing but a part of a name, so that fewer words have to stand around it than around a plain name.
fn scoped_successor<'m>(own: &str, message: &'m str) -> Option<&'m str> {
    const SENDS: [&str; 17] = [
        "use",
        "install",
        "migrate",
        "migrated",
        "move",
        "moved",
        "switch",
        "switched",
        "upgrade",
        "renamed",
        "replaced",
        "superseded",
        "published",
        "available",
        "continued",
        "succeeded",
        "successor",
    ];
    const BETWEEN: [&str; 17] = [
        "to", "into", "as", "at", "by", "under", "in", "is", "now", "the", "new", "official", "scoped",
        "package", "name", "its", "instead",
    ];
    const NOT: [&str; 5] = ["not", "don't", "never", "cannot", "can't"];
    let bare = |word: &'m str| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '@');
    let words: Vec<&str> = message
        .split_whitespace()
        .map(bare)
        .filter(|word| !word.is_empty())
        .collect();
    words.iter().enumerate().find_map(|(at, word)| {
        if !word.starts_with('@') || !is_npm_name(word) || *word == own {
            return None;
        }
        let mut before = words.get(..at)?.iter().rev().map(|word| word.to_lowercase());
        let verb = before.find(|word| !BETWEEN.contains(&word.as_str()))?;
        let is_meant =
            SENDS.contains(&verb.as_str()) && before.next().is_none_or(|word| !NOT.contains(&word.as_str()));
        is_meant.then_some(*word)
    })
}

/// Whether a word that could be a package's name is one here: a plain word before another one is an adjective of it
/// ("please use native promises"), unless that other word goes on with the sentence.
fn stands_alone(message: &str, word: &str) -> bool {
    const GOES_ON: [&str; 14] = [
        "instead", "in", "for", "from", "which", "and", "as", "or", "on", "is", "if", "to", "package", "with",
    ];
    let is_plain = word.bytes().all(|byte| byte.is_ascii_lowercase());
    !is_plain
        || message.match_indices(word).any(|(at, _)| {
            let part = |c: char| c.is_alphanumeric() || "-_./@".contains(c);
            let begins = message.get(..at).is_some_and(|before| !before.ends_with(part));
            let rest = message.get(at + word.len()..).unwrap_or_default();
            let next: String = rest
                .trim_start()
                .chars()
                .take_while(|c| c.is_alphanumeric())
                .collect();
            let ends = next.is_empty() || GOES_ON.contains(&next.to_lowercase().as_str());
            let is_whole =
                !rest.starts_with(char::is_alphanumeric) && !rest.starts_with(['-', '_', '/', '@']);
            begins && is_whole && ends
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_says_so_does_not_exist() {
        for (body, code) in [
            (r#"{"error":"Not found"}"#, Some(ErrorCode::NotFound)),
            (
                r#"{"error":"not_found","reason":"document not found"}"#,
                Some(ErrorCode::NotFound),
            ),
            (
                r#"{"error":"Internal Server Error"}"#,
                Some(ErrorCode::UpstreamError),
            ),
            (r#"{"error":"too many requests"}"#, Some(ErrorCode::RateLimited)),
            (r#"{"error":"Forbidden"}"#, Some(ErrorCode::AccessDenied)),
            (
                r#"{"error":{"code":"E500","message":"backend down"}}"#,
                Some(ErrorCode::UpstreamError),
            ),
            (r#"{"error":true}"#, Some(ErrorCode::UpstreamError)),
            (r#"{"error":null,"name":"x"}"#, None),
            (r#"{"name":"x"}"#, None),
            ("[]", None),
        ] {
            let value: Value = freshcontext_contract::serde_json::from_str(body).unwrap();
            assert_eq!(error(&value).map(|error| error.code), code, "{body}");
        }
    }

    #[test]
    fn a_deprecation_names_what_to_use_by_its_grammar_alone() {
        let of = |message: &str| {
            let manifest = serde_json::json!({ "deprecated": message });
            let sign = deprecation("own", "1.0.0", &manifest).unwrap();
            assert_eq!(sign.reason.as_deref(), Some(message.trim()));
            sign.replaced_by
        };
        for (message, id) in [
            (
                "own has been renamed to pug, please install the latest version",
                "pug",
            ),
            ("Please use @scope/name instead", "@scope/name"),
            ("This functionality has been moved to @scope/fs", "@scope/fs"),
            ("Deprecated in favor of `better-one`.", "better-one"),
            ("please use better", "better"),
            ("Please use better in new code", "better"),
            ("use 2.0.1 instead", "own@2.0.1"),
            ("This package has moved. Use @scope/name", "@scope/name"),
            ("own has moved, use '@scope/name'.", "@scope/name"),
            ("now published as @scope/name", "@scope/name"),
            (
                "Migrate to the new package @scope/name: see the guide",
                "@scope/name",
            ),
        ] {
            assert_eq!(of(message).and_then(|by| by.id).as_deref(), Some(id), "{message}");
        }
        let page = of("Moved to https://example.org/next.").unwrap();
        assert_eq!(
            (page.id, page.url.as_deref()),
            (None, Some("https://example.org/next"))
        );
        for message in [
            "Package no longer supported. Contact support for more info.",
            "please use the latest version",
            "Please use native promises",
            "Please use version 3",
            "use own instead",
            "please use String.prototype.trim",
            "this works with use of strict",
            "do not use @scope/name with this",
            "breaks with @scope/name",
        ] {
            assert_eq!(of(message), None, "{message}");
        }
    }

    #[test]
    fn a_deprecation_without_words_is_none_and_true_is_one() {
        let of = |value: Value| deprecation("own", "1.0.0", &serde_json::json!({ "deprecated": value }));
        let sign = of(true.into()).unwrap();
        assert_eq!(
            (sign.field.as_ref(), sign.value.as_str()),
            ("versions[1.0.0].deprecated", "true")
        );
        assert_eq!((sign.reason, sign.since), (None, None));
        for value in [Value::Null, false.into(), "".into(), " \n".into(), 1.into()] {
            assert_eq!(of(value), None);
        }
        assert_eq!(
            deprecation("own", "1.0.0", &serde_json::json!({"deprecation": "gone"})),
            None
        );
    }

    #[test]
    fn only_npms_own_placeholder_holds() {
        let of = |latest: &str, about: Value| {
            let document = serde_json::json!({"name": "a", "dist-tags": {"latest": latest}, "versions": {latest: about}});
            security_holding(&document).map(|held| held.standing.len())
        };
        let holder = "https://github.com/npm/security-holder.git";
        assert_eq!(
            of(
                "0.0.1-security",
                serde_json::json!({"description": "security holding package"})
            ),
            Some(1)
        );
        assert_eq!(
            of(
                "0.0.1-security",
                serde_json::json!({"repository": {"url": holder}})
            ),
            Some(1)
        );
        assert_eq!(
            of(
                "0.0.1-security",
                serde_json::json!({"description": "security for all"})
            ),
            None
        );
        assert_eq!(
            of("1.0.0", serde_json::json!({"repository": {"url": holder}})),
            None
        );
        assert_eq!(of("0.0.1-security", serde_json::json!({})), None);
    }
}
