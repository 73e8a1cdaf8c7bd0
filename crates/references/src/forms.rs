//! The forms of references, each by itself.

use std::sync::LazyLock;

use freshcontext_parse::github;
use freshcontext_parse::registry::Registry;
use regex::Regex;
use url::Url;

use crate::find::SICI_END;
use crate::reference::{Ecosystem, Reference};

/// Longest version and tag, in bytes.
const LONGEST_VERSION: usize = 128;

/// A pattern of this crate, which a test compiles.
fn pattern(pattern: &str) -> Option<Regex> {
    Regex::new(pattern).ok()
}

/// The rest of a text after one of these words and an optional colon, ignoring case.
pub(crate) fn after<'t>(text: &'t str, words: &[&str]) -> Option<&'t str> {
    words.iter().find_map(|word| {
        let (head, rest) = text.split_at_checked(word.len())?;
        let rest = head.eq_ignore_ascii_case(word).then_some(rest)?;
        rest.starts_with([':', ' '])
            .then(|| rest.trim_start_matches([':', ' ']))
    })
}

pub(crate) fn doi(text: &str) -> Option<Reference> {
    static DOI: LazyLock<Option<Regex>> = LazyLock::new(|| {
        pattern(&format!(
            r"^10\.\d{{4,9}}(?:\.\d{{1,9}})*/[^\s\x22<>]+(?:{SICI_END})?$"
        ))
    });
    let id = after(text, &["doi"]).unwrap_or(text);
    let id = id
        .trim_end_matches('.')
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
        .to_lowercase();
    if !DOI.as_ref()?.is_match(&id) {
        return None;
    }
    // arXiv registers its papers with DataCite, which does not say what becomes of them.
    match id.strip_prefix("10.48550/arxiv.").and_then(arxiv_id) {
        Some(paper) => Some(Reference::Arxiv(paper)),
        None => Some(Reference::Doi(id)),
    }
}

pub(crate) fn arxiv(text: &str) -> Option<Reference> {
    arxiv_id(after(text, &["arxiv"]).unwrap_or(text)).map(Reference::Arxiv)
}

/// `2104.12255v2` since April 2007, `astro-ph/0601001v1` before (<https://info.arxiv.org/help/arxiv_identifier.html>).
pub(crate) fn arxiv_id(text: &str) -> Option<String> {
    static ID: LazyLock<Option<Regex>> = LazyLock::new(|| {
        pattern(r"^(?:\d{4}\.\d{4,5}|[a-z][a-z-]{1,7}(?:\.[A-Za-z-]{2,8})?/\d{7})(?:v[1-9]\d{0,3})?$")
    });
    ID.as_ref()?.is_match(text).then(|| text.to_owned())
}

pub(crate) fn rfc(text: &str) -> Option<Reference> {
    let (head, rest) = text.split_at_checked(3)?;
    let digits = rest
        .trim_start_matches([' ', '-', '\u{a0}'])
        .trim_start_matches('0');
    let fits = head.eq_ignore_ascii_case("rfc") && (1..=5).contains(&digits.len());
    let all = digits.bytes().all(|b| b.is_ascii_digit());
    (fits && all)
        .then(|| digits.parse().ok().map(Reference::Rfc))
        .flatten()
}

pub(crate) fn advisory(text: &str) -> Option<Reference> {
    static CVE: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"^(?i:CVE)-(?:19|20)\d\d-\d{4,19}$"));
    // <https://docs.github.com/code-security/security-advisories/working-with-global-security-advisories-from-the-github-advisory-database/about-the-github-advisory-database#about-ghsa-ids>
    static GHSA: LazyLock<Option<Regex>> =
        LazyLock::new(|| pattern(r"^(?i:GHSA(?:-[23456789cfghjmpqrvwx]{4}){3})$"));
    if CVE.as_ref()?.is_match(text) {
        return Some(Reference::Advisory(text.to_ascii_uppercase()));
    }
    let rest = GHSA.as_ref()?.is_match(text).then(|| text.get(4..))??;
    Some(Reference::Advisory(format!("GHSA{}", rest.to_ascii_lowercase())))
}

/// `0001324424-20-000009`.
pub(crate) fn accession(text: &str) -> Option<String> {
    static FORM: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"^\d{10}-\d{2}-\d{6}$"));
    FORM.as_ref()?.is_match(text).then(|| text.to_owned())
}

