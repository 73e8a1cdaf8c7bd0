//! Removes personal data and secrets from recorded texts: keys, tokens, signatures, cookies, e-mail and IP
//! addresses. Each value has the same replacement in every text, so that a case stays consistent: an address
//! in one body is the address of the next request.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::LazyLock;

use regex::bytes::{Captures, Regex};

/// Shortest value, in bytes, that is replaced everywhere; a shorter one only after its name.
const TELLING: usize = 8;

/// A rule for secrets: the pattern, whose group `v` is the secret, and an additional condition.
struct Rule {
    pattern: Regex,
    holds: fn(&[u8]) -> bool,
}

const ALWAYS: fn(&[u8]) -> bool = |_| true;
const WITH_DIGIT: fn(&[u8]) -> bool = |value| value.iter().any(u8::is_ascii_digit);
const PAIR: fn(&[u8]) -> bool = |value| value.contains(&b'=');

/// Names of JSON fields with a secret value.
const FIELDS: &str = "(?:[a-z0-9]+[_-])*(?:token|secret|password|passwd|pwd|apikey|api[_-]?key|access[_-]?key|\
    authorization|set-cookie|cookies?|signature|modhash|jwt|session[_-]?id|csrf|xsrf)|accessToken|refreshToken|idToken|\
    authToken|apiToken|clientSecret|sessionId|sessionToken|csrfToken|accessKey|appKey|x-amz-[a-z-]+";
/// Names of URL and form parameters with a secret value.
const PARAMETERS: &str = "(?:[a-z0-9]+[_-])*(?:token|secret|password|passwd|pwd|apikey|api[_-]?key|key|signature|sig|\
    credential|auth|authorization|jwt|session|sid|hmac|ticket|nonce)|x-amz-(?:signature|credential|security-token)|\
    x-goog-(?:signature|credential)|key-pair-id|policy|awsaccesskeyid|googleaccessid|session[_-]?id|phpsessid|\
    jsessionid|accesstoken|code_verifier|hdnea|__token__";

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let mut rules = Vec::new();
    let mut rule = |pattern: &str, holds: fn(&[u8]) -> bool| {
        // An invalid pattern would leave a gap; the test `every_rule_compiles` counts them.
        if let Ok(pattern) = Regex::new(pattern) {
            rules.push(Rule { pattern, holds });
        }
    };
    rule(
        &format!(r#"(?i-u)\\*"(?:{FIELDS})\\*"\s*:\s*\\*"(?P<v>(?:[^"\\]|\\[^"])+)"#),
        ALWAYS,
    );
    rule(
        &format!(
            r#"(?i-u)(?:[?&;]|\\u0026|%3F|%26|&amp;)(?:{PARAMETERS})(?:=|%3D|\\u003d)(?P<v>[^&\s"'<>\\;#]+)"#
        ),
        ALWAYS,
    );
    rule(
        r#"(?i-u)authorization["']?\s*[:=]\s*["']?(?:bearer|basic|token)?\s*(?P<v>[A-Za-z0-9+/_.=~-]{6,})"#,
        ALWAYS,
    );
    rule(r"(?i-u)\bbearer\s+(?P<v>[A-Za-z0-9+/_.=~-]{8,})", WITH_DIGIT);
    rule(
        r#"(?i-u)\b(?:set-)?cookie["']?\s*[:=]\s*["']?(?P<v>[^"'\r\n<>\\]{3,})"#,
        PAIR,
    );
    rule(r#"(?-u)://(?P<v>[^/\s"'<>@:\\]+:[^/\s"'<>@\\]+)@"#, ALWAYS);
    rule(
        r"(?-u)(?P<v>eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{20,}|sk-[A-Za-z0-9_-]{20,}|xox[abeprs]-[A-Za-z0-9-]{10,}|(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[A-Za-z0-9_-]{35})",
        ALWAYS,
    );
    rule(
        r"(?s-u)-----BEGIN [A-Z ]*PRIVATE KEY-----(?P<v>.+?)-----END",
        ALWAYS,
    );
    rules
});

