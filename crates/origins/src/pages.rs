//! Keys of addresses: two addresses of one page, paper, video or post have one key.

use freshcontext_contract::tracking::is_tracking;
use url::Url;

/// Parameters that say how a reader came to a page or how it is drawn, beside the tracking parameters that are removed from every
/// address. They are ignored in a comparison and stay in the addresses that are shown.
const IGNORED: [&str; 40] = [
    "_ga",
    "amp",
    "at_campaign",
    "at_medium",
    "campaign",
    "cid",
    "cmp",
    "cmpid",
    "emc",
    "feature",
    "guccounter",
    "guce_referrer",
    "guce_referrer_sig",
    "leadsource",
    "link",
    "mod",
    "ncid",
    "ocid",
    "cvid",
    "output",
    "outputtype",
    "partner",
    "ref",
    "referer",
    "referrer",
    "reflink",
    "rss",
    "sh",
    "share",
    "shared",
    "si",
    "smid",
    "smtyp",
    "soc_src",
    "soc_trk",
    "spm",
    "src",
    "sref",
    "taid",
    "xtor",
];

/// First labels of hosts that serve another form of the same pages.
const FORMS: [&str; 6] = ["www", "m", "mobile", "amp", "old", "np"];

/// Hosts under several names.
const ALIASES: [(&str, &str); 8] = [
    ("bbc.co.uk", "bbc.com"),
    ("dx.doi.org", "doi.org"),
    ("edition.cnn.com", "cnn.com"),
    ("export.arxiv.org", "arxiv.org"),
    ("new.reddit.com", "reddit.com"),
    ("sh.reddit.com", "reddit.com"),
    ("twitter.com", "x.com"),
    ("nitter.net", "x.com"),
];

/// Registrable domains under which many publish: a page there is nobody's website.
const SHARED: [&str; 37] = [
    "apple.com",
    "bitbucket.org",
    "bsky.app",
    "codeberg.org",
    "crates.io",
    "discord.com",
    "discord.gg",
    "docs.rs",
    "facebook.com",
    "github.com",
    "gitlab.com",
    "google.com",
    "huggingface.co",
    "instagram.com",
    "linkedin.com",
    "linktr.ee",
    "medium.com",
    "microsoft.com",
    "npmjs.com",
    "producthunt.com",
    "pypi.org",
    "reddit.com",
    "redd.it",
    "sourceforge.net",
    "substack.com",
    "t.me",
    "telegram.me",
    "tiktok.com",
    "twitter.com",
    "wikipedia.org",
    "x.com",
    "ycombinator.com",
    "youtu.be",
    "youtube.com",
    "zenodo.org",
    "msn.com",
    "yahoo.com",
];

/// Least digits of a number in an address that names one article of a site.
const ID_DIGITS: usize = 6;
/// Longest part of a path that is looked at.
const SEGMENT: usize = 200;

/// A web address, parsed, with its host in its plain form.
pub(crate) struct Page {
    url: Url,
    host: String,
}

impl Page {
    /// Only http(s), with a host.
    pub(crate) fn read(address: &str) -> Option<Self> {
        let mut url = Url::parse(address.trim()).ok()?;
        // One level: an archive of an archive is itself.
        if let Some(inner) = inner_address(&url) {
            url = inner;
        }
        if !matches!(url.scheme(), "http" | "https") {
            return None;
        }
        let host = plain_host(url.host_str()?);
        (!host.is_empty()).then_some(Self { url, host })
    }

    /// The registrable domain, or the host where there is none.
    pub(crate) fn site(&self) -> &str {
        psl::domain_str(&self.host).unwrap_or(&self.host)
    }

    /// The host without forms such as `www.` and `m.`.
    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// The path as the site wrote it.
    pub(crate) fn path(&self) -> &str {
        self.url.path()
    }

    fn parts(&self) -> Vec<&str> {
        self.url
            .path()
            .split('/')
            .filter(|part| !part.is_empty())
            .collect()
    }

