//! Group C on the wire: names, redirects and proxies that lead to forbidden targets.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use freshcontext_contract::{ErrorCode, Hosts, Transport};

use crate::config::{Config, ProxyConfig, Upstream};
use crate::ports::ResolveError;
use crate::testing::*;

const PUBLIC: &str = "93.184.215.14";

/// Returns a guarded configuration: public addresses lead to `good`, and nothing is exempt.
fn guarded(names: &Arc<Names>, dial: &Arc<LeadTo>) -> Config {
    let mut config = Config::new(TestClock::new());
    config.resolver = names.clone();
    config.dial = dial.clone();
    config
}

async fn canary() -> Arc<Server> {
    Server::always(json("{\"canary\":true}")).await
}

#[tokio::test]
async fn the_guard_is_not_deny_all() {
    let good = Server::always(json("{}")).await;
    let names = Arc::<Names>::default().add("good.test.org", &[&[PUBLIC, "2606:4700:4700::1111"]]);
    let dial = LeadTo::new(good.address);
    let response = send(&pipeline(guarded(&names, &dial)), get("http://good.test.org/x"))
        .await
        .unwrap();
    assert_eq!(response.final_url.as_str(), "http://good.test.org/x");
    assert_eq!(good.request(0).header("host"), Some("good.test.org"));
    assert_eq!(dial.dialled.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn c19_c20_any_denied_answer_refuses_the_name() {
    let canary = canary().await;
    for (list, class) in [
        (&["127.0.0.1"][..], "loopback"),
        (&["10.0.0.1"], "private"),
        (&["169.254.169.254"], "metadata"),
        (&["::1"], "loopback"),
        (&[PUBLIC, "10.0.0.1"], "private"),
        (&["10.0.0.1", PUBLIC], "private"),
        (&["2606:4700:4700::1111", "127.0.0.1"], "loopback"),
        (&[PUBLIC, "fd00::1"], "unique_local"),
        (&["::ffff:10.0.0.1"], "private"),
    ] {
        let names = Arc::<Names>::default().add("evil.test.org", &[list]);
        let dial = LeadTo::new(canary.address);
        let error = send(&pipeline(guarded(&names, &dial)), get("http://evil.test.org/"))
            .await
            .unwrap_err();
        assert_eq!(
            (error.code, error.detail.as_deref()),
            (ErrorCode::BlockedAddress, Some(class))
        );
        let all = format!("{error} {error:?}");
        assert!(list.iter().all(|address| !all.contains(address)), "C33: {all}");
        assert_eq!(
            names.queries.load(Ordering::SeqCst),
            1,
            "a refusal is not retried"
        );
        assert!(dial.dialled.lock().unwrap().is_empty());
    }
    assert_eq!(canary.connections.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn what_the_operator_denies_is_refused_by_name_address_and_redirect_and_logged() {
    let good = Server::start(|seen| {
        vec![Act::Send(match seen.path() {
            "/moved" => answer(302, &[("location", "http://denied.test.org/")], ""),
            "/inward" => answer(302, &[("location", "http://[64:ff9b:0:1::7f00:1]/")], ""),
            _ => json("{}"),
        })]
    })
    .await;
    let names = Arc::<Names>::default()
        .add("good.test.org", &[&[PUBLIC]])
        .add("network.test.org", &[&[PUBLIC, "198.35.26.96"]])
        .add("denied.test.org", &[&[PUBLIC]])
        .add("translated.test.org", &[&["64:ff9b:0:1::7f00:1"]]);
    let dial = LeadTo::new(good.address);
    let mut config = guarded(&names, &dial);
    config.deny =
        crate::deny::Deny::parse(&["198.35.26.0/23", "denied.test.org", "*.corp.test.org"]).unwrap();
    let pipeline = pipeline(config);
    let (log, _guard) = Log::start();
    send(&pipeline, get("http://good.test.org/x")).await.unwrap();
    let mut asked = good.requests();
    for (url, host, class, connects) in [
        ("http://denied.test.org/", "denied.test.org", "operator", 0),
        ("http://a.corp.test.org/", "a.corp.test.org", "operator", 0),
        ("http://network.test.org/", "network.test.org", "operator", 0),
        ("http://198.35.27.1/", "198.35.27.1", "operator", 0),
        ("http://good.test.org/moved", "denied.test.org", "operator", 1),
        ("http://good.test.org/inward", "[64:ff9b:0:1::7f00:1]", "nat64", 1),
        ("http://translated.test.org/", "translated.test.org", "nat64", 0),
        ("http://10.1.2.3/", "10.1.2.3", "private", 0),
    ] {
        let error = send(&pipeline, get(url)).await.unwrap_err();
        assert_eq!(
            (error.code, error.detail.as_deref()),
            (ErrorCode::BlockedAddress, Some(class)),
            "{url}"
        );
        let told = format!("{error} {:?}", error.hint);
        for inside in [
            "198.35.26.96",
            "198.35.26.0",
            "denied.test.org",
            "corp",
            "7f00",
            "10.1",
        ] {
            assert!(!told.contains(inside), "{url}: {told}");
        }
        asked += connects;
        assert_eq!(good.requests(), asked, "{url}");
        let lines: Vec<String> = log.text().lines().map(str::to_owned).collect();
        let line = lines
            .iter()
            .rev()
            .find(|line| line.contains("an address was refused"));
        // `denied.test.org` already had its line for this minute.
        if url != "http://good.test.org/moved" {
            let line = line.unwrap();
            assert!(line.contains("WARN"), "{line}");
            assert!(line.contains(&format!("host=\"{host}\"")), "{url}: {line}");
            assert!(line.contains(&format!("class=\"{class}\"")), "{url}: {line}");
        }
    }
    let lines = || log.text().matches("an address was refused").count();
    let before = lines();
    for _ in 0..50 {
        let _ = send(&pipeline, get("http://10.1.2.3/")).await;
    }
    assert_eq!(lines(), before);
}

#[tokio::test]
async fn c21_rebinding_meets_the_checked_address() {
    let (good, canary) = (Server::always(json("{}")).await, canary().await);
    let names = Arc::<Names>::default().add("rebind.test.org", &[&[PUBLIC], &["127.0.0.1"]]);
    let mut dial = LeadTo::new(canary.address);
    Arc::get_mut(&mut dial)
        .unwrap()
        .own
        .insert(PUBLIC.parse().unwrap(), good.address);
    let pipeline = pipeline(guarded(&names, &dial));
    send(&pipeline, get("http://rebind.test.org/1")).await.unwrap();
    assert_eq!(
        names.queries.load(Ordering::SeqCst),
        1,
        "one resolution per connection"
    );
    send(&pipeline, get("http://rebind.test.org/2")).await.unwrap();
    assert_eq!(
        names.queries.load(Ordering::SeqCst),
        1,
        "a kept connection needs none"
    );
    assert_eq!(canary.connections.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn c22_alternating_answers_never_reach_the_canary() {
    let good = Server::start(|_| vec![Act::Send(json("{}")), Act::Close]).await;
    let canary = canary().await;
    let lists: Vec<&[&str]> = (0..1_000)
        .map(|n| {
            if n % 2 == 0 {
                &[PUBLIC][..]
            } else {
                &["127.0.0.1"][..]
            }
        })
        .collect();
    let names = Arc::<Names>::default().add("flip.test.org", &lists);
    let mut dial = LeadTo::new(canary.address);
    Arc::get_mut(&mut dial)
        .unwrap()
        .own
        .insert(PUBLIC.parse().unwrap(), good.address);
    let mut config = guarded(&names, &dial);
    config.limits.per_host_in_flight = 50;
    config.limits.attempts = 1;
    let pipeline = pipeline(config);
    let mut outcomes = Vec::new();
    for round in 0..20 {
        let calls = (0..50).map(|n| {
            let pipeline = pipeline.clone();
            async move { send(&pipeline, get(&format!("http://flip.test.org/{round}/{n}"))).await }
        });
        outcomes.extend(futures_util::future::join_all(calls).await);
    }
    assert_eq!(
        names.queries.load(Ordering::SeqCst),
        1_000,
        "a look-up for each connection"
    );
    assert!(outcomes.iter().any(Result::is_ok));
    for error in outcomes.into_iter().filter_map(Result::err) {
        assert!(
            matches!(error.code, ErrorCode::BlockedAddress | ErrorCode::Unreachable),
            "{error}"
        );
    }
    assert_eq!(canary.connections.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn c23_c24_every_hop_is_checked_again() {
    let canary = canary().await;
    for status in [301, 302, 303, 307, 308] {
        for (target, class) in [
            ("http://127.0.0.1/", "loopback"),
            ("http://10.0.0.1/", "private"),
            ("http://169.254.169.254/latest/meta-data/", "metadata"),
            ("http://[::1]/", "loopback"),
            ("http://0.0.0.0/", "this_network"),
            ("http://[::]/", "unspecified"),
            ("http://172.16.0.1/", "private"),
            ("http://192.168.0.1/", "private"),
            ("http://100.64.0.1/", "cgnat"),
            ("http://169.254.0.1/", "link_local"),
            ("http://[fe80::1]/", "link_local"),
            ("http://[fd00:ec2::254]/", "metadata"),
            ("http://[fc00::1]/", "unique_local"),
            ("http://[fd00::1]/", "unique_local"),
            ("http://[fec0::1]/", "site_local"),
            ("http://192.0.2.1/", "documentation"),
            ("http://198.18.0.1/", "benchmark"),
            ("http://192.88.99.1/", "reserved"),
            ("http://[100::1]/", "discard"),
            ("http://224.0.0.1/", "multicast"),
            ("http://255.255.255.255/", "broadcast"),
            ("http://[::ffff:7f00:1]/", "loopback"),
            ("http://[::ffff:8.8.8.8]/", "v4_mapped"),
            ("http://[::127.0.0.1]/", "v4_compatible"),
            ("http://[64:ff9b::7f00:1]/", "nat64"),
            ("http://[2002:7f00:1::]/", "6to4"),
            ("http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/", "teredo"),
            ("http://[2606:4700::5efe:10.0.0.1]/", "isatap"),
            ("http://2130706433/", "loopback"),
            ("http://localhost/", "local_name"),
            ("http://good.test.org:6379/", "port"),
            ("http://evil.test.org/", "private"),
        ] {
            let good = Server::start(move |seen| {
                // good -> good -> denied
                let to = if seen.path() == "/start" {
                    "/second"
                } else {
                    target
                };
                vec![Act::Send(answer(status, &[("location", to)], ""))]
            })
            .await;
            let names = Arc::<Names>::default()
                .add("good.test.org", &[&[PUBLIC]])
                .add("evil.test.org", &[&["10.0.0.1"]]);
            let mut dial = LeadTo::new(canary.address);
            Arc::get_mut(&mut dial)
                .unwrap()
                .own
                .insert(PUBLIC.parse().unwrap(), good.address);
            let error = send(
                &pipeline(guarded(&names, &dial)),
                get("http://good.test.org/start"),
            )
            .await
            .unwrap_err();
            assert_eq!(error.code, ErrorCode::BlockedAddress, "{target}");
            assert_eq!(error.detail.as_deref(), Some(class), "{target}");
            assert_eq!(good.requests(), 2);
        }
    }
    assert_eq!(canary.connections.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn c24_other_hints_to_move_on_are_not_followed() {
    let page = answer(
        200,
        &[
            ("refresh", "0; url=http://127.0.0.1/"),
            ("link", "<http://127.0.0.1/x>; rel=preload"),
            ("alt-svc", "h2=\"127.0.0.1:1\""),
            ("content-type", "text/html"),
        ],
        "<!doctype html><meta http-equiv=refresh content='0;url=http://127.0.0.1/'><p>text",
    );
    let good = Server::always(page).await;
    let names = Arc::<Names>::default().add("good.test.org", &[&[PUBLIC]]);
    let dial = LeadTo::new(good.address);
    let mut request = get("http://good.test.org/");
    request.expect = freshcontext_contract::Media::Html;
    assert!(send(&pipeline(guarded(&names, &dial)), request).await.is_ok());
    assert_eq!(good.requests(), 1);
    assert_eq!(dial.dialled.lock().unwrap().len(), 1);
}

/// Two names of one address: each is looked up and has a connection of its own, and a name with a denied address gets none,
/// although an open connection leads to its other one.
#[tokio::test]
async fn c25_names_of_one_address_share_no_connection() {
    let good = Server::always(json("{}")).await;
    let names = Arc::<Names>::default()
        .add("one.test.org", &[&[PUBLIC]])
        .add("two.test.org", &[&[PUBLIC]])
        .add("evil.test.org", &[&[PUBLIC, "10.0.0.1"]]);
    let dial = LeadTo::new(good.address);
    let pipeline = pipeline(guarded(&names, &dial));
    for (url, connection) in [
        ("http://one.test.org/1", 0),
        ("http://two.test.org/1", 1),
        ("http://one.test.org/2", 0),
        ("http://two.test.org/2", 1),
    ] {
        send(&pipeline, get(url)).await.unwrap();
        let seen = good.request(good.requests() - 1);
        assert_eq!(seen.connection, connection, "{url}");
        assert!(url.contains(seen.header("host").unwrap()), "{url}");
    }
    assert_eq!(names.queries.load(Ordering::SeqCst), 2);
    let (code, detail, _) = failure(&pipeline, get("http://evil.test.org/")).await;
    assert_eq!((code, detail.as_str()), (ErrorCode::BlockedAddress, "private"));
    assert_eq!(good.requests(), 4);
}

/// A caller that leaves before the name is known leaves nothing behind, and nobody is dialled.
#[tokio::test]
async fn d14_leaving_while_the_name_is_looked_up() {
    let dial = LeadTo::new("127.0.0.1:9".parse().unwrap());
    let mut config = guarded(&Arc::<Names>::default(), &dial);
    config.resolver = Arc::new(Silent);
    let pipeline = pipeline(config);
    let waiting = send(&pipeline, get("http://slow.test.org/"));
    assert!(
        tokio::time::timeout(std::time::Duration::from_millis(50), waiting)
            .await
            .is_err()
    );
    assert!(is_idle(&pipeline));
    assert!(dial.dialled.lock().unwrap().is_empty());
}

#[tokio::test]
async fn c26_a_source_with_fixed_hosts_stays_there() {
    let server = Server::always(answer(302, &[("location", "https://www.elsewhere.org/")], "")).await;
    let pipeline = pipeline(config_to(&server));
    let mut own = descriptor("fixed");
    own.hosts = Hosts::Fixed(&["api.test.org"]);
    let scope = scope(leak(own), &crate::ports::TokioTimer, 5);
    let error = pipeline
        .send(&scope, get("https://api.test.org/"))
        .await
        .unwrap_err();
    assert_eq!(
        (error.code, error.detail.as_deref()),
        (ErrorCode::BlockedAddress, Some("host"))
    );
    assert_eq!(server.requests(), 1);
    let error = pipeline
        .send(&scope, get("https://other.test.org/"))
        .await
        .unwrap_err();
    assert_eq!(
        (error.code, error.detail.as_deref(), error.attempts),
        (ErrorCode::BlockedAddress, Some("host"), 0)
    );
}

#[tokio::test]
async fn c27_our_own_listener_by_name() {
    let names = Arc::<Names>::default().add("me.test.org", &[&["93.184.215.99"]]);
    let canary = canary().await;
    let dial = LeadTo::new(canary.address);
    let pipeline = pipeline(guarded(&names, &dial));
    pipeline.add_own_address("93.184.215.99:443".parse().unwrap());
    let error = send(&pipeline, get("https://me.test.org/")).await.unwrap_err();
    assert_eq!(
        (error.code, error.detail.as_deref()),
        (ErrorCode::BlockedAddress, Some("own_listener"))
    );
    assert_eq!(canary.connections.load(Ordering::SeqCst), 0);
}

struct Silent;

impl crate::ports::Resolve for Silent {
    fn resolve<'a>(
        &'a self,
        _name: &'a str,
    ) -> freshcontext_contract::BoxFuture<'a, Result<Vec<std::net::IpAddr>, ResolveError>> {
        Box::pin(std::future::pending())
    }
}

#[tokio::test]
async fn c28_names_without_addresses() {
    let good = Server::always(json("{}")).await;
    let many: Vec<String> = (0..200).map(|n| format!("93.184.215.{n}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let names = Arc::<Names>::default()
        .fail("nx.test.org", ResolveError::NoSuchName)
        .fail("servfail.test.org", ResolveError::Failed("server failure".into()))
        .add("empty.test.org", &[&[]])
        .add("many.test.org", &[&many]);
    let dial = LeadTo::new(good.address);
    let mut config = guarded(&names, &dial);
    config.limits.attempts = 1;
    let pipeline_ = pipeline(config);
    let long_label = format!("http://{}.test.org/", "a".repeat(64));
    let long_name = format!("http://{}test.org/", "abc.".repeat(16 << 10));
    for url in [
        "http://nx.test.org/",
        "http://servfail.test.org/",
        "http://empty.test.org/",
        &long_label,
        &long_name,
    ] {
        let (code, detail, _) = failure(&pipeline_, get(url)).await;
        assert_eq!(
            (code, detail.as_str()),
            (ErrorCode::Unreachable, "dns"),
            "{}",
            url.chars().take(30).collect::<String>()
        );
    }
    send(&pipeline_, get("http://many.test.org/")).await.unwrap();
    assert_eq!(dial.dialled.lock().unwrap().len(), 16);

    let mut config = guarded(&names, &dial);
    config.resolver = Arc::new(Silent);
    hasten(&mut config);
    let (code, detail, _) = failure(&pipeline(config), get("http://slow.test.org/")).await;
    assert_eq!((code, detail.as_str()), (ErrorCode::Unreachable, "dns"));
}

#[tokio::test]
async fn c31_targets_are_checked_before_the_proxy_hears_of_them() {
    let proxy = Server::always(json("{\"via\":\"proxy\"}")).await;
    let direct = Server::always(json("{\"via\":\"direct\"}")).await;
    let names = Arc::<Names>::default()
        .add("good.test.org", &[&[PUBLIC]])
        .add("near.test.org", &[&[PUBLIC]])
        .add("evil.test.org", &[&["10.0.0.1"]]);
    let mut config = guarded(&names, &LeadTo::new(direct.address));
    config.proxy = Some(ProxyConfig {
        url: proxy.base().parse().unwrap(),
        no_proxy: "near.test.org".into(),
    });
    let pipeline = pipeline(config);
    assert_eq!(
        failure(&pipeline, get("http://10.0.0.1/")).await.0,
        ErrorCode::BlockedAddress
    );
    let (code, detail, _) = failure(&pipeline, get("http://evil.test.org/")).await;
    assert_eq!((code, detail.as_str()), (ErrorCode::BlockedAddress, "private"));
    assert_eq!(failure(&pipeline, get("http://nx.test.org/")).await.1, "dns");
    assert_eq!(proxy.connections.load(Ordering::SeqCst), 0);

    let response = send(&pipeline, get("http://good.test.org/p")).await.unwrap();
    assert_eq!(&response.body[..], b"{\"via\":\"proxy\"}");
    assert_eq!(proxy.request(0).path(), "http://good.test.org/p");
    let response = send(&pipeline, get("http://near.test.org/p")).await.unwrap();
    assert_eq!(&response.body[..], b"{\"via\":\"direct\"}");
}

#[tokio::test]
async fn the_proxy_resolves_the_sources_own_hosts() {
    let proxy = Server::always(json("{\"via\":\"proxy\"}")).await;
    // This network resolves no name at all.
    let names = Arc::<Names>::default();
    let mut config = guarded(&names, &LeadTo::new(proxy.address));
    config.proxy = Some(ProxyConfig {
        url: proxy.base().parse().unwrap(),
        no_proxy: String::new(),
    });
    let timer = Arc::clone(&config.timer);
    let pipeline = pipeline(config);
    let mut own = descriptor("own");
    own.hosts = Hosts::PublicWeb(&["own.test.org"]);
    let own = scope(leak(own), timer.as_ref(), 20);
    let response = pipeline.send(&own, get("http://own.test.org/p")).await.unwrap();
    assert_eq!(&response.body[..], b"{\"via\":\"proxy\"}");
    let error = pipeline
        .send(&own, get("http://other.test.org/p"))
        .await
        .unwrap_err();
    assert_eq!(error.detail.as_deref(), Some("dns"));
    assert_eq!(proxy.requests(), 1);
}

#[tokio::test]
async fn b27_a_proxy_that_refuses() {
    for (status, text) in [(407, "credentials"), (403, "refused")] {
        let proxy = Server::always(answer(status, &[], "")).await;
        let names = Arc::<Names>::default().add("good.test.org", &[&[PUBLIC]]);
        let mut config = guarded(&names, &LeadTo::new(proxy.address));
        config.proxy = Some(ProxyConfig {
            url: proxy.base().parse().unwrap(),
            no_proxy: String::new(),
        });
        config.limits.attempts = 1;
        let error = send(&pipeline(config), get("https://good.test.org/"))
            .await
            .unwrap_err();
        assert_eq!(
            (error.code, error.detail.as_deref()),
            (ErrorCode::Unreachable, Some("connect"))
        );
        assert!(
            error.message.contains("proxy") && error.message.contains(text),
            "{}",
            error.message
        );
    }
}

#[tokio::test]
async fn b27_a_slow_proxy() {
    let fast = Server::always(json("{}")).await;
    let proxy = Server::start(|_| vec![Act::Hang]).await;
    let names = Arc::<Names>::default()
        .add("good.test.org", &[&[PUBLIC]])
        .add("direct.test.org", &[&[PUBLIC]]);
    let mut config = guarded(&names, &LeadTo::new(fast.address));
    config.proxy = Some(ProxyConfig {
        url: proxy.base().parse().unwrap(),
        no_proxy: "direct.test.org".to_owned(),
    });
    hasten(&mut config);
    let pipeline = pipeline(config);
    for url in ["http://good.test.org/", "https://good.test.org/"] {
        let (code, detail, _) = failure(&pipeline, get(url)).await;
        assert!(
            matches!(code, ErrorCode::Timeout | ErrorCode::Unreachable) && !detail.is_empty(),
            "{url}: {code} ({detail})"
        );
    }
    proxy.has_closed(2).await;
    // Its slowness is no other host's.
    send(&pipeline, get("http://direct.test.org/")).await.unwrap();
}

#[tokio::test]
async fn upstreams_exempt_their_base_and_nothing_else() {
    let server = Server::always(answer(302, &[("location", "http://127.0.0.1/")], "")).await;
    let canary = canary().await;
    let mut config = Config::new(TestClock::new());
    config.upstreams = vec![Upstream::parse(&format!("api.test.org={}", server.base())).unwrap()];
    config.limits.attempts = 1;
    let pipeline = pipeline(config);
    let error = send(&pipeline, get("http://api.test.org/")).await.unwrap_err();
    assert_eq!(error.detail.as_deref(), Some("loopback"));
    for url in [server.base(), format!("http://{}/", canary.address)] {
        assert_eq!(
            failure(&pipeline, get(&url)).await.1,
            "port",
            "no caller can name the base itself"
        );
    }
    assert_eq!(server.requests(), 1);
    assert_eq!(canary.connections.load(Ordering::SeqCst), 0);
}