/// Number of rules.
#[cfg(test)]
const COUNT: usize = 8;

static MAIL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i-u)(?P<local>[a-z0-9._%+-]+)(?:@|%40|&#64;|&#x40;|\\u0040)(?P<domain>[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,24})",
    )
    .ok()
});
static V4: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?-u)[0-9]{1,3}(?:\.[0-9]{1,3}){3}").ok());
static V6: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i-u)[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,8}").ok());

/// A range of a text and its replacement.
struct Span {
    start: usize,
    end: usize,
    now: Vec<u8>,
}

/// Values found, and their replacements.
#[derive(Debug, Default)]
pub struct Scrubber {
    /// Values that are secret everywhere, the longest first.
    literals: BTreeSet<Vec<u8>>,
    secrets: BTreeMap<Vec<u8>, String>,
    people: BTreeMap<Vec<u8>, String>,
    machines: BTreeMap<Vec<u8>, String>,
}

impl Scrubber {
    /// Creates a scrubber with known secrets.
    pub fn new<'s>(secrets: impl IntoIterator<Item = &'s str>) -> Self {
        let mut scrubber = Self::default();
        for secret in secrets {
            let secret = secret.trim();
            if secret.len() > 2 {
                scrubber.secret(secret.as_bytes());
                scrubber.literals.insert(secret.as_bytes().to_vec());
            }
        }
        scrubber
    }

    /// Finds the values to replace. Must see every text before the first [`clean`](Self::clean).
    pub fn learn(&mut self, text: &[u8]) {
        for (start, end) in secrets_in(text) {
            self.secret(text.get(start..end).unwrap_or_default());
        }
        for (start, end) in people_in(text) {
            let next = format!("person-{}@example.com", self.people.len() + 1);
            let found = text.get(start..end).unwrap_or_default();
            if !is_placeholder(found) {
                self.people.entry(found.to_vec()).or_insert(next);
            }
        }
        for (start, end) in machines_in(text) {
            let found = text.get(start..end).unwrap_or_default();
            let next = machine(self.machines.len() + 1, found.contains(&b':'));
            self.machines.entry(found.to_vec()).or_insert(next);
        }
    }

    fn secret(&mut self, value: &[u8]) {
        if value.is_empty() || is_placeholder(value) || self.secrets.contains_key(value) {
            return;
        }
        let name = format!("scrubbed-{}", self.secrets.len() + 1);
        if value.len() >= TELLING {
            // As written in a URL, in JSON and in a decoded parameter.
            let text = String::from_utf8_lossy(value);
            let plain = decoded(&text);
            for form in [
                text.to_string(),
                encoded(&plain),
                plain.replace('/', "\\/"),
                plain,
            ] {
                if form.len() < TELLING {
                    continue;
                }
                self.literals.insert(form.clone().into_bytes());
                self.secrets
                    .entry(form.into_bytes())
                    .or_insert_with(|| name.clone());
            }
        }
        self.secrets.insert(value.to_vec(), name);
    }

    /// Replaces everything in a text that was found in any text.
    pub fn clean(&self, text: &[u8]) -> Vec<u8> {
        let mut spans = self.literal_spans(text);
        let mut put = |places: Vec<(usize, usize)>, names: &BTreeMap<Vec<u8>, String>| {
            for (start, end) in places {
                if let Some(now) = text.get(start..end).and_then(|found| names.get(found)) {
                    let now = now.clone().into_bytes();
                    spans.push(Span { start, end, now });
                }
            }
        };
        put(secrets_in(text), &self.secrets);
        put(people_in(text), &self.people);
        put(machines_in(text), &self.machines);
        replace(text, spans)
    }

    /// Cleans a requested URL: only values found elsewhere are replaced. A key in the adapter's code is not a
    /// secret and must stay.
    pub fn clean_address(&self, text: &str) -> String {
        let mut spans = self.literal_spans(text.as_bytes());
        let mut put = |places: Vec<(usize, usize)>, names: &BTreeMap<Vec<u8>, String>| {
            for (start, end) in places {
                let found = text.as_bytes().get(start..end).unwrap_or_default();
                if let Some(now) = names.get(found) {
                    let now = now.clone().into_bytes();
                    spans.push(Span { start, end, now });
                }
            }
        };
        put(people_in(text.as_bytes()), &self.people);
        put(machines_in(text.as_bytes()), &self.machines);
        String::from_utf8_lossy(&replace(text.as_bytes(), spans)).into_owned()
    }

    fn literal_spans(&self, text: &[u8]) -> Vec<Span> {
        let mut spans = Vec::new();
        for literal in &self.literals {
            let Some(now) = self.secrets.get(literal) else {
                continue;
            };
            let mut from = 0;
            while let Some(at) = text.get(from..).and_then(|rest| find(rest, literal)) {
                let start = from + at;
                let end = start + literal.len();
                let now = now.clone().into_bytes();
                spans.push(Span { start, end, now });
                from = end;
            }
        }
        spans
    }

    /// Returns the kinds of data that a cleaned text still leaks; empty if none.
    pub fn leaks(&self, cleaned: &[u8]) -> Vec<&'static str> {
        let mut out = Vec::new();
        if self
            .literals
            .iter()
            .any(|literal| find(cleaned, literal).is_some())
        {
            out.push("a secret");
        }
        let foreign = |places: Vec<(usize, usize)>, known: &BTreeMap<Vec<u8>, String>| {
            places.into_iter().any(|(start, end)| {
                let found = String::from_utf8_lossy(cleaned.get(start..end).unwrap_or_default());
                !known.values().any(|name| *name == found) && !is_placeholder(found.as_bytes())
            })
        };
        if foreign(people_in(cleaned), &self.people) {
            out.push("a mail address");
        }
        if foreign(machines_in(cleaned), &self.machines) {
            out.push("an IP address");
        }
        out
    }

    /// Returns the number of different secrets, e-mail addresses and IP addresses found.
    pub fn counts(&self) -> [usize; 3] {
        let distinct = |names: &BTreeMap<Vec<u8>, String>| names.values().collect::<BTreeSet<_>>().len();
        [
            distinct(&self.secrets),
            distinct(&self.people),
            distinct(&self.machines),
        ]
    }
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    memchr::memmem::find(text, part)
}

