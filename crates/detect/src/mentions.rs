//! Names in a text, which show its topic rather than its statement, and quotations.

/// Longest name that is examined, in bytes.
const NAME_BYTES: usize = 128;

/// Longest quotation that is distinguished from the text's own words, in bytes.
const QUOTED_BYTES: usize = 48;

/// Returns the length of the name at a position: an address, a host, a path or a file. Identifiers such as
/// `java.net.SocketTimeoutException` do not count: they end with a capital or a longer word, and state the
/// error.
pub(crate) fn name(text: &str, at: usize) -> Option<usize> {
    let before = at.checked_sub(1).and_then(|before| text.as_bytes().get(before));
    if before.is_some_and(|byte| byte.is_ascii_alphanumeric() || joins(*byte)) {
        return None;
    }
    let rest = text.get(at..)?;
    let end = rest.bytes().take(NAME_BYTES).position(|byte| !is_in_name(byte));
    let name = rest.get(..end.unwrap_or(rest.len().min(NAME_BYTES)))?;
    let name = name.trim_end_matches(['.', ':', '!', '?']);
    let (host, behind) = name.split_at(name.find([':', '/']).unwrap_or(name.len()));
    let path = behind.trim_start_matches(|c: char| c == ':' || c.is_ascii_digit());
    let is = name.starts_with('/')
        || behind.contains("://")
        || is_host_or_file(host) && (path.is_empty() || path.starts_with('/'));
    is.then_some(name.len())
}

/// Whether a byte joins the words of a name. A `match`, because searching a list takes many times as long and
/// this is called after every word.
pub(crate) const fn joins(byte: u8) -> bool {
    matches!(byte, b'/' | b'.' | b'@' | b':' | b'-' | b'_')
}

/// Whether a byte can be part of a name or of a URL with its query: all printable characters except quotation
/// marks, brackets, and `,` `;` `|` `\`.
const fn is_in_name(byte: u8) -> bool {
    matches!(byte, b'!' | b'#'..=b'&' | b'*' | b'+' | b'-'..=b':' | b'=' | b'?'..=b'Z' | b'^' | b'_' | b'a'..=b'z' | b'~')
}

/// Whether this is like `example.org`, `192.0.2.7`, `user@example.org` or `report.pdf`.
fn is_host_or_file(name: &str) -> bool {
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let is_word = |part: &str| {
        let in_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'@');
        !part.is_empty() && part.bytes().all(in_word)
    };
    let Some((first, last)) = name.rsplit_once('.') else {
        return false;
    };
    let ending = (2..=4).contains(&last.len()) && last.bytes().all(|byte| byte.is_ascii_lowercase());
    let numbers = is_number(last) && first.split('.').count() == 3 && first.split('.').all(is_number);
    numbers || ending && first.split('.').all(is_word)
}

/// Returns the length of a short quotation whose opening mark is at `at` and ends at `next`. Quoted words
/// count as a quotation only if other words surround them; otherwise they are the text itself.
pub(crate) fn quotation(text: &str, at: usize, next: usize, words_before: bool) -> Option<usize> {
    let mark = text.get(at..next)?;
    let closing = crate::text::closing(mark)?;
    // An apostrophe stands within a word, and code uses quotes after other symbols.
    let before = text.as_bytes().get(at.wrapping_sub(1));
    if mark.len() == 1 && before.is_some_and(|byte| !byte.is_ascii_whitespace() && *byte != b'(') {
        return None;
    }
    let line = crate::text::head(text.get(next..)?, QUOTED_BYTES)
        .split('\n')
        .next()?;
    let length = line.find(closing).filter(|length| *length > 0)?;
    let mut behind = text
        .get(next + length..)?
        .chars()
        .skip(1)
        .skip_while(|c| *c == ' ');
    (words_before || behind.next().is_some_and(char::is_alphanumeric)).then_some(length)
}

/// Returns the first short quotation of a text with other words around it.
pub(crate) fn quoted(text: &str) -> Option<&str> {
    let mut words_before = false;
    text.char_indices().find_map(|(at, c)| {
        let next = at + c.len_utf8();
        let length = quotation(text, at, next, words_before);
        words_before |= c.is_alphanumeric();
        text.get(next..next + length?)
    })
}
