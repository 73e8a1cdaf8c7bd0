//! A changelog file: its versions; where it has none, the rows of a table of versions, and then its dated entries.

use super::entries;
use super::markdown::{self, Document, rows};

/// Reads a file. Its entries have a day each, and are at least two.
pub fn read(source: &str) -> Document {
    let document = markdown::read_file(source);
    if !document.releases.is_empty() {
        return document;
    }
    if let Some(rows) = rows::rewritten(source) {
        return markdown::read_file(&rows);
    }
    let releases = entries::headed(&markdown::outline(source), true);
    Document {
        sure: releases.len(),
        releases,
        ..document
    }
}
