//! Dates beside words that say what they are: "Published: June 3, 2019", "Last reviewed 3 June 2019".

use chrono::NaiveDate;
use scraper::ElementRef;

use crate::date;

/// Words that make the date behind them the publication, where nothing else stands before it.
const PUBLISHED: [&str; 50] = [
    "announced",
    "published",
    "first published",
    "originally published",
    "date published",
    "publication date",
    "published date",
    "publish date",
    "released",
    "release date",
    "posted",
    "posted date",
    "date posted",
    "issued",
    "published online",
    "veröffentlicht",
    "publié",
    "publiée",
    "publicado",
    "publicada",
    "pubblicato",
    "pubblicata",
    "gepubliceerd",
    "publicerad",
    "opublikowano",
    "опубликовано",
    "опубликована",
    "дата публикации",
    "date de publication",
    "fecha de publicación",
    "data de publicação",
    "data di pubblicazione",
    "data publikacji",
    "publicatiedatum",
    "veröffentlichungsdatum",
    "erschienen",
    "yayınlanma tarihi",
    "yayın tarihi",
    "公開日",
    "投稿日",
    "発行日",
    "发布时间",
    "发布日期",
    "發佈日期",
    "發布日期",
    "등록일",
    "게시일",
    "입력",
    "발행일",
    "date de parution",
];
/// Prepositions before a date, in the languages of these words.
const PREPOSITIONS: [&str; 9] = ["on", "at", "am", "le", "el", "em", "il", "op", "dnia"];
/// Of these, those that are said of a film, a book or a product as often as of the page.
const OF_SUBJECTS: [&str; 6] = [
    "released",
    "release date",
    "issued",
    "announced",
    "erschienen",
    "date de parution",
];
/// Words for a later change, in whatever company.
const CHANGED: [&str; 40] = [
    "updated",
    "update",
    "modified",
    "reviewed",
    "revised",
    "edited",
    "changed",
    "change",
    "amended",
    "refreshed",
    "checked",
    "verified",
    "aktualisiert",
    "geändert",
    "überarbeitet",
    "modifié",
    "actualizado",
    "actualizada",
    "aggiornato",
    "atualizado",
    "bijgewerkt",
    "обновлено",
    "aktualizacja",
    "aktualizowano",
    "zaktualizowano",
    "güncelleme",
    "güncellendi",
    "uppdaterad",
    "opdateret",
    "oppdatert",
    "更新日",
    "最終更新日",
    "更新日時",
    "更新",
    "更新时间",
    "更新時間",
    "更新日期",
    "수정",
    "수정일",
    "업데이트",
];
/// Phrases for it, in lower case.
const CHANGED_PHRASES: [&str; 3] = ["mis à jour", "mise à jour", "última actualización"];
/// Days of the week, without their last syllable.
const WEEKDAYS: [&str; 7] = ["mon", "tues", "wednes", "thurs", "fri", "satur", "sun"];
/// Most words of a label.
const LABEL_WORDS: usize = 6;
/// Most words of a date.
const DATE_WORDS: usize = 5;
/// Most words of one line that are looked at.
const WORDS: usize = 60;

/// What a label makes of the date behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    Published,
    Changed,
    /// No label, or one of another meaning.
    Unknown,
}

/// A date in a line, and what the words before it make of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Statement {
    pub(super) meaning: Meaning,
    pub(super) day: NaiveDate,
}

/// What a label says, without the colon and the preposition before its date.
pub(super) fn meaning(label: &str) -> Meaning {
    // `By Jane Doe | Published`: the last part of a line is the date's own.
    let mut parts = label.split(['|', '·', '•']);
    let own = parts.rfind(|part| part.contains(char::is_alphanumeric));
    match own.filter(|own| *own != label).map(meaning_of_part) {
        Some(Meaning::Published) => Meaning::Published,
        _ => meaning_of_part(label),
    }
}

fn meaning_of_part(label: &str) -> Meaning {
    let lower = label.to_lowercase();
    let is_weekday = |word: &str| {
        let long = word.strip_suffix("day").unwrap_or(word);
        WEEKDAYS
            .iter()
            .any(|day| *day == long || long.len() == 3 && day.starts_with(long))
    };
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty() && !is_weekday(word))
        .collect();
    let phrase = words.join(" ");
    let says_changed = words.iter().any(|word| CHANGED.contains(word))
        || CHANGED_PHRASES.iter().any(|changed| phrase.contains(changed));
    if words.len() <= LABEL_WORDS && says_changed {
        return Meaning::Changed;
    }
    let plain = match words.as_slice() {
        [words @ .., last] if PREPOSITIONS.contains(last) => words.join(" "),
        // `Published by Jane Doe on`: of what is released or issued, that is somebody else's act.
        [first @ ("published" | "posted"), "by", ..] if words.len() <= LABEL_WORDS => (*first).to_owned(),
        words => words.join(" "),
    };
    let plain = match plain.split_once(" by ") {
        Some((first @ ("published" | "posted"), _)) if words.len() <= LABEL_WORDS => first,
        _ => plain.as_str(),
    };
    if PUBLISHED.contains(&plain) {
        Meaning::Published
    } else {
        Meaning::Unknown
    }
}

