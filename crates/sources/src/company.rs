//! Which company a composite is about, settled once: the sections then ask for that one, and for no namesake of it.

use freshcontext_contract::{Company, Identity, code, common_name, named};

use crate::composite::{Identify, PartCall, Plan};
use crate::question;

/// Why people's words are not searched for a ticker.
pub const NEEDS_NAME: &str = "company_name is needed; a ticker alone is no word to search for";

/// The register of companies.
const REGISTER: &str = "extract_sec_filings";

/// What is to be settled, and what follows from it.
pub fn identify(
    name: Option<&str>,
    ticker: Option<&str>,
    then: fn(&mut Plan, &Identify, &Identity),
) -> Identify {
    Identify {
        tool: REGISTER,
        name: name.map(str::to_owned),
        ticker: ticker.map(str::to_owned),
        then,
    }
}

/// Whether a text can be one ticker of a US exchange.
pub fn is_us_ticker(text: &str) -> bool {
    let symbol = text.trim_start_matches('$');
    let (root, class) = symbol.split_once(['.', '-']).unwrap_or((symbol, ""));
    let letters = |text: &str| text.bytes().all(|b| b.is_ascii_alphabetic());
    (1..=5).contains(&root.len()) && class.len() <= 1 && letters(root) && letters(class)
}

/// A legal name without the state after it: `BANK OF AMERICA CORP /DE/`.
fn legal(name: &str) -> &str {
    name.split(" /").next().unwrap_or(name).trim()
}

/// A legal name without its legal form: what people call it.
fn short(name: &str) -> String {
    common_name(legal(name))
}

/// How the press writes it: its short name, and with its legal form where that is a single word, which may be any.
fn press(name: &str) -> String {
    let short = short(name);
    if short.contains(' ') {
        short
    } else {
        legal(name).replace(',', "").trim_end_matches('.').to_owned()
    }
}

fn shown(company: &Company) -> String {
    let ticker = company
        .ticker
        .as_deref()
        .map(|ticker| format!(", {}", named(ticker)));
    format!(
        "{} (CIK {}{})",
        named(&company.name),
        company.number,
        ticker.unwrap_or_default()
    )
}

fn listed(companies: &[Company]) -> String {
    let all: Vec<String> = companies.iter().map(shown).collect();
    all.join("; ")
}

fn part<'p>(plan: &'p mut Plan, tool: &str) -> Option<&'p mut PartCall> {
    plan.sections.iter_mut().find(|part| part.tool == tool)
}

fn put(plan: &mut Plan, part_: question::Part) {
    let call = part_.call();
    if let Some(part) = part(plan, call.tool) {
        let from = call.from.or(part.from);
        *part = PartCall { from, ..call };
    }
}

/// Asks all sections of a company landscape for the company that is meant.
pub fn settle(plan: &mut Plan, asked: &Identify, found: &Identity) {
    let name = asked.name.as_deref().unwrap_or_default();
    let ticker = asked
        .ticker
        .as_deref()
        .map(|ticker| ticker.trim_start_matches('$'));
    if let (Some(ticker), Some(other)) = (ticker, &found.other) {
        let ticker = named(&ticker.to_uppercase());
        plan.notes.push(match &found.company {
            Some(company) => format!(
                "The arguments disagree: {ticker} is the ticker of {}, {} names {}. All sections are about the latter; \
                 for the former pass its name.",
                shown(other),
                code(name),
                shown(company)
            ),
            None => format!(
                "The arguments disagree: {ticker} is the ticker of {}, {} may name {}. Which is meant is not known: pass \
                 company and ticker of one.",
                shown(other),
                code(name),
                listed(&found.candidates)
            ),
        });
    }
    let Some(company) = &found.company else {
        unsettled(plan, name, found);
        return;
    };
    let alike = found.other.is_none() && !has_words(&company.name, name);
    if let (Some(ticker), true) = (ticker, alike) {
        plan.notes.push(format!(
            "{} is not the legal name of {}, whose ticker is {}: all sections are about that company.",
            code(name),
            shown(company),
            named(&ticker.to_uppercase())
        ));
    }
    if !found.candidates.is_empty() && ticker.is_none() {
        plan.notes.push(format!(
            "{} was taken for {}. Others whose name begins so: {}. Pass a ticker for one of them.",
            code(name),
            shown(company),
            listed(&found.candidates)
        ));
    }
    plan.company = Some(company.name.clone());
    put(plan, question::filings_of(company.number));
    put(plan, question::contracts_of(legal(&company.name)));
    put(plan, question::gdelt(&press(&company.name)).from("company"));
    // A foreign ticker is the caller's own word for what is quoted.
    if let Some(known) = &company.ticker
        && (found.knows_ticker || ticker.is_none())
    {
        let same = asked.ticker.as_deref().filter(|_| found.other.is_none());
        put(plan, question::finance(same.unwrap_or(known)).from("ticker"));
    }
}

