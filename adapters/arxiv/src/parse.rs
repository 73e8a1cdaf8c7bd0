//! An Atom answer into papers, purely. Matched by namespace and local name, never by position.

mod withdrawal;

use freshcontext_contract::standing::Replacement;
use freshcontext_contract::{
    DateEvidence, ErrorCode, Item, Response, SourceError, StandingEvidence, StandingState, quoted,
};
use freshcontext_parse::{charset, text};

use crate::input::without_version;
use crate::xml::{self, Element};

const ATOM: &str = "http://www.w3.org/2005/Atom";
const ARXIV: &str = "http://arxiv.org/schemas/atom";
const SEARCH: &str = "http://a9.com/-/spec/opensearch/1.1/";
/// Authors named before the rest is only counted.
const AUTHORS: usize = 10;
/// Abstract shown in a list, in characters. A single paper shows all of it.
const LIST_ABSTRACT: usize = 600;

/// One answer.
#[derive(Debug)]
pub struct Feed {
    /// The papers, in the order sent.
    pub papers: Vec<Item>,
    /// Entries without an id or a title.
    pub unreadable: usize,
    /// Results in all.
    pub total: Option<u64>,
    /// The query as arXiv understood it.
    pub understood: Option<String>,
}

/// Why an answer cannot be used.
#[derive(Debug)]
pub enum Trouble {
    /// arXiv's index is unwell: results are promised but none are sent, or nothing at all is sent.
    /// Asking once more often helps.
    Unsteady(String),
    /// Anything else.
    Failed(SourceError),
}

/// Reads an answer.
pub fn feed(response: &Response, whole_text: bool) -> Result<Feed, Trouble> {
    let body = charset::decode(response).text;
    read(&body, response.status, whole_text).map_err(|trouble| match trouble {
        Trouble::Failed(error) if error.code == ErrorCode::Malformed => {
            Trouble::Failed(response.block_page().unwrap_or(error))
        }
        other => other,
    })
}

/// Reads the text of an answer that came with this status.
pub fn read(body: &str, status: u16, whole_text: bool) -> Result<Feed, Trouble> {
    if body.trim().is_empty() {
        return Err(Trouble::Unsteady("arXiv sent an empty answer".to_owned()));
    }
    if body.len() < 500 && body.to_ascii_lowercase().contains("rate exceeded") {
        return Err(Trouble::Failed(
            SourceError::rate_limited("arXiv asks us to slow down").status(status),
        ));
    }
    let malformed =
        |what: &str| Trouble::Failed(SourceError::malformed(format!("arXiv: {what}")).status(status));
    let root = xml::parse(body).map_err(|error| {
        let why = quoted(&error);
        malformed(&format!("the answer is not a feed ({why})"))
    })?;
    if root.space != ATOM || root.name != "feed" {
        return Err(malformed("the answer is a page or another document, not a feed"));
    }
    if let Some(message) = root.children(ATOM, "entry").find_map(refusal) {
        let problem = format!("was refused by arXiv: {}", quoted(&message));
        return Err(Trouble::Failed(crate::input::URL.wrong(problem).status(status)));
    }
    if status == 400 {
        return Err(Trouble::Failed(
            SourceError::upstream("arXiv refused the query without a reason").status(status),
        ));
    }
    let number = |name| {
        root.text_of(SEARCH, name)
            .and_then(|text| text.trim().parse::<u64>().ok())
    };
    let (total, start) = (number("totalResults"), number("startIndex"));
    let sent = root.children(ATOM, "entry").count();
    if sent == 0 {
        match total {
            Some(total) if total > start.unwrap_or(0) => {
                return Err(Trouble::Unsteady(format!(
                    "arXiv counts {total} results but sent none"
                )));
            }
            None => return Err(malformed("the feed has neither entries nor a count")),
            Some(_) => {}
        }
    }
    let papers: Vec<Item> = root
        .children(ATOM, "entry")
        .filter_map(|entry| paper(entry, whole_text))
        .collect();
    if papers.is_empty() && sent > 0 {
        return Err(malformed("none of the entries has an id and a title"));
    }
    Ok(Feed {
        unreadable: sent - papers.len(),
        papers,
        total,
        understood: understood(&root),
    })
}

/// The message of an entry that is an error in disguise.
fn refusal(entry: &Element) -> Option<String> {
    let id = entry.text_of(ATOM, "id").unwrap_or_default();
    let titled_error = entry
        .text_of(ATOM, "title")
        .is_some_and(|title| title.trim() == "Error");
    let disguised = id.contains("/api/errors") || (titled_error && entry.child(ATOM, "published").is_none());
    let message = entry
        .text_of(ATOM, "summary")
        .map_or_else(|| "no reason given".to_owned(), text::one_line);
    disguised.then(|| text::clip(&message, 200))
}

/// `arXiv Query: search_query=all:testing&id_list=&start=0&max_results=10`.
fn understood(root: &Element) -> Option<String> {
    let title = root.text_of(ATOM, "title")?;
    let query = title.split_once("search_query=")?.1;
    let end = query
        .find("&id_list=")
        .or_else(|| query.find("&start="))
        .unwrap_or(query.len());
    query.get(..end).and_then(text::present)
}

