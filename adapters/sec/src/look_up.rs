//! One filing by its accession number.

use freshcontext_contract::standing::Basis;
use freshcontext_contract::{Cx, ErrorCode, Lookup, Presence, SourceError};
use freshcontext_parse::charset::as_text;

use crate::collect::{OLDER_FILES, lookup};
use crate::parse::{self, Filing};
use crate::request;
use crate::resolve::Resolved;
use crate::stands::Relations;

/// Looks for a filing in the list of the company that is named, else of the filer whose number the accession begins with.
/// That number may be an agent's, whose clients' filings are in no list of its own: then nothing is settled.
pub async fn look_up(cx: &Cx<'_>, accession: &str, company: Option<&str>) -> Result<Lookup, SourceError> {
    let prefix = accession.get(..10).and_then(|digits| digits.parse::<u64>().ok());
    let cik = match company.map(str::trim).filter(|company| !company.is_empty()) {
        Some(company) => match number(company) {
            Some(cik) => Some(cik),
            None => match lookup(cx, company).await? {
                Resolved::Company { cik, .. } => Some(cik),
                Resolved::Several(_) | Resolved::Nothing => {
                    return Ok(Lookup::new(Presence::Unsettled("company_not_known")));
                }
            },
        },
        None => prefix,
    };
    let Some(cik) = cik.filter(|cik| *cik > 0) else {
        return Ok(Lookup::new(Presence::Unsettled("company_needed")));
    };
    let question = request::submissions(cik)?;
    let url = question.url.to_string();
    let (mut company, listed, files) = match cx.read(question, as_text(parse::submissions)).await {
        Ok(read) => read,
        Err(error) if error.code == ErrorCode::NotFound => {
            return Ok(Lookup::new(Presence::Unsettled("company_needed")).showing(
                "HTTP status",
                "404",
                Some(url),
            ));
        }
        Err(error) => return Err(error),
    };
    company.cik = cik;
    let mut filings = listed.filings;
    let mut unread = files.len();
    let is_it = |filing: &Filing| filing.accession == accession;
    for file in files.iter().take(OLDER_FILES) {
        if filings.iter().any(is_it) {
            break;
        }
        let Some(request) = request::older(&file.name) else {
            continue;
        };
        filings.extend(cx.read(request, as_text(parse::older)).await?.filings);
        unread -= 1;
    }
    let relations = Relations::of(&filings);
    let Some(filing) = filings.iter().find(|filing| is_it(filing)) else {
        // A filer's own number, and all of its filings read: then it would be there.
        let complete = unread == 0 && listed.unreadable == 0 && prefix == Some(cik) && !filings.is_empty();
        let presence = if complete && files_itself(&filings, cik) {
            Presence::Gone(Basis::Mark)
        } else {
            Presence::Unsettled("not_in_list")
        };
        return Ok(Lookup::new(presence).showing("accessionNumber", "not in the list", Some(url)));
    };
    let mut item = filing.item(&company);
    item.standing = relations.signs(filing, &company);
    Ok(Lookup::of_item(item).showing("accessionNumber", accession, Some(url)))
}

/// Whether a company files under its own number, not only by agents.
fn files_itself(filings: &[Filing], cik: u64) -> bool {
    let own = format!("{cik:010}-");
    filings.iter().any(|filing| filing.accession.starts_with(&own))
}

/// A CIK, with or without its letters.
fn number(company: &str) -> Option<u64> {
    let digits = company
        .trim_start_matches(|c: char| c.is_ascii_alphabetic())
        .trim();
    let plain = company
        .get(..company.len() - digits.len())
        .unwrap_or_default()
        .trim();
    (plain.is_empty() || plain.eq_ignore_ascii_case("cik"))
        .then(|| digits.parse().ok())
        .flatten()
}
