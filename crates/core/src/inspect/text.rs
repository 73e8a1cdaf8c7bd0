//! Judging plain text: is it *the* failure, or is it *about* one?

use freshcontext_contract::walls::{self, Fingerprint, Strength};

use super::clients;
use super::code::source;
use super::consent;
use super::fold::{fold, head, quote, tail};
use super::fragment;
use super::lines::{called_a_tool, chained, foreign, opens_with_a_status, spoken_by_a_tool};
use super::printed::{before_json, dumped_page, log, marked_up};
use super::quick;
use super::reading::{Part, Reading, read};
use super::short;
use super::tables::{normative, tabled};
use super::titles::{cited, defined, stated, tagged, titled, wondered};
use super::trace;
use super::verdict::{Inspection, Kind};

/// A document shows within this many bytes that it has a subject of its own.
pub(super) const FIRST_LOOK: usize = 1536;

/// A text that did not show it yet is read up to here, and its end, too.
const SECOND_LOOK: usize = 12 << 10;

/// How much of the end.
const END: usize = 2 << 10;

/// Longest report of a tool's failed call, in words.
const MOST_WORDS_OF_A_TOOL: usize = 60;

/// Words that a login, subscription or consent page may show of what is behind it: one or two sentences.
const TEASER: usize = 45;

/// Texts that say nothing but that there is nothing. Whole texts only: as words they are innocent.
const BLANK: &[(&str, Kind)] = &[
    ("null", Kind::Empty),
    ("undefined", Kind::Empty),
    ("none", Kind::Empty),
    ("nil", Kind::Empty),
    ("nan", Kind::Empty),
    ("unknown", Kind::Empty),
    ("empty", Kind::Empty),
    ("[object object]", Kind::Malformed),
    ("n/a", Kind::Empty),
    ("no content", Kind::Empty),
    ("loading", Kind::ScriptRequired),
    ("loading...", Kind::ScriptRequired),
    ("loading, please wait", Kind::ScriptRequired),
    ("please wait", Kind::ScriptRequired),
    ("redirecting", Kind::ScriptRequired),
    ("redirecting...", Kind::ScriptRequired),
    ("loading application", Kind::ScriptRequired),
    ("loading app", Kind::ScriptRequired),
    ("loading page", Kind::ScriptRequired),
    ("loading content", Kind::ScriptRequired),
    ("loading data", Kind::ScriptRequired),
    ("page is loading", Kind::ScriptRequired),
    ("eof", Kind::Unavailable),
    ("no such host", Kind::Unavailable),
    ("error", Kind::ServerError),
    ("failed", Kind::ServerError),
    ("failure", Kind::ServerError),
    ("fail", Kind::ServerError),
    ("timeout", Kind::Timeout),
    ("time out", Kind::Timeout),
    ("blocked", Kind::AccessDenied),
    ("denied", Kind::AccessDenied),
    ("rejected", Kind::AccessDenied),
    ("banned", Kind::AccessDenied),
    ("offline", Kind::Unavailable),
    ("unavailable", Kind::Unavailable),
    ("maintenance", Kind::Unavailable),
    ("not available", Kind::Unavailable),
    ("captcha", Kind::Challenge),
    ("invalid", Kind::ClientError),
    ("missing", Kind::NotFound),
    ("gone", Kind::NotFound),
    ("login", Kind::LoginRequired),
    ("conflict", Kind::ClientError),
    ("locked", Kind::AccessDenied),
    ("removed", Kind::NotFound),
    ("[removed]", Kind::NotFound),
    ("[deleted]", Kind::NotFound),
    ("deleted", Kind::NotFound),
];

