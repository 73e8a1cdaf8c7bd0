//! What programs print around an answer: words above JSON, a page as a literal, the lines of a log.

use memchr::{memchr, memchr_iter};

use super::fold::{fold, head};
use super::lines::{MOST_WORDS_OF_PROGRESS, frame, opens_a_frame, opens_as_output, output, progress};
use super::reading::read;
use super::text::{FIRST_LOOK, judge};
use super::verdict::{Inspection, Kind};
use super::{html, json, page};

/// Longest text that may have lost the beginning of its markup, in bytes.
const MARKED_UP: usize = 4 << 10;

/// A text with tags in it, though it does not begin with one: it may be the inside of a failure page.
pub(super) fn marked_up(text: &str) -> Option<Inspection> {
    let tags = [
        "<br",
        "</p>",
        "</div>",
        "</h1>",
        "</a>",
        "</span>",
        "</td>",
        "</center>",
        "</title>",
        "</body>",
    ];
    let tagged = text.len() <= MARKED_UP && text.contains('<') && tags.iter().any(|tag| text.contains(tag));
    if !tagged || text.contains(['`', '{']) {
        return None;
    }
    let page = page::scan(text);
    let seen = [page.title.as_str(), &page.headings, &page.text].join("\n");
    let found = judge(&seen.replace('<', " "));
    let said = found.failed && !matches!(found.kind, Some(Kind::Empty | Kind::Malformed));
    said.then(|| found.with("form", "text with markup"))
}

/// Longest words of a program above the page that it was sent, in bytes.
const ABOVE_A_PAGE: usize = 120;

/// A page as a program prints it, perhaps as a literal of its language: "Got response (405): b'<!DOCTYPE ...".
/// Who quotes a page in a report says so at more length, or in the first person.
pub(super) fn dumped_page(text: &str) -> Option<Inspection> {
    let start = head(text, ABOVE_A_PAGE + 16).to_ascii_lowercase();
    let at = start.find("<!doctype html").or_else(|| start.find("<html"))?;
    let (above, dumped) = text.split_at_checked(at)?;
    let above = fold(above, false);
    let bare = above.trim_end_matches(['b', '\'', '"', ' ', '\n']);
    let said = read(bare);
    if !bare.ends_with([':', ')', '=']) || said.person > 0 || said.words() > 8 || text.contains("```") {
        return None;
    }
    let plain = dumped
        .replace("\\n", "\n")
        .replace("\\t", " ")
        .replace("\\'", "'")
        .replace("\\\"", "\"");
    let found = html::judge(&plain);
    found
        .failed
        .then(|| found.with("form", "a page printed by a program"))
}

/// Longest words above JSON, in bytes.
const MOST_WORDS_ABOVE: usize = 400;

/// Longest tail of a program's words below JSON, in bytes.
const MOST_WORDS_BELOW: usize = 120;

/// Words above JSON that tell of a document with an example in it.
const DOCUMENTS: [&str; 6] = ["example", "sample", "return", "format", "schema", "e.g."];

/// A line of words and then JSON: a reader service's warning above its envelope, or what a program prints
/// around an answer. The words decide, or what the JSON says, where the words are a program's few.
pub(super) fn before_json(text: &str) -> Option<Inspection> {
    let start = head(text, MOST_WORDS_ABOVE + 2);
    let brace = memchr(b'{', start.as_bytes())?;
    if let Some(at) = start.find("\n{").or_else(|| start.find(" {\""))
        && let Some((words, data)) = text.split_at_checked(at)
        && json::scan(data.trim()).is_some()
    {
        let found = judge(words.trim_end_matches(':'));
        if found.failed && found.confidence >= 0.8 {
            return Some(found.with("form", "words above JSON"));
        }
    }
    let (above, rest) = text.split_at_checked(brace)?;
    let (data, below) = rest.split_at_checked(rest.rfind('}')? + 1)?;
    // who says that something failed may say what: "sync failed: the store answered 503 for /items/7: {...}"
    let failed = above
        .split_once(": ")
        .is_some_and(|(what, _)| what.ends_with(" failed"));
    let most = if failed && below.trim().is_empty() { 12 } else { 6 };
    let few = above.split_ascii_whitespace().count() <= most && below.len() <= MOST_WORDS_BELOW;
    let printed = data.starts_with("{\"") || data.starts_with("{\n") || data.starts_with("{'");
    if above.trim().is_empty() || !few || !printed || text.contains("```") {
        return None;
    }
    // a sentence below is a document's that goes on; a program adds a line of its own at most
    let below_it = below.trim();
    let goes_on = below_it.ends_with('.')
        && below_it.starts_with(char::is_uppercase)
        && below_it.split_ascii_whitespace().count() >= 7;
    if goes_on {
        return None;
    }
    let words = fold(above, true);
    if words.starts_with("# ") || words.starts_with("##") || DOCUMENTS.iter().any(|word| words.contains(word))
    {
        return None;
    }
    let said = read(&fold(&format!("{above}\n{below}"), true));
    let found = super::data::judge_json(data).or_else(|| super::data::judge_literal(data))?;
    (found.failed && said.person == 0 && said.subject_words <= 16)
        .then(|| found.with("form", "JSON among words"))
}

