//! The one writer of files. A text is written whole beside its place and then renamed, so that a reader sees the old one
//! or the new one, several writers do not mix, and a failure leaves what was there. No symbolic link is written through.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, Permissions};
use std::io::{self, Write as _};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

use tempfile::{Builder, NamedTempFile};

/// Symbolic links that one path may lead through, as on Linux.
const LINKS: usize = 40;
/// How long another process may hold a folder.
const LOCK_WAIT: Duration = Duration::from_secs(5);
/// How often a folder that is held is tried again.
const LOCK_PAUSE: Duration = Duration::from_millis(20);

/// Who may read a file that was not there before. A file that was there keeps its mode and its owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NewFile {
    /// Whom the process's umask lets.
    Shared,
    /// Its owner alone: it may come to hold keys.
    Private,
}

/// Puts a text into a file's place. An error says what to do.
pub(crate) fn write(file: &Path, text: &[u8], new: NewFile) -> Result<(), String> {
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

/// Writes a copy of a file under a name that is not taken, with the mode and the owner of that file. `false` where
/// something of that name is there, which is left as it is.
pub(crate) fn write_copy(copy: &Path, text: &[u8], like: &Path) -> io::Result<bool> {
    let like = fs::metadata(like)?;
    let (folder, name) = place(copy)?;
    let unfinished = beside(&folder, text, Some(&like), NewFile::Private)?;
    match unfinished.persist_noclobber(folder.join(name)) {
        Ok(_) => Ok(true),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error.error),
    }
}

/// The folder of a file, its links followed, and the file's name in it.
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

/// The whole text in a file of a name of its own.
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

/// Gives a new file the owner, the group and the mode of the one that it replaces. Where the group cannot be kept, it is
/// given no rights: another group would get them.
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

/// Where a path leads when all links are followed. A link that another user put there is not followed: in a folder
/// that several users write to, anybody can place one. What is not there yet is taken by its name.
pub(crate) fn resolve(path: &Path) -> io::Result<PathBuf> {
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
            // A root or a drive begins anew; `.` changes nothing.
            Some(Component::RootDir | Component::Prefix(_)) => at.push(&part),
            Some(Component::CurDir) | None => {}
        }
    }
    Ok(at)
}

/// The parts of a path, the last one first.
fn parts(path: &Path) -> Vec<OsString> {
    path.components()
        .rev()
        .map(|part| part.as_os_str().to_owned())
        .collect()
}

/// Whether a link is this user's, the administrator's, or that of the folder's owner.
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

/// Keeps other processes of this program out of a folder until it is dropped.
#[derive(Debug)]
pub(crate) struct FolderLock {
    #[cfg(unix)]
    _folder: File,
}

impl FolderLock {
    /// Waits for a folder that is there.
    pub(crate) fn take(folder: &Path) -> Result<Self, String> {
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
#[expect(clippy::disallowed_methods, reason = "a folder, which is locked and not read")]
fn open_folder(folder: &Path) -> io::Result<File> {
    File::open(folder)
}

#[cfg(all(test, unix))]
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