    fn parameter(&self, name: &str) -> Option<String> {
        self.url
            .query_pairs()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.into_owned())
            .filter(|value| !value.is_empty())
    }

    /// Whether it is the first page of its host.
    pub(crate) fn is_front(&self) -> bool {
        self.parts().is_empty() && self.url.query().is_none()
    }

    /// The key of the page; `None` for the first page of a host that many share.
    pub(crate) fn key(&self) -> Option<String> {
        if self.is_front() && SHARED.contains(&self.site()) {
            return None;
        }
        Some(self.known().unwrap_or_else(|| self.plain()))
    }

    /// The key of the website, where it is somebody's own.
    pub(crate) fn website(&self) -> Option<String> {
        let domain = psl::domain_str(&self.host)?;
        (!SHARED.contains(&domain)).then(|| format!("site {domain}"))
    }

    /// The key of the repository, on a host of repositories.
    pub(crate) fn repository(&self) -> Option<String> {
        if !matches!(
            self.host.as_str(),
            "github.com" | "gitlab.com" | "codeberg.org" | "bitbucket.org"
        ) {
            return None;
        }
        let parts = self.parts();
        let (owner, name) = (parts.first()?, parts.get(1)?);
        let name = name.trim_end_matches(".git").to_lowercase();
        Some(format!(
            "repository {}/{}/{name}",
            self.host,
            owner.to_lowercase()
        ))
    }

    /// A second key: the number or UUID that names one article of a site, whatever its slug and section.
    pub(crate) fn article(&self) -> Option<String> {
        let site = self.site();
        if SHARED.contains(&site) {
            return None;
        }
        let parts = self.parts();
        // `/article/154063/a-slug`
        let before = parts.len().checked_sub(2).and_then(|at| parts.get(at));
        if let Some(id) = before.filter(|id| is_number(id)) {
            return Some(format!("article {site} {id}"));
        }
        let last = *parts.last()?;
        let last = last.get(..last.len().min(SEGMENT))?;
        let last = last
            .trim_end_matches(".html")
            .trim_end_matches(".htm")
            .trim_end_matches(".php");
        let id = last.rsplit(['_', '-']).next()?;
        if is_number(id) {
            // Numbers in parts: `2-1-746616`.
            return Some(format!("article {site} {id}"));
        }
        let tail = last.get(last.len().checked_sub(UUID)?..)?;
        is_uuid(tail).then(|| format!("article {site} {}", tail.to_lowercase()))
    }

    /// The keys of things that have several addresses.
    fn known(&self) -> Option<String> {
        let parts = self.parts();
        let part = |at: usize| parts.get(at).copied();
        let key = |kind: &str, id: &str| Some(format!("{kind} {id}")).filter(|_| !id.is_empty());
        match self.host.as_str() {
            "youtu.be" => return key("youtube", part(0)?),
            "youtube.com" | "youtube-nocookie.com" | "music.youtube.com" => {
                return match part(0)? {
                    "watch" => key("youtube", &self.parameter("v")?),
                    "shorts" | "embed" | "live" | "v" => key("youtube", part(1)?),
                    _ => None,
                };
            }
            "arxiv.org" | "ar5iv.org" | "ar5iv.labs.arxiv.org" | "alphaxiv.org" => {
                let rest = parts.get(1..)?.join("/");
                return matches!(part(0)?, "abs" | "pdf" | "html" | "ps" | "format")
                    .then(|| arxiv(&rest))
                    .flatten();
            }
            "huggingface.co" if part(0) == Some("papers") => return arxiv(part(1)?),
            "doi.org" => return doi(&parts.join("/")),
            "x.com" | "fxtwitter.com" | "vxtwitter.com" if part(1) == Some("status") => {
                return key("post x", part(2)?);
            }
            "redd.it" => return key("post reddit", part(0)?),
            "reddit.com" => {
                let at = parts.iter().position(|part| *part == "comments")?;
                // A comment has a part more than its post.
                return match part(at + 3) {
                    Some(comment) => key("comment reddit", comment),
                    None => key("post reddit", part(at + 1)?),
                };
            }
            "news.ycombinator.com" if part(0) == Some("item") => {
                return key("post hn", &self.parameter("id")?);
            }
            "stackoverflow.com" if matches!(part(0), Some("questions" | "q")) => {
                return key("question stackoverflow", part(1)?);
            }
            "npmjs.com" if part(0) == Some("package") => return key("npm", &parts.get(1..)?.join("/")),
            "pypi.org" if part(0) == Some("project") => {
                let name = part(1)?.to_lowercase().replace(['_', '.'], "-");
                return key("pypi", &[&[name.as_str()], parts.get(2..)?].concat().join("/"));
            }
            "crates.io" if part(0) == Some("crates") => return key("crate", &parts.get(1..)?.join("/")),
            "apps.apple.com" => {
                let id = parts.iter().rev().find(|part| {
                    part.strip_prefix("id")
                        .is_some_and(|id| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit()))
                })?;
                return key("app apple", id);
            }
            "play.google.com" if part(0) == Some("store") => {
                return key("app google", &self.parameter("id")?);
            }
            "msn.com" => {
                let id = parts.iter().rev().find_map(|part| part.strip_prefix("ar-"))?;
                return key("article msn", id);
            }
            "github.com" => {
                let front = match parts.len() {
                    2 => true,
                    4 => part(2) == Some("tree") && matches!(part(3), Some("main" | "master")),
                    5 => {
                        part(2) == Some("blob")
                            && part(4).is_some_and(|file| file.eq_ignore_ascii_case("readme.md"))
                    }
                    _ => false,
                };
                return front.then(|| self.repository()).flatten();
            }
            _ => {}
        }
        // Publishers have the DOI in their own addresses.
        let at = parts.iter().position(|part| *part == "doi")?;
        let rest = parts.get(at + 1..)?;
        let begin = rest.iter().position(|part| part.starts_with("10."))?;
        doi(&rest.get(begin..)?.join("/"))
    }

    /// Host, path and query without what does not change the page.
    fn plain(&self) -> String {
        let mut parts: Vec<&str> = self.parts();
        if parts.first() == Some(&"amp") && parts.len() > 1 {
            parts.remove(0);
        }
        if let Some(last) = parts.last().copied() {
            let lower = last.to_ascii_lowercase();
            if matches!(
                lower.as_str(),
                "amp" | "amp.html" | "index.html" | "index.htm" | "index.php" | "default.aspx" | "story.html"
            ) {
                parts.pop();
            } else if let Some(stem) = last
                .strip_suffix(".amp.html")
                .or_else(|| last.strip_suffix(".amp"))
            {
                parts.pop();
                parts.push(stem);
            }
        }
        let mut out = self.host.clone();
        if let Some(port) = self.url.port() {
            out.push(':');
            out.push_str(&port.to_string());
        }
        for part in parts {
            out.push('/');
            out.push_str(part.trim_end_matches(".html"));
        }
        let mut kept: Vec<&str> = self
            .url
            .query()
            .unwrap_or_default()
            .split('&')
            .filter(|pair| {
                let name = pair.split('=').next().unwrap_or_default();
                !name.is_empty()
                    && !is_tracking(name)
                    && !IGNORED.contains(&name.to_ascii_lowercase().as_str())
            })
            .collect();
        kept.sort_unstable();
        if !kept.is_empty() {
            out.push('?');
            out.push_str(&kept.join("&"));
        }
        // A route of a page that is one program.
        if let Some(route) = self
            .url
            .fragment()
            .filter(|fragment| fragment.starts_with(['!', '/']))
        {
            out.push('#');
            out.push_str(route);
        }
        out
    }
}

