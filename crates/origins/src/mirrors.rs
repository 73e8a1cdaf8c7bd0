//! Other addresses of one page: archives, AMP caches, redirects, translators, mirrors and hosts under several names.

use percent_encoding::percent_decode_str;
use url::Url;

/// First labels of hosts that serve another form of the same pages.
const FORMS: [&str; 15] = [
    "www", "m", "mobile", "amp", "old", "np", "ww2", "www1", "www2", "wap", "touch", "lite", "text", "print",
    "3g",
];

/// Hosts under several names.
const ALIASES: [(&str, &str); 33] = [
    ("ar.reuters.com", "reuters.com"),
    ("af.reuters.com", "reuters.com"),
    ("bbc.co.uk", "bbc.com"),
    ("blogs.reuters.com", "reuters.com"),
    ("ca.reuters.com", "reuters.com"),
    ("cn.reuters.com", "reuters.com"),
    ("dx.doi.org", "doi.org"),
    ("edition.cnn.com", "cnn.com"),
    ("export.arxiv.org", "arxiv.org"),
    ("fixupx.com", "x.com"),
    ("fixvx.com", "x.com"),
    ("fxtwitter.com", "x.com"),
    ("guardian.co.uk", "theguardian.com"),
    ("guardian.com", "theguardian.com"),
    ("hk.reuters.com", "reuters.com"),
    ("i.reddit.com", "reddit.com"),
    ("in.reuters.com", "reuters.com"),
    ("international.nytimes.com", "nytimes.com"),
    ("invidio.us", "youtube.com"),
    ("mobile.nytimes.com", "nytimes.com"),
    ("music.youtube.com", "youtube.com"),
    ("new.reddit.com", "reddit.com"),
    ("piped.video", "youtube.com"),
    ("safereddit.com", "reddit.com"),
    ("scribe.rip", "medium.com"),
    ("sh.reddit.com", "reddit.com"),
    ("twitter.com", "x.com"),
    ("uk.reuters.com", "reuters.com"),
    ("us.cnn.com", "cnn.com"),
    ("vxtwitter.com", "x.com"),
    ("xcancel.com", "x.com"),
    ("yewtu.be", "youtube.com"),
    ("youtube-nocookie.com", "youtube.com"),
];

/// First labels of hosts that many run to show the pages of another host.
const MIRRORS: [(&str, &str); 9] = [
    ("invidious", "youtube.com"),
    ("libreddit", "reddit.com"),
    ("nitter", "x.com"),
    ("piped", "youtube.com"),
    ("quetre", "quora.com"),
    ("redlib", "reddit.com"),
    ("scribe", "medium.com"),
    ("teddit", "reddit.com"),
    ("breezewiki", "fandom.com"),
];

/// Pages that lead to the address in a parameter: host, beginning of the path, parameter.
const REDIRECTS: [(&str, &str, &str); 18] = [
    ("duckduckgo.com", "/l/", "uddg"),
    ("facebook.com", "/l.php", "u"),
    ("feedly.com", "/i/entry", "url"),
    ("getpocket.com", "/redirect", "url"),
    ("google.com", "/url", "q"),
    ("google.com", "/url", "url"),
    ("googleweblight.com", "/", "lite_url"),
    ("instagram.com", "/", "u"),
    ("linkedin.com", "/redir/redirect", "url"),
    ("linkedin.com", "/safety/go", "url"),
    ("outlook.com", "/", "url"),
    ("reddit.com", "/", "url"),
    ("slack-redir.net", "/link", "url"),
    ("t.umblr.com", "/redirect", "z"),
    ("translate.google.com", "/", "u"),
    ("vk.com", "/away.php", "to"),
    ("youtube.com", "/redirect", "q"),
    ("steamcommunity.com", "/linkfilter/", "url"),
];

/// Hosts on which an address stands in the path.
const WRAPPERS: [&str; 16] = [
    "12ft.io",
    "archive.is",
    "archive.li",
    "archive.md",
    "archive.ph",
    "archive.today",
    "archive.vn",
    "bing-amp.com",
    "cdn.ampproject.org",
    "freedium.cfd",
    "google.com",
    "outline.com",
    "r.jina.ai",
    "removepaywall.com",
    "web.archive.org",
    "webcache.googleusercontent.com",
];

/// Hosts in their plain form: without labels such as `www` and `m`, and by one name.
pub(crate) fn plain_host(host: &str) -> String {
    let mut host = host.trim_end_matches('.').to_ascii_lowercase();
    while let Some((label, rest)) = host.split_once('.') {
        // `www.gov.uk` is one of its kind; `text.com.au` is a name of its own.
        let is_form = FORMS.contains(&label) && (label == "www" || psl::domain_str(rest).is_some());
        if !is_form || !rest.contains('.') {
            break;
        }
        host = rest.to_owned();
    }
    // `en.m.wikipedia.org`
    let host = host.replace(".m.", ".");
    if let Some((_, plain)) = ALIASES.iter().find(|(name, _)| *name == host) {
        return (*plain).to_owned();
    }
    if let Some((label, _)) = host.split_once('.')
        && let Some((_, plain)) = MIRRORS.iter().find(|(name, _)| *name == label)
    {
        return (*plain).to_owned();
    }
    // Blogs have one name under the domain of every country.
    if let Some((blog, country)) = host.split_once(".blogspot.")
        && !blog.is_empty()
        && country.len() <= 6
    {
        return format!("{blog}.blogspot.com");
    }
    host
}

