//! What each section was taken for, at the head: one name may be several companies, and a word may mean anything.

use freshcontext_contract::{LEGAL_FORMS, Status, code};

use super::section::{AnsweredSection, Part};

/// Words of a company's name, besides legal forms, that say nothing of which one it is.
const COMMON: [&str; 6] = ["the", "group", "holdings", "holding", "class", "com"];

/// What a section was taken for, where that is to be said.
pub(super) fn line(section: &AnsweredSection) -> Option<String> {
    let subject = match &section.part {
        Part::Answered(answer) => answer.scored().scope.subject.clone(),
        Part::Held(held) => held.subject.clone(),
        Part::Skipped(_) | Part::Failed(_) => return None,
    };
    let words = section.words.as_deref();
    subject.or_else(|| Some(format!("the words {}, in any meaning", code(words?))))
}

/// What a section that found nothing looked at, where that is less than its source.
pub(super) fn looked_at(section: &AnsweredSection) -> Option<&str> {
    match &section.part {
        Part::Answered(answer) if answer.scored().status() == Status::Empty => {
            answer.scored().scope.looked_through.as_deref()
        }
        _ => None,
    }
}

/// Sections that name different companies: each is held against the first that names one.
pub(super) fn disagreements(company: Option<&str>, sections: &[AnsweredSection]) -> Vec<String> {
    let Some(name) = company else { return Vec::new() };
    let named_by = sections.iter().filter_map(|section| match &section.part {
        Part::Answered(answer) => Some((section.label.as_str(), answer.scored().scope.name.as_deref()?)),
        _ => None,
    });
    named_by
        .filter(|(_, other)| !same_company(name, other))
        .map(|(label, other)| {
            format!(
                "{label}: {} was found, and {} asked for. They may be different companies.",
                code(other),
                code(name)
            )
        })
        .collect()
}

/// Whether two names may be of one company: all telling words of the shorter one are in the other one.
fn same_company(one: &str, other: &str) -> bool {
    let (one, other) = (telling(one), telling(other));
    let (short, long) = if one.len() <= other.len() {
        (one, other)
    } else {
        (other, one)
    };
    short.iter().all(|word| long.contains(word))
}

fn telling(name: &str) -> Vec<String> {
    let lower = name.to_lowercase().replace(['\'', '\u{2019}', '.'], " ");
    let words = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    let all: Vec<String> = words.map(str::to_owned).collect();
    let telling: Vec<String> = all
        .iter()
        .filter(|word| !LEGAL_FORMS.contains(&word.as_str()) && !COMMON.contains(&word.as_str()))
        .cloned()
        .collect();
    if telling.is_empty() { all } else { telling }
}

#[cfg(test)]
mod tests {
    use super::same_company;

    #[test]
    fn names_of_one_company_agree() {
        for (one, other) in [
            ("Apple Inc.", "APPLE INC"),
            ("DELTA AIR LINES, INC.", "Delta Air Lines Inc"),
            ("AMAZON COM INC", "Amazon.com, Inc."),
            ("3M CO", "3M Company"),
            ("Meta Platforms, Inc.", "META PLATFORMS, INC. Class A"),
        ] {
            assert!(same_company(one, other), "{one} and {other}");
        }
        assert!(!same_company("Apple Inc.", "DELTA AIR LINES, INC."));
        assert!(!same_company("Block, Inc.", "Square Enix Holdings"));
    }
}
