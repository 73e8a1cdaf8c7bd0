//! Stooq: rows of CSV in Warsaw wall-clock time. Switched off while its address is closed.

use chrono::{NaiveDate, NaiveDateTime, NaiveTime, Timelike};
use chrono_tz::America::New_York;
use chrono_tz::Europe::Warsaw;
use freshcontext_contract::{DateValue, Media, Request, SourceError, quoted};
use freshcontext_parse::{json, table, text};
use serde_json::Value;

use super::Provider;
use crate::numbers::{from_text, instant};
use crate::quote::Quote;
use crate::request::get;
use crate::symbol::{Kind, Ticker};

pub fn request(ticker: &Ticker) -> Result<Request, SourceError> {
    let mut request = get("https://stooq.com/q/l/", Media::Any)?;
    // One symbol a request: batches lose rows. `h` asks for the header row.
    let symbol = ticker.stooq().unwrap_or_default().replace('^', "%5E");
    request
        .url
        .set_query(Some(&format!("s={symbol}&f=sd2t2ohlcvn&h&e=csv")));
    Ok(request)
}

pub fn parse(ticker: &Ticker, body: &str) -> Result<Quote, SourceError> {
    let body = body.trim_start_matches('\u{feff}').trim();
    let cells = match body.chars().next() {
        None => return Err(SourceError::malformed("Stooq quote: the answer is empty")),
        Some('<') if CHALLENGE.iter().any(|mark| body.contains(mark)) => {
            let message = "Stooq asks for a browser check in place of the quote";
            return Err(SourceError::challenge(message));
        }
        Some('<') => {
            let message = "Stooq quote: the answer is a web page, not a table";
            return Err(SourceError::malformed(message));
        }
        Some('{') => from_json(body)?,
        Some(_) if starts_with_header(body) => from_csv(body)?,
        Some(_) => return Err(said(body)),
    };
    let cell = |at: usize| {
        cells
            .get(at)
            .map(|cell| cell.trim())
            .filter(|cell| !cell.is_empty() && *cell != "N/D")
    };
    let number = |at: usize| cell(at).and_then(from_text);
    let unknown = || Provider::Stooq.unknown(ticker);
    let day = cell(1)
        .and_then(|text| NaiveDate::parse_from_str(text, "%Y-%m-%d").ok())
        .ok_or_else(unknown)?;
    let time = cell(2).and_then(|text| NaiveTime::parse_from_str(text, "%H:%M:%S").ok());
    // Without a time it is a day, not midnight.
    let (moment, rough) = match time {
        Some(time) => {
            let local = day.and_time(time);
            let at = instant(local, Warsaw).ok_or_else(unknown)?;
            (DateValue::Instant(at), !is_close(ticker, local))
        }
        None => (DateValue::Day(day), false),
    };
    let symbol = ticker.stooq().unwrap_or_default();
    let page = format!("https://stooq.com/q/?s={}", symbol.replace('^', "%5E"));
    let quote = Quote::new("stooq", page, number(6), "Date, Time (Warsaw)", Some(moment));
    let mut quote = quote.ok_or_else(unknown)?;
    quote.kind = "close";
    if rough {
        quote.kind = "last price of a running session, delayed";
        quote.dated_roughly("time stamp of a price during the session, delayed by an unstated time");
    }
    quote.open = number(3);
    quote.high = number(4);
    quote.low = number(5);
    quote.volume = number(7);
    quote.name = cell(8).map(str::to_owned);
    Ok(quote)
}

/// What its proof-of-work page holds.
const CHALLENGE: [&str; 2] = ["__verify", "requires JavaScript"];

/// Columns by position: symbol, date, time, open, high, low, close, volume, name. The Polish host
/// names them differently.
fn starts_with_header(body: &str) -> bool {
    let first = body.lines().next().unwrap_or_default().to_ascii_lowercase();
    first.starts_with("symbol,") || first.starts_with("\"symbol\",")
}

/// How the columns' names begin, in English and in Polish, in the order asked for.
const COLUMNS: [[&str; 2]; 9] = [
    ["symbol"; 2],
    ["date", "data"],
    ["time", "czas"],
    ["open", "otwarc"],
    ["high", "najwy"],
    ["low", "najni"],
    ["close", "zamkni"],
    ["volume", "wol"],
    ["name", "nazwa"],
];

fn from_csv(body: &str) -> Result<Vec<String>, SourceError> {
    let table = table::read(body, 2, "Stooq quote")?;
    let row = table.rows.into_iter().next();
    let row = row.ok_or_else(|| SourceError::malformed("Stooq quote: the answer has no row"))?;
    // By position: with a column less before it, the volume would stand in the place of the price.
    let named = table.columns.iter().zip(COLUMNS).all(|(column, names)| {
        let column = column.to_lowercase();
        names.iter().any(|name| column.starts_with(name))
    });
    if !named || row.len() != table.columns.len() {
        return Err(SourceError::malformed(
            "Stooq quote: the answer has not the columns that were asked for",
        ));
    }
    Ok(row)
}

