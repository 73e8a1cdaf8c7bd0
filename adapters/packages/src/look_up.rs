//! One version of a package, in its registry.

use freshcontext_contract::standing::Basis;
use freshcontext_contract::{Cx, ErrorCode, Lookup, SourceError};
use freshcontext_parse::charset::as_text;
use freshcontext_parse::registry::Registry;

use crate::{parse, request};

/// Asks a registry for one version of a package, or for the version that it hands out. Only that version's own state counts.
pub async fn look_up(
    cx: &Cx<'_>,
    registry: Registry,
    name: &str,
    version: Option<&str>,
) -> Result<Lookup, SourceError> {
    let question = request::package(registry, name)?;
    let read = match registry {
        Registry::Npm => parse::npm::version,
        Registry::Pypi => parse::pypi::version,
        Registry::Crates => parse::crates::version,
    };
    let url = question.url.to_string();
    let Some(version) = version else {
        let read = match registry {
            Registry::Npm => parse::npm::read,
            Registry::Pypi => parse::pypi::read,
            Registry::Crates => parse::crates::read,
        };
        let facts = cx.read(question, as_text(read)).await;
        let found = facts.map(|facts| {
            let shown = facts.name.clone();
            Lookup::of_item(facts.into_item(registry, cx.now())).showing("name", shown, None::<String>)
        });
        return Lookup::or_gone(found, Basis::Field, Some(&url));
    };
    // PyPI's document of one version is small; a project of which it has none may lack the version alone.
    if registry == Registry::Pypi {
        let own = request::pypi_version(name, version)?;
        match cx.read(own, as_text(|body| read(body, version))).await {
            Err(error) if error.code == ErrorCode::NotFound => {}
            answer => return answer,
        }
    }
    let whole = cx.read(question, as_text(|body| read(body, version))).await;
    let answer = match whole {
        // Some documents hold thousands of nightlies.
        Err(error) if error.code == ErrorCode::TooLarge && registry == Registry::Npm => {
            let manifest = request::npm_manifest(name, version)?;
            cx.read(manifest, as_text(|body| read(body, version))).await
        }
        answer => answer,
    };
    Lookup::or_gone(answer, Basis::Field, Some(&url))
}
