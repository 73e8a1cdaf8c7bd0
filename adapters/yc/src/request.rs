//! From a wish to the requests of a route. Pure.

use std::time::Duration;

use freshcontext_contract::url::Url;
use freshcontext_contract::{Media, Request, SourceError};
use freshcontext_parse::link;
use serde_json::{Value, json};

use crate::batch::Batch;
use crate::input::Wish;

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

/// The files that hold all companies of a wish, where it says so by itself.
pub fn files(wish: &Wish) -> Option<Vec<String>> {
    if let Some(file) = &wish.file {
        return Some(vec![file.clone()]);
    }
    let of = |folder: &str, names: &[String]| {
        names
            .iter()
            .map(|name| format!("{folder}/{}.json", slug(name)))
            .collect()
    };
    if !wish.batches.is_empty() {
        return Some(of("batches", &wish.batches));
    }
    if !wish.tags.is_empty() {
        return Some(of("tags", &wish.tags));
    }
    if !wish.industries.is_empty() {
        return Some(of("industries", &wish.industries));
    }
    [
        (wish.top, "top"),
        (wish.nonprofit, "nonprofit"),
        (wish.hiring, "hiring"),
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
    wish: &Wish,
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
    let query = wish.company.as_deref().unwrap_or(&wish.query);
    let body = json!({"query": query, "hitsPerPage": limit, "page": page, "facetFilters": facets(wish)});
    Ok(Request::post_json(url, &body)
        .header("x-algolia-application-id", INDEX_APP)
        .header("x-algolia-api-key", key)
        .cache_for(Duration::from_hours(1)))
}

/// Lists of alternatives, all of which must hold. A batch is asked for in both spellings.
fn facets(wish: &Wish) -> Value {
    let any = |name: &str, values: &[String]| {
        values
            .iter()
            .map(|value| format!("{name}:{value}"))
            .collect::<Vec<_>>()
    };
    let mut batches = any("batch", &wish.batches);
    batches.extend(
        wish.batches
            .iter()
            .filter_map(|batch| Some(format!("batch:{}", Batch::read(batch)?.code()))),
    );
    let mut all = vec![
        batches,
        any("industries", &wish.industries),
        any("regions", &wish.regions),
        any("tags", &wish.tags),
        any("status", &wish.statuses),
    ];
    for (asked, name) in [
        (wish.hiring, "isHiring"),
        (wish.nonprofit, "nonprofit"),
        (wish.top, "top_company"),
    ] {
        if asked {
            all.push(vec![format!("{name}:true")]);
        }
    }
    all.retain(|list| !list.is_empty());
    json!(all)
}

/// The page of the site that shows the same companies.
pub fn page(wish: &Wish) -> Result<Url, SourceError> {
    if let Some(slug) = &wish.company {
        return link::built(&format!("https://www.ycombinator.com/companies/{slug}"), &[]);
    }
    let lists = [
        ("batch", &wish.batches),
        ("industry", &wish.industries),
        ("regions", &wish.regions),
        ("tags", &wish.tags),
        ("status", &wish.statuses),
    ];
    let mut pairs: Vec<(&str, &str)> = Vec::new();
    if !wish.query.is_empty() {
        pairs.push(("query", &wish.query));
    }
    for (name, values) in lists {
        pairs.extend(values.iter().map(|value| (name, value.as_str())));
    }
    for (asked, name) in [
        (wish.hiring, "isHiring"),
        (wish.nonprofit, "nonprofit"),
        (wish.top, "top_company"),
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
        let wish =
            recognise("https://www.ycombinator.com/companies?query=pay&batch=W26&isHiring=true").unwrap();
        let request = index(&wish, "secret", 20, 1, false).unwrap();
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
        let wish = recognise("winter 2026 naïve & co").unwrap();
        assert_eq!(
            page(&wish).unwrap().as_str(),
            "https://www.ycombinator.com/companies?query=na%C3%AFve+%26+co&batch=Winter+2026"
        );
        assert_eq!(
            page(&Wish::default()).unwrap().as_str(),
            "https://www.ycombinator.com/companies"
        );
    }
}
