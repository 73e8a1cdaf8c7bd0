//! Whether the first words of an advert say that its position is taken: `EDIT: position filled, thanks all!`.

/// Characters of an advert that are looked at; further on, such words are about another one.
const BEGINNING: usize = 400;

/// Words that may stand before such a sentence.
const LEADS: [&str; 13] = [
    "edit", "edited", "update", "updated", "note", "please", "that", "sorry", "ps", "p.s", "we're", "we",
    "all",
];
/// What an advert is of.
const POSITIONS: [&str; 14] = [
    "position",
    "positions",
    "role",
    "roles",
    "job",
    "jobs",
    "vacancy",
    "vacancies",
    "opening",
    "openings",
    "posting",
    "advert",
    "listing",
    "spot",
];
/// Words that point at the advert's own position.
const POINTERS: [&str; 5] = ["this", "the", "these", "our", "both"];
/// Verbs before what was done.
const VERBS: [&str; 7] = ["has", "have", "is", "are", "was", "were", "been"];
/// Words that change nothing.
const ADVERBS: [&str; 6] = ["now", "already", "just", "currently", "finally", "since"];
/// Words with which such a sentence may go on.
const ENDINGS: [&str; 11] = [
    "thanks", "thank", "now", "already", "and", "we", "at", "as", "sorry", "but", "so",
];

/// The sentence that says so. It is of this advert only where it begins with it: `open until the position is filled`,
/// `the earlier position was filled` and `you fill a position` say nothing.
pub fn sentence(text: &str) -> Option<&str> {
    /// What an advert says that is open again, or for another position.
    const OPEN: [&str; 7] = [
        "second opening",
        "another opening",
        "still open",
        "still hiring",
        "still looking",
        "reopened",
        "re-opened",
    ];
    let end = text
        .char_indices()
        .nth(BEGINNING)
        .map_or(text.len(), |(at, _)| at);
    let beginning = text.get(..end).unwrap_or(text);
    let lower = beginning.to_lowercase();
    if OPEN.iter().any(|open| lower.contains(open)) {
        return None;
    }
    beginning
        .split(['\n', '.', '!', '?', '|', ';'])
        .flat_map(|part| part.split([':', ']']))
        .map(|part| part.trim_matches(|c: char| c.is_whitespace() || "*_~[]()-–—>".contains(c)))
        .find(|sentence| {
            let lower = sentence.to_lowercase();
            says_so(&lower) || says_so_elsewhere(&lower)
        })
}

/// What a title says in brackets: `[CLOSED] Engineer`, `Engineer (position filled)`.
pub fn in_title(title: &str) -> Option<&str> {
    let bracketed = title.split(['[', '(']).skip(1);
    bracketed
        .filter_map(|part| part.split([']', ')']).next())
        .map(str::trim)
        .find(|note| {
            let lower = note.to_lowercase();
            matches!(
                lower.as_str(),
                "closed" | "filled" | "expired" | "position closed" | "role closed"
            ) || says_so(&lower)
        })
}

