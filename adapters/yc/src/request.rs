//! From a search to the requests of a route. Pure.

use std::time::Duration;

use freshcontext_contract::url::Url;
use freshcontext_contract::{Request, SourceError};
use freshcontext_parse::link;

use crate::batch::Batch;
use crate::input::{Filter, Flag, Search};

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
    for filter in [Filter::Batch, Filter::Tag, Filter::Industry] {
        let values = search.of(filter);
        if !values.is_empty() {
            let file = |value| format!("{}/{}.json", filter.folder(), slug(value));
            return Some(values.into_iter().map(file).collect());
        }
    }
    // The shortest list first.
    let flag = Flag::ALL.iter().rev().find(|flag| search.flags.contains(flag))?;
    Some(vec![format!("companies/{}.json", flag.file())])
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
    let mut pairs: Vec<(&str, &str)> = Vec::new();
    if !search.query.is_empty() {
        pairs.push(("query", &search.query));
    }
    for filter in Filter::ALL {
        pairs.extend(search.of(*filter).into_iter().map(|value| (filter.id(), value)));
    }
    let asked = Flag::ALL.iter().filter(|flag| search.flags.contains(flag));
    pairs.extend(asked.map(|flag| (flag.id(), "true")));
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
