//! Addresses of database files.

use std::path::{Path, PathBuf};

/// Returns the file as an SQLite URI, which can express every byte of a path; sqlx accepts UTF-8 only.
#[cfg(unix)]
pub(crate) fn address(file: &Path) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    const PATH: &percent_encoding::AsciiSet = &percent_encoding::NON_ALPHANUMERIC
        .remove(b'/')
        .remove(b'.')
        .remove(b'-')
        .remove(b'_');
    // Two leading slashes would start a host name.
    let file: PathBuf = file.components().collect();
    let path = percent_encoding::percent_encode(file.as_os_str().as_bytes(), PATH);
    PathBuf::from(format!("file:{path}"))
}

#[cfg(not(unix))]
pub(crate) fn address(file: &Path) -> PathBuf {
    file.to_owned()
}
