//! B23: TLS certificates that must not be trusted, and a private authority that may be.

use std::net::SocketAddr;
use std::sync::Arc;

use freshcontext_contract::{ErrorCode, SourceError};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls_pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::config::Config;
use crate::testing::*;

fn authority() -> CertifiedIssuer<'static, KeyPair> {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// Starts a TLS server with this certificate that answers `{}`.
async fn serve(
    mut params: CertificateParams,
    authority: Option<&CertifiedIssuer<'static, KeyPair>>,
) -> SocketAddr {
    let key = KeyPair::generate().unwrap();
    params.distinguished_name = rcgen::DistinguishedName::new();
    let certificate = match authority {
        Some(authority) => params.signed_by(&key, authority).unwrap(),
        None => params.self_signed(&key).unwrap(),
    };
    let private = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let config =
        rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], private)
            .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                if let Ok(mut stream) = acceptor.accept(stream).await {
                    let mut head = [0; 4096];
                    let _ = stream.read(&mut head).await;
                    let _ = stream.write_all(&json("{}")).await;
                    let _ = stream.shutdown().await;
                }
            });
        }
    });
    address
}

async fn ask(address: SocketAddr, ca: Option<String>) -> Result<(), SourceError> {
    let mut config = Config::new(TestClock::new());
    config.resolver = Arc::<Names>::default().add("api.test.org", &[&["93.184.215.14"]]);
    config.dial = LeadTo::new(address);
    config.extra_ca_pem = ca.map(String::into_bytes);
    hasten(&mut config);
    send(&pipeline(config), get("https://api.test.org/x"))
        .await
        .map(drop)
}

fn named(name: &str) -> CertificateParams {
    CertificateParams::new(vec![name.to_owned()]).unwrap()
}

fn assert_tls(outcome: Result<(), SourceError>, reason: &str) {
    let error = outcome.unwrap_err();
    assert_eq!(
        (error.code, error.detail.as_deref()),
        (ErrorCode::Unreachable, Some("tls")),
        "{error:?}"
    );
    assert!(
        error.message.contains(reason),
        "{} should say {reason}",
        error.message
    );
}

#[tokio::test]
async fn b23_a_private_authority_that_the_operator_named_is_trusted() {
    let authority = authority();
    let address = serve(named("api.test.org"), Some(&authority)).await;
    ask(address, Some(authority.pem())).await.unwrap();
    assert_tls(ask(address, None).await, "unknown authority");
}

#[tokio::test]
async fn b23_wrong_name_expired_self_signed() {
    let authority = authority();
    let address = serve(named("other.test.org"), Some(&authority)).await;
    assert_tls(ask(address, Some(authority.pem())).await, "another name");

    let mut expired = named("api.test.org");
    expired.not_before = rcgen::date_time_ymd(2019, 1, 1);
    expired.not_after = rcgen::date_time_ymd(2020, 1, 1);
    let address = serve(expired, Some(&authority)).await;
    assert_tls(ask(address, Some(authority.pem())).await, "expired");

    let address = serve(named("api.test.org"), None).await;
    assert_tls(ask(address, None).await, "unknown authority");
}

#[tokio::test]
async fn b23_a_stalled_handshake_and_plain_text() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    assert_tls(ask(silent.local_addr().unwrap(), None).await, "in time");
    let talker = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = talker.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = talker.accept().await {
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
            let mut rest = [0; 1024];
            while matches!(stream.read(&mut rest).await, Ok(count) if count > 0) {}
        }
    });
    assert_tls(ask(address, None).await, "does not speak TLS");
}

/// A server that speaks TLS 1.0 only refuses the client's hello with an alert; nobody asks it again without TLS.
#[tokio::test]
async fn b23_an_old_version_is_refused_and_never_plain_text_instead() {
    let old = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = old.local_addr().unwrap();
    let (told, mut asked) = tokio::sync::mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = old.accept().await {
            let mut first = [0; 1];
            let _ = stream.read_exact(&mut first).await;
            let _ = told.send(first[0]);
            // A fatal alert, protocol_version, in a record of TLS 1.0 (RFC 2246, section 7.2).
            let _ = stream.write_all(&[21, 3, 1, 0, 2, 2, 70]).await;
        }
    });
    let error = ask(address, None).await.unwrap_err();
    assert_eq!(
        (error.code, error.detail.as_deref()),
        (ErrorCode::Unreachable, Some("tls")),
        "{error:?}"
    );
    // 22 begins a handshake; a request in plain text would begin with a letter.
    assert_eq!(asked.recv().await, Some(22));
    assert!(asked.try_recv().is_err(), "asked once");
}

#[tokio::test]
async fn an_extra_authority_that_is_none_is_refused_at_the_start() {
    let mut config = Config::new(TestClock::new());
    config.extra_ca_pem = Some(b"not a certificate".to_vec());
    let error = crate::pipeline::Pipeline::new(config).unwrap_err();
    assert!(error.to_string().contains("extra CA"), "{error}");
}
