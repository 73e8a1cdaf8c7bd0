//! arxiv
