//! freshcontext xtask.
