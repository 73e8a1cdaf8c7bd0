//! The ways to the data, in the order of the descriptor, and what is said about the one that answered.

use std::fmt::Write;

use freshcontext_contract::{Cx, ErrorCode, LATER, SourceError, SourceResult, counted, texts};

use crate::input::{Board, Search};
use crate::parse::{Listing, algolia, date_text, firebase, page, thread};
use crate::request::{self, Window};

texts! {
    /// The ways to a list, in the order in which they are tried.
    pub enum By(id) {
        /// The search index.
        Algolia { id: "algolia" }
        /// The item interface.
        Firebase { id: "firebase" }
        /// The feed of the front page.
        Rss { id: "rss" }
        /// The pages of the site.
        Html { id: "html" }
    }
}

texts! {
    /// The ways to a thread.
    enum ThreadBy(id) {
        /// The search index, in one request.
        Algolia { id: By::Algolia.id() }
        /// The item interface, one comment after the other.
        Firebase { id: By::Firebase.id() }
    }
}

/// Items asked for one by one: with the list itself and one failed route this stays within the
/// requests that a call may make.
const ONE_BY_ONE: usize = 20;
/// Rows of a page of the site.
const SITE_ROWS: u32 = 30;

/// A search that only the index can answer.
pub async fn search(cx: &Cx<'_>, search: &Search) -> Result<SourceResult, SourceError> {
    let window = Window::of(search, cx.args())?;
    let request = request::search(search, cx.args(), window)?;
    let listing = cx.read(request, algolia::page).await?;
    let mut result = SourceResult::new(request::shown_url(search, cx.args())?, Vec::new());
    result.route = Some(By::Algolia.id());
    fill(&mut result, cx, search, listing, window);
    Ok(result)
}

/// A list of the site, by whichever route answers.
pub async fn board(cx: &Cx<'_>, search: &Search, board: Board) -> Result<SourceResult, SourceError> {
    let window = Window::of(search, cx.args())?;
    let mut routes = By::ALL.to_vec();
    routes.retain(|by| answers(*by, board, window));
    let routed = cx
        .first_route(&routes, &[ErrorCode::Malformed], |by| async move {
            let read = board_by(cx, by, search, board, window).await;
            read.map_err(always_there)
        })
        .await?;
    Ok(routed.into_result())
}

/// The site's lists always exist: a route that does not find one is out of order.
fn always_there(mut error: SourceError) -> SourceError {
    if error.code == ErrorCode::NotFound {
        error.code = ErrorCode::Malformed;
    }
    error
}

/// Whether a route knows this list and this part of it.
fn answers(by: By, board: Board, window: Window) -> bool {
    match by {
        By::Algolia => board != Board::Best,
        By::Firebase => true,
        By::Rss => board == Board::Front && window.page == 0,
        By::Html => (window.page * window.rows).is_multiple_of(SITE_ROWS),
    }
}

async fn board_by(
    cx: &Cx<'_>,
    by: By,
    search: &Search,
    board: Board,
    window: Window,
) -> Result<SourceResult, SourceError> {
    let args = cx.args();
    let own_form = args.since.is_none() && args.until.is_none() && args.sort.is_none();
    let site_page = window.page * window.rows / SITE_ROWS;
    let page_url = request::board_url(board, site_page)?;
    let mut result = SourceResult::new(page_url, Vec::new());
    match by {
        By::Algolia => {
            let has_all = own_form && window.page == 0;
            let listing = cx
                .read(request::search(search, args, window)?, |response| {
                    algolia::page(response).and_then(|listing| {
                        if has_all && listing.items.is_empty() {
                            return Err(never_empty(board));
                        }
                        Ok(listing)
                    })
                })
                .await?;
            if !own_form {
                result.canonical_url = request::search_url(search, args)?;
            }
            if matches!(board, Board::Ask | Board::Show) && request::newest_first(search, args) {
                result.note("Newest first: the search index does not keep the site's own order");
            }
            fill(&mut result, cx, search, listing, window);
        }
        By::Firebase => {
            let ids = cx
                .read(request::ids(board)?, |response| {
                    let ids = firebase::ids(response)?;
                    if ids.is_empty() {
                        return Err(never_empty(board));
                    }
                    Ok(ids)
                })
                .await?;
            let start = (window.page * window.rows) as usize;
            let rows = (window.rows as usize).min(ONE_BY_ONE);
            let wanted: Vec<u64> = ids.iter().copied().skip(start).take(rows).collect();
            let listing = one_by_one(cx, &wanted, start, &mut result).await?;
            let listing = Listing {
                total: Some((ids.len() as u64, true)),
                ..listing
            };
            fill(&mut result, cx, search, listing, window);
        }
        By::Rss => {
            let listing = cx.read(request::rss()?, page::rss).await?;
            fill(&mut result, cx, search, listing, window);
        }
        By::Html => {
            let listing = cx.read(request::page(board, site_page)?, page::rows).await?;
            fill(&mut result, cx, search, listing, window);
        }
    }
    Ok(result)
}

