//! The monthly "Who is hiring?" thread of Hacker News.

mod remote;

use freshcontext_contract::SourceError;
use freshcontext_contract::chrono::{DateTime, TimeDelta, Utc};
use freshcontext_parse::json::{self, Lenient, or_absent};
use freshcontext_parse::{html, text};
use serde::Deserialize;
use serde_json::Value;

use super::{Read, dated, id_text};
use crate::job::{Board, Job};
use crate::words::Words;
use remote::remote;

/// One monthly thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thread {
    /// Its item id.
    pub id: u64,
    /// When it was opened.
    pub at: DateTime<Utc>,
    /// Comments it is said to have, replies included.
    pub comments: u64,
}

#[derive(Deserialize)]
struct Hits {
    hits: Lenient<Hit>,
}

#[serde_with::apply(Option => #[serde(default, deserialize_with = "or_absent")])]
#[derive(Deserialize)]
struct Hit {
    #[serde(rename = "objectID")]
    object_id: Value,
    title: Option<String>,
    author: Option<String>,
    comment_text: Option<String>,
    created_at: Option<String>,
    created_at_i: Option<i64>,
    num_comments: Option<u64>,
    #[serde(default)]
    parent_id: Value,
}

/// The hiring threads among the account's posts, newest first. It also opens threads for people who
/// want to be hired, for freelancers, and once asked a question about the threads.
pub fn hiring_threads(body: &str, now: DateTime<Utc>) -> Result<Vec<Thread>, SourceError> {
    let answer: Hits = json::parse(body, "Hacker News search")?;
    let sent = answer.hits.sent();
    let mut threads: Vec<Thread> = answer
        .hits
        .items
        .into_iter()
        .filter(|hit| hit.author.as_deref() == Some("whoishiring"))
        .filter(|hit| hit.title.as_deref().is_some_and(is_hiring_title))
        .filter_map(|hit| {
            let id = id_text(&hit.object_id)?.parse().ok()?;
            let (_, at) = dated("created_at", hit.created_at);
            Some(Thread {
                id,
                at: at?,
                comments: hit.num_comments.unwrap_or_default(),
            })
        })
        .filter(|thread| thread.at <= now + TimeDelta::minutes(5))
        .collect();
    threads.sort_by_key(|thread| std::cmp::Reverse(thread.at));
    threads.dedup_by_key(|thread| thread.id);
    if threads.is_empty() && sent > 0 {
        return Err(SourceError::malformed(
            "Hacker News search: none of the account's posts is a hiring thread",
        ));
    }
    Ok(threads)
}

/// `Ask HN: Who is hiring? (July 2026)`.
fn is_hiring_title(title: &str) -> bool {
    let lower = title.trim().to_lowercase();
    let month = lower
        .strip_prefix("ask hn: who is hiring? (")
        .and_then(|rest| rest.strip_suffix(')'));
    let Some((month, year)) = month.and_then(|month| month.split_once(' ')) else {
        return false;
    };
    month.chars().all(|c| c.is_ascii_alphabetic()) && text::is_digits(year, 4..=4)
}

/// The adverts in a search for a thread's comments: its direct answers, the rest is talk.
pub fn hiring_comments(body: &str, thread: u64) -> Result<Read, SourceError> {
    let answer: Hits = json::parse(body, "Hacker News comments")?;
    let mut comments = answer.hits;
    // Answers to adverts are none.
    let is_reply = |hit: &Hit| id_text(&hit.parent_id) != Some(thread.to_string());
    comments.items.retain(|hit| !is_reply(hit));
    let comments = comments.filter_map(|hit| {
        Some(Comment {
            id: hit.object_id,
            text: hit.comment_text,
            created_at: hit.created_at,
            created_at_i: hit.created_at_i,
        })
    });
    adverts(comments, "Hacker News comments")
}

#[derive(Deserialize)]
struct Tree {
    id: Value,
    children: Lenient<Comment>,
}

#[serde_with::apply(Option => #[serde(default, deserialize_with = "or_absent")])]
#[derive(Deserialize)]
struct Comment {
    id: Value,
    text: Option<String>,
    created_at: Option<String>,
    created_at_i: Option<i64>,
}

/// The adverts in a whole thread.
pub fn hiring_tree(body: &str) -> Result<Read, SourceError> {
    let tree: Tree = json::parse(body, "Hacker News thread")?;
    if id_text(&tree.id).is_none() {
        return Err(SourceError::malformed("Hacker News thread: it has no id"));
    }
    adverts(tree.children, "Hacker News thread")
}

