//! Two dates of one item that differ by more than 48 hours. Every date field of every source has a known
//! role. Each field alone is set to an earlier day, and the answer must report the contradiction correctly.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use chrono::NaiveDate;
use freshcontext_testkit::Case;
use freshcontext_testkit::check::Outcome;
use libtest_mimic::{Failed, Trial};
use serde_json::Value;

use super::roles::{ROLES, Role, Row, has_table};
use super::{CASES, answer, shift};
use crate::{root, shared, verdict};

/// The row of a field of a tool, and its name: that of the longest name that it ends with.
fn role(tool: &str, field: &str) -> Option<(usize, &'static str)> {
    let fits = |name: &str| {
        field == name
            || field
                .strip_suffix(name)
                .is_some_and(|before| before.ends_with('.'))
    };
    let rows = ROLES.iter().enumerate();
    rows.filter(|(_, row)| row.tool == tool && fits(row.field))
        .max_by_key(|(_, row)| row.field.len())
        .map(|(at, row)| (at, row.field))
}

/// Every date field of every body, by tool: those of fixtures, and those of recordings.
static MET: LazyLock<[BTreeMap<&str, BTreeSet<String>>; 2]> = LazyLock::new(|| {
    let mut met = [BTreeMap::new(), BTreeMap::new()];
    let (cases, recordings) = &*CASES;
    for case in cases {
        let [fixtures, recorded] = &mut met;
        let among = if case.folder.starts_with(root().join("fixtures")) {
            fixtures
        } else {
            recorded
        };
        for body in read(case, &super::bodies(case, recordings)) {
            let fields: &mut BTreeSet<String> = among.entry(case.tool.as_str()).or_default();
            fields.extend(shift::fields(body));
        }
    }
    met
});

/// Every date field of every body has a role, every role has a field, and every source has at least one.
pub fn known() -> Vec<Trial> {
    let adapters = freshcontext_sources::adapters();
    let trial = |tool: &'static str| {
        Trial::test(format!("{tool}::date_fields::conflicts"), move || {
            verdict(roles_of(tool))
        })
    };
    adapters
        .iter()
        .map(|adapter| adapter.descriptor().tool)
        .map(trial)
        .collect()
}

fn roles_of(tool: &str) -> Vec<String> {
    let [fixtures, recorded] = &*MET;
    let none = BTreeSet::new();
    let (fixtures, recorded) = (
        fixtures.get(tool).unwrap_or(&none),
        recorded.get(tool).unwrap_or(&none),
    );
    let mut complaints = Vec::new();
    let mut due: BTreeSet<usize> = (0..ROLES.len())
        .filter(|at| ROLES.get(*at).is_some_and(|row| row.tool == tool))
        .collect();
    if due.is_empty() && !has_table(tool) {
        complaints.push(format!(
            "{tool} has no table in a dates.toml of fixtures/: which date is the publication?"
        ));
    }
    for field in fixtures.union(recorded) {
        match role(tool, field) {
            Some((at, name)) => {
                due.remove(&at);
                if fixtures.contains(field) && ROLES.get(at).is_some_and(|row| row.recorded) {
                    complaints.push(format!(
                        "{tool}: a fixture has the date `{name}`, which dates.toml calls one of recordings only"
                    ));
                }
            }
            None => complaints.push(format!(
                "{tool}: what is the date `{field}`? Name it in the dates.toml of its fixtures"
            )),
        }
    }
    let unmet = due.iter().filter_map(|at| ROLES.get(*at));
    // Roles seen only in recordings are required only if those are present.
    let unmet = unmet.filter(|row| shared().is_some() || !row.recorded);
    complaints.extend(unmet.map(|row| {
        format!(
            "{tool}: no body has the date `{}`, which dates.toml names; add a case that has it, or remove the line (a year alone is no date)",
            row.field
        )
    }));
    complaints
}

/// Returns the bodies that this property reads. Dates of pages have a property of their own.
fn read<'b>(case: &Case, bodies: &'b [String]) -> Vec<&'b str> {
    let is_page = |body: &str| case.tool == "extract_changelog" && body.to_lowercase().contains("<body");
    let read = bodies.iter().map(String::as_str);
    read.map(|body| if is_page(body) { "" } else { body }).collect()
}

