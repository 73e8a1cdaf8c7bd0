//! `freshcontext references`: all references of a file, page by page.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use freshcontext_config::{ConfigError, Loaded, Sources};
use freshcontext_contract::SourceError;
use freshcontext_core::references::{Checked, References, Verdict, is_to_be_asked_again};
use freshcontext_engine::{Engine, Outcome};
use freshcontext_files::read::{self as input, Bound};
use freshcontext_lookup::{check_references, check_references_tool};
use freshcontext_serve::signals;
use serde_json::{Map, Value, json};

use super::{FAILED, STALE, UNCHECKED, WRONG, call, failed, with_runtime};
use crate::app::App;
use crate::output;

/// Exit code where a reference was withdrawn or is gone.
const VOID: u8 = 5;

pub(super) fn run(
    loaded: &Loaded,
    sources: &Sources,
    file: &Path,
    html: Option<&Path>,
    json: bool,
) -> Result<u8, ConfigError> {
    let bytes = match input::read(file, Bound::input(&loaded.settings.limits)) {
        Ok(bytes) => bytes,
        Err(refused) => {
            output::error(
                &refused.to_string(),
                Some("pass the name of a file, or - for stdin"),
            );
            return Ok(WRONG);
        }
    };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let app = App::build(&loaded.settings, &sources.environment)?;
    let checked = with_runtime(2, async {
        let work = all(&app.engine, text);
        let done = tokio::select! {
            done = work => Some(done),
            () = signals::end() => None,
        };
        app.engine.close().await;
        done
    })?;
    Ok(match checked {
        Some(Ok(answer)) => {
            // Where nothing was found, nothing was checked: that is not "all stand".
            let code = if answer.total == 0 {
                UNCHECKED
            } else {
                code(answer.worst())
            };
            let answer = Outcome::References(Box::new(answer)).into();
            let code = call::show(&answer, json).max(code);
            match html {
                Some(page) => {
                    let tool = check_references_tool();
                    call::write_page(&tool, &answer, app.engine.clock().now(), page).max(code)
                }
                None => code,
            }
        }
        Some(Err(error)) => failed(&error),
        None => FAILED,
    })
}

/// Every page, until none is left or one settles nothing more.
async fn all(engine: &Arc<Engine>, text: String) -> Result<References, SourceError> {
    let mut arguments: Map<String, Value> = Map::new();
    arguments.insert("text".to_owned(), text.into());
    let mut settled: BTreeMap<usize, Checked> = BTreeMap::new();
    loop {
        let page = check_references(engine, &arguments).await?;
        let is_stuck = page
            .checked
            .iter()
            .all(|checked| is_to_be_asked_again(&checked.judged));
        settled.extend(page.checked.into_iter().map(|checked| (checked.place, checked)));
        output::progress(&format!("{} of {} references", settled.len(), page.total));
        match page.cursor {
            Some(cursor) if !is_stuck => arguments.insert("cursor".to_owned(), json!(cursor)),
            _ => {
                output::progress_done();
                return Ok(References {
                    checked: settled.into_values().collect(),
                    cursor: None,
                    ..page
                });
            }
        };
    }
}

/// The exit code of the worst verdict.
const fn code(worst: Option<Verdict>) -> u8 {
    match worst {
        None | Some(Verdict::Stands) => 0,
        Some(Verdict::Moved | Verdict::Superseded) => STALE,
        Some(Verdict::CouldNotCheck | Verdict::NotRecognised) => UNCHECKED,
        Some(Verdict::Withdrawn | Verdict::Gone) => VOID,
    }
}
