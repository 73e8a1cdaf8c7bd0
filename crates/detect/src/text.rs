//! Beginnings and ends of texts, at character boundaries.

/// How much of the visible beginning is read, in bytes.
pub(crate) const LEAD: usize = 480;

/// How much more is read if the beginning is inconclusive, in bytes.
pub(crate) const MORE: usize = 480;

/// Returns the first line of a text without its terminator, and the rest.
pub(crate) fn first_line(text: &str) -> (&str, &str) {
    let (line, rest) = text.split_once('\n').unwrap_or((text, ""));
    (line.strip_suffix('\r').unwrap_or(line), rest)
}

/// Whether a text begins with this, ignoring case.
pub(crate) fn begins(text: &str, with: &str) -> bool {
    let begin = text.as_bytes().get(..with.len());
    begin.is_some_and(|begin| begin.eq_ignore_ascii_case(with.as_bytes()))
}

/// Returns the longest prefix of a text of at most `bytes` bytes.
pub(crate) fn head(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or_default()
}

/// Returns the longest suffix of a text of at most `bytes` bytes.
pub(crate) fn tail(text: &str, bytes: usize) -> &str {
    let start = text.ceil_char_boundary(text.len().saturating_sub(bytes));
    text.get(start..).unwrap_or_default()
}

/// Returns the marks that can close a quotation opened by this one.
pub(crate) fn closing(mark: &str) -> Option<&'static [char]> {
    Some(match mark {
        "\"" => &['"'],
        "'" => &['\''],
        "`" => &['`', '\''],
        "\u{201c}" | "\u{201d}" => &['\u{201d}'],
        "\u{201e}" => &['\u{201c}', '\u{201d}'],
        "\u{2018}" => &['\u{2019}'],
        "\u{ab}" => &['\u{bb}'],
        "\u{bb}" => &['\u{ab}'],
        "\u{300c}" => &['\u{300d}'],
        _ => return None,
    })
}

/// Removes surrounding white space, and the quotation marks around the whole text: a JSON string as APIs send
/// it.
pub(crate) fn bare(text: &str) -> &str {
    let text = text.trim_start_matches('\u{feff}').trim();
    unquoted(text).map_or(text, str::trim)
}

fn unquoted(text: &str) -> Option<&str> {
    let mark = text.get(..text.ceil_char_boundary(1))?;
    let marks = closing(mark)?;
    let inner = text.strip_prefix(mark)?.strip_suffix(marks)?;
    let has_more = inner.contains(mark) || inner.contains(marks);
    (!has_more).then_some(inner)
}
