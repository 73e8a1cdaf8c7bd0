//! Price, change, change in per cent and previous close of a quote say one thing twice. Where they
//! contradict each other, the one that cannot be trusted is left out and named; the price stands.

use crate::numbers::Figure;
use crate::quote::Quote;

/// Of a whole number, and of one whose last zeros were dropped, so many decimals count as shown; of a price below 1, so
/// many significant digits.
const LEAST_DECIMALS: usize = 2;

impl Quote {
    /// Leaves out what contradicts the rest; returns what was left out and why, a line each.
    pub fn settle(&mut self) -> Vec<String> {
        let mut left_out = std::mem::take(&mut self.unreadable);
        if self.rolled() {
            left_out.push(
                "previous_close equals the price before the session, so it is that price and not the close \
                 before; it and the change were left out"
                    .to_owned(),
            );
            (self.previous_close, self.change, self.change_percent) = (None, None, None);
            return left_out;
        }
        let step = Step::of(&self.price);
        left_out.extend(self.rounded_away());
        let price = &self.price;
        if let (Some(previous), Some(change)) = (&self.previous_close, &self.change)
            && !step.agree(price, change, previous)
        {
            // What the change in per cent says of either.
            let by_percent = |previous: f64, change: f64| {
                let percent = self.change_percent.as_ref();
                percent.is_some_and(|percent| step.percent_agrees(percent, previous, change, &self.known()))
            };
            let change_fits = by_percent(price.value() - change.value(), change.value());
            let previous_fits = by_percent(previous.value(), price.value() - previous.value());
            // Without a witness it is the previous close: sources set it to the last close as soon as a
            // session ends, while price and change still speak of that session.
            if previous_fits && !change_fits {
                left_out.push(format!(
                    "left out change {}, which contradicts price and previous close",
                    change.digits()
                ));
                self.change = None;
            } else {
                left_out.push(format!(
                    "left out previous_close {}, which contradicts price and change",
                    previous.digits()
                ));
                self.previous_close = None;
            }
        }
        let price = self.price.value();
        let known = match (&self.previous_close, &self.change) {
            (Some(previous), _) => Some((previous.value(), price - previous.value())),
            (None, Some(change)) => Some((price - change.value(), change.value())),
            (None, None) => None,
        };
        if let (Some(percent), Some((previous, change))) = (&self.change_percent, known)
            && !step.percent_agrees(percent, previous, change, &self.known())
        {
            left_out.push(format!(
                "left out change_percent {}, which contradicts the price and its change",
                percent.digits()
            ));
            self.change_percent = None;
        }
        left_out
    }

    /// A change of 0 beside a price that did change: the source wrote fewer decimals than the change has.
    fn rounded_away(&mut self) -> Option<String> {
        let change = self.change.as_ref().filter(|change| change.value() == 0.0)?;
        let moved = match (&self.previous_close, &self.change_percent) {
            (Some(previous), _) => self.price.value() - previous.value(),
            (None, Some(percent)) => self.price.value() * percent.value() / 100.0,
            (None, None) => return None,
        };
        // Where the change would show in its own digits, it is a contradiction and not a rounding.
        let hidden =
            moved != 0.0 && moved.abs() <= written_half(change) && change.decimals() < self.price.decimals();
        if !hidden {
            return None;
        }
        self.change = None;
        Some("left out change 0, which the source rounded to fewer decimals than the price has".to_owned())
    }

    fn known(&self) -> Vec<&Figure> {
        let figures = [
            Some(&self.price),
            self.change.as_ref(),
            self.previous_close.as_ref(),
        ];
        figures.into_iter().flatten().collect()
    }

    /// Whether the source has already made the last close the previous one, as before a session.
    fn rolled(&self) -> bool {
        let before = self
            .market
            .as_deref()
            .is_some_and(|market| market.to_ascii_lowercase().starts_with("pre"));
        let none = |figure: &Option<Figure>| figure.as_ref().is_none_or(|figure| figure.value() == 0.0);
        let same = |previous: &Figure| previous.digits() == self.price.digits();
        before
            && none(&self.change)
            && none(&self.change_percent)
            && self.previous_close.as_ref().is_some_and(same)
    }
}

/// The decimals that a price of this size has at least.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    decimals: usize,
}

impl Step {
    /// The step of a price.
    pub fn of(price: &Figure) -> Self {
        let digits = price.digits().trim_start_matches('-');
        let small = digits.strip_prefix("0.");
        let zeros = small.map_or(0, |fraction| {
            fraction.bytes().take_while(|byte| *byte == b'0').count()
        });
        Self {
            decimals: LEAST_DECIMALS + zeros,
        }
    }

    /// Whether price, change and previous close agree within what their shown digits leave open.
    pub fn agree(self, price: &Figure, change: &Figure, previous: &Figure) -> bool {
        let open = self.half(price) + self.half(change) + self.half(previous);
        let (price, change, previous) = (price.value(), change.value(), previous.value());
        (price - change - previous).abs() <= open * (1.0 + 1e-9) + price.abs() * f64::EPSILON * 8.0
    }

