//! Credentials: sent to their own host only, added last, and absent from all texts.

use freshcontext_contract::{Apply, Credential, Descriptor, ErrorCode, Founding, Route, Transport};

use crate::config::Config;
use crate::testing::*;

const SECRET: &str = "s3cr3t-canary-value";
const URL: &str = "https://api.test.org/x";

const fn credential(apply: Apply) -> Credential {
    Credential {
        host: "api.test.org",
        env: &["TEST_TOKEN", "TEST_ALIAS"],
        apply,
        required: false,
        obtain: "https://example.org/keys",
    }
}

const BEARER: &[Credential] = &[credential(Apply::Bearer)];
const BEARER_REQUIRED: &[Credential] = &[Credential {
    required: true,
    ..credential(Apply::Bearer)
}];
const HEADER: &[Credential] = &[credential(Apply::Header("x-api-key"))];
const QUERY: &[Credential] = &[credential(Apply::Query("api_key"))];
const CLIENT: &[Credential] = &[credential(Apply::ClientCredentials {
    secret_env: "TEST_SECRET",
    token_url: "https://auth.test.org/token",
})];
/// Another host answers without a key, which says nothing about this host.
const ROUTES: &[Route] = &[route("api", Some("TEST_TOKEN")), route("elsewhere", None)];

const fn route(id: &'static str, needs: Option<&'static str>) -> Route {
    let route = Route::new(id, "the interface").founded(Founding::GeneralKnowledge);
    Route { needs, ..route }
}

fn source(credentials: &'static [Credential], routes: &'static [Route]) -> &'static Descriptor {
    let mut own = descriptor("keyed");
    own.credentials = credentials;
    own.routes = routes;
    leak(own)
}

fn with_secret(server: &Server) -> Config {
    let mut config = config_to(server);
    config.secrets.insert("TEST_ALIAS".into(), format!(" {SECRET}\n"));
    config
}

#[tokio::test]
async fn a_key_goes_where_it_belongs_and_nowhere_else() {
    let server = Server::always(json("{}")).await;
    let pipeline = pipeline(with_secret(&server));
    for (credentials, header, value) in [
        (BEARER, "authorization", format!("Bearer {SECRET}")),
        (HEADER, "x-api-key", SECRET.to_owned()),
    ] {
        let scope = scope(source(credentials, &[]), &crate::ports::TokioTimer, 5);
        let n = server.requests();
        pipeline
            .send(&scope, get(&format!("{URL}/{header}")))
            .await
            .unwrap();
        assert_eq!(server.request(n).header(header), Some(value.as_str()));
        pipeline
            .send(&scope, get(&format!("https://other.test.org/{header}")))
            .await
            .unwrap();
        assert_eq!(server.request(n + 1).header(header), None, "another host");
        pipeline
            .send(&scope, get(&format!("http://api.test.org/{header}")))
            .await
            .unwrap();
        assert_eq!(server.request(n + 2).header(header), None, "unencrypted");
        let mut anonymous = get(&format!("{URL}/{header}"));
        anonymous.anonymous = true;
        pipeline.send(&scope, anonymous).await.unwrap();
        assert_eq!(
            server.request(n + 3).header(header),
            None,
            "asked without, and not from the keyed copy"
        );
    }
    let scope = scope(source(QUERY, &[]), &crate::ports::TokioTimer, 5);
    let response = pipeline
        .send(&scope, get("https://api.test.org/q?a=1"))
        .await
        .unwrap();
    assert_eq!(
        server.request(server.requests() - 1).path(),
        format!("/q?a=1&api_key={SECRET}")
    );
    assert_eq!(response.final_url.as_str(), "https://api.test.org/q?a=1");
}

