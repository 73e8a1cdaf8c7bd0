//! From a search to the requests of a route. Pure.

use std::time::Duration;

use freshcontext_contract::url::Url;
use freshcontext_contract::{Request, SourceError};
use freshcontext_parse::link;

use crate::batch::Batch;
use crate::input::Search;

/// The mirror's files.
pub const MIRROR: &str = "https://yc-oss.github.io/api/";
/// A file of the mirror. It is rebuilt once a day.
pub fn mirror(path: &str) -> Result<Request, SourceError> {
    Ok(link::json(&format!("{MIRROR}{path}"), &[])?.cache_for(Duration::from_hours(4)))
}

/// The files that hold all companies of a search, where it says so by itself.
pub fn files(search: &Search) -> Option<Vec<String>> {
    if let Some(file) = &search.file {
        return Some(vec![file.clone()]);
    }
    let of = |folder: &str, names: &[String]| {
        names
            .iter()
            .map(|name| format!("{folder}/{}.json", slug(name)))
            .collect()
    };
    if !search.batches.is_empty() {
        return Some(of("batches", &search.batches));
    }
    if !search.tags.is_empty() {
        return Some(of("tags", &search.tags));
    }
    if !search.industries.is_empty() {
        return Some(of("industries", &search.industries));
    }
    [
        (search.top, "top"),
        (search.nonprofit, "nonprofit"),
        (search.hiring, "hiring"),
    ]
    .into_iter()
    .find(|(asked, _)| *asked)
    .map(|(_, name)| vec![format!("companies/{name}.json")])
}

/// A name as the mirror writes it in file names.
pub fn slug(name: &str) -> String {
    if let Some(batch) = Batch::read(name) {
        return batch.slug();
    }
    let spaced: String = name
        .chars()
        .map(|c| {
            if c.is_alphanumeric() {
                c.to_ascii_lowercase()
            } else {
                ' '
            }
        })
        .collect();
    spaced.split_whitespace().collect::<Vec<_>>().join("-")
}

/// The page of the site that shows the same companies.
pub fn page(search: &Search) -> Result<Url, SourceError> {
    if let Some(slug) = &search.company {
        return link::built(&format!("https://www.ycombinator.com/companies/{slug}"), &[]);
    }
    let lists = [
        ("batch", &search.batches),
        ("industry", &search.industries),
        ("regions", &search.regions),
        ("tags", &search.tags),
        ("status", &search.statuses),
    ];
    let mut pairs: Vec<(&str, &str)> = Vec::new();
    if !search.query.is_empty() {
        pairs.push(("query", &search.query));
    }
    for (name, values) in lists {
        pairs.extend(values.iter().map(|value| (name, value.as_str())));
    }
    for (asked, name) in [
        (search.hiring, "isHiring"),
        (search.nonprofit, "nonprofit"),
        (search.top, "top_company"),
    ] {
        if asked {
            pairs.push((name, "true"));
        }
    }
    link::queried("https://www.ycombinator.com/companies", &[], pairs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::recognise;

    #[test]
    fn filters_choose_the_files() {
        let files_of = |given: &str| files(&recognise(given).unwrap());
        assert_eq!(
            files_of("W26 fintech"),
            Some(vec!["batches/winter-2026.json".into()])
        );
        assert_eq!(
            files_of("https://www.ycombinator.com/companies?tags=Developer%20Tools"),
            Some(vec!["tags/developer-tools.json".into()])
        );
        assert_eq!(
            files_of("https://www.ycombinator.com/companies?industry=B2B&isHiring=true"),
            Some(vec!["industries/b2b.json".into()])
        );
        assert_eq!(
            files_of("https://www.ycombinator.com/companies?isHiring=true"),
            Some(vec!["companies/hiring.json".into()])
        );
        assert_eq!(
            files_of("https://www.ycombinator.com/companies?batch=IK12"),
            Some(vec!["batches/ik12.json".into()])
        );
        assert_eq!(files_of("fintech"), None);
        assert_eq!(
            mirror("meta.json").unwrap().url.as_str(),
            "https://yc-oss.github.io/api/meta.json"
        );
    }

    #[test]
    fn the_page_for_people_has_the_same_filters() {
        let search = recognise("winter 2026 naïve & co").unwrap();
        assert_eq!(
            page(&search).unwrap().as_str(),
            "https://www.ycombinator.com/companies?query=na%C3%AFve+%26+co&batch=Winter+2026"
        );
        assert_eq!(
            page(&Search::default()).unwrap().as_str(),
            "https://www.ycombinator.com/companies"
        );
    }
}
