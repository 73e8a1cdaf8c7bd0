//! Database files are accessible to their owner only, dangling links are not followed, and any folder name
//! works.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use freshcontext_store::{Place, Store, StoreError, Trouble};
use libtest_mimic::Failed;

use super::{BOUND, Folder, NOW, block_on, ensure, row};

fn mode(path: &Path) -> Result<u32, Failed> {
    Ok(std::fs::metadata(path)?.permissions().mode() & 0o7777)
}

fn chmod(path: &Path, mode: u32) -> Result<(), Failed> {
    Ok(std::fs::set_permissions(
        path,
        std::fs::Permissions::from_mode(mode),
    )?)
}

async fn put(folder: &Path) -> Result<Store, StoreError> {
    let store = Store::new(Place::Folder(folder.to_owned()), BOUND);
    store.put_answer("local", &row("a", NOW), NOW).await?;
    Ok(store)
}

/// Checks every file that exists during use.
fn all_private(folder: &Path) -> Result<usize, Failed> {
    ensure(
        mode(folder)? == 0o700,
        format!("the folder is {:o}", mode(folder)?),
    )?;
    let mut files = 0;
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        ensure(
            mode(&path)? == 0o600,
            format!("{} is {:o}", path.display(), mode(&path)?),
        )?;
        files += 1;
    }
    Ok(files)
}

pub fn made() -> Result<(), Failed> {
    let folder = Folder::new();
    block_on(async {
        let below = folder.0.join("one/two");
        let store = put(&below).await?;
        let files = all_private(&below)?;
        ensure(files == 4, format!("{files} files: database, lock, -wal, -shm"))?;
        store.close().await;
        Ok(())
    })
}

/// Files of an earlier version or a copy lose wide permissions before anything is read.
pub fn narrowed() -> Result<(), Failed> {
    let folder = Folder::new();
    block_on(async {
        let first = put(&folder.0).await?;
        chmod(&folder.0, 0o755)?;
        for entry in std::fs::read_dir(&folder.0)? {
            chmod(&entry?.path(), 0o644)?;
        }
        let second = put(&folder.0).await?;
        let files = all_private(&folder.0)?;
        ensure(files == 4, format!("{files} files"))?;
        second.close().await;
        first.close().await;
        Ok(())
    })
}

fn refused(found: Result<Store, StoreError>, says: &str) -> Result<(), Failed> {
    let error = found.err().ok_or_else(|| format!("opened, where: {says}"))?;
    ensure(
        error.trouble == Trouble::ReadOnly && error.message.contains(says) && !error.message.contains('\n'),
        format!("{error:?} where it should say: {says}"),
    )
}

/// Dangling links are refused for the database, its lock, SQLite's additional files, and the folder.
pub fn links() -> Result<(), Failed> {
    block_on(async {
        for name in [
            "freshcontext.sqlite3",
            "freshcontext.lock",
            "freshcontext.sqlite3-wal",
            "freshcontext.sqlite3-shm",
        ] {
            let folder = Folder::new();
            std::fs::create_dir_all(&folder.0)?;
            let elsewhere = folder.0.join("elsewhere");
            symlink(&elsewhere, folder.0.join(name))?;
            let says = if name.contains("3-") {
                "is not a regular file"
            } else {
                "is a dangling symbolic link"
            };
            refused(put(&folder.0).await, says)?;
            ensure(!elsewhere.exists(), format!("made through {name}"))?;
        }
        let folder = Folder::new();
        std::fs::create_dir_all(&folder.0)?;
        let elsewhere = folder.0.join("elsewhere");
        let link = folder.0.join("link");
        symlink(&elsewhere, &link)?;
        refused(put(&link).await, "the data folder is a dangling symbolic link")?;
        ensure(!elsewhere.exists(), "the folder is made through a link")?;
        // A link to an existing folder is that folder.
        std::fs::create_dir(&elsewhere)?;
        put(&link).await?.close().await;
        ensure(elsewhere.join("freshcontext.sqlite3").exists(), "in the folder")
    })
}

/// A pipe in place of a file does not block.
pub fn pipes() -> Result<(), Failed> {
    block_on(async {
        for name in ["freshcontext.sqlite3", "freshcontext.lock"] {
            let folder = Folder::new();
            std::fs::create_dir_all(&folder.0)?;
            let made = std::process::Command::new("mkfifo")
                .arg(folder.0.join(name))
                .status()?;
            ensure(made.success(), "a pipe")?;
            refused(put(&folder.0).await, "is not a regular file")?;
        }
        Ok(())
    })
}

/// A shared folder with other content is refused and keeps its mode.
pub fn shared() -> Result<(), Failed> {
    let folder = Folder::new();
    std::fs::create_dir_all(&folder.0)?;
    chmod(&folder.0, 0o1777)?;
    let other = folder.0.join("of somebody else");
    std::fs::write(&other, b"")?;
    block_on(async {
        refused(put(&folder.0).await, "the data folder is shared with other users")?;
        ensure(mode(&folder.0)? == 0o1777, "it keeps its mode")?;
        std::fs::remove_file(&other)?;
        put(&folder.0).await?.close().await;
        ensure(mode(&folder.0)? == 0o700, "with nothing else in it, it is ours")
    })
}

/// Names that are not UTF-8, and names with characters that are special in a URI.
pub fn any_name() -> Result<(), Failed> {
    let folder = Folder::new();
    block_on(async {
        for name in [
            &b"\xff\xfe bytes"[..],
            b"a%20b?mode=ro#c",
            b"file:x",
            b"na\xc3\xafve 'quoted'",
        ] {
            let below = folder.0.join(OsStr::from_bytes(name));
            put(&below).await?.close().await;
            let again = Store::new(Place::Folder(below.clone()), BOUND);
            ensure(again.answer("local", "a", NOW).await?.is_some(), "kept")?;
            again.close().await;
            ensure(
                std::fs::metadata(below.join("freshcontext.sqlite3"))?.len() > 0,
                format!("{}", below.display()),
            )?;
        }
        let made = std::fs::read_dir(&folder.0)?.count();
        ensure(made == 4, format!("{made} folders"))
    })
}
