//! sec
