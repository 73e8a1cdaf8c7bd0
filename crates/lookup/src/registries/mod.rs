//! Registries that no tool of its own asks: each with its descriptor, its request and its reader.

pub(crate) mod archive;
pub(crate) mod datacite;
pub(crate) mod go;
pub(crate) mod osv;
pub(crate) mod rfc;
