//! The address of a Redis server.

use redis::{Client, IntoConnectionInfo};

/// Returns whether this is an address of a Redis server (`redis://`, `rediss://`, or `unix://` for a socket).
pub fn check_address(address: &str) -> bool {
    let known = ["redis://", "rediss://", "unix://", "redis+unix://"];
    known.iter().any(|scheme| address.starts_with(scheme)) && address.into_connection_info().is_ok()
}

/// Prepares a client. Does no I/O.
pub(crate) fn client(address: &str) -> Result<Client, String> {
    if !check_address(address) {
        return Err("is not an address such as redis://host:6379".to_owned());
    }
    if address.starts_with("rediss://") {
        // The rest of this program uses ring, too. An earlier choice of the process stays.
        let _ = rustls::crypto::ring::default_provider().install_default();
    }
    // The error would show the address, which may hold a password.
    Client::open(address).map_err(|_| "is not an address such as redis://host:6379".to_owned())
}
