//! Which list answers, and how it becomes a result.

use freshcontext_contract::{
    Cx, DateEvidence, Days, ErrorCode, Identity, SourceError, SourceResult, Status, code, counted, named,
};
use freshcontext_parse::charset::as_text;

use crate::input::{self, Input, Query, Subject};
use crate::parse::{self, Company, Filing};
use crate::request::{self, PAGE, REACH};
use crate::resolve::{self, Resolved};
use crate::search;
use crate::stands::{self, Relations};

/// Older parts of a company's list that one call may read.
pub(crate) const OLDER_FILES: usize = 2;

/// Collects filings, and says what their days mean.
pub async fn collect(cx: &Cx<'_>, input: &Input) -> Result<SourceResult, SourceError> {
    let mut result = filings(cx, input).await?;
    if result
        .items
        .iter()
        .any(|item| item.fields.contains_key("event_date"))
    {
        result.note("`event_date` is the day of the event, or the end of the period, that a form reports");
    }
    Ok(result)
}

async fn filings(cx: &Cx<'_>, input: &Input) -> Result<SourceResult, SourceError> {
    let query = input::read(input)?;
    let cursor = cx.args().cursor_by(Cursor::read)?;
    match &query.subject {
        Subject::Cik(cik) => company(cx, &query, *cik, None, cursor).await,
        Subject::Filing { cik, accession } => company(cx, &query, *cik, Some(accession), cursor).await,
        Subject::Ticker(symbol) => {
            let table = tickers(cx).await?;
            let listed = resolve::by_ticker(&table, symbol).ok_or_else(|| {
                SourceError::not_found(format!(
                    "EDGAR lists no company with the ticker {}",
                    named(symbol)
                ))
                .hint("pass the company's name or its CIK")
            })?;
            company(cx, &query, listed.cik, None, cursor).await
        }
        Subject::Text(text) => full_text(cx, &query, text, Vec::new(), cursor).await,
        Subject::Words(words) => by_words(cx, &query, words, cursor).await,
    }
}

/// Which company a name and a ticker are of, by the ticker table.
pub async fn identify(
    cx: &Cx<'_>,
    name: Option<&str>,
    ticker: Option<&str>,
) -> Result<Identity, SourceError> {
    let symbol = ticker.and_then(|text| input::ticker(text.trim_start_matches('$')));
    Ok(resolve::identity(&tickers(cx).await?, name, symbol.as_deref()))
}

async fn tickers(cx: &Cx<'_>) -> Result<Vec<resolve::Listed>, SourceError> {
    cx.read(request::tickers()?, as_text(resolve::table)).await
}

/// Where to continue: in a company's list, or on a page of search results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cursor {
    List { skip: usize, cik: u64 },
    Search { from: usize, skip: usize },
}

impl Cursor {
    fn read(text: &str) -> Option<Self> {
        let number = |text: &str| text.parse::<usize>().ok().filter(|number| *number <= 100_000);
        let (kind, rest) = text.split_once(':')?;
        let (first, second) = rest.split_once(':')?;
        match kind {
            "list" => Some(Self::List {
                skip: number(first)?,
                cik: second.parse().ok()?,
            }),
            "text" => Some(Self::Search {
                from: number(first).filter(|from| *from < REACH && from % PAGE == 0)?,
                skip: number(second)?,
            }),
            _ => None,
        }
    }
}

