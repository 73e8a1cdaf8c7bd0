//! Tool lookup by user-supplied names.

use freshcontext_engine::{Engine, Tool};

/// Finds a tool by its name, with or without `extract_`.
pub(super) fn find<'e>(engine: &'e Engine, name: &str) -> Option<&'e Tool> {
    engine
        .tool(name)
        .or_else(|| engine.tool(&format!("extract_{name}")))
}

/// Returns the most similar names, or all names if none is similar.
pub(super) fn near(engine: &Engine, name: &str) -> String {
    let stem = name.trim_start_matches("extract_").trim_start_matches("search_");
    let alike: Vec<&str> = engine
        .tools()
        .iter()
        .map(|tool| tool.name.as_str())
        .filter(|known| {
            stem.len() > 2 && (known.contains(stem) || stem.contains(known.trim_start_matches("extract_")))
        })
        .collect();
    if alike.is_empty() {
        "`freshcontext tools` lists them".to_owned()
    } else {
        format!("perhaps {}", alike.join(" or "))
    }
}
