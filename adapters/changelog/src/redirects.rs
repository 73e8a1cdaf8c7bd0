//! Permanent redirects: by them a host says that a page has another address for good.

use freshcontext_contract::standing::Replacement;
use freshcontext_contract::url::Url;
use freshcontext_contract::{Cx, Response, SourceError, StandingEvidence, StandingState};
use freshcontext_parse::link;

use crate::request;

/// Maximum permanent redirects that are followed.
pub const HOPS: usize = 5;
/// The permanent ones (RFC 9110, 15.4.2 and 15.4.9). Temporary ones are followed where the request is sent.
const PERMANENT: &[u16] = &[301, 308];

/// What was read behind the redirects.
pub struct Followed<T> {
    /// What was read.
    pub read: T,
    /// The status of the first permanent redirect, if there was one.
    pub status: Option<u16>,
}

impl<T> Followed<T> {
    /// The sign that the page has moved to `address`, where the permanent redirects lead.
    pub fn moved(&self, address: &Url) -> Option<StandingEvidence> {
        let status = self.status?;
        let by = link::shown(address.as_str()).unwrap_or_else(|| address.to_string());
        let sign = StandingEvidence::field(StandingState::Moved, "HTTP status", status.to_string());
        Some(sign.by("host").replaced_by(Some(Replacement::url(by))))
    }
}

enum Step<T> {
    Next(u16, Url),
    Read(T),
}

/// Asks for the page at `address` and reads it. Afterwards `address` is the one that was asked for last, also where that
/// failed. `None` where there are more than [`HOPS`] redirects.
pub async fn follow<T>(
    cx: &Cx<'_>,
    address: &mut Url,
    read: impl Fn(&Response) -> Result<T, SourceError> + Send + Sync,
) -> Result<Option<Followed<T>>, SourceError> {
    let mut status = None;
    for _ in 0..=HOPS {
        let question = request::page(address.clone()).accepting(PERMANENT);
        let step = |response: &Response| {
            if !PERMANENT.contains(&response.status) {
                return read(response).map(Step::Read);
            }
            let target = response.headers.get("location");
            let next = target.and_then(|target| link::absolute(&response.final_url, target));
            let next = next.ok_or_else(|| SourceError::malformed("a redirect names no usable address"))?;
            Ok(Step::Next(response.status, next))
        };
        match cx.read(question, step).await? {
            Step::Read(read) => return Ok(Some(Followed { read, status })),
            Step::Next(by, next) => {
                status.get_or_insert(by);
                *address = next;
            }
        }
    }
    Ok(None)
}
