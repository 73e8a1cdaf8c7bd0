//! Keys of addresses: two addresses of one page, paper, video or post have one key.

use freshcontext_contract::tracking::is_tracking;
use percent_encoding::percent_decode_str;
use url::Url;

use crate::known;
use crate::mirrors::{inner_address, plain_host};

/// Parameters that say how a reader came to a page or how it is drawn, beside the tracking parameters that are removed from every
/// address. They are ignored in a comparison and stay in the addresses that are shown.
#[rustfmt::skip]
const IGNORED: [&str; 103] = [
    ".tsrc", "__s", "__twitter_impression", "_amp", "_ga", "accesstoken", "amp", "amp_gsa", "amp_js_v", "at_campaign",
    "at_medium", "bxid", "campaign", "cid", "ck_subscriber_id", "cm_mmc", "cmp", "cmpid", "cndid", "cvid", "dgcid",
    "emc", "fb_ref", "feature", "feedname", "feedtype", "ftag", "gaa_at", "gaa_n", "gaa_sig", "gaa_ts", "gift",
    "giftcopy", "guccounter", "guce_referrer", "guce_referrer_sig", "icid", "ig_rid", "igsh", "iid", "intcid",
    "intcmp", "ito", "leadsource", "li_fat_id", "link", "mbid", "mod", "ncid", "nomobile", "ns_campaign",
    "ns_linkname", "ns_mchannel", "ns_source", "ocid", "output", "outputtype", "pagewanted", "partner", "partnerid",
    "print", "printable", "recip_id", "ref", "referer", "referrer", "reflink", "rss", "s_campaign", "s_cid",
    "s_kwcid", "sh", "share", "share_id", "shared", "sharetoken", "sharetype", "si", "siteid", "smartlink", "smid",
    "smtyp", "soc_src", "soc_trk", "spm", "sr_share", "src", "sref", "taboola_campaign_id", "taid", "trackingid",
    "triedredirect", "trk", "trkcampaign", "tsrc", "ttclid", "twclid", "unlocked_article_code", "usqp", "wt.mc_id",
    "wt_mc", "xtor", "yptr",
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
/// Addresses within addresses that are followed.
const LEVELS: usize = 2;
/// Parameters that ask for the whole of an article, or for its beginning.
const WHOLE: [&str; 9] = [
    "page=1",
    "pg=1",
    "view=all",
    "single=1",
    "singlepage=true",
    "m=1",
    "m=0",
    "print=true",
    "showfullarticle=true",
];
/// Extensions of scripts, which show many pages under one path.
const SCRIPTS: [&str; 8] = ["asp", "aspx", "cfm", "cgi", "do", "jsp", "php", "pl"];
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
        // A translator may show a copy from an archive; deeper ones are no page that people read.
        for _ in 0..LEVELS {
            let Some(inner) = inner_address(&url) else { break };
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
        let known = known::key(&self.host, &self.parts(), |name| self.parameter(name));
        Some(known.unwrap_or_else(|| self.plain()))
    }

    /// The key of the website, where it is somebody's own.
    pub(crate) fn website(&self) -> Option<String> {
        let domain = psl::domain_str(&self.host)?;
        (!SHARED.contains(&domain)).then(|| format!("site {domain}"))
    }

    /// The key of the repository, on a host of repositories.
    pub(crate) fn repository(&self) -> Option<String> {
        known::repository(&self.host, &self.parts())
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
        // `idUSKBN1AB2CD`, as an agency numbers its articles
        if let Some(code) = id.strip_prefix("id").filter(|code| is_code(code)) {
            return Some(format!("article {site} {code}"));
        }
        let tail = last.get(last.len().checked_sub(UUID)?..)?;
        is_uuid(tail).then(|| format!("article {site} {}", tail.to_lowercase()))
    }

    /// Whether only the query can tell pages apart: the path is empty, or that of a script.
    fn is_named_by_query(&self) -> bool {
        self.url.path_segments().is_none_or(|mut parts| {
            let last = parts.next_back().unwrap_or_default();
            let extension = last.rsplit_once('.').map(|(_, extension)| extension);
            self.parts().is_empty()
                || extension
                    .is_some_and(|extension| SCRIPTS.contains(&extension.to_ascii_lowercase().as_str()))
        })
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
                "amp"
                    | "amp.html"
                    | "index.html"
                    | "index.htm"
                    | "index.php"
                    | "index.amp.html"
                    | "default.aspx"
                    | "story.html"
            ) || parts.len() > 1 && matches!(lower.as_str(), "print" | "print.html" | "printable")
            {
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
            let decoded = percent_decode_str(part).decode_utf8_lossy();
            let part = decoded.split(";jsessionid=").next().unwrap_or_default();
            out.push_str(part.trim_end_matches(".html"));
        }
        let of_page = |pair: &&str| {
            let name = pair.split('=').next().unwrap_or_default();
            !name.is_empty() && !is_tracking(name) && !WHOLE.contains(&pair.to_ascii_lowercase().as_str())
        };
        let query = self.url.query().unwrap_or_default();
        let (ignored, mut kept): (Vec<&str>, Vec<&str>) =
            query.split('&').filter(of_page).partition(|pair| {
                let name = pair.split('=').next().unwrap_or_default();
                IGNORED.contains(&name.to_ascii_lowercase().as_str())
            });
        if kept.is_empty() && self.is_named_by_query() {
            kept = ignored;
        }
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

/// Whether these are capital letters and digits, as many as name an article.
fn is_code(code: &str) -> bool {
    code.len() > ID_DIGITS
        && code
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        && code.bytes().any(|byte| byte.is_ascii_digit())
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
            (
                "https://example.com/view.php?cid=1",
                "https://example.com/view.php?cid=2",
            ),
            ("https://example.com/?link=a", "https://example.com/?link=b"),
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
