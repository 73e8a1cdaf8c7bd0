//! docs/sources-checked.md: the evidence behind each route's parser, and the number of bodies it was tested
//! on. Generated from the descriptors and the cases. The suite runs the cases, so a stated result cannot
//! become outdated.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use freshcontext_contract::{Descriptor, Founding};
use freshcontext_testkit::{Case, Exchange, Origin, load_cases};

/// Bodies of one route, by origin and by how well they are read.
#[derive(Debug, Default, Clone)]
struct Row {
    recorded: BTreeSet<String>,
    documented: BTreeSet<String>,
    written: BTreeSet<String>,
    partly: BTreeSet<String>,
    wrong: BTreeSet<String>,
}

impl Row {
    fn add(&mut self, case: &Case, at: usize, exchange: &Exchange) {
        let text = exchange.text.as_ref().filter(|text| !text.trim().is_empty());
        let body = match (&exchange.recording, &exchange.body, text) {
            (Some(recording), ..) => recording.clone(),
            (_, Some(_), _) | (.., Some(_)) => format!("{} {at}", case.name),
            _ => return,
        };
        if case.wrong.is_some() {
            self.wrong.insert(body.clone());
        } else if case.partly.is_some() {
            self.partly.insert(body.clone());
        }
        match case.origin_of(exchange) {
            Origin::Recorded => self.recorded.insert(body),
            Origin::Documented => self.documented.insert(body),
            Origin::Crafted => self.written.insert(body),
        };
    }

    fn bodies(&self) -> usize {
        self.recorded.len() + self.documented.len() + self.written.len()
    }

    fn cells(&self) -> String {
        let partly = self.partly.difference(&self.wrong).count();
        let right = self.bodies().saturating_sub(partly + self.wrong.len());
        format!(
            "{} | {} | {} | {right} | {partly} | {}",
            self.recorded.len(),
            self.documented.len(),
            self.written.len(),
            self.wrong.len()
        )
    }
}

/// Rows of one source by route; those without a single route are under the empty name.
type Rows = BTreeMap<String, Row>;

fn rows(facts: &Descriptor, cases: &[Case]) -> Result<Rows, String> {
    let mut rows = Rows::new();
    for case in cases.iter().filter(|case| case.tool == facts.tool) {
        for (at, exchange) in case.exchanges.iter().enumerate() {
            let named = [&exchange.reads, &case.reads, &case.expect.route];
            let named = named.into_iter().find_map(Option::as_deref);
            let route = match (named, facts.routes) {
                (Some(named), _) => facts
                    .route(named)
                    .map(|route| route.id)
                    .ok_or_else(|| format!("{}: {} has no route {named}", case.name, facts.id))?,
                (None, [only]) => only.id,
                _ => "",
            };
            rows.entry(route.to_owned()).or_default().add(case, at, exchange);
        }
    }
    Ok(rows)
}

fn all_cases(root: &Path) -> Result<Vec<Case>, String> {
    let mut cases = load_cases(&root.join("fixtures"))?;
    cases.extend(load_cases(&root.join("tests/recordings"))?);
    Ok(cases)
}

/// Routes whose claimed evidence no case supports: `<source>.<route>` and why.
fn unfounded(cases: &[Case]) -> Result<Vec<String>, String> {
    let mut out = Vec::new();
    for adapter in freshcontext_sources::adapters() {
        let facts = adapter.descriptor();
        let rows = rows(facts, cases)?;
        for route in facts.routes {
            let row = rows.get(route.id).cloned().unwrap_or_default();
            let best = if !row.recorded.is_empty() {
                Founding::Recorded
            } else if !row.documented.is_empty() {
                Founding::Documented
            } else {
                Founding::GeneralKnowledge
            };
            if route.founding != best {
                out.push(format!(
                    "{}.{} claims {}, its cases say {}: change `.founded(..)` of the route, or `origin` of the cases",
                    facts.id,
                    route.id,
                    route.founding.words(),
                    best.words()
                ));
            }
        }
    }
    Ok(out)
}

/// Returns the page, or an error if a route claims evidence that its cases do not support.
pub fn page(root: &Path) -> Result<String, String> {
    let cases = all_cases(root)?;
    let unfounded = unfounded(&cases)?;
    if !unfounded.is_empty() {
        return Err(unfounded.join("\n"));
    }
    let mut out = String::from(
        "# What the reading of each source is founded on\n\n\
         Generated from the descriptors and the cases by `cargo xtask generate`; do not edit.\n\n\
         Counted are bodies of answers: `recorded` ones are real answers of the source, `documented` ones were written \
         down by its publisher or by a public client, `written` ones are ours, to try something. `right`, `partly` and \
         `wrong` are how they are read: the suite runs every case, and a case that is known to be read less well than its \
         bodies allow says so. A line without a route holds bodies that are read alike on several.\n\n\
         | source | route | founded on | recorded | documented | written | right | partly | wrong |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    let mut total = Row::default();
    for adapter in freshcontext_sources::adapters() {
        let facts = adapter.descriptor();
        let rows = rows(facts, &cases)?;
        for route in facts.routes {
            let row = rows.get(route.id).cloned().unwrap_or_default();
            let _ = writeln!(
                out,
                "| {} | `{}` | {} | {} |",
                facts.id,
                route.id,
                route.founding.words(),
                row.cells()
            );
        }
        if let Some(row) = rows.get("") {
            let _ = writeln!(out, "| {} | | | {} |", facts.id, row.cells());
        }
        for row in rows.into_values() {
            total.recorded.extend(row.recorded);
            total.documented.extend(row.documented);
            total.written.extend(row.written);
            total.partly.extend(row.partly);
            total.wrong.extend(row.wrong);
        }
    }
    let _ = writeln!(out, "| **all** | | | {} |", total.cells());
    let known: Vec<&Case> = cases
        .iter()
        .filter(|case| case.partly.is_some() || case.wrong.is_some())
        .collect();
    if !known.is_empty() {
        out.push_str("\n## Not right yet\n\n");
        for case in known {
            let why = case
                .wrong
                .as_deref()
                .or(case.partly.as_deref())
                .unwrap_or_default();
            let _ = writeln!(out, "- `{}`: {why}", case.name);
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(route: &str, origin: &str) -> Case {
        Case::inline(&format!(
            "tool = \"extract_gdelt\"\nkind = \"odd\"\norigin = \"{origin}\"\nnote = \"\"\n\
             now = \"2026-11-21T12:00:00Z\"\nreads = \"{route}\"\n\
             [[exchange]]\nurl = \"https://example.org/\"\ntext = \"x\"\n[expect]\nerror = \"internal\"\n"
        ))
        .unwrap()
    }

    #[test]
    fn a_claim_needs_a_body_of_that_origin() {
        let of_gdelt = |cases: &[Case]| {
            let all = unfounded(cases).unwrap();
            all.into_iter()
                .find(|line| line.starts_with("gdelt."))
                .unwrap_or_default()
        };
        assert!(of_gdelt(&[]).contains("its cases say general knowledge"));
        assert!(of_gdelt(&[case("doc", "crafted")]).contains("its cases say general knowledge"));
        assert!(of_gdelt(&[case("doc", "documented")]).contains("its cases say documented"));
        // Inline text in a case of recordings was written for it.
        assert!(of_gdelt(&[case("doc", "recorded")]).contains("its cases say general knowledge"));
        assert!(unfounded(&[case("nowhere", "documented")]).is_err());
    }

    #[test]
    fn every_route_is_founded_on_what_it_claims() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
        let page = page(root).unwrap();
        assert!(page.contains("| gdelt | `doc` | recorded |"), "{page}");
    }
}
