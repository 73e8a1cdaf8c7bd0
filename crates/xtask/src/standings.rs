//! Tables of the states in which things may be, and of which source tells them.

use std::fmt::Write as _;

use freshcontext_contract::{Route, StandingState};
use freshcontext_core::standing::{Severity, meaning};

/// Returns the table of states, the weightiest first.
pub fn states() -> String {
    let mut out = String::from("| state | means | severity |\n| --- | --- | --- |\n");
    for state in StandingState::ALL {
        let severity = Severity::of(state).as_str();
        let _ = writeln!(out, "| `{}` | {} | {severity} |", state.as_str(), meaning(state));
    }
    out
}

/// Returns the table of what each route tells.
pub fn by_source() -> String {
    let mut out = String::from("| tool | route | tells |\n| --- | --- | --- |\n");
    for adapter in freshcontext_sources::adapters() {
        let facts = adapter.descriptor();
        for route in facts.routes {
            let _ = writeln!(out, "| `{}` | `{}` | {} |", facts.tool, route.id, of_route(route));
        }
    }
    out
}

/// Returns what a route tells, and at what cost.
pub fn of_route(route: &Route) -> String {
    if let Some(untold) = route.untold {
        return format!("nothing: {untold}");
    }
    let states: Vec<String> = route
        .states
        .iter()
        .map(|state| format!("`{}`", state.as_str()))
        .collect();
    let cost = match route.states_cost {
        0 => String::new(),
        1 => ", in part by one further request".to_owned(),
        more => format!(", in part by {more} further requests"),
    };
    if states.is_empty() {
        "nothing".to_owned()
    } else {
        format!("{}{cost}", states.join(", "))
    }
}