    /// Whether a change in per cent is this change of that previous close, computed from figures with their digits.
    /// Of a previous value of 0 there are no per cents; of one below 0, sources count in either direction.
    fn percent_agrees(self, percent: &Figure, previous: f64, change: f64, from: &[&Figure]) -> bool {
        if previous == 0.0 {
            return false;
        }
        let exact = change / previous.abs() * 100.0;
        let digits: f64 = from.iter().map(|figure| self.half(figure)).fold(0.0, f64::max);
        let open = Self {
            decimals: LEAST_DECIMALS,
        }
        .half(percent)
            + digits * 2.0 / previous.abs() * 100.0 * 2.0;
        let near = |exact: f64| (percent.value() - exact).abs() <= open + 1e-9;
        near(exact) || (previous < 0.0 && near(-exact))
    }

    /// Half of a number's last shown digit.
    fn half(self, figure: &Figure) -> f64 {
        half(figure.decimals().max(self.decimals))
    }
}

/// Half of a number's last digit as it was written.
fn written_half(figure: &Figure) -> f64 {
    half(figure.decimals().max(LEAST_DECIMALS))
}

fn half(decimals: usize) -> f64 {
    0.5 * 10_f64.powi(-i32::try_from(decimals).unwrap_or(i32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::number;
    use chrono::NaiveDate;
    use proptest::prelude::*;

    fn figure(value: f64) -> Figure {
        written(&value.to_string())
    }

    fn written(digits: &str) -> Figure {
        number(&digits.into()).unwrap()
    }

    fn quote(price: f64, change: Option<f64>, previous: Option<f64>, percent: Option<f64>) -> Quote {
        let day = NaiveDate::from_ymd_opt(2026, 11, 20);
        let mut quote = Quote::new("cboe", String::new(), Some(figure(price)), "x", day).unwrap();
        (quote.change, quote.previous_close, quote.change_percent) =
            (change.map(figure), previous.map(figure), percent.map(figure));
        quote
    }

    #[test]
    fn what_contradicts_is_left_out_and_named() {
        // The previous close has rolled: 209.07 is the true one.
        let mut rolled = quote(213.25, Some(4.18), Some(213.25), Some(1.9993));
        let said = rolled.settle();
        assert_eq!((rolled.previous_close, rolled.change), (None, Some(figure(4.18))));
        assert!(said[0].contains("previous_close 213.25"), "{said:?}");
        // Without a witness, too.
        let mut alone = quote(213.25, Some(4.18), Some(213.25), None);
        alone.settle();
        assert_eq!((alone.previous_close, alone.change), (None, Some(figure(4.18))));
        // The percentage bears the previous close out: the change is wrong.
        let mut change = quote(110.0, Some(4.18), Some(100.0), Some(10.0));
        assert!(change.settle()[0].contains("change 4.18"));
        assert_eq!(
            (change.previous_close, change.change),
            (Some(figure(100.0)), None)
        );
        let mut percent = quote(110.0, Some(10.0), Some(100.0), Some(3.0));
        assert!(percent.settle()[0].contains("change_percent 3"));
        assert_eq!(
            (percent.change, percent.change_percent),
            (Some(figure(10.0)), None)
        );
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

    #[test]
    fn a_change_that_the_source_rounded_away_is_left_out() {
        let day = NaiveDate::from_ymd_opt(2026, 11, 20);
        let mut coin = Quote::new("yahoo", String::new(), Some(written("0.00000034")), "x", day).unwrap();
        coin.change = Some(written("0.00"));
        coin.change_percent = Some(written("-1.90"));
        let said = coin.settle();
        assert!(said[0].contains("left out change 0"), "{said:?}");
        assert_eq!(
            (coin.change.is_none(), coin.change_percent.is_some()),
            (true, true)
        );
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
            if let (Some(change), Some(previous)) = (&quote.change, &quote.previous_close) {
                prop_assert!(Step::of(&quote.price).agree(&quote.price, change, previous));
            }
            let (change, previous) = (change.map(figure), previous.map(figure));
            if truthful && previous.is_some() {
                prop_assert_eq!((&quote.change, &quote.previous_close), (&change, &previous));
            }
            let gone = usize::from(quote.change != change) + usize::from(quote.previous_close != previous);
            prop_assert!(gone <= said.len());
            // Settled once is settled.
            prop_assert_eq!(quote.settle(), Vec::<String>::new());
        }

        // The same over 12 orders of magnitude: what a source computed itself stays, whatever the size of the price.
        #[test]
        fn what_a_source_computed_stays_at_any_size(
            price in 1_000_i64..1_000_000, previous in 1_000_i64..1_000_000, decimals in 0_usize..13,
        ) {
            let place = |number: i64| {
                let sign = if number < 0 { "-" } else { "" };
                let digits = format!("{:0width$}", number.abs(), width = decimals + 1);
                let (whole, fraction) = digits.split_at(digits.len() - decimals);
                written(&if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") })
            };
            let day = NaiveDate::from_ymd_opt(2026, 11, 20);
            let mut quote = Quote::new("cboe", String::new(), Some(place(price)), "x", day).unwrap();
            quote.previous_close = Some(place(previous));
            quote.change = Some(place(price - previous));
            #[expect(clippy::cast_precision_loss, reason = "six digits")]
            let percent = (price - previous) as f64 / previous as f64 * 100.0;
            quote.change_percent = Some(written(&format!("{percent:.2}")));
            let before = quote.clone();
            prop_assert_eq!(quote.settle(), Vec::<String>::new());
            prop_assert_eq!(quote, before);
        }
    }
}
