//! From words to a filter, and from a page of awards to a result.

use std::borrow::Cow;
use std::collections::HashSet;

use freshcontext_contract::url::Url;
use freshcontext_contract::{
    Cx, DateEvidence, ErrorCode, Response, SourceError, SourceResult, StandingTold, code, common_name,
    counted, named, quoted_within, sort_by_date,
};
use freshcontext_parse::charset;

use crate::award;
use crate::input::{self, By, Input, Query, Subject};
use crate::parse::{self, Match};
use crate::request::{self, Filter};
use crate::{DESCRIPTOR, actions};

const LAG: &str = "Defense contracts are published 90 days late, others within days: that no recent award is listed proves little";

/// The search pages no further than this without another kind of cursor.
const REACH: usize = 50_000;

/// The highest page that a cursor may name.
const MOST_PAGES: usize = 5_000;

/// Collects awards.
pub async fn collect(cx: &Cx<'_>, input: &Input) -> Result<SourceResult, SourceError> {
    let query = input::read(input)?;
    let page = cx.args().cursor_within(2..=MOST_PAGES)?.unwrap_or(1);
    let mut notes = Vec::new();
    let filter = match &query.subject {
        Subject::Award(id) => return one_award(cx, &query, id).await,
        Subject::Naics(code) => Filter::Naics(code.clone()),
        Subject::Uei(uei) => Filter::Recipient(uei.clone()),
        Subject::Agency(agency) => Filter::Agency(agency),
        Subject::Phrase(words) => keyword(words, &mut notes),
        Subject::Words(words) => match resolve(cx, words, None, &mut notes).await? {
            Meant::Recipient(filter) => filter,
            Meant::Topic => keyword(words, &mut notes),
        },
        Subject::Company(legal) => {
            // USAspending spells legal forms in its own way, so its list is searched without one.
            let name = common_name(legal);
            match resolve(cx, &name, Some(legal), &mut notes).await? {
                Meant::Recipient(filter) => filter,
                // Words in an award to somebody else are not about this company.
                Meant::Topic => return Ok(no_recipient(&name, notes, request::search_page()?)),
            }
        }
    };
    search(cx, &query, &filter, page, notes).await
}

/// The body of an accepted answer; a refusal becomes its reason.
pub(crate) fn read(response: &Response) -> Result<Cow<'_, str>, SourceError> {
    let text = charset::decode(response).text;
    if matches!(response.status, 400 | 422) {
        return Err(parse::refusal(response.status, &text, DESCRIPTOR.example));
    }
    Ok(text)
}

async fn one_award(cx: &Cx<'_>, query: &Query, id: &str) -> Result<SourceResult, SourceError> {
    let request = request::award(id)?;
    let address = request.url.clone();
    let award = cx
        .read(request, |response| award::detail(&read(response)?))
        .await?;
    let page = request::page(id)
        .and_then(|page| Url::parse(&page).ok())
        .unwrap_or(address);
    let mut item = award.item(query.by);
    let mut told = None;
    // The codes are those of contracts; of grants and loans the same letters mean other things.
    if id.starts_with("CONT_") {
        let read = |response: &Response| actions::cancelled(&read(response)?);
        match cx.read(request::actions(id)?, read).await {
            Ok(sign) => item.standing.extend(sign),
            // The award itself is the answer.
            Err(_) => told = Some(StandingTold::Partly),
        }
    }
    let mut result = SourceResult::new(page, vec![item]);
    result.standing_told = told;
    result.route = Some("awards");
    result.summary = Some(format!("The award {id}"));
    Ok(result)
}

/// What an abbreviation of two letters stands for, where it is a topic.
fn wide(words: &str) -> Option<&'static str> {
    match words.to_ascii_lowercase().as_str() {
        "ai" => Some("artificial intelligence"),
        "ml" => Some("machine learning"),
        "it" => Some("information technology"),
        "vr" => Some("virtual reality"),
        "ar" => Some("augmented reality"),
        _ => None,
    }
}

/// Words of one or two letters are refused as keywords.
fn keyword(words: &str, notes: &mut Vec<String>) -> Filter {
    if let Some(wide) = wide(words) {
        notes.push(format!(
            "{} is too short to be searched as a keyword; {wide} was searched",
            code(words)
        ));
        return Filter::Keyword(wide.to_owned());
    }
    if words.chars().count() < 3 {
        notes.push(format!(
            "{} is too short to be searched as a keyword; only descriptions were searched",
            code(words)
        ));
        return Filter::Description(words.to_owned());
    }
    Filter::Keyword(words.to_owned())
}

/// What words name.
enum Meant {
    /// Recipients of that name.
    Recipient(Filter),
    /// No recipient that is known.
    Topic,
}

