//! TLS to a Postgres server, with the meanings that libpq gives to `sslmode`
//! (<https://www.postgresql.org/docs/current/libpq-ssl.html>): `prefer` (the default) and `require` encrypt without a check of
//! the certificate, `verify-ca` checks its authority, `verify-full` its name, too. With a file in `sslrootcert`, `require` means
//! `verify-ca`. The relay opens TLS, not sqlx: it counts what the server sends, so it must read it.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use percent_encoding::percent_decode_str;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use sqlx::postgres::{PgConnectOptions, PgSslMode};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::error::{StoreError, Trouble};

/// Request for TLS, from <https://www.postgresql.org/docs/current/protocol-message-formats.html>: its length, and a code in
/// place of a protocol version.
const SSL_REQUEST: [u8; 8] = [0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f];
/// Value of `sslrootcert` that means the public authorities.
const PUBLIC: &str = "system";

/// How connections to a server are encrypted.
pub(crate) struct Tls {
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
    /// Whether a server without TLS is used without it.
    optional: bool,
}

/// A connection to a server.
pub(crate) enum Opened {
    Plain(TcpStream),
    Encrypted(Box<TlsStream<TcpStream>>),
}

impl Tls {
    /// Reads `sslmode` and `sslrootcert` of an address. `None` if connections are not encrypted.
    ///
    /// # Errors
    /// [`Trouble::Unreachable`] for a file of certificates that cannot be read, a name that no certificate can have, and
    /// certificates of the client, which are not supported.
    pub(crate) fn of(options: &PgConnectOptions, address: &str) -> Result<Option<Self>, StoreError> {
        let wrong = |message: String| StoreError::new(Trouble::Unreachable, message);
        if ["sslcert", "sslkey"]
            .iter()
            .any(|key| parameter(address, key).is_some())
        {
            return Err(wrong(
                "database_url: certificates of the client (sslcert, sslkey) are not supported; use a password".to_owned(),
            ));
        }
        let is_socket = options.get_socket().is_some() || options.get_host().starts_with('/');
        let mode = options.get_ssl_mode();
        if is_socket || matches!(mode, PgSslMode::Disable | PgSslMode::Allow) {
            return Ok(None);
        }
        let file = parameter(address, "sslrootcert").filter(|file| !file.is_empty() && file != PUBLIC);
        let check = match mode {
            PgSslMode::VerifyFull => Check::Name,
            PgSslMode::VerifyCa => Check::Authority,
            PgSslMode::Require if file.is_some() => Check::Authority,
            _ => Check::Nothing,
        };
        let provider = Arc::new(ring::default_provider());
        let authorities = match check {
            Check::Nothing => None,
            Check::Authority | Check::Name => {
                let roots = Arc::new(roots(file.map(PathBuf::from)).map_err(wrong)?);
                let verifier = WebPkiServerVerifier::builder_with_provider(roots, Arc::clone(&provider))
                    .build()
                    .map_err(|_| wrong("database_url: sslrootcert holds no certificate".to_owned()))?;
                Some(verifier)
            }
        };
        let verifier = Verifier {
            provider: Arc::clone(&provider),
            authorities,
            name: matches!(check, Check::Name),
        };
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| wrong(format!("database_url: {error}")))?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier))
            .with_no_client_auth();
        let name = ServerName::try_from(options.get_host().to_owned())
            .map_err(|_| wrong("database_url: no certificate can be for this host name".to_owned()))?;
        Ok(Some(Self {
            config: Arc::new(config),
            name,
            optional: matches!(mode, PgSslMode::Prefer),
        }))
    }

    /// Opens TLS on a new connection.
    ///
    /// # Errors
    /// What is wrong, for the operator.
    pub(crate) async fn open(&self, mut stream: TcpStream) -> Result<Opened, String> {
        let broken = |_: io::Error| "the database server ended the connection".to_owned();
        stream.write_all(&SSL_REQUEST).await.map_err(broken)?;
        // One byte: further ones, before TLS, could only be an attacker's (CVE-2021-23222), and TLS refuses them.
        match stream.read_u8().await.map_err(broken)? {
            b'S' => {}
            b'N' if self.optional => return Ok(Opened::Plain(stream)),
            b'N' => return Err("the database server has no TLS, and sslmode asks for it".to_owned()),
            _ => return Err("what answers at database_url is no Postgres server".to_owned()),
        }
        let connector = TlsConnector::from(Arc::clone(&self.config));
        match connector.connect(self.name.clone(), stream).await {
            Ok(stream) => Ok(Opened::Encrypted(Box::new(stream))),
            Err(error) => Err(problem(&error)),
        }
    }
}

/// What is checked of a certificate.
#[derive(Clone, Copy)]
enum Check {
    Nothing,
    Authority,
    Name,
}

/// Returns a parameter of an address, decoded.
fn parameter(address: &str, wanted: &str) -> Option<String> {
    let (_, query) = address.split_once('?')?;
    query.split('&').find_map(|pair| {
        let (key, value) = pair.split_once('=')?;
        let value = percent_decode_str(value).decode_utf8().ok()?;
        (key == wanted).then(|| value.into_owned())
    })
}

fn roots(file: Option<PathBuf>) -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    let Some(file) = file else {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        return Ok(roots);
    };
    let unreadable = || "database_url: the file of sslrootcert cannot be read as PEM certificates".to_owned();
    for certificate in CertificateDer::pem_file_iter(file).map_err(|_| unreadable())? {
        let certificate = certificate.map_err(|_| unreadable())?;
        roots.add(certificate).map_err(|_| unreadable())?;
    }
    Ok(roots)
}

/// Describes a failed handshake.
fn problem(error: &io::Error) -> String {
    let inner = error
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<rustls::Error>());
    let Some(rustls::Error::InvalidCertificate(wrong)) = inner else {
        return "the database server ended the TLS handshake".to_owned();
    };
    let what = match wrong {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => "has expired",
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => "is not valid yet",
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "is for another host name"
        }
        CertificateError::UnknownIssuer | CertificateError::BadSignature => {
            "is signed by an authority that is not trusted (sslrootcert)"
        }
        _ => "is not valid",
    };
    format!("the certificate of the database server {what}")
}

/// Checks a certificate as far as `sslmode` asks for it. That the server holds its key is always checked.
#[derive(Debug)]
struct Verifier {
    provider: Arc<CryptoProvider>,
    authorities: Option<Arc<WebPkiServerVerifier>>,
    name: bool,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let Some(authorities) = &self.authorities else {
            return Ok(ServerCertVerified::assertion());
        };
        // The name is checked last, so that an error about it means that the rest holds.
        match authorities.verify_server_cert(certificate, intermediates, name, ocsp, now) {
            Err(rustls::Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if !self.name => Ok(ServerCertVerified::assertion()),
            checked => checked,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}
