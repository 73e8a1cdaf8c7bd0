//! Permissions of the data folder and of the database files: access for the owner only, because the files contain
//! search terms.

use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io::{Error, ErrorKind};
use std::path::Path;

use crate::error::{StoreError, Trouble};

/// Suffixes of the files that SQLite creates next to its database, with the database's mode.
const BESIDE: [&str; 3] = ["-wal", "-shm", "-journal"];
/// Maximum number of folder entries that are read to decide whether a folder is shared.
#[cfg(unix)]
const ENTRIES: usize = 1_000;
/// The folder that a file system creates in its root.
#[cfg(unix)]
const OF_THE_DISK: &str = "lost+found";

/// Creates the data folder with its parents, or removes other users' permissions from an existing one. Refuses a folder
/// that is shared with other users.
pub(crate) fn folder(folder: &Path, file: &Path) -> Result<(), StoreError> {
    if is_link_to_nothing(folder) {
        return Err(refused("the data folder is a dangling symbolic link"));
    }
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
        .create(folder)
        .map_err(|error| failed("the data folder cannot be made", &error))?;
    let known =
        std::fs::metadata(folder).map_err(|error| failed("the data folder cannot be read", &error))?;
    if is_wide(&known) {
        // An unwritable file gives the more useful message.
        if file.exists() {
            open_regular(file, "the database file")?;
        }
        #[cfg(unix)]
        if is_shared(folder, &known, file) {
            return Err(refused(
                "the data folder is shared with other users; set data_dir to a folder of its own",
            ));
        }
        narrow_path(folder, &known, "the data folder")?;
    }
    Ok(())
}

/// Creates a file that only its owner can read, or removes other users' permissions from an existing one. Refuses a
/// dangling symbolic link and anything except a regular file. Never creates a file through a link.
pub(crate) fn file(file: &Path, what: &str) -> Result<File, StoreError> {
    let mut options = OpenOptions::new();
    options.append(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(file) {
        Ok(made) => Ok(made),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let opened = open_regular(file, what)?;
            narrow(&opened, what)?;
            Ok(opened)
        }
        Err(error) => Err(failed(&format!("{what} cannot be written"), &error)),
    }
}

/// Removes other users' permissions from the files that SQLite keeps next to its database. SQLite itself follows no
/// links there.
pub(crate) fn beside(database: &Path) -> Result<(), StoreError> {
    for ending in BESIDE {
        let mut name = database.as_os_str().to_owned();
        name.push(ending);
        let file = Path::new(&name);
        match std::fs::symlink_metadata(file) {
            Ok(known) if !known.is_file() => {
                return Err(refused(&format!(
                    "the database's {ending} file is not a regular file"
                )));
            }
            // Another process may delete it at any time.
            Ok(known) if is_wide(&known) => match narrow_path(file, &known, "a file of the database") {
                Err(error) if file.exists() => return Err(error),
                _ => {}
            },
            _ => {}
        }
    }
    Ok(())
}

fn refused(message: &str) -> StoreError {
    StoreError::new(Trouble::ReadOnly, message)
}

fn failed(what: &str, error: &Error) -> StoreError {
    let trouble = match error.kind() {
        ErrorKind::StorageFull => Trouble::Full,
        _ => Trouble::ReadOnly,
    };
    StoreError::new(trouble, format!("{what}: {}", error.kind()))
}

fn is_link_to_nothing(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|known| known.is_symlink()) && !path.exists()
}

/// Opens an existing regular file. Nothing else is opened: a pipe would block.
fn open_regular(file: &Path, what: &str) -> Result<File, StoreError> {
    let known = std::fs::metadata(file).map_err(|error| {
        if is_link_to_nothing(file) {
            refused(&format!("{what} is a dangling symbolic link"))
        } else {
            failed(&format!("{what} cannot be written"), &error)
        }
    })?;
    if !known.is_file() {
        return Err(refused(&format!("{what} is not a regular file")));
    }
    OpenOptions::new()
        .append(true)
        .open(file)
        .map_err(|error| failed(&format!("{what} cannot be written"), &error))
}

#[cfg(unix)]
fn mode(known: &Metadata) -> u32 {
    std::os::unix::fs::MetadataExt::mode(known) & 0o7777
}

/// Returns whether users other than the owner have any permission.
#[cfg(unix)]
fn is_wide(known: &Metadata) -> bool {
    mode(known) & 0o077 != 0
}

#[cfg(not(unix))]
fn is_wide(_: &Metadata) -> bool {
    false
}

/// Returns the owner's permissions only, without execution for a file.
#[cfg(unix)]
fn of_the_owner(known: &Metadata) -> std::fs::Permissions {
    let most = if known.is_dir() { 0o700 } else { 0o600 };
    std::os::unix::fs::PermissionsExt::from_mode(mode(known) & most)
}

#[cfg(not(unix))]
fn of_the_owner(known: &Metadata) -> std::fs::Permissions {
    known.permissions()
}

fn cannot_be_narrowed(what: &str, error: &Error) -> StoreError {
    failed(
        &format!("{what} is open to other users, and its mode cannot be changed"),
        error,
    )
}

fn narrow_path(path: &Path, known: &Metadata, what: &str) -> Result<(), StoreError> {
    std::fs::set_permissions(path, of_the_owner(known)).map_err(|error| cannot_be_narrowed(what, &error))?;
    let after = std::fs::metadata(path).map_err(|error| cannot_be_narrowed(what, &error))?;
    still_wide(&after, what)
}

fn narrow(file: &File, what: &str) -> Result<(), StoreError> {
    let known = file
        .metadata()
        .map_err(|error| cannot_be_narrowed(what, &error))?;
    if !is_wide(&known) {
        return Ok(());
    }
    file.set_permissions(of_the_owner(&known))
        .map_err(|error| cannot_be_narrowed(what, &error))?;
    let after = file
        .metadata()
        .map_err(|error| cannot_be_narrowed(what, &error))?;
    still_wide(&after, what)
}

/// Checks the result of a change, since a file system without modes accepts and ignores every change.
fn still_wide(after: &Metadata, what: &str) -> Result<(), StoreError> {
    if is_wide(after) {
        return Err(refused(&format!(
            "{what} is open to other users, and its file system does not store modes"
        )));
    }
    Ok(())
}

/// Returns whether other users rely on a folder, such as `/tmp` or `/var/lib`. Such a folder has foreign entries, and
/// it is sticky, in the root of the file system, or has another user's entries. This program must not change its
/// permissions.
#[cfg(unix)]
fn is_shared(folder: &Path, known: &Metadata, file: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let is_ours = |name: &std::ffi::OsStr| {
        let name = name.to_string_lossy();
        name == OF_THE_DISK || stem.as_ref().is_some_and(|stem| name.starts_with(stem.as_str()))
    };
    let Ok(entries) = std::fs::read_dir(folder) else {
        return false;
    };
    let mut foreign = entries
        .take(ENTRIES)
        .flatten()
        .filter(|entry| !is_ours(&entry.file_name()))
        .peekable();
    if foreign.peek().is_none() {
        return false;
    }
    let whole = folder.canonicalize();
    let at_the_top = whole.is_ok_and(|whole| whole.components().count() <= 2);
    let sticky = mode(known) & 0o1000 != 0;
    let of_another = |entry: std::fs::DirEntry| {
        let entry = std::fs::symlink_metadata(entry.path());
        entry.is_ok_and(|entry| entry.uid() != known.uid())
    };
    sticky || at_the_top || foreign.any(of_another)
}