/// Words are a ticker or a company where EDGAR knows one of that name, else a topic.
async fn by_words(
    cx: &Cx<'_>,
    query: &Query,
    words: &str,
    cursor: Option<Cursor>,
) -> Result<SourceResult, SourceError> {
    // A cursor already says what the words were resolved to.
    match cursor {
        Some(Cursor::List { cik, .. }) => return company(cx, query, cik, None, cursor).await,
        Some(Cursor::Search { .. }) => return full_text(cx, query, words, Vec::new(), cursor).await,
        None => {}
    }
    let mut notes = Vec::new();
    let resolved = match lookup(cx, words).await {
        Ok(resolved) => resolved,
        // Blocked or throttled: asking the next address of the same host group makes it worse.
        Err(error) if !matches!(error.code, ErrorCode::NotFound | ErrorCode::Malformed) => return Err(error),
        Err(error) => {
            notes.push(format!(
                "{} could not be checked for being a company ({error}); the text was searched",
                code(words)
            ));
            Resolved::Nothing
        }
    };
    match resolved {
        Resolved::Company { cik, how } => {
            let mut result = company(cx, query, cik, None, cursor).await?;
            result.note(how);
            Ok(result)
        }
        Resolved::Several(found) => {
            let shown: Vec<String> = found
                .iter()
                .take(8)
                .map(|(cik, name)| format!("{} (CIK {cik})", named(name)))
                .collect();
            let more = found.len().saturating_sub(shown.len());
            let more = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            notes.push(format!(
                "{} names several companies: {}{more}. Pass a CIK or ticker for one of them; \
                 these are filings that mention the words",
                code(words),
                shown.join("; ")
            ));
            full_text(cx, query, &format!("\"{words}\""), notes, cursor).await
        }
        Resolved::Nothing => full_text(cx, query, words, notes, cursor).await,
    }
}

pub(crate) async fn lookup(cx: &Cx<'_>, words: &str) -> Result<Resolved, SourceError> {
    let resolved = resolve::by_words(&tickers(cx).await?, words);
    // Longer than any name: certainly a topic.
    if resolved != Resolved::Nothing || words.split_whitespace().count() > 8 {
        return Ok(resolved);
    }
    let candidates = cx
        .read(request::names(words)?, as_text(search::candidates))
        .await?;
    Ok(resolve::by_name(
        candidates.iter().map(|(cik, name)| (*cik, name.as_str())),
        words,
    ))
}

