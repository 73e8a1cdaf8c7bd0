//! Messages for transport errors. The transport's own messages may contain addresses and secrets, so only their
//! innermost part is logged.

use std::error::Error;
use std::io::ErrorKind;

use freshcontext_contract::{ErrorCode, SourceError};

use crate::clients::Refused;
use crate::exhaustion::is_exhaustion;
use crate::policy::blocked_class;
use crate::ports::ResolveError;
use crate::step::Step;

/// Describes a failure before the head of the answer arrived.
pub(crate) fn of_head(error: &reqwest::Error, step: Step, host: &str) -> SourceError {
    if let Some(refused) = find::<Refused>(error) {
        return of_refusal(refused, host);
    }
    if lacks_resources(error) {
        return exhausted(host).with("cause", innermost(error));
    }
    let failure = match step {
        Step::Dns => SourceError::unreachable("dns", format!("the name {host} could not be resolved")),
        Step::Connect => SourceError::unreachable("connect", connect_text(error, host)),
        Step::Tls => SourceError::unreachable("tls", tls_text(error, host)),
        Step::Answer => match find::<hyper::Error>(error) {
            Some(inner) if inner.is_parse() => {
                SourceError::malformed(format!("{host} sent something that is not HTTP")).detail("http")
            }
            _ => SourceError::unreachable(
                "connect",
                format!("{host} closed the connection without an answer"),
            ),
        },
    };
    let failure = match (step, find::<rustls::Error>(error).is_some()) {
        // A certificate error does not go away within seconds.
        (Step::Tls, true) => failure.permanent(),
        _ => failure,
    };
    failure.with("cause", innermost(error))
}

/// Describes a resolver that returned no address.
pub(crate) fn of_refusal(refused: &Refused, host: &str) -> SourceError {
    let unresolved = || SourceError::unreachable("dns", format!("the name {host} could not be resolved"));
    match refused {
        Refused::Class(class) => blocked_class(class),
        Refused::Dns(ResolveError::NoSuchName) => unresolved()
            .permanent()
            .hint("check the spelling of the host name")
            .with("cause", "no such name"),
        Refused::Dns(ResolveError::Failed(why)) => unresolved().with("cause", why.clone()),
        Refused::Dns(ResolveError::Exhausted) => exhausted(host).with("cause", ResolveError::Exhausted),
    }
}

/// Describes a connection for which this machine has no descriptor or buffer. It says nothing about the host.
fn exhausted(host: &str) -> SourceError {
    SourceError::new(
        ErrorCode::Overloaded,
        format!("this server has no free file descriptor for a connection to {host}"),
    )
    .detail("descriptors")
    .hint(
        "try again in a few seconds, with fewer calls at once; the operator can raise the limit of open files",
    )
}

fn lacks_resources(error: &reqwest::Error) -> bool {
    chain(error)
        .filter_map(|at| at.downcast_ref::<std::io::Error>())
        .any(is_exhaustion)
}

/// Describes a step that exceeded its time limit.
pub(crate) fn of_late_step(step: Step, host: &str) -> SourceError {
    match step {
        Step::Dns => {
            SourceError::unreachable("dns", format!("the name {host} could not be resolved in time"))
        }
        Step::Connect => {
            SourceError::unreachable("connect", format!("{host} did not accept a connection in time"))
        }
        Step::Tls => {
            SourceError::unreachable("tls", format!("{host} did not finish the TLS handshake in time"))
        }
        Step::Answer => SourceError::new(ErrorCode::Timeout, format!("{host} did not answer in time"))
            .detail("first_byte"),
    }
}

/// Describes a call whose deadline passed.
pub(crate) fn of_deadline(step: Step, host: &str) -> SourceError {
    let doing = match step {
        Step::Dns => "resolving",
        Step::Connect | Step::Tls => "connecting to",
        Step::Answer => "waiting for",
    };
    SourceError::new(
        ErrorCode::Timeout,
        format!("the call's time ran out while {doing} {host}"),
    )
    .detail("deadline")
}

/// Describes a body that stopped arriving.
pub(crate) fn of_silence(host: &str) -> SourceError {
    SourceError::new(
        ErrorCode::Timeout,
        format!("{host} stopped sending in the middle of its answer"),
    )
    .detail("idle_read")
}

