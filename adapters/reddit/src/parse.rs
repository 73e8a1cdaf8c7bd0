//! From bytes to items. Pure.

mod atom;
mod listing;

pub use atom::{feed, suspect_pins};
pub use listing::{DEEPEST_REPLY, listing};

use freshcontext_contract::{Item, SourceError};

/// What one answer of Reddit holds.
#[derive(Debug, Default)]
pub struct Page {
    /// Posts and comments, in Reddit's order.
    pub items: Vec<Item>,
    /// Entries that lacked what an item needs.
    pub unreadable: usize,
    /// Comments that Reddit counted but did not send.
    pub not_loaded: usize,
    /// Replies that Reddit sent and that are left out here, because they are deeper than what is shown.
    pub too_deep: usize,
    /// Full name of the last post, where Reddit says that there is a next page.
    pub after: Option<String>,
    /// The answer held subreddits and no posts: the search that Reddit redirects unknown names to.
    pub subreddits_only: bool,
}

/// What an answer of subreddits means to somebody who asked for posts.
pub fn no_such_subreddit() -> SourceError {
    SourceError::not_found(
        "Reddit answered with its search for subreddits: there is no subreddit of this name",
    )
    .hint("check the spelling, or search for the words instead of naming a subreddit")
}
