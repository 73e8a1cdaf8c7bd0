//! Each ticker goes from provider to provider until one has a valid quote.

use freshcontext_contract::url::Url;
use freshcontext_contract::{Cx, ErrorCode, Harvest, SourceError, Switch};

use crate::DESCRIPTOR;
use crate::input::{self, Input, Wanted};
use crate::providers::Provider;
use crate::quote::Quote;
use crate::symbol::Ticker;

/// A ticker on its way.
struct Pending {
    ticker: Ticker,
    quote: Option<Quote>,
    failures: Vec<(Provider, SourceError)>,
}

/// Collects quotes.
pub async fn collect(cx: &Cx<'_>, input: &Input) -> Result<Harvest, SourceError> {
    let wanted = input::read(input)?;
    let providers = providers(cx, &wanted)?;
    let mut all: Vec<Pending> = wanted
        .tickers
        .iter()
        .map(|ticker| Pending {
            ticker: ticker.clone(),
            quote: None,
            failures: Vec::new(),
        })
        .collect();
    for provider in providers {
        let asked: Vec<Ticker> = all
            .iter()
            .filter(|pending| pending.quote.is_none() && provider.covers(&pending.ticker))
            .map(|pending| pending.ticker.clone())
            .collect();
        if asked.is_empty() {
            continue;
        }
        let answers = provider.quotes(cx, &asked).await;
        for (ticker, answer) in asked.iter().zip(answers) {
            let Some(pending) = all.iter_mut().find(|pending| pending.ticker == *ticker) else {
                continue;
            };
            match answer {
                Ok(quote) => pending.quote = Some(quote),
                Err(error) => pending.failures.push((provider, error)),
            }
        }
    }
    harvest(all, wanted.repeated)
}

fn providers(cx: &Cx<'_>, wanted: &Wanted) -> Result<Vec<Provider>, SourceError> {
    let Some(only) = wanted.provider else {
        return Ok(Provider::all()
            .filter(|provider| cx.route_open(provider.id()))
            .collect());
    };
    if let Some(ticker) = wanted.tickers.iter().find(|ticker| !only.covers(ticker)) {
        let problem = format!("{} does not cover {}", only.id(), ticker.given);
        return Err(SourceError::invalid_input(
            "provider",
            problem,
            r#"{"url": "AAPL", "provider": "cboe"}"#,
        ));
    }
    if cx.route_open(only.id()) {
        return Ok(vec![only]);
    }
    let route = DESCRIPTOR.route(only.id());
    let closed = SourceError::new(
        ErrorCode::Misconfigured,
        format!("the route {} is not open", only.id()),
    );
    Err(match route.map(|route| (route.needs, route.switch)) {
        Some((Some(env), _)) => closed.hint(format!("set {env}")),
        Some((None, Switch::OffBecause(why))) => closed.hint(format!(
            "enable_routes finance.{} turns it on; it is off because {why}",
            only.id()
        )),
        _ => closed,
    })
}

fn harvest(all: Vec<Pending>, repeated: usize) -> Result<Harvest, SourceError> {
    let mut items = Vec::new();
    let mut failed: Vec<(Ticker, SourceError)> = Vec::new();
    let mut notes: Vec<String> = Vec::new();
    let mut routes: Vec<&'static str> = Vec::new();
    let asked = all.len();
    for Pending {
        ticker,
        quote,
        failures,
    } in all
    {
        let Some(quote) = quote else {
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
        items.push(quote.item(&ticker));
    }
    let Some(page) = items
        .first()
        .and_then(|item| Url::parse(item.url.as_deref()?).ok())
    else {
        return Err(nothing(failed));
    };
    let mut harvest = Harvest::new(page, items);
    harvest.route = routes.first().copied();
    harvest.summary = Some(format!(
        "{} of {asked} quotes, from {}",
        harvest.items.len(),
        routes.join(", ")
    ));
    for (ticker, error) in failed {
        harvest.fail(ticker.given, error);
    }
    harvest.notes = notes;
    if repeated > 0 {
        harvest.note(format!("{repeated} ticker(s) were given more than once"));
    }
    harvest.note("Prices may be delayed and are for information only");
    Ok(harvest)
}

/// Why a ticker has no quote: unknown everywhere, or the failure that kept it from being known.
fn unanswered(ticker: &Ticker, failures: Vec<(Provider, SourceError)>) -> SourceError {
    if failures.is_empty() {
        let message = format!("no open route covers {}", ticker.given);
        return SourceError::new(ErrorCode::Misconfigured, message)
            .hint("the list of sources names the routes and what opens them");
    }
    let said: Vec<String> = failures
        .iter()
        .map(|(provider, error)| format!("{}: {}", provider.id(), error.code))
        .collect();
    let attempts = failures.iter().map(|(_, error)| error.attempts).sum();
    let names: Vec<&str> = failures.iter().map(|(provider, _)| provider.id()).collect();
    let real = failures
        .into_iter()
        .map(|(_, error)| error)
        .find(|error| error.code != ErrorCode::NotFound);
    match real {
        None => {
            let message = format!("no quote for {}: unknown to {}", ticker.given, names.join(", "));
            let mut error = SourceError::not_found(message)
                .hint("check the ticker; markets abroad need a suffix, as in SAP.DE");
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
        return SourceError::new(ErrorCode::Internal, "a quote without an address");
    }
    let mut error = errors.swap_remove(at);
    if names.len() > 1 {
        error.message = format!("no quote at all ({}); {}", names.join(", "), error.message);
    }
    error
}

#[cfg(test)]
mod tests {
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
        let error = harvest(all, 0).unwrap_err();
        assert_eq!(error.code, ErrorCode::NotFound);
        assert!(error.message.contains("cnbc, cboe"));
        let all = vec![pending(
            "NOPE",
            vec![
                (Provider::Cnbc, ErrorCode::NotFound),
                (Provider::Cboe, ErrorCode::RateLimited),
            ],
        )];
        assert_eq!(harvest(all, 0).unwrap_err().code, ErrorCode::RateLimited);
        assert_eq!(
            harvest(vec![pending("NOPE", vec![])], 0).unwrap_err().code,
            ErrorCode::Misconfigured
        );
    }

    #[test]
    fn several_failures_are_all_named() {
        let all = vec![
            pending("NOPE", vec![(Provider::Cnbc, ErrorCode::NotFound)]),
            pending("AAPL", vec![(Provider::Cnbc, ErrorCode::Challenge)]),
        ];
        let error = harvest(all, 0).unwrap_err();
        assert_eq!(error.code, ErrorCode::Challenge);
        assert!(error.message.contains("NOPE not_found") && error.message.contains("AAPL challenge"));
    }
}