fn plain_host(host: &str) -> String {
    let mut host = host.trim_end_matches('.').to_ascii_lowercase();
    while let Some((label, rest)) = host.split_once('.') {
        if !FORMS.contains(&label) || !rest.contains('.') {
            break;
        }
        host = rest.to_owned();
    }
    // `en.m.wikipedia.org`
    let host = host.replace(".m.", ".");
    ALIASES
        .iter()
        .find(|(name, _)| *name == host)
        .map_or(host, |(_, plain)| (*plain).to_owned())
}

/// The address that an archive, or a cache of AMP pages, holds a copy of.
fn inner_address(url: &Url) -> Option<Url> {
    let host = url.host_str()?;
    let path = url.path();
    if host == "web.archive.org" {
        let rest = path.strip_prefix("/web/")?;
        let (_, inner) = rest.split_once('/')?;
        // Of two slashes, a copied address may have lost one.
        let inner = match inner.split_once(":/") {
            Some((scheme, rest)) => format!("{scheme}://{}", rest.trim_start_matches('/')),
            None => format!("https://{inner}"),
        };
        let mut inner = Url::parse(&inner).ok()?;
        inner.set_query(url.query());
        return Some(inner);
    }
    let rest = if host.ends_with(".cdn.ampproject.org") || host == "cdn.ampproject.org" {
        path.strip_prefix("/c/").or_else(|| path.strip_prefix("/v/"))
    } else if host == "www.google.com" || host == "google.com" {
        path.strip_prefix("/amp/")
    } else {
        None
    }?;
    Url::parse(&format!("https://{}", rest.trim_start_matches("s/"))).ok()
}

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
        None => Some(format!(
            "doi {}",
            id.trim_end_matches("/full").trim_end_matches(".pdf")
        )),
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

/// Characters of a UUID.
const UUID: usize = 36;

