//! The only module that writes to stdout and stderr for people. A reader that has gone away is not
//! an error: the rest is dropped in silence.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

/// Set when stdout's reader has gone.
static GONE: AtomicBool = AtomicBool::new(false);

/// Writes a line to stdout.
pub(crate) fn line(text: &str) {
    if GONE.load(Ordering::Relaxed) {
        return;
    }
    let mut stdout = io::stdout().lock();
    if stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.write_all(b"\n"))
        .is_err()
    {
        GONE.store(true, Ordering::Relaxed);
    }
}

/// Flushes stdout.
pub(crate) fn flush() {
    let _ = io::stdout().lock().flush();
}

/// Writes a line to stderr.
pub(crate) fn note(text: &str) {
    let mut stderr = io::stderr().lock();
    let _ = stderr
        .write_all(text.as_bytes())
        .and_then(|()| stderr.write_all(b"\n"));
}

/// Writes an error and what to do about it to stderr.
pub(crate) fn error(text: &str, hint: Option<&str>) {
    let label = paint_on(
        io::stderr().is_terminal() && colours_wanted(),
        Style::Bad,
        "error:",
    );
    note(&format!("{label} {}", one_line(text)));
    if let Some(hint) = hint {
        note(&format!("  hint: {}", one_line(hint)));
    }
}

/// Replaces the progress line on a terminal's stderr; nothing elsewhere.
pub(crate) fn progress(text: &str) {
    if io::stderr().is_terminal() {
        let mut stderr = io::stderr().lock();
        let _ = write!(stderr, "\r\x1b[2K{}", one_line(text)).and_then(|()| stderr.flush());
    }
}

/// Removes the progress line.
pub(crate) fn progress_done() {
    progress("");
}

/// How a piece of text is to look on a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Bold,
    Dim,
    Good,
    Middling,
    Bad,
}

/// Whether stdout is a terminal whose reader wants more than plain text (NO_COLOR is not set).
pub(crate) fn colours() -> bool {
    io::stdout().is_terminal() && colours_wanted()
}

/// Colours a piece of text for stdout, where [`colours`] are wanted.
pub(crate) fn paint(style: Style, text: &str) -> String {
    paint_on(colours(), style, text)
}

/// A piece of text with its colour, or without.
pub(crate) fn paint_on(colours: bool, style: Style, text: &str) -> String {
    if !colours {
        return text.to_owned();
    }
    let code = match style {
        Style::Plain => return text.to_owned(),
        Style::Bold => "1",
        Style::Dim => "2",
        Style::Good => "32",
        Style::Middling => "33",
        Style::Bad => "31",
    };
    format!("\x1b[{code}m{text}\x1b[0m")
}

fn colours_wanted() -> bool {
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    !no_color && !dumb
}

/// Escapes what would break a line or a terminal.
pub(crate) fn one_line(text: &str) -> String {
    freshcontext_core::sanitize::clean_line(text).into_owned()
}

/// Several lines from others, safe for a terminal: control characters but line ends and tabs go.
pub(crate) fn safe(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_control() || matches!(c, '\n' | '\t'))
        .collect()
}

/// A table of left-aligned columns; the last one is not padded.
pub(crate) fn table(rows: &[Vec<String>]) -> Vec<String> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns)
        .map(|at| {
            rows.iter()
                .filter_map(|row| row.get(at))
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or(0)
        })
        .collect();
    rows.iter()
        .map(|row| {
            let mut out = String::new();
            for (at, cell) in row.iter().enumerate() {
                out.push_str(cell);
                if at + 1 < row.len() {
                    let pad = widths
                        .get(at)
                        .copied()
                        .unwrap_or(0)
                        .saturating_sub(cell.chars().count())
                        + 2;
                    out.extend(std::iter::repeat_n(' ', pad));
                }
            }
            out
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_the_last_is_not_padded() {
        let row = |cells: &[&str]| cells.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>();
        let lines = table(&[row(&["a", "bbb", "c"]), row(&["dddd", "e", "f"])]);
        assert_eq!(lines, ["a     bbb  c", "dddd  e    f"]);
    }

    #[test]
    fn what_others_wrote_cannot_drive_the_terminal() {
        assert_eq!(safe("a\x1b[31mb\r\nc\td"), "a[31mb\nc\td");
        assert_eq!(one_line("a\nb\x07\u{202e}[/FRESHCONTEXT]"), "a b(/FRESHCONTEXT)");
    }
}
