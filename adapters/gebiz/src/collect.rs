//! All matching rows, grouped and sorted here.

use freshcontext_contract::{
    Cx, DateEvidence, Response, SourceError, SourceResult, code, counted, named, sort_by_date,
};
use freshcontext_parse::charset;
use freshcontext_parse::charset::as_text;

use crate::input::{self, Input, Query};
use crate::parse::{self, Row};
use crate::request::{self, PAGE, PAGES};
use crate::tenders::{self, Tender};

const SCOPE: &str = "These are awards of past tenders; open tenders are only on the GeBIZ portal";

/// The only route.
pub const ROUTE: &str = "datastore";
/// More rows than the dataset has.
const MOST_ROWS: usize = 100_000;

/// The rows that were read, and how sure it is that they are all.
struct Read {
    rows: Vec<Row>,
    unreadable: usize,
    /// Rows that match according to the source.
    total: Option<usize>,
    complete: bool,
}

/// Collects awards.
pub async fn collect(cx: &Cx<'_>, input: &Input) -> Result<SourceResult, SourceError> {
    let query = input::read(input)?;
    let skip = cx.args().cursor_within(1..=MOST_ROWS)?.unwrap_or(0);
    let routed = cx.first_route(&[ROUTE], &[], |_| search(cx, &query)).await?;
    let mut notes = vec![SCOPE.to_owned()];
    let updated = |response: &Response| {
        let updated = parse::updated(&charset::decode(response).text);
        if updated.is_none() {
            response.discard();
        }
        Ok(updated)
    };
    let as_of = cx.read(request::metadata()?, updated).await.unwrap_or_default();
    let mut result = to_result(cx, &query, &routed.answer, skip)?;
    result.route = Some(routed.route);
    match as_of {
        Some(day) => result.set("data_as_of", day.to_string()),
        None => notes.push("When the dataset was last published could not be read".to_owned()),
    }
    result.notes.extend(notes);
    Ok(result)
}

async fn search(cx: &Cx<'_>, query: &Query) -> Result<Read, SourceError> {
    let mut out = Read {
        rows: Vec::new(),
        unreadable: 0,
        total: None,
        complete: false,
    };
    let mut received = 0;
    for _ in 0..PAGES {
        let rows = request::rows(query, received)?;
        let page = cx.read(rows, as_text(parse::page)).await?;
        received += page.received;
        out.unreadable += page.received - page.rows.len();
        out.rows.extend(page.rows);
        out.total = page.total.or(out.total);
        out.complete = page.total.is_some_and(|total| received >= total);
        // A short page is the last one, whatever the total says.
        if out.complete || page.received < PAGE {
            out.complete |= page.total.is_none();
            break;
        }
    }
    let mut seen = std::collections::HashSet::new();
    out.rows
        .retain(|row| row.number.is_none_or(|number| seen.insert(number)));
    Ok(out)
}

fn searched(row: &Row) -> String {
    let supplier = row.supplier.as_deref().unwrap_or_default();
    format!("{} {} {} {supplier}", row.tender, row.description, row.agency).to_lowercase()
}

fn to_result(cx: &Cx<'_>, query: &Query, read: &Read, skip: usize) -> Result<SourceResult, SourceError> {
    let args = cx.args();
    let days = args.days();
    let rows: Vec<Row> = read
        .rows
        .iter()
        .filter(|row| {
            query
                .phrase
                .as_ref()
                .is_none_or(|phrase| searched(row).contains(phrase))
        })
        .cloned()
        .collect();
    let mut tenders = tenders::group(&rows);
    let undated = tenders.iter().filter(|tender| tender.awarded.is_none()).count();
    tenders.retain(|tender| !days.given() || tender.awarded.is_some_and(|day| days.contain(day)));
    let sort = args.sort.unwrap_or("newest");
    sort_by_date(&mut tenders, sort, |tender| tender.awarded);
    if sort == "top" {
        let amount = |tender: &Tender| tender.total.unwrap_or(f64::NEG_INFINITY);
        tenders.sort_by(|a, b| amount(b).total_cmp(&amount(a)));
    }
    let shown: Vec<_> = tenders
        .iter()
        .skip(skip)
        .take(args.limit)
        .map(Tender::item)
        .collect();
    let mut result = SourceResult::new(request::page()?, shown);
    let end = skip + result.items.len();
    let what = match (query.words.is_empty(), query.agency) {
        (true, _) => "all agencies".to_owned(),
        (false, true) => format!("the agency {}", query.words),
        (false, false) => query.phrase.as_ref().map_or_else(
            || format!("\"{}\"", query.words),
            |phrase| format!("\"{}\" with the phrase \"{phrase}\"", query.words),
        ),
    };
    let of = if result.items.is_empty() {
        String::new()
    } else {
        format!(", {} to {end} shown, sorted by {sort}", skip + 1)
    };
    result.summary = Some(format!(
        "GeBIZ awards of {what}: {} in {}{of}",
        counted(tenders.len(), "tender", "tenders"),
        counted(read.rows.len(), "row read", "rows read")
    ));
    if let Some(short) = &query.short {
        result.note(format!(
            "{} was read as the agency {}",
            code(short),
            named(&query.words)
        ));
    }
    if days.given() && undated > 0 {
        result.skip(
            undated,
            "without a readable award date, so outside any range of days",
        );
    }
    result.skip(read.unreadable, "without a tender number");
    if !read.complete {
        let total = read
            .total
            .map_or_else(|| "more".to_owned(), |total| total.to_string());
        result.note(format!(
            "Only {} of {total} matching rows were read, and not in the order of their dates: newer awards may exist",
            read.rows.len()
        ));
        result.own_date = tenders
            .iter()
            .skip(skip)
            .take(args.limit)
            .filter_map(|tender| tender.awarded)
            .max()
            .map(|day| DateEvidence::signal("newest award_date among a part of the matching rows", day));
    }
    if end < tenders.len() && !result.items.is_empty() {
        result.next = Some(end.to_string());
    }
    Ok(result)
}