fn paper(entry: &Element, whole_text: bool) -> Option<Item> {
    let id = entry.text_of(ATOM, "id")?.trim();
    let id = id
        .split_once("/abs/")
        .map(|(_, id)| id)
        .filter(|id| !id.is_empty())?;
    let title = text::one_line(entry.text_of(ATOM, "title")?);
    let (_, version) = without_version(id);
    let stamp = |name| {
        let text = entry.text_of(ATOM, name)?.trim();
        (!text.is_empty()).then(|| text.to_owned())
    };
    let (published, updated) = (stamp("published"), stamp("updated"));
    let comment = entry.text_of(ARXIV, "comment").map(text::one_line);
    let body = entry.text_of(ATOM, "summary").map(flow).unwrap_or_default();
    let withdrawal = withdrawal::sign(id, comment.as_deref(), &body, updated.as_deref());
    let withdrawn = withdrawal.is_some();
    let date = match (&published, &updated) {
        // The version shown is the withdrawal: nothing was published by it.
        (Some(published), _) if withdrawn => DateEvidence::signal(
            "published: the first version of a paper withdrawn since",
            published.as_str(),
        ),
        (None, _) if withdrawn => DateEvidence::None,
        // The first version: both are the moment of submission.
        (Some(published), updated)
            if updated.as_ref() == Some(published) || (updated.is_none() && version == Some(1)) =>
        {
            DateEvidence::field("published", published.as_str())
        }
        // Of the first version both are the same moment; of a later one `published` is the first's.
        (published, Some(updated)) => DateEvidence::field("updated", updated.as_str())
            .beside("published", published.as_deref().filter(|_| version == Some(1))),
        (Some(published), None) => DateEvidence::signal(
            "published: the first version, not the one shown",
            published.as_str(),
        ),
        (None, None) => DateEvidence::None,
    };
    let mut item = Item::new(title, date);
    item.standing.extend(withdrawal);
    item.id = Some(id.to_owned());
    item.url = Some(format!("https://arxiv.org/abs/{id}"));
    let shown = if whole_text {
        body.clone()
    } else {
        text::clip(&body, LIST_ABSTRACT)
    };
    item.set_excerpt(shown, &body);
    item.set("version", version);
    item.set("first_submitted", published);
    if withdrawn {
        item.set("withdrawn", true);
        item.set("withdrawn_at", updated);
    } else {
        item.set("updated", updated.filter(|_| version != Some(1)));
    }
    people(entry, &mut item);
    let line = |name| entry.text_of(ARXIV, name).map(text::one_line);
    let primary = entry
        .child(ARXIV, "primary_category")
        .and_then(|category| category.attribute("term"));
    item.set("primary_category", primary);
    let categories: Vec<&str> = entry
        .children(ATOM, "category")
        .filter_map(|category| category.attribute("term"))
        .collect();
    item.set("categories", categories);
    item.set("comment", comment);
    item.set("journal_ref", line("journal_ref"));
    item.set("doi", line("doi"));
    let pdf = entry
        .children(ATOM, "link")
        .find(|link| link.attribute("title") == Some("pdf"));
    item.set(
        "pdf",
        pdf.and_then(|link| link.attribute("href"))
            .map(|href| href.replacen("http://", "https://", 1)),
    );
    Some(item)
}

/// The sign of an older version, from the latest one of the same paper.
pub fn behind(id: &str, latest: &Item) -> Option<StandingEvidence> {
    let (shown, newest) = (without_version(id).1?, without_version(latest.id.as_deref()?).1?);
    if newest <= shown {
        return None;
    }
    // What was withdrawn takes no other version's place: it takes the paper away.
    if let (Some(withdrawal), Some(page)) = (latest.standing.first(), &latest.url) {
        return Some(withdrawal.clone().shown_at(page.as_str()));
    }
    // Versions between the two came earlier, on a day that this answer does not give.
    let since = latest.fields.get("updated").and_then(|updated| updated.as_str());
    let sign = StandingEvidence::field(StandingState::Superseded, "entry.id", latest.id.clone()?)
        .since(since.filter(|_| newest == shown + 1))
        .by("author");
    Some(sign.replaced_by(Some(Replacement {
        id: latest.id.clone(),
        url: latest.url.clone(),
        title: None,
    })))
}

fn people(entry: &Element, item: &mut Item) {
    let names: Vec<String> = entry
        .children(ATOM, "author")
        .filter_map(|author| author.text_of(ATOM, "name"))
        .map(text::one_line)
        .collect();
    let mut affiliations: Vec<String> = Vec::new();
    for author in entry.children(ATOM, "author") {
        for affiliation in author.children(ARXIV, "affiliation") {
            let affiliation = text::one_line(&affiliation.text);
            if !affiliation.is_empty() && !affiliations.contains(&affiliation) && affiliations.len() < AUTHORS
            {
                affiliations.push(affiliation);
            }
        }
    }
    let total = names.len();
    item.set("authors", names.into_iter().take(AUTHORS).collect::<Vec<_>>());
    if total > AUTHORS {
        item.set("authors_total", total);
    }
    item.set("affiliations", affiliations);
}

/// An abstract: hard line breaks are flow, an indented line begins a paragraph.
fn flow(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    for line in raw.trim().lines() {
        let words = text::one_line(line);
        if words.is_empty() {
            continue;
        }
        if !out.is_empty() {
            out.push(if line.starts_with("  ") { '\n' } else { ' ' });
        }
        out.push_str(&words);
    }
    out
}

#[cfg(test)]
mod tests;
