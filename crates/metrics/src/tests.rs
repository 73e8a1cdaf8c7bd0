//! Labels come from closed sets.

use std::time::{Duration, Instant};

use freshcontext_contract::url::Url;
use freshcontext_contract::{
    BoxFuture, CallScope, ErrorCode, Hosts, Media, Request, Response, SourceError, Transport,
};

use super::*;

/// A transport whose every request fails.
struct Down;

impl Transport for Down {
    fn send<'a>(
        &'a self,
        _scope: &'a CallScope,
        _request: Request,
    ) -> BoxFuture<'a, Result<Response, SourceError>> {
        Box::pin(async { Err(SourceError::new(ErrorCode::UpstreamError, "down")) })
    }

    fn configured(&self, env: &str) -> bool {
        env == "KEY"
    }
}

static WEB: Descriptor = Descriptor {
    hosts: Hosts::PublicWeb(&["known.example"]),
    ..freshcontext_testkit::descriptor("", "")
};

fn metrics() -> Arc<Metrics> {
    Arc::new(Metrics::new([&&WEB]).unwrap())
}

#[tokio::test]
async fn a_page_that_a_caller_names_is_no_label() {
    let metrics = metrics();
    let transport = Metered::new(Arc::new(Down), Arc::clone(&metrics));
    let scope = CallScope {
        descriptor: &WEB,
        deadline: Instant::now() + Duration::from_secs(1),
        max_age: None,
    };
    for at in 0..500 {
        for host in ["known.example".to_owned(), format!("made-up-{at}.example")] {
            let url = Url::parse(&format!("https://{host}/")).unwrap();
            let answer = transport.send(&scope, Request::get(url, Media::Any)).await;
            assert_eq!(answer.unwrap_err().code, ErrorCode::UpstreamError);
        }
    }
    let (text, _) = metrics.text().unwrap();
    for line in [
        r#"freshcontext_upstream_requests_total{host="known.example",result="ok"} 0"#,
        r#"freshcontext_upstream_requests_total{host="known.example",result="upstream_error"} 500"#,
        r#"freshcontext_upstream_requests_total{host="other",result="upstream_error"} 500"#,
    ] {
        assert!(text.lines().any(|known| known == line), "{line}\n{text}");
    }
    assert!(!text.contains("made-up"), "{text}");
    assert!(transport.configured("KEY") && !transport.configured("OTHER"));
}

#[test]
fn every_end_of_a_call_has_its_outcome_and_a_full_gate_is_a_refusal() {
    let metrics = metrics();
    for code in ErrorCode::ALL {
        metrics.call("tool").settle(Some(code));
    }
    drop(metrics.call("tool"));
    let (text, _) = metrics.text().unwrap();
    for code in ErrorCode::ALL {
        let count = match code {
            ErrorCode::Cancelled => 2,
            _ => 1,
        };
        let line = format!("freshcontext_calls_total{{outcome=\"{code}\",tool=\"tool\"}} {count}\n");
        assert!(text.contains(&line), "{line}{text}");
    }
    assert!(text.contains("freshcontext_refused_total{reason=\"busy\"} 1\n"));
    assert!(text.contains("freshcontext_calls_in_flight 0\n"));
}