fn replace(text: &[u8], mut spans: Vec<Span>) -> Vec<u8> {
    spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    for span in spans {
        if span.start < at {
            // Inside a replaced range; the part beyond it is replaced too.
            at = at.max(span.end);
            continue;
        }
        out.extend_from_slice(text.get(at..span.start).unwrap_or_default());
        out.extend_from_slice(&span.now);
        at = span.end;
    }
    out.extend_from_slice(text.get(at..).unwrap_or_default());
    out
}

fn is_placeholder(value: &[u8]) -> bool {
    let text = String::from_utf8_lossy(value);
    let numbered = |rest: &str| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit());
    text.strip_prefix("scrubbed-").is_some_and(numbered)
        || text
            .strip_prefix("person-")
            .and_then(|rest| rest.strip_suffix("@example.com"))
            .is_some_and(numbered)
}

fn secrets_in(text: &[u8]) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    for rule in RULES.iter() {
        let found = rule.pattern.captures_iter(text);
        let values = found.filter_map(|captures: Captures<'_>| captures.name("v"));
        out.extend(
            values
                .filter(|value| (rule.holds)(value.as_bytes()))
                .map(|value| (value.start(), value.end())),
        );
    }
    out
}

/// Returns the number of leading bytes that belong to an escape (`\n`, `\u003c`) after a backslash.
fn escaped(text: &[u8], start: usize) -> usize {
    let backslash = start.checked_sub(1).and_then(|at| text.get(at)) == Some(&b'\\');
    match (backslash, text.get(start)) {
        (true, Some(b'u')) => 5,
        (true, _) => 1,
        _ => 0,
    }
}

