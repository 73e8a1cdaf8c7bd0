//! Each ticker goes from provider to provider, in their order, until one has a valid quote.

use freshcontext_contract::url::Url;
use freshcontext_contract::{Cx, ErrorCode, SourceError, SourceResult, counted, named};
use futures_util::future::{join, join_all};

use crate::DESCRIPTOR;
use crate::input::{self, Input, Query};
use crate::providers::{DELISTED, NOTHING_SAID, Provider};
use crate::quote::Quote;
use crate::symbol::Ticker;

/// A ticker on its way.
struct Pending {
    ticker: Ticker,
    quote: Option<Quote>,
    failures: Vec<(Provider, SourceError)>,
}

/// Collects quotes. Every ticker goes its own way at the same time as the others, so that one which
/// falls from source to source keeps no other waiting.
pub async fn collect(cx: &Cx<'_>, input: &Input) -> Result<SourceResult, SourceError> {
    let query = input::read(input)?;
    let providers = providers(cx, &query)?;
    let providers = providers.as_slice();
    let all = query.tickers.into_iter().map(|ticker| Pending {
        ticker,
        quote: None,
        failures: Vec::new(),
    });
    // As far as the source that takes several in one request, those that it covers go together.
    let together = providers.iter().position(|provider| provider.takes_several());
    let (first, rest) = providers.split_at(together.map_or(0, |at| at + 1));
    let (together, alone): (Vec<_>, Vec<_>) = all.enumerate().partition(|(_, pending)| {
        first
            .last()
            .is_some_and(|several| several.covers(&pending.ticker))
    });
    let together = async {
        let (places, mut group): (Vec<usize>, Vec<Pending>) = together.into_iter().unzip();
        walk(cx, first, &mut group).await;
        let on = group.into_iter().map(|pending| walked(cx, rest, pending));
        places.into_iter().zip(join_all(on).await).collect::<Vec<_>>()
    };
    let way = |(place, pending)| async move { (place, walked(cx, providers, pending).await) };
    let alone = join_all(alone.into_iter().map(way));
    let (mut all, others) = join(together, alone).await;
    all.extend(others);
    all.sort_by_key(|(place, _)| *place);
    let all = all.into_iter().map(|(_, pending)| pending).collect();
    let is_limited = |error: &SourceError| error.code == ErrorCode::RateLimited;
    result(all, query.repeated).map_err(|error| match query.provider {
        Some(only) if error.hint.is_none() && !is_limited(&error) => error.hint(format!(
            "leave `provider` out: then others than {} are asked, too",
            only.id()
        )),
        _ => error,
    })
}

/// One ticker on its way alone.
async fn walked(cx: &Cx<'_>, providers: &[Provider], pending: Pending) -> Pending {
    let mut one = [pending];
    walk(cx, providers, &mut one).await;
    let [pending] = one;
    pending
}

/// Asks provider after provider for what still has no quote.
async fn walk(cx: &Cx<'_>, providers: &[Provider], all: &mut [Pending]) {
    for provider in providers {
        let mut open: Vec<&mut Pending> = all
            .iter_mut()
            .filter(|pending| pending.quote.is_none() && provider.covers(&pending.ticker))
            .collect();
        let asked: Vec<Ticker> = open.iter().map(|pending| pending.ticker.clone()).collect();
        if asked.is_empty() {
            continue;
        }
        let answers = provider.quotes(cx, &asked).await;
        for (pending, answer) in open.iter_mut().zip(answers) {
            match answer {
                Ok(quote) => pending.quote = Some(quote),
                Err(error) => pending.failures.push((*provider, error)),
            }
        }
    }
}

