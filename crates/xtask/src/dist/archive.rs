//! Package containers. Deterministic: independent of the clock, the user and the order of a folder.

use std::io::{Cursor, Write as _};

use flate2::Compression;
use flate2::write::GzEncoder;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

/// A file in a package.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Its path inside the package.
    pub path: String,
    /// Its content.
    pub bytes: Vec<u8>,
    /// Whether it is executable.
    pub program: bool,
}

impl Entry {
    /// A regular file.
    pub fn file(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            path: path.into(),
            bytes: bytes.into(),
            program: false,
        }
    }

    /// An executable file.
    pub fn program(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            program: true,
            ..Self::file(path, bytes)
        }
    }

    fn mode(&self) -> u32 {
        if self.program { 0o755 } else { 0o644 }
    }
}

/// Compresses with gzip.
pub fn gzip(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed
        .write_all(bytes)
        .and_then(|()| packed.finish())
        .map_err(|error| error.to_string())
}

/// Builds a tar.gz. `folders` adds entries for folders, because dpkg removes only what is listed.
pub fn tar_gz(entries: &[Entry], folders: bool) -> Result<Vec<u8>, String> {
    let failed = |error: std::io::Error| error.to_string();
    let mut tar = tar::Builder::new(Vec::new());
    let mut made = std::collections::BTreeSet::new();
    for entry in entries {
        let parts: Vec<&str> = entry.path.split('/').collect();
        for end in 1..parts.len() {
            let folder = format!("{}/", parts.get(..end).unwrap_or_default().join("/"));
            if folders && made.insert(folder.clone()) {
                let mut header = header(0o755, 0);
                header.set_entry_type(tar::EntryType::Directory);
                tar.append_data(&mut header, &folder, std::io::empty())
                    .map_err(failed)?;
            }
        }
        let mut header = header(entry.mode(), entry.bytes.len() as u64);
        tar.append_data(&mut header, &entry.path, entry.bytes.as_slice())
            .map_err(failed)?;
    }
    gzip(&tar.into_inner().map_err(failed)?)
}

fn header(mode: u32, size: u64) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_mode(mode);
    header.set_size(size);
    header.set_mtime(0);
    header.set_uid(0);
    header.set_gid(0);
    header
}

/// Builds a zip.
pub fn zip(entries: &[Entry]) -> Result<Vec<u8>, String> {
    let mut packed = ZipWriter::new(Cursor::new(Vec::new()));
    for entry in entries {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(DateTime::default())
            .unix_permissions(entry.mode());
        packed
            .start_file(entry.path.as_str(), options)
            .map_err(|error| error.to_string())?;
        packed
            .write_all(&entry.bytes)
            .map_err(|error| error.to_string())?;
    }
    packed
        .finish()
        .map(Cursor::into_inner)
        .map_err(|error| error.to_string())
}

/// Builds a Unix archive, the container of a Debian package.
pub fn ar(entries: &[Entry]) -> Result<Vec<u8>, String> {
    let mut archive = ar::Builder::new(Vec::new());
    for entry in entries {
        let mut header = ar::Header::new(entry.path.clone().into_bytes(), entry.bytes.len() as u64);
        header.set_mode(0o100_644);
        archive
            .append(&header, entry.bytes.as_slice())
            .map_err(|error| error.to_string())?;
    }
    archive.into_inner().map_err(|error| error.to_string())
}