/// The JSON form leaves out the value of a missing volume.
fn from_json(body: &str) -> Result<Vec<String>, SourceError> {
    let repaired = body.replace(":}", ":null}").replace(":,", ":null,");
    let value: Value = json::parse(&repaired, "Stooq quote")?;
    let row = value
        .get("symbols")
        .and_then(|symbols| symbols.get(0))
        .ok_or_else(|| SourceError::malformed("Stooq quote: the answer has no symbol"))?;
    let cell = |name: &str| match row.get(name) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    };
    Ok([
        "symbol", "date", "time", "open", "high", "low", "close", "volume", "name",
    ]
    .map(cell)
    .to_vec())
}

/// A text in place of a table: its first line is the reason.
fn said(body: &str) -> SourceError {
    let line = text::clip(body.lines().next().unwrap_or_default().trim(), 120);
    let lower = line.to_ascii_lowercase();
    if lower.contains("hits limit") {
        return SourceError::rate_limited("Stooq's daily quota for this address is spent");
    }
    SourceError::upstream(format!("Stooq answered: {}", quoted(&line)))
}

/// Whether a Warsaw time is after the close of the ticker's market, as far as that is known here.
fn is_close(ticker: &Ticker, local: NaiveDateTime) -> bool {
    match ticker.kind {
        Kind::Us => instant(local, Warsaw).is_some_and(|at| {
            let there = at.with_timezone(&New_York);
            there.hour() >= 16
        }),
        Kind::Abroad("WA") => local.hour() >= 17,
        Kind::Index if ticker.root == "WIG" || ticker.root == "WIG20" => local.hour() >= 17,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use freshcontext_contract::ErrorCode;

    fn at(given: &str, body: &str) -> Result<Quote, SourceError> {
        parse(&Ticker::read(given).unwrap(), body)
    }

    #[test]
    fn warsaw_time_is_not_utc() {
        let body = "Symbol,Date,Time,Open,High,Low,Close,Volume,Name\r\nAAPL.US,2022-03-04,22:00:07,164.49,165.55,162.1,163.17,83819592,APPLE\r\n";
        let quote = at("AAPL", body).unwrap();
        assert_eq!(
            quote.date.value(),
            Some(&DateValue::Instant("2022-03-04T21:00:07Z".parse().unwrap()))
        );
        assert_eq!(
            (quote.price, quote.kind, quote.is_rough()),
            (163.17, "close", false)
        );
        // 21:00 in Warsaw is the close only while New York alone has changed its clocks.
        let during = body.replace("22:00:07", "21:00:07");
        assert!(at("AAPL", &during).unwrap().is_rough());
        assert!(
            !at("AAPL", &during.replace("2022-03-04", "2022-03-15"))
                .unwrap()
                .is_rough()
        );
    }

    #[test]
    fn nothing_is_made_up() {
        let none = "Symbol,Date,Time,Open,High,Low,Close,Volume\r\nAPPL.US,N/D,N/D,N/D,N/D,N/D,N/D,N/D\r\n";
        assert_eq!(at("APPL", none).unwrap_err().code, ErrorCode::NotFound);
        let timeless = "Symbol,Date,Time,Open,High,Low,Close\r\nX,2026-01-05,N/D,1,1,1,2\r\n";
        assert_eq!(
            at("X", timeless).unwrap().date.value(),
            Some(&DateValue::Day(NaiveDate::from_ymd_opt(2026, 1, 5).unwrap()))
        );
        for shifted in [
            "Symbol,Date\r\n",
            "Symbol,Date,Open,High,Low,Close,Volume\r\nX,2026-01-05,1,1,1,2,7000\r\n",
            "Symbol,Date,Time,Open,High,Low,Close,Volume\r\nX,2026-01-05,1,1,1,2,7000\r\n",
        ] {
            assert_eq!(
                at("X", shifted).unwrap_err().code,
                ErrorCode::Malformed,
                "{shifted}"
            );
        }
        for (page, code) in [
            ("<html><script>fetch('/__verify')</script>", ErrorCode::Challenge),
            ("<html><h1>Bad Gateway</h1>", ErrorCode::Malformed),
        ] {
            assert_eq!(at("X", page).unwrap_err().code, code);
        }
        assert_eq!(
            at("X", "Exceeded the daily hits limit").unwrap_err().code,
            ErrorCode::RateLimited
        );
        assert_eq!(at("X", "Unexpected").unwrap_err().code, ErrorCode::UpstreamError);
    }

    #[test]
    fn addresses_are_exact() {
        let url = |given: &str| request(&Ticker::read(given).unwrap()).unwrap().url.to_string();
        assert_eq!(
            url("AAPL"),
            "https://stooq.com/q/l/?s=aapl.us&f=sd2t2ohlcvn&h&e=csv"
        );
        assert_eq!(
            url("^GSPC"),
            "https://stooq.com/q/l/?s=%5Espx&f=sd2t2ohlcvn&h&e=csv"
        );
    }
}