/// The same in other languages: a position, and what became of it.
fn says_so_elsewhere(sentence: &str) -> bool {
    /// Longest such sentence, in words.
    const WORDS: usize = 9;
    const THEIRS: [&str; 17] = [
        "stelle",
        "position",
        "poste",
        "offre",
        "vacante",
        "puesto",
        "oferta",
        "plaza",
        "vacature",
        "functie",
        "posizione",
        "offerta",
        "vaga",
        "stanowisko",
        "tjänsten",
        "pozice",
        "вакансия",
    ];
    const TAKEN: [&str; 23] = [
        "ist besetzt",
        "bereits besetzt",
        "wurde besetzt",
        "schon vergeben",
        "nicht mehr verfügbar",
        "poste pourvu",
        "est pourvu",
        "été pourvu",
        "plus disponible",
        "está cerrada",
        "ya está cubierta",
        "ya está cubierto",
        "ya no está disponible",
        "is vervuld",
        "niet meer beschikbaar",
        "è stata coperta",
        "non è più disponibile",
        "foi preenchida",
        "já preenchida",
        "już obsadzone",
        "är tillsatt",
        "obsazena",
        "закрыта",
    ];
    /// Words of a condition: `dès que le poste est pourvu`.
    const CONDITIONS: [&str; 26] = [
        "dès",
        "lorsque",
        "si",
        "quand",
        "jusqu",
        "tant",
        "wenn",
        "sobald",
        "falls",
        "bis",
        "zodra",
        "als",
        "wanneer",
        "totdat",
        "tot",
        "cuando",
        "hasta",
        "quando",
        "até",
        "se",
        "finché",
        "gdy",
        "jakmile",
        "när",
        "когда",
        "если",
    ];
    let words = || {
        sentence
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
    };
    words().count() <= WORDS
        && !words().any(|word| CONDITIONS.contains(&word))
        && words().any(|word| THEIRS.contains(&word))
        && TAKEN.iter().any(|taken| sentence.contains(taken))
}

fn says_so(sentence: &str) -> bool {
    let words: Vec<&str> = sentence
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '\''))
        .filter(|word| !word.is_empty())
        .collect();
    // "EDIT 2026-11-05: ..."; the colon has been cut away, a day without one may stay.
    let is_lead = |word: &&&str| LEADS.contains(word) || word.contains(|c: char| c.is_ascii_digit());
    let leads = words.iter().take_while(is_lead).count();
    let Some(rest) = words.get(leads..) else {
        return false;
    };
    let rest = match rest {
        [pointer, rest @ ..] if POINTERS.contains(pointer) => rest,
        rest => rest,
    };
    // `[FILLED] Acme | Engineer`
    let alone = matches!(
        rest,
        // `EDIT: filled, thanks all!`
        ["filled"] | ["now", "filled"] | ["filled", "thanks" | "thank" | "sorry", ..]
    );
    alone || is_filled(rest) || takes_none(rest) || (leads > 0 && have_filled(rest))
}

/// `We have filled this role`.
fn have_filled(words: &[&str]) -> bool {
    let is_before = |word: &&&str| VERBS.contains(word) || ADVERBS.contains(word);
    let before = words.iter().take_while(is_before).count();
    matches!(rest_from(words, before), ["filled", pointer, position, rest @ ..]
        if POINTERS.contains(pointer) && POSITIONS.contains(position) && ends(rest))
}

/// `position filled`, `role has been filled`, `job is now closed`.
fn is_filled(words: &[&str]) -> bool {
    let Some((position, rest)) = words.split_first() else {
        return false;
    };
    if !POSITIONS.contains(position) {
        return false;
    }
    // `this job posting`
    let rest = match rest.split_first() {
        Some((second, rest)) if POSITIONS.contains(second) => rest,
        _ => rest,
    };
    let between = rest
        .iter()
        .take_while(|word| VERBS.contains(word) || ADVERBS.contains(word))
        .count();
    let is_said = rest.iter().take(between).any(|word| VERBS.contains(word));
    let said = rest_from(rest, between);
    let Some((what, rest)) = said.split_first() else {
        return false;
    };
    if is_said
        && *what == "no"
        && matches!(rest, ["longer", "active" | "available" | "open", rest @ ..] if ends(rest))
    {
        return true;
    }
    // "position closed" alone may be about a day that is named behind it.
    (*what == "filled" || is_said && matches!(*what, "closed" | "expired")) && ends(rest)
        || is_said && takes_none(said)
}

fn rest_from<'w, 's>(words: &'w [&'s str], at: usize) -> &'w [&'s str] {
    words.get(at..).unwrap_or_default()
}

