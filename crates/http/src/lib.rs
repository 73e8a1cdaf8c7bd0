//! freshcontext http.