/// Judges plain text.
pub(super) fn judge(text: &str) -> Inspection {
    let text = text.trim();
    // what browsers print above XML that they show as it is
    if let Some(rest) = text.strip_prefix("This XML file does not appear to have any style information")
        && let Some((_, xml)) = rest.split_once('<')
        && xml.starts_with(|c: char| c.is_ascii_alphabetic())
    {
        return super::documents::judge(rest.get(rest.len() - xml.len() - 1..).unwrap_or_default())
            .with("form", "XML as a browser shows it");
    }
    if let Some(found) = before_json(text)
        .or_else(|| log(text))
        .or_else(|| trace::judge(text))
    {
        return found;
    }
    if let Some(prose) = quick::prose(text) {
        return own_subject(prose.clean);
    }
    if let Some(found) = clients::judge(text)
        .or_else(|| fragment::judge(text))
        .or_else(|| dumped_page(text))
        .or_else(|| marked_up(text))
    {
        return found;
    }
    let first = untitled(fold(head(text, FIRST_LOOK), true));
    let bare = first.trim().trim_end_matches(['.', '!', ':']);
    let bare = if bare.is_empty() { first.trim() } else { bare };
    if let Some((_, kind)) = BLANK
        .iter()
        .find(|(blank, _)| *blank == bare || *blank == first.trim())
    {
        return Inspection::failure(*kind, 0.8, "the whole text is a placeholder")
            .with("wording", quote(text, 40));
    }
    // Cloudflare answers clients that take no HTML with one such line
    if let Some(code) = bare
        .strip_prefix("error code: ")
        .and_then(|code| code.parse::<u16>().ok())
    {
        let kind = match code {
            1015 => Kind::RateLimited,
            1000..=1999 => Kind::AccessDenied,
            _ => super::reading::status_kind(code),
        };
        return Inspection::failure(kind, 0.9, reason(kind)).with("wording", quote(text, 40));
    }
    if !text.chars().any(char::is_alphanumeric) {
        return nothing_readable(text);
    }
    let mut reading = read(&first);
    if let Some(kind) = waiting(&reading, &first) {
        return Inspection::failure(kind, 0.75, reason(kind)).with("wording", quote(text, 40));
    }
    if reading.stopped {
        return document(&reading);
    }
    if text.len() > FIRST_LOOK {
        let mut longer = fold(head(text, SECOND_LOOK), true);
        if text.len() > SECOND_LOOK {
            longer.push('\n');
            longer.push_str(&fold(tail(text, END.min(text.len() - SECOND_LOOK)), true));
        }
        reading = read(&longer);
        if reading.stopped {
            return document(&reading);
        }
    }
    let marks = walls::fingerprints_in(text.as_bytes());
    let found = weigh(&reading, walls::best(&marks), &first);
    if found.failed && (tabled(text) || normative(text)) {
        return Inspection::genuine(0.7, "a list of errors, or rules about them");
    }
    found
}

/// A placeholder of a page that loads, with nothing but advice below it.
fn waiting(reading: &Reading, folded: &str) -> Option<Kind> {
    let (line, _) = folded.trim().split_once('\n')?;
    let bare = line.trim_end_matches(['.', '!', ':']);
    let placeholder = BLANK
        .iter()
        .any(|(blank, kind)| *kind == Kind::ScriptRequired && *blank == bare);
    (placeholder && reading.subject_words <= 4 && reading.words() <= 25).then_some(Kind::ScriptRequired)
}

/// A text without the name of the site, where its first line is a title of which another part says nothing
/// but a failure: "Page not found | Harbour Museum".
fn untitled(folded: String) -> String {
    let Some((title, rest)) = folded.split_once('\n').filter(|(title, _)| title.len() <= 160) else {
        return folded;
    };
    let parts = [" | ", " - ", " \u{b7} ", " \u{2022} ", " :: ", " \" "]
        .into_iter()
        .find_map(|sign| title.contains(sign).then(|| title.split(sign)));
    let Some(parts) = parts else { return folded };
    let pure = parts.into_iter().find(|part| {
        let reading = read(part);
        reading.strong() && reading.subject_words == 0 && reading.spare == 0
    });
    match pure {
        Some(part) => format!("{part}\n{rest}"),
        None => folded,
    }
}

