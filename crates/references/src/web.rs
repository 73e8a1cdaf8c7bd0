//! Addresses that stand for a reference of another kind: pages of registries, resolvers, discussions.

use freshcontext_parse::github;
use freshcontext_parse::registry::Registry;
use percent_encoding::percent_decode_str;
use url::Url;

use crate::forms::{accession, advisory, arxiv_id, award, doi, named, of_repository, page, rfc};
use crate::reference::{Ecosystem, Reference};

/// The address that a text is: with a scheme of the web, or with a host and a path.
pub(crate) fn address(text: &str) -> Option<Url> {
    if text.contains(char::is_whitespace) {
        return None;
    }
    let lower = text.get(..8).unwrap_or(text).to_ascii_lowercase();
    if lower.starts_with("http://") || lower.starts_with("https://") {
        return Url::parse(text).ok();
    }
    let (host, path) = text.split_once('/').unwrap_or((text, ""));
    let labels: Vec<&str> = host.split('.').collect();
    let is_label =
        |label: &&str| !label.is_empty() && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    let is_host = labels.len() >= 2
        && labels.iter().all(is_label)
        && labels
            .last()
            .is_some_and(|top| top.len() >= 2 && top.bytes().all(|b| b.is_ascii_alphabetic()));
    // `math.GT/0309136` is a paper.
    let is_paper = arxiv_id(text).is_some();
    (is_host && !is_paper && (!path.is_empty() || host.starts_with("www.")))
        .then(|| Url::parse(&format!("https://{text}")).ok())
        .flatten()
}

/// What an address stands for; a page where it is of no other kind.
pub(crate) fn reference(url: &Url) -> Option<Reference> {
    if !matches!(url.scheme(), "http" | "https") {
        return None;
    }
    let host = url.host_str().unwrap_or_default();
    let host = host.strip_prefix("www.").unwrap_or(host);
    let decoded: Vec<String> = url
        .path_segments()
        .into_iter()
        .flatten()
        .filter(|segment| !segment.is_empty())
        .map(|segment| percent_decode_str(segment).decode_utf8_lossy().into_owned())
        .collect();
    let path: Vec<&str> = decoded.iter().map(String::as_str).collect();
    let special = match host {
        "doi.org" | "dx.doi.org" => doi(&path.join("/")),
        "arxiv.org" | "export.arxiv.org" => paper(&path),
        "npmjs.com" | "pypi.org" | "crates.io" | "pkg.go.dev" => package(host, &path),
        "github.com" => on_github(&path),
        "news.ycombinator.com" => item(url),
        "reddit.com" | "old.reddit.com" | "new.reddit.com" | "np.reddit.com" | "m.reddit.com" => post(&path),
        "redd.it" => match path.as_slice() {
            [id] => discussion(id, None),
            _ => None,
        },
        "nvd.nist.gov" | "osv.dev" => path.last().and_then(|id| advisory(id)),
        "cve.org" | "cve.mitre.org" => {
            let named = url.query_pairs().find(|(name, _)| name == "id" || name == "name");
            named.and_then(|(_, id)| advisory(&id))
        }
        "sec.gov" => filing(&path),
        "usaspending.gov" => match path.as_slice() {
            ["award", id] => award(id),
            _ => None,
        },
        "rfc-editor.org" | "datatracker.ietf.org" | "tools.ietf.org" | "ietf.org" => {
            let last = path.last().copied().unwrap_or_default();
            let name = last.split('.').next().unwrap_or_default();
            let is_file = matches!(
                last.get(name.len()..),
                Some("" | ".html" | ".txt" | ".pdf" | ".xml")
            );
            is_file.then(|| rfc(name)).flatten()
        }
        _ => None,
    };
    special.or_else(|| page(url))
}

fn paper(path: &[&str]) -> Option<Reference> {
    let (kind, rest) = path.split_first()?;
    if !["abs", "pdf", "html"].contains(kind) {
        return None;
    }
    let id = rest.join("/");
    arxiv_id(id.strip_suffix(".pdf").unwrap_or(&id)).map(Reference::Arxiv)
}

