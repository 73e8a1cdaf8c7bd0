//! Lines and sentences, and what their shape gives away.

/// Whether a tool speaks: a tag of a log level, or "... error:" before the message.
pub(super) fn spoken_by_a_tool(folded: &str) -> bool {
    const TAGS: [&str; 10] = [
        "error",
        "err",
        "fatal",
        "failed",
        "failure",
        "exception",
        "critical",
        "tool error",
        "curl",
        "wget",
    ];
    let line = folded.trim_start().lines().next().unwrap_or_default();
    let line = line.trim_start_matches(|c: char| !c.is_alphanumeric());
    let ends = [": ", "] ", "! ", " - "]
        .iter()
        .filter_map(|end| line.find(end))
        .min();
    let ends = ends.or_else(|| line.ends_with(':').then(|| line.len() - 1));
    let before = ends.and_then(|end| line.get(..end)).unwrap_or_default().trim();
    let found = ends.is_some();
    let opens = before.starts_with("error ") || before.starts_with("failed to ");
    found
        && (opens
            || TAGS.contains(&before)
            || (before.split(' ').count() <= 5 && TAGS.iter().any(|tag| before.ends_with(tag))))
}

/// A line of a stack trace.
pub(super) fn frame(line: &str) -> bool {
    (line.starts_with("at ") && line.contains('('))
        || (line.starts_with("file \"") && line.contains(", line "))
        || (line.starts_with('#')
            && line
                .get(1..2)
                .is_some_and(|digit| digit.bytes().all(|byte| byte.is_ascii_digit())))
}

/// Marks of code and of references to a tracker: such a statement is never a server's own.
pub(super) fn code(line: &str) -> usize {
    const STARTS: [&str; 4] = ["```", "//", "<!--", "| "];
    const KEYWORDS: [&str; 9] = [
        "def ", "fn ", "class ", "import ", "from ", "const ", "let ", "return ", "$ ",
    ];
    const OPERATORS: [&str; 11] = [
        "==", "!=", "=>", "::", "();", ");", " {", "};", "->", " = \"", " = '",
    ];
    // most prose has none of these, and is spared the searches
    let signs = |byte| {
        matches!(
            byte,
            b'=' | b'!' | b'>' | b'<' | b':' | b'(' | b')' | b'{' | b'}' | b'`' | b'[' | b'/' | b'|' | b';'
        )
    };
    if !line.bytes().any(signs) {
        return 0;
    }
    if ["error", "err", "failed", "fatal", "exception"]
        .iter()
        .any(|start| line.starts_with(start))
    {
        return 0;
    }
    let keyword =
        KEYWORDS.iter().any(|start| line.starts_with(start)) && line.ends_with([';', '{', ':', ')']);
    let mut marks = usize::from(keyword || STARTS.iter().any(|start| line.starts_with(start)));
    marks += usize::from(OPERATORS.iter().any(|operator| line.contains(operator)));
    marks += usize::from(line.contains(" `") || line.starts_with('`'));
    marks += usize::from(line.contains("(#") || line.contains("[#") || line.contains("[\\#"));
    marks
}

/// Marks of a document around the statement: headings, list items, quotations, tables.
pub(super) fn listed(line: &str) -> bool {
    ["# ", "## ", "### ", "#### ", "- ", "* ", "+ ", "> ", "| "]
        .iter()
        .any(|start| line.starts_with(start))
}

/// Statements of a folded text: lines, and sentences inside them.
pub(super) struct Sentences<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Sentences<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }
}

impl Iterator for Sentences<'_> {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.at;
        let rest = self.text.get(start..).filter(|rest| !rest.is_empty())?;
        let mut chars = rest.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let end = at + c.len_utf8();
            let next = chars.peek().map(|(_, c)| *c);
            let ends = match c {
                '\n' | '。' | '｡' => true,
                '.' | '!' | '?' | '।' => {
                    next.is_none_or(|next| next.is_whitespace() || matches!(next, '"' | '\'' | ')' | ']'))
                }
                _ => false,
            };
            if ends {
                self.at = start + end;
                return Some((start, self.at));
            }
        }
        self.at = self.text.len();
        Some((start, self.at))
    }
}
