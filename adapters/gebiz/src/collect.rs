//! All matching rows, grouped and sorted here.

use freshcontext_contract::{Cx, DateEvidence, Harvest, SourceError, counted};
use freshcontext_parse::charset;

use crate::input::{self, Input, Wanted};
use crate::parse::{self, Row};
use crate::request::{self, PAGE, PAGES};
use crate::tenders::{self, Tender};

const SCOPE: &str = "These are awards of past tenders; open tenders are only on the GeBIZ portal";

/// The rows that were read, and how sure it is that they are all.
struct Read {
    rows: Vec<Row>,
    unreadable: usize,
    /// Rows that match according to the source.
    total: Option<usize>,
    complete: bool,
    route: &'static str,
}

/// Collects awards.
pub async fn collect(cx: &Cx<'_>, input: &Input) -> Result<Harvest, SourceError> {
    let wanted = input::read(input)?;
    let skip = cx.args().cursor.as_deref().map(offset).transpose()?.unwrap_or(0);
    let mut notes = vec![SCOPE.to_owned()];
    let mut read = None;
    if cx.route_open("file") {
        match whole_file(cx, &wanted).await {
            Ok(rows) => read = Some(rows),
            Err(error) => notes.push(format!(
                "The whole file could not be read ({error}); rows were searched instead"
            )),
        }
    }
    let read = match read {
        Some(read) => read,
        None => search(cx, &wanted).await?,
    };
    let as_of = match cx.send(request::metadata()?).await {
        Ok(response) => {
            let updated = parse::updated(&charset::decode(&response).text);
            if updated.is_none() {
                response.discard();
            }
            updated
        }
        Err(_) => None,
    };
    let mut harvest = judge(cx, &wanted, &read, skip)?;
    harvest.route = Some(read.route);
    match as_of {
        Some(day) => harvest.set("data_as_of", day.to_string()),
        None => notes.push("When the dataset was last published could not be read".to_owned()),
    }
    harvest.notes.extend(notes);
    Ok(harvest)
}

fn offset(cursor: &str) -> Result<usize, SourceError> {
    cursor
        .parse()
        .ok()
        .filter(|skip| (1..=100_000).contains(skip))
        .ok_or_else(|| {
            SourceError::invalid_input(
                "cursor",
                "does not belong to this search",
                "pass the cursor of the previous answer",
            )
        })
}