fn is_uuid(text: &str) -> bool {
    text.len() == UUID
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Whether this is a number that names an article.
fn is_number(id: &str) -> bool {
    id.len() >= ID_DIGITS && id.bytes().all(|byte| byte.is_ascii_digit()) && !is_day(id)
}

/// Whether these digits are a day or a month: `20140310`, `201403`, `140310`.
fn is_day(digits: &str) -> bool {
    let within = |from: usize, most: u8| {
        let two = digits.get(from..from + 2).and_then(|two| two.parse::<u8>().ok());
        two.is_some_and(|two| (1..=most).contains(&two))
    };
    let century = digits.starts_with("19") || digits.starts_with("20");
    match digits.len() {
        6 => (century && within(4, 12)) || (within(2, 12) && within(4, 31)),
        8 => century && within(4, 12) && within(6, 31),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(address: &str) -> Option<String> {
        Page::read(address)?.key()
    }

    #[test]
    fn addresses_of_one_page_have_one_key() {
        for (one, other) in [
            (
                "https://www.example.com/a/?utm_source=x#top",
                "http://example.com/a",
            ),
            ("https://m.example.com/a.html", "https://example.com/a"),
            ("https://example.com/a/amp/", "https://example.com/a"),
            ("https://example.com/amp/a", "https://example.com/a?amp=1"),
            (
                "https://www.google.com/amp/s/example.com/a/amp",
                "https://example.com/a/",
            ),
            (
                "https://web.archive.org/web/20200101000000/https://example.com/a",
                "https://example.com/a",
            ),
            (
                "https://youtu.be/abcDEF12345?t=3",
                "https://m.youtube.com/watch?v=abcDEF12345&list=x",
            ),
            (
                "https://arxiv.org/pdf/2401.00001v2.pdf",
                "https://arxiv.org/abs/2401.00001",
            ),
            (
                "https://doi.org/10.48550/arXiv.2401.00001",
                "https://huggingface.co/papers/2401.00001",
            ),
            (
                "https://dx.doi.org/10.5555/ABC.1",
                "https://journal.example/doi/full/10.5555/abc.1",
            ),
            (
                "https://github.com/Acme/Tool.git",
                "https://github.com/acme/tool/blob/main/README.md",
            ),
            (
                "https://old.reddit.com/r/a/comments/x1y2/title/",
                "https://redd.it/x1y2",
            ),
            (
                "https://twitter.com/a/status/12",
                "https://mobile.twitter.com/b/status/12?s=20",
            ),
            (
                "https://www.bbc.co.uk/news/world-1",
                "https://www.bbc.com/news/world-1",
            ),
            (
                "https://en.m.wikipedia.org/wiki/A",
                "https://en.wikipedia.org/wiki/A",
            ),
            (
                "https://www.msn.com/en-us/a/b/ar-BBx1?ocid=q",
                "http://www.msn.com/en-nz/c/d/ar-BBx1",
            ),
        ] {
            assert!(key(one).is_some(), "{one}");
            assert_eq!(key(one), key(other), "{one} {other}");
        }
    }

    #[test]
    fn other_pages_have_other_keys() {
        for (one, other) in [
            ("https://example.com/a?id=1", "https://example.com/a?id=2"),
            ("https://example.com/a", "https://example.org/a"),
            ("https://example.com/#/a", "https://example.com/#/b"),
            (
                "https://github.com/acme/tool/releases/tag/v1",
                "https://github.com/acme/tool",
            ),
            (
                "https://www.reddit.com/r/a/comments/x1/t/c1/",
                "https://www.reddit.com/r/a/comments/x1/t/",
            ),
            (
                "https://news.ycombinator.com/item?id=1",
                "https://news.ycombinator.com/item?id=2",
            ),
            ("https://example.com:8080/a", "https://example.com/a"),
        ] {
            assert_ne!(key(one), key(other), "{one} {other}");
        }
        for none in [
            "https://github.com/",
            "https://www.youtube.com",
            "mailto:a@example.com",
            "notes/7.md",
        ] {
            assert_eq!(key(none), None, "{none}");
        }
    }

    #[test]
    fn a_number_names_an_article_of_a_site() {
        let article = |address: &str| Page::read(address).and_then(|page| page.article());
        assert_eq!(
            article("https://www.example.com/coronavirus/first-title/2-1-746616"),
            article("https://example.com/coronavirus/second-title/2-1-746616")
        );
        assert!(article("https://example.com/x/article_35efc9ce-df30-11ea-afa1-87a4aafcf725.html").is_some());
        for none in [
            "https://example.com/news/20200815",
            "https://example.com/a/top-100",
            "https://github.com/acme/tool/pull/123456",
        ] {
            assert_eq!(article(none), None, "{none}");
        }
    }
}
