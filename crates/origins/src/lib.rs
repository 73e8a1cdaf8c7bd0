#![doc = include_str!("../README.md")]

mod figures;
mod find;
mod kinds;
mod known;
mod mirrors;
mod pages;
mod say;
mod tables;
mod titles;
mod union;
mod wires;
mod words;

use std::fmt;

use chrono::{DateTime, TimeDelta, Utc};
use freshcontext_budget::Sketch;

pub use find::find;
pub use say::NAMED;

/// What is known of one item of a list.
#[derive(Debug, Clone, Default)]
pub struct View<'a> {
    /// Its title; empty where it has none.
    pub title: &'a str,
    /// The address of its page.
    pub url: Option<&'a str>,
    /// Addresses that it is about: the page that a post links to, a paper's DOI, where it was published first.
    pub links: Vec<&'a str>,
    /// Addresses of its project: its repository and its website.
    pub projects: Vec<&'a str>,
    /// Its text, or the beginning of it.
    pub text: &'a str,
    /// Who wrote it, as it says.
    pub author: Option<&'a str>,
    /// Id of the adapter, or the caller's name for the kind of source.
    pub source_type: &'a str,
    /// When it was published.
    pub date: Option<Dated>,
    /// The sketch of the text, where the caller has made it.
    pub sketch: Option<&'a Sketch>,
}

impl View<'_> {
    /// Whether it is what one person says in a discussion.
    pub fn is_comment(&self) -> bool {
        kinds::kind(self.source_type, self.title) == kinds::Kind::Comment
    }
}

/// A date of publication.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dated {
    /// The instant; a day counts from 00:00 UTC.
    pub at: DateTime<Utc>,
    /// Whether only the day is known.
    pub whole_day: bool,
    /// Whether it can be relied on: of medium confidence or higher.
    pub reliable: bool,
}

/// Evidence that two items have one origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// They are one page.
    Page,
    /// They link to one page.
    Link,
    /// They are of one project.
    Project,
    /// Both are the press release that this service distributed; the name is empty where it is not known.
    Release(&'static str),
    /// Both are the text of this agency.
    Wire(&'static str),
    /// Their texts are the same, or nearly.
    Text,
    /// Their headlines are the same, or nearly.
    Title,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Page => f.write_str("same page"),
            Self::Link => f.write_str("same linked page"),
            Self::Project => f.write_str("same project"),
            Self::Release("") => f.write_str("same press release"),
            Self::Release(name) => write!(f, "same press release ({name})"),
            Self::Wire(name) => write!(f, "syndicated by {name}"),
            Self::Text => f.write_str("same text"),
            Self::Title => f.write_str("same headline"),
        }
    }
}

/// Items that have one origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cluster {
    /// Their places in the list, from 0, ascending; at least two.
    pub members: Vec<usize>,
    /// The evidence.
    pub reasons: Vec<Reason>,
    /// Which of them was first, by reliable dates; several where the dates do not tell them apart, none where fewer than two are
    /// dated.
    pub first: Vec<usize>,
    /// Those of the first that have a day only, where others of them have a moment within it: which was first is not known.
    pub day_only: Vec<usize>,
    /// By how much it was ahead of the next.
    pub ahead: Option<TimeDelta>,
    /// How many have no reliable date.
    pub undated: usize,
}

/// What reports of one thing say differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disagreement {
    /// What it is of: what a number counts, or `published`.
    pub of: String,
    /// Each value with the items that give it, ascending.
    pub values: Vec<(String, Vec<usize>)>,
}

/// How many independent origins a list has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origins {
    /// Items of the list.
    pub items: usize,
    /// Origins; an item that was not compared counts as its own.
    pub origins: usize,
    /// The origins with several items, by their first item.
    pub clusters: Vec<Cluster>,
    /// What is said differently.
    pub disagreements: Vec<Disagreement>,
    /// Items beyond the limit, which were not compared.
    pub not_compared: usize,
}