/// Describes a body that was cut off or framed incorrectly.
pub(crate) fn of_body(error: &reqwest::Error, host: &str) -> SourceError {
    let broken = find::<std::io::Error>(error).is_some_and(|io| {
        matches!(
            io.kind(),
            ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted | ErrorKind::BrokenPipe
        )
    });
    let failure = if broken {
        SourceError::unreachable(
            "connect",
            format!("{host} broke the connection in the middle of its answer"),
        )
    } else {
        SourceError::malformed(format!("the answer of {host} is cut off or framed wrongly")).detail("framing")
    };
    failure.with("cause", innermost(error))
}

fn connect_text(error: &reqwest::Error, host: &str) -> String {
    let texts = chain_texts(error);
    if texts.contains("proxy auth") || texts.contains("407") {
        return "the configured proxy wants credentials".to_owned();
    }
    if texts.contains("tunnel") || texts.contains("unsuccessful") {
        return format!("the configured proxy refused to connect to {host}");
    }
    match find::<std::io::Error>(error).map(std::io::Error::kind) {
        Some(ErrorKind::ConnectionRefused) => format!("{host} refused the connection"),
        Some(ErrorKind::ConnectionReset) => format!("{host} reset the connection"),
        Some(ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable | ErrorKind::AddrNotAvailable) => {
            format!("there is no way to {host} from here")
        }
        _ => format!("no connection to {host}"),
    }
}

fn tls_text(error: &reqwest::Error, host: &str) -> String {
    use rustls::{CertificateError as C, Error as E};
    let why = match find::<rustls::Error>(error) {
        Some(E::InvalidCertificate(reason)) => match reason {
            C::Expired | C::ExpiredContext { .. } => "its certificate has expired",
            C::NotValidYet | C::NotValidYetContext { .. } => "its certificate is not valid yet",
            C::NotValidForName | C::NotValidForNameContext { .. } => "its certificate is for another name",
            C::UnknownIssuer => "its certificate comes from an unknown authority (or from itself)",
            C::Revoked => "its certificate has been revoked",
            _ => "its certificate is not acceptable",
        },
        Some(E::PeerIncompatible(_)) => "it offers no TLS version or cipher that is still safe",
        Some(E::AlertReceived(alert)) => match alert {
            rustls::AlertDescription::ProtocolVersion => "it offers no TLS version that is still safe",
            rustls::AlertDescription::HandshakeFailure => "it accepted none of the safe TLS settings",
            _ => "it ended the TLS handshake",
        },
        Some(
            E::InvalidMessage(_) | E::InappropriateMessage { .. } | E::InappropriateHandshakeMessage { .. },
        ) => "it does not speak TLS there",
        Some(_) => "the TLS handshake failed",
        None => "it broke off the TLS handshake",
    };
    format!("no secure connection to {host}: {why}")
}

/// Returns the error and its causes, outermost first. An I/O error does not return its inner error as its source, and
/// TLS errors are wrapped in I/O errors, sometimes twice.
fn chain(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    let first: &(dyn Error + 'static) = error;
    std::iter::successors(Some(first), |at| cause(*at))
}

fn cause<'e>(at: &'e (dyn Error + 'static)) -> Option<&'e (dyn Error + 'static)> {
    match at
        .downcast_ref::<std::io::Error>()
        .and_then(std::io::Error::get_ref)
    {
        Some(carried) => Some(carried),
        None => at.source(),
    }
}

fn find<T: Error + 'static>(error: &reqwest::Error) -> Option<&T> {
    chain(error).find_map(|at| at.downcast_ref::<T>())
}

fn chain_texts(error: &reqwest::Error) -> String {
    chain(error)
        .skip(1)
        .map(|at| at.to_string().to_ascii_lowercase() + "\n")
        .collect()
}

/// Returns the innermost message, shortened. The message of reqwest's own error contains the URL; the innermost
/// message never does.
fn innermost(error: &reqwest::Error) -> String {
    let text = chain(error)
        .skip(1)
        .last()
        .map(ToString::to_string)
        .unwrap_or_default();
    text.chars().filter(|c| !c.is_control()).take(200).collect()
}