/// The dates in a line, each with the words between it and the date before. In prose a label means something else
/// ("Released June 3, 2019, the album sold well"), so what stands behind a date may be a mark of its own, a time or a
/// name, but no sentence.
pub(super) fn statements(line: &str) -> Vec<Statement> {
    // Languages without blanks set none behind their colon.
    let line = line.replace('：', ": ");
    let words: Vec<&str> = line.split_whitespace().take(WORDS).collect();
    let mut found = Vec::new();
    let (mut label, mut at) = (0, 0);
    while at < words.len() {
        let Some((end, day)) = date_at(&words, at) else {
            at += 1;
            continue;
        };
        let said = words.get(label..at).unwrap_or_default().join(" ");
        let named = match meaning(&said) {
            // `Release date: November 20, 2026 (Germany)` is a film's.
            Meaning::Published if is_of_a_subject(&said) && !is_last(&words, end) => Meaning::Unknown,
            Meaning::Published if !said.contains(':') && is_prose(&words, end) => Meaning::Unknown,
            meaning => meaning,
        };
        found.push(Statement { meaning: named, day });
        (label, at) = (end, end);
    }
    found
}

/// Whether a label may be about the thing that a page tells of.
fn is_of_a_subject(label: &str) -> bool {
    let lower = label.to_lowercase();
    let words = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    let plain = words.collect::<Vec<_>>().join(" ");
    OF_SUBJECTS.contains(&plain.trim_end_matches(" on"))
}

/// Whether nothing about that date stands behind it: it ends its line, or a mark or a time follows.
fn is_last(words: &[&str], end: usize) -> bool {
    let ended = words
        .get(end.saturating_sub(1))
        .is_some_and(|word| word.ends_with(['|', '·', '•']));
    ended
        || words.get(end).is_none_or(|next| {
            let is_mark = !next.contains(char::is_alphanumeric) && !next.starts_with(['(', '[']);
            is_mark || next.starts_with(|c: char| c.is_ascii_digit()) || matches!(*next, "at" | "by")
        })
}

/// The date that begins with this word: its end, and the day. Weekdays may precede it.
fn date_at(words: &[&str], at: usize) -> Option<(usize, NaiveDate)> {
    let text = |from: usize, to: usize| words.get(from..to).map(|words| words.join(" "));
    let day = |text: &str| date::find(text).and_then(|found| found.day(None));
    (at + 1..=(at + DATE_WORDS).min(words.len())).find_map(|end| {
        let found = day(&text(at, end)?)?;
        // The shortest run of words with a date begins with it.
        let later = text(at + 1, end).and_then(|rest| day(&rest));
        (later.is_none()).then_some((end, found))
    })
}

/// Whether a sentence goes on behind a date.
fn is_prose(words: &[&str], end: usize) -> bool {
    let rest = words.get(end..).unwrap_or_default();
    let Some(next) = rest.first() else { return false };
    let apart = |word: &str| !word.chars().any(char::is_alphanumeric);
    let lower = next.to_lowercase();
    let goes_on = matches!(
        lower.as_str(),
        "by" | "at"
            | "in"
            | "updated"
            | "last"
            | "modified"
            | "reviewed"
            | "à"
            | "às"
            | "alle"
            | "om"
            | "um"
            | "kl"
    );
    let goes_on = goes_on || lower == "a" && rest.get(1).is_some_and(|next| matches!(*next, "las" | "la"));
    let ended = words
        .get(end.saturating_sub(1))
        .is_some_and(|word| word.ends_with(['|', '·', '•', ')', ']']));
    let is_time = next.starts_with(|c: char| c.is_ascii_digit());
    !(apart(next) || ended || is_time || next.starts_with(['(', '[']) || goes_on && rest.len() <= 12)
}

/// The words right before an element on its line, as far as they belong to its date.
pub(super) fn before(element: ElementRef<'_>) -> String {
    let mut said: Vec<String> = Vec::new();
    let holder = std::iter::once(*element).chain(element.ancestors()).take(2);
    for node in holder {
        for sibling in node.prev_siblings().take(4) {
            let text = match (sibling.value().as_text(), ElementRef::wrap(sibling)) {
                (Some(text), _) => text.to_string(),
                (None, Some(element))
                    if matches!(
                        element.value().name(),
                        "span" | "b" | "strong" | "em" | "i" | "small" | "dt" | "label" | "a"
                    ) =>
                {
                    crate::html::line_of(element, " ")
                }
                (None, Some(_)) => break,
                (None, None) => continue,
            };
            said.push(text);
        }
        if said.iter().any(|text| !text.trim().is_empty()) {
            break;
        }
    }
    if said.iter().all(|text| text.trim().is_empty()) {
        said.extend(line_above(element));
    }
    said.reverse();
    let line = said.join(" ");
    // What stands before another date is that one's label.
    let words: Vec<&str> = line.split_whitespace().collect();
    let tail = words
        .get(words.len().saturating_sub(LABEL_WORDS)..)
        .unwrap_or_default();
    let end = (0..tail.len())
        .rev()
        .find_map(|at| date_at(tail, at))
        .map(|(end, _)| end);
    tail.get(end.unwrap_or(0)..).unwrap_or_default().join(" ")
}

