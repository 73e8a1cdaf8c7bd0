//! freshcontext testkit.
