//! Single large sites: their own refusals, logins, consent pages and soft 404s.

use crate::failure::FailureKind::{
    AccessDenied, ConsentWall, LoginRequired, NotFound, RateLimited, ScriptRequired, Unavailable,
};

use super::super::fingerprint::Fingerprint;
use super::{hint, proof};

pub(super) const MARKS: &[Fingerprint] = &[
    // Reddit: "network security" page (its app shell ends with it) and the older policy page.
    proof("Reddit", AccessDenied, "you've been blocked by network security"),
    proof(
        "Reddit",
        AccessDenied,
        "you&#39;ve been blocked by network security",
    ),
    proof("Reddit", AccessDenied, "you’ve been blocked by network security"),
    proof(
        "Reddit",
        AccessDenied,
        "you have been blocked by network security",
    ),
    proof(
        "Reddit",
        AccessDenied,
        "your request has been blocked due to a network policy",
    ),
    proof("Reddit", AccessDenied, "whoa there, pardner"),
    proof(
        "Reddit",
        RateLimited,
        "we've seen far too many requests come from your ip address recently",
    ),
    proof("Reddit", LoginRequired, "/login/?reason=lor2"),
    // SEC.gov fair-access page.
    proof(
        "SEC.gov",
        RateLimited,
        "your request originates from an undeclared automated tool",
    ),
    hint("SEC.gov", RateLimited, "undeclared automated tool"),
    proof(
        "SEC.gov",
        RateLimited,
        "sec.gov | request rate threshold exceeded",
    ),
    proof(
        "Hacker News",
        RateLimited,
        "sorry, we're not able to serve your requests this quickly",
    ),
    proof(
        "Wikimedia",
        RateLimited,
        "please set a user-agent and respect our robot policy",
    ),
    proof(
        "crates.io",
        AccessDenied,
        "in violation of our api data access policy",
    ),
    proof("GitHub", RateLimited, "you have exceeded a secondary rate limit"),
    proof(
        "GitHub",
        RateLimited,
        "you have triggered an abuse detection mechanism",
    ),
    proof("GitHub", RateLimited, "api rate limit exceeded for"),
    proof("arXiv", AccessDenied, "access denied</h1><p>sadly, your client"),
    proof("Stooq", RateLimited, "exceeded the daily hits limit"),
    proof("Stooq", RateLimited, "przekroczony dzienny limit wywolan"),
    // With status 200, in JSON under "Note" or "Information".
    proof("Alpha Vantage", RateLimited, "thank you for using alpha vantage"),
    proof("Alpha Vantage", RateLimited, "and our standard api rate limit is"),
    proof("LinkedIn", LoginRequired, "linkedin.com/authwall"),
    proof("LinkedIn", LoginRequired, "join linkedin | linkedin"),
    hint("Instagram", LoginRequired, "login \u{2022} instagram"),
    proof("Facebook", LoginRequired, "you must log in to continue"),
    proof("Facebook", LoginRequired, "log into facebook"),
    hint("Facebook", NotFound, "this content isn't available right now"),
    proof(
        "Medium",
        LoginRequired,
        "you've read all of your free member-only stories",
    ),
    proof("Quora", LoginRequired, "you must sign in to read this answer"),
    proof(
        "X",
        ScriptRequired,
        "we've detected that javascript is disabled in this browser",
    ),
    proof(
        "X",
        ScriptRequired,
        "we've detected that javascript is disabled in your browser",
    ),
    proof(
        "Telegram",
        NotFound,
        "tgme_page_description\">if you have<b>telegram",
    ),
    proof(
        "Telegram",
        NotFound,
        "tgme_page_description\">if you have <strong>telegram",
    ),
    proof("YouTube", NotFound, "this video isn't available anymore"),
    // Consent pages in place of the content.
    proof("Google", ConsentWall, "consent.google.com/save"),
    proof("YouTube", ConsentWall, "consent.youtube.com/save"),
    proof("Google", ConsentWall, "before you continue to google"),
    proof("YouTube", ConsentWall, "before you continue to youtube"),
    proof("Yahoo", ConsentWall, "consent.yahoo.com/v2/collectconsent"),
    proof("Yahoo", ConsentWall, "guce.yahoo.com/consent"),
    proof("Yahoo", Unavailable, "yahoo! - 999 unable to process request"),
    proof("Yahoo", RateLimited, "edge: too many requests"),
    hint("consent manager", ConsentWall, "privacy-mgmt.com"),
    hint("consent manager", ConsentWall, "sourcepoint.mgr.consensu.org"),
    // Single-page applications: templates' own noscript sentences.
    proof(
        "Create React App",
        ScriptRequired,
        "you need to enable javascript to run this app",
    ),
    proof(
        "Vue CLI",
        ScriptRequired,
        "doesn't work properly without javascript enabled",
    ),
    proof(
        "Ember",
        ScriptRequired,
        "this application requires javascript to be enabled",
    ),
];
