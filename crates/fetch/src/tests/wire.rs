//! Group B: behaviour of an upstream on the wire.

use std::io::Write;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use freshcontext_contract::{ErrorCode, Media, Provenance, Retry, Transport};

use crate::testing::*;

const URL: &str = "https://api.test.org/x";

async fn outcome(acts: Vec<Act>) -> (ErrorCode, String, u32) {
    let server = Server::start(move |_| acts.clone()).await;
    let mut config = config_to(&server);
    hasten(&mut config);
    failure(&pipeline(config), get(URL)).await
}

fn code(code: ErrorCode, detail: &str) -> (ErrorCode, String, u32) {
    (code, detail.to_owned(), 1)
}

#[tokio::test]
async fn a_good_answer_comes_through() {
    let server = Server::always(answer(
        200,
        &[
            ("content-type", "application/json; charset=utf-8"),
            ("Set-Cookie", "a=b"),
            ("X-Thing", "1"),
        ],
        "{\"a\":1}",
    ))
    .await;
    let response = send(
        &pipeline(config_to(&server)),
        get("https://api.test.org/a/b?q=x%20y&z=1"),
    )
    .await
    .unwrap();
    assert_eq!(response.status, 200);
    assert_eq!(&response.body[..], b"{\"a\":1}");
    assert_eq!(
        response.final_url.as_str(),
        "https://api.test.org/a/b?q=x%20y&z=1"
    );
    assert_eq!(response.provenance, Provenance::Live);
    assert_eq!(response.attempts, 1);
    assert_eq!(response.retrieved_at.timestamp(), 1_794_000_000);
    assert_eq!(response.media_type(), "application/json");
    assert_eq!(response.headers.get("x-thing"), Some("1"));
    assert_eq!(response.headers.get("set-cookie"), None);
    let seen = server.request(0);
    assert_eq!(seen.path(), "/a/b?q=x%20y&z=1");
    assert_eq!(seen.header("x-forwarded-host"), Some("api.test.org"));
    assert!(seen.header("user-agent").unwrap().starts_with("freshcontext/"));
    assert_eq!(seen.header("accept-encoding"), Some("gzip, br"));
    assert_eq!(seen.header("cookie"), None);
}

#[tokio::test]
async fn b01_no_connection() {
    let taken = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = taken.local_addr().unwrap().port();
    drop(taken);
    let mut config = crate::config::Config::new(TestClock::new());
    config.upstreams = crate::config::Upstream::parse_list(&format!("*=http://127.0.0.1:{port}")).unwrap();
    hasten(&mut config);
    config.limits.attempts = 1;
    assert_eq!(
        failure(&pipeline(config), get(URL)).await,
        code(ErrorCode::Unreachable, "connect")
    );
    assert_eq!(
        outcome(vec![Act::Close]).await,
        code(ErrorCode::Unreachable, "connect")
    );
    assert_eq!(
        outcome(vec![Act::Reset]).await,
        code(ErrorCode::Unreachable, "connect")
    );
}

#[tokio::test]
async fn b02_no_answer_times_out_at_its_limit_and_closes() {
    let server = Server::start(|_| vec![Act::Hang]).await;
    let mut config = config_to(&server);
    hasten(&mut config);
    let pipeline = pipeline(config);
    let begun = Instant::now();
    assert_eq!(
        failure(&pipeline, get(URL)).await,
        code(ErrorCode::Timeout, "first_byte")
    );
    let took = begun.elapsed();
    assert!(
        took >= Duration::from_millis(290) && took < Duration::from_millis(600),
        "{took:?}"
    );
    server.has_closed(1).await;
    assert!(is_idle(&pipeline));
}

/// The best of a few tries excludes a busy machine's delays; none may be early.
#[tokio::test]
async fn b02_the_limit_is_kept_within_a_tenth() {
    let mut best = Duration::MAX;
    for _ in 0..3 {
        let server = Server::start(|_| vec![Act::Hang]).await;
        let mut config = config_to(&server);
        hasten(&mut config);
        config.limits.first_byte_ms = 1_000;
        let pipeline = pipeline(config);
        let begun = Instant::now();
        assert_eq!(
            failure(&pipeline, get(URL)).await,
            code(ErrorCode::Timeout, "first_byte")
        );
        let took = begun.elapsed();
        assert!(took >= Duration::from_millis(900), "{took:?}");
        best = best.min(took);
        if best <= Duration::from_millis(1_100) {
            return;
        }
    }
    panic!("{best:?}");
}

