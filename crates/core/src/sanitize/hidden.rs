//! First pass: what a reader cannot see, and runs that only waste space.

use std::borrow::Cow;

use unicode_normalization::char::is_combining_mark;

use super::Form;

/// Combining marks kept on one letter. Tibetan and pointed Hebrew stay below.
const MARKS: u32 = 8;
/// Line breaks kept in one run of white space.
const BREAKS: u32 = 3;
/// Blanks kept between two line breaks: deep indentation stays.
const BLANKS: u32 = 120;
/// Longest terminal escape sequence taken as a whole, in characters.
const ESCAPE: usize = 256;

const ZWNJ: char = '\u{200c}';
const ZWJ: char = '\u{200d}';

/// Bytes looked at together, so that the compiler can use wide registers and a find stops early.
const BLOCK: usize = 1024;

/// Whether nothing here needs a decision: printable ASCII and line feeds, no four blanks or breaks in
/// a row. Most texts are like this, and this is many times faster than looking at each character.
fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    // Sums of numbers, without a branch, are what the compiler turns into wide registers.
    let hidden = |block: &[u8]| {
        let hides = |byte: &u8| u8::from(!(b' '..=b'~').contains(byte)) & u8::from(*byte != b'\n');
        block.iter().fold(0, |found, byte| found | hides(byte))
    };
    let white = |byte: &u8| u8::from(*byte == b' ') | u8::from(*byte == b'\n');
    let long_runs = |block: &[u8]| {
        let from = |at: usize| block.get(at..).unwrap_or_default().iter().map(white);
        let fours = from(0).zip(from(1)).zip(from(2)).zip(from(3));
        fours.fold(0, |found, (((a, b), c), d)| found | (a & b & c & d))
    };
    bytes.chunks(BLOCK).all(|block| hidden(block) == 0)
        && (0..bytes.len()).step_by(BLOCK).all(|at| {
            // Three bytes of overlap, for runs across two blocks.
            let end = (at + BLOCK + 3).min(bytes.len());
            bytes.get(at..end).is_none_or(|block| long_runs(block) == 0)
        })
}

/// The same for one line: visible ASCII with single spaces between words.
fn is_plain_line(text: &str) -> bool {
    let bytes = text.as_bytes();
    let hides = |byte: &u8| u8::from(!(b' '..=b'~').contains(byte));
    let ends = [bytes.first(), bytes.last()];
    let next = bytes.get(1..).unwrap_or_default();
    let pairs = bytes.iter().zip(next);
    !ends.contains(&Some(&b' '))
        && bytes.iter().fold(0, |found, byte| found | hides(byte)) == 0
        && pairs.fold(0, |found, (one, other)| {
            found | (u8::from(*one == b' ') & u8::from(*other == b' '))
        }) == 0
}

/// Removes hidden characters and bounds runs. Returns how many hidden ones were removed.
pub(super) fn strip(text: &str, form: Form) -> (Cow<'_, str>, usize) {
    let plain = match form {
        Form::Text => is_plain(text),
        Form::Line => text.len() <= BLOCK && is_plain_line(text),
    };
    if plain {
        return (Cow::Borrowed(text), 0);
    }
    decide(text, form)
}

/// The same, character by character.
pub(super) fn decide(text: &str, form: Form) -> (Cow<'_, str>, usize) {
    let mut pass = Pass {
        text,
        form,
        out: String::new(),
        copied: 0,
        hidden: 0,
        prev: '\n',
        marks: 0,
        breaks: 0,
        blanks: 0,
        white: form == Form::Line,
    };
    pass.run();
    let hidden = pass.hidden;
    (pass.finish(), hidden)
}

struct Pass<'t> {
    text: &'t str,
    form: Form,
    /// What is kept, up to `copied`; empty as long as nothing was changed.
    out: String,
    copied: usize,
    hidden: usize,
    /// The last character kept.
    prev: char,
    /// Combining marks since the last letter.
    marks: u32,
    /// Of the current run of white space.
    breaks: u32,
    blanks: u32,
    white: bool,
}

impl<'t> Pass<'t> {
    fn run(&mut self) {
        let mut at = 0;
        loop {
            at += self.plain_run(at);
            let Some(c) = self.text.get(at..).and_then(|rest| rest.chars().next()) else {
                break;
            };
            at += self.classify(at, c);
        }
    }

    /// Passes over visible ASCII with single spaces, the bulk of most texts. Returns its length.
    fn plain_run(&mut self, at: usize) -> usize {
        let bytes = self.text.as_bytes().get(at..).unwrap_or_default();
        let mut white = self.white;
        let mut length = 0_usize;
        for byte in bytes {
            match byte {
                0x21..=0x7e => white = false,
                b' ' if !white => white = true,
                _ => break,
            }
            length += 1;
        }
        if let Some(last) = length.checked_sub(1).and_then(|last| bytes.get(last)) {
            self.prev = char::from(*last);
            (self.white, self.marks, self.breaks) = (white, 0, 0);
            self.blanks = u32::from(white);
        }
        length
    }

