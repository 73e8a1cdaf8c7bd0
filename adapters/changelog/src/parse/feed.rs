//! Feeds: of a site, and of GitHub's releases and tags.

use freshcontext_contract::chrono::{NaiveTime, TimeDelta};
use freshcontext_contract::limits::DATES_APART_H;
use freshcontext_contract::url::Url;
use freshcontext_contract::{DateEvidence, SourceError};
use freshcontext_parse::feed::{self, Entry};
use freshcontext_parse::json::Lenient;
use freshcontext_parse::{date, link, text};

use super::{Release, instant, marks};

/// A site's feed.
#[derive(Debug, Default)]
pub struct Feed {
    /// Its title.
    pub title: String,
    /// Its entries as releases, in its order.
    pub releases: Vec<Release>,
}

/// Reads the text of a site's feed at an address. The feed's own date is the time of its build and never used.
pub fn read(text: &str, address: &Url) -> Result<Feed, SourceError> {
    let feed = feed::read(text, "feed")?;
    let site = feed
        .page
        .as_deref()
        .and_then(|page| link::absolute(address, page));
    let own: Vec<String> = [Some(address), site.as_ref()]
        .into_iter()
        .flatten()
        .filter_map(host)
        .collect();
    Ok(Feed {
        title: feed.title.clone(),
        releases: readable(feed, |entry| release(entry, dated(entry, &own)))?,
    })
}

/// A host without `www.`.
fn host(url: &Url) -> Option<String> {
    let host = url.host_str()?;
    Some(host.strip_prefix("www.").unwrap_or(host).to_owned())
}

/// The entry's date. What bears an address of this site with a day has been there since: a later publication is
/// disputed. An entry may lead to a page of another site, whose address dates that page.
fn dated(entry: &Entry, own: &[String]) -> DateEvidence {
    let date = entry.date();
    let address = entry.link.as_deref().and_then(|link| Url::parse(link).ok());
    let address = address.filter(|address| host(address).is_some_and(|host| own.contains(&host)));
    let older = address.as_ref().and_then(date::in_address).filter(|found| {
        let end = found.last().and_time(NaiveTime::MIN).and_utc();
        instant(&date).is_some_and(|at| at - end > TimeDelta::hours(DATES_APART_H))
    });
    match (older, &entry.published) {
        (Some(found), Some(published)) => DateEvidence::field("published", published.clone())
            .beside("date in the address", Some(found.first())),
        _ => date,
    }
}

/// Reads `releases.atom` or `tags.atom`. Their only date is that of the last edit.
pub fn github(text: &str) -> Result<Vec<Release>, SourceError> {
    let feed = feed::read(text, "GitHub releases feed")?;
    let mut releases = readable(feed, |entry| {
        let edited = "updated: last edit of the release";
        let date = entry
            .updated
            .clone()
            .map_or(DateEvidence::None, |at| DateEvidence::signal(edited, at));
        let mut release = release(entry, date)?;
        let tag = entry
            .id
            .rsplit_once("Repository/")
            .and_then(|(_, rest)| rest.split_once('/'))
            .map(|(_, tag)| tag);
        if let Some(tag) = tag {
            if !release.prerelease {
                release = release.early(marks::early_tag("tag", tag));
            }
            release.tag = Some(tag.to_owned()).filter(|tag| *tag != release.title);
        }
        Some(release)
    })?;
    super::mark_unversioned(&mut releases);
    Ok(releases)
}

/// The entries that can be read. None of many is no feed without entries.
fn readable(feed: feed::Feed, read: impl Fn(&Entry) -> Option<Release>) -> Result<Vec<Release>, SourceError> {
    let releases = Lenient::from(feed.entries).filter_map(|entry| read(&entry));
    let releases = releases.or_none_readable("feed: no entry has a title or a text")?;
    Ok(releases.items)
}

fn release(entry: &Entry, date: DateEvidence) -> Option<Release> {
    let notes = entry.text();
    let title = match text::one_line(&entry.title) {
        title if title.is_empty() => text::said(&notes, 80),
        title => title,
    };
    let (early, pulled) = (marks::early_name("title", &title), marks::pulled("title", &title));
    (!title.is_empty()).then(|| {
        let release = Release {
            title,
            date,
            url: entry.link.as_deref().and_then(link::shown),
            notes,
            ..Release::default()
        };
        release.early(early).pulled(pulled)
    })
}