/// Where several companies may be meant, none is asked for: what would come is of the wrong one.
fn unsettled(plan: &mut Plan, name: &str, found: &Identity) {
    if found.candidates.is_empty() && found.other.is_none() {
        plan.notes.push(format!(
            "{} is not the name of a company that is listed in the US; the sections search for the words.",
            code(name)
        ));
        return;
    }
    if found.other.is_none() {
        plan.notes.push(format!(
            "{} may name {}. Which is meant is not known: pass its ticker.",
            code(name),
            listed(&found.candidates)
        ));
    }
    let why = "the name is that of several companies (see the note above); give the ticker of one";
    put(plan, question::skip_filings(why));
    put(plan, question::skip_govcontracts(why));
    put(plan, question::skip_finance(why));
}

fn has_words(name: &str, words: &str) -> bool {
    let plain = |text: &str| -> String {
        text.chars()
            .filter(|c| c.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect()
    };
    plain(name).contains(&plain(&short(words)))
}

/// Asks people's words for the name of a ticker's company.
pub fn name_tickers(plan: &mut Plan, _: &Identify, found: &Identity) {
    let Some(company) = &found.company else { return };
    let name = short(&company.name);
    plan.company = Some(company.name.clone());
    plan.notes.push(format!(
        "The searches are for {}, the name of {}; for other words give company_name.",
        code(&name),
        shown(company)
    ));
    for (tool, part_) in [
        ("extract_hackernews", question::hackernews(&name)),
        ("extract_reddit", question::reddit(&name)),
        ("search_repos", question::repos(&name)),
    ] {
        if part(plan, tool).is_some_and(|part| part.skipped.is_some()) {
            put(plan, part_);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_shortened_for_those_who_read_them() {
        for (legal, brief, written) in [
            ("Apple Inc.", "Apple", "Apple Inc"),
            ("DELTA AIR LINES, INC.", "DELTA AIR LINES", "DELTA AIR LINES"),
            ("Meta Platforms, Inc.", "Meta Platforms", "Meta Platforms"),
            ("TARGET CORP", "TARGET", "TARGET CORP"),
            ("Shell plc", "Shell", "Shell plc"),
            ("3M CO", "3M", "3M CO"),
            ("C3.ai, Inc.", "C3.ai", "C3.ai Inc"),
            ("BANK OF AMERICA CORP /DE/", "BANK OF AMERICA", "BANK OF AMERICA"),
            ("Block, Inc.", "Block", "Block Inc"),
        ] {
            assert_eq!((short(legal).as_str(), press(legal).as_str()), (brief, written));
        }
    }

    #[test]
    fn tickers_of_one_us_share() {
        assert!(is_us_ticker("NET") && is_us_ticker("$BRK.B") && is_us_ticker("F"));
        assert!(
            !is_us_ticker("NET,MSFT")
                && !is_us_ticker("^GSPC")
                && !is_us_ticker("BTC-USD")
                && !is_us_ticker("SAP.DE")
        );
    }
}
