//! Marks of syndication: the agency or the press-release service that a text or an address names.

use crate::pages::Page;

/// Who sent a text to many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Wire {
    /// A news agency, or a paper whose articles others print.
    Agency(&'static str),
    /// A service that distributes press releases.
    Release(&'static str),
}

use Wire::{Agency, Release};

/// What stands at the beginning of a text, in brackets, between slashes or before a dash; in lower case.
const MARKS: [(&str, Wire); 60] = [
    ("(reuters)", Agency("Reuters")),
    ("(thomson reuters", Agency("Reuters")),
    ("(ap)", Agency("AP")),
    ("(associated press)", Agency("AP")),
    ("(afp)", Agency("AFP")),
    ("(bloomberg)", Agency("Bloomberg")),
    ("(upi)", Agency("UPI")),
    ("(xinhua)", Agency("Xinhua")),
    ("(pti)", Agency("PTI")),
    ("(ani)", Agency("ANI")),
    ("(ians)", Agency("IANS")),
    ("(dpa)", Agency("dpa")),
    ("(efe)", Agency("EFE")),
    ("(ansa)", Agency("ANSA")),
    ("(cnn)", Agency("CNN")),
    ("(kyodo)", Agency("Kyodo")),
    ("(interfax)", Agency("Interfax")),
    ("(tass)", Agency("TASS")),
    ("(yonhap)", Agency("Yonhap")),
    ("the canadian press", Agency("The Canadian Press")),
    ("(antara)", Agency("Antara")),
    ("/prnewswire", Release("PR Newswire")),
    ("(prnewswire", Release("PR Newswire")),
    ("(business wire)", Release("Business Wire")),
    ("(businesswire)", Release("Business Wire")),
    ("(globe newswire)", Release("GlobeNewswire")),
    ("(globenewswire)", Release("GlobeNewswire")),
    ("accesswire", Release("ACCESS Newswire")),
    ("(newsfile corp", Release("Newsfile")),
    ("(marketwired", Release("Marketwired")),
    ("(aap)", Agency("AAP")),
    ("(pa media)", Agency("PA Media")),
    ("(bernama)", Agency("Bernama")),
    ("(anadolu)", Agency("Anadolu")),
    ("(kyodo news)", Agency("Kyodo")),
    ("(jiji press)", Agency("Jiji")),
    ("(the conversation)", Agency("The Conversation")),
    ("(the center square)", Agency("The Center Square")),
    ("(states newsroom)", Agency("States Newsroom")),
    ("(nexstar)", Agency("Nexstar")),
    ("(cnn newsource)", Agency("CNN")),
    ("(tribune news service)", Agency("TNS")),
    ("(lusa)", Agency("Lusa")),
    ("(belga)", Agency("Belga")),
    ("(ukrinform)", Agency("Ukrinform")),
    ("(sputnik)", Agency("Sputnik")),
    ("(the associated press)", Agency("AP")),
    ("(access newswire", Release("ACCESS Newswire")),
    ("(accessnewswire", Release("ACCESS Newswire")),
    ("(ein presswire)", Release("EIN Presswire")),
    ("/ein presswire", Release("EIN Presswire")),
    ("/einpresswire.com/", Release("EIN Presswire")),
    ("(prweb)", Release("PRWeb")),
    ("(acn newswire", Release("ACN Newswire")),
    ("(jcn newswire", Release("JCN Newswire")),
    ("media outreach newswire", Release("Media OutReach Newswire")),
    ("/cnw/", Release("PR Newswire")),
    ("/cision", Release("PR Newswire")),
    ("(newswire.com)", Release("Newswire.com")),
    ("newmediawire", Release("NewMediaWire")),
];

/// Sites of those who send.
const SITES: [(&str, Wire); 38] = [
    ("reuters.com", Agency("Reuters")),
    ("apnews.com", Agency("AP")),
    ("ap.org", Agency("AP")),
    ("afp.com", Agency("AFP")),
    ("upi.com", Agency("UPI")),
    ("bloomberg.com", Agency("Bloomberg")),
    ("businessweek.com", Agency("Bloomberg")),
    ("xinhuanet.com", Agency("Xinhua")),
    ("ptinews.com", Agency("PTI")),
    ("aninews.in", Agency("ANI")),
    ("dpa.com", Agency("dpa")),
    ("efe.com", Agency("EFE")),
    ("prnewswire.com", Release("PR Newswire")),
    ("prnewswire.co.uk", Release("PR Newswire")),
    ("newswire.ca", Release("PR Newswire")),
    ("businesswire.com", Release("Business Wire")),
    ("globenewswire.com", Release("GlobeNewswire")),
    ("accesswire.com", Release("ACCESS Newswire")),
    ("prweb.com", Release("PRWeb")),
    ("einpresswire.com", Release("EIN Presswire")),
    ("newsfilecorp.com", Release("Newsfile")),
    ("accessnewswire.com", Release("ACCESS Newswire")),
    ("acnnewswire.com", Release("ACN Newswire")),
    ("media-outreach.com", Release("Media OutReach Newswire")),
    ("newswire.com", Release("Newswire.com")),
    ("theconversation.com", Agency("The Conversation")),
    ("kyodonews.net", Agency("Kyodo")),
    ("yna.co.kr", Agency("Yonhap")),
    ("bernama.com", Agency("Bernama")),
    ("aa.com.tr", Agency("Anadolu")),
    ("ansa.it", Agency("ANSA")),
    ("tass.com", Agency("TASS")),
    ("interfax.com", Agency("Interfax")),
    ("ukrinform.net", Agency("Ukrinform")),
    ("statesnewsroom.com", Agency("States Newsroom")),
    ("stacker.com", Agency("Stacker")),
    ("kffhealthnews.org", Agency("KFF Health News")),
    ("thecanadianpress.com", Agency("The Canadian Press")),
];

/// Parts of addresses under which papers keep what agencies send; a whole part of the path, or its beginning before `-`.
const PATHS: [(&str, Wire); 34] = [
    ("reuters", Agency("Reuters")),
    ("thomson-reuters", Agency("Reuters")),
    ("sns-rt", Agency("Reuters")),
    ("ap", Agency("AP")),
    ("apgeneral", Agency("AP")),
    ("apf", Agency("AP")),
    ("afp", Agency("AFP")),
    ("bloomberg", Agency("Bloomberg")),
    ("the-canadian-press", Agency("The Canadian Press")),
    ("xinhua-news-agency", Agency("Xinhua")),
    ("prnewswire", Release("PR Newswire")),
    ("press-release", Release("")),
    ("press-releases", Release("")),
    ("ap-news", Agency("AP")),
    ("associated-press", Agency("AP")),
    ("the-associated-press", Agency("AP")),
    ("reuters-news", Agency("Reuters")),
    ("afp-news", Agency("AFP")),
    ("pti-news", Agency("PTI")),
    ("pti", Agency("PTI")),
    ("ani", Agency("ANI")),
    ("ians", Agency("IANS")),
    ("dpa", Agency("dpa")),
    ("xinhua", Agency("Xinhua")),
    ("pr-newswire", Release("PR Newswire")),
    ("businesswire", Release("Business Wire")),
    ("business-wire", Release("Business Wire")),
    ("globenewswire", Release("GlobeNewswire")),
    ("accesswire", Release("ACCESS Newswire")),
    ("accessnewswire", Release("ACCESS Newswire")),
    ("ein-presswire", Release("EIN Presswire")),
    ("newsfile", Release("Newsfile")),
    ("pressrelease", Release("")),
    ("press_release", Release("")),
];

/// Words before the place that a text was published at first, in lower case.
const ORIGINALLY: [&str; 32] = [
    "originally published",
    "originally appeared",
    "first published",
    "first appeared",
    "republished from",
    "reprinted from",
    "cross-posted from",
    "crossposted from",
    "read the original",
    "originally posted",
    "originally written for",
    "first posted",
    "view source version on",
    "view original content",
    "view the original press release",
    "source version of this press release",
    "read the entire article",
    "read full article",
    "read the full article",
    "read the full story",
    "continue reading at",
    "original article:",
    "original article source",
    "original source:",
    "original story:",
    "original post:",
    "copublished with",
    "co-published with",
    "crossposted at",
    "cross-posted at",
    "cross posted from",
    "syndicated from",
];

/// What stands at the end of a text of an agency or a press-release service, in lower case.
const ENDS: [(&str, Wire); 19] = [
    ("the associated press. all rights reserved", Agency("AP")),
    ("copyright the associated press", Agency("AP")),
    ("agence france-presse", Agency("AFP")),
    ("\u{a9} afp", Agency("AFP")),
    ("thomson reuters. all rights", Agency("Reuters")),
    ("(reporting by ", Agency("Reuters")),
    (
        "our standards: the thomson reuters trust principles",
        Agency("Reuters"),
    ),
    ("\u{a9} reuters", Agency("Reuters")),
    ("bloomberg l.p.", Agency("Bloomberg")),
    ("distributed by tribune content agency", Agency("TNS")),
    ("press trust of india", Agency("PTI")),
    (
        "this report by the canadian press was first published",
        Agency("The Canadian Press"),
    ),
    ("republished from the conversation", Agency("The Conversation")),
    (
        "view source version on businesswire.com",
        Release("Business Wire"),
    ),
    ("view original content", Release("PR Newswire")),
    (
        "view the original press release on access",
        Release("ACCESS Newswire"),
    ),
    ("https://www.newsfilecorp.com/release/", Release("Newsfile")),
    ("www.globenewswire.com", Release("GlobeNewswire")),
    ("source: ein presswire", Release("EIN Presswire")),
];

/// Bytes of a text's end in which such words stand.
const TAIL: usize = 700;

/// Bytes of a text's beginning in which an agency names itself.
const HEAD: usize = 300;
/// Bytes after such words in which the address stands.
const NEAR: usize = 200;
/// Bytes of a text in which such words are looked for, at its beginning and at its end.
const LOOKED: usize = 4_000;

/// Who sent this, where it says so.
pub(crate) fn of(title: &str, text: &str, author: Option<&str>, page: Option<&Page>) -> Option<Wire> {
    let head = text
        .get(..text.floor_char_boundary(text.len().min(HEAD)))
        .unwrap_or_default();
    let head = head.to_lowercase();
    let marked = MARKS
        .iter()
        .find(|(mark, _)| head.contains(mark))
        .map(|(_, wire)| *wire);
    marked
        .or_else(|| dateline(&head))
        .or_else(|| {
            let begin = text.ceil_char_boundary(text.len().saturating_sub(TAIL));
            let tail = text.get(begin..).unwrap_or_default().to_lowercase();
            let found = ENDS.iter().find(|(mark, _)| tail.contains(mark));
            found.map(|(_, wire)| *wire)
        })
        .or_else(|| author.and_then(by))
        .or_else(|| {
            let title = title.to_lowercase();
            MARKS
                .iter()
                .find(|(mark, _)| title.contains(mark))
                .map(|(_, wire)| *wire)
        })
        .or_else(|| page.and_then(at))
}

/// Longest beginning of a text that may be a place and an agency, in bytes.
const DATELINE: usize = 60;

/// `PARIS, AP —`
fn dateline(head: &str) -> Option<Wire> {
    let before = ["\u{2014}", "\u{2013}", " - "]
        .iter()
        .find_map(|dash| head.split_once(dash))?
        .0;
    let name = before.rsplit([',', ' ']).find(|part| !part.is_empty())?;
    if before.len() >= DATELINE {
        return None;
    }
    match name {
        "ap" => Some(Agency("AP")),
        "afp" => Some(Agency("AFP")),
        "reuters" => Some(Agency("Reuters")),
        "upi" => Some(Agency("UPI")),
        "dpa" => Some(Agency("dpa")),
        "pti" => Some(Agency("PTI")),
        "aap" => Some(Agency("AAP")),
        "xinhua" => Some(Agency("Xinhua")),
        _ => None,
    }
}

fn by(author: &str) -> Option<Wire> {
    let author = author.to_lowercase();
    let words: Vec<&str> = author.split(|c: char| !c.is_alphanumeric()).collect();
    let named = |name: &str| words.contains(&name);
    if named("reuters") {
        Some(Agency("Reuters"))
    } else if author.contains("associated press") || author.trim() == "ap" {
        Some(Agency("AP"))
    } else if named("afp") || author.contains("agence france-presse") {
        Some(Agency("AFP"))
    } else if named("bloomberg") {
        Some(Agency("Bloomberg"))
    } else if named("pti") || author.contains("press trust of india") {
        Some(Agency("PTI"))
    } else if named("ani") {
        Some(Agency("ANI"))
    } else if named("ians") {
        Some(Agency("IANS"))
    } else if named("xinhua") {
        Some(Agency("Xinhua"))
    } else if named("dpa") {
        Some(Agency("dpa"))
    } else if author.contains("the conversation") {
        Some(Agency("The Conversation"))
    } else if author.contains("canadian press") {
        Some(Agency("The Canadian Press"))
    } else if named("prnewswire") || author.contains("pr newswire") {
        Some(Release("PR Newswire"))
    } else if author.contains("business wire") {
        Some(Release("Business Wire"))
    } else if author.contains("globenewswire") {
        Some(Release("GlobeNewswire"))
    } else {
        None
    }
}

fn at(page: &Page) -> Option<Wire> {
    let site = page.site();
    if let Some((_, wire)) = SITES.iter().find(|(known, _)| *known == site) {
        return Some(*wire);
    }
    let path = page.path().to_ascii_lowercase();
    // Names of the AP's own files.
    if path.contains("bc-us-") || path.contains("_apx") || path.contains("/ap%20") {
        return Some(Agency("AP"));
    }
    path.split(['/', '_']).find_map(|part| {
        let bare = part.trim_end_matches(|c: char| c.is_ascii_digit());
        PATHS
            .iter()
            .find(|(name, _)| bare == *name || (*name == "sns-rt" && part.starts_with("sns-rt-")))
            .map(|(_, wire)| *wire)
    })
}

/// Addresses at which a text says that it was published before.
pub(crate) fn originals(text: &str) -> Vec<&str> {
    let begin = text.floor_char_boundary(text.len().min(LOOKED));
    let end = text.floor_char_boundary(text.len().saturating_sub(LOOKED).max(begin));
    let parts = [
        text.get(..begin).unwrap_or_default(),
        text.get(end..).unwrap_or_default(),
    ];
    let mut out = Vec::new();
    for part in parts {
        let lower = part.to_ascii_lowercase();
        for words in ORIGINALLY {
            let Some(at) = lower.find(words) else { continue };
            let rest = part.get(at..).unwrap_or_default();
            let rest = rest
                .get(..rest.floor_char_boundary(rest.len().min(NEAR)))
                .unwrap_or_default();
            out.extend(address_in(rest));
        }
    }
    out
}

/// The first address in a text.
fn address_in(text: &str) -> Option<&str> {
    let at = text.find("https://").or_else(|| text.find("http://"))?;
    let rest = text.get(at..)?;
    let end = rest
        .find(|c: char| c.is_whitespace() || matches!(c, ')' | ']' | '>' | '"' | '<' | '\u{201d}'))
        .unwrap_or(rest.len());
    rest.get(..end)
        .map(|address| address.trim_end_matches(['.', ',', ';', '\'']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agencies_name_themselves() {
        let of = |text: &str, address: &str| of("", text, None, Page::read(address).as_ref());
        for (text, address, wanted) in [
            (
                "EXAMPLETON (Reuters) - The bridge is shut.",
                "",
                Some(Agency("Reuters")),
            ),
            (
                "EXAMPLETON, AP \u{2014} The bridge is shut.",
                "",
                Some(Agency("AP")),
            ),
            (
                "EXAMPLETON, Nov. 1 /PRNewswire/ -- Acme said",
                "",
                Some(Release("PR Newswire")),
            ),
            (
                "The bridge is shut.",
                "https://paper.example/ap/bridge",
                Some(Agency("AP")),
            ),
            (
                "The bridge is shut.",
                "https://www.reuters.com/world/bridge",
                Some(Agency("Reuters")),
            ),
            ("A map of the bridge.", "https://paper.example/maps/bridge", None),
        ] {
            assert_eq!(of(text, address), wanted, "{text} {address}");
        }
    }

    #[test]
    fn a_text_names_where_it_was_published_first() {
        let text =
            "Some text. This article was originally published at Example (https://example.com/a). More.";
        assert_eq!(originals(text), ["https://example.com/a"]);
        assert!(originals("See https://example.com/a for more.").is_empty());
    }
}
