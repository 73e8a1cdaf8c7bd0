//! Keys of things that have several addresses: papers, videos, posts, apps, packages, repositories.

use percent_encoding::percent_decode_str;

/// The key of an arXiv identifier, of whatever version.
fn arxiv(id: &str) -> Option<String> {
    let id = id.trim_end_matches(".pdf").to_lowercase();
    let plain = match id.rsplit_once('v') {
        Some((plain, version))
            if !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            plain
        }
        _ => &id,
    };
    (plain.len() >= 7 && plain.bytes().any(|byte| byte.is_ascii_digit())).then(|| format!("arxiv {plain}"))
}

/// The key of a DOI; those of arXiv are its identifiers.
fn doi(id: &str) -> Option<String> {
    let id = id.to_lowercase();
    if !id.starts_with("10.") {
        return None;
    }
    match id.strip_prefix("10.48550/arxiv.") {
        Some(rest) => arxiv(rest),
        None => Some(format!("doi {}", without_form(&id))),
    }
}

/// A DOI without what a publisher's address adds to say in which form it is shown: `/full`, `.full.pdf`, and the version of a preprint.
fn without_form(id: &str) -> &str {
    let mut id = id;
    loop {
        let before = id.len();
        for form in [
            "/full",
            "/pdf",
            "/epdf",
            "/html",
            "/abstract",
            "/meta",
            "/fulltext",
            ".pdf",
            ".full",
            ".abstract",
            ".full-text",
        ] {
            id = id.strip_suffix(form).unwrap_or(id);
        }
        // Versions of preprints of bioRxiv and medRxiv.
        if id.starts_with("10.1101/") || id.starts_with("10.64898/") {
            let plain = id.trim_end_matches(|c: char| c.is_ascii_digit());
            if plain.len() < id.len()
                && let Some(plain) = plain.strip_suffix('v')
            {
                id = plain;
            }
        }
        if id.len() == before {
            return id;
        }
    }
}

/// The key of a paper, where an id or a field names it without an address.
pub(crate) fn named(id: &str) -> Option<String> {
    let id = id.trim();
    let bare = id
        .strip_prefix("doi:")
        .or_else(|| id.strip_prefix("DOI:"))
        .unwrap_or(id);
    doi(bare.trim()).or_else(|| {
        let rest = id.strip_prefix("arXiv:").or_else(|| id.strip_prefix("arxiv:"))?;
        arxiv(rest.trim())
    })
}

/// The key of the repository, on a host of repositories.
pub(crate) fn repository(host: &str, parts: &[&str]) -> Option<String> {
    if !matches!(
        host,
        "github.com" | "gitlab.com" | "codeberg.org" | "bitbucket.org"
    ) {
        return None;
    }
    let (owner, name) = (parts.first()?, parts.get(1)?);
    let name = name.trim_end_matches(".git").to_lowercase();
    Some(format!("repository {host}/{}/{name}", owner.to_lowercase()))
}

/// The key of a thing that has several addresses. `host` is in its plain form, `parts` are of the path, `parameter` reads the query.
pub(crate) fn key(host: &str, parts: &[&str], parameter: impl Fn(&str) -> Option<String>) -> Option<String> {
    media(host, parts, &parameter)
        .or_else(|| posts(host, parts, &parameter))
        .or_else(|| code(host, parts))
        .or_else(|| papers(host, parts, &parameter))
}

fn keyed(kind: &str, id: &str) -> Option<String> {
    (!id.is_empty()).then(|| format!("{kind} {id}"))
}

