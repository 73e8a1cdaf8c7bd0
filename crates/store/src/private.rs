//! Permissions of the data folder and of the database files: access for the owner only, because the files contain
//! search terms.

use std::fs::{DirBuilder, DirEntry, File, Metadata, OpenOptions};
use std::io::{Error, ErrorKind, Read as _};
use std::path::Path;

use crate::error::{StoreError, Trouble};

/// Suffixes of the files that SQLite creates next to its database, with the database's mode.
const BESIDE: [&str; 3] = ["-wal", "-shm", "-journal"];
/// Maximum number of folder entries that are read to decide whose a folder is.
const ENTRIES: usize = 1_000;
/// The folder that a file system creates in its root.
const OF_THE_DISK: &str = "lost+found";

/// Creates the data folder with its parents, for its owner only; an existing one stays as it is until
/// [`narrow_folder`]. Refuses a folder that is shared with other users.
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
        if std::fs::symlink_metadata(file).is_ok() {
            open_regular(file, "the database file")?;
        }
        #[cfg(unix)]
        if is_shared(folder, &known, file) {
            return Err(refused(
                "the data folder is shared with other users; set data_dir to a folder of its own",
            ));
        }
    }
    Ok(())
}

/// Removes other users' permissions from the data folder, if it belongs to this user and holds nothing but the database's
/// files. Another one keeps them, because others may rely on what is in it, and the log says so.
pub(crate) fn narrow_folder(folder: &Path, file: &Path) -> Result<(), StoreError> {
    let what = "the data folder";
    let opened = File::open(folder).map_err(|error| failed("the data folder cannot be read", &error));
    // Some platforms open no folders, and have no modes.
    let (true, Ok(opened)) = (cfg!(unix), opened) else {
        return Ok(());
    };
    let known = opened
        .metadata()
        .map_err(|error| failed("the data folder cannot be read", &error))?;
    if !is_wide(&known) {
        return Ok(());
    }
    if !is_own(&known) || foreign(folder, file).next().is_some() {
        tracing::warn!(
            "the data folder is open to other users and holds other files, so its permissions stay as they are; \
             set data_dir to a folder of its own"
        );
        return Ok(());
    }
    narrow(&opened, what)
}

/// A file that is open.
pub(crate) struct Opened {
    pub(crate) file: File,
    /// Whether it is what it should be: of this user, and empty or of the form that is due.
    pub(crate) is_ours: bool,
}

/// Creates a file that only its owner can read, or removes other users' permissions from an existing one that is empty or
/// begins with `start`; another one stays as it is. Refuses symbolic links and anything except a regular file.
pub(crate) fn file(file: &Path, what: &str, start: &[u8]) -> Result<Opened, StoreError> {
    let mut options = OpenOptions::new();
    options.append(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(file) {
        Ok(file) => Ok(Opened { file, is_ours: true }),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let file = open_regular(file, what)?;
            let is_ours = begins_with(&file, start).map_err(|error| failed(what, &error))?;
            if is_ours {
                narrow(&file, what)?;
            }
            Ok(Opened { file, is_ours })
        }
        Err(error) => Err(failed(&format!("{what} cannot be written"), &error)),
    }
}

/// Whether a file is empty, or begins with these bytes, and has no other name under which somebody may rely on it.
fn begins_with(file: &File, start: &[u8]) -> Result<bool, Error> {
    let known = file.metadata()?;
    if !has_one_name(&known) {
        return Ok(false);
    }
    let mut found = Vec::with_capacity(start.len());
    file.take(start.len() as u64).read_to_end(&mut found)?;
    Ok(known.len() == 0 || (!start.is_empty() && found == start))
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
            Ok(known) if is_wide(&known) && has_one_name(&known) => {
                let what = "a file of the database";
                match open_regular(file, what).and_then(|opened| narrow(&opened, what)) {
                    Err(error) if file.exists() => return Err(error),
                    _ => {}
                }
            }
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

/// Opens an existing regular file. Nothing else is opened: a pipe would block, and a link may lead to anybody's file.
fn open_regular(file: &Path, what: &str) -> Result<File, StoreError> {
    let unwritable = |error: &Error| failed(&format!("{what} cannot be written"), error);
    let known = std::fs::symlink_metadata(file).map_err(|error| unwritable(&error))?;
    if is_link_to_nothing(file) {
        return Err(refused(&format!("{what} is a dangling symbolic link")));
    }
    if known.is_symlink() {
        return Err(refused(&format!(
            "{what} is a symbolic link; set data_dir to the folder of the file itself"
        )));
    }
    let irregular = || refused(&format!("{what} is not a regular file"));
    if !known.is_file() {
        return Err(irregular());
    }
    let mut options = OpenOptions::new();
    options.read(true).append(true);
    // It may have been replaced since.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, no_detours());
    let opened = options.open(file).map_err(|error| unwritable(&error))?;
    let known = opened.metadata().map_err(|error| unwritable(&error))?;
    known.is_file().then_some(opened).ok_or_else(irregular)
}

/// Flags under which no link is followed, and no pipe waited for.
#[cfg(unix)]
fn no_detours() -> i32 {
    use rustix::fs::OFlags;
    (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed()
}

/// Whether it belongs to the user who runs this.
#[cfg(unix)]
fn is_own(known: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::uid(known) == rustix::process::geteuid().as_raw()
}

#[cfg(not(unix))]
fn is_own(_: &Metadata) -> bool {
    true
}

/// Whether there is one name for a file; hard links are others.
#[cfg(unix)]
fn has_one_name(known: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(known) == 1
}

#[cfg(not(unix))]
fn has_one_name(_: &Metadata) -> bool {
    true
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

fn narrow(file: &File, what: &str) -> Result<(), StoreError> {
    let known = file
        .metadata()
        .map_err(|error| cannot_be_narrowed(what, &error))?;
    if !is_wide(&known) {
        return Ok(());
    }
    if !is_own(&known) {
        return Err(refused(&format!(
            "{what} is open to other users and belongs to another one"
        )));
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
    let mut foreign = foreign(folder, file).peekable();
    if foreign.peek().is_none() {
        return false;
    }
    let whole = folder.canonicalize();
    let at_the_top = whole.is_ok_and(|whole| whole.components().count() <= 2);
    let sticky = mode(known) & 0o1000 != 0;
    let of_another = |entry: DirEntry| {
        let entry = std::fs::symlink_metadata(entry.path());
        entry.is_ok_and(|entry| entry.uid() != known.uid())
    };
    sticky || at_the_top || foreign.any(of_another)
}

/// The entries of a folder that are no files of the database.
fn foreign(folder: &Path, file: &Path) -> impl Iterator<Item = DirEntry> + use<> {
    let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let is_ours = move |name: &std::ffi::OsStr| {
        let name = name.to_string_lossy();
        name == OF_THE_DISK || stem.as_ref().is_some_and(|stem| name.starts_with(stem.as_str()))
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    entries
        .take(ENTRIES)
        .flatten()
        .filter(move |entry| !is_ours(&entry.file_name()))
}