    /// Decides on one character and returns how many bytes are dealt with.
    fn classify(&mut self, at: usize, c: char) -> usize {
        let size = c.len_utf8();
        match c {
            ' ' | '\t' => self.blank(at, c),
            '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => {
                let rest = self.text.get(at..).unwrap_or_default();
                let size = if rest.starts_with("\r\n") { 2 } else { size };
                self.line_break(at, size, c);
                return size;
            }
            '\u{1b}' | '\u{9b}' => return self.escape(at, c),
            '\0'..='\u{7f}' => {
                if c.is_control() {
                    self.hide(at, size);
                } else {
                    self.keep(c);
                }
            }
            _ if c.is_whitespace() => self.blank(at, c),
            ZWNJ | ZWJ => {
                if self.joins(at + size, c) {
                    self.prev = c;
                } else {
                    self.hide(at, size);
                }
            }
            // Direction marks mean something beside right-to-left letters only.
            '\u{200e}' | '\u{200f}' | '\u{61c}' => {
                if is_rtl(self.prev) || self.peek(at + size).is_some_and(is_rtl) {
                    self.prev = c;
                    self.end_white();
                } else {
                    self.hide(at, size);
                }
            }
            '\u{fe00}'..='\u{fe0f}' | '\u{180b}'..='\u{180d}' | '\u{180f}' => {
                if selects(self.prev, c) {
                    self.prev = c;
                } else {
                    self.hide(at, size);
                }
            }
            _ if is_hidden(c) => self.hide(at, size),
            _ if is_combining_mark(c) => {
                if self.marks < MARKS {
                    self.marks += 1;
                    self.prev = c;
                    self.end_white();
                } else {
                    self.hide(at, size);
                }
            }
            _ => self.keep(c),
        }
        size
    }

    fn keep(&mut self, c: char) {
        self.prev = c;
        self.marks = 0;
        self.end_white();
    }

    fn end_white(&mut self) {
        (self.white, self.breaks, self.blanks) = (false, 0, 0);
    }

    fn blank(&mut self, at: usize, c: char) {
        let keep = match self.form {
            Form::Line => !self.white,
            Form::Text => self.blanks < BLANKS,
        };
        if !keep {
            self.replace(at, c.len_utf8(), "");
            return;
        }
        if self.form == Form::Line && c != ' ' {
            self.replace(at, c.len_utf8(), " ");
        }
        self.prev = c;
        self.marks = 0;
        self.white = true;
        self.blanks += 1;
    }

    fn line_break(&mut self, at: usize, size: usize, c: char) {
        let (keep, sign) = match self.form {
            Form::Line => (!self.white, " "),
            Form::Text => (self.breaks < BREAKS, "\n"),
        };
        if !keep {
            self.replace(at, size, "");
            return;
        }
        if c != '\n' || self.form == Form::Line {
            self.replace(at, size, sign);
        }
        self.prev = '\n';
        self.marks = 0;
        self.white = true;
        self.breaks += 1;
        self.blanks = 0;
    }

    /// A terminal escape: the whole sequence where it is one, else its first character alone.
    fn escape(&mut self, at: usize, c: char) -> usize {
        let after = self.text.get(at + c.len_utf8()..).unwrap_or_default();
        let length = match (c, after.as_bytes().first()) {
            ('\u{9b}', _) => control_sequence(after),
            (_, Some(b'[')) => after.get(1..).and_then(control_sequence).map(|length| length + 1),
            (_, Some(b']' | b'P' | b'_' | b'^' | b'X')) => string_sequence(after),
            _ => None,
        };
        let size = c.len_utf8() + length.unwrap_or(0);
        self.hide(at, size);
        size
    }

    /// Whether a joiner between `prev` and what follows at `next` belongs to the text.
    fn joins(&self, next: usize, joiner: char) -> bool {
        let Some(next) = self.peek(next) else { return false };
        if is_joining_script(self.prev) && is_joining_script(next) {
            return !is_combining_mark(next) || self.marks < MARKS;
        }
        let ends_emoji = is_emoji(self.prev) || self.prev == '\u{fe0f}';
        joiner == ZWJ && ends_emoji && is_emoji(next)
    }

    fn peek(&self, at: usize) -> Option<char> {
        self.text.get(at..).and_then(|rest| rest.chars().next())
    }

    fn hide(&mut self, at: usize, size: usize) {
        self.hidden += 1;
        self.replace(at, size, "");
    }

    fn replace(&mut self, at: usize, size: usize, by: &str) {
        self.out
            .push_str(self.text.get(self.copied..at).unwrap_or_default());
        self.out.push_str(by);
        self.copied = at + size;
    }

    fn finish(mut self) -> Cow<'t, str> {
        let rest = self.text.get(self.copied..).unwrap_or_default();
        if self.copied == 0 {
            return Cow::Borrowed(match self.form {
                Form::Text => rest,
                Form::Line => rest.trim_end_matches(' '),
            });
        }
        self.out.push_str(rest);
        if self.form == Form::Line {
            self.out.truncate(self.out.trim_end_matches(' ').len());
        }
        Cow::Owned(self.out)
    }
}