#[tokio::test]
async fn b03_a_body_that_stops_or_trickles() {
    let head = b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{".to_vec();
    assert_eq!(
        outcome(vec![Act::Send(head.clone()), Act::Hang]).await,
        code(ErrorCode::Timeout, "idle_read")
    );

    let mut acts = vec![Act::Send(head)];
    for _ in 0..40 {
        acts.extend([Act::Pause(Duration::from_millis(50)), Act::Send(b" ".to_vec())]);
    }
    let server = Server::start(move |_| acts.clone()).await;
    let mut config = config_to(&server);
    hasten(&mut config);
    let pipeline = pipeline(config);
    let begun = Instant::now();
    let error = pipeline_send(&pipeline, 1).await;
    assert_eq!(
        (error.code, error.detail.as_deref()),
        (ErrorCode::Timeout, Some("deadline"))
    );
    assert!(
        begun.elapsed() < Duration::from_millis(1_200),
        "{:?}",
        begun.elapsed()
    );
}

async fn pipeline_send(
    pipeline: &crate::pipeline::Pipeline,
    seconds: u64,
) -> freshcontext_contract::SourceError {
    let scope = scope(plain(), &crate::ports::TokioTimer, seconds);
    pipeline.send(&scope, get(URL)).await.unwrap_err()
}

#[tokio::test]
async fn b04_headers_that_dribble_or_swell() {
    let mut dribble = Vec::new();
    for byte in b"HTTP/1.1 200 OK\r\nx-a: 1\r\n" {
        dribble.extend([Act::Send(vec![*byte]), Act::Pause(Duration::from_millis(30))]);
    }
    assert_eq!(outcome(dribble).await, code(ErrorCode::Timeout, "first_byte"));

    let many: String = (0..101).fold(String::new(), |text, n| text + &format!("x-{n}: 1\r\n"));
    let many = format!("HTTP/1.1 200 OK\r\n{many}\r\n");
    assert_eq!(
        outcome(vec![Act::Send(many.into_bytes())]).await.0,
        ErrorCode::Malformed
    );

    let long = format!(
        "HTTP/1.1 200 OK\r\nx-a: {}\r\ncontent-length: 2\r\n\r\n{{}}",
        "a".repeat(64 << 10)
    );
    assert_eq!(
        outcome(vec![Act::Send(long.into_bytes())]).await,
        code(ErrorCode::Malformed, "headers")
    );

    let status = format!("HTTP/1.1 200 {}", "a".repeat(1 << 20));
    assert_eq!(
        outcome(vec![Act::Send(status.into_bytes()), Act::Hang]).await.0,
        ErrorCode::Malformed
    );
}

#[tokio::test]
async fn b05_contradicting_lengths() {
    for head in [
        "content-length: 10\r\n\r\n{}",
        "content-length: 2\r\ncontent-length: 3\r\n\r\n{}",
        "content-length: -2\r\n\r\n{}",
        "content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    ] {
        let bytes = format!("HTTP/1.1 200 OK\r\n{head}").into_bytes();
        let (code, detail, _) = outcome(vec![Act::Send(bytes), Act::Close]).await;
        assert_eq!(code, ErrorCode::Malformed, "{head} {detail}");
    }
}

#[tokio::test]
async fn b05_what_follows_the_stated_length_never_becomes_an_answer() {
    let server = Server::start(|seen| match seen.n {
        0 => vec![Act::Send(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\n{\"bad\":1".to_vec())],
        _ => vec![Act::Send(json("{\"good\":1}"))],
    })
    .await;
    let pipeline = pipeline(config_to(&server));
    assert_eq!(&send(&pipeline, get(URL)).await.unwrap().body[..], b"{}");
    let next = send(&pipeline, get("https://api.test.org/next")).await.unwrap();
    assert_eq!(&next.body[..], b"{\"good\":1}");
    assert_eq!(server.request(1).connection, 1, "the connection was not reused");
}

#[tokio::test]
async fn b06_broken_chunks() {
    for chunks in [
        "zz\r\n{}\r\n0\r\n\r\n",
        "2\r\n{}\r\n",
        "fffffffffffffffff\r\n{}",
        "2\r\n{}xx0\r\n\r\n",
    ] {
        let bytes = format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{chunks}").into_bytes();
        assert_eq!(
            outcome(vec![Act::Send(bytes), Act::Close]).await.0,
            ErrorCode::Malformed,
            "{chunks}"
        );
    }
    let extension = format!(
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2;{}\r\n{{}}\r\n0\r\n\r\n",
        "a".repeat(1 << 20)
    );
    assert_eq!(
        outcome(vec![Act::Send(extension.into_bytes()), Act::Close])
            .await
            .0,
        ErrorCode::Malformed
    );
}

fn gz(data: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test]
async fn b07_b08_packed_bodies() {
    let packed =
        |body: &[u8], coding: &str| vec![Act::Send(answer(200, &[("content-encoding", coding)], body))];
    assert_eq!(
        outcome(packed(&gz(&vec![0; 32 << 20]), "gzip")).await.0,
        ErrorCode::TooLarge
    );
    assert_eq!(
        outcome(packed(b"{\"plain\": 1}", "gzip")).await.0,
        ErrorCode::Malformed
    );
    assert_eq!(outcome(packed(b"{}", "rot13")).await.0, ErrorCode::Malformed);
    let whole = gz(b"{\"a\":1}");
    assert_eq!(outcome(packed(&whole[..9], "gzip")).await.0, ErrorCode::Malformed);
    let server = Server::always(answer(200, &[("content-encoding", "gzip")], &whole)).await;
    let response = send(&pipeline(config_to(&server)), get(URL)).await.unwrap();
    assert_eq!(&response.body[..], b"{\"a\":1}");
    assert_eq!(response.headers.get("content-encoding"), None);
}

#[tokio::test]
async fn b09_too_much() {
    let announced = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", (4 << 20) + 1).into_bytes();
    assert_eq!(
        outcome(vec![Act::Send(announced), Act::Hang]).await.0,
        ErrorCode::TooLarge
    );
    let mut endless = b"HTTP/1.1 200 OK\r\n\r\n[".to_vec();
    endless.extend(vec![b' '; 4 << 20]);
    assert_eq!(
        outcome(vec![Act::Send(endless), Act::Close]).await.0,
        ErrorCode::TooLarge
    );

    let server = Server::always(json(&format!("[{}]", " ".repeat(2_000)))).await;
    let pipeline = pipeline(config_to(&server));
    assert_eq!(
        failure(&pipeline, get(URL).max_body(1_000)).await.0,
        ErrorCode::TooLarge
    );
    assert!(send(&pipeline, get(URL).max_body(3_000)).await.is_ok());
    assert_eq!(
        failure(&pipeline, get(URL).max_body(1_000)).await.0,
        ErrorCode::TooLarge,
        "nor from the cache"
    );
}

#[tokio::test]
async fn b10_lasting_refusals_are_not_repeated() {
    for (status, expected) in [
        (403, ErrorCode::AccessDenied),
        (404, ErrorCode::NotFound),
        (418, ErrorCode::UpstreamError),
    ] {
        let server = Server::always(answer(status, &[], "no")).await;
        let error = send(&pipeline(config_to(&server)), get(URL)).await.unwrap_err();
        assert_eq!(
            (error.code, error.http_status, error.attempts),
            (expected, Some(status), 1)
        );
        assert_eq!(error.retry, Retry::Permanent);
        assert!(error.retrieved_at.is_some());
        assert_eq!(server.requests(), 1);
    }
}

#[tokio::test]
async fn b10_an_accepted_status_is_an_answer() {
    let server = Server::always(answer(404, &[], "{}")).await;
    let response = send(&pipeline(config_to(&server)), get(URL).accepting(&[404]))
        .await
        .unwrap();
    assert_eq!(response.status, 404);
}

#[tokio::test]
async fn b12_two_failures_then_success_with_three_attempts() {
    for status in [500, 502, 503, 504] {
        let server = Server::start(move |seen| {
            vec![Act::Send(if seen.n < 2 {
                answer(status, &[], "oops")
            } else {
                json("[]")
            })]
        })
        .await;
        let timer = VirtualTimer::new();
        let mut config = config_to(&server);
        config.timer = timer.clone();
        let pipeline = pipeline(config);
        let scope = scope(plain(), timer.as_ref(), 20);
        let response = timer
            .while_passing(Duration::from_millis(50), pipeline.send(&scope, get(URL)))
            .await
            .unwrap();
        assert_eq!(response.attempts, 3);
    }
}

#[tokio::test]
async fn b14_b15_other_things_than_data() {
    let html = |body: &str| vec![Act::Send(answer(200, &[("content-type", "text/html")], body))];
    let block_page = "<!DOCTYPE html><title>Just a moment...</title><script>window._cf_chl_opt={}</script>";
    assert_eq!(outcome(html(block_page)).await.0, ErrorCode::Challenge);
    assert_eq!(
        outcome(html("<html><h1>Sorry</h1></html>")).await.0,
        ErrorCode::Malformed
    );
    assert_eq!(outcome(html("")).await, code(ErrorCode::Malformed, "empty body"));
    // A challenge that is in the headers alone, whatever kind of answer was due.
    for (status, name, value) in [
        (202, "x-amzn-waf-action", "challenge"),
        (200, "x-amzn-waf-action", "captcha"),
        (200, "cf-mitigated", "challenge"),
    ] {
        for media in [Media::Json, Media::Text, Media::Any, Media::Html] {
            for body in ["", " \n"] {
                let server = Server::always(answer(status, &[(name, value)], body)).await;
                let mut request = get(URL);
                request.expect = media;
                let error = send(&pipeline(config_to(&server)), request).await.unwrap_err();
                assert_eq!(
                    (error.code, error.detail.as_deref()),
                    (ErrorCode::Challenge, None),
                    "{name} {media:?}"
                );
            }
        }
    }
}

#[tokio::test]
async fn b25_a_connection_closed_before_its_reuse_is_not_noticed() {
    let server = Server::start(|seen| {
        let mut acts = vec![Act::Send(json("{}"))];
        if seen.n == 0 {
            acts.push(Act::Close);
        }
        acts
    })
    .await;
    let pipeline = pipeline(config_to(&server));
    for n in 0..3 {
        send(&pipeline, get(&format!("https://api.test.org/{n}")))
            .await
            .unwrap();
    }
    assert_eq!(
        server.request(2).connection,
        server.request(1).connection,
        "kept alive"
    );
}

#[tokio::test]
async fn b26_five_redirects_are_followed_and_six_are_not() {
    let server = Server::start(|seen| {
        let left: usize = seen.path().trim_start_matches('/').parse().unwrap();
        vec![Act::Send(if left == 0 {
            json("{}")
        } else {
            answer(302, &[("location", &format!("/{}", left - 1))], "")
        })]
    })
    .await;
    let pipeline = pipeline(config_to(&server));
    let response = send(&pipeline, get("https://api.test.org/5")).await.unwrap();
    assert_eq!(response.final_url.as_str(), "https://api.test.org/0");
    assert_eq!(server.requests(), 6);
    let error = send(&pipeline, get("https://api.test.org/6")).await.unwrap_err();
    assert_eq!(
        (error.code, error.detail.as_deref()),
        (ErrorCode::UpstreamError, Some("redirect"))
    );
}

#[tokio::test]
async fn redirects_to_the_base_stay_in_terms_of_the_host() {
    let base = std::sync::Arc::new(std::sync::OnceLock::<String>::new());
    let told = std::sync::Arc::clone(&base);
    let server = Server::start(move |seen| {
        let to = format!("{}/there?x=1", told.get().unwrap());
        vec![Act::Send(if seen.n == 0 {
            answer(301, &[("location", &to)], "")
        } else {
            json("{}")
        })]
    })
    .await;
    base.set(server.base()).unwrap();
    let response = send(&pipeline(config_to(&server)), get("https://api.test.org/here"))
        .await
        .unwrap();
    assert_eq!(response.final_url.as_str(), "https://api.test.org/there?x=1");
    assert_eq!(server.request(1).path(), "/there?x=1");
}

#[tokio::test]
async fn a_page_is_read_as_a_page() {
    let server = Server::always(answer(
        200,
        &[("content-type", "text/html")],
        "<!doctype html><title>Hi</title><p>text",
    ))
    .await;
    let mut request = get("https://www.test.org/page");
    request.expect = Media::Html;
    assert!(send(&pipeline(config_to(&server)), request).await.is_ok());
}

#[tokio::test]
async fn a_message_names_the_host_and_no_query() {
    let server = Server::always(answer(500, &[], "x")).await;
    let mut config = config_to(&server);
    config.limits.attempts = 1;
    let error = send(&pipeline(config), get("https://api.test.org/x?q=private-words"))
        .await
        .unwrap_err();
    let all = format!("{error} {error:?}");
    assert!(all.contains("api.test.org"));
    assert!(!all.contains("private-words"));
    assert!(!all.contains("127.0.0.1"));
}

/// A probe costs a host one request; a connection that broke before an answer is no request.
#[tokio::test]
async fn a_probe_is_repeated_only_where_the_host_was_not_asked() {
    for (first, attempts) in [
        (vec![Act::Close], Ok(2)),
        (vec![Act::Send(answer(503, &[], ""))], Err(1)),
    ] {
        let server = Server::start(move |seen| match seen.n {
            0 => first.clone(),
            _ => vec![Act::Send(json("{}"))],
        })
        .await;
        let mut config = config_to(&server);
        hasten(&mut config);
        config.limits.attempts = 3;
        let answered = send(&pipeline(config), get(URL).probing()).await;
        let answered = answered.map(|response| response.attempts);
        assert_eq!(answered.map_err(|failure| failure.attempts), attempts);
    }
}
