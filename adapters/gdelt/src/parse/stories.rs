//! Copies of one story in a list that is cut to a limit.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};

use chrono::TimeDelta;
use freshcontext_contract::url::Url;
use freshcontext_contract::{code, counted, quoted};
use freshcontext_parse::text;

use super::Article;

impl Article {
    /// The host of its address, without `www.`.
    fn site(&self) -> Option<String> {
        let url = Url::parse(self.url.as_deref()?).ok()?;
        Some(url.host_str()?.trim_start_matches("www.").to_owned())
    }
}

/// Words that a headline needs before the same words on another site are taken for a copy.
const TELLING_WORDS: usize = 5;
/// The same headline so long after the first article with it is another report: columns keep their titles.
const COPIED_WITHIN: TimeDelta = TimeDelta::days(7);
/// Stories of which the copies left out are named.
pub(super) const STORIES_NAMED: usize = 5;
/// Sites named of the copies of one story.
const SITES_NAMED: usize = 10;
/// Characters of a headline in a note.
const NAMED_CHARS: usize = 80;
/// Articles of one story that stay where they are, so that the list shows who had it first; further ones give way.
const STORY_KEEPS: usize = 3;

/// The copies of one article shown that a cut list leaves out for other stories.
#[derive(Debug)]
pub(super) struct Copies {
    title: String,
    pub(super) copies: Vec<Article>,
}

impl Copies {
    /// How many they are, on which sites, and when the first of them was seen.
    pub(super) fn said(&self) -> String {
        // Of the address: a domain beside it may be any text.
        let sites = self.copies.iter().filter_map(Article::site);
        let named: Vec<String> = sites.take(SITES_NAMED).map(|site| code(&site)).collect();
        let more = self.copies.len() - named.len();
        let more = if more == 0 {
            String::new()
        } else {
            format!(" and {more} more")
        };
        let first = self.copies.iter().filter_map(|copy| copy.first_seen).min();
        let first = first.map_or_else(String::new, |at| {
            format!("; the first of them was seen at {}", at.format("%Y-%m-%dT%H:%MZ"))
        });
        format!(
            "One origin: {} with the headline {} left out for other stories ({}{more}){first}",
            counted(self.copies.len(), "copy", "copies"),
            quoted(&text::said(&self.title, NAMED_CHARS)),
            named.join(", "),
        )
    }
}

/// The articles of a list that is cut to a limit: other stories before the fourth article and further ones of any, in the same
/// order; and the copies left out of the stories shown.
pub(super) fn stories_first(articles: Vec<Article>, limit: usize) -> (Vec<Article>, Vec<Copies>) {
    if articles.len() <= limit {
        return (articles, Vec::new());
    }
    // Of each article, the place of the one that it is a copy of.
    let mut first_of: HashMap<String, usize> = HashMap::new();
    let mut copy_of: Vec<Option<usize>> = Vec::with_capacity(articles.len());
    let mut sites: HashSet<(usize, Option<&str>)> = HashSet::new();
    let mut copies_of: HashMap<usize, usize> = HashMap::new();
    for (at, article) in articles.iter().enumerate() {
        let known = headline(article).and_then(|headline| match first_of.entry(headline) {
            Entry::Occupied(known) => Some(*known.get()),
            Entry::Vacant(free) => {
                free.insert(at);
                None
            }
        });
        let first = known.filter(|first| {
            let near = articles.get(*first).is_some_and(|first| is_near(first, article));
            near && sites.insert((*first, article.domain.as_deref()))
        });
        if first.is_none() {
            sites.insert((at, article.domain.as_deref()));
        }
        copy_of.push(first.filter(|first| {
            let copies = copies_of.entry(*first).or_default();
            *copies += 1;
            *copies >= STORY_KEEPS
        }));
    }
    let stories = copy_of.iter().filter(|copy| copy.is_none()).count();
    let mut room = limit.saturating_sub(stories);
    let mut shown = Vec::with_capacity(limit);
    let mut left_out: BTreeMap<usize, Copies> = BTreeMap::new();
    for (at, (article, copy)) in articles.into_iter().zip(copy_of).enumerate() {
        match copy {
            None if shown.len() < limit => {
                let title = article.title.clone();
                let copies = Vec::new();
                left_out.insert(at, Copies { title, copies });
                shown.push(article);
            }
            Some(_) if room > 0 => {
                room -= 1;
                shown.push(article);
            }
            Some(first) => {
                if let Some(story) = left_out.get_mut(&first) {
                    story.copies.push(article);
                }
            }
            None => {}
        }
    }
    let copies = left_out.into_values().filter(|story| !story.copies.is_empty());
    (shown, copies.collect())
}