fn people_in(text: &[u8]) -> Vec<(usize, usize)> {
    let Some(mail) = MAIL.as_ref() else {
        return Vec::new();
    };
    let found = mail.captures_iter(text);
    found
        .filter_map(|captures| {
            let whole = captures.get(0)?;
            let domain = captures.name("domain")?.as_bytes();
            let local = captures.name("local")?;
            let start = whole.start() + escaped(text, whole.start());
            // `git@host:owner/repo` names a repository, `left-pad@1.0.0-beta.next` a version.
            let version = domain
                .split(|b| *b == b'.')
                .next()?
                .iter()
                .all(u8::is_ascii_digit);
            let user = text.get(start..local.end())?;
            (!version && !user.is_empty() && user != b"git").then_some((start, whole.end()))
        })
        .collect()
}

fn machines_in(text: &[u8]) -> Vec<(usize, usize)> {
    let before = |at: usize| at.checked_sub(1).and_then(|at| text.get(at)).copied();
    let mut out = Vec::new();
    for found in V4.iter().flat_map(|v4| v4.find_iter(text)) {
        let part =
            before(found.start()).is_some_and(|b| b.is_ascii_digit() || matches!(b, b'.' | b'v' | b'V'));
        let longer = text.get(found.end()).is_some_and(u8::is_ascii_digit)
            || (text.get(found.end()) == Some(&b'.')
                && text.get(found.end() + 1).is_some_and(u8::is_ascii_digit));
        let address = std::str::from_utf8(found.as_bytes())
            .ok()
            .and_then(|text| text.parse::<Ipv4Addr>().ok());
        let somebody = address.is_some_and(|address| !address.is_loopback() && !address.is_unspecified());
        if somebody && !part && !longer {
            out.push((found.start(), found.end()));
        }
    }
    for found in V6.iter().flat_map(|v6| v6.find_iter(text)) {
        let escape = found.start().checked_sub(2).and_then(|at| text.get(at)) == Some(&b'\\');
        let inside = before(found.start())
            .is_some_and(|b| (b.is_ascii_alphanumeric() && !escape) || b == b':')
            || text.get(found.end()).is_some_and(u8::is_ascii_alphanumeric);
        // `a::b` is an identifier in many languages.
        let telling = found.as_bytes().iter().any(u8::is_ascii_digit);
        let address = std::str::from_utf8(found.as_bytes())
            .ok()
            .and_then(|text| text.parse::<Ipv6Addr>().ok());
        let somebody = address.is_some_and(|address| !address.is_loopback() && !address.is_unspecified());
        if somebody && telling && !inside {
            out.push((found.start(), found.end()));
        }
    }
    out
}

/// Returns an address from the documentation ranges (RFC 5737, RFC 3849).
fn machine(number: usize, v6: bool) -> String {
    if v6 {
        return format!("2001:db8::{number:x}");
    }
    let net = ["192.0.2", "198.51.100", "203.0.113"]
        .get(number / 254 % 3)
        .unwrap_or(&"192.0.2");
    format!("{net}.{}", number % 254 + 1)
}

fn decoded(text: &str) -> String {
    percent_encoding::percent_decode_str(text)
        .decode_utf8_lossy()
        .into_owned()
}