async fn company(
    cx: &Cx<'_>,
    query: &Query,
    cik: u64,
    accession: Option<&String>,
    cursor: Option<Cursor>,
) -> Result<SourceResult, SourceError> {
    let skip = match cursor {
        None => 0,
        Some(Cursor::List { skip, cik: of }) if of == cik => skip,
        Some(_) => return Err(SourceError::foreign_cursor()),
    };
    let read = cx
        .read(request::submissions(cik)?, as_text(parse::submissions))
        .await;
    let (mut company, listed, files) = read.map_err(|error| match error.code {
        ErrorCode::NotFound => error
            .saying(format!("EDGAR knows no company with the CIK {cik}"))
            .hint("check the number, or pass a ticker or the company's name"),
        _ => error,
    })?;
    let mut notes = Vec::new();
    if company.cik != cik {
        notes.push(format!(
            "EDGAR's record for CIK {cik} names the CIK {}",
            company.cik
        ));
        // Addresses are made of the number that was asked for and answered.
        company.cik = cik;
    }
    if let Some(moment) = cx.args().as_of {
        company.name = company.name_on(moment.date_naive()).to_owned();
    }
    let parse::Listed {
        mut filings,
        mut unreadable,
        mut unproven,
    } = listed;
    let days = cx.args().days();
    let fits = |filing: &Filing| match accession {
        Some(accession) => filing.accession == **accession,
        None => {
            (query.forms.is_empty()
                || query
                    .forms
                    .iter()
                    .any(|form| form.eq_ignore_ascii_case(&filing.form)))
                && (!days.given() || filing.filed.is_some_and(|day| days.contain(day)))
        }
    };
    let enough = |filings: &[Filing]| {
        let needed = if accession.is_some() {
            1
        } else {
            skip.saturating_add(cx.args().limit)
        };
        filings.iter().filter(|filing| fits(filing)).count() >= needed
    };
    let relevant: Vec<_> = files.iter().filter(|file| file.overlaps(days)).collect();
    let mut unread = relevant.len();
    let mut failure = None;
    for file in relevant.iter().take(OLDER_FILES) {
        if enough(&filings) {
            break;
        }
        let Some(request) = request::older(&file.name) else {
            continue;
        };
        match cx.read(request, as_text(parse::older)).await {
            Ok(older) => {
                filings.extend(older.filings);
                unreadable += older.unreadable;
                unproven |= older.unproven;
                unread -= 1;
            }
            Err(error) => {
                notes.push(format!("a part of the older filings could not be read ({error})"));
                failure = failure.or(Some(error));
            }
        }
    }
    let matching: Vec<&Filing> = filings.iter().filter(|filing| fits(filing)).collect();
    if let Some(error) = failure.filter(|_| matching.is_empty()) {
        // What could not be read may well hold what was asked for.
        let message = format!(
            "no filing of {} that was read ({}) is one that was asked for, and a part of the older ones could not be \
             read: {}",
            company.name,
            filings.len(),
            error.message
        );
        return Err(error.saying(message));
    }
    if let Some(accession) = accession
        && matching.is_empty()
    {
        let message = format!(
            "{} has no filing {accession} among the {} read",
            company.name,
            filings.len()
        );
        return Err(SourceError::not_found(message).hint("pass the company alone to see its filings"));
    }
    let relations = Relations::of(&filings);
    let shown: Vec<_> = matching
        .iter()
        .skip(skip)
        .take(cx.args().limit)
        .map(|filing| {
            let mut item = filing.item(&company);
            item.standing = relations.signs(filing, &company);
            item
        })
        .collect();
    let mut result = SourceResult::new(request::company_page(cik)?, shown);
    result.route = Some("submissions");
    result.summary = Some(summary(
        &company,
        query,
        days,
        &filings,
        matching.len(),
        skip,
        result.items.len(),
    ));
    result.notes = notes;
    result.scope.subject = Some(format!("{} (CIK {cik})", named(&company.name)));
    result.scope.name = Some(company.name.clone());
    result.scope.has_newest = accession.is_none()
        && skip == 0
        && cx.args().until.is_none()
        && unreadable == 0
        && !has_newer_outside(&filings, fits);
    result.standing.extend(stands::of_company(&company, &filings));
    if let Subject::Words(words) = &query.subject {
        result.standing.extend(stands::of_name(&company, words));
    }
    result.skip(unreadable, "without an accession number or a form");
    result.set("company", company.name.as_str());
    result.set("cik", company.cik);
    result.set("tickers", company.tickers.clone());
    result.set("industry", company.industry.clone());
    if unproven && !result.items.is_empty() {
        result.note(
            "EDGAR's acceptance times are UTC for some companies and New York time for others; nothing in \
             this list proves which, so they are left out where that is so",
        );
    }
    if !enough(&filings) && unread > 0 {
        result.note(format!(
            "EDGAR keeps older filings of this company in {} not read; narrow `since` and `until` to reach them",
            counted(unread, "more part that was", "more parts that were")
        ));
    }
    let next = skip.saturating_add(result.items.len());
    if !result.items.is_empty() && next < matching.len() {
        result.next = Some(format!("list:{next}:{cik}"));
    }
    Ok(result)
}

/// Whether a filing that does not fit was filed after the newest one that fits: the newest 8-K is not the newest that
/// EDGAR has of a company that has filed a 10-K since.
fn has_newer_outside(filings: &[Filing], fits: impl Fn(&Filing) -> bool) -> bool {
    let newest = |is_fit: bool| {
        let of_kind = filings.iter().filter(|filing| fits(filing) == is_fit);
        of_kind.filter_map(|filing| filing.filed).max()
    };
    newest(false) > newest(true)
}

fn summary(
    company: &Company,
    query: &Query,
    days: Days,
    filings: &[Filing],
    matching: usize,
    skip: usize,
    shown: usize,
) -> String {
    let forms = query.named_forms();
    let window = window(days);
    let name = format!("{} (CIK {})", named(&company.name), company.cik);
    if filings.is_empty() {
        return format!("{name} has no filings in EDGAR's list");
    }
    if shown == 0 {
        return format!(
            "{name}: none of the {} filings read is of {forms}{window}. Forms there: {}",
            filings.len(),
            parse::form_counts(filings)
        );
    }
    format!(
        "{name}: filings {} to {} of {matching} of {forms}{window}, newest first",
        skip + 1,
        skip + shown
    )
}

fn window(days: Days) -> String {
    match (days.since, days.until) {
        (None, None) => String::new(),
        (Some(since), None) => format!(", filed since {since}"),
        (None, Some(until)) => format!(", filed until {until}"),
        (Some(since), Some(until)) => format!(", filed {since} to {until}"),
    }
}

