//! Fixed wordings and the part that each plays on a failure page.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use freshcontext_contract::walls::{FINGERPRINTS, Strength};

use super::verdict::Kind;

/// The part that a wording plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// It says that the thing could not be had, in words that servers use.
    Verdict(Kind),
    /// It goes with such a statement: what to do now, whom to ask, a number to quote, an apology.
    Attendant,
    /// It asks for consent to cookies and the like.
    Consent,
    /// Site furniture: menus, footers.
    Furniture,
    /// It speaks *about* failures: reports, explains, fixes.
    About,
}

/// English wordings, and those of other languages: data, one wording a line under section headings.
const FILES: [&str; 2] = [
    include_str!("phrases/english.txt"),
    include_str!("phrases/world.txt"),
];

/// One wording found in a folded text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hit {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) role: Role,
    /// The wording as the table has it, without the `*`.
    pub(super) wording: &'static str,
}

struct Table {
    search: AhoCorasick,
    /// Role, wording, and whether its last word may go on.
    wordings: Vec<(Role, &'static str, bool)>,
}

/// The wordings of a file. A heading that names no role makes its section count for nothing; a test
/// sees to it that there is none.
fn wordings(file: &'static str) -> impl Iterator<Item = (Role, &'static str, bool)> {
    let mut role = None;
    file.lines()
        .filter(|line| !line.is_empty() && !line.starts_with("# "))
        .filter_map(move |line| {
            if let Some(heading) = line.strip_prefix("= ") {
                role = role_of(heading);
                return None;
            }
            let stem = line.strip_suffix('*');
            role.map(|role| (role, stem.unwrap_or(line), stem.is_some()))
        })
}

/// Vendors' marks that are sentences for people, and no markup.
fn stock_sentences() -> impl Iterator<Item = (Role, &'static str, bool)> {
    let marks = FINGERPRINTS
        .into_iter()
        .flatten()
        .filter(|mark| mark.strength == Strength::Proof);
    let worded = marks.filter(|mark| {
        mark.needle.matches(' ').count() >= 3 && !mark.needle.contains(['<', '=', '&', '|', '(', '['])
    });
    worded.map(|mark| (Role::Verdict(mark.kind.into()), mark.needle, false))
}

fn role_of(heading: &str) -> Option<Role> {
    if let Some(name) = heading.strip_prefix("verdict ") {
        return Kind::ALL
            .into_iter()
            .find(|kind| kind.as_str() == name)
            .map(Role::Verdict);
    }
    match heading {
        "attendant" => Some(Role::Attendant),
        "consent" => Some(Role::Consent),
        "furniture" => Some(Role::Furniture),
        "about" => Some(Role::About),
        _ => None,
    }
}

fn table() -> Option<&'static Table> {
    static TABLE: LazyLock<Option<Table>> = LazyLock::new(|| {
        let mut wordings: Vec<_> = FILES.into_iter().flat_map(wordings).collect();
        wordings.extend(stock_sentences());
        let search = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(wordings.iter().map(|(_, wording, _)| wording))
            .ok()?;
        Some(Table { search, wordings })
    });
    TABLE.as_ref()
}

/// All wordings in a folded text, in order and without overlap; the longest at each place. Only whole
/// words count in scripts that put spaces between them.
pub(super) fn find(folded: &str) -> Vec<Hit> {
    let Some(table) = table() else { return Vec::new() };
    let mut hits = Vec::new();
    for found in table.search.find_iter(folded) {
        let Some((role, wording, open)) = table.wordings.get(found.pattern().as_usize()) else {
            continue;
        };
        let before = folded
            .get(..found.start())
            .and_then(|text| text.chars().next_back());
        let after = folded.get(found.end()..).and_then(|text| text.chars().next());
        let first = wording.chars().next();
        let last = wording.chars().next_back();
        if joined(before, first) || (!open && joined(last, after)) {
            continue;
        }
        // parts of addresses and compounds are no words of their own
        let glued = |c: Option<char>| c.is_some_and(|c| matches!(c, '/' | '_' | '@' | '=' | '-' | '&' | '#'));
        if !wording.contains(' ')
            && first.is_some_and(|c| c.is_ascii_alphabetic())
            && (glued(before) || glued(after))
        {
            continue;
        }
        hits.push(Hit {
            start: found.start(),
            end: found.end(),
            role: *role,
            wording,
        });
    }
    hits
}

/// Whether two neighbouring characters belong to one word.
fn joined(left: Option<char>, right: Option<char>) -> bool {
    let spaced = |c: char| c.is_alphanumeric() && !unspaced(c);
    left.is_some_and(spaced) && right.is_some_and(spaced)
}

/// Whether a character belongs to a script without spaces between words (Chinese, Japanese, Korean
/// particles, Thai).
pub(super) fn unspaced(c: char) -> bool {
    matches!(c, '\u{0e00}'..='\u{0e7f}' | '\u{1100}'..='\u{11ff}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{2ffff}')
}

#[cfg(test)]
mod tests {
    use super::super::fold::fold;
    use super::*;

    #[test]
    fn wordings_are_written_in_folded_form_and_once() {
        let mut seen = std::collections::HashMap::new();
        for (role, wording, _) in FILES.into_iter().flat_map(wordings) {
            assert_eq!(wording, fold(wording, false), "not folded");
            if let Some(other) = seen.insert(wording, role) {
                panic!("{wording:?} is listed twice ({other:?}, {role:?})");
            }
        }
        assert!(seen.len() > 3000, "{}", seen.len());
        for heading in FILES
            .into_iter()
            .flat_map(str::lines)
            .filter_map(|line| line.strip_prefix("= "))
        {
            assert!(role_of(heading).is_some(), "no such role: {heading}");
        }
    }

    #[test]
    fn only_whole_words_match() {
        assert!(find("inforbiddenly").is_empty());
        assert_eq!(find("access denied").len(), 1);
        assert_eq!(
            find("抱歉，页面不存在。")
                .iter()
                .filter(|hit| hit.role == Role::Verdict(Kind::NotFound))
                .count(),
            1
        );
    }
}