/// Comments as adverts. Deleted ones have no text and count as nothing.
fn adverts(comments: Lenient<Comment>, what: &str) -> Result<Read, SourceError> {
    let mut adverts = Lenient {
        items: Vec::new(),
        unreadable: comments.unreadable,
    };
    for comment in comments.items {
        let Some(words) = comment.text else { continue };
        let Some(id) = number(&comment.id) else {
            adverts.unreadable += 1;
            continue;
        };
        let advert = advert(&id, &words, comment.created_at, comment.created_at_i);
        adverts.items.extend(advert);
    }
    Read::of(adverts, what)
}

/// The number of a comment, which its address is made of.
fn number(id: &Value) -> Option<String> {
    id_text(id).filter(|id| text::is_digits(id, ..))
}

/// Parts of a first line that are looked at. Adverts have up to ten, and each is compared with a hundred words.
const PARTS: usize = 24;

/// Reads one advert: by custom its first line is `Company | Role | Place | REMOTE | pay`.
fn advert(id: &str, comment: &str, created_at: Option<String>, seconds: Option<i64>) -> Option<Job> {
    let body = html::to_text(comment);
    let first = body.lines().find(|line| !line.trim().is_empty())?.trim();
    let parts: Vec<&str> = first
        .split('|')
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .take(PARTS)
        .collect();
    let mut job = Job::new(Board::HackerNews, id.to_owned(), text::clip(first, 120));
    (job.date, job.at) = dated("created_at", created_at);
    job.date = job.date.beside("created_at_i", seconds);
    job.url = Some(format!("https://news.ycombinator.com/item?id={id}"));
    job.remote = remote(first);
    job.place_text = Some(text::clip(first, 300));
    if let [company, rest @ ..] = parts.as_slice()
        && !rest.is_empty()
    {
        job.company = Some(text::clip(company, 80));
        job.place_text = Some(text::clip(&without_company(company, rest), 300));
        let kinds: Vec<Kind> = rest.iter().map(|part| kind(part)).collect();
        let role = kinds.iter().position(|kind| *kind == Kind::Role);
        let role = role.or_else(|| kinds.iter().position(|kind| *kind == Kind::Other));
        if let Some(role) = role.and_then(|at| rest.get(at)) {
            job.position = text::clip(role, 120);
        }
        let of = |wanted: Kind| {
            let found: Vec<&str> = rest
                .iter()
                .zip(&kinds)
                .enumerate()
                .filter(|(at, (_, kind))| **kind == wanted && Some(*at) != role)
                .map(|(_, (part, _))| *part)
                .collect();
            (!found.is_empty()).then(|| text::clip(&found.join("; "), 120))
        };
        job.salary = of(Kind::Pay);
        job.kind = of(Kind::Terms);
        let places = [of(Kind::Other), of(Kind::Place)];
        let places: Vec<String> = places.into_iter().flatten().collect();
        job.location = (!places.is_empty()).then(|| places.join("; "));
    }
    job.text = body;
    Some(job)
}

/// The parts behind the company's name, and what the first part has in brackets: `Berlin Packaging (Chicago)` is not in
/// Berlin, whether the name stands first or again in another part.
fn without_company(company: &str, rest: &[&str]) -> String {
    let (name, brackets) = company.split_once('(').unwrap_or((company, ""));
    let name = name.trim();
    let rest = rest.iter().map(|part| {
        if name.is_empty() || *part == name {
            (*part).to_owned()
        } else {
            part.replace(name, " ")
        }
    });
    let brackets = brackets.trim_end_matches(')').trim().to_owned();
    let parts: Vec<String> = std::iter::once(brackets)
        .chain(rest)
        .filter(|part| !part.trim().is_empty())
        .collect();
    parts.join(" | ")
}

/// What a part of the first line is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Role,
    Place,
    Pay,
    Terms,
    Link,
    Other,
}

const ROLES: [&str; 34] = [
    "engineer",
    "engineering",
    "developer",
    "designer",
    "manager",
    "scientist",
    "architect",
    "analyst",
    "lead",
    "head",
    "director",
    "founder",
    "cofounder",
    "co-founder",
    "cto",
    "sre",
    "devops",
    "product",
    "marketing",
    "sales",
    "writer",
    "recruiter",
    "intern",
    "researcher",
    "support",
    "advocate",
    "administrator",
    "roles",
    "positions",
    "backend",
    "frontend",
    "fullstack",
    "data",
    "specialist",
];

