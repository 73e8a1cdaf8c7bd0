//! Requests, built purely.

use freshcontext_contract::url::Url;
use freshcontext_contract::{KeyedUrl, Media, Request, SourceError};
use freshcontext_parse::github::Repository;
use freshcontext_parse::link;

/// Releases in one answer.
pub const MAX_RELEASES: usize = 50;
/// Releases asked of GitHub at once: enough that a quarter of nightlies does not hide the last stable one.
pub const PAGE: usize = 50;
/// Names under which repositories keep their changelog, the commonest first.
const FILES: [&str; 5] = [
    "CHANGELOG.md",
    "CHANGES.md",
    "HISTORY.md",
    "NEWS.md",
    "docs/CHANGELOG.md",
];
/// Paths under which sites keep theirs.
const PATHS: [&str; 8] = [
    "changelog",
    "releases",
    "release-notes",
    "whats-new",
    "updates",
    "changelog.xml",
    "feed",
    "CHANGELOG.md",
];

/// The releases of a repository. A refused token makes the one case that is asked again.
pub fn releases(repository: &Repository) -> Result<Request, SourceError> {
    let url = KeyedUrl::new(
        "https://api.github.com/",
        &["repos", &repository.owner, &repository.name, "releases"],
    )?;
    let url = url.with([("per_page", PAGE.to_string().as_str())]);
    Ok(Request::get(url, Media::Json)
        .header("accept", "application/vnd.github+json")
        .header("x-github-api-version", "2022-11-28"))
}

/// A feed of a repository: `releases` or `tags`.
pub fn github_feed(repository: &Repository, kind: &str) -> Result<Request, SourceError> {
    let file = format!("{kind}.atom");
    Ok(Request::get(
        link::built(
            "https://github.com/",
            &[&repository.owner, &repository.name, &file],
        )?,
        Media::Xml,
    ))
}

/// The changelog files that a repository may have. 404 means that it has not.
pub fn files(repository: &Repository) -> Result<Vec<Request>, SourceError> {
    FILES
        .iter()
        .map(|file| {
            let mut segments = vec![repository.owner.as_str(), repository.name.as_str(), "HEAD"];
            segments.extend(file.split('/'));
            let url = link::built("https://raw.githubusercontent.com/", &segments)?;
            Ok(Request::get(url, Media::Text).accepting(&[404]).probing())
        })
        .collect()
}

/// A page of the web, whatever it is. Its address is a caller's or a page's, so no credential goes along.
pub fn page(url: Url) -> Request {
    Request::get(url, Media::Any).header(
        "accept",
        "text/html, application/atom+xml, application/rss+xml, text/markdown, text/plain;q=0.9, */*;q=0.5",
    )
}

/// Where a site's changelog may be.
pub fn probes(site: &Url) -> Vec<Request> {
    PATHS
        .iter()
        .filter_map(|path| site.join(&format!("/{path}")).ok())
        .filter(|url| url.path().trim_end_matches('/') != site.path().trim_end_matches('/'))
        .map(|url| page(url).accepting(&[404, 410]).probing())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_the_documented_ones() {
        let repository = Repository {
            owner: "o".into(),
            name: "r.js".into(),
        };
        assert_eq!(
            releases(&repository).unwrap().url.as_str(),
            "https://api.github.com/repos/o/r.js/releases?per_page=50"
        );
        assert_eq!(
            github_feed(&repository, "tags").unwrap().url.as_str(),
            "https://github.com/o/r.js/tags.atom"
        );
        let files: Vec<String> = files(&repository)
            .unwrap()
            .into_iter()
            .map(|request| request.url.into())
            .collect();
        assert_eq!(
            files[0],
            "https://raw.githubusercontent.com/o/r.js/HEAD/CHANGELOG.md"
        );
        assert_eq!(
            files[4],
            "https://raw.githubusercontent.com/o/r.js/HEAD/docs/CHANGELOG.md"
        );
    }

    #[test]
    fn probes_stay_on_the_site_and_skip_the_page_itself() {
        let site = Url::parse("https://example.com/changelog?x=1").unwrap();
        let probes = probes(&site);
        assert_eq!(probes.len(), PATHS.len() - 1);
        assert!(
            probes
                .iter()
                .all(|probe| probe.url.host_str() == Some("example.com") && probe.url.query().is_none())
        );
    }
}