#[tokio::test]
async fn b26_a_key_does_not_follow_a_redirect_elsewhere() {
    let server = Server::start(|seen| {
        vec![Act::Send(
            if seen.header("x-forwarded-host") == Some("api.test.org") {
                answer(307, &[("location", "https://cdn.test.org/y")], "")
            } else {
                json("{}")
            },
        )]
    })
    .await;
    let scope = scope(source(BEARER, &[]), &crate::ports::TokioTimer, 5);
    let response = pipeline(with_secret(&server))
        .send(&scope, get(URL))
        .await
        .unwrap();
    assert_eq!(response.final_url.host_str(), Some("cdn.test.org"));
    assert!(server.request(0).header("authorization").is_some());
    assert_eq!(server.request(1).header("authorization"), None);
}

/// Returns whether a request carried a credential of any kind.
fn went_along(seen: &Seen) -> bool {
    seen.header("authorization").is_some()
        || seen.header("x-api-key").is_some()
        || seen.path().contains("api_key")
}

#[tokio::test]
async fn an_address_from_outside_is_asked_without_a_key() {
    let server = Server::always(json(r#"{"access_token":"t"}"#)).await;
    let mut config = with_secret(&server);
    config.secrets.insert("TEST_SECRET".into(), "other-half".into());
    let pipeline = pipeline(config);
    for (n, credentials) in [BEARER, HEADER, QUERY, CLIENT].into_iter().enumerate() {
        let url = format!("{URL}/{n}");
        let scope = scope(source(credentials, &[]), &crate::ports::TokioTimer, 5);
        pipeline.send(&scope, get(&url)).await.unwrap();
        assert!(
            went_along(&server.request(server.requests() - 1)),
            "{credentials:?}"
        );
        let before = server.requests();
        pipeline.send(&scope, get_foreign(&url)).await.unwrap();
        assert_eq!(
            server.requests(),
            before + 1,
            "one request: no token was asked for, and the copy got with the key is not shown"
        );
        assert!(!went_along(&server.request(before)), "{credentials:?}");
    }
    // Nor if another address replaced the adapter's own.
    let scope = scope(source(BEARER, &[]), &crate::ports::TokioTimer, 5);
    let mut swapped = get("https://other.test.org/z");
    swapped.url = "https://api.test.org/z".parse().unwrap();
    pipeline.send(&scope, swapped).await.unwrap();
    assert!(!went_along(&server.request(server.requests() - 1)));
}

#[tokio::test]
async fn a_key_goes_along_only_while_redirects_stay_where_the_adapter_asked() {
    // The first segment names the remaining hosts: `a` is the credential's own host, `o` another.
    let server = Server::start(|seen| {
        let plan = seen.path().trim_start_matches('/').split(['?', '/']).next();
        let mut plan = plan.unwrap_or_default().chars();
        vec![Act::Send(match plan.next() {
            None => json("{}"),
            Some(next) => {
                let host = if next == 'a' { "api" } else { "other" };
                let to = format!("https://{host}.test.org/{}", plan.as_str());
                answer(301, &[("location", &to)], "")
            }
        })]
    })
    .await;
    for credentials in [BEARER, HEADER, QUERY] {
        for (start, plan, expected) in [
            // Moved on the same host, as renamed repositories are.
            ("api", "aa", "111"),
            // Through another host and back.
            ("api", "oa", "100"),
            ("api", "aoa", "1100"),
            // From another host.
            ("other", "a", "00"),
            ("other", "aa", "000"),
        ] {
            let from = server.requests();
            let pipeline = pipeline(with_secret(&server));
            let scope = scope(source(credentials, &[]), &crate::ports::TokioTimer, 5);
            let url = format!("https://{start}.test.org/{plan}");
            pipeline.send(&scope, get(&url)).await.unwrap();
            let got: String = (from..server.requests())
                .map(|n| if went_along(&server.request(n)) { '1' } else { '0' })
                .collect();
            assert_eq!(got, expected, "{credentials:?} {url}");
            let from = server.requests();
            pipeline.send(&scope, get_foreign(&url)).await.unwrap();
            assert!((from..server.requests()).all(|n| !went_along(&server.request(n))));
        }
    }
}

#[tokio::test]
async fn a_key_that_a_redirect_repeats_is_not_sent_on() {
    for target in ["https://other.test.org/y", "https://api.test.org/y"] {
        let server = Server::start(move |seen| {
            vec![Act::Send(if seen.path().starts_with("/x") {
                let query = seen.path().split_once('?').map_or("", |(_, query)| query);
                answer(301, &[("location", &format!("{target}?{query}&b=2"))], "")
            } else {
                json("{}")
            })]
        })
        .await;
        let scope = scope(source(QUERY, &[]), &crate::ports::TokioTimer, 5);
        let response = pipeline(with_secret(&server))
            .send(&scope, get("https://api.test.org/x?a=1"))
            .await
            .unwrap();
        assert_eq!(response.final_url.as_str(), format!("{target}?a=1&b=2"));
        let keys = server.request(1).path().matches(SECRET).count();
        assert_eq!(keys, usize::from(target.contains("api.")), "{target}");
    }
}

#[tokio::test]
async fn a_refused_key_is_left_out_once_and_said() {
    let server = Server::start(|seen| {
        vec![Act::Send(if seen.header("authorization").is_some() {
            answer(401, &[], "{}")
        } else {
            json("{}")
        })]
    })
    .await;
    let pipeline = pipeline(with_secret(&server));
    let optional = scope(source(BEARER, ROUTES), &crate::ports::TokioTimer, 5);
    let response = pipeline.send(&optional, get(URL)).await.unwrap();
    assert_eq!(response.key_refused, Some("TEST_TOKEN"));
    assert_eq!((response.attempts, server.requests()), (2, 2));
    let mut anonymous = get("https://api.test.org/anonymous");
    anonymous.anonymous = true;
    let response = pipeline.send(&optional, anonymous).await.unwrap();
    assert_eq!(response.key_refused, None, "it was asked without a key");
    assert_eq!(server.requests(), 3);

    let required = scope(source(BEARER_REQUIRED, ROUTES), &crate::ports::TokioTimer, 5);
    let error = pipeline
        .send(&required, get("https://api.test.org/other"))
        .await
        .unwrap_err();
    assert_eq!(
        (error.code, error.http_status),
        (ErrorCode::AccessDenied, Some(401))
    );
    assert!(error.hint.unwrap().contains("TEST_TOKEN"));
    assert_eq!(server.requests(), 4);
}

#[tokio::test]
async fn without_a_key_the_hint_says_which_would_help() {
    let server = Server::always(answer(403, &[], "")).await;
    let scope = scope(source(BEARER, &[]), &crate::ports::TokioTimer, 5);
    let error = pipeline(config_to(&server))
        .send(&scope, get(URL))
        .await
        .unwrap_err();
    let hint = error.hint.unwrap();
    assert!(
        hint.contains("TEST_TOKEN") && hint.contains("https://example.org/keys"),
        "{hint}"
    );
}

#[tokio::test]
async fn no_key_is_recommended_for_an_address_that_gets_none() {
    let server = Server::always(answer(403, &[], "")).await;
    let scope = scope(source(BEARER, &[]), &crate::ports::TokioTimer, 5);
    let error = pipeline(config_to(&server))
        .send(&scope, get_foreign(URL))
        .await
        .unwrap_err();
    assert!(!error.hint.unwrap_or_default().contains("TEST_TOKEN"));
}

#[tokio::test]
async fn client_credentials_fetch_keep_and_renew_a_token() {
    let server = Server::start(|seen| {
        let body = match (
            seen.header("x-forwarded-host"),
            seen.header("authorization"),
            seen.n,
        ) {
            (Some("auth.test.org"), Some("Basic czNjcjN0LWNhbmFyeS12YWx1ZTpvdGhlci1oYWxm"), n) => json(
                &format!("{{\"access_token\":\"t{n}\",\"expires_in\":3600,\"token_type\":\"bearer\"}}"),
            ),
            (Some("api.test.org"), Some("Bearer t0"), 0..=2)
            | (Some("api.test.org"), Some("Bearer t4"), _) => json("{}"),
            _ => answer(401, &[], "{}"),
        };
        vec![Act::Send(body)]
    })
    .await;
    let mut config = with_secret(&server);
    config.secrets.insert("TEST_SECRET".into(), "other-half".into());
    let pipeline = pipeline(config);
    let scope = scope(source(CLIENT, &[]), &crate::ports::TokioTimer, 5);
    for n in 1..=2 {
        pipeline.send(&scope, get(&format!("{URL}{n}"))).await.unwrap();
    }
    assert_eq!(server.requests(), 3, "one token for both");
    assert_eq!(server.request(0).body, "grant_type=client_credentials");
    // The token is refused: one renewal, one more attempt.
    pipeline.send(&scope, get(&format!("{URL}3"))).await.unwrap();
    assert_eq!(server.requests(), 6);
    assert_eq!(server.request(5).header("authorization"), Some("Bearer t4"));
}

#[tokio::test]
async fn a_refused_client_is_said_so() {
    let server = Server::always(answer(401, &[], "{}")).await;
    let mut config = with_secret(&server);
    config.secrets.insert("TEST_SECRET".into(), "other-half".into());
    let scope = scope(source(CLIENT, &[]), &crate::ports::TokioTimer, 5);
    let error = pipeline(config).send(&scope, get(URL)).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::AccessDenied);
    assert!(error.message.contains("TEST_TOKEN"));
    assert_eq!(server.requests(), 1, "the source itself was not asked");
}

#[tokio::test]
async fn half_a_client_is_no_key() {
    let server = Server::always(json("{}")).await;
    let scope = scope(source(CLIENT, &[]), &crate::ports::TokioTimer, 5);
    pipeline(with_secret(&server))
        .send(&scope, get(URL))
        .await
        .unwrap();
    assert_eq!(server.request(0).header("authorization"), None);
}

#[tokio::test]
async fn h09_no_secret_in_any_error_or_log() {
    let (log, _guard) = Log::start();
    let mut texts = Vec::new();
    for credentials in [BEARER, HEADER, QUERY, CLIENT] {
        for acts in [
            vec![Act::Send(answer(401, &[], SECRET))],
            vec![Act::Send(answer(500, &[("x-echo", SECRET)], SECRET))],
            vec![Act::Send(answer(
                302,
                &[("location", &format!("https://a.test.org:99/?k={SECRET}"))],
                "",
            ))],
            vec![Act::Send(format!("{SECRET} nonsense\r\n\r\n").into_bytes())],
            vec![Act::Close],
            vec![Act::Reset],
            vec![Act::Send(json("{}"))],
        ] {
            let server = Server::start(move |_| acts.clone()).await;
            let mut config = with_secret(&server);
            config.secrets.insert("TEST_SECRET".into(), SECRET.into());
            config.limits.attempts = 1;
            texts.push(format!("{config:?}"));
            let pipeline = pipeline(config);
            texts.push(format!("{pipeline:?} {:?}", pipeline.status()));
            let scope = scope(source(credentials, &[]), &crate::ports::TokioTimer, 5);
            match pipeline.send(&scope, get(URL)).await {
                Ok(response) => texts.push(response.final_url.to_string()),
                Err(error) => texts.push(format!("{error} {error:?}")),
            }
        }
    }
    let logged = log.text();
    assert!(logged.contains("request failed"), "the log was caught");
    let ours: String = logged
        .lines()
        .filter(|line| line.contains("freshcontext"))
        .collect();
    assert!(!ours.contains(SECRET) && !texts.iter().any(|text| text.contains(SECRET)));
    assert!(!logged.contains(SECRET), "nor in what the libraries log");
}