fn providers(cx: &Cx<'_>, query: &Query) -> Result<Vec<Provider>, SourceError> {
    let Some(only) = query.provider else {
        return Ok(Provider::ALL
            .iter()
            .copied()
            .filter(|provider| cx.route_open(provider.id()))
            .collect());
    };
    if let Some(ticker) = query.tickers.iter().find(|ticker| !only.covers(ticker)) {
        let problem = format!("{} does not cover {}", only.id(), ticker.given);
        return Err(input::wrong_provider(&problem));
    }
    if cx.route_open(only.id()) {
        return Ok(vec![only]);
    }
    let route = DESCRIPTOR.route(only.id());
    let closed = SourceError::misconfigured(format!("the provider {} is not turned on", only.id()));
    Err(match route.and_then(|route| route.needs) {
        Some(env) => closed.hint(format!("set {env}")),
        None => closed,
    })
}

fn result(all: Vec<Pending>, repeated: usize) -> Result<SourceResult, SourceError> {
    let mut items = Vec::new();
    let mut failed: Vec<(Ticker, SourceError)> = Vec::new();
    let mut notes: Vec<String> = Vec::new();
    let mut routes: Vec<&'static str> = Vec::new();
    let asked = all.len();
    let (mut subjects, mut company): (Vec<String>, Option<String>) = (Vec::new(), None);
    for Pending {
        ticker,
        quote,
        failures,
    } in all
    {
        let Some(mut quote) = quote else {
            let error = unanswered(&ticker, failures);
            failed.push((ticker, error));
            continue;
        };
        for (provider, error) in failures {
            // That a source does not have a symbol is worth no remark; that it failed is.
            if error.code == ErrorCode::NotFound {
                continue;
            }
            let note = format!("{} failed ({error})", provider.id());
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
        if !routes.contains(&quote.provider) {
            routes.push(quote.provider);
        }
        for why in quote.settle() {
            notes.push(format!("{}: {why}", ticker.given.to_ascii_uppercase()));
        }
        let name = quote.name.as_deref();
        let of = name.map_or_else(|| "name unknown".to_owned(), named);
        subjects.push(format!(
            "{} ({of}, by {})",
            named(&ticker.given.to_ascii_uppercase()),
            quote.provider
        ));
        if asked == 1 {
            company.clone_from(&quote.name);
        }
        items.push(quote.item(&ticker));
    }
    let Some(page) = items
        .first()
        .and_then(|item| Url::parse(item.url.as_deref()?).ok())
    else {
        return Err(nothing(failed));
    };
    let mut result = SourceResult::new(page, items);
    result.route = routes.first().copied();
    result.scope.subject = Some(subjects.join("; "));
    result.scope.name = company;
    result.scope.has_newest = true;
    let found = result.items.len();
    let quotes = if found == asked {
        counted(found, "quote", "quotes")
    } else {
        format!("{found} of {}", counted(asked, "quote", "quotes"))
    };
    result.summary = Some(format!("{quotes}, from {}", routes.join(", ")));
    for (ticker, error) in failed {
        result.fail(ticker.given, error);
    }
    result.notes = notes;
    result.note_count(repeated, ["ticker was", "tickers were"], "given more than once");
    result.note("Prices may be delayed and are for information only");
    Ok(result)
}

/// Why a ticker has no quote: unknown everywhere, or the failure that kept it from being known.
fn unanswered(ticker: &Ticker, failures: Vec<(Provider, SourceError)>) -> SourceError {
    if failures.is_empty() {
        let message = format!("no source that is turned on covers {}", ticker.given);
        return SourceError::misconfigured(message)
            .hint("`freshcontext sources` lists the providers and the key that each needs");
    }
    let said: Vec<String> = failures
        .iter()
        .map(|(provider, error)| format!("{}: {}", provider.id(), error.code))
        .collect();
    let attempts = failures.iter().map(|(_, error)| error.attempts).sum();
    let delisted: Vec<&str> = failures
        .iter()
        .filter(|(_, error)| error.detail.as_deref() == Some(DELISTED))
        .map(|(provider, _)| provider.id())
        .collect();
    // A source that says nothing of the ticker does not speak against those that say that there is none.
    let silent = |error: &SourceError| error.detail.as_deref() == Some(NOTHING_SAID);
    let said_unknown = failures
        .iter()
        .any(|(_, error)| error.code == ErrorCode::NotFound);
    let ids = |wanted: bool| -> Vec<&str> {
        let found = failures.iter().filter(|(_, error)| silent(error) == wanted);
        found.map(|(provider, _)| provider.id()).collect()
    };
    let (names, silent_ones) = (ids(false), ids(true));
    let real = failures
        .into_iter()
        .map(|(_, error)| error)
        .find(|error| error.code != ErrorCode::NotFound && !(said_unknown && silent(error)));
    match real {
        None => {
            let mut error = if delisted.is_empty() {
                SourceError::not_found(format!(
                    "no quote for {}: unknown to {}",
                    ticker.given,
                    names.join(", ")
                ))
                .hint("check the ticker; markets abroad need a suffix, as in SAP.DE")
            } else {
                let others: Vec<&str> = names
                    .into_iter()
                    .filter(|name| !delisted.contains(name))
                    .collect();
                let unknown = if others.is_empty() {
                    String::new()
                } else {
                    format!("; unknown to {}", others.join(", "))
                };
                let delisted = delisted.join(", ");
                SourceError::not_found(format!(
                    "no quote for {}: delisted at {delisted}{unknown}",
                    ticker.given
                ))
                .hint("it is no longer traded there")
                .detail(DELISTED)
            };
            if !silent_ones.is_empty() {
                error.message = format!("{}; nothing said by {}", error.message, silent_ones.join(", "));
            }
            error.attempts = attempts;
            error
        }
        Some(mut error) => {
            error.message = format!(
                "no quote for {} ({}); {}",
                ticker.given,
                said.join(", "),
                error.message
            );
            error.attempts = attempts;
            error
        }
    }
}

/// All failed: the first real failure speaks, and names the others.
fn nothing(failed: Vec<(Ticker, SourceError)>) -> SourceError {
    let names: Vec<String> = failed
        .iter()
        .map(|(ticker, error)| format!("{} {}", ticker.given, error.code))
        .collect();
    let mut errors: Vec<SourceError> = failed.into_iter().map(|(_, error)| error).collect();
    let at = errors
        .iter()
        .position(|error| error.code != ErrorCode::NotFound)
        .unwrap_or(0);
    if errors.is_empty() {
        return SourceError::internal("a quote without an address");
    }
    let mut error = errors.swap_remove(at);
    if names.len() > 1 {
        error.message = format!("no quote at all ({}); {}", names.join(", "), error.message);
    }
    error
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::sync::Mutex;
    use std::task::Poll;
    use std::time::{Duration, Instant};

    use freshcontext_contract::{
        BoxFuture, CallScope, FixedClock, Limits, Request, Response, Transport, split_arguments,
    };
    use futures_util::FutureExt as _;
    use serde_json::Map;

    use super::*;

    fn pending(given: &str, failures: Vec<(Provider, ErrorCode)>) -> Pending {
        let failures = failures
            .into_iter()
            .map(|(provider, code)| (provider, SourceError::new(code, "x")))
            .collect();
        Pending {
            ticker: Ticker::read(given).unwrap(),
            quote: None,
            failures,
        }
    }

    #[test]
    fn unknown_everywhere_differs_from_unreachable() {
        let all = vec![pending(
            "NOPE",
            vec![
                (Provider::Cnbc, ErrorCode::NotFound),
                (Provider::Cboe, ErrorCode::NotFound),
            ],
        )];
        let error = result(all, 0).unwrap_err();
        assert_eq!(error.code, ErrorCode::NotFound);
        assert!(error.message.contains("cnbc, cboe"));
        let all = vec![pending(
            "NOPE",
            vec![
                (Provider::Cnbc, ErrorCode::NotFound),
                (Provider::Cboe, ErrorCode::RateLimited),
            ],
        )];
        assert_eq!(result(all, 0).unwrap_err().code, ErrorCode::RateLimited);
        assert_eq!(
            result(vec![pending("NOPE", vec![])], 0).unwrap_err().code,
            ErrorCode::Misconfigured
        );
    }

    #[test]
    fn silence_is_no_word_and_does_not_hide_one() {
        let silent = |ticker: &Ticker| Provider::Finnhub.said_nothing(ticker, "with nothing but zeros");
        let ticker = Ticker::read("NOPE").unwrap();
        let unknown = (Provider::Cnbc, Provider::Cnbc.unknown(&ticker));
        let error = unanswered(&ticker, vec![(Provider::Finnhub, silent(&ticker)), unknown]);
        assert_eq!(error.code, ErrorCode::NotFound);
        assert!(
            error.message.contains("unknown to cnbc; nothing said by finnhub"),
            "{}",
            error.message
        );
        let error = unanswered(&ticker, vec![(Provider::Finnhub, silent(&ticker))]);
        assert_eq!(error.code, ErrorCode::Malformed);
    }

    #[test]
    fn several_failures_are_all_named() {
        let all = vec![
            pending("NOPE", vec![(Provider::Cnbc, ErrorCode::NotFound)]),
            pending("AAPL", vec![(Provider::Cnbc, ErrorCode::Challenge)]),
        ];
        let error = result(all, 0).unwrap_err();
        assert_eq!(error.code, ErrorCode::Challenge);
        assert!(error.message.contains("NOPE not_found") && error.message.contains("AAPL challenge"));
    }

    /// A network where nothing is known, and every answer comes at the next look.
    #[derive(Default)]
    struct Nowhere(Mutex<Vec<String>>);

    impl Transport for Nowhere {
        fn send<'a>(
            &'a self,
            _scope: &'a CallScope,
            request: Request,
        ) -> BoxFuture<'a, Result<Response, SourceError>> {
            let host = request.url.host_str().unwrap().to_owned();
            self.0.lock().unwrap().push(host);
            let mut looks = 0;
            Box::pin(std::future::poll_fn(move |_| {
                looks += 1;
                if looks == 1 {
                    return Poll::Pending;
                }
                Poll::Ready(Err(SourceError::not_found("unknown")))
            }))
        }

        fn configured(&self, _env: &str) -> bool {
            false
        }
    }

    #[test]
    fn tickers_go_their_ways_at_once_each_in_the_order_of_the_routes() {
        let network = Nowhere::default();
        let clock = FixedClock("2026-11-21T12:00:00Z".parse().unwrap());
        let arguments = Map::from_iter([("url".to_owned(), "SAP.DE,AAPL,EURUSD,BTC-USD,NOPE".into())]);
        let (common, _) = split_arguments(&DESCRIPTOR, &Limits::DEFAULT, arguments).unwrap();
        let deadline = Instant::now() + Duration::from_mins(1);
        let cx = Cx::new(&network, &clock, &DESCRIPTOR, deadline, &common, 60);
        let input = Input {
            url: "SAP.DE,AAPL,EURUSD,BTC-USD,NOPE".to_owned(),
            provider: None,
        };
        let mut call = pin!(collect(&cx, &input));
        let mut looks = Vec::new();
        let error = loop {
            let answered = call.as_mut().now_or_never();
            let mut asked = std::mem::take(&mut *network.0.lock().unwrap());
            asked.sort();
            looks.push(asked);
            if let Some(answered) = answered {
                break answered.unwrap_err();
            }
        };
        let [coinbase, frankfurter] = ["api.exchange.coinbase.com", "api.frankfurter.dev"];
        let [cnbc, yahoo] = ["quote.cnbc.com", "query1.finance.yahoo.com"];
        // Two tickers share one request; three have sources of their own.
        assert_eq!(looks[0], [coinbase, frankfurter, yahoo, cnbc]);
        assert_eq!(looks[1], ["cdn.cboe.com", "cdn.cboe.com", yahoo, yahoo]);
        // Stocks first, then funds.
        assert_eq!(looks[2], ["api.nasdaq.com"; 2]);
        assert_eq!(looks[3], ["api.nasdaq.com"; 2]);
        assert_eq!(looks[4], [yahoo; 2]);
        assert_eq!((looks.len(), error.code), (6, ErrorCode::NotFound));
        // Failures are told in the order of the tickers.
        assert!(
            error
                .message
                .contains("SAP.DE not_found, AAPL not_found, EURUSD not_found")
        );
    }
}