fn package(host: &str, path: &[&str]) -> Option<Reference> {
    match (host, path) {
        ("npmjs.com", ["package", rest @ ..]) => {
            let ecosystem = Ecosystem::Registry(Registry::Npm);
            match rest {
                [scope, name, "v", version] => named(ecosystem, &format!("{scope}/{name}"), Some(version)),
                [name, "v", version] => named(ecosystem, name, Some(version)),
                [scope, name] if scope.starts_with('@') => named(ecosystem, &format!("{scope}/{name}"), None),
                [name] => named(ecosystem, name, None),
                _ => None,
            }
        }
        ("pypi.org", ["project", name, rest @ ..]) => {
            let ecosystem = Ecosystem::Registry(Registry::Pypi);
            match rest {
                [] => named(ecosystem, name, None),
                [version] => named(ecosystem, name, Some(version)),
                _ => None,
            }
        }
        ("crates.io", ["crates", name, rest @ ..]) => {
            let ecosystem = Ecosystem::Registry(Registry::Crates);
            match rest {
                [] => named(ecosystem, name, None),
                [version] => named(ecosystem, name, Some(version)),
                _ => None,
            }
        }
        ("pkg.go.dev", path) => {
            let whole = path.join("/");
            let (name, version) = whole.split_once('@')?;
            named(
                Ecosystem::Go,
                name,
                Some(version.split('/').next().unwrap_or_default()),
            )
        }
        _ => None,
    }
}

fn on_github(path: &[&str]) -> Option<Reference> {
    if let ["advisories", id] = path {
        return advisory(id);
    }
    let [owner, name, rest @ ..] = path else {
        return None;
    };
    let repository = github::repository(&format!("https://github.com/{owner}/{name}")).ok()?;
    match rest {
        [] => of_repository(repository, None),
        ["releases", "tag", tag @ ..] if !tag.is_empty() => of_repository(repository, Some(&tag.join("/"))),
        ["tree" | "commit", tag] => of_repository(repository, Some(tag)),
        _ => None,
    }
}

fn item(url: &Url) -> Option<Reference> {
    let id = url.query_pairs().find(|(name, _)| name == "id")?.1;
    let is_number = (1..=12).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_digit());
    (url.path() == "/item" && is_number)
        .then(|| id.parse().ok().map(Reference::HackerNews))
        .flatten()
}

fn post(path: &[&str]) -> Option<Reference> {
    let (["r" | "user" | "u", _, "comments", rest @ ..] | ["comments", rest @ ..]) = path else {
        return None;
    };
    match rest {
        [id] | [id, _] => discussion(id, None),
        [id, _, comment, ..] => discussion(id, Some(comment)),
        _ => None,
    }
}

fn discussion(post: &str, comment: Option<&str>) -> Option<Reference> {
    let is_number = |id: &str| (2..=10).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric());
    (is_number(post) && comment.is_none_or(is_number)).then(|| Reference::Reddit {
        post: post.to_ascii_lowercase(),
        comment: comment.map(str::to_ascii_lowercase),
    })
}

/// `/Archives/edgar/data/<CIK>/<accession without dashes>/...`.
fn filing(path: &[&str]) -> Option<Reference> {
    let ["Archives", "edgar", "data", cik, rest @ ..] = path else {
        return None;
    };
    let accession = rest.iter().find_map(|part| {
        let name = part.split("-index").next().unwrap_or(part);
        let name = name.strip_suffix(".txt").unwrap_or(name);
        accession(name).or_else(|| {
            let is_plain = name.len() == 18 && name.bytes().all(|b| b.is_ascii_digit());
            let (filer, rest) = name.split_at_checked(10).filter(|_| is_plain)?;
            let (year, number) = rest.split_at_checked(2)?;
            Some(format!("{filer}-{year}-{number}"))
        })
    })?;
    Some(Reference::Filing {
        accession,
        cik: cik.parse().ok(),
    })
}
