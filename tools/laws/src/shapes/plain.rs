//! Hostile text: Markdown, CSV, prose, single lines, and heads of HTTP requests.

use super::tokens::{ENTITIES, MARKUP, WORDS};
use super::{Shape, Unit, mark};

/// Maximum number of lines of the valid text that are multiplied, since many lines of a text are alike.
const LINES: usize = 12;

pub(super) fn text(seed: &[u8], turn: usize) -> Vec<Shape> {
    let seed = String::from_utf8_lossy(seed);
    let mut alone: Vec<Shape> = WORDS
        .iter()
        .chain(&MARKUP)
        .chain(&ENTITIES)
        .map(|text| Shape::same(format!("alone: {}", text.escape_debug()), "", *text, ""))
        .collect();
    mark(&mut alone, turn, 2);
    let (mut lines, mut within) = (Vec::new(), Vec::new());
    let mut begin = 0;
    for (number, line) in seed.split_inclusive('\n').enumerate().take(LINES) {
        let (Some(before), Some(after)) = (seed.get(..begin), seed.get(begin + line.len()..)) else {
            break;
        };
        begin += line.len();
        let bare = line.trim_end_matches(['\r', '\n']);
        if bare.is_empty() {
            continue;
        }
        let end = line.get(bare.len()..).unwrap_or("\n");
        let line = if end.is_empty() {
            format!("{bare}\n")
        } else {
            line.to_owned()
        };
        lines.push(Shape::same(
            format!("line {number} repeated"),
            before,
            line,
            after,
        ));
        for text in WORDS {
            within.push(Shape::same(
                format!("at the end of line {number}: {}", text.escape_debug()),
                format!("{before}{bare}"),
                text,
                format!("{end}{after}"),
            ));
        }
        for text in [",", "\",\"", "\"", "|", ";"] {
            within.push(Shape::same(
                format!("at the start of line {number}: {text}"),
                before,
                text,
                format!("{bare}{end}{after}"),
            ));
        }
    }
    mark(&mut lines, turn, 1);
    mark(&mut within, turn, 2);
    [alone, lines, within].concat()
}

/// Returns single lines that begin like the seed.
pub(super) fn line(seed: &[u8]) -> Vec<Shape> {
    let mut out = Vec::new();
    for text in WORDS.iter().filter(|text| !text.contains('\n')) {
        out.push(Shape::same(
            format!("alone: {}", text.escape_debug()),
            "",
            *text,
            "",
        ));
        out.push(Shape::same(
            format!("after: {}", text.escape_debug()),
            seed,
            *text,
            "",
        ));
    }
    for text in [
        "/a", "../", "//", "?a=b&", "#", "a.", "@", ":", ";", "xn--a.", "[::", "%", "0", "=\"", "GMT",
    ] {
        out.push(Shape::same(format!("after: {text}"), seed, text, ""));
        out.push(Shape::same(format!("before: {text}"), "", text, seed));
    }
    mark(&mut out, 0, 8);
    out
}

/// Returns the shapes of a request's head.
pub(super) fn head() -> Vec<Shape> {
    let start = "GET /mcp HTTP/1.1\r\nHost: a\r\n";
    let mut out = vec![
        Shape::same("blank lines", "", "\r\n", ""),
        Shape::same("bare line feeds", start, "\n", "\r\n\r\n"),
        Shape::same("carriage returns", start, "\r", "\n\r\n"),
        Shape::same("a long path", "GET /", "a", " HTTP/1.1\r\n\r\n"),
        Shape::same("one header over and over", start, "Content-Length: 1\r\n", "\r\n"),
        Shape::new(
            "many headers",
            start,
            Unit::Counted(b"a".to_vec(), b": b\r\n".to_vec()),
            "\r\n",
        ),
        Shape::same("a long value", format!("{start}a: "), "b", "\r\n\r\n"),
        Shape::same("a long name", start, "b", ": a\r\n\r\n"),
        Shape::same("folded lines", format!("{start}a: b"), "\r\n b", "\r\n\r\n"),
        Shape::same("colons", start, ":", "\r\n\r\n"),
        Shape::same("requests", "", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", ""),
        Shape::same(
            "chunks",
            format!("{start}Transfer-Encoding: chunked\r\n\r\n"),
            "1\r\na\r\n",
            "0\r\n\r\n",
        ),
        Shape::same(
            "a list of codings",
            format!("{start}Transfer-Encoding: "),
            "chunked,",
            "\r\n\r\n",
        ),
    ];
    for shape in &mut out {
        shape.often = true;
    }
    out
}