fn encoded(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleaned(text: &str) -> String {
        let mut scrubber = Scrubber::new(["operator-key-77"]);
        scrubber.learn(text.as_bytes());
        let clean = scrubber.clean(text.as_bytes());
        assert_eq!(scrubber.leaks(&clean), Vec::<&str>::new(), "{text}");
        String::from_utf8(clean).unwrap()
    }

    #[test]
    fn every_rule_compiles() {
        assert_eq!(RULES.len(), COUNT);
        assert!(MAIL.is_some() && V4.is_some() && V6.is_some());
    }

    #[test]
    fn personal_data_is_replaced_everywhere() {
        for (text, gone) in [
            (r#"{"access_token": "tok-canary-1", "n": 1}"#, "tok-canary-1"),
            (r#"{"a":"{\"refreshToken\":\"tok-canary-2\"}"}"#, "tok-canary-2"),
            (
                "https://s3.example.org/x?a=1&X-Amz-Signature=abcdef0123",
                "abcdef0123",
            ),
            (
                r#"{"u":"https://s3.example.org/x?b=2\u0026X-Amz-Credential=AK%2F9"}"#,
                "AK%2F9",
            ),
            ("<a href='/x?p=1&amp;sig=deadbeef99'>", "deadbeef99"),
            ("Authorization: Bearer abc.def-123456", "abc.def-123456"),
            ("authorization: basic dXNlcjpwYXNz", "dXNlcjpwYXNz"),
            ("Set-Cookie: sid=canary-cookie; Path=/", "canary-cookie"),
            ("ftp://user:canary-pass@example.org/", "canary-pass"),
            ("ghp_0123456789abcdefghijABCDEFGHIJ012345", "ghp_0123"),
            ("write to jane.canary@example.com, please", "jane.canary"),
            (r#""a\njane.canary@example.com""#, "jane.canary"),
            (r#""\u003cjane.canary@example.com\u003e""#, "jane.canary"),
            ("jane.canary%40example.com", "jane.canary"),
            ("from 203.0.113.77 to", "203.0.113.77"),
            (r#""a\n203.0.113.77""#, "203.0.113.77"),
            ("[2001:db8:85a3::8a2e:370:7334]", "85a3"),
            ("echo of operator-key-77 there", "operator-key-77"),
        ] {
            let clean = cleaned(text);
            assert!(!clean.contains(gone), "{text} -> {clean}");
        }
    }

    #[test]
    fn public_text_stays() {
        for text in [
            "at 12:30:45 on 2026-11-22T12:30:45.123Z",
            "git@github.com:owner/tool.git and left-pad@1.0.0-beta.next, react@18.2.0",
            "v1.2.3.4, 10.0.19041.1, 127.0.0.1, ::1, 1.2.3, 300.1.1.1",
            "std::fmt, d::e, 0.5 .. 1.0",
            "basic research, the bearer certificate, a cookie: sweet",
            r#"{"tokens": 5, "token": 7, "key": "value"}"#,
        ] {
            assert_eq!(cleaned(text), text);
        }
    }

    #[test]
    fn the_same_becomes_the_same_and_json_stays_json() {
        let text = r#"{"url": "https://s3.example.org/x?Signature=a%2Fb%2Fc%2Fdefgh", "by": "a\nx@y.org", "token": "a/b/c/defgh"}"#;
        let clean = cleaned(text);
        let value: serde_json::Value = serde_json::from_str(&clean).unwrap();
        let token = value["token"].as_str().unwrap();
        assert!(value["url"].as_str().unwrap().ends_with(token), "{clean}");
        assert_eq!(value["by"], "a\nperson-1@example.com");
        let mut scrubber = Scrubber::new([]);
        scrubber.learn(text.as_bytes());
        let asked =
            scrubber.clean_address("https://s3.example.org/x?Signature=a%2Fb%2Fc%2Fdefgh&key=public-part");
        assert!(asked.ends_with("Signature=scrubbed-1&key=public-part"), "{asked}");
    }

    #[test]
    fn bytes_that_are_no_text_stay_as_they_are() {
        let mut scrubber = Scrubber::new([]);
        let bytes = [
            b"\xff\xfe\x00 jane@example.org \x80".as_slice(),
            &[0, 159, 146, 150],
        ]
        .concat();
        scrubber.learn(&bytes);
        let clean = scrubber.clean(&bytes);
        assert!(clean.starts_with(b"\xff\xfe\x00 person-1@example.com \x80"));
        assert!(clean.ends_with(&[0, 159, 146, 150]));
    }

    proptest::proptest! {
        #[test]
        fn nothing_found_survives(bytes: Vec<u8>, text in "[a-z0-9@.:%=&?\"\\\\ ]{0,80}") {
            let mut all = bytes;
            all.extend_from_slice(text.as_bytes());
            let mut scrubber = Scrubber::new([]);
            scrubber.learn(&all);
            let _ = scrubber.clean(&all);
        }
    }
}
