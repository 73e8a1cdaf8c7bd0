//! Measurements as a Markdown table for people and as JSON lines for programs.

use std::io::{self, Write};

use serde_json::json;

/// Target of a measurement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Target {
    /// At most this value.
    AtMost(f64),
    /// At least this value.
    AtLeast(f64),
    /// A rate of at least this many times the reference's.
    Times(f64),
}

/// One measurement.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    /// Group name on the command line.
    pub group: &'static str,
    /// What was measured.
    pub what: String,
    /// Unit of both values.
    pub unit: &'static str,
    /// Value of the freshcontext server.
    pub ours: f64,
    /// Value of the reference, from the same run.
    pub reference: Option<f64>,
    /// Target for the freshcontext server.
    pub target: Option<Target>,
}

impl Row {
    /// Creates a row without a target.
    pub(crate) fn new(group: &'static str, what: impl Into<String>, unit: &'static str, ours: f64) -> Self {
        Self {
            group,
            what: what.into(),
            unit,
            ours,
            reference: None,
            target: None,
        }
    }

    /// Creates a row for a measurement that was not possible here, with the reason.
    pub(crate) fn not_measured(group: &'static str, what: &str, why: &str) -> Self {
        Self::new(group, format!("{what}: NOT MEASURED ({why})"), "", f64::NAN)
    }

    /// Adds the reference's value.
    #[must_use]
    pub(crate) fn beside(mut self, reference: Option<f64>) -> Self {
        self.reference = reference;
        self
    }

    /// Adds a target.
    #[must_use]
    pub(crate) fn target(mut self, target: Target) -> Self {
        self.target = Some(target);
        self
    }

    /// Returns whether the target is met. `None` without a target, or without the reference value that the target
    /// needs.
    pub(crate) fn met(&self) -> Option<bool> {
        if self.ours.is_nan() {
            return None;
        }
        match self.target? {
            Target::AtMost(most) => Some(self.ours <= most),
            Target::AtLeast(least) => Some(self.ours >= least),
            Target::Times(times) => self.reference.map(|reference| self.ours >= reference * times),
        }
    }

    fn target_text(&self) -> String {
        match self.target {
            None => String::new(),
            Some(Target::AtMost(most)) => format!("≤ {}", figure(most)),
            Some(Target::AtLeast(least)) => format!("≥ {}", figure(least)),
            Some(Target::Times(times)) => format!("≥ {times} x reference"),
        }
    }

    fn markdown(&self) -> String {
        let reference = self.reference.map(figure).unwrap_or_default();
        let ratio = self
            .reference
            .filter(|reference| *reference > 0.0)
            .map(|reference| format!("{:.2}", self.ours / reference))
            .unwrap_or_default();
        let met = match self.met() {
            Some(true) => "yes",
            Some(false) => "**no**",
            None => "",
        };
        format!(
            "| {} | {} | {} | {} | {reference} | {ratio} | {} | {met} |",
            self.group,
            self.what,
            self.unit,
            figure(self.ours),
            self.target_text(),
        )
    }

    fn json(&self) -> String {
        json!({
            "group": self.group,
            "what": self.what,
            "unit": self.unit,
            "ours": self.ours,
            "reference": self.reference,
            "target": self.target_text(),
            "met": self.met(),
        })
        .to_string()
    }
}

/// Formats a value with its significant digits only.
fn figure(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size.is_nan() => String::new(),
        size if size >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

/// Prints both forms to stdout.
pub(crate) fn print(rows: &[Row]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "| group | what | unit | ours | reference | ours / reference | target | met |"
    )?;
    writeln!(out, "| --- | --- | --- | ---: | ---: | ---: | --- | --- |")?;
    for row in rows {
        writeln!(out, "{}", row.markdown())?;
    }
    writeln!(out)?;
    for row in rows {
        writeln!(out, "{}", row.json())?;
    }
    out.flush()
}

/// Reports progress on stderr: a run takes a minute or two.
pub(crate) fn note(text: &str) {
    // A closed stderr does not stop the measurements.
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Durations of one kind of call, in milliseconds.
#[derive(Debug, Default, Clone)]
pub(crate) struct Times(Vec<f64>);

impl Times {
    /// Sorts the durations once.
    pub(crate) fn new(mut millis: Vec<f64>) -> Self {
        millis.sort_by(f64::total_cmp);
        Self(millis)
    }

    /// Returns the quantile by nearest rank, or 0 if there are no calls.
    pub(crate) fn quantile(&self, share: f64) -> f64 {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a rank between 0 and the number of calls"
        )]
        let rank = (share.clamp(0.0, 1.0) * self.0.len() as f64).ceil() as usize;
        self.0.get(rank.saturating_sub(1)).copied().unwrap_or(0.0)
    }

    /// Returns the median.
    pub(crate) fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    /// Returns sequential calls per second.
    pub(crate) fn rate(&self) -> f64 {
        let sum: f64 = self.0.iter().sum();
        if sum > 0.0 {
            self.0.len() as f64 * 1e3 / sum
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_nearest_ranks() {
        let times = Times::new(vec![3.0, 1.0, 2.0, 4.0]);
        let found = [
            times.median(),
            times.quantile(0.99),
            times.quantile(0.0),
            times.rate(),
        ];
        assert_eq!(found.map(|value| value.to_string()), ["2", "4", "1", "400"]);
        assert_eq!(Times::default().median().to_string(), "0");
    }

    #[test]
    fn a_target_beside_the_reference_needs_the_reference() {
        let row = Row::new("g", "w", "calls/s", 30.0).target(Target::Times(2.5));
        assert_eq!(row.met(), None);
        assert_eq!(row.clone().beside(Some(12.0)).met(), Some(true));
        assert_eq!(row.beside(Some(12.1)).met(), Some(false));
    }
}