async fn search(cx: &Cx<'_>, wanted: &Wanted) -> Result<Read, SourceError> {
    let mut out = Read {
        rows: Vec::new(),
        unreadable: 0,
        total: None,
        complete: false,
        route: "datastore",
    };
    let mut received = 0;
    for _ in 0..PAGES {
        let response = cx.send(request::rows(wanted, received)?).await?;
        let page = parse::page(&charset::decode(&response).text)?;
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

async fn whole_file(cx: &Cx<'_>, wanted: &Wanted) -> Result<Read, SourceError> {
    let prepared = cx
        .read(request::initiate()?, |response| {
            parse::prepared(&charset::decode(response).text)
        })
        .await?;
    // A file that was prepared before is named at once.
    let url = if let Some(url) = prepared {
        url
    } else {
        let ready = cx.read(request::poll()?, |response| {
            parse::prepared(&charset::decode(response).text)?.ok_or_else(parse::not_yet)
        });
        ready.await?
    };
    let response = cx.send(request::file(url)).await?;
    let (mut rows, unreadable) = parse::file(&charset::decode(&response).text)?;
    let words: Vec<String> = wanted
        .words
        .to_lowercase()
        .split(' ')
        .map(str::to_owned)
        .collect();
    rows.retain(|row| {
        let text = if wanted.agency {
            row.agency.to_lowercase()
        } else {
            searched(row)
        };
        words.iter().all(|word| text.contains(word.as_str()))
    });
    Ok(Read {
        total: Some(rows.len()),
        rows,
        unreadable,
        complete: true,
        route: "file",
    })
}

fn searched(row: &Row) -> String {
    let supplier = row.supplier.as_deref().unwrap_or_default();
    format!("{} {} {} {supplier}", row.tender, row.description, row.agency).to_lowercase()
}

fn judge(cx: &Cx<'_>, wanted: &Wanted, read: &Read, skip: usize) -> Result<Harvest, SourceError> {
    let args = cx.args();
    let day = |at: chrono::DateTime<chrono::Utc>| at.date_naive();
    let (since, until) = (args.since.map(day), args.until.map(day));
    let dated = since.is_some() || until.is_some();
    let rows: Vec<Row> = read
        .rows
        .iter()
        .filter(|row| {
            wanted
                .phrase
                .as_ref()
                .is_none_or(|phrase| searched(row).contains(phrase))
        })
        .cloned()
        .collect();
    let mut tenders = tenders::group(&rows);
    let undated = tenders.iter().filter(|tender| tender.awarded.is_none()).count();
    tenders.retain(|tender| {
        !dated
            || tender.awarded.is_some_and(|day| {
                since.is_none_or(|since| since <= day) && until.is_none_or(|until| day <= until)
            })
    });
    let sort = args.sort.unwrap_or("newest");
    match sort {
        "oldest" => tenders.sort_by_key(|tender| (tender.awarded.is_none(), tender.awarded)),
        "top" => tenders.sort_by(|a, b| {
            let amount = |tender: &Tender| tender.total.unwrap_or(f64::NEG_INFINITY);
            amount(b).total_cmp(&amount(a))
        }),
        _ => tenders.sort_by_key(|tender| std::cmp::Reverse(tender.awarded)),
    }
    let shown: Vec<_> = tenders
        .iter()
        .skip(skip)
        .take(args.limit)
        .map(Tender::item)
        .collect();
    let address = request::rows(wanted, 0)?.url;
    let mut harvest = Harvest::new(address, shown);
    let end = skip + harvest.items.len();
    let what = match (wanted.words.is_empty(), wanted.agency) {
        (true, _) => "all agencies".to_owned(),
        (false, true) => format!("the agency {}", wanted.words),
        (false, false) => wanted.phrase.as_ref().map_or_else(
            || format!("\"{}\"", wanted.words),
            |phrase| format!("\"{}\" with the phrase \"{phrase}\"", wanted.words),
        ),
    };
    let of = if harvest.items.is_empty() {
        String::new()
    } else {
        format!(", {} to {end} shown, sorted by {sort}", skip + 1)
    };
    harvest.summary = Some(format!(
        "GeBIZ awards of {what}: {} in {}{of}",
        counted(tenders.len(), "tender", "tenders"),
        counted(read.rows.len(), "row read", "rows read")
    ));
    if let Some(short) = &wanted.short {
        harvest.note(format!("`{short}` was read as the agency {}", wanted.words));
    }
    if dated && undated > 0 {
        harvest.skip(
            undated,
            "without a readable award date, so outside any range of days",
        );
    }
    harvest.skip(read.unreadable, "without a tender number");
    if !read.complete {
        let total = read
            .total
            .map_or_else(|| "more".to_owned(), |total| total.to_string());
        harvest.note(format!(
            "Only {} of {total} matching rows were read, and not in the order of their dates: newer awards may exist",
            read.rows.len()
        ));
        harvest.own_date = tenders
            .iter()
            .skip(skip)
            .take(args.limit)
            .filter_map(|tender| tender.awarded)
            .max()
            .map(|day| DateEvidence::signal("newest award_date among a part of the matching rows", day));
    }
    if end < tenders.len() && !harvest.items.is_empty() {
        harvest.next = Some(end.to_string());
    }
    Ok(harvest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_are_checked() {
        assert_eq!(offset("12").unwrap(), 12);
        for wrong in ["", "0", "-1", "x", "1e3", "999999999"] {
            assert_eq!(
                offset(wrong).unwrap_err().field.as_deref(),
                Some("cursor"),
                "{wrong}"
            );
        }
    }
}