/// Whether a body has a date whose role is known.
pub fn due(case: &Case, bodies: &[String]) -> bool {
    let known = |field: &String| role(&case.tool, field).is_some();
    read(case, bodies)
        .iter()
        .any(|body| shift::fields(body).iter().any(known))
}

fn same<'a>(whole: &'a Outcome, item: &Value) -> Option<&'a Value> {
    let name = ["url", "id", "title"]
        .into_iter()
        .find(|name| item[*name].is_string())?;
    let mut alike = whole.items().iter().filter(|other| other[name] == item[name]);
    alike.next().filter(|_| alike.next().is_none())
}

pub async fn law(case: Arc<Case>, recordings: Arc<PathBuf>) -> Result<(), Failed> {
    let whole = answer(&case, &recordings, None, str::to_owned).await?;
    let mut complaints = Vec::new();
    let bodies = super::bodies(&case, &recordings);
    for (number, body) in read(&case, &bodies).into_iter().enumerate() {
        let row_of = |field: &str| role(&case.tool, field).map(|(at, _)| at);
        let rows: BTreeSet<usize> = shift::fields(body)
            .iter()
            .filter_map(|field| row_of(field))
            .collect();
        if rows.is_empty() {
            continue;
        }
        // An item that this reply does not date stays unchanged even if all of its dates move.
        let (altered, _) = shift::earlier(body, |_| true);
        let moved = answer(&case, &recordings, Some(number), |_| altered.clone()).await?;
        for row in rows {
            let (altered, days) = shift::earlier(body, |field| row_of(field) == Some(row));
            let became = answer(&case, &recordings, Some(number), |_| altered.clone()).await?;
            let Some(Row {
                field: name, role, ..
            }) = ROLES.get(row)
            else {
                continue;
            };
            let what = format!("reply {}, `{name}` {} days earlier", number + 1, shift::DAYS);
            let outcomes = Outcomes {
                whole: &whole,
                moved: &moved,
                became: &became,
            };
            complaints.extend(
                outcomes
                    .judged(*role, &days)
                    .into_iter()
                    .map(|line| format!("{what}: {line}")),
            );
        }
    }
    verdict(complaints)
}

/// The original answer, the one with all dates of one reply earlier, and the one with one field earlier.
struct Outcomes<'o> {
    whole: &'o Outcome,
    moved: &'o Outcome,
    became: &'o Outcome,
}

/// An item's date and confidence.
fn facts(item: &Value) -> (&Value, &Value) {
    (&item["published_at"], &item["date_confidence"])
}

impl Outcomes<'_> {
    fn judged(&self, role: Role, days: &BTreeSet<NaiveDate>) -> Vec<String> {
        let mut out = Vec::new();
        let notes = self.became.structured["notes"].to_string();
        for item in self.became.items() {
            let Some(before) = same(self.whole, item).filter(|before| before["published_at"].is_string())
            else {
                continue;
            };
            let all = same(self.moved, item).map(facts);
            if all.is_none_or(|all| all == facts(before)) {
                continue;
            }
            let role = if let Role::ByItem(of) = role {
                of(before)
            } else {
                role
            };
            let (was, is) = (facts(before), facts(item));
            let alone = all == Some(is);
            let named = || {
                let item = item.to_string();
                days.iter()
                    .any(|day| item.contains(&day.to_string()) || notes.contains(&day.to_string()))
            };
            let complaint = match role {
                Role::Publication if was == is && is.1 == "high" => {
                    "it is not heard although it says the same"
                }
                Role::Other(why) if was != is => why,
                Role::Second if !alone && is.1 == "high" => "two dates, and a high confidence",
                Role::Second if !alone && !named() => "the other date is not named",
                _ => continue,
            };
            out.push(format!("{}: {was:?} became {is:?}: {complaint}", item["title"]));
        }
        out.truncate(3);
        out
    }
}
