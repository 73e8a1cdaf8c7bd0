//! Writes files, for every command. The text goes into a temporary file, which is then renamed. A reader therefore
//! sees either the old or the new file, concurrent writers cannot mix, and a failure leaves the old file. No write
//! follows a symbolic link.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, Permissions};
use std::io::{self, Write as _};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

use tempfile::{Builder, NamedTempFile};

/// Maximum number of symbolic links in one path, as on Linux.
const LINKS: usize = 40;
/// Maximum wait for a folder that another process has locked.
const LOCK_WAIT: Duration = Duration::from_secs(5);
/// Pause between two attempts to lock a folder.
const LOCK_PAUSE: Duration = Duration::from_millis(20);

/// Mode of a new file. An existing file keeps its mode and its owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewFile {
    /// According to the process's umask.
    Shared,
    /// Readable by its owner only, because it may contain keys later.
    Private,
}

/// Creates or replaces a file.
pub fn write(file: &Path, text: &[u8], new: NewFile) -> Result<(), String> {
    put(file, text, new).map_err(|error| format!("cannot write {}: {error}", file.display()))
}

fn put(file: &Path, text: &[u8], new: NewFile) -> io::Result<()> {
    let had = match fs::symlink_metadata(file) {
        Ok(about) if about.is_file() => Some(about),
        Ok(about) if about.is_symlink() => {
            return Err(io::Error::other(
                "it is a symbolic link; name the file that it leads to",
            ));
        }
        Ok(_) => return Err(io::Error::other("it is there and is not a regular file")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let (folder, name) = place(file)?;
    let unfinished = beside(&folder, text, had.as_ref(), new)?;
    unfinished
        .persist(folder.join(name))
        .map_err(|error| error.error)?;
    Ok(())
}

/// Writes a copy of a file, with that file's mode and owner. Returns `false` and writes nothing if the copy's name is
/// taken.
pub fn write_copy(copy: &Path, text: &[u8], like: &Path) -> io::Result<bool> {
    let like = fs::metadata(like)?;
    let (folder, name) = place(copy)?;
    let unfinished = beside(&folder, text, Some(&like), NewFile::Private)?;
    match unfinished.persist_noclobber(folder.join(name)) {
        Ok(_) => Ok(true),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error.error),
    }
}

/// Returns the folder of a file, with links resolved, and the file's name.
fn place(file: &Path) -> io::Result<(PathBuf, OsString)> {
    let name = file
        .file_name()
        .ok_or_else(|| io::Error::other("it does not end with a file's name"))?;
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    Ok((resolve(folder)?, name.to_owned()))
}

/// Writes a temporary file.
fn beside(folder: &Path, text: &[u8], had: Option<&Metadata>, new: NewFile) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(".freshcontext-");
    #[cfg(unix)]
    if had.is_none() && new == NewFile::Shared {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(Permissions::from_mode(0o666));
    }
    let mut unfinished = builder.tempfile_in(folder)?;
    unfinished.write_all(text)?;
    if let Some(had) = had {
        keep_owner(unfinished.as_file(), had)?;
    }
    unfinished.as_file().sync_all()?;
    Ok(unfinished)
}

