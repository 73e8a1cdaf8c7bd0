//! Which addresses may be dialled.

use std::net::IpAddr;

/// Why an address may not be dialled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AddressClass {
    /// This machine.
    Loopback,
}

impl AddressClass {
    /// The class as it appears in errors.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Loopback => "loopback",
        }
    }
}

/// Judges one address.
pub fn classify(address: IpAddr) -> Result<(), AddressClass> {
    if address.is_loopback() { Err(AddressClass::Loopback) } else { Ok(()) }
}