/// A line as [`output`] and its like take it; `None` where they would make nothing of it.
fn spelled(line: &str) -> Option<String> {
    let short = line
        .split_ascii_whitespace()
        .nth(MOST_WORDS_OF_PROGRESS)
        .is_none();
    let told = short || opens_as_output(line) || opens_a_frame(line) || line.contains("retcode: ");
    told.then(|| fold(line, false))
}

/// The output of a command that failed: most lines carry the same tag of an error.
pub(super) fn log(text: &str) -> Option<Inspection> {
    let is = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        ["err", "error", "fatal", "e", "critical"]
            .iter()
            .any(|tag| word.eq_ignore_ascii_case(tag))
    };
    let tag = |line: &str| {
        let tagged = |word: &str| word.ends_with(['!', ':', ']']) && is(word);
        let mut words = line.split_ascii_whitespace();
        let first = words.next().unwrap_or_default();
        let second = words.next().unwrap_or_default();
        tagged(first) || tagged(second) || (is(second) && words.next().is_some())
    };
    let text = head(text, FIRST_LOOK);
    // A line of nothing but spaces counts here, which only makes the way out below a longer one.
    let bytes = text.as_bytes();
    let ends = || memchr_iter(b'\n', bytes);
    let most = ends().filter(|at| bytes.get(at + 1) != Some(&b'\n')).count() + 1;
    if most < 2 {
        return None;
    }
    let mut lines = 0_usize;
    let (mut tagged, mut reported, mut errors) = (0_usize, 0_usize, 0_usize);
    let mut last = false;
    let mut next = 0;
    for end in ends().chain([bytes.len()]) {
        let start = std::mem::replace(&mut next, end + 1);
        let line = text.get(start..end).unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        lines += 1;
        tagged += usize::from(tag(line));
        // where too many lines are no output, it does not matter what the others are
        let told = (lines - 1 - reported) * 10 <= most * 2;
        if let Some(line) = told.then(|| spelled(line)).flatten() {
            let found = output(&line).or_else(|| progress(&line).then_some(false));
            reported += usize::from(found.is_some());
            errors += usize::from(found == Some(true));
            // the frames below an error belong to it
            if !frame(&line) {
                last = found.unwrap_or(last);
            }
        }
        // most texts are no log, and show it in their first lines
        if (lines - reported) * 10 > most * 2 && (lines - tagged) * 10 > most * 3 {
            return None;
        }
    }
    if lines < 2 {
        return None;
    }
    if reported * 10 >= lines * 8 && errors > 0 && (last || errors * 2 >= reported) {
        return Some(
            Inspection::failure(Kind::ToolError, 0.84, "the output of a tool that failed").with(
                "shape",
                format!("{reported} of {lines} lines are a tool's output, {errors} of them errors"),
            ),
        );
    }
    (lines >= 3 && tagged * 10 >= lines * 7).then(|| {
        Inspection::failure(Kind::ToolError, 0.88, "the output of a command that failed").with(
            "shape",
            format!("{tagged} of {lines} lines carry the tag of an error"),
        )
    })
}
