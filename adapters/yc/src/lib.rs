//! yc