/// An empty answer: USAspending knows no recipient of this name.
fn no_recipient(name: &str, notes: Vec<String>, address: Url) -> SourceResult {
    let mut result = SourceResult::new(address, Vec::new());
    result.route = Some("awards");
    result.summary = Some(format!(
        "USAspending knows no recipient of the name {}",
        code(name)
    ));
    result.notes = notes;
    result.scope.subject = Some(format!(
        "recipients of the name {}, of which it knows none",
        code(name)
    ));
    result
}

/// A company where USAspending knows a recipient of that name, else a topic; says which.
/// What can only be a company, of which `legal` is the whole name, is not searched otherwise where the list of recipients cannot be
/// read.
async fn resolve(
    cx: &Cx<'_>,
    words: &str,
    legal: Option<&str>,
    notes: &mut Vec<String>,
) -> Result<Meant, SourceError> {
    let only_company = legal.is_some();
    if wide(words).is_some() {
        return Ok(Meant::Topic);
    }
    let found = cx
        .read(request::recipients(words)?, |response| {
            parse::recipients(&read(response)?)
        })
        .await;
    let mut independent = HashSet::new();
    let matched = match found {
        Ok(recipients) => {
            independent = parse::independent(&recipients);
            parse::matching(words, recipients)
        }
        Err(error)
            if !only_company
                && matches!(
                    error.code,
                    ErrorCode::NotFound
                        | ErrorCode::Malformed
                        | ErrorCode::UpstreamError
                        | ErrorCode::InvalidInput
                ) =>
        {
            notes.push(format!(
                "{} could not be checked for being a recipient ({error}); searched as a keyword",
                code(words)
            ));
            Match::No
        }
        Err(error) => return Err(error),
    };
    let (mut words, mut legal) = (Cow::Borrowed(words), legal.map(Cow::Borrowed));
    let mut matched = matched;
    if let (Match::No, Some(whole)) = (&matched, &legal)
        && let (Some(spelling), Some(whole)) = (parse::other_spelling(&words), parse::other_spelling(whole))
    {
        let recipients = cx
            .read(request::recipients(&spelling)?, |response| {
                parse::recipients(&read(response)?)
            })
            .await?;
        independent = parse::independent(&recipients);
        matched = parse::matching(&spelling, recipients);
        if matched != Match::No {
            (words, legal) = (Cow::Owned(spelling), Some(Cow::Owned(whole)));
        }
    }
    let words = words.as_ref();
    let listed = |recipients: &[parse::Recipient]| {
        let shown = recipients.iter().take(6).map(|recipient| match &recipient.uei {
            Some(uei) if !uei.trim().is_empty() => {
                format!("{} (UEI {})", named(&recipient.name), named(uei))
            }
            _ => named(&recipient.name),
        });
        let more = recipients.len().saturating_sub(6);
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        format!("{}{more}", shown.collect::<Vec<_>>().join("; "))
    };
    // A topic is written in lower case; a company's name is not.
    let like_a_name = words.chars().any(char::is_uppercase);
    Ok(Meant::Recipient(match matched {
        Match::Exact(exact, mut begins) => {
            // A recipient of the legal name is the company; one of another form, or of none, is a namesake.
            let is_own = |recipient: &parse::Recipient| {
                legal
                    .as_deref()
                    .is_some_and(|legal| parse::same_legal_name(legal, &recipient.name))
            };
            let (own, namesakes): (Vec<_>, Vec<_>) = exact.into_iter().partition(is_own);
            let legal = legal.as_deref().filter(|_| !own.is_empty());
            let exact = if own.is_empty() {
                namesakes
            } else {
                begins.splice(0..0, namesakes);
                own
            };
            let others = if begins.is_empty() {
                String::new()
            } else {
                format!(
                    ". Others whose name begins so: {}; pass a UEI for one of them",
                    listed(&begins)
                )
            };
            let uei =
                |recipient: &parse::Recipient| recipient.uei.clone().filter(|uei| !uei.trim().is_empty());
            if let [one] = exact.as_slice()
                && let Some(uei) = uei(one)
            {
                notes.push(format!(
                    "{} was taken to be {}{others}",
                    code(words),
                    listed(&exact)
                ));
                Filter::Entity {
                    uei,
                    name: one.name.clone(),
                    independent,
                }
            } else {
                notes.push(format!(
                    "Awards to recipients of this name: {}. Pass a UEI for one of them{others}",
                    listed(&exact)
                ));
                match legal {
                    Some(legal) => Filter::Legal {
                        words: words.to_owned(),
                        name: legal.to_owned(),
                    },
                    None => Filter::Named(words.to_owned()),
                }
            }
        }
        Match::Begins(recipients) if like_a_name => {
            notes.push(format!(
                "Awards to recipients of this name: {}. Pass a UEI for one of them",
                listed(&recipients)
            ));
            Filter::Begins(words.to_owned())
        }
        Match::Begins(recipients) => {
            notes.push(format!(
                "Searched as a keyword; recipients of such a name are {}. Pass a UEI for the awards of one of them",
                listed(&recipients)
            ));
            return Ok(Meant::Topic);
        }
        Match::No => return Ok(Meant::Topic),
    }))
}

