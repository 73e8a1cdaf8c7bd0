//! Query parameters that follow a reader and say nothing about the page.

use url::Url;

/// Their names, in lower case; those that end in `_` are prefixes.
const TRACKING: [&str; 21] = [
    "utm_",
    "_hsenc",
    "_hsmi",
    "dclid",
    "fbclid",
    "gbraid",
    "gclid",
    "gclsrc",
    "igshid",
    "mc_cid",
    "mc_eid",
    "mkt_tok",
    "msclkid",
    "oly_anon_id",
    "oly_enc_id",
    "ref_src",
    "ref_url",
    "vero_id",
    "wbraid",
    "wickedid",
    "yclid",
];

/// Whether a query parameter of this name follows readers.
pub fn is_tracking(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    TRACKING.iter().any(|known| {
        if known.ends_with('_') {
            name.starts_with(known)
        } else {
            name == *known
        }
    })
}

/// Removes query parameters with unwanted names. The others stay byte for byte, since
/// their encoding may matter to the site.
pub fn strip_query(url: &mut Url, unwanted: impl Fn(&str) -> bool) {
    let Some(query) = url.query() else { return };
    let goes = |pair: &&str| unwanted(pair.split('=').next().unwrap_or_default());
    if !query.split('&').any(|pair| goes(&pair)) {
        return;
    }
    let kept: Vec<&str> = query.split('&').filter(|pair| !goes(pair)).collect();
    let kept = kept.join("&");
    url.set_query((!kept.is_empty()).then_some(kept.as_str()));
}
