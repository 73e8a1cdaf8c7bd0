//! Marks: what stands where a secret was. Nothing inside a mark is searched.

use super::mail::EMAIL;
use super::pairs::NAMED;
use super::rules::Rules;

/// Replaces a removed field.
pub const REMOVED: &str = "[removed]";
/// Name in the mark of fields that are a secret only together.
pub(crate) const JOINED: &str = "joined_secret";
const BEGIN: &str = "[masked:";
/// Most bytes of a rule's name.
const NAME: usize = 64;
/// Names that marks bear beside those of rules; the last ones are of earlier versions.
const NAMES: &[&str] = &[EMAIL, NAMED, JOINED, "authorization"];

/// The mark for what a rule found.
pub(super) fn mark(name: &str) -> String {
    format!("{BEGIN}{name}]")
}

/// Where the marks of a text are. What only looks like one is none: it could hold anything.
pub(super) fn all(text: &str) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    for at in memchr::memmem::find_iter(text.as_bytes(), BEGIN.as_bytes()) {
        let name = text.get(at + BEGIN.len()..).unwrap_or_default();
        let Some(end) = name.bytes().take(NAME + 1).position(|byte| byte == b']') else {
            continue;
        };
        let name = name.get(..end).unwrap_or_default();
        if NAMES.contains(&name) || Rules::all().is_some_and(|rules| rules.names(name)) {
            out.push((at, at + BEGIN.len() + end + 1));
        }
    }
    for at in memchr::memmem::find_iter(text.as_bytes(), REMOVED.as_bytes()) {
        out.push((at, at + REMOVED.len()));
    }
    out.sort_unstable();
    out
}

/// What of a stretch is outside of all marks. Beside a mark, spaces and punctuation are nothing.
pub(super) fn outside(text: &str, marks: &[(usize, usize)], start: usize, end: usize) -> Vec<(usize, usize)> {
    let first = marks.partition_point(|mark| mark.1 <= start);
    let near = marks.get(first..).unwrap_or_default();
    if near.first().is_none_or(|mark| mark.0 >= end) {
        return vec![(start, end)];
    }
    let mut out = Vec::new();
    let mut from = start;
    for (mark_start, mark_end) in near.iter().take_while(|mark| mark.0 < end) {
        out.push((from, *mark_start));
        from = from.max(*mark_end);
    }
    out.push((from, end));
    out.retain(|(start, end)| {
        text.get(*start..*end)
            .is_some_and(|part| part.contains(char::is_alphanumeric))
    });
    out
}
