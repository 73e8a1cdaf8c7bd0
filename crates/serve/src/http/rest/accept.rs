//! The form of a response, as the request's `Accept` wants it (RFC 9110, section 12.5.1).

use freshcontext_contract::ErrorCode;
use http::{HeaderMap, StatusCode, header};

use crate::http::problem::Problem;

/// Form of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// The structure.
    Json,
    /// The text for the model, under this media type.
    Text(&'static str),
}

const PLAIN: &str = "text/plain; charset=utf-8";
const MARKDOWN: &str = "text/markdown; charset=utf-8";

impl Form {
    /// The form with the highest weight; JSON where several have it, and where the request names none.
    pub(super) fn wanted(headers: &HeaderMap) -> Result<Self, Problem> {
        let ranges: Vec<(String, f32)> = headers
            .get_all(header::ACCEPT)
            .iter()
            .flat_map(|value| value.to_str().unwrap_or_default().split(','))
            .map(range)
            .filter(|(kind, _)| !kind.is_empty())
            .collect();
        if ranges.is_empty() {
            return Ok(Self::Json);
        }
        let forms = [
            (Self::Json, "application/json"),
            (Self::Text(PLAIN), "text/plain"),
            (Self::Text(MARKDOWN), "text/markdown"),
        ];
        let mut best = (None, 0.0);
        for (form, kind) in forms {
            let weight = weight_of(kind, &ranges);
            if weight > best.1 {
                best = (Some(form), weight);
            }
        }
        best.0.ok_or_else(not_acceptable)
    }

    /// Refuses a request for text where there is only a structure.
    pub(super) fn json_only(self) -> Result<(), Problem> {
        match self {
            Self::Json => Ok(()),
            Self::Text(_) => Err(not_acceptable()),
        }
    }
}

fn not_acceptable() -> Problem {
    let status = StatusCode::NOT_ACCEPTABLE;
    let what = "nothing that `Accept` names is available here";
    Problem::new(status, ErrorCode::InvalidInput, what)
        .hint("every path has application/json; tools have text/plain and text/markdown, too")
}

/// Media range and weight.
fn range(text: &str) -> (String, f32) {
    let mut parts = text.split(';').map(str::trim);
    let kind = parts.next().unwrap_or_default().to_ascii_lowercase();
    let weight = parts.find_map(|parameter| {
        let weight = parameter
            .strip_prefix("q=")
            .or_else(|| parameter.strip_prefix("Q="))?;
        weight.trim().parse().ok()
    });
    (kind, weight.unwrap_or(1.0))
}

/// Weight of a media type: that of the most specific range.
fn weight_of(kind: &str, ranges: &[(String, f32)]) -> f32 {
    let group = kind.split('/').next().unwrap_or_default();
    let names = [kind.to_owned(), format!("{group}/*"), "*/*".to_owned()];
    let found = names
        .iter()
        .find_map(|name| ranges.iter().find(|(range, _)| range == name));
    found.map_or(0.0, |(_, weight)| *weight)
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    #[test]
    fn the_highest_weight_decides_and_json_where_nothing_does() {
        for (accept, form) in [
            ("*/*", Some(Form::Json)),
            ("application/json", Some(Form::Json)),
            ("application/json, text/event-stream", Some(Form::Json)),
            ("application/*", Some(Form::Json)),
            ("text/plain", Some(Form::Text(PLAIN))),
            ("text/*", Some(Form::Text(PLAIN))),
            ("TEXT/MARKDOWN", Some(Form::Text(MARKDOWN))),
            (
                "text/plain;q=0.5, application/json;q=0.4",
                Some(Form::Text(PLAIN)),
            ),
            ("application/json;q=0, */*", Some(Form::Text(PLAIN))),
            ("text/markdown, */*;q=0.1", Some(Form::Text(MARKDOWN))),
            ("", Some(Form::Json)),
            ("image/png", None),
            ("application/json;q=0", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, HeaderValue::from_static(accept));
            assert_eq!(Form::wanted(&headers).ok(), form, "{accept}");
        }
        assert_eq!(Form::wanted(&HeaderMap::new()).ok(), Some(Form::Json));
    }
}
