//! Price, change, change in per cent and previous close of a quote say one thing twice. Where they
//! contradict each other, the one that cannot be trusted is left out and named; the price stands.

use crate::quote::Quote;

/// Of a whole number, and of one whose last zeros were dropped, so many decimals count as shown.
const LEAST_DECIMALS: i32 = 2;
/// No source shows more.
const MOST_DECIMALS: i32 = 8;

impl Quote {
    /// Leaves out what contradicts the rest; returns what was left out and why, a line each.
    pub fn settle(&mut self) -> Vec<String> {
        let mut left_out = Vec::new();
        if self.rolled() {
            left_out.push(
                "previous_close equals the price before the session, so it is that price and not the close \
                 before; it and the change were left out"
                    .to_owned(),
            );
            (self.previous_close, self.change, self.change_percent) = (None, None, None);
            return left_out;
        }
        let (price, percent) = (self.price, self.change_percent);
        // What the change in per cent says of either.
        let by_percent = |previous: f64, change: f64| {
            percent.is_some_and(|percent| percent_agrees(percent, previous, change))
        };
        if let (Some(previous), Some(change)) = (self.previous_close, self.change)
            && !agree(price, change, previous)
        {
            let change_fits = by_percent(price - change, change);
            let previous_fits = by_percent(previous, price - previous);
            // Without a witness it is the previous close: sources set it to the last close as soon as a
            // session ends, while price and change still speak of that session.
            if previous_fits && !change_fits {
                left_out.push(format!(
                    "left out change {change}, which contradicts price and previous close"
                ));
                self.change = None;
            } else {
                left_out.push(format!(
                    "left out previous_close {previous}, which contradicts price and change"
                ));
                self.previous_close = None;
            }
        }
        let known = match (self.previous_close, self.change) {
            (Some(previous), _) => Some((previous, price - previous)),
            (None, Some(change)) => Some((price - change, change)),
            (None, None) => None,
        };
        if let (Some(percent), Some((previous, change))) = (percent, known)
            && !percent_agrees(percent, previous, change)
        {
            left_out.push(format!(
                "left out change_percent {percent}, which contradicts the price and its change"
            ));
            self.change_percent = None;
        }
        left_out
    }

    /// Whether the source has already made the last close the previous one, as before a session.
    fn rolled(&self) -> bool {
        let before = self
            .market
            .as_deref()
            .is_some_and(|market| market.to_ascii_lowercase().starts_with("pre"));
        let unchanged = self.change.is_none_or(|change| change == 0.0)
            && self.change_percent.is_none_or(|percent| percent == 0.0);
        before && unchanged && self.previous_close == Some(self.price)
    }
}

/// Whether price, change and previous close agree within what their shown digits leave open.
pub fn agree(price: f64, change: f64, previous: f64) -> bool {
    let open = half_digit(price) + half_digit(change) + half_digit(previous);
    (price - change - previous).abs() <= open + price.abs() * f64::EPSILON * 8.0
}

/// Whether a change in per cent is this change of that previous close.
fn percent_agrees(percent: f64, previous: f64, change: f64) -> bool {
    if previous <= 0.0 {
        return false;
    }
    let exact = change / previous * 100.0;
    let open = half_digit(percent) + (half_digit(change) + half_digit(previous)) / previous * 100.0 * 2.0;
    (percent - exact).abs() <= open + 1e-9
}

