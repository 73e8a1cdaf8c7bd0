//! A text as its reader will have it: percent-encoding, escapes of JSON, entities of HTML, full-width and other
//! compatible letters are read, invisible characters are left out. Each place leads back to where it is written.

use std::rc::Rc;

use unicode_normalization::char::decompose_compatible;

/// Times that a text may be encoded in itself.
const LAYERS: usize = 3;

/// A stretch of the read text and the stretch that it is written as.
#[derive(Debug, Clone, Copy)]
struct Piece {
    read: usize,
    written: usize,
    written_end: usize,
    /// Letter for letter the same.
    same: bool,
}

/// A text that was read, and how it was written.
#[derive(Debug)]
pub(super) struct View {
    pub(super) text: String,
    /// From the text as it is written on; deeper views share those of the ones above.
    layers: Vec<Rc<[Piece]>>,
}

impl View {
    /// The text with one more layer of encodings read for each call; nothing where there is none.
    pub(super) fn all(text: &str) -> Vec<Self> {
        let mut out: Vec<Self> = Vec::new();
        while out.len() < LAYERS {
            let (text, layers) = out.last().map_or((text, Vec::new()), |view| {
                (view.text.as_str(), view.layers.clone())
            });
            let Some((text, pieces)) = layer(text) else { break };
            let mut layers = layers;
            layers.push(pieces.into());
            out.push(Self { text, layers });
        }
        out
    }

    /// Where a stretch is written.
    pub(super) fn written(&self, start: usize, end: usize) -> (usize, usize) {
        let (mut start, mut end) = (start, end);
        for pieces in self.layers.iter().rev() {
            let of = |at: usize| {
                let after = pieces.partition_point(|piece| piece.read <= at);
                pieces.get(after.saturating_sub(1)).copied()
            };
            let first = of(start).map_or(start, |piece| {
                if piece.same {
                    piece.written + (start - piece.read)
                } else {
                    piece.written
                }
            });
            let last = end.saturating_sub(1).max(start);
            end = of(last).map_or(end, |piece| {
                if piece.same {
                    piece.written + (last - piece.read) + 1
                } else {
                    piece.written_end
                }
            });
            start = first;
        }
        (start, end)
    }
}

/// Reads one layer; `None` where nothing is encoded.
fn layer(text: &str) -> Option<(String, Vec<Piece>)> {
    let mut out = String::new();
    let mut pieces = Vec::new();
    let mut done = 0;
    let mut at = 0;
    let bytes = text.as_bytes();
    while let Some(byte) = bytes.get(at) {
        let rest = text.get(at..).unwrap_or_default();
        let found = match byte {
            b'%' => percent(rest),
            b'\\' => escape(rest),
            b'&' => entity(rest),
            0..=0x7f => None,
            _ => letter(rest),
        };
        let Some((taken, read)) = found else {
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        };
        if done < at {
            pieces.push(Piece {
                read: out.len(),
                written: done,
                written_end: at,
                same: true,
            });
            out.push_str(text.get(done..at).unwrap_or_default());
        }
        if !read.is_empty() {
            pieces.push(Piece {
                read: out.len(),
                written: at,
                written_end: at + taken,
                same: false,
            });
            out.push_str(&read);
        }
        at += taken;
        done = at;
    }
    if done == 0 {
        return None;
    }
    pieces.push(Piece {
        read: out.len(),
        written: done,
        written_end: text.len(),
        same: true,
    });
    out.push_str(text.get(done..).unwrap_or_default());
    Some((out, pieces))
}

fn hex(text: &str, digits: usize) -> Option<u32> {
    let digits = text.get(..digits)?;
    let right = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    right.then(|| u32::from_str_radix(digits, 16).ok()).flatten()
}

/// One character in percent-encoding.
fn percent(text: &str) -> Option<(usize, String)> {
    let byte = |at: usize| {
        let from = text.get(at..)?.strip_prefix('%')?;
        u8::try_from(hex(from, 2)?).ok()
    };
    let first = byte(0)?;
    let length = match first {
        0..=0x7f => 1,
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf7 => 4,
        _ => return None,
    };
    let bytes: Vec<u8> = (0..length).map_while(|at| byte(at * 3)).collect();
    let read = String::from_utf8(bytes).ok().filter(|read| !read.is_empty())?;
    (read.chars().count() == 1).then_some((length * 3, read))
}

