//! The only module that writes to stdout and stderr for people. A disconnected reader is not an error:
//! further output is dropped silently. Any other failure is stored, and [`end`] turns it into the process's
//! exit code.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use freshcontext_core::sanitize::{clean, clean_line};
use freshcontext_files::write::reader_has_gone;
use freshcontext_redact::masked;

/// Maximum length of an argument in a usage error, in characters.
const REPEATED_CHARS: usize = 200;

/// State of one of the two streams.
struct Stream {
    /// Set when writing has become impossible.
    lost: AtomicBool,
    /// The cause, unless the reader disconnected.
    failure: OnceLock<String>,
}

static STDOUT: Stream = Stream::new();
static STDERR: Stream = Stream::new();

impl Stream {
    const fn new() -> Self {
        Self {
            lost: AtomicBool::new(false),
            failure: OnceLock::new(),
        }
    }

    fn note(&self, written: io::Result<()>) {
        if let Err(error) = written {
            if !reader_has_gone(&error) {
                let _ = self.failure.set(error.to_string());
            }
            self.lost.store(true, Ordering::Relaxed);
        }
    }
}

/// Writes a line to stdout.
pub(crate) fn line(text: &str) {
    if !is_lost() {
        STDOUT.note(write_stdout([text, "\n"].concat().as_bytes()));
    }
}

/// Returns whether stdout is unusable: its reader disconnected, or a write failed.
pub(crate) fn is_lost() -> bool {
    STDOUT.lost.load(Ordering::Relaxed)
}

/// Completes when the reader of stdout disconnects, with or without pending output.
pub(crate) async fn reader_gone() {
    /// Interval of the check.
    #[cfg(unix)]
    const TICK: std::time::Duration = std::time::Duration::from_millis(500);

    #[cfg(unix)]
    loop {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};

        let stdout = io::stdout();
        let mut watched = [PollFd::new(&stdout, PollFlags::empty())];
        let seen = poll(&mut watched, Some(&Timespec::default()));
        let over = PollFlags::ERR | PollFlags::HUP;
        if seen.is_ok() && watched.iter().any(|stream| stream.revents().intersects(over)) {
            return;
        }
        tokio::time::sleep(TICK).await;
    }
    #[cfg(not(unix))]
    std::future::pending::<()>().await;
}

/// Returns the exit code of the process: 1 instead of 0 if a write failed, which it reports.
pub(crate) fn end(code: u8) -> u8 {
    #[cfg(not(unix))]
    STDOUT.note(io::stdout().lock().flush());
    let mut failed = STDERR.failure.get().is_some();
    if let Some(problem) = STDOUT.failure.get() {
        error(&format!("cannot write to stdout: {problem}"), None);
        failed = true;
    }
    if failed && code == 0 { 1 } else { code }
}

/// Bypasses the standard library's stdout, which ignores EBADF.
#[cfg(unix)]
fn write_stdout(bytes: &[u8]) -> io::Result<()> {
    use std::os::fd::AsFd as _;

    static HANDLE: OnceLock<std::fs::File> = OnceLock::new();
    let stdout = io::stdout().lock();
    let handle = if let Some(handle) = HANDLE.get() {
        handle
    } else {
        let handle = std::fs::File::from(stdout.as_fd().try_clone_to_owned()?);
        HANDLE.get_or_init(|| handle)
    };
    write_whole(handle, bytes)
}

#[cfg(not(unix))]
fn write_stdout(bytes: &[u8]) -> io::Result<()> {
    io::stdout().lock().write_all(bytes)
}

/// Like `write_all`, but waits if the descriptor is non-blocking and full.
#[cfg(unix)]
fn write_whole(mut handle: &std::fs::File, mut bytes: &[u8]) -> io::Result<()> {
    /// Pause before the next attempt.
    const PAUSE: std::time::Duration = std::time::Duration::from_millis(5);

    while !bytes.is_empty() {
        match handle.write(bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => bytes = bytes.get(written..).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => std::thread::sleep(PAUSE),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Writes lines to stderr. They may repeat file names and arguments, so control characters are removed.
pub(crate) fn note(text: &str) {
    stderr(&clean(text));
}

fn stderr(text: &str) {
    STDERR.note(io::stderr().lock().write_all([text, "\n"].concat().as_bytes()));
}

/// Returns the label of an error on stderr.
fn label() -> String {
    let colours = io::stderr().is_terminal() && colours_wanted();
    paint_on(colours, Style::Bad, "error:")
}

/// Writes an error and a hint to stderr.
pub(crate) fn error(text: &str, hint: Option<&str>) {
    // An error may repeat an argument.
    stderr(&format!("{} {}", label(), masked(&one_line(text)).0));
    if let Some(hint) = hint {
        stderr(&format!("  hint: {}", masked(&one_line(hint)).0));
    }
}

/// Start of the text of a composite: its heading, in Markdown.
const HEADING: &str = "# ";

/// Writes the text of a call that failed to stderr. A composite of which every section failed keeps its lines: its table says which
/// source failed, and why.
pub(crate) fn failure(text: &str) {
    let Some(whole) = text.strip_prefix(HEADING) else {
        return error(text, None);
    };
    stderr(&format!("{} {}", label(), masked(whole.trim_end()).0));
}

/// Writes a usage error to stderr.
pub(crate) fn usage_error(mut error: clap::Error) {
    use clap::error::{ContextKind, ContextValue};

    let repeated =
        |text: &str| -> String { masked(&one_line(text)).0.chars().take(REPEATED_CHARS).collect() };
    let given: Vec<(ContextKind, ContextValue)> = error
        .context()
        .map(|(kind, value)| (kind, value.clone()))
        .collect();
    for (kind, value) in given {
        let shown = match &value {
            ContextValue::String(text) => ContextValue::String(repeated(text)),
            ContextValue::Strings(texts) => {
                ContextValue::Strings(texts.iter().map(|text| repeated(text)).collect())
            }
            _ => continue,
        };
        if shown != value {
            error.insert(kind, shown);
            // The suggestion repeats the argument within styled text, so escapes in the argument cannot be
            // distinguished from styles.
            error.remove(ContextKind::Suggested);
        }
    }
    let text = error.render().to_string();
    let text = text.trim_end();
    match text.strip_prefix("error:") {
        Some(rest) => stderr(&format!("{}{}", label(), clean(rest))),
        None => stderr(&clean(text)),
    }
}

/// Replaces the progress line on a terminal's stderr; does nothing elsewhere.
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

/// Terminal style of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Bold,
    Dim,
    Good,
    Middling,
    Bad,
}

/// Returns whether stdout is a terminal and NO_COLOR is not set.
pub(crate) fn colours() -> bool {
    io::stdout().is_terminal() && colours_wanted()
}

/// Colours a text for stdout if [`colours`] allows it.
pub(crate) fn paint(style: Style, text: &str) -> String {
    paint_on(colours(), style, text)
}

/// Colours a text if `colours` is set.
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

/// Escapes characters that would break a line or a terminal.
pub(crate) fn one_line(text: &str) -> String {
    clean_line(text).into_owned()
}

/// Makes untrusted multi-line text safe for a terminal: removes control characters except line ends and tabs.
pub(crate) fn safe(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_control() || matches!(c, '\n' | '\t'))
        .collect()
}

/// Formats left-aligned columns; the last one is not padded.
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
