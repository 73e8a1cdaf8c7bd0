//! One version of a package, in its registry.

use freshcontext_contract::standing::Basis;
use freshcontext_contract::{Cx, ErrorCode, Lookup, Presence, SourceError, StandingEvidence, StandingState};
use freshcontext_parse::charset::as_text;
use freshcontext_parse::registry::Registry;

use crate::{parse, request};

/// The field in which PyPI's index states whether a project is archived, deprecated or in quarantine. Its other documents do
/// not say so.
const STATUS: &str = "project-status";

/// Asks a registry for one version of a package, or for the version that it hands out. Only that version's own state counts,
/// and that of the project as a whole. The latter is in PyPI's index, which is one further request: where the caller has none
/// to spare (`asks_status` is false), it is reported that it was not asked for.
pub async fn look_up(
    cx: &Cx<'_>,
    registry: Registry,
    name: &str,
    version: Option<&str>,
    asks_status: bool,
) -> Result<Lookup, SourceError> {
    let mut found = registered(cx, registry, name, version).await?;
    if registry != Registry::Pypi || matches!(found.presence, Presence::Unsettled(_)) {
        return Ok(found);
    }
    if !asks_status {
        return Ok(found.showing(STATUS, "not asked", None::<String>));
    }
    let question = request::pypi_index(name)?;
    let page = question.url.to_string();
    match cx.read(question, as_text(parse::pypi::status)).await {
        Ok(sign) => {
            // A state of a project says nothing of a version that it does not have, except that all of it was taken away.
            let counts = |sign: &StandingEvidence| {
                found.presence == Presence::Found || sign.state == StandingState::Removed
            };
            let sign = sign.filter(counts).map(|sign| sign.shown_at(page));
            found.signs.extend(sign);
            Ok(found)
        }
        Err(error) if matches!(error.code, ErrorCode::Cancelled | ErrorCode::Internal) => Err(error),
        Err(_) => Ok(found.showing(STATUS, "not answered", Some(page))),
    }
}

async fn registered(
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
        let found = facts.and_then(|facts| {
            let is_empty = facts.versions.is_none() && facts.latest.is_none() && facts.standing.is_empty();
            if is_empty {
                let message = format!("{}: the answer lists no versions", registry.name());
                return Err(SourceError::malformed(message));
            }
            if !registry.is_same(&facts.name, name) {
                return Ok(parse::other_record(&facts.name));
            }
            let shown = facts.name.clone();
            let found = Lookup::of_item(facts.into_item(registry, cx.now()));
            Ok(found.showing("name", shown, None::<String>))
        });
        return Lookup::or_gone(found, Basis::Field, Some(&url));
    };
    // PyPI's document of one version is small; a project of which it has none may lack the version alone.
    if registry == Registry::Pypi {
        let own = request::pypi_version(name, version)?;
        match cx.read(own, as_text(|body| read(body, name, version))).await {
            Err(error) if error.code == ErrorCode::NotFound => {}
            answer => return answer,
        }
    }
    let whole = cx.read(question, as_text(|body| read(body, name, version))).await;
    let answer = match whole {
        // Some documents hold thousands of nightlies.
        Err(error) if error.code == ErrorCode::TooLarge && registry == Registry::Npm => {
            let manifest = request::npm_manifest(name, version)?;
            cx.read(manifest, as_text(|body| read(body, name, version))).await
        }
        answer => answer,
    };
    Lookup::or_gone(answer, Basis::Field, Some(&url))
}
