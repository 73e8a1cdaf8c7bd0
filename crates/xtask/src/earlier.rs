//! Tables of `as_of`: what is fixed, what moves, and how each route answers for an earlier moment.

use std::fmt::Write as _;

use freshcontext_contract::AsOf;

/// Returns how a route answers for an earlier moment, in words.
pub fn of_route(how: AsOf) -> String {
    match how {
        AsOf::Asked(parameters) => format!("asked for it ({parameters})"),
        AsOf::Filtered => "what is later, or moves, is left out".to_owned(),
        AsOf::NotSupported(reason) => format!("not_supported, because {reason}"),
    }
}

/// Returns the table of all sources.
pub fn by_source() -> String {
    let mut out =
        String::from("| tool | as of an earlier moment | fixed | moving |\n| --- | --- | --- | --- |\n");
    for adapter in freshcontext_sources::adapters() {
        let facts = adapter.descriptor();
        let mut ways: Vec<String> = Vec::new();
        for route in facts.routes {
            let way = of_route(route.as_of);
            if !ways.iter().any(|known| known.ends_with(&way)) {
                ways.push(format!("`{}`: {way}", route.id));
            }
        }
        let code = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            names.join(", ")
        };
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "| `{}` | {} | {} | {} |",
            facts.tool,
            ways.join("; "),
            code(facts.facts.fixed),
            code(facts.facts.moving)
        );
    }
    out
}
