//! hackernews
