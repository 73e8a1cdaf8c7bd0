//! The cheap questions that are asked for the sources: those of validators.

use url::Url;

use crate::cx::Cx;
use crate::error::{ErrorCode, SourceError};
use crate::peek::{Earlier, EarlierRequest, Peeked};

/// The question that [`Question::Validators`](crate::peek::Question::Validators) stands for. Asked only where every exchange had a validator, one after
/// the other, and ended by the first that changed.
pub async fn by_validators(cx: &Cx<'_>, earlier: &Earlier) -> Result<Peeked, SourceError> {
    if !earlier.asked.iter().all(EarlierRequest::has_validator) {
        return Ok(Peeked::Untold);
    }
    ask_again(cx, earlier.asked.iter()).await
}

/// The same, of those exchanges alone that decide about all the others: an index that says when its parts were made, a
/// document beside one that only led to it. One that had no validator is asked for as it was, and its bytes are
/// compared: a full fetch would ask for it as well, and takes this answer over. Where none decides, all are asked.
pub async fn by_deciding(
    cx: &Cx<'_>,
    earlier: &Earlier,
    decides: impl Fn(&Url) -> bool + Send,
) -> Result<Peeked, SourceError> {
    let decisive = |asked: &&EarlierRequest| Url::parse(&asked.url).is_ok_and(|url| decides(&url));
    let chosen: Vec<&EarlierRequest> = earlier.asked.iter().filter(decisive).collect();
    if chosen.is_empty() {
        return by_validators(cx, earlier).await;
    }
    ask_again(cx, chosen.into_iter()).await
}

async fn ask_again(
    cx: &Cx<'_>,
    chosen: impl ExactSizeIterator<Item = &EarlierRequest> + Send,
) -> Result<Peeked, SourceError> {
    if chosen.len() == 0 {
        return Ok(Peeked::Untold);
    }
    let mut evidence = Vec::with_capacity(chosen.len());
    for asked in chosen {
        let response = match cx.send(asked.conditional()?).await {
            Ok(response) => response,
            // What it means that an address is gone, its reader knows.
            Err(error) if error.code == ErrorCode::NotFound => return Ok(Peeked::Moved),
            Err(error) => return Err(error),
        };
        if asked.is_unasked(&response) {
            let message = "the source answered 304 to a request without a validator, which tells nothing";
            return Err(SourceError::malformed(message));
        }
        match asked.confirmed_by(&response) {
            Some(proof) => evidence.push(proof),
            None => return Ok(Peeked::Moved),
        }
    }
    Ok(Peeked::Unchanged(evidence))
}