fn nothing_readable(text: &str) -> Inspection {
    if text
        .chars()
        .all(|c| c.is_ascii_punctuation() || c.is_whitespace())
    {
        return Inspection::failure(Kind::Empty, 0.7, "there is punctuation and nothing else");
    }
    // symbols may be what was asked for (an emoji answer); control and replacement characters are not
    let broken = text
        .chars()
        .filter(|c| c.is_control() || *c == '\u{fffd}')
        .count();
    if broken * 2 > text.chars().count() {
        return Inspection::failure(Kind::Malformed, 0.8, "the text is not readable characters");
    }
    Inspection::genuine(0.5, "symbols without words, and nothing that names a failure")
}

/// The judgement of a text with a subject of its own.
pub(super) fn document(reading: &Reading) -> Inspection {
    own_subject(reading.verdicts.is_empty() && reading.mentions == 0)
}

/// The same; `clean` where nothing that was read speaks of failures.
fn own_subject(clean: bool) -> Inspection {
    let confidence = if clean { 0.98 } else { 0.93 };
    Inspection::genuine(confidence, "a document with a subject of its own").with("residue", OWN_SUBJECT)
}

/// As a constant, because most judgements say so. A test compares the number with [`super::reading::ENOUGH`].
const OWN_SUBJECT: &str = "more than 100 words that belong to no failure page";

/// How many words with a subject of their own a text may have beside its statements of failure.
fn tolerance(reading: &Reading) -> usize {
    let said = reading.verdict_words + reading.attendant_words + reading.consent_words;
    let headline = matches!(reading.first, Some(Part::Verdict(_)))
        && reading.verdicts.first().is_some_and(|verdict| verdict.strong);
    // two words of failure are a title as easily; more of them, or a number to quote, are a page
    let page = said >= 8
        || reading.address > 0
        || reading.ids > 0
        || reading.attended
        || reading.attendant_words > 1;
    let pure = headline && reading.spare == 0;
    let missing = reading
        .leading()
        .is_some_and(|verdict| verdict.kind == Kind::NotFound);
    // a status by itself, and the same in words: what stands around is the site's name, its menu, a joke
    let again = reading.bare_status && reading.pure >= 2 && reading.mentions == 0 && agreed(reading);
    if again && reading.about <= 2 && reading.person == 0 {
        return 60.max(said / 2);
    }
    // pages of the missing page tell jokes, in the first person, too
    if missing && pure && reading.status_line && reading.address >= 3 && reading.about <= 5 {
        return 80;
    }
    // a joke first; but a bare status and a sentence to the visitor both say so
    if missing && reading.verdicts.len() >= 2 && reading.address >= 2 && reading.about <= 1 {
        return 40.max(said / 2);
    }
    // it opens with its refusal, turns to the visitor again and again, and has a number to quote
    if pure && reading.address >= 4 && reading.ids > 0 && reading.about <= 4 && reading.person == 0 {
        return 40;
    }
    // a page names one failure; a document lists several
    if reading.verdicts.len() >= 4 && !agreed(reading) && reading.ids == 0 {
        return 10;
    }
    let (floor, share) = match (headline, reading.strong()) {
        // a status line, and then a page that turns to the visitor
        (true, _) if pure && reading.status_line && reading.address >= 2 && reading.about == 0 => {
            (80, said / 2)
        }
        (true, _) if pure && page => (24, said / 2),
        (true, _) => (2, said / 2),
        (false, true) => (10, said * 2 / 5),
        (false, false) => (2, said / 5),
    };
    match reading.about {
        0 => floor.max(share),
        1 => floor.max(share) / 2,
        _ => floor.max(share) / 5,
    }
}

/// Whether all statements of failure name the same one; general words go with any.
fn agreed(reading: &Reading) -> bool {
    let kinds = || reading.verdicts.iter().map(|verdict| verdict.kind);
    let particular = || kinds().filter(|kind| !matches!(kind, Kind::ServerError | Kind::ClientError));
    particular()
        .next()
        .is_none_or(|first| particular().all(|kind| kind == first))
}

