//! E-mail addresses, in any script.

use std::sync::LazyLock;

use regex::Regex;

use crate::span::Span;

/// What marks bear.
pub(super) const EMAIL: &str = "email";

/// No word boundaries: scripts without spaces put an address between letters.
static ASCII: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?i)(?P<user>"[^"\s@][^"@\n]{0,62}"|[a-z0-9._%+'-]*[a-z0-9_%+-])@(?P<domain>(?:[a-z0-9-]+[.\u{3002}\u{ff61}])+(?:xn--[a-z0-9-]+|[a-z]{2,24})|\[[0-9a-f.:]+\])"#,
    )
    .ok()
});
/// Where a letter of the address is not ASCII.
static ANY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)(?P<user>[\p{L}\p{M}\p{N}._%+'-]+)@(?P<domain>(?:[\p{L}\p{M}\p{N}-]+\.)+(?:xn--[a-z0-9-]+|[\p{L}\p{M}]{2,24}))").ok()
});

/// Endings of pictures, whose names say for which density they are: `logo@2x.png`.
const PICTURES: &[&str] = &["png", "jpg", "jpeg", "gif", "webp", "avif", "svg"];

/// The addresses in a text.
pub(super) fn find(text: &str, out: &mut Vec<Span>) {
    if memchr::memchr(b'@', text.as_bytes()).is_none() {
        return;
    }
    let before = out.len();
    for (pattern, again) in [(&ASCII, false), (&ANY, true)] {
        if again && text.is_ascii() {
            continue;
        }
        let Some(pattern) = pattern.as_ref() else { continue };
        let known = out.len();
        for groups in pattern.captures_iter(text) {
            let (Some(whole), Some(user), Some(domain)) =
                (groups.get(0), groups.name("user"), groups.name("domain"))
            else {
                continue;
            };
            if is_other(text, user.as_str(), domain.as_str(), whole.end()) {
                continue;
            }
            let known = out.get(before..known).unwrap_or_default();
            if again
                && known
                    .iter()
                    .any(|it| it.start < whole.end() && whole.start() < it.end)
            {
                continue;
            }
            out.push(Span {
                start: whole.start(),
                end: whole.end(),
                name: EMAIL,
            });
        }
    }
}

/// Whether it names something else: a repository, a version of a package, a picture.
fn is_other(text: &str, user: &str, domain: &str, end: usize) -> bool {
    let labels: Vec<&str> = domain.split('.').collect();
    let first = labels.first().copied().unwrap_or_default();
    let last = labels.last().copied().unwrap_or_default().to_ascii_lowercase();
    let digits = |label: &str| !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_digit());
    let repository = user == "git" && text.get(end..).is_some_and(|rest| rest.starts_with([':', '/']));
    let version = digits(first) || first.strip_prefix('v').is_some_and(digits);
    let picture = PICTURES.contains(&last.as_str()) && first.strip_suffix(['x', 'X']).is_some_and(digits);
    repository || version || picture
}