/// `no longer accepting applications`, `applications are now closed`.
fn takes_none(words: &[&str]) -> bool {
    let words: Vec<&str> = words
        .iter()
        .copied()
        .skip_while(|word| VERBS.contains(word) || ADVERBS.contains(word))
        .filter(|word| !matches!(*word, "new" | "any" | "more" | "further"))
        .collect();
    match words.as_slice() {
        [
            "no",
            "longer",
            "accepting" | "taking",
            "applications" | "applicants" | "candidates",
            rest @ ..,
        ] => ends(rest) || matches!(rest, ["for", "this", position, ..] if POSITIONS.contains(position)),
        ["applications", "are" | "have", rest @ ..] => {
            let closed = rest
                .iter()
                .copied()
                .skip_while(|word| ADVERBS.contains(word) || VERBS.contains(word));
            let closed: Vec<&str> = closed.collect();
            matches!(closed.as_slice(), ["closed", rest @ ..] if ends(rest))
        }
        _ => false,
    }
}

/// Whether a sentence ends here, or goes on with something else than a limit.
fn ends(rest: &[&str]) -> bool {
    rest.first().is_none_or(|word| ENDINGS.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_advert_whose_position_is_taken() {
        for text in [
            "EDIT: position filled, thanks all!\n\nAcme | Backend Engineer | Remote",
            "Acme | Engineer | Remote\nThis position has been filled.",
            "[UPDATE: the role is now filled] We build things.",
            "EDIT: filled, thanks all!\nAcme | Engineer",
            "We have filled this role. Thank you!",
            "This role is no longer active.",
            "This job posting is no longer active.",
            "La vacante está cerrada.",
            "Diese Stelle ist bereits besetzt.",
            "Poste pourvu, merci !",
            "Cette offre n'est plus disponible.",
            "La vacante ya está cubierta.",
            "Deze vacature is vervuld.",
            "La posizione è stata coperta.",
            "Edit 2026-11-05: This role was filled",
            "Positions filled. Thank you!",
            "We are no longer accepting applications.",
            "This position is no longer accepting applications.",
            "No longer accepting applications for this position.",
            "This job has expired.",
            "Applications are now closed.",
            "[FILLED] Acme | Engineer | Remote",
            "Acme | Engineer | Remote | FILLED",
            "Update 2026-11-05: now filled!",
        ] {
            assert!(sentence(text).is_some(), "{text}");
        }
    }

    #[test]
    fn words_of_another_position_or_another_day() {
        for text in [
            "Open until the position is filled.",
            "Applications are reviewed until filled.",
            "Once the position has been filled we close the advert.",
            "If this position is filled, we will tell you.",
            "This position has not been filled.",
            "This role has been filled. We have a second opening for the same role, apply!",
            "The old position was filled, this one is still open.",
            "We have filled our order books.",
            "Die Stelle ist noch nicht besetzt.",
            "Cette version n'est plus disponible.",
            "L'annonce est retirée dès que le poste est pourvu.",
            "Wir melden uns, wenn die Stelle bereits besetzt ist.",
            "Zodra de vacature is vervuld, verwijderen wij haar.",
            "Cuando la vacante está cerrada, avisamos.",
            "We are filled with joy.",
            "The earlier position was filled in October.",
            "Our previous role was filled; this one is open.",
            "This position will be filled by December.",
            "The position filled by this hire is new.",
            "Positions are filled on a rolling basis.",
            "This role is closed on weekends.",
            "We are no longer accepting applications from agencies.",
            "Applications closed on 2026-10-01 for the first round.",
            "We reposted this advert: the earlier one closed on 2026-10-01.",
            "A deadline-driven role in a job-filled market.",
            "You fill a position in a team.",
            "Applications are open.",
            "A water-filled pump. Filled with joy, we hire.",
        ] {
            assert_eq!(sentence(text), None, "{text}");
        }
        let late = format!(
            "{} This position has been filled.",
            "Words of an advert. ".repeat(30)
        );
        assert_eq!(sentence(&late), None);
    }
}