/// Parameters, intermediates, final byte (ECMA-48, 5.4). The length in bytes where it is complete.
fn control_sequence(text: &str) -> Option<usize> {
    let mut bytes = text.bytes().take(ESCAPE).enumerate();
    let (end, last) = bytes.find(|(_, byte)| !(0x20..=0x3f).contains(byte))?;
    (0x40..=0x7e).contains(&last).then_some(end + 1)
}

/// A string that runs to BEL or to `ESC \` (ECMA-48, 5.6).
fn string_sequence(text: &str) -> Option<usize> {
    let mut previous = '\0';
    for (at, c) in text.char_indices().take(ESCAPE) {
        match c {
            '\u{7}' | '\u{9c}' => return Some(at + c.len_utf8()),
            '\\' if previous == '\u{1b}' => return Some(at + 1),
            '\n' => return None,
            _ => previous = c,
        }
    }
    None
}

/// Characters without a shape of their own that no text needs.
pub(super) fn is_hidden(c: char) -> bool {
    matches!(
        c,
        '\u{80}'..='\u{9f}'
            | '\u{ad}'
            | '\u{34f}'
            | '\u{115f}' | '\u{1160}'
            | '\u{17b4}' | '\u{17b5}'
            | '\u{180e}'
            | '\u{200b}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{fdd0}'..='\u{fdef}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{fffe}' | '\u{ffff}'
            | '\u{13430}'..='\u{1343f}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    ) || (u32::from(c) & 0xfffe) == 0xfffe
}

/// Letters and signs of scripts that join or break joins with ZWNJ and ZWJ: Arabic and its
/// relatives, the Indic scripts, Myanmar, Khmer, Mongolian.
fn is_joining_script(c: char) -> bool {
    matches!(
        c,
        '\u{620}'..='\u{6dc}' | '\u{6df}'..='\u{77f}' | '\u{7ca}'..='\u{7f5}' | '\u{840}'..='\u{85b}'
            | '\u{860}'..='\u{88e}' | '\u{8a0}'..='\u{8e1}' | '\u{8e3}'..='\u{dff}'
            | '\u{f40}'..='\u{fbc}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17b3}'
            | '\u{17b6}'..='\u{17d3}' | '\u{1820}'..='\u{18aa}' | '\u{a840}'..='\u{a877}'
            | '\u{a8e0}'..='\u{a8ff}' | '\u{aa60}'..='\u{aa7f}'
            | '\u{10a00}'..='\u{10a48}' | '\u{11000}'..='\u{1107f}' | '\u{1e900}'..='\u{1e94b}'
    )
}

/// Right-to-left letters (no marks: whether those stay depends on their number).
fn is_rtl(c: char) -> bool {
    matches!(
        c,
        '\u{590}'..='\u{60b}' | '\u{60d}'..='\u{61a}' | '\u{61d}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdcf}'
            | '\u{fdf0}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' | '\u{10800}'..='\u{10fff}'
            | '\u{1e800}'..='\u{1efff}'
    ) && !is_combining_mark(c)
        && !is_hidden(c)
}

/// Characters that can be part of an emoji sequence.
fn is_emoji(c: char) -> bool {
    matches!(
        c,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2190}'..='\u{21ff}'
            | '\u{231a}'..='\u{2328}' | '\u{23cf}'..='\u{23fa}' | '\u{24c2}' | '\u{25aa}'..='\u{2767}'
            | '\u{2794}'..='\u{27bf}' | '\u{2934}' | '\u{2935}' | '\u{2b05}'..='\u{2b55}' | '\u{3030}'
            | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}'
    )
}

/// Whether a variation selector means something after this character.
fn selects(base: char, selector: char) -> bool {
    match selector {
        '\u{fe0e}' | '\u{fe0f}' => is_emoji(base) || matches!(base, '0'..='9' | '#' | '*'),
        '\u{180b}'..='\u{180f}' => matches!(base, '\u{1820}'..='\u{18aa}'),
        _ => matches!(base, '\u{1000}'..='\u{109f}' | '\u{2200}'..='\u{22ff}' | '\u{4e00}'..='\u{9fff}'),
    }
}
