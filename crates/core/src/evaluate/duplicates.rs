//! Signals that may be the same thing twice: the same content, nearly the same, or the same address.

use std::collections::HashMap;
use std::fmt::Write as _;

use freshcontext_budget::Sketch;
use url::Url;

use super::readiness::has_content;
use super::signal::Signal;
use super::verdict::Duplicate;

/// Query parameters that track visitors and change nothing about the page.
const TRACKING: [&str; 10] = [
    "fbclid", "gclid", "dclid", "msclkid", "igshid", "mc_cid", "mc_eid", "ref_src", "yclid", "_ga",
];

/// Results that are compared with later ones for a run of words that they have in common: the first. Of hundreds that are nearly
/// the same, each is like one of the first.
const COMMON: usize = 48;

/// What was seen so far, in rank order.
pub(super) struct Seen<'a> {
    contents: HashMap<&'a str, usize>,
    addresses: HashMap<&'a str, usize>,
    /// Results by the hashes of their sketches.
    runs: HashMap<u64, Vec<usize>>,
    /// Sketches, by the results' indexes from 1.
    sketches: Vec<&'a Sketch>,
}

impl<'a> Seen<'a> {
    /// Capacity for this many signals.
    pub(super) fn with_capacity(signals: usize) -> Self {
        Self {
            contents: HashMap::with_capacity(signals),
            addresses: HashMap::with_capacity(signals),
            runs: HashMap::new(),
            sketches: Vec::with_capacity(signals),
        }
    }

    /// What an earlier result has in common with this one: its content, nearly its content, or its [`address`]. Called once for
    /// each result, in order; `index` counts from 1.
    pub(super) fn note(
        &mut self,
        signal: &'a Signal<'_>,
        address: Option<&'a str>,
        index: usize,
    ) -> Option<Duplicate> {
        let content = signal
            .content_hash
            .as_deref()
            .filter(|_| has_content(signal.given));
        let content = content.and_then(|hash| first(&mut self.contents, hash, index));
        let address = address.and_then(|address| first(&mut self.addresses, address, index));
        let near = self.nearly(&signal.sketch, index);
        content
            .map(Duplicate::Content)
            .or(near)
            .or(address.map(Duplicate::Address))
    }

    /// The earlier result of nearly the same text that shares most of its runs; of equals, the first.
    fn nearly(&mut self, sketch: &'a Sketch, index: usize) -> Option<Duplicate> {
        let mut shared: HashMap<usize, usize> = HashMap::new();
        for hash in sketch.hashes() {
            let known = self.runs.entry(*hash).or_default();
            for earlier in known.iter() {
                *shared.entry(*earlier).or_default() += 1;
            }
            if known.len() < COMMON {
                known.push(index);
            }
        }
        self.sketches.push(sketch);
        let most = shared.values().copied().max()?;
        let best = shared.into_iter().filter(|(_, count)| *count == most);
        let earlier = best.map(|(earlier, _)| earlier).min()?;
        let share = sketch.nearly(self.sketches.get(earlier.checked_sub(1)?)?)?;
        Some(Duplicate::Nearly { earlier, share })
    }
}

/// Where the key was first seen, if earlier than now.
fn first<K: std::hash::Hash + Eq>(seen: &mut HashMap<K, usize>, key: K, index: usize) -> Option<usize> {
    let earlier = *seen.entry(key).or_insert(index);
    (earlier != index).then_some(earlier)
}

/// A web address without what does not change the page: scheme, `www.`, default port, fragment,
/// tracking parameters and their order, a slash at the end.
pub(super) fn address(source: &str) -> Option<String> {
    let source = source.trim();
    if !source
        .get(..4)
        .is_some_and(|start| start.eq_ignore_ascii_case("http"))
    {
        return None;
    }
    let url = Url::parse(source)
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https"))?;
    let host = url.host_str()?;
    let mut out = String::with_capacity(source.len());
    out.push_str(host.strip_prefix("www.").unwrap_or(host));
    if let Some(port) = url.port() {
        // Writing to a string cannot fail.
        let _ = write!(out, ":{port}");
    }
    out.push_str(url.path().trim_end_matches('/'));
    if let Some(query) = url.query() {
        let mut kept: Vec<&str> = query
            .split('&')
            .filter(|pair| {
                let name = pair.split('=').next().unwrap_or_default();
                !pair.is_empty() && !name.starts_with("utm_") && !TRACKING.contains(&name)
            })
            .collect();
        kept.sort_unstable();
        if !kept.is_empty() {
            out.push('?');
            out.push_str(&kept.join("&"));
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_change_the_page_does_not_change_the_address() {
        let plain = address("https://example.com/a?x=1&y=2").unwrap();
        for same in [
            "http://www.EXAMPLE.com:80/a/?y=2&x=1#part",
            " https://example.com/a?utm_source=z&x=1&y=2&fbclid=q ",
        ] {
            assert_eq!(address(same).unwrap(), plain, "{same}");
        }
        for other in [
            "https://example.com/b?x=1&y=2",
            "https://example.com:8080/a?x=1&y=2",
            "https://example.com/a?x=1",
        ] {
            assert_ne!(address(other).unwrap(), plain, "{other}");
        }
    }

    #[test]
    fn what_is_no_web_address_has_none() {
        for source in ["doc-7", "urn:isbn:1", "ht", "http://", "h\u{e9}tp://x"] {
            assert_eq!(address(source), None, "{source}");
        }
    }
}
