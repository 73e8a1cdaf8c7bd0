//! A package: its repository's releases, since they have notes; else the registry's versions.

use freshcontext_contract::chrono::TimeDelta;
use freshcontext_contract::{Cx, ErrorCode, SourceError, named};
use freshcontext_parse::charset::as_text;
use freshcontext_parse::link;
use freshcontext_parse::registry::{self as registries, Registry};

use crate::answer::Found;
use crate::parse::registry::{self, Package};
use crate::{is_final, repository};

/// A registry that is ahead of the repository by more than this has the truer list.
const BEHIND: TimeDelta = TimeDelta::days(7);

/// Finds the releases of a package.
pub async fn releases(cx: &Cx<'_>, registry: Registry, name: &str) -> Result<Found, SourceError> {
    let read = |body: &str| registry::read(registry, body);
    let mut package = match cx.read(registry.document(name)?, as_text(read)).await {
        // Thousands of nightlies make some documents larger than is worth reading.
        Err(error) if error.code == ErrorCode::TooLarge && registry == Registry::Npm => {
            let small = cx.read(registries::npm_latest(name)?, as_text(read)).await?;
            if small.repository.is_none() {
                return Err(error);
            }
            small
        }
        // The registry's own words say more: what was removed or unpublished was there.
        Err(error) if error.code == ErrorCode::NotFound && error.standing.is_empty() => {
            return Err(error.saying(format!("{} has no package {}", registry.prefix(), named(name))));
        }
        other => other?,
    };
    let own = versions(registry, &mut package)?;
    let mut found = match &package.repository {
        Some(at) => match repository::releases(cx, at).await {
            Ok(mut found) if !found.releases.is_empty() => {
                choose(&mut found, &package);
                if found.releases.is_empty() {
                    with_note(own, format!("the releases of {at} are those of other packages"))
                } else if own
                    .newest()
                    .zip(found.newest())
                    .is_some_and(|(own, theirs)| own - theirs > BEHIND)
                {
                    with_note(
                        own,
                        format!("the releases of {at} end before those of the registry"),
                    )
                } else {
                    found
                }
            }
            Ok(_) => with_note(own, format!("{at} makes no releases")),
            Err(error) if is_final(&error) => return Err(error),
            Err(error) if own.releases.is_empty() => return Err(error),
            // Another list, with other names: whoever had the releases must not take them for gone.
            Err(error) => Found {
                failed: Some(Box::new((format!("the releases of {at}"), error))),
                ..own
            },
        },
        None => with_note(
            own,
            "the registry names no repository on GitHub: versions without notes".to_owned(),
        ),
    };
    found.what = format!(
        "{} package {}: {}",
        registry.prefix(),
        named(&package.name),
        found.what
    );
    if let Some(latest) = package.latest {
        found.fields.insert("latest".to_owned(), latest.into());
    }
    if let Some(at) = package.repository {
        found.fields.insert("repository".to_owned(), at.page().into());
    }
    Ok(found)
}

fn with_note(mut found: Found, note: String) -> Found {
    found.notes.push(note);
    found
}

/// A repository of many packages tags each as `name@1.2.3`: only this package's count.
fn choose(found: &mut Found, package: &Package) {
    let prefix = format!("{}@", package.name);
    let tagged = |release: &crate::parse::Release| {
        let tag = release.tag.as_deref().unwrap_or(&release.title);
        (
            tag.starts_with(&prefix),
            tag.trim_start_matches('@').contains('@'),
        )
    };
    let (mine, many) = found
        .releases
        .iter()
        .map(tagged)
        .fold((false, false), |(mine, many), (a, b)| (mine || a, many || b));
    if mine {
        found.releases.retain(|release| tagged(release).0);
    } else if many {
        found.releases.retain(|release| !tagged(release).1);
    }
}

/// Takes the versions out of the package: a second list of all would double what a long one takes.
fn versions(registry: Registry, package: &mut Package) -> Result<Found, SourceError> {
    let mut found = Found::new(
        "versions",
        link::built(&registry.versions_page(&package.name), &[])?,
        "registry",
        std::mem::take(&mut package.releases),
    );
    found.complete = !package.more;
    Ok(found)
}