/// Half of a number's last shown digit.
fn half_digit(number: f64) -> f64 {
    let text = number.to_string();
    let shown = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let decimals = i32::try_from(shown)
        .unwrap_or(MOST_DECIMALS)
        .clamp(LEAST_DECIMALS, MOST_DECIMALS);
    0.5 * 10_f64.powi(-decimals)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::NaiveDate;
    use proptest::prelude::*;

    fn quote(price: f64, change: Option<f64>, previous: Option<f64>, percent: Option<f64>) -> Quote {
        let day = NaiveDate::from_ymd_opt(2026, 11, 20);
        let mut quote = Quote::new("cboe", String::new(), Some(price), "x", day).unwrap();
        (quote.change, quote.previous_close, quote.change_percent) = (change, previous, percent);
        quote
    }

    #[test]
    fn what_contradicts_is_left_out_and_named() {
        // The previous close has rolled: 209.07 is the true one.
        let mut rolled = quote(213.25, Some(4.18), Some(213.25), Some(1.9993));
        let said = rolled.settle();
        assert_eq!((rolled.previous_close, rolled.change), (None, Some(4.18)));
        assert!(said[0].contains("previous_close 213.25"), "{said:?}");
        // Without a witness, too.
        let mut alone = quote(213.25, Some(4.18), Some(213.25), None);
        alone.settle();
        assert_eq!((alone.previous_close, alone.change), (None, Some(4.18)));
        // The percentage bears the previous close out: the change is wrong.
        let mut change = quote(110.0, Some(4.18), Some(100.0), Some(10.0));
        assert!(change.settle()[0].contains("change 4.18"));
        assert_eq!((change.previous_close, change.change), (Some(100.0), None));
        let mut percent = quote(110.0, Some(10.0), Some(100.0), Some(3.0));
        assert!(percent.settle()[0].contains("change_percent 3"));
        assert_eq!((percent.change, percent.change_percent), (Some(10.0), None));
        for fine in [
            quote(336.13, Some(1.13), Some(335.0), Some(0.34)),
            quote(10.4, Some(-0.03), Some(10.43), Some(-0.29)),
            quote(10.1234, Some(0.12), Some(10.0), None),
            quote(5.0, None, None, Some(3.0)),
            quote(6500.12, Some(0.0), None, None),
            quote(6500.12, Some(0.0), Some(6500.12), Some(0.0)),
        ] {
            let mut settled = fine.clone();
            assert_eq!(settled.settle(), Vec::<String>::new());
            assert_eq!(settled, fine);
        }
    }

    #[test]
    fn before_the_session_an_unchanged_price_is_its_own_previous_close() {
        let mut before = quote(213.25, Some(0.0), Some(213.25), Some(0.0));
        before.market = Some("PRE_MKT".to_owned());
        assert_eq!(before.settle().len(), 1);
        assert_eq!((before.change, before.previous_close), (None, None));
        let mut during = quote(213.25, Some(0.0), Some(213.25), Some(0.0));
        during.market = Some("REG_MKT".to_owned());
        assert!(during.settle().is_empty());
    }

    proptest! {
        // What is left agrees, whatever was sent; and nothing is left out that did.
        #[test]
        fn a_settled_quote_agrees(
            price in 1_u32..10_000_000, change in prop::option::of(-1_000_000..1_000_000_i32),
            previous in prop::option::of(1_u32..10_000_000), percent in prop::option::of(-10_000..10_000_i32),
            truthful: bool,
        ) {
            let cents = |number: f64| number / 100.0;
            let price = cents(f64::from(price));
            let previous = previous.map(|previous| cents(f64::from(previous)));
            let change = match (truthful, previous) {
                (true, Some(previous)) => Some(((price - previous) * 100.0).round() / 100.0),
                _ => change.map(|change| cents(f64::from(change))),
            };
            let mut quote = quote(price, change, previous, percent.map(|percent| cents(f64::from(percent))));
            let said = quote.settle();
            if let (Some(change), Some(previous)) = (quote.change, quote.previous_close) {
                prop_assert!(agree(price, change, previous));
            }
            if truthful && previous.is_some() {
                prop_assert_eq!((quote.change, quote.previous_close), (change, previous));
            }
            let gone = usize::from(quote.change != change) + usize::from(quote.previous_close != previous);
            prop_assert!(gone <= said.len());
            // Settled once is settled.
            prop_assert_eq!(quote.settle(), Vec::<String>::new());
        }
    }
}
