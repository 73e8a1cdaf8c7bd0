//! gdelt