async fn full_text(
    cx: &Cx<'_>,
    query: &Query,
    words: &str,
    notes: Vec<String>,
    cursor: Option<Cursor>,
) -> Result<SourceResult, SourceError> {
    let (from, skip) = match cursor {
        None => (0, 0),
        Some(Cursor::Search { from, skip }) => (from, skip),
        Some(Cursor::List { .. }) => return Err(SourceError::foreign_cursor()),
    };
    let days = cx.args().days();
    let request = request::search(words, &query.forms, days, cx.now().date_naive(), from)?;
    let address = request.url.clone();
    let page = cx.read(request, as_text(search::page)).await?;
    let (fitting, others): (Vec<_>, Vec<_>) =
        page.filings.iter().partition(|found| found.is_of(&query.forms));
    let taken: Vec<_> = fitting.iter().skip(skip).take(cx.args().limit).collect();
    let mut result = SourceResult::new(address, taken.iter().map(|found| found.item()).collect());
    result.route = Some("full-text");
    result.notes = notes;
    let at_least = if page.more { "at least " } else { "" };
    let forms = query.named_forms();
    result.summary = Some(format!(
        "EDGAR full-text search for {} in {forms}{}: {at_least}{} matching documents; {} filings shown",
        code(words),
        window(days),
        page.total,
        result.items.len()
    ));
    result.scope.subject = Some(format!("filings of any company that mention {}", code(words)));
    result.skip(page.unread, "that could not be read");
    result.skip(others.len(), "of other forms than asked for");
    if page.incomplete {
        result.note("EDGAR says that it could not search all of its index; matches may be missing");
        if result.status == Status::Empty {
            let message = "EDGAR searched only a part of its index, so finding nothing there means nothing";
            return Err(SourceError::upstream(message));
        }
    }
    let seen_all = !page.more && from == 0 && skip == 0 && page.documents as u64 >= page.total;
    let complete = seen_all && taken.len() == fitting.len();
    if !complete && !result.items.is_empty() {
        result.note("Ranked by relevance: newer matches may exist beyond those shown; narrow with `since`");
        let newest = taken.iter().filter_map(|found| found.filed).max();
        result.own_date = newest.map(|day| {
            DateEvidence::signal("newest filing day among the relevance-ranked matches shown", day)
        });
    }
    let next_skip = skip.saturating_add(taken.len());
    let next_from = from.saturating_add(PAGE);
    result.next = if next_skip < fitting.len() {
        Some(format!("text:{from}:{next_skip}"))
    } else if page.documents >= PAGE && next_from < REACH && (page.more || (next_from as u64) < page.total) {
        Some(format!("text:{next_from}:0"))
    } else {
        None
    };
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_of_one_form_is_not_the_newest_of_the_company() {
        let list = r#"{"accessionNumber":["0000000001-26-000003","0000000001-26-000002","0000000001-26-000001"],
            "form":["10-K","8-K","10-Q"],"filingDate":["2026-11-20","2026-03-01","2025-11-01"]}"#;
        let filings = parse::older(list).unwrap().filings;
        assert_eq!(filings.len(), 3);
        let is = |form: &'static str| move |filing: &Filing| filing.form == form;
        assert!(has_newer_outside(&filings, is("8-K")));
        assert!(!has_newer_outside(&filings, is("10-K")));
        assert!(!has_newer_outside(&filings, |_| true));
    }

    #[test]
    fn cursors_are_checked() {
        assert_eq!(
            Cursor::read("list:15:320193").unwrap(),
            Cursor::List {
                skip: 15,
                cik: 320_193
            }
        );
        assert_eq!(
            Cursor::read("text:100:15").unwrap(),
            Cursor::Search { from: 100, skip: 15 }
        );
        for wrong in [
            "",
            "2",
            "list:1",
            "list:-1:5",
            "text:50:0",
            "text:10000:0",
            "list:9999999:1",
            "other:1:2",
        ] {
            assert_eq!(Cursor::read(wrong), None, "{wrong}");
        }
    }
}