fn kind(part: &str) -> Kind {
    let words = Words::of(part);
    let any = |list: &[&str]| list.iter().any(|word| words.contain(word));
    if part.contains("://") || (part.contains('.') && !part.contains(' ')) {
        return Kind::Link;
    }
    if is_pay(part, &words) {
        return Kind::Pay;
    }
    if any(&ROLES) {
        return Kind::Role;
    }
    if any(&["remote", "onsite", "on-site", "hybrid", "in-office", "in person"]) {
        return Kind::Place;
    }
    if any(&[
        "full-time",
        "fulltime",
        "part-time",
        "contract",
        "permanent",
        "internship",
        "freelance",
        "visa",
        "equity",
    ]) {
        return Kind::Terms;
    }
    Kind::Other
}

/// Whether a part is about pay: an amount with its currency, thousands (`90-120k`), or the word alone. What a company raised, earns or
/// saves is none: `Series B ($45M)`, `$1.2M ARR`.
fn is_pay(part: &str, words: &Words) -> bool {
    let any = |list: &[&str]| list.iter().any(|word| words.contain(word));
    if any(&[
        "salary",
        "salaries",
        "compensation",
        "competitive pay",
        "market rate",
    ]) {
        return true;
    }
    let of_company = ["saving customers", "raised", "arr", "mrr", "aum", "revenue"];
    if any(&of_company) || has_millions(part) {
        return false;
    }
    let digits = part.chars().any(|c| c.is_ascii_digit());
    let thousands = part
        .to_lowercase()
        .split(|c: char| !c.is_ascii_alphanumeric())
        .any(|word| {
            word.strip_suffix('k')
                .is_some_and(|number| text::is_digits(number, 2..=3))
        });
    let currencies = [
        "usd", "eur", "gbp", "chf", "sgd", "aud", "cad", "nzd", "inr", "pln", "sek", "nok", "dkk", "jpy",
    ];
    (digits && (part.contains(['$', '€', '£', '¥']) || any(&currencies))) || thousands
}

/// Whether an amount is in millions or billions: `$45M`, `€2bn`.
fn has_millions(part: &str) -> bool {
    part.split(['$', '€', '£', '¥']).skip(1).any(|amount| {
        let unit = amount.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ','));
        let unit = unit
            .split(|c: char| !c.is_alphabetic())
            .next()
            .unwrap_or_default();
        unit.len() < amount.len()
            && matches!(
                unit.to_lowercase().as_str(),
                "m" | "mm" | "mn" | "b" | "bn" | "million" | "billion"
            )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_company_is_no_place() {
        for (comment, places) in [
            (
                "Berlin Packaging | Engineer | Chicago, IL",
                "Engineer | Chicago, IL",
            ),
            ("Acme (Berlin) | Engineer | ONSITE", "Berlin | Engineer | ONSITE"),
            (
                "Berlin Packaging | Engineer at Berlin Packaging | Chicago",
                "Engineer at   | Chicago",
            ),
            // The town alone is a place, even where the company is called so.
            ("Bristol | Engineer | Bristol", "Engineer | Bristol"),
        ] {
            let job = advert("1", comment, None, None).unwrap();
            assert_eq!(job.place_text.as_deref(), Some(places), "{comment}");
        }
    }

    #[test]
    fn pay_is_no_place() {
        for (part, kind_of) in [
            ("$120k-$150k", Kind::Pay),
            ("90-120k + equity", Kind::Pay),
            ("£65,000", Kind::Pay),
            ("Competitive salary", Kind::Pay),
            ("EUR 70000", Kind::Pay),
            ("SGD 8,000/month", Kind::Pay),
            ("Series B ($45M)", Kind::Other),
            ("$1.2M ARR", Kind::Other),
            ("$2B AUM", Kind::Other),
            ("Saving customers $500k", Kind::Other),
            ("100% equity", Kind::Terms),
            ("$150k + equity", Kind::Pay),
            ("$130k-$160k (Series A)", Kind::Pay),
            ("$150k + 401k savings", Kind::Pay),
            ("Berlin", Kind::Other),
            ("Remote (US)", Kind::Place),
        ] {
            assert_eq!(kind(part), kind_of, "{part}");
        }
        let comment = "Acme | Engineer | Berlin | 90-120k | ONSITE";
        let job = advert("1", comment, None, None).unwrap();
        assert_eq!(
            (job.location.as_deref(), job.salary.as_deref()),
            (Some("Berlin; ONSITE"), Some("90-120k"))
        );
    }
}
