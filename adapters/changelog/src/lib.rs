//! changelog