fn is_same(one: &str, other: &str) -> bool {
    one.trim().eq_ignore_ascii_case(other.trim())
}

/// Recipients whose parents are looked up for one page.
const MOST_LOOKED_UP: usize = 6;

/// Other recipients on one page of awards.
#[derive(Default)]
struct Others {
    /// Ids of those that USAspending knows as subsidiaries of the one asked for.
    subsidiaries: HashSet<String>,
    /// Ids of those whose parents are not known here. Their awards are left out, because an award to another company is worse
    /// than one less, and counted apart.
    unchecked: HashSet<String>,
}

/// Looks up which recipients of these awards are subsidiaries of `uei`.
async fn subsidiaries(
    cx: &Cx<'_>,
    awards: &[award::Award],
    uei: &str,
    independent: &HashSet<String>,
) -> Others {
    let mut ids: Vec<&str> = Vec::new();
    for award in awards {
        let others = award
            .recipient()
            .1
            .is_some_and(|other| !is_same(other, uei) && !independent.contains(&parse::plain_uei(other)));
        if let Some(id) = award.subsidiary().filter(|id| others && !ids.contains(id)) {
            ids.push(id);
        }
    }
    let mut others = Others::default();
    let mut asked = Vec::new();
    let mut requests = Vec::new();
    for id in ids {
        match request::recipient(id).filter(|_| asked.len() < MOST_LOOKED_UP) {
            Some(request) => {
                asked.push(id);
                requests.push(request);
            }
            None => {
                others.unchecked.insert(id.to_owned());
            }
        }
    }
    let known = cx
        .read_all(requests, |response| parse::parents(&read(response)?))
        .await;
    for (id, parents) in asked.into_iter().zip(known) {
        match parents {
            Ok(parents) if parents.iter().any(|parent| is_same(parent, uei)) => {
                others.subsidiaries.insert(id.to_owned());
            }
            Ok(_) => {}
            Err(_) => {
                others.unchecked.insert(id.to_owned());
            }
        }
    }
    others
}

