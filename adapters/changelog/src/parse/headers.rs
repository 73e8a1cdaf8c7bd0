//! What the headers of an answer say of the standing of the resource: its deprecation (RFC 9745), its sunset (RFC 8594), and
//! links to what follows it (RFC 8288, RFC 5829).

use freshcontext_contract::chrono::DateTime;
use freshcontext_contract::standing::Replacement;
use freshcontext_contract::url::Url;
use freshcontext_contract::{Headers, StandingEvidence, StandingState};
use freshcontext_parse::{date, html, link};

/// Links of one answer that are looked at.
const MOST_LINKS: usize = 50;

/// The signs in the headers of the answer at an address. A moment that lies ahead is left for the core to weigh.
pub fn signs(headers: &Headers, address: &Url) -> Vec<StandingEvidence> {
    let links = links(headers);
    let target = |relation: &str| {
        let link = links.iter().find(|link| link.has(relation, address))?;
        link::absolute(address, link.target)
    };
    let mut signs = Vec::new();
    if let Some(sign) = headers.get("deprecation").and_then(deprecation) {
        let notice = target("deprecation").map(String::from);
        signs.push(sign.by("host").notice(notice));
    }
    if let Some(written) = headers.get("sunset")
        && let Some(since) = date::instant(written)
    {
        let sign = StandingEvidence::field(StandingState::Ended, "Sunset", written);
        let notice = target("sunset").map(String::from);
        signs.push(sign.since(Some(since)).by("host").notice(notice));
    }
    signs.extend(target("successor-version").and_then(|next| successor("Link", address, &next)));
    signs
}

/// The sign that a resource names its successor. One that names itself has none.
pub fn successor(field: &'static str, address: &Url, next: &Url) -> Option<StandingEvidence> {
    let is_itself = html::same_page(next, address) && next.query() == address.query();
    (!is_itself).then(|| {
        let sign = StandingEvidence::field(StandingState::Superseded, field, "successor-version");
        sign.by("host").replaced_by(Some(Replacement::url(next.as_str())))
    })
}

/// The sign of a deprecation: a structured date (`@1688169599`). Drafts before RFC 9745 had an HTTP date, or `true`, which
/// names no moment.
fn deprecation(written: &str) -> Option<StandingEvidence> {
    let item = written.split(';').next().unwrap_or_default().trim();
    let sign = StandingEvidence::field(StandingState::Deprecated, "Deprecation", written);
    if let Some(seconds) = item.strip_prefix('@') {
        return Some(sign.since(Some(DateTime::from_timestamp(seconds.parse().ok()?, 0)?)));
    }
    if item.eq_ignore_ascii_case("true") || item == "?1" {
        return Some(sign);
    }
    date::instant(item).map(|at| sign.since(Some(at)))
}

/// One link of a `Link` header.
#[derive(Debug, Default)]
struct Link<'h> {
    target: &'h str,
    relations: &'h str,
    anchor: Option<&'h str>,
}

impl Link<'_> {
    /// Whether it is of that relation, and from the resource itself: one with an anchor may be from another.
    fn has(&self, relation: &str, address: &Url) -> bool {
        let mut relations = self.relations.split_whitespace();
        let anchor = self.anchor.map(|anchor| link::absolute(address, anchor));
        relations.any(|known| known.eq_ignore_ascii_case(relation))
            && anchor.is_none_or(|anchor| anchor.is_some_and(|anchor| html::same_page(&anchor, address)))
    }
}

/// The links of an answer.
fn links(headers: &Headers) -> Vec<Link<'_>> {
    let values = headers.0.iter().filter(|(name, _)| name == "link");
    values
        .flat_map(|(_, value)| parts(value, ','))
        .filter_map(read)
        .take(MOST_LINKS)
        .collect()
}

fn read(written: &str) -> Option<Link<'_>> {
    let (target, parameters) = written.trim().strip_prefix('<')?.split_once('>')?;
    let mut link = Link {
        target: target.trim(),
        ..Link::default()
    };
    for parameter in parts(parameters, ';') {
        let Some((name, value)) = parameter.split_once('=') else {
            continue;
        };
        let value = value.trim().trim_matches('"');
        match name.trim().to_ascii_lowercase().as_str() {
            // Of several the first counts (RFC 8288, 3.3).
            "rel" if link.relations.is_empty() => link.relations = value,
            "anchor" => link.anchor = Some(value),
            _ => {}
        }
    }
    Some(link)
}

/// The parts of a value between separators that stand outside of quotes and addresses.
fn parts(value: &str, separator: char) -> impl Iterator<Item = &str> {
    let (mut quoted, mut addressed) = (false, false);
    value.split(move |c: char| {
        match c {
            '"' if !addressed => quoted = !quoted,
            '<' if !quoted => addressed = true,
            '>' if !quoted => addressed = false,
            _ => {}
        }
        c == separator && !quoted && !addressed
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_signs(headers: &[(&str, &str)]) -> Vec<(StandingState, Option<String>, Option<String>)> {
        let headers = headers
            .iter()
            .map(|(name, value)| ((*name).into(), (*value).into()));
        let address = Url::parse("https://docs.example.com/v2/notes").unwrap();
        let signs = signs(&Headers(headers.collect()), &address);
        let told = signs.into_iter().map(|sign| {
            let since = sign.since.as_ref().and_then(date::shown);
            (
                sign.state,
                since,
                sign.replaced_by.and_then(|by| by.url).or(sign.notice),
            )
        });
        told.collect()
    }

    #[test]
    fn deprecation_and_sunset_have_their_moment() {
        use StandingState::{Deprecated, Ended, Superseded};
        let text = |text: &str| Some(text.to_owned());
        for written in ["@1759276800", "Wed, 01 Oct 2025 00:00:00 GMT", "@1759276800;x=1"] {
            let since = text("2025-10-01T00:00:00Z");
            assert_eq!(
                read_signs(&[("deprecation", written)]),
                [(Deprecated, since, None)]
            );
        }
        assert_eq!(read_signs(&[("deprecation", "true")]), [(Deprecated, None, None)]);
        let all = [
            ("sunset", "Thu, 01 Oct 2026 00:00:00 GMT"),
            (
                "link",
                r#"<https://example.com/a,b>; rel="next", </v3/notes>; title="a, b"; rel="latest-version successor-version""#,
            ),
            ("link", "<https://example.com/sunset>; rel=sunset"),
        ];
        assert_eq!(
            read_signs(&all),
            [
                (
                    Ended,
                    text("2026-10-01T00:00:00Z"),
                    text("https://example.com/sunset")
                ),
                (Superseded, None, text("https://docs.example.com/v3/notes")),
            ]
        );
    }

    #[test]
    fn other_headers_and_unreadable_ones_say_nothing() {
        for header in [
            ("deprecation", "false"),
            ("deprecation", "soon"),
            ("deprecation", "@99999999999999999999"),
            ("sunset", "next year"),
            ("x-deprecation", "@1759276800"),
            ("expires", "Wed, 01 Oct 2025 00:00:00 GMT"),
            ("link", r#"</v3/notes>; rel="latest-version""#),
            ("link", r#"</v3/notes>; rel="canonical""#),
            ("link", r#"</v2/notes>; rel="successor-version""#),
            ("link", r#"</v3/x>; rel="successor-version"; anchor="/v2/x""#),
            ("link", r#"</v3/notes>; title="rel=successor-version""#),
        ] {
            assert_eq!(read_signs(&[header]), [], "{header:?}");
        }
    }
}
