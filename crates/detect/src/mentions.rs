//! What a text names, which tells what it is about and not what it says, and where it quotes.

/// Most bytes of a name that are looked at.
const NAME_BYTES: usize = 128;

/// Most bytes of a quotation that is told from what the text says itself.
const QUOTED_BYTES: usize = 48;

/// How many bytes the name has that begins here: of an address, a host, a path or a file. What a program calls its own parts is
/// none, as `java.net.SocketTimeoutException`: it ends with a capital or a longer word, and says what went wrong.
pub(crate) fn name(text: &str, at: usize) -> Option<usize> {
    let before = at.checked_sub(1).and_then(|before| text.as_bytes().get(before));
    if before.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"/.@:-_".contains(byte)) {
        return None;
    }
    let rest = text.get(at..)?;
    let ends = |byte: u8| !byte.is_ascii_graphic() || b"\"'`()[]{}<>,;|\\".contains(&byte);
    let length = rest
        .bytes()
        .take(NAME_BYTES)
        .take_while(|byte| !ends(*byte))
        .count();
    let name = rest.get(..length)?.trim_end_matches(['.', ':', '!', '?']);
    let (host, rest) = name.split_at(name.find([':', '/']).unwrap_or(name.len()));
    let rest = rest.trim_start_matches(|c: char| c == ':' || c.is_ascii_digit());
    let is = name.starts_with('/')
        || name.contains("://")
        || is_host_or_file(host) && (rest.is_empty() || rest.starts_with('/'));
    is.then_some(name.len())
}

/// Whether this is `example.org`, `192.0.2.7`, `somebody@example.org` or `report.pdf`.
fn is_host_or_file(name: &str) -> bool {
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let is_word = |part: &str| {
        let in_word = |byte: u8| byte.is_ascii_alphanumeric() || b"-_@".contains(&byte);
        !part.is_empty() && part.bytes().all(in_word)
    };
    let Some((first, last)) = name.rsplit_once('.') else {
        return false;
    };
    let ending = (2..=4).contains(&last.len()) && last.bytes().all(|byte| byte.is_ascii_lowercase());
    let numbers = is_number(last) && first.split('.').count() == 3 && first.split('.').all(is_number);
    numbers || ending && first.split('.').all(is_word)
}

/// How many bytes a short quotation has whose mark stands at `at` and ends at `next`. Of words in quotation marks only those are one that
/// have words beside them: otherwise they are what the text says.
pub(crate) fn quotation(text: &str, at: usize, next: usize, words_before: bool) -> Option<usize> {
    let mark = text.get(at..next)?;
    let closing = crate::text::closing(mark)?;
    // An apostrophe stands within a word, and marks of code behind other signs.
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

/// The first short quotation of a text that says something beside it.
pub(crate) fn quoted(text: &str) -> Option<&str> {
    let mut words_before = false;
    text.char_indices().find_map(|(at, c)| {
        let next = at + c.len_utf8();
        let length = quotation(text, at, next, words_before);
        words_before |= c.is_alphanumeric();
        text.get(next..next + length?)
    })
}
