//! Which call of which tool fetches a candidate again, as the descriptors say. A test of the suite asks the tools
//! themselves: they must accept each of these calls.

use freshcontext_contract::Refetch;
use serde::Serialize;
use serde_json::{Value, json};
use url::Url;

use crate::candidate::Candidate;
use crate::sources::SOURCES;

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Call {
    /// Its name.
    pub tool: String,
    /// Its arguments; null where they are not known.
    pub arguments: Value,
}

/// Longest title that is searched for, in characters.
const TITLE: usize = 200;

/// Longest ticker, in bytes.
const TICKER: usize = 16;

/// The call that fetches a candidate again: the one that brought it where that is known, else the one that its
/// source type and its address or title make. None where no tool of ours has it.
pub fn refetch(candidate: &Candidate<'_>) -> Option<Call> {
    if let Some(known) = &candidate.call {
        return Some(Call {
            tool: known.tool.clone(),
            arguments: known.arguments.clone().unwrap_or(Value::Null),
        });
    }
    let (_, tool, way) = SOURCES
        .into_iter()
        .find(|(source, ..)| *source == candidate.source_type)?;
    let url = Url::parse(candidate.source.trim())
        .ok()
        .filter(|url| url.scheme().starts_with("http"));
    let title = |argument: &str| {
        let title: String = candidate.title.as_deref()?.chars().take(TITLE).collect();
        (!title.trim().is_empty()).then(|| json!({argument: title}))
    };
    let arguments = match way {
        Refetch::Address(argument, hosts) => match url.filter(|url| at(url, hosts)) {
            Some(url) => Some(json!({argument: url.as_str()})),
            None => title(argument),
        },
        Refetch::Title(argument) => title(argument),
        Refetch::Repository(_) => {
            let url = url.filter(|url| at(url, &["github.com"]))?;
            let mut parts = url.path_segments()?;
            let (owner, name) = (parts.next()?, parts.next().filter(|name| !name.is_empty())?);
            Some(json!({"url": format!("https://github.com/{owner}/{name}")}))
        }
        Refetch::Ticker => {
            let ticker = candidate.title.as_deref()?.split(':').next()?.trim();
            let is_one = !ticker.is_empty()
                && ticker.len() <= TICKER
                && ticker
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b".-^=/".contains(&b));
            is_one.then(|| json!({"url": ticker}))
        }
        Refetch::Package => {
            let url = url?;
            let parts: Vec<&str> = url.path_segments()?.filter(|part| !part.is_empty()).collect();
            let name = match (url.host_str()?.trim_start_matches("www."), parts.as_slice()) {
                ("npmjs.com", ["package", scope, name, ..]) if scope.starts_with('@') => {
                    format!("npm:{scope}/{name}")
                }
                ("npmjs.com", ["package", name, ..]) => format!("npm:{name}"),
                ("pypi.org", ["project", name, ..]) => format!("pypi:{name}"),
                ("crates.io", ["crates", name, ..]) => format!("crates:{name}"),
                _ => return None,
            };
            Some(json!({"packages": name}))
        }
    };
    let tool = match way {
        Refetch::Repository(of) => of,
        _ => tool,
    };
    arguments.map(|arguments| Call {
        tool: tool.to_owned(),
        arguments,
    })
}

/// Whether an address is at one of these hosts, or below one.
fn at(url: &Url, hosts: &[&str]) -> bool {
    let host = url.host_str().unwrap_or_default();
    hosts.iter().any(|known| {
        *known == "*" || host == *known || host.strip_suffix(known).is_some_and(|rest| rest.ends_with('.'))
    })
}
