//! What the addresses of all quote sources have in common; each source's own are beside its reader.

use freshcontext_contract::url::Url;
use freshcontext_contract::{Address, Media, Request, SourceError};

/// A read of a quote; prices age quickly.
pub fn get(address: &str, expect: Media) -> Result<Request, SourceError> {
    let url = Url::parse(address).map_err(|error| {
        SourceError::internal("the address of a quote could not be built").caused_by(error)
    })?;
    Ok(quote_of(url, expect))
}

/// The same, of an address that is one already.
pub fn quote_of(url: impl Into<Address>, expect: Media) -> Request {
    Request::get(url, expect).cache_for(std::time::Duration::from_secs(30))
}

/// One segment of a path, encoded once.
pub fn segment(text: &str) -> String {
    let Ok(mut url) = Url::parse("https://a/") else {
        return String::new();
    };
    if let Ok(mut segments) = url.path_segments_mut() {
        segments.pop_if_empty().push(text);
    }
    url.path().trim_start_matches('/').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_encoded_once() {
        assert_eq!(segment("BRK.B"), "BRK.B");
        assert_eq!(segment("a/b c?d"), "a%2Fb%20c%3Fd");
    }
}
