//! Webhooks: what is posted, where it may go, and what counts as an answer.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use freshcontext_contract::ErrorCode;
use freshcontext_contract::url::Url;

use crate::config::{Config, Upstream};
use crate::deny::Deny;
use crate::post::{Post, Posted};
use crate::testing::*;

const PUBLIC: &str = "93.184.215.14";

fn post(url: &str) -> Post {
    Post {
        url: Url::parse(url).unwrap(),
        headers: vec![("webhook-id", "msg_1".to_owned())],
        body: "{\"a\":1}".into(),
        allow_http: true,
    }
}

fn guarded(names: &Arc<Names>, dial: &Arc<LeadTo>) -> Config {
    let mut config = Config::new(TestClock::new());
    config.resolver = names.clone();
    config.dial = dial.clone();
    config
}

#[tokio::test]
async fn every_status_is_an_answer_and_redirects_are_not_followed() {
    let good = Server::start(|seen| {
        vec![Act::Send(match seen.path() {
            "/moved" => answer(302, &[("location", "http://good.test.org/x")], ""),
            "/full" => answer(429, &[("retry-after", "7")], "no"),
            "/long" => answer(503, &[("retry-after", "999999999")], ""),
            _ => answer(204, &[], ""),
        })]
    })
    .await;
    let names = Arc::<Names>::default().add("good.test.org", &[&[PUBLIC]]);
    let pipeline = pipeline(guarded(&names, &LeadTo::new(good.address)));
    for (path, status, wait) in [
        ("x", 204, None),
        ("moved", 302, None),
        ("full", 429, Some(7)),
        ("long", 503, Some(3_600)),
    ] {
        let posted = pipeline.post(post(&format!("http://good.test.org/{path}"))).await;
        let retry_after = wait.map(Duration::from_secs);
        assert_eq!(posted.unwrap(), Posted { status, retry_after }, "{path}");
    }
    assert_eq!(good.requests(), 4, "one request each");
    let seen = good.request(0);
    assert_eq!(seen.header("webhook-id"), Some("msg_1"));
    assert_eq!(seen.header("content-type"), Some("application/json"));
    assert_eq!(seen.header("host"), Some("good.test.org"));
}

#[tokio::test]
async fn no_address_inside_is_reached() {
    let canary = Server::always(json("{}")).await;
    for (host, addresses, class) in [
        ("evil.test.org", &["127.0.0.1"][..], "loopback"),
        ("evil.test.org", &[PUBLIC, "10.0.0.1"], "private"),
        ("evil.test.org", &["fd00::1"], "unique_local"),
        ("evil.test.org", &["169.254.169.254"], "metadata"),
        ("denied.test.org", &[PUBLIC], "operator"),
        ("127.0.0.1", &[], "loopback"),
        ("2130706433", &[], "loopback"),
        ("[::ffff:10.1.1.1]", &[], "private"),
        ("printer.local", &[], "local_name"),
        ("user:pass@good.test.org", &[], "userinfo"),
        ("good.test.org:8080", &[], "port"),
    ] {
        let names = Arc::<Names>::default().add(host, &[addresses]);
        let mut config = guarded(&names, &LeadTo::new(canary.address));
        config.deny = Deny::parse(&["denied.test.org"]).unwrap();
        let error = pipeline(config)
            .post(post(&format!("http://{host}/x")))
            .await
            .unwrap_err();
        assert_eq!(
            (error.code, error.detail.as_deref()),
            (ErrorCode::BlockedAddress, Some(class)),
            "{host}"
        );
    }
    assert_eq!(canary.connections.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn plain_http_is_for_operators_who_allow_it() {
    let good = Server::always(json("{}")).await;
    let names = Arc::<Names>::default().add("good.test.org", &[&[PUBLIC]]);
    let pipeline = pipeline(guarded(&names, &LeadTo::new(good.address)));
    let strict = Post {
        allow_http: false,
        ..post("http://good.test.org/x")
    };
    let error = pipeline.post(strict.clone()).await.unwrap_err();
    assert_eq!(error.detail.as_deref(), Some("scheme"));
    assert!(pipeline.check_webhook(&strict.url, false).is_err());
    assert!(pipeline.check_webhook(&strict.url, true).is_ok());
    assert_eq!(good.requests(), 0);
}

#[tokio::test]
async fn the_operators_own_base_is_the_one_exception() {
    let good = Server::always(json("{}")).await;
    let mut config = Config::new(TestClock::new());
    config.upstreams = Upstream::parse_list(&format!("hooks.test.org={}", good.base())).unwrap();
    let mut asked = post("https://hooks.test.org/x");
    asked.allow_http = false;
    assert_eq!(pipeline(config).post(asked).await.unwrap().status, 200);
    assert_eq!(good.request(0).header("x-forwarded-host"), Some("hooks.test.org"));
}
