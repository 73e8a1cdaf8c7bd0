//! From a search to the requests of a route. Pure.

use std::time::Duration;

use freshcontext_contract::url::Url;
use freshcontext_contract::{Media, Request, SourceError};
use freshcontext_parse::link;
use serde_json::{Value, json};

use crate::batch::Batch;
use crate::input::Search;

/// The mirror's files.
pub const MIRROR: &str = "https://yc-oss.github.io/api/";
/// The host of the site's own index. The page names the application; another one is another host.
pub const INDEX_HOST: &str = "45bwzj1sgc-dsn.algolia.net";
/// The application of that host.
pub const INDEX_APP: &str = "45BWZJ1SGC";

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

/// The page that names the index's application and search key.
pub fn key_page() -> Result<Request, SourceError> {
    let url = link::built("https://www.ycombinator.com/companies", &[])?;
    Ok(Request::get(url, Media::Html).cache_for(Duration::ZERO))
}

/// A query of the site's own index.
pub fn index(
    search: &Search,
    key: &str,
    limit: usize,
    page: usize,
    newest: bool,
) -> Result<Request, SourceError> {
    let name = if newest {
        "YCCompany_By_Launch_Date_production"
    } else {
        "YCCompany_production"
    };
    let url = link::built(&format!("https://{INDEX_HOST}/1/indexes/{name}/query"), &[])?;
    let query = search.company.as_deref().unwrap_or(&search.query);
    let body = json!({"query": query, "hitsPerPage": limit, "page": page, "facetFilters": facets(search)});
    Ok(Request::post_json(url, &body)
        .header("x-algolia-application-id", INDEX_APP)
        .header("x-algolia-api-key", key)
        .cache_for(Duration::from_hours(1)))
}

/// Lists of alternatives, all of which must hold. A batch is asked for in both spellings.
fn facets(search: &Search) -> Value {
    let any = |name: &str, values: &[String]| {
        values
            .iter()
            .map(|value| format!("{name}:{value}"))
            .collect::<Vec<_>>()
    };
    let mut batches = any("batch", &search.batches);
    batches.extend(
        search
            .batches
            .iter()
            .filter_map(|batch| Some(format!("batch:{}", Batch::read(batch)?.code()))),
    );
    let mut all = vec![
        batches,
        any("industries", &search.industries),
        any("regions", &search.regions),
        any("tags", &search.tags),
        any("status", &search.statuses),
    ];
    for (asked, name) in [
        (search.hiring, "isHiring"),
        (search.nonprofit, "nonprofit"),
        (search.top, "top_company"),
    ] {
        if asked {
            all.push(vec![format!("{name}:true")]);
        }
    }
    all.retain(|list| !list.is_empty());
    json!(all)
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
    fn the_index_is_asked_with_both_spellings_and_its_key_in_a_header() {
        let search =
            recognise("https://www.ycombinator.com/companies?query=pay&batch=W26&isHiring=true").unwrap();
        let request = index(&search, "secret", 20, 1, false).unwrap();
        assert_eq!(
            request.url.as_str(),
            "https://45bwzj1sgc-dsn.algolia.net/1/indexes/YCCompany_production/query"
        );
        let body: Value = serde_json::from_slice(&request.body.unwrap()).unwrap();
        assert_eq!(
            body,
            json!({"query": "pay", "hitsPerPage": 20, "page": 1, "facetFilters": [["batch:Winter 2026", "batch:W26"], ["isHiring:true"]]})
        );
        assert!(
            request
                .headers
                .contains(&("x-algolia-api-key".into(), "secret".to_owned()))
        );
        assert!(!request.url.as_str().contains("secret"));
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
