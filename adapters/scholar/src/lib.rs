//! scholar
