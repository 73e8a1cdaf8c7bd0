//! producthunt