fn never_empty(board: Board) -> SourceError {
    SourceError::malformed(format!(
        "an empty list of {}, which is never empty",
        board.about()
    ))
}

/// Items by number, each with what it came to.
async fn nodes(
    cx: &Cx<'_>,
    ids: &[u64],
    whole_text: bool,
) -> Result<Vec<Result<firebase::Node, SourceError>>, SourceError> {
    let requests = ids
        .iter()
        .map(|id| request::item(*id))
        .collect::<Result<_, _>>()?;
    Ok(cx
        .read_all(requests, |response| firebase::item(response, whole_text))
        .await)
}

/// Fetches items by number. Gone ones are counted; unreachable ones are failures of a part.
async fn one_by_one(
    cx: &Cx<'_>,
    ids: &[u64],
    start: usize,
    result: &mut SourceResult,
) -> Result<Listing, SourceError> {
    let mut listing = Listing::default();
    let mut broken = Vec::new();
    for (at, (id, node)) in ids.iter().zip(nodes(cx, ids, false).await?).enumerate() {
        match node {
            Ok(mut node) => {
                // The place on the list stands before all that the item says of itself.
                node.item
                    .fields
                    .shift_insert(0, "rank".to_owned(), (start + at + 1).into());
                listing.items.push(node.item);
            }
            Err(error) if error.code == ErrorCode::NotFound => listing.unreadable += 1,
            Err(error) => broken.push((*id, error)),
        }
    }
    if listing.items.is_empty() {
        if let Some((_, error)) = broken.into_iter().next() {
            return Err(error);
        }
    } else {
        for (id, error) in broken {
            result.fail(format!("item {id}"), error);
        }
    }
    Ok(listing)
}

/// One thread: from the index in one request, else from the item interface.
pub async fn thread(cx: &Cx<'_>, id: u64) -> Result<SourceResult, SourceError> {
    let offset = request::thread_offset(cx.args())?;
    // The index also answers 404 for items that it has not seen yet.
    let also = [ErrorCode::NotFound];
    let routed = cx
        .first_route(ThreadBy::ALL, &also, |by| async move {
            match by {
                ThreadBy::Algolia => indexed(cx, id, offset).await,
                ThreadBy::Firebase => item_by_item(cx, id).await,
            }
        })
        .await?;
    Ok(routed.into_result())
}

async fn indexed(cx: &Cx<'_>, id: u64, offset: usize) -> Result<SourceResult, SourceError> {
    let mut thread = cx.read(request::thread(id)?, thread::thread).await?;
    if cx.args().sort == Some("newest") {
        thread.newest_first();
    }
    let newest = thread.newest_comment();
    let total = thread.comments.len();
    let first_page = cx.args().cursor.is_none();
    let mut result = SourceResult::new(request::item_url(id)?, Vec::new());
    result.own_date = Some(thread.root.date.clone());
    result.summary = Some(format!(
        "Hacker News item {id} with {}",
        counted(total, "comment", "comments")
    ));
    result.set("newest_comment", newest);
    result.skip(thread.deleted, "deleted");
    result.skip(thread.unreadable, "unreadable, with all replies to them");
    let room = if first_page {
        cx.args().limit.saturating_sub(1)
    } else {
        cx.args().limit
    };
    let root = first_page.then_some(thread.root);
    let comments = thread.comments.into_iter().skip(offset).take(room);
    result.show(root.into_iter().chain(comments).collect());
    let shown = offset.saturating_add(room);
    if shown < total {
        result.next = Some(format!("c{shown}"));
        result.note(format!(
            "{}: pass `cursor` to continue",
            counted(total - shown, "comment follows", "comments follow")
        ));
    }
    say_age(&mut result);
    Ok(result)
}

