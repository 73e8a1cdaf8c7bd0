//! Which companies fit, in which order: the mirror filters nothing.

use freshcontext_parse::text::has_word_or_form;

use crate::batch::Batch;
use crate::input::{Filter, Search};
use crate::parse::Company;

/// Keeps the companies that fit a search, each once, and puts them in order: those whose name or one
/// line has the words first, then the newest.
pub fn select(companies: Vec<Company>, search: &Search, newest: bool) -> Vec<Company> {
    let words: Vec<String> = search
        .query
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
        .filter(|word| !word.is_empty())
        .collect();
    let mut seen = std::collections::HashSet::new();
    let mut fitting: Vec<(usize, Company)> = companies
        .into_iter()
        .filter(|company| fits(company, search))
        .filter_map(|company| Some((weight(&company, &words)?, company)))
        .filter(|(_, company)| seen.insert(company.id))
        .collect();
    fitting.sort_by(|(a_weight, a), (b_weight, b)| {
        let weight = if newest {
            std::cmp::Ordering::Equal
        } else {
            b_weight.cmp(a_weight)
        };
        weight
            .then_with(|| b.launched_at.cmp(&a.launched_at))
            .then_with(|| a.id.cmp(&b.id))
    });
    fitting.into_iter().map(|(_, company)| company).collect()
}

fn fits(company: &Company, search: &Search) -> bool {
    let one_of = |filter: Filter| {
        let wanted = search.of(filter);
        let has = company.values(filter);
        let same = |want: &str| match (filter, Batch::read(want), company.batch()) {
            (Filter::Batch, Some(want), Some(has)) => want == has,
            _ => has.iter().any(|has| same(want, has)),
        };
        wanted.is_empty() || wanted.into_iter().any(same)
    };
    let slug = search.company.as_deref();
    slug.is_none_or(|slug| slug.eq_ignore_ascii_case(&company.slug))
        && Filter::ALL.iter().copied().all(one_of)
        && search.flags.iter().all(|flag| company.holds(*flag))
}

/// Names of lists come as they are or as slugs.
fn same(a: &str, b: &str) -> bool {
    let plain = |text: &str| {
        text.chars()
            .filter(|c| c.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect::<String>()
    };
    plain(a) == plain(b)
}

/// How much of the query stands where it counts; `None` unless every word occurs.
fn weight(company: &Company, words: &[String]) -> Option<usize> {
    if words.is_empty() {
        return Some(0);
    }
    let all = company.haystack().to_lowercase();
    let name = company.name.to_lowercase();
    let line = company.one_liner.as_deref().unwrap_or_default().to_lowercase();
    let tags = company.tags.clone().unwrap_or_default().join("\n").to_lowercase();
    words.iter().try_fold(0, |sum, word| {
        let own = usize::from(has_word_or_form(&name, word)) * 4
            + usize::from(has_word_or_form(&line, word)) * 2
            + usize::from(has_word_or_form(&tags, word));
        has_word_or_form(&all, word).then_some(sum + own)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn company(id: u64, name: &str, line: &str, batch: &str, at: i64) -> Company {
        serde_json::from_value(serde_json::json!({"id": id, "name": name, "slug": name.to_lowercase(), "one_liner": line, "batch": batch,
            "launched_at": at, "tags": ["Developer Tools"], "industries": ["B2B"], "regions": ["Europe"], "status": "Active", "isHiring": id == 1})).unwrap()
    }

    fn ids(companies: &[Company]) -> Vec<u64> {
        companies.iter().map(|company| company.id).collect()
    }

    #[test]
    fn every_word_must_occur_and_names_come_first() {
        let all = vec![
            company(1, "Acme", "Robots for farms", "W26", 9),
            company(2, "Robot", "Farms", "W26", 1),
            company(3, "Farmers", "x", "W26", 5),
        ];
        let search = Search {
            query: "robots farm".into(),
            ..Search::default()
        };
        assert_eq!(ids(&select(all.clone(), &search, false)), [2, 1]);
        assert_eq!(ids(&select(all, &search, true)), [1, 2]);
    }

    #[test]
    fn filters_hold_together_in_both_spellings() {
        let all = vec![
            company(1, "A", "x", "W26", 1),
            company(2, "B", "x", "Winter 2026", 2),
            company(3, "C", "x", "S25", 3),
            company(2, "B", "again", "W26", 2),
        ];
        let search = Search {
            filters: vec![
                (Filter::Batch, "Winter 2026".into()),
                (Filter::Tag, "developer-tools".into()),
            ],
            ..Search::default()
        };
        assert_eq!(ids(&select(all.clone(), &search, true)), [2, 1]);
        let hiring = Search {
            flags: vec![crate::input::Flag::Hiring],
            filters: vec![(Filter::Region, "europe".into())],
            ..Search::default()
        };
        assert_eq!(ids(&select(all.clone(), &hiring, true)), [1]);
        let gone = Search {
            filters: vec![(Filter::Status, "Acquired".into())],
            ..Search::default()
        };
        assert!(select(all, &gone, true).is_empty());
    }
}
