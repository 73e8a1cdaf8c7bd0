//! Rate limiting per client, over HTTP.

use std::net::SocketAddr;
use std::time::Duration;

use freshcontext_contract::Limits;
use serde_json::Value;
use tokio::net::TcpSocket;

use super::{ask, ask_on, body, get, header, post, start, status, tool_call};
use freshcontext_config::{HttpSettings, Secret};

fn limits(per_minute: u32, burst: u32) -> Limits {
    Limits {
        inbound_rate_per_minute: per_minute,
        inbound_rate_burst: burst,
        ..Limits::DEFAULT
    }
}

fn counting_us() -> HttpSettings {
    HttpSettings {
        limit_loopback: true,
        ..HttpSettings::default()
    }
}

/// Sends a request from another loopback address.
async fn ask_as(from: &str, address: SocketAddr, request: &str) -> String {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::new(from.parse().unwrap(), 0)).unwrap();
    ask_on(socket.connect(address).await.unwrap(), request).await
}

/// Returns the delay of a refusal, after checking that header and body agree.
fn stated_delay(answer: &str) -> u64 {
    assert_eq!(status(answer), 429, "{answer}");
    assert_eq!(header(answer, "content-type"), "application/json");
    let said: Value = serde_json::from_str(body(answer)).unwrap();
    assert_eq!(said["jsonrpc"], "2.0");
    assert_eq!(said["error"]["code"], -32_000);
    assert_eq!(said["error"]["data"]["code"], "rate_limited");
    let seconds: u64 = header(answer, "retry-after").parse().unwrap();
    assert_eq!(said["error"]["data"]["retry_after_s"], seconds);
    assert!(seconds >= 1);
    seconds
}

#[tokio::test]
async fn a_refused_client_gets_a_sufficient_delay() {
    let running = start(counting_us(), limits(6, 3)).await;
    let call = post(&tool_call("rust"), "");
    for _ in 0..3 {
        assert_eq!(status(&ask(running.address, &call).await), 200);
    }
    let seconds = stated_delay(&ask(running.address, &call).await);
    assert!(seconds <= 10, "one request in ten seconds: {seconds}");
    stated_delay(&ask(running.address, &get("/none", "")).await);
    for _ in 0..10 {
        let health = ask(running.address, &get("/healthz", "")).await;
        assert_eq!(body(&health), "ok\n", "whoever looks after us is never refused");
    }
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(seconds)).await;
    tokio::time::resume();
    assert_eq!(status(&ask(running.address, &call).await), 200);
    stated_delay(&ask(running.address, &call).await);
}

// On other systems 127.0.0.2 is not configured by default.
#[cfg(not(target_os = "macos"))]
#[tokio::test]
async fn one_clients_rate_does_not_affect_others() {
    let running = start(counting_us(), limits(6, 3)).await;
    let call = post(&tool_call("rust"), "");
    for _ in 0..3 {
        assert_eq!(status(&ask(running.address, &call).await), 200);
    }
    for _ in 0..50 {
        stated_delay(&ask(running.address, &call).await);
    }
    for other in ["127.0.0.2", "127.0.0.3"] {
        for _ in 0..3 {
            let answer = ask_as(other, running.address, &call).await;
            assert_eq!(status(&answer), 200, "{answer}");
            assert!(answer.contains("Result for rust"), "{answer}");
        }
        stated_delay(&ask_as(other, running.address, &call).await);
    }
}

#[tokio::test]
async fn local_programs_are_unlimited_by_default_and_zero_disables_the_limit() {
    let call = post(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, "");
    for (http, limits) in [
        (HttpSettings::default(), limits(1, 1)),
        (counting_us(), limits(0, 1)),
    ] {
        let running = start(http, limits).await;
        for _ in 0..20 {
            assert_eq!(status(&ask(running.address, &call).await), 200);
        }
    }
}

#[tokio::test]
async fn guesses_at_the_token_count_and_the_right_one_does_not_excuse() {
    let http = HttpSettings {
        token: Some(Secret::new("right-token")),
        metrics: true,
        ..counting_us()
    };
    let running = start(http, limits(6, 4)).await;
    let wrong = "Authorization: Bearer wrong-token\r\n";
    let right = "Authorization: Bearer right-token\r\n";
    let call = |token: &str| post(&tool_call("rust"), token);
    for request in [call(wrong), call(""), get("/metrics", wrong), get("/metrics", "")] {
        assert_eq!(status(&ask(running.address, &request).await), 401);
    }
    for request in [call(wrong), get("/metrics", wrong), call(right)] {
        stated_delay(&ask(running.address, &request).await);
    }
    let figures = ask(running.address, &get("/metrics", right)).await;
    assert_eq!(status(&figures), 200, "the operator sees what is going on");
    assert!(
        figures.contains(r#"freshcontext_refused_total{reason="rate_limit"} 3"#),
        "{figures}"
    );
    assert!(figures.contains(r#"freshcontext_refused_total{reason="token"} 4"#));
}
