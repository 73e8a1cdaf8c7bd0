//! An OAuth 2.1 resource server: it accepts access tokens of one issuer and gives out none.
//!
//! A token is a JWT (RFC 7519, RFC 9068) that is signed with a key of the issuer. The issuer's metadata (RFC 8414,
//! OpenID Connect Discovery) names its keys, which are requested at most once a minute, whatever callers send. Clients
//! find the issuer through the protected resource metadata (RFC 9728). The rules are those of the MCP specification,
//! revisions 2025-11-25 and 2026-07-28:
//! <https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization>.

mod discovery;
mod issuer;
mod keys;
mod provider;
mod refused;
mod resource;
mod server;
mod token;

pub use issuer::{Documents, IssuerDocuments, Report};
pub use refused::Refused;
pub use resource::WELL_KNOWN;
pub use server::{Accepted, Options, ResourceServer};
pub use token::Flaw;