/// The same for other languages than English. Of those we know the verdicts, but not each word of the
/// explanation that follows, so a line that says nothing but a verdict may have a longer one.
fn patience(reading: &Reading, folded: &str) -> usize {
    let headed = matches!(reading.first, Some(Part::Verdict(_)))
        && reading.spare == 0
        && reading.strong()
        && reading.statements >= 2;
    // a server's English above sentences in another script is a heading that somebody quotes
    let letters = folded.bytes().filter(|byte| !byte.is_ascii()).count();
    let quoted = letters * 3 > folded.len()
        && reading
            .leading()
            .is_some_and(|verdict| verdict.wording.is_ascii())
        && reading.mentions > 0;
    if headed && !quoted && reading.about == 0 && !reading.listed && foreign(folded) {
        28
    } else {
        0
    }
}

/// The same beside a vendor's mark; a text that opens with the mark is the vendor's page, and stock pages
/// explain themselves at some length.
fn wall_tolerance(reading: &Reading, mark: &Fingerprint, folded: &str) -> usize {
    let opens = head(folded, 120).contains(mark.needle);
    let covers = mark.needle.len() * 2 >= folded.trim().len();
    let first = !matches!(reading.first, Some(Part::Subject));
    if covers || (opens && first) {
        super::reading::ENOUGH
    } else {
        tolerance(reading).max(8)
    }
}