/// A headline without case, signs and the publisher behind it; none where it is too short to tell a story.
fn headline(article: &Article) -> Option<String> {
    let words = |text: &str| -> Vec<String> {
        let lower = text.to_lowercase();
        let words = lower.split(|c: char| !c.is_alphanumeric());
        words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let title = article.title.as_str();
    let before = title.split_once(" | ").or_else(|| title.rsplit_once(" - "));
    let own = before.map(|(own, _)| words(own));
    let telling = own.filter(|own| own.len() >= TELLING_WORDS);
    let words = telling.unwrap_or_else(|| words(title));
    let language = article.language.as_deref().unwrap_or_default();
    (words.len() >= TELLING_WORDS).then(|| format!("{language}: {}", words.join(" ")))
}

fn is_near(one: &Article, other: &Article) -> bool {
    let seen = one.first_seen.zip(other.first_seen);
    seen.is_some_and(|(one, other)| (one - other).abs() <= COPIED_WITHIN)
}

#[cfg(test)]
mod tests {
    use super::super::{List, articles};
    use super::*;

    /// A list with 15 copies of one story before six others.
    fn copied() -> List {
        let article = |host: &str, title: &str, hour: usize| {
            format!(
                r#"{{"url":"https://{host}/x","title":"{title}","seendate":"20251230T{hour:02}0000Z","domain":"{host}","language":"English"}}"#
            )
        };
        let copy = |at: usize| {
            let publisher = if at.is_multiple_of(2) { " - The Daily" } else { "" };
            let host = format!("copy{at}.example.org");
            article(
                &host,
                &format!("Acme to buy Zeta Labs for cash{publisher}"),
                23 - at,
            )
        };
        let other = |at: usize| {
            article(
                &format!("own{at}.example.net"),
                &format!("Other news about Acme number {at}"),
                5 - at,
            )
        };
        let all: Vec<String> = (0..15).map(copy).chain((0..6).map(other)).collect();
        articles(&format!("[{}]", all.join(",")), "q").unwrap()
    }

    #[test]
    fn copies_of_one_story_push_no_other_story_out_of_a_cut_list() {
        let titles = |shown: &[Article]| -> Vec<String> {
            shown
                .iter()
                .map(|article| article.domain.clone().unwrap())
                .collect()
        };
        let (shown, copies) = stories_first(copied().articles, 5);
        assert_eq!(titles(&shown)[2..4], ["copy2.example.org", "own0.example.net"]);
        assert_eq!((shown.len(), copies.len(), copies[0].copies.len()), (5, 1, 12));
        let said = copies[0].said();
        for part in [
            "12 copies",
            "Acme to buy Zeta Labs",
            "copy3.example.org",
            "and 2 more",
            "2025-12-30T09:00Z",
        ] {
            assert!(said.contains(part), "{said}");
        }
        // Room that no other story takes is the copies'; what is not cut stays as it is.
        let (shown, copies) = stories_first(copied().articles, 10);
        assert_eq!((shown.len(), copies[0].copies.len()), (10, 11));
        assert_eq!(
            titles(&shown)[..4],
            [
                "copy0.example.org",
                "copy1.example.org",
                "copy2.example.org",
                "copy3.example.org"
            ]
        );
        let (shown, copies) = stories_first(copied().articles, 21);
        assert_eq!((shown, copies.len()), (copied().articles, 0));
    }

    #[test]
    fn a_headline_is_a_copy_only_on_another_site_in_the_same_week() {
        let list = |fourth: &str, title: &str| {
            let first = |host: &str| {
                format!(
                    r#"{{"url":"https://{host}.example.org/x","title":"{title}","seendate":"20251230T090000Z","domain":"{host}.example.org"}}"#
                )
            };
            let body = format!(
                r#"[{},{},{},{fourth},
                   {{"url":"https://c.example.org/x","title":"Something else entirely happened in Leeds","seendate":"20251201T090000Z","domain":"c.example.org"}}]"#,
                first("a"),
                first("d"),
                first("e"),
            );
            let (shown, copies) = stories_first(articles(&body, "q").unwrap().articles, 4);
            (shown[3].domain.clone().unwrap(), copies.len())
        };
        let second = |host: &str, title: &str, day: u32| {
            format!(
                r#"{{"url":"https://{host}/y","title":"{title}","seendate":"202512{day}T090000Z","domain":"{host}"}}"#
            )
        };
        let story = "Five words make a story";
        assert_eq!(
            list(&second("b.example.org", story, 29), story).0,
            "c.example.org"
        );
        for (host, title, day) in [
            ("a.example.org", story, 29),
            ("b.example.org", story, 20),
            ("b.example.org", "Five words make no story", 29),
        ] {
            assert_eq!(
                list(&second(host, title, day), story),
                (host.to_owned(), 0),
                "{title}"
            );
        }
        assert_eq!(
            list(&second("b.example.org", "Weekly news", 29), "Weekly news").0,
            "b.example.org"
        );
    }
}