async fn search(
    cx: &Cx<'_>,
    query: &Query,
    filter: &Filter,
    number: usize,
    notes: Vec<String>,
) -> Result<SourceResult, SourceError> {
    let args = cx.args();
    let request = request::awards(filter, query, args, cx.now(), number)?;
    let mut page = cx.read(request, |response| parse::page(&read(response)?)).await?;
    let sort = args.sort.unwrap_or("newest");
    // The search looks for words in names; what it found for another recipient is not an answer.
    let before = page.awards.len();
    let mut unchecked = 0;
    match filter {
        Filter::Entity {
            uei,
            name,
            independent,
        } => {
            // A search for an id also finds the awards of those whose parent has it.
            let known = subsidiaries(cx, &page.awards, uei, independent).await;
            let is_in = |award: &award::Award, ids: &HashSet<String>| {
                award.subsidiary().is_some_and(|id| ids.contains(id))
            };
            page.awards.retain(|award| match award.recipient() {
                (_, Some(other)) => {
                    let is_theirs = is_same(other, uei) || is_in(award, &known.subsidiaries);
                    unchecked += usize::from(!is_theirs && is_in(award, &known.unchecked));
                    is_theirs
                }
                (Some(other), None) => parse::same_name(name, other),
                (None, None) => true,
            });
        }
        Filter::Begins(words) => page.awards.retain(|award| {
            let name = award.recipient().0;
            name.is_none_or(|name| parse::has_words(name, words))
        }),
        Filter::Named(words) => page.awards.retain(|award| {
            award
                .recipient()
                .0
                .is_none_or(|name| parse::same_name(words, name))
        }),
        Filter::Legal { name, .. } => page.awards.retain(|award| {
            award
                .recipient()
                .0
                .is_none_or(|other| parse::same_legal_name(name, other))
        }),
        _ => {}
    }
    let others = before - page.awards.len() - unchecked;
    sort_by_date(&mut page.awards, sort, |award| award.day(query.by));
    let items = page
        .awards
        .iter()
        .take(args.limit)
        .map(|award| award.item(query.by))
        .collect();
    let mut result = SourceResult::new(request::search_page()?, items);
    result.route = Some("awards");
    let what = match filter {
        Filter::Recipient(words) | Filter::Named(words) | Filter::Begins(words) => format!("to {words}"),
        Filter::Entity { uei, name, .. } => format!("to {} (UEI {})", named(name), named(uei)),
        Filter::Legal { name, .. } => format!("to {name}"),
        Filter::Agency(agency) => format!("by the {agency}"),
        Filter::Naics(code) => format!("in the industry NAICS {code}"),
        Filter::Keyword(words) => format!("that mention \"{words}\""),
        Filter::Description(words) => format!("described with \"{words}\""),
    };
    let kind = if query.idv {
        "framework vehicles"
    } else {
        "contracts"
    };
    let order = match (sort, query.by) {
        ("top", _) => "largest first",
        ("oldest", By::Signed) => "oldest signed first",
        ("oldest", By::Modified) => "longest unchanged first",
        (_, By::Signed) => "newest signed first",
        (_, By::Modified) => "last modified first",
    };
    let days = match (args.since, args.until) {
        (None, None) => String::new(),
        (since, until) => format!(
            ", {} to {}",
            since.map_or_else(|| "2007-10-01".to_owned(), |at| at.date_naive().to_string()),
            until.unwrap_or_else(|| cx.now()).date_naive()
        ),
    };
    result.summary = Some(format!(
        "US federal {kind} {what}, {order}{days}: page {number}, {} shown",
        result.items.len()
    ));
    result.notes = notes;
    let found = before + page.unreadable;
    let among = if others + unchecked > 0 {
        format!(", {} of {found} awards found", before - others - unchecked)
    } else {
        String::new()
    };
    result.scope.subject = Some(match filter {
        Filter::Entity { uei, name, .. } => format!("{} (UEI {}){among}", named(name), named(uei)),
        Filter::Recipient(words) => format!("the recipient {}", code(words)),
        Filter::Begins(words) => format!("all recipients whose names have {}{among}", code(words)),
        Filter::Named(words) => format!("all recipients of the name {}{among}", code(words)),
        Filter::Legal { name, .. } => format!("all recipients of the name {}{among}", code(name)),
        Filter::Agency(agency) => format!("the {agency}"),
        Filter::Naics(code) => format!("the industry NAICS {code}"),
        Filter::Keyword(words) | Filter::Description(words) => {
            format!("awards that mention {}, to any recipient", code(words))
        }
    });
    if let Filter::Entity { name, .. } = filter {
        result.scope.name = Some(name.clone());
    }
    // `has_newest` stays unset: awards of the Department of Defense are published 90 days late, so USAspending never has
    // the newest contracts.
    for message in page.messages {
        result.note(format!("USAspending says: {}", quoted_within(&message, 240)));
    }
    result.note(LAG);
    result.skip(page.unreadable, "that could not be read");
    result.skip(others, "to other recipients");
    result.skip(
        unchecked,
        "to recipients that could not be checked for being subsidiaries",
    );
    if let Filter::Entity { uei, name, .. } = filter {
        let shown = page.awards.iter().take(args.limit);
        let mut subsidiaries: Vec<String> = Vec::new();
        let mut count = 0;
        for award in shown {
            let (Some(other), Some(id)) = award.recipient() else {
                continue;
            };
            if id.trim().eq_ignore_ascii_case(uei.trim()) {
                continue;
            }
            count += 1;
            let other = named(other);
            if !subsidiaries.contains(&other) {
                subsidiaries.push(other);
            }
        }
        if count > 0 {
            let awards = counted(count, "award shown is", "awards shown are");
            let more = subsidiaries.len().saturating_sub(6);
            subsidiaries.truncate(6);
            let more = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            result.note(format!(
                "{awards} to subsidiaries of {}: {}{more}",
                named(name),
                subsidiaries.join("; ")
            ));
        }
    }
    if query.by == By::Modified {
        result.note("Dates are those of the records' last change, not of the awards");
    }
    if sort != "newest" && !result.items.is_empty() {
        result.note("Not sorted by date: newer awards may exist beyond those shown");
        let newest = page
            .awards
            .iter()
            .take(args.limit)
            .filter_map(|award| award.day(query.by))
            .max();
        result.own_date = newest
            .map(|day| DateEvidence::signal("newest day among awards that are not sorted by date", day));
    }
    // A page of nothing but other recipients has a next one, too.
    if page.more && before > 0 && number.saturating_mul(args.limit) < REACH {
        if result.items.is_empty() {
            result.note("No award on this page is to this recipient; the next page may have some");
        }
        result.next = Some((number + 1).to_string());
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_words_are_widened_and_said_so() {
        let mut notes = Vec::new();
        assert_eq!(
            keyword("AI", &mut notes),
            Filter::Keyword("artificial intelligence".into())
        );
        assert_eq!(keyword("5G", &mut notes), Filter::Description("5G".into()));
        assert_eq!(notes.len(), 2);
        assert_eq!(keyword("LiDAR", &mut notes), Filter::Keyword("LiDAR".into()));
    }
}