/// Weighs a reading of plain text.
pub(super) fn weigh(reading: &Reading, mark: Option<&Fingerprint>, folded: &str) -> Inspection {
    let left = reading.subject_words;
    // two sentences on one line are still a title: "... when the token is invalid. Fixes #5"
    let line = reading.statements <= 2 && !folded.trim().contains('\n');
    // a report quotes the vendor's sentence: it names a change, sets the sentence in quotes or says "I"
    let quoted = |mark: &Fingerprint| {
        let covers = mark.needle.len() * 10 >= folded.trim().len() * 6;
        let bare = reading.address + reading.ids == 0 && !reading.attended;
        let parked = mark.kind == walls::WallKind::Parked;
        tagged(folded)
            || (reading.person > 0 && left >= 8)
            || (line
                && (titled(folded) || cited(folded, mark.needle) || (left > 0 && bare && !covers && !parked)))
    };
    if let Some(mark) = mark.filter(|mark| mark.strength == Strength::Proof)
        && !quoted(mark)
        && left <= wall_tolerance(reading, mark, folded)
        && reading.about
            <= if head(folded, 120).contains(mark.needle) {
                4
            } else {
                1
            }
        && (!reading.verdicts.is_empty() || left <= 1 || mark.needle.len() * 2 >= folded.trim().len())
    {
        let kind = reading.leading().map_or(Kind::from(mark.kind), |verdict| {
            refine(mark.kind.into(), verdict.kind)
        });
        return Inspection::failure(kind, 0.95, format!("{}: {}", mark.vendor, mark.kind.phrase()))
            .with("wall", format!("{}: {:?}", mark.vendor, mark.needle))
            .with("residue", format!("{left} other words"));
    }
    if called_a_tool(folded) && reading.words() <= MOST_WORDS_OF_A_TOOL {
        let kind = Kind::ToolError;
        return Inspection::failure(kind, 0.84, reason(kind)).with("wording", quote(folded, 60));
    }
    if line && chained(folded) && reading.verdicts.len() + reading.mentions > 0 && !titled(folded) {
        let kind = reading.leading().map_or(Kind::ToolError, |verdict| verdict.kind);
        return Inspection::failure(kind, 0.8, "a program's error, each cause behind the other")
            .with("wording", quote(folded, 60));
    }
    let Some(leading) = reading.leading() else {
        return wordless(reading, folded);
    };
    if reading.fenced || source(folded) || tagged(folded) {
        return Inspection::genuine(0.85, "it quotes code or output")
            .with("wording", quote(&leading.wording, 60));
    }
    let spoken = spoken_by_a_tool(folded);
    let alone = reading.statements <= 1;
    let whole = if alone { stated(folded) } else { 0 };
    let guarded = alone && !spoken && reading.address == 0 && reading.ids == 0 && !reading.attended;
    // one bare line reads like a title: every word has to be the failure's own
    let fits = if guarded {
        left == 0
            && ((leading.strong && reading.spare == 0 && reading.over <= 1)
                || (reading.spare <= whole && whole > 0))
    } else {
        left <= tolerance(reading).max(patience(reading, folded))
    };
    let polite = matches!(
        leading.kind,
        Kind::Challenge | Kind::ConsentWall | Kind::NotFound | Kind::Parked
    );
    // a site asks "are you human?", but only a person asks whether something is so
    let wonders = [
        "\u{5417}?",
        "\u{55ce}?",
        "\u{3067}\u{3059}\u{304b}?",
        "\u{307e}\u{3059}\u{304b}?",
        "\u{4e48}?",
    ];
    let asks =
        folded.trim().ends_with('?') && (!polite || wonders.iter().any(|end| folded.trim().ends_with(end)));
    // a heading of Markdown that names more than the failure
    let heads = folded.trim_start().starts_with("# ") && reading.spare > 0;
    let short = reading.statements <= 4 && folded.trim().lines().count() <= 3;
    let reported = heads
        || defined(folded, &leading.wording)
        || (short && !spoken && reading.ids == 0 && cited(folded, &leading.wording))
        || line
            && ((asks && alone)
                || (!spoken && cited(folded, &leading.wording))
                || (!polite && wondered(folded, &leading.wording))
                || (reading.address == 0 && !reading.attended && titled(folded)));
    // the status names the page, whatever the sentence after it says in jest
    let named = opens_with_a_status(folded)
        && left <= 16
        && reading.about <= 1
        && reading.mentions + reading.verdicts.len() > 0
        && (reading.address > 0 || folded.contains("page") || (left <= 2 && reading.about == 0));
    let fits = !reported && (fits || named) && (leading.strong || spoken || reading.address > 0 || whole > 0);
    let login = matches!(leading.kind, Kind::LoginRequired | Kind::ConsentWall) && leading.strong;
    let fits = fits
        || (login
            && !alone
            && reading.about == 0
            && left <= TEASER
            && reading.verdicts.len() + usize::from(reading.attendant_words > 1) >= 2);
    if !fits {
        let confidence = if left > 40 { 0.9 } else { 0.65 };
        return Inspection::genuine(confidence, "it speaks of a failure, but has a subject of its own")
            .with("wording", quote(&leading.wording, 60))
            .with("residue", format!("{left} other words"));
    }
    let mut confidence: f64 = if leading.strong { 0.84 } else { 0.62 };
    confidence += if reading.address > 0 || reading.attendant_words > 0 {
        0.06
    } else {
        0.0
    };
    confidence += if reading.tokens > 0 { 0.02 } else { 0.0 };
    confidence += if spoken { 0.04 } else { 0.0 };
    confidence -= if reading.about > 0 { 0.12 } else { 0.0 };
    confidence -= if left > 0 {
        0.02 + 0.2 * left as f64 / (left + reading.words()) as f64
    } else {
        0.0
    };
    confidence -= if guarded { 0.04 } else { 0.0 };
    let kind = if spoken && !leading.strong {
        Kind::ToolError
    } else {
        leading.kind
    };
    Inspection::failure(kind, confidence.clamp(0.5, 0.97), reason(kind))
        .with("wording", quote(&leading.wording, 60))
        .with(
            "residue",
            format!(
                "{left} other words beside {} of the failure",
                reading.verdict_words + reading.attendant_words
            ),
        )
}