/// Videos, apps, encyclopaedias and articles that one house prints under several addresses.
fn media(host: &str, parts: &[&str], parameter: &impl Fn(&str) -> Option<String>) -> Option<String> {
    let part = |at: usize| parts.get(at).copied();
    match host {
        "youtu.be" => keyed("youtube", part(0)?),
        "youtube.com" => match part(0)? {
            "watch" => keyed("youtube", &parameter("v")?),
            "shorts" | "embed" | "live" | "v" => keyed("youtube", part(1)?),
            _ => None,
        },
        "vimeo.com" | "player.vimeo.com" => {
            let id = parts
                .iter()
                .find(|part| part.len() > 4 && part.bytes().all(|byte| byte.is_ascii_digit()))?;
            keyed("vimeo", id)
        }
        "apps.apple.com" => {
            let id = parts.iter().rev().find(|part| {
                part.strip_prefix("id")
                    .is_some_and(|id| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit()))
            })?;
            keyed("app apple", id)
        }
        "play.google.com" if part(0) == Some("store") => keyed("app google", &parameter("id")?),
        "docs.google.com" if part(1) == Some("d") => keyed("document google", part(2)?),
        "msn.com" => {
            let id = parts.iter().rev().find_map(|part| part.strip_prefix("ar-"))?;
            keyed("article msn", id)
        }
        // The text edition has the number alone.
        "npr.org" => {
            let is_number = |part: &&&str| {
                part.len() > 6 && part.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
            };
            keyed("article npr", parts.iter().rev().find(is_number)?)
        }
        "wikiwand.com" => {
            let title = parts.get(1..)?;
            let title = title.strip_prefix(&["articles"]).unwrap_or(title);
            keyed(
                "wikipedia",
                &format!("{} {}", part(0)?, wiki_title(&title.join("/"))),
            )
        }
        _ => {
            let language = host.strip_suffix(".wikipedia.org")?;
            let title = match part(0)? {
                "wiki" => parts.get(1..)?.join("/"),
                "w" => parameter("title")?,
                _ => return None,
            };
            keyed("wikipedia", &format!("{language} {}", wiki_title(&title)))
        }
    }
}

fn wiki_title(title: &str) -> String {
    percent_decode_str(title).decode_utf8_lossy().replace('_', " ")
}

/// Posts and questions.
fn posts(host: &str, parts: &[&str], parameter: &impl Fn(&str) -> Option<String>) -> Option<String> {
    let part = |at: usize| parts.get(at).copied();
    match host {
        "x.com" if part(1) == Some("status") => keyed("post x", part(2)?),
        "x.com" if part(0) == Some("i") && part(2) == Some("status") => keyed("post x", part(3)?),
        "redd.it" => keyed("post reddit", part(0)?),
        "reddit.com" => {
            let at = parts.iter().position(|part| *part == "comments")?;
            // A comment has a part more than its post.
            match part(at + 3) {
                Some(comment) => keyed("comment reddit", comment),
                None => keyed("post reddit", part(at + 1)?),
            }
        }
        "news.ycombinator.com" if part(0) == Some("item") => keyed("post hn", &parameter("id")?),
        "lobste.rs" if part(0) == Some("s") => keyed("post lobsters", part(1)?),
        "bsky.app" if part(2) == Some("post") => keyed("post bluesky", part(3)?),
        "stackoverflow.com" if matches!(part(0), Some("questions" | "q")) => {
            keyed("question stackoverflow", part(1)?)
        }
        // `open.substack.com/pub/NAME/p/SLUG`, `NAME.substack.com/p/SLUG`
        "open.substack.com" if part(0) == Some("pub") && part(2) == Some("p") => {
            keyed("post substack", &format!("{}/{}", part(1)?, part(3)?))
        }
        _ => {
            if let Some(name) = host.strip_suffix(".substack.com")
                && part(0) == Some("p")
            {
                return keyed("post substack", &format!("{name}/{}", part(1)?));
            }
            // `medium.com/@someone/a-slug-0123456789ab`, `someone.medium.com/a-slug-0123456789ab`
            let id = (host == "medium.com" || host.ends_with(".medium.com"))
                .then(|| parts.last()?.rsplit('-').next())
                .flatten()?;
            (matches!(id.len(), 10..=12) && id.bytes().all(|byte| byte.is_ascii_hexdigit()))
                .then(|| format!("post medium {id}"))
        }
    }
}

