//! Memory for bodies: a request that finds none fails with a clear error, and every outcome returns all memory.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use freshcontext_contract::ErrorCode;
use futures_util::future::join_all;

use crate::testing::*;

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

/// Returns JSON of about this many bytes that compresses to a tenth at best.
fn listed(bytes: usize) -> String {
    let mut state = 1_u32;
    let mut numbers = String::from("[0");
    while numbers.len() < bytes {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        numbers.extend([",", &state.to_string()]);
    }
    numbers + "]"
}

#[tokio::test]
async fn a_held_body_keeps_its_memory_and_who_finds_none_is_told_so() {
    let large = listed(1 << 20);
    let server = Server::start(move |_| vec![Act::Send(json(&large))]).await;
    let mut config = config_to(&server);
    // A share of 1 MiB for bodies that are being received, so one at a time.
    config.limits.reading_bytes = 6 << 20;
    config.limits.queue_wait_ms = 100;
    config.limits.cache_bytes = 0;
    let pipeline = pipeline(config);
    let first = send(&pipeline, get("https://api.test.org/1")).await.unwrap();
    let part = first.body.slice(..10);
    drop(first);
    let (code, detail, _) = failure(&pipeline, get("https://api.test.org/2")).await;
    assert_eq!((code, detail.as_str()), (ErrorCode::Overloaded, "memory"));
    drop(part);
    assert!(send(&pipeline, get("https://api.test.org/3")).await.is_ok());
    assert!(pipeline.inner().wire.holding.is_whole());
}

#[tokio::test]
async fn a_small_body_from_the_cache_holds_memory_too() {
    let server = Server::start(|_| vec![Act::Send(json("[1,2,3]"))]).await;
    let pipeline = pipeline(config_to(&server));
    for _ in 0..2 {
        let response = send(&pipeline, get("https://api.test.org/1")).await.unwrap();
        assert!(!pipeline.inner().wire.holding.is_whole());
        drop(response);
        assert!(pipeline.inner().wire.holding.is_whole());
    }
}

#[tokio::test]
async fn after_any_mix_of_outcomes_all_of_it_is_there_again() {
    let (small, large) = (listed(20 << 10), listed(900 << 10));
    let (packed_small, packed_large) = (gzip(small.as_bytes()), gzip(large.as_bytes()));
    let bomb = gzip(&vec![b'0'; 32 << 20]);
    let server = Server::start(move |seen| {
        let kind = seen
            .path()
            .trim_start_matches('/')
            .split('-')
            .next()
            .unwrap_or_default();
        let coded = |body: &[u8]| {
            Act::Send(answer(
                200,
                &[("content-type", "application/json"), ("content-encoding", "gzip")],
                body,
            ))
        };
        match kind {
            "small" => vec![Act::Send(json(&small))],
            "large" => vec![Act::Send(json(&large))],
            "packed" => vec![coded(&packed_small)],
            "inflated" => vec![coded(&packed_large)],
            "bomb" => vec![coded(&bomb)],
            "damaged" => vec![coded(&packed_large[..packed_large.len() / 2])],
            "endless" => vec![Act::Send(b"HTTP/1.1 200 OK\r\n\r\n[0".to_vec()), Act::Hang],
            "cut" => vec![
                Act::Send(b"HTTP/1.1 200 OK\r\ncontent-length: 900000\r\n\r\n[0".to_vec()),
                Act::Close,
            ],
            _ => vec![Act::Send(answer(500, &[], "down"))],
        }
    })
    .await;
    let mut config = config_to(&server);
    config.limits.attempts = 1;
    config.limits.idle_read_ms = 300;
    config.limits.reading_bytes = 12 << 20;
    config.limits.queue_wait_ms = 2_000;
    config.limits.per_host_in_flight = 64;
    config.limits.breaker_failures = u32::MAX;
    let pipeline = pipeline(config);
    let kinds = [
        "small", "large", "packed", "inflated", "bomb", "damaged", "endless", "cut", "down",
    ];
    for round in 0..3 {
        let calls = (0..54).map(|at| {
            let pipeline = Arc::clone(&pipeline);
            let kind = kinds[at % kinds.len()];
            let url = format!("https://{kind}.test.org/{kind}-{}", at / 2);
            async move {
                // Every third caller leaves early.
                let patience = if at % 3 == round { 30 } else { 20_000 };
                let sending = send(&pipeline, get(&url));
                tokio::time::timeout(Duration::from_millis(patience), sending).await
            }
        });
        let outcomes = join_all(calls).await;
        let answered = outcomes
            .iter()
            .filter(|outcome| matches!(outcome, Ok(Ok(_))))
            .count();
        let codes: Vec<_> = outcomes
            .iter()
            .flatten()
            .filter_map(|outcome| outcome.as_ref().err())
            .collect();
        assert!(answered > 0, "round {round}: {codes:?}");
        drop(outcomes);
        // Abandoned work ends in its own time.
        for _ in 0..500 {
            if pipeline.inner().wire.holding.is_whole() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert!(pipeline.inner().wire.holding.is_whole(), "round {round}");
    }
}
