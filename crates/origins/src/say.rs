//! The origins in words.

use std::fmt::Write as _;

use chrono::TimeDelta;
use freshcontext_contract::counted;

use crate::{Cluster, Disagreement, Origins};

/// Origins and disagreements that are named, each; the others are counted.
pub const NAMED: usize = 20;

impl Origins {
    /// Whether there is more to tell than that every item is its own origin.
    pub fn has_more(&self) -> bool {
        self.origins < self.items || !self.disagreements.is_empty() || self.not_compared > 0
    }

    /// In one phrase: `14 items, 6 origins`.
    pub fn phrase(&self) -> String {
        // Writing to a String cannot fail, here and below.
        let mut out = format!(
            "{}, {}",
            counted(self.items, "item", "items"),
            counted(self.origins, "origin", "origins")
        );
        if self.not_compared > 0 {
            let _ = write!(out, " ({} not compared)", self.not_compared);
        }
        out
    }

    /// A line for each origin with several items and for each disagreement; `name` names an item by its place from 0, `span` writes
    /// a time in words.
    pub fn lines(&self, name: impl Fn(usize) -> String, span: impl Fn(TimeDelta) -> String) -> Vec<String> {
        let mut out: Vec<String> = self
            .clusters
            .iter()
            .take(NAMED)
            .map(|cluster| cluster_line(cluster, &name, &span))
            .collect();
        if self.clusters.len() > NAMED {
            let more = counted(self.clusters.len() - NAMED, "more origin", "more origins");
            out.push(format!("{more} with several items."));
        }
        out.extend(
            self.disagreements
                .iter()
                .take(NAMED)
                .map(|disagreement| disagreement_line(disagreement, &name)),
        );
        if self.disagreements.len() > NAMED {
            out.push(counted(
                self.disagreements.len() - NAMED,
                "more disagreement.",
                "more disagreements.",
            ));
        }
        out
    }
}

fn list(items: &[usize], name: &impl Fn(usize) -> String) -> String {
    items.iter().map(|at| name(*at)).collect::<Vec<_>>().join(", ")
}

fn cluster_line(
    cluster: &Cluster,
    name: &impl Fn(usize) -> String,
    span: &impl Fn(TimeDelta) -> String,
) -> String {
    let reasons: Vec<String> = cluster.reasons.iter().map(ToString::to_string).collect();
    let mut out = format!(
        "One origin: {} ({})",
        list(&cluster.members, name),
        reasons.join(", ")
    );
    match (cluster.first.as_slice(), cluster.ahead) {
        ([], _) => out.push_str("; first: not known"),
        ([one], Some(ahead)) => {
            let _ = write!(out, "; first {}, {} ahead", name(*one), span(ahead));
        }
        (several, _) if cluster.day_only.is_empty() => {
            let _ = write!(out, "; first {} at one time", list(several, name));
        }
        (several, _) => {
            let names: Vec<String> = several.iter().map(|at| name(*at)).collect();
            let verb = if cluster.day_only.len() == 1 {
                "has"
            } else {
                "have"
            };
            let days = list(&cluster.day_only, name);
            let _ = write!(out, "; first {} ({days} {verb} a day only)", names.join(" or "));
        }
    }
    if cluster.undated > 0 && !cluster.first.is_empty() {
        let _ = write!(out, "; {} undated", cluster.undated);
    }
    out
}

fn disagreement_line(disagreement: &Disagreement, name: &impl Fn(usize) -> String) -> String {
    let values: Vec<String> = disagreement
        .values
        .iter()
        .map(|(value, items)| format!("{value} ({})", list(items, name)))
        .collect();
    format!("Disagreement on {}: {}", disagreement.of, values.join(", "))
}