/// Keys of USAspending: of contracts, of vehicles for them, and of assistance.
pub(crate) fn award(text: &str) -> Option<Reference> {
    static KEY: LazyLock<Option<Regex>> =
        LazyLock::new(|| pattern(r"^(?:CONT_AWD|CONT_IDV|ASST_NON|ASST_AGG)_[A-Za-z0-9._-]{3,120}$"));
    KEY.as_ref()?
        .is_match(text)
        .then(|| Reference::Award(text.to_owned()))
}

/// Numbers of GeBIZ: an agency of six places, three of a kind, eight digits.
pub(crate) fn tender(text: &str) -> Option<Reference> {
    static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"^[A-Z]{3}[A-Z0-9]{6}\d{8}$"));
    NUMBER
        .as_ref()?
        .is_match(text)
        .then(|| Reference::Tender(text.to_owned()))
}

/// `npm:name@1.0.0`, `pkg:pypi/name@1.0`, `@scope/name@1.0.0`, `name==1.0`.
pub(crate) fn package(text: &str) -> Option<Reference> {
    if let Some((_, url)) = text
        .split_once(':')
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("pkg"))
    {
        return purl(url);
    }
    if let Some((prefix, rest)) = text.split_once(':') {
        let ecosystem = Ecosystem::of_prefix(prefix)?;
        let (name, version) = split_version(rest, ecosystem);
        return named(ecosystem, name, version);
    }
    if let Some((name, version)) = text.split_once("==") {
        return named(
            Ecosystem::Registry(Registry::Pypi),
            name.trim(),
            Some(version.trim_start_matches('=').trim()),
        );
    }
    if text.starts_with('@') {
        let ecosystem = Ecosystem::Registry(Registry::Npm);
        let (name, version) = split_version(text, ecosystem);
        return named(ecosystem, name, version);
    }
    None
}

/// The name and the version of `name@version`; PyPI writes `==`, too. The at sign of a scope is none of these.
fn split_version(text: &str, ecosystem: Ecosystem) -> (&str, Option<&str>) {
    if ecosystem == Ecosystem::Registry(Registry::Pypi)
        && let Some((name, version)) = text.split_once("==")
    {
        return (name, Some(version));
    }
    match text.rsplit_once('@') {
        Some((name, version)) if !name.is_empty() => (name, Some(version)),
        _ => (text, None),
    }
}

/// A package URL after its scheme: `npm/%40scope/name@1.0.0?qualifiers#subpath`.
fn purl(url: &str) -> Option<Reference> {
    let url = url.trim_start_matches('/').split(['?', '#']).next()?;
    let (kind, rest) = url.split_once('/')?;
    let decode = |text: &str| {
        percent_encoding::percent_decode_str(text)
            .decode_utf8()
            .ok()
            .map(String::from)
    };
    let (name, version) = match rest.rsplit_once('@') {
        Some((name, version)) if !name.is_empty() => (name, Some(version)),
        _ => (rest, None),
    };
    let (name, version) = (decode(name)?, version.map(decode));
    let version = match version {
        Some(None) => return None,
        Some(version) => version,
        None => None,
    };
    if kind.eq_ignore_ascii_case("github") {
        let name = github::repository(&name).ok()?;
        return of_repository(name, version.as_deref());
    }
    named(Ecosystem::of_prefix(kind)?, &name, version.as_deref())
}

/// A package of that name and version, where its ecosystem can have them.
pub(crate) fn named(ecosystem: Ecosystem, name: &str, version: Option<&str>) -> Option<Reference> {
    let name = match ecosystem {
        Ecosystem::Registry(Registry::Pypi) => {
            let name = name.split('[').next().unwrap_or(name).trim();
            Registry::Pypi.can_name(name).then(|| normal(name))?
        }
        Ecosystem::Registry(registry) => registry.can_name(name).then(|| name.to_owned())?,
        Ecosystem::Go => is_module(name).then(|| name.to_owned())?,
    };
    let version = match version {
        Some(version) => Some(exact(ecosystem, version)?),
        None => None,
    };
    Some(Reference::Package {
        ecosystem,
        name,
        version,
    })
}