/// Packages and what is in repositories.
fn code(host: &str, parts: &[&str]) -> Option<String> {
    let part = |at: usize| parts.get(at).copied();
    match host {
        "npmjs.com" if part(0) == Some("package") => keyed("npm", &parts.get(1..)?.join("/")),
        "pypi.org" if part(0) == Some("project") => {
            let name = part(1)?.to_lowercase().replace(['_', '.'], "-");
            keyed("pypi", &[&[name.as_str()], parts.get(2..)?].concat().join("/"))
        }
        "crates.io" if part(0) == Some("crates") => keyed("crate", &parts.get(1..)?.join("/")),
        "raw.githubusercontent.com" => {
            let rest = parts.get(2..)?;
            // `refs/heads/main/FILE`
            let rest = rest.strip_prefix(&["refs", "heads"]).unwrap_or(rest);
            let whole = [&[part(0)?, part(1)?, "blob"], rest].concat();
            code("github.com", &whole).or_else(|| file(&whole))
        }
        "github.com" => match (parts.len(), part(2)) {
            (2, _) => repository(host, parts),
            (4, Some("tree")) if matches!(part(3), Some("main" | "master")) => repository(host, parts),
            (5, Some("blob")) if part(4).is_some_and(|file| file.eq_ignore_ascii_case("readme.md")) => {
                repository(host, parts)
            }
            (5.., Some("blob")) => file(parts),
            // Issues and pull requests are counted together; a request has pages of its files and commits.
            (4.., Some("issues" | "pull" | "discussions")) => {
                let kind = if part(2) == Some("discussions") {
                    "discussion"
                } else {
                    "issue"
                };
                let number = part(3).filter(|number| number.bytes().all(|byte| byte.is_ascii_digit()))?;
                keyed(kind, &format!("{} {number}", repository(host, parts)?))
            }
            _ => None,
        },
        "gist.github.com" => {
            let id = parts.get(..2)?.last()?;
            keyed("gist", id)
        }
        _ => None,
    }
}

/// The key of one file of a repository: owner, name, `blob`, branch and path.
fn file(parts: &[&str]) -> Option<String> {
    let (owner, name) = (parts.first()?, parts.get(1)?);
    let path = parts.get(3..)?.join("/");
    Some(format!(
        "file github {}/{} {path}",
        owner.to_lowercase(),
        name.to_lowercase()
    ))
}

/// Papers, by arXiv id, DOI and the numbers of their archives.
fn papers(host: &str, parts: &[&str], parameter: &impl Fn(&str) -> Option<String>) -> Option<String> {
    let part = |at: usize| parts.get(at).copied();
    match host {
        "arxiv.org" | "ar5iv.org" | "ar5iv.labs.arxiv.org" | "alphaxiv.org" => {
            let rest = parts.get(1..)?.join("/");
            return matches!(part(0)?, "abs" | "pdf" | "html" | "ps" | "format")
                .then(|| arxiv(&rest))
                .flatten();
        }
        "huggingface.co" if part(0) == Some("papers") => return arxiv(part(1)?),
        "doi.org" => return doi(&parts.join("/")),
        "ncbi.nlm.nih.gov" | "pmc.ncbi.nlm.nih.gov" | "pubmed.ncbi.nlm.nih.gov" | "europepmc.org" => {
            if let Some(id) = parts
                .iter()
                .map(|part| part.to_ascii_uppercase())
                .find(|part| part.starts_with("PMC") && part.len() > 5)
            {
                return keyed("pmc", &id);
            }
            let of_pubmed =
                host.starts_with("pubmed.") || matches!(part(0), Some("pubmed" | "abstract" | "article"));
            let id = parts.last()?;
            return (of_pubmed && !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit()))
                .then(|| format!("pubmed {id}"));
        }
        // https://www.nature.com/articles/ID is the DOI 10.1038/ID.
        "nature.com" if part(0) == Some("articles") && part(1)?.starts_with(['s', 'n', 'd']) => {
            return doi(&format!("10.1038/{}", part(1)?.trim_end_matches(".pdf")));
        }
        "sciencedirect.com" | "linkinghub.elsevier.com" => {
            let at = parts.iter().position(|part| *part == "pii")?;
            return keyed("pii", part(at + 1)?);
        }
        "openreview.net" => return keyed("openreview", &parameter("id")?),
        "ssrn.com" | "papers.ssrn.com" => {
            let id = parameter("abstract_id")
                .or_else(|| parameter("abstract"))
                .or_else(|| part(0)?.strip_prefix("abstract=").map(str::to_owned))?;
            return keyed("ssrn", &id);
        }
        "aclanthology.org" => {
            let id = part(0)?.trim_end_matches(".pdf");
            return id.contains('-').then(|| format!("acl {id}"));
        }
        _ => {}
    }
    // Publishers have the DOI in their own addresses.
    let is_prefix = |part: &&str| {
        part.strip_prefix("10.").is_some_and(|rest| {
            rest.len() >= 4 && rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        })
    };
    let begin = parts.iter().position(is_prefix)?;
    parts.get(begin + 1)?;
    doi(&parts.get(begin..)?.join("/"))
}