/// The address that an archive, a cache, a redirect or a translator shows a copy of, or leads to.
pub(crate) fn inner_address(url: &Url) -> Option<Url> {
    let host = url.host_str()?.trim_end_matches('.').to_ascii_lowercase();
    let bare = host.strip_prefix("www.").unwrap_or(&host);
    if let Some(translated) = bare.strip_suffix(".translate.goog") {
        return translated_address(url, translated);
    }
    in_parameter(url, bare).or_else(|| in_path(url, bare))
}

/// `https://en-example-com.translate.goog/a`: a point is written `-`, a hyphen `--`.
fn translated_address(url: &Url, name: &str) -> Option<Url> {
    let host = name.replace("--", "\n").replace('-', ".").replace('\n', "-");
    let kept = url.query_pairs().filter(|(name, _)| !name.starts_with("_x_tr_"));
    let mut inner = Url::parse(&format!("https://{host}{}", url.path())).ok()?;
    let pairs: Vec<(String, String)> = kept
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect();
    if !pairs.is_empty() {
        inner.query_pairs_mut().extend_pairs(pairs);
    }
    Some(inner)
}

fn in_parameter(url: &Url, host: &str) -> Option<Url> {
    let is_at = |known: &str| {
        host == known
            || host.strip_suffix(known).is_some_and(|rest| {
                matches!(
                    rest,
                    "l." | "lm." | "m." | "old." | "out." | "safelinks.protection."
                )
            })
            || (known == "outlook.com" && host.ends_with(".safelinks.protection.outlook.com"))
    };
    let of_redirects = |known: &str| match known {
        // The hosts that show pages of their own lead elsewhere under one name alone.
        "reddit.com" => host == "out.reddit.com",
        "instagram.com" => host == "l.instagram.com",
        "outlook.com" => host != known,
        _ => true,
    };
    REDIRECTS.iter().find_map(|(known, path, name)| {
        if !is_at(known) || !of_redirects(known) || !url.path().starts_with(path) {
            return None;
        }
        let (_, value) = url.query_pairs().find(|(key, _)| key == name)?;
        web(&value)
    })
}

/// An http(s) address, of a host that has a point in it.
fn web(address: &str) -> Option<Url> {
    let url = Url::parse(address).ok()?;
    (matches!(url.scheme(), "http" | "https") && url.host_str()?.contains('.')).then_some(url)
}

fn in_path(url: &Url, host: &str) -> Option<Url> {
    let is_amp = host.ends_with(".cdn.ampproject.org") || host.ends_with(".bing-amp.com");
    if !is_amp && !WRAPPERS.contains(&host) {
        return None;
    }
    if host == "webcache.googleusercontent.com" {
        let (_, value) = url.query_pairs().find(|(key, _)| key == "q")?;
        let rest = value.strip_prefix("cache:")?;
        // `cache:ID:address`
        let at = rest.find("http")?;
        let inner = rest.get(at..)?;
        return web(inner.split_whitespace().next()?);
    }
    let path = url.path().trim_start_matches('/');
    let rest = match host {
        "web.archive.org" => path
            .strip_prefix("web/")
            .or_else(|| path.strip_prefix("save/"))
            .map(|rest| after_time(rest).unwrap_or(rest)),
        "google.com" => path.strip_prefix("amp/"),
        _ if is_amp || host == "cdn.ampproject.org" || host == "bing-amp.com" => ["c/", "v/", "wp/", "i/"]
            .iter()
            .find_map(|form| path.strip_prefix(form)),
        _ if host.starts_with("archive.") => after_time(path)
            .filter(|_| path.starts_with(|c: char| c.is_ascii_digit() || c == 'n' || c == 'o')),
        _ => Some(path),
    }?;
    let rest = rest.strip_prefix("s/").unwrap_or(rest);
    // Of two slashes, a copied address may have lost one.
    let inner = match rest.split_once(":/") {
        Some((scheme @ ("http" | "https"), rest)) => format!("{scheme}://{}", rest.trim_start_matches('/')),
        None if rest.contains('.') => {
            let decoded = percent_decode_str(rest).decode_utf8_lossy().into_owned();
            if decoded.starts_with("http") {
                decoded
            } else {
                format!("https://{rest}")
            }
        }
        _ => return None,
    };
    let mut inner = web(&inner)?;
    if inner.query().is_none() {
        inner.set_query(url.query());
    }
    Some(inner)
}

/// What follows the time, or the word in its place, at which a copy was made.
fn after_time(path: &str) -> Option<&str> {
    let (time, rest) = path.split_once('/')?;
    let is_time =
        time.starts_with(|c: char| c.is_ascii_digit()) && !time.contains('.') && !time.ends_with(':');
    match time {
        "newest" | "oldest" | "*" => Some(rest),
        // `o/ID/address`
        "o" => rest.split_once('/').map(|(_, rest)| rest),
        _ => is_time.then_some(rest),
    }
}