/// Texts without a statement of failure.
fn wordless(reading: &Reading, folded: &str) -> Inspection {
    const APOLOGIES: [&str; 9] = [
        "sorry",
        "apolog",
        "try again",
        "try later",
        "oops",
        "back soon",
        "bear with",
        "inconvenience",
        "patience",
    ];
    let said = reading.consent_words + reading.attendant_words + reading.furniture_words;
    if reading.consent_words >= 12 && reading.subject_words * 3 <= said && reading.about == 0 {
        return Inspection::failure(Kind::ConsentWall, 0.75, "a request for consent and nothing else")
            .with("residue", format!("{} other words", reading.subject_words));
    }
    if let Some(kind) = short::judge(reading, folded) {
        return Inspection::failure(kind, 0.74, reason(kind)).with("wording", quote(folded, 60));
    }
    if ((reading.about <= 2 && reading.person == 0) || foreign(folded)) && consent::asks(folded) {
        return Inspection::failure(Kind::ConsentWall, 0.7, "a request for consent and nothing else");
    }
    // apologies and advice without anything that they are about
    if reading.attendant_words >= 8
        && reading.address >= 2
        && reading.subject_words == 0
        && reading.about == 0
        && reading.statements >= 2
        && !folded.contains("because")
        && (foreign(folded) || APOLOGIES.iter().any(|apology| folded.contains(apology)))
    {
        return Inspection::failure(Kind::ServerError, 0.6, reason(Kind::ServerError))
            .with("residue", "advice and apologies only");
    }
    // of other languages we know the advice, and seldom each verdict
    if reading.attendant_words >= 7
        && reading.subject_words * 4 <= reading.attendant_words
        && reading.about == 0
        && reading.statements >= 2
        && foreign(folded)
    {
        return Inspection::failure(Kind::ServerError, 0.55, reason(Kind::ServerError))
            .with("residue", "advice and apologies only");
    }
    let confidence = if reading.subject_words > 30 { 0.97 } else { 0.85 };
    Inspection::genuine(confidence, "nothing in it says that a retrieval failed")
}

/// The more telling of a wall's kind and the wording's.
pub(super) fn refine(wall: Kind, worded: Kind) -> Kind {
    match wall {
        Kind::ServerError | Kind::Unavailable | Kind::AccessDenied
            if !matches!(worded, Kind::ServerError | Kind::Empty | Kind::ScriptRequired) =>
        {
            worded
        }
        _ => wall,
    }
}

/// One line: what the text is, by its kind.
pub(super) fn reason(kind: Kind) -> &'static str {
    match kind {
        Kind::Challenge => "it asks the visitor to pass a check, and carries nothing else",
        Kind::AccessDenied => "it refuses access, and carries nothing else",
        Kind::RateLimited => "it says that a request limit was reached, and carries nothing else",
        Kind::LoginRequired => "it asks to log in, subscribe or send a key, and carries nothing else",
        Kind::NotFound => "it says that the thing does not exist, and carries nothing else",
        Kind::Unavailable => {
            "it says that the service cannot be reached or is being maintained, and carries nothing else"
        }
        Kind::Timeout => "it says that time ran out, and carries nothing else",
        Kind::ClientError => "it says that the request was wrong, and carries nothing else",
        Kind::ServerError => "it reports an error in place of content",
        Kind::ScriptRequired => "it is the shell of a page that needs scripts",
        Kind::ConsentWall => "it asks for consent before any content",
        Kind::Parked => "it is the page of a parked or unused domain",
        Kind::Empty => "it says that nothing was found, and carries nothing else",
        Kind::Malformed => "it is not readable as anything",
        Kind::ToolError => "a tool reports an error in place of its source",
    }
}

#[cfg(test)]
mod tests {
    use super::super::reading::ENOUGH;
    use super::*;

    #[test]
    fn evidence_names_the_number_of_words() {
        assert_eq!(
            OWN_SUBJECT,
            format!("more than {ENOUGH} words that belong to no failure page")
        );
    }
}