async fn item_by_item(cx: &Cx<'_>, id: u64) -> Result<SourceResult, SourceError> {
    let root = cx
        .read(request::item(id)?, |response| firebase::item(response, true))
        .await?;
    let mut result = SourceResult::new(request::item_url(id)?, Vec::new());
    result.own_date = Some(root.item.date.clone());
    result.summary = Some(format!("Hacker News item {id}"));
    let room = cx.args().limit.saturating_sub(1).min(ONE_BY_ONE);
    let kids: Vec<u64> = root.kids.iter().copied().take(room).collect();
    let more = root.kids.len() - kids.len();
    result.show(vec![root.item]);
    let mut gone = 0;
    for (kid, node) in kids.iter().zip(nodes(cx, &kids, true).await?) {
        match node {
            Ok(node) => result.items.push(node.item),
            Err(error) if error.code == ErrorCode::NotFound => gone += 1,
            Err(error) => result.fail(format!("comment {kid}"), error),
        }
    }
    result.skip(gone, "deleted");
    result.note(if more > 0 {
        format!("Top-level comments only, in the site's order; {more} more not read")
    } else {
        "Top-level comments only, in the site's order".to_owned()
    });
    say_age(&mut result);
    Ok(result)
}

/// Puts a list into a result, with its totals, its order and the way to the next page.
fn fill(result: &mut SourceResult, cx: &Cx<'_>, search: &Search, listing: Listing, window: Window) {
    let args = cx.args();
    let Listing {
        mut items,
        unreadable,
        total,
        pages,
        cut,
    } = listing;
    if let Some(cut) = cut {
        result.note(cut);
    }
    if args.sort == Some("newest") {
        items.sort_by_key(|item| std::cmp::Reverse(date_text(&item.date)));
    }
    let sent = items.len() + unreadable;
    let rows = window.rows as usize;
    items.retain(|item| args.is_by_then(&item.date));
    let later = sent - unreadable - items.len();
    items.truncate(rows);
    let more = match pages {
        Some((page, pages)) => page.saturating_add(1) < pages && sent > 0,
        None => total.is_some_and(|(total, _)| u64::from((window.page + 1) * window.rows) < total),
    };
    result.skip(later, LATER);
    if more {
        result.next = Some(window.next());
    }
    let mut summary = about(search, args.sort.map_or(search.newest, |sort| sort == "newest"));
    if let Some((total, exact)) = total {
        let _ = write!(
            summary,
            ": {}{}",
            if total == 1 {
                "1 hit".to_owned()
            } else {
                format!("{total} hits")
            },
            if exact { "" } else { " (estimate)" }
        );
        result.set("total", total);
    }
    match pages {
        Some((page, pages)) if items.is_empty() && page >= pages && pages > 0 => {
            let _ = write!(
                summary,
                ", but page {} is past the last one, {pages}",
                page.saturating_add(1)
            );
        }
        Some((page, pages)) if pages > 1 && page < pages => {
            let _ = write!(summary, ", page {} of {pages}", page + 1);
        }
        _ => {}
    }
    result.summary = Some(summary);
    result.skip(unreadable, "deleted or without a title");
    result.show(items);
    say_age(result);
}

fn about(search: &Search, newest: bool) -> String {
    let mut about = match search.board {
        Some(board) => board.about().to_owned(),
        None => "Hacker News search".to_owned(),
    };
    if !search.query.is_empty() {
        let _ = write!(about, " for \"{}\"", search.query);
    }
    if search.board.is_none() {
        let kind = if search.tags.is_empty() {
            "all kinds"
        } else {
            &search.tags
        };
        let _ = write!(
            about,
            " ({kind}, {})",
            if newest { "newest first" } else { "by relevance" }
        );
    }
    about
}

/// A new submission of an old article is not a new article.
fn say_age(result: &mut SourceResult) {
    let older = result
        .items
        .iter()
        .filter(|item| item.fields.contains_key("linked_year"))
        .count();
    let articles = [
        "linked article is older than its submission",
        "linked articles are older than their submissions",
    ];
    result.note_count(older, articles, "(`linked_year`); the dates are of submission");
}