/// Copies owner, group and mode of the replaced file. If the group cannot be kept, the new file has no group
/// permissions, which would otherwise apply to another group.
#[cfg(unix)]
fn keep_owner(file: &File, had: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};

    let now = file.metadata()?;
    if now.uid() != had.uid() {
        let _ = fchown(file, Some(had.uid()), None);
    }
    let mut mode = had.mode() & 0o7777;
    if now.gid() != had.gid() && fchown(file, None, Some(had.gid())).is_err() {
        mode &= !0o070;
    }
    file.set_permissions(Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn keep_owner(file: &File, had: &Metadata) -> io::Result<()> {
    file.set_permissions(had.permissions())
}

/// Resolves all symbolic links of a path. Refuses a link that belongs to another user, because any user can place one
/// in a shared folder. Parts that do not exist are kept unchanged.
pub fn resolve(path: &Path) -> io::Result<PathBuf> {
    let mut rest: Vec<OsString> = parts(&std::path::absolute(path)?);
    let (mut at, mut followed) = (PathBuf::new(), 0);
    while let Some(part) = rest.pop() {
        match Path::new(&part).components().next() {
            Some(Component::ParentDir) => {
                at.pop();
            }
            Some(Component::Normal(_)) => {
                let next = at.join(&part);
                let link = fs::symlink_metadata(&next).ok().filter(Metadata::is_symlink);
                let Some(link) = link else {
                    at = next;
                    continue;
                };
                followed += 1;
                if followed > LINKS {
                    return Err(io::Error::other("too many symbolic links lead on to each other"));
                }
                if !is_trusted(&link, &fs::metadata(&at)?) {
                    let problem = format!("{} is a symbolic link of another user", next.display());
                    return Err(io::Error::new(io::ErrorKind::PermissionDenied, problem));
                }
                rest.extend(parts(&fs::read_link(&next)?));
            }
            // An absolute target starts at the root again.
            Some(Component::RootDir | Component::Prefix(_)) => at.push(&part),
            Some(Component::CurDir) | None => {}
        }
    }
    Ok(at)
}

/// Returns the parts of a path in reverse order.
fn parts(path: &Path) -> Vec<OsString> {
    path.components()
        .rev()
        .map(|part| part.as_os_str().to_owned())
        .collect()
}

/// Returns whether a link belongs to this user, to root, or to the owner of the folder that it is in.
#[cfg(unix)]
fn is_trusted(link: &Metadata, folder: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    let owner = link.uid();
    owner == 0 || owner == rustix::process::geteuid().as_raw() || owner == folder.uid()
}

#[cfg(not(unix))]
fn is_trusted(_: &Metadata, _: &Metadata) -> bool {
    true
}

/// Lock on a folder against other processes of this program, held until dropped.
#[derive(Debug)]
pub struct FolderLock {
    #[cfg(unix)]
    _folder: File,
}

impl FolderLock {
    /// Locks an existing folder.
    pub fn take(folder: &Path) -> Result<Self, String> {
        #[cfg(unix)]
        {
            let failed = |error: &dyn std::fmt::Display| format!("cannot lock {}: {error}", folder.display());
            let handle = open_folder(folder).map_err(|error| failed(&error))?;
            let until = Instant::now() + LOCK_WAIT;
            loop {
                match handle.try_lock() {
                    Ok(()) => return Ok(Self { _folder: handle }),
                    Err(fs::TryLockError::WouldBlock) if Instant::now() < until => {
                        std::thread::sleep(LOCK_PAUSE);
                    }
                    Err(fs::TryLockError::WouldBlock) => {
                        return Err(failed(&"another program holds it; try again"));
                    }
                    Err(fs::TryLockError::Error(error)) => return Err(failed(&error)),
                }
            }
        }
        #[cfg(not(unix))]
        {
            let _ = (folder, LOCK_WAIT, LOCK_PAUSE, Instant::now());
            Ok(Self {})
        }
    }
}

#[cfg(unix)]
fn open_folder(folder: &Path) -> io::Result<File> {
    File::open(folder)
}

/// Returns whether a write failed because its reader disconnected, which is not an error.
pub fn reader_has_gone(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset
    )
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    fn mode(file: &Path) -> u32 {
        fs::metadata(file).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_text_takes_the_place_of_another_and_its_mode_stays() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        write(&file, b"one", NewFile::Private).unwrap();
        assert_eq!(mode(&file), 0o600);
        fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        write(&file, b"two", NewFile::Shared).unwrap();
        assert_eq!((fs::read(&file).unwrap(), mode(&file)), (b"two".to_vec(), 0o640));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn no_link_is_written_through() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("a"), folder.path().join("b"));
        fs::write(&file, "kept").unwrap();
        symlink(&file, &link).unwrap();
        let said = write(&link, b"other", NewFile::Shared).unwrap_err();
        assert!(said.contains("symbolic link"), "{said}");
        assert_eq!(fs::read(&file).unwrap(), b"kept");
        assert!(!write_copy(&link, b"other", &file).unwrap());
        assert!(write(Path::new("/dev/null"), b"", NewFile::Shared).is_err());
    }

    #[test]
    fn links_lead_where_the_system_says() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::write(root.join("a/b/file"), "").unwrap();
        symlink("a/b", root.join("in")).unwrap();
        symlink("../in/./file", root.join("a/to")).unwrap();
        symlink(root.join("a"), root.join("whole")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        for path in ["in/file", "a/to", "whole/to", "in/../b/file", "whole/../in/file"] {
            let path = root.join(path);
            assert_eq!(
                resolve(&path).unwrap(),
                fs::canonicalize(&path).unwrap(),
                "{path:?}"
            );
        }
        assert_eq!(resolve(&root.join("in/none/x")).unwrap(), root.join("a/b/none/x"));
        assert!(resolve(&root.join("loop")).is_err());
    }
}
