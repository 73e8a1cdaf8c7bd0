//! What every field with a date is to an item, by the documentation of its source.

use serde_json::Value;

/// What a field says of an item's publication.
#[derive(Clone, Copy)]
pub enum Role {
    /// When it was published, and nothing else in the body says that.
    Publication,
    /// As [`Publication`](Self::Publication) where a better one is missing, or where the caller asks for it.
    StandIn,
    /// When it was published, which another field says too: they may contradict each other.
    Second,
    /// Another date: why it says nothing of the publication.
    Other(&'static str),
    /// As the item is.
    ByItem(fn(&Value) -> Role),
}

use Role::{ByItem, Other, Publication, Second, StandIn};

const BOUND: &str = "a bound of a list or a period, of no item";
const INDEX: &str = "when an index was made or changed";

/// Tool, field (the end of its path), role.
pub const ROLES: &[(&str, &str, Role)] = &[
    ("extract_arxiv", "published", ByItem(first_version)),
    ("extract_arxiv", "updated", ByItem(version_shown)),
    ("extract_changelog", "published_at", Publication),
    (
        "extract_changelog",
        "created_at",
        Other("when the commit of a release was made"),
    ),
    (
        "extract_changelog",
        "created",
        Other("the package's first publication"),
    ),
    (
        "extract_changelog",
        "modified",
        Other("the last change of the registry's document"),
    ),
    ("extract_changelog", "time.*", Publication),
    ("extract_changelog", "pubDate", Publication),
    ("extract_changelog", "published", Publication),
    (
        "extract_changelog",
        "updated",
        // The last edit, where no publication is given.
        StandIn,
    ),
    ("extract_finance", "last_time", Publication),
    (
        "extract_finance",
        "ExtendedMktQuote.last_time",
        Other("of the price outside the session"),
    ),
    ("extract_finance", "last_trade_time", Publication),
    (
        "extract_finance",
        "timestamp",
        Other("when the file was made; the open of the session"),
    ),
    ("extract_finance", "datetime", Other("the bar of the session")),
    ("extract_finance", "last_quote_at", Publication),
    ("extract_finance", "t", Publication),
    ("extract_finance", "date", Publication),
    ("extract_finance", "time", Publication),
    ("extract_finance", "regularMarketTime", Publication),
    (
        "extract_finance",
        "primaryData.lastTradeTimestamp",
        // Outside the session, of a price beside.
        StandIn,
    ),
    ("extract_finance", "secondaryData.lastTradeTimestamp", Publication),
    ("extract_finance", "pre.start", Other("of a session")),
    ("extract_finance", "pre.end", Other("of a session")),
    ("extract_finance", "regular.start", Other("of a session")),
    ("extract_finance", "regular.end", Other("of a session")),
    ("extract_finance", "post.start", Other("of a session")),
    ("extract_finance", "post.end", Other("of a session")),
    (
        "extract_gdelt",
        "seendate",
        // The first sight, where the address has no older day.
        StandIn,
    ),
    ("extract_gebiz", "award_date", Publication),
    ("extract_gebiz", "lastUpdatedAt", Other("of the data set")),
    ("extract_github", "committer.date", Publication),
    (
        "extract_github",
        "author.date",
        Other("when the commit was written, elsewhere perhaps"),
    ),
    (
        "extract_github",
        "pushed_at",
        // Where the newest commit cannot be read.
        StandIn,
    ),
    ("extract_github", "created_at", Other("of the repository")),
    (
        "extract_github",
        "updated_at",
        Other("a star or an edited description moves it"),
    ),
    ("search_repos", "pushed_at", Publication),
    ("search_repos", "created_at", Other("of the repository")),
    (
        "search_repos",
        "updated_at",
        Other("a star or an edited description moves it"),
    ),
    (
        "extract_govcontracts",
        "Base Obligation Date",
        // The caller's order decides.
        StandIn,
    ),
    (
        "extract_govcontracts",
        "Last Modified Date",
        // The caller's order decides.
        StandIn,
    ),
    ("extract_govcontracts", "Start Date", Other("of the performance")),
    ("extract_govcontracts", "End Date", Other("of the performance")),
    ("extract_govcontracts", "Last Date to Order", Other("a deadline")),
    ("extract_govcontracts", "date_signed", Publication),
    ("extract_govcontracts", "start_date", Other("of the performance")),
    ("extract_govcontracts", "end_date", Other("of the performance")),
    (
        "extract_govcontracts",
        "last_modified_date",
        Other("the last change"),
    ),
    ("extract_govcontracts", "Award Amount", Other("an amount")),
    ("extract_govcontracts", "Total Outlays", Other("an amount")),
    ("extract_hackernews", "created_at", Second),
    ("extract_hackernews", "created_at_i", Second),
    ("extract_hackernews", "@title", Second),
    ("extract_hackernews", "time", Publication),
    ("extract_hackernews", "pubDate", Publication),
    ("extract_hackernews", "updated_at", Other(INDEX)),
    (
        "extract_producthunt",
        "createdAt",
        // The posting, where there is no launch.
        StandIn,
    ),
    (
        "extract_producthunt",
        "featuredAt",
        // The launch; one that is not launched has none.
        StandIn,
    ),
    (
        "extract_producthunt",
        "published",
        Other("when the draft was made"),
    ),
    (
        "extract_producthunt",
        "updated",
        // The board's slot, never an item's date.
        StandIn,
    ),
    ("extract_reddit", "created_utc", Publication),
    (
        "extract_reddit",
        "created",
        Other("the same, on a clock that ran hours ahead for years"),
    ),
    ("extract_reddit", "edited", Other("the last edit")),
    (
        "extract_reddit",
        "published",
        // The submission; feeds of old have none.
        StandIn,
    ),
    (
        "extract_reddit",
        "updated",
        // The submission in feeds that give nothing else.
        StandIn,
    ),
    ("extract_scholar", "published.date-parts", Publication),
    ("extract_scholar", "publication_date", Publication),
    ("extract_scholar", "created.date-parts", Other(INDEX)),
    ("extract_scholar", "created.date-time", Other(INDEX)),
    ("extract_scholar", "created.timestamp", Other(INDEX)),
    ("extract_scholar", "indexed.date-parts", Other(INDEX)),
    ("extract_scholar", "indexed.date-time", Other(INDEX)),
    ("extract_scholar", "indexed.timestamp", Other(INDEX)),
    (
        "extract_scholar",
        "issued.date-parts",
        Other("the same as `published`, by Crossref's documentation"),
    ),
    (
        "extract_scholar",
        "published-online.date-parts",
        Other("of one form; `published` is the earliest"),
    ),
    ("extract_sec_filings", "filingDate", Second),
    ("extract_sec_filings", "acceptanceDateTime", Second),
    ("extract_sec_filings", "file_date", Publication),
    (
        "extract_sec_filings",
        "reportDate",
        Other("the event or period that is reported"),
    ),
    (
        "extract_sec_filings",
        "period_ending",
        Other("the period that is reported"),
    ),
    ("extract_sec_filings", "filingFrom", Other(BOUND)),
    ("extract_sec_filings", "filingTo", Other(BOUND)),
    ("extract_sec_filings", "formerNames.from", Other("of a name")),
    ("extract_sec_filings", "formerNames.to", Other("of a name")),
    ("extract_sec_filings", "file_date.gte", Other(BOUND)),
    ("extract_sec_filings", "file_date.lte", Other(BOUND)),
    ("extract_yc", "launched_at", Publication),
    ("extract_yc", "last_updated", Other(INDEX)),
    ("package_trends", "time.*", Publication),
    (
        "package_trends",
        "created",
        Other("the package's first publication"),
    ),
    (
        "package_trends",
        "modified",
        Other("the last change of the registry's document"),
    ),
    ("package_trends", "created_at", Other("of the crate")),
    ("package_trends", "versions.created_at", Publication),
    (
        "package_trends",
        "updated_at",
        Other("the last change of the registry's entry"),
    ),
    ("package_trends", "upload_time", Second),
    ("package_trends", "upload_time_iso_8601", Second),
    ("package_trends", "start", Other(BOUND)),
    ("package_trends", "end", Other(BOUND)),
    ("search_jobs", "publication_date", Publication),
    ("search_jobs", "created_at", Second),
    ("search_jobs", "data.created_at", Publication),
    ("search_jobs", "created_at_i", Second),
    ("search_jobs", "date", Second),
    ("search_jobs", "epoch", Second),
    ("search_jobs", "last_updated", Other(INDEX)),
];

/// The rows that only recordings have a body for. Where those are absent, nothing is missed of them.
pub const RECORDED: &[(&str, &str)] = &[
    ("extract_changelog", "published"),
    ("extract_govcontracts", "Award Amount"),
    ("extract_govcontracts", "Total Outlays"),
    ("extract_hackernews", "@title"),
    ("extract_hackernews", "pubDate"),
    ("extract_sec_filings", "file_date.gte"),
    ("extract_sec_filings", "file_date.lte"),
    ("extract_sec_filings", "formerNames.from"),
    ("extract_sec_filings", "formerNames.to"),
    ("package_trends", "created_at"),
    ("package_trends", "upload_time"),
    ("search_jobs", "created_at_i"),
];

/// arXiv's `published` is of the first version, and dates a paper whose first version is the one shown or
/// whose last one is its withdrawal.
fn first_version(item: &Value) -> Role {
    match (
        item["fields"]["withdrawn"] == true,
        item["fields"]["version"] == 1,
    ) {
        (true, _) => Publication,
        (_, true) => Second,
        _ => Other("the first version, not the one shown"),
    }
}

/// arXiv's `updated` is of the version shown.
fn version_shown(item: &Value) -> Role {
    match (
        item["fields"]["withdrawn"] == true,
        item["fields"]["version"] == 1,
    ) {
        (true, _) => Other("the withdrawal"),
        (_, true) => Second,
        _ => Publication,
    }
}