/// One escape of JSON or of a programming language.
fn escape(text: &str) -> Option<(usize, String)> {
    let after = text.get(1..)?;
    let kind = after.chars().next()?;
    let read = |taken: usize, code: u32| char::from_u32(code).map(|c| (taken, c.to_string()));
    match kind {
        'n' => Some((2, "\n".to_owned())),
        'r' => Some((2, "\r".to_owned())),
        't' => Some((2, "\t".to_owned())),
        '"' | '\'' | '/' | '\\' | '`' => Some((2, kind.to_string())),
        'x' => read(4, hex(after.get(1..)?, 2)?),
        'u' if after.get(1..)?.starts_with('{') => {
            let (digits, _) = after.get(2..)?.split_once('}')?;
            let digits_are = !digits.is_empty() && digits.len() <= 6;
            let code = digits_are.then(|| hex(digits, digits.len())).flatten()?;
            read(digits.len() + 4, code)
        }
        'u' => {
            let high = hex(after.get(1..)?, 4)?;
            if !(0xd800..0xdc00).contains(&high) {
                return read(6, high);
            }
            let low = hex(after.get(5..)?.strip_prefix("\\u")?, 4)?;
            let low = low.checked_sub(0xdc00).filter(|low| *low < 0x400)?;
            read(12, 0x1_0000 + ((high - 0xd800) << 10) + low)
        }
        _ => None,
    }
}

/// One entity of HTML, of those that stand for ASCII.
fn entity(text: &str) -> Option<(usize, String)> {
    let (name, _) = text
        .get(1..)?
        .split_at_checked(text.bytes().take(12).position(|byte| byte == b';')? - 1)?;
    let taken = name.len() + 2;
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(digits) if !digits.is_empty() => hex(digits, digits.len()),
            _ => number.parse().ok(),
        };
        return char::from_u32(code?).map(|c| (taken, c.to_string()));
    }
    let read = match name {
        "amp" => "&",
        "quot" | "QUOT" => "\"",
        "apos" => "'",
        "lt" => "<",
        "gt" => ">",
        "commat" => "@",
        "period" => ".",
        "colon" => ":",
        "equals" => "=",
        "sol" => "/",
        "lowbar" => "_",
        "hyphen" | "dash" => "-",
        "nbsp" => " ",
        _ => return None,
    };
    Some((taken, read.to_owned()))
}

/// A character that is compatible with ASCII, or invisible.
fn letter(text: &str) -> Option<(usize, String)> {
    let c = text.chars().next()?;
    let invisible = matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}');
    if invisible {
        return Some((c.len_utf8(), String::new()));
    }
    let mut read = String::new();
    decompose_compatible(c, |part| read.push(part));
    (read.is_ascii() && !read.is_empty()).then_some((c.len_utf8(), read))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_leads_back_to_what_is_written() {
        for (written, word, stretch) in [
            ("a%3Db c", "a=b", "a%3Db"),
            ("x token%253Dabc", "token=abc", "token%253Dabc"),
            (r#"{\"a\": \"b\"}"#, r#""a": "b""#, r#"\"a\": \"b\""#),
            ("\\u0061bc d", "abc", "\\u0061bc"),
            ("é ｊａｎｅ＠ｘ．ｃｏｍ é", "jane@x.com", "ｊａｎｅ＠ｘ．ｃｏｍ"),
            ("pa\u{200b}ss w", "pass", "pa\u{200b}ss"),
            ("a&#64;b &commat; c", "a@b", "a&#64;b"),
        ] {
            let views = View::all(written);
            let found = views.iter().find_map(|view| {
                let at = view.text.find(word)?;
                let (start, end) = view.written(at, at + word.len());
                written.get(start..end)
            });
            assert_eq!(found, Some(stretch), "{written}");
        }
        assert!(View::all("plain, 100 % and R&D é").is_empty());
    }

    proptest::proptest! {
        #[test]
        fn every_stretch_leads_to_whole_characters(text in "([%&;#\\\\u0-9a-f]|.){0,40}") {
            for view in View::all(&text) {
                let ends: Vec<usize> = view.text.char_indices().map(|(at, _)| at).chain([view.text.len()]).collect();
                for pair in ends.windows(2) {
                    let (start, end) = view.written(pair[0], pair[1]);
                    proptest::prop_assert!(text.get(start..end).is_some(), "{start}..{end} of {text:?}");
                }
            }
        }
    }
}