/// A project's name as PyPI compares it (PEP 503).
fn normal(name: &str) -> String {
    let parts: Vec<&str> = name
        .split(['-', '_', '.'])
        .filter(|part| !part.is_empty())
        .collect();
    parts.join("-").to_ascii_lowercase()
}

/// One version, not a range of them and not a tag.
fn exact(ecosystem: Ecosystem, version: &str) -> Option<String> {
    let version = version.trim();
    let bare = match ecosystem {
        Ecosystem::Go => version,
        Ecosystem::Registry(_) => version
            .strip_prefix(['v', 'V'])
            .filter(|rest| !rest.is_empty())
            .unwrap_or(version),
    };
    let fits = |bare: &str| {
        bare.len() <= LONGEST_VERSION
            && bare
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b".+-_!".contains(&b))
    };
    let is_one = match ecosystem {
        Ecosystem::Registry(Registry::Pypi) => bare.starts_with(|c: char| c.is_ascii_digit()),
        Ecosystem::Registry(_) => semver::Version::parse(bare).is_ok(),
        Ecosystem::Go => bare
            .strip_prefix('v')
            .is_some_and(|bare| semver::Version::parse(bare).is_ok()),
    };
    (is_one && fits(bare)).then(|| bare.to_owned())
}

/// `golang.org/x/text@v0.3.0`: a path that begins with a host, and a version of Go.
pub(crate) fn module(text: &str) -> Option<Reference> {
    let (path, version) = text.split_once('@').filter(|(path, _)| !path.contains(':'))?;
    version
        .starts_with('v')
        .then(|| named(Ecosystem::Go, path, Some(version)))?
}

/// Whether Go can have a module of that path: a host, then segments (<https://go.dev/ref/mod#go-mod-file-ident>).
fn is_module(path: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && part != "."
            && part != ".."
            && part
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-._~".contains(&b))
    };
    let host = path.split('/').next().unwrap_or_default();
    path.len() <= 255 && host.contains('.') && path.split('/').all(is_part)
}

/// `owner/name`, `owner/name@tag`, `git@github.com:owner/name.git`.
pub(crate) fn repository(text: &str) -> Option<Reference> {
    if text.contains(char::is_whitespace) {
        return None;
    }
    let (name, tag) = match text.rsplit_once('@') {
        Some((name, tag)) if name.contains('/') => (name, Some(tag)),
        _ => (text, None),
    };
    of_repository(github::repository(name).ok()?, tag)
}

/// A repository as pip names it after `git+`: `https://github.com/owner/name.git@tag#egg=name`
/// (<https://pip.pypa.io/en/stable/topics/vcs-support/>).
pub(crate) fn repository_of_pip(address: &str) -> Option<Reference> {
    let address = address.split('#').next()?;
    // A user stands before an at sign, too: only one behind the host names a tag.
    let path = address.find("://").map_or(0, |at| at + 3);
    let path = address.get(path..)?.find('/').map(|at| path + at)?;
    let (name, tag) = match address.get(path..)?.rsplit_once('@') {
        Some((name, tag)) => (address.get(..path + name.len())?, Some(tag)),
        None => (address, None),
    };
    of_repository(github::repository(name).ok()?, tag)
}

pub(crate) fn of_repository(repository: github::Repository, tag: Option<&str>) -> Option<Reference> {
    if !tag.is_none_or(is_tag) {
        return None;
    }
    let tag = tag.map(str::to_owned);
    Some(Reference::Repository { repository, tag })
}

/// Whether git can have a reference of that name (git-check-ref-format).
fn is_tag(tag: &str) -> bool {
    !tag.is_empty()
        && tag.len() <= LONGEST_VERSION
        && !tag.starts_with(['/', '.', '-'])
        && !tag.ends_with(['/', '.'])
        && !tag.contains("..")
        && !tag.contains("//")
        && tag
            .chars()
            .all(|c| !c.is_whitespace() && !c.is_control() && !"~^:?*[\\@".contains(c))
}

/// An address as a page: http(s), with a host, without user and fragment.
pub(crate) fn page(url: &Url) -> Option<Reference> {
    let is_page =
        matches!(url.scheme(), "http" | "https") && url.host_str().is_some_and(|host| !host.is_empty());
    if !is_page || !url.username().is_empty() || url.password().is_some() {
        return None;
    }
    let mut url = url.clone();
    url.set_fragment(None);
    Some(Reference::Page(url))
}