/// Longest label on a line of its own, in characters.
const LINE_CHARS: usize = 30;

/// The label on the line above an element: `<div>Last updated</div><div><time>`.
fn line_above(element: ElementRef<'_>) -> Option<String> {
    let holder = element.parent().and_then(ElementRef::wrap)?;
    let above = holder.prev_siblings().find_map(ElementRef::wrap)?;
    let is_line = matches!(above.value().name(), "div" | "p" | "dt" | "span" | "li");
    let text = crate::html::line_of(above, " ");
    let is_label =
        is_line && text.chars().count() <= LINE_CHARS && !text.contains(|c: char| c.is_ascii_digit());
    is_label.then_some(text)
}

/// What a label makes of the date before it: `<li><time></time></li><li>Updated</li>`.
pub(super) fn behind(element: ElementRef<'_>) -> Meaning {
    let is_alone = |holder: &ElementRef<'_>| {
        let mut children = holder.children().filter_map(ElementRef::wrap);
        holder.value().name() == "li" && children.next().is_some() && children.next().is_none()
    };
    let holder = element.parent().and_then(ElementRef::wrap).filter(is_alone);
    let label = holder.and_then(|holder| holder.next_siblings().find_map(ElementRef::wrap));
    let Some(label) = label else {
        return Meaning::Unknown;
    };
    let text = crate::html::line_of(label, " ");
    if text.chars().count() > LINE_CHARS || text.contains(|c: char| c.is_ascii_digit()) {
        return Meaning::Unknown;
    }
    meaning(&text)
}

/// Whether the sentence of an element goes on behind it: `On <time>June 6, 1944</time> the hall burned.`
pub(super) fn is_in_a_sentence(element: ElementRef<'_>) -> bool {
    let Some(text) = element
        .next_sibling()
        .and_then(|next| next.value().as_text().map(|text| text.trim_start().to_owned()))
    else {
        return false;
    };
    let words: Vec<&str> = text.split_whitespace().take(WORDS).collect();
    text.starts_with(char::is_lowercase) && is_prose(&words, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(line: &str) -> Vec<(Meaning, String)> {
        let found = statements(line).into_iter();
        found
            .map(|found| (found.meaning, found.day.to_string()))
            .collect()
    }

    #[test]
    fn labels_say_what_a_date_is() {
        for line in [
            "Published June 3, 2019",
            "Published: Monday, June 3, 2019",
            "Published on 3 June 2019 by Jane Doe",
            "Posted by Jane Doe on 2019-06-03",
            "Released 2019-06-03 | Download",
            "Release date: June 3, 2019",
            "Release date: June 3, 2019 10:00 UTC",
            "Publication date: 2019-06-03",
            "Published: June 3, 2019 Reading time: 5 minutes",
            "Posted June 3, 2019 at 10:00 am",
            "By Jane Doe | Published June 3, 2019",
            "Veröffentlicht am 3. Juni 2019",
            "Publié le 3 juin 2019",
            "Publicado el 3 de junio de 2019",
            "Published Online: 3 Jun 2019",
        ] {
            assert_eq!(
                said(line),
                [(Meaning::Published, "2019-06-03".to_owned())],
                "{line}"
            );
        }
        for line in [
            "Updated June 3, 2019",
            "Last reviewed: 3 June 2019",
            "This page was last modified on 2019-06-03",
            "Zuletzt aktualisiert am 3. Juni 2019",
        ] {
            assert_eq!(
                said(line),
                [(Meaning::Changed, "2019-06-03".to_owned())],
                "{line}"
            );
        }
        for line in [
            "Released from prison on June 3, 2019, the man went home.",
            "Released June 3, 2019, the album sold well.",
            "Posted to the border on June 3, 2019",
            "Published works until June 3, 2019",
            "Issued by the court on June 3, 2019",
            "Release date: June 3, 2019 (Germany)",
            "Released: 3 June 2019 in cinemas",
            "Announced: June 3, 2019 [Tokyo]",
            "June 3, 2019",
        ] {
            assert_eq!(
                said(line),
                [(Meaning::Unknown, "2019-06-03".to_owned())],
                "{line}"
            );
        }
    }

    #[test]
    fn each_date_of_a_line_has_its_own_label() {
        let published = (Meaning::Published, "2019-06-01".to_owned());
        let changed = (Meaning::Changed, "2019-06-03".to_owned());
        assert_eq!(
            said("Published June 1, 2019 | Updated June 3, 2019"),
            [published.clone(), changed.clone()]
        );
        assert_eq!(
            said("Updated: 2019-06-03, published: 2019-06-01"),
            [changed, published]
        );
        assert_eq!(said("no date here"), []);
    }
}
