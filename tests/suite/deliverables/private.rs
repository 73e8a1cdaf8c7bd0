//! The data folder through the command line: accessible to its owner only, of any name, and never created
//! through a link.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use libtest_mimic::{Failed, Trial};
use tokio::process::Command;

use super::setup::ensure;
use crate::places::{Kept, on_sqlite};
use crate::process::{Finished, command, finish};

pub fn trials() -> Vec<Trial> {
    vec![
        on_sqlite("deliverables::private::modes", modes),
        on_sqlite("deliverables::private::any_bytes", any_bytes),
        on_sqlite("deliverables::private::links", links),
        on_sqlite("deliverables::private::of_others", of_others),
    ]
}

fn mode(path: &Path) -> Result<u32, Failed> {
    Ok(std::fs::metadata(path)?.permissions().mode() & 0o7777)
}

fn all_private(folder: &Path) -> Result<(), Failed> {
    ensure(mode(folder)? == 0o700, format!("{:o}", mode(folder)?))?;
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        ensure(
            mode(&path)? == 0o600,
            format!("{}: {:o}", path.display(), mode(&path)?),
        )?;
    }
    Ok(())
}

async fn list(mut command: Command, folder: &OsStr) -> Finished {
    command.env("FRESHCONTEXT_DATA_DIR", folder);
    finish(command, "").await
}

const LIST: [&str; 2] = ["deliverable", "list"];

async fn modes(kept: Kept) -> Result<(), Failed> {
    let folder = kept.folder();
    let done = finish(kept.process(&LIST), "").await;
    ensure(done.code == Some(0), &done.stderr)?;
    all_private(folder)?;
    for entry in std::fs::read_dir(folder)? {
        std::fs::set_permissions(entry?.path(), std::fs::Permissions::from_mode(0o666))?;
    }
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o777))?;
    let done = finish(kept.process(&LIST), "").await;
    ensure(done.code == Some(0), &done.stderr)?;
    all_private(folder)
}

/// From the environment and from the flag, which takes precedence.
async fn any_bytes(kept: Kept) -> Result<(), Failed> {
    std::fs::create_dir_all(kept.folder())?;
    let named = |name: &[u8]| kept.folder().join(OsStr::from_bytes(name));
    let (one, other) = (named(b"\xff\xfe"), named(b"\x80 other"));
    let done = list(command(&LIST), one.as_os_str()).await;
    ensure(done.code == Some(0), &done.stderr)?;
    let mut flagged = command(&[]);
    flagged.arg("--data-dir").arg(&other).args(LIST);
    let done = list(flagged, one.as_os_str()).await;
    ensure(done.code == Some(0), &done.stderr)?;
    for folder in [&one, &other] {
        ensure(
            std::fs::metadata(folder.join("freshcontext.sqlite3"))?.len() > 0,
            folder.display(),
        )?;
        all_private(folder)?;
    }
    let made = std::fs::read_dir(kept.folder())?.count();
    ensure(made == 2, format!("{made} folders"))?;
    // Any other setting with such bytes is rejected rather than ignored.
    let mut other = kept.process(&LIST);
    other.env("FRESHCONTEXT_STORE", OsStr::from_bytes(b"\xff"));
    let done = finish(other, "").await;
    ensure(
        done.code == Some(2) && done.stderr.contains("FRESHCONTEXT_STORE"),
        format!("{done:?}"),
    )
}

async fn links(kept: Kept) -> Result<(), Failed> {
    for name in [
        "freshcontext.sqlite3",
        "freshcontext.lock",
        "freshcontext.sqlite3-wal",
    ] {
        let folder = kept.folder().join(name);
        std::fs::create_dir_all(&folder)?;
        let elsewhere = kept.folder().join("elsewhere");
        symlink(&elsewhere, folder.join(name))?;
        let done = list(command(&LIST), folder.as_os_str()).await;
        ensure(
            done.code == Some(2)
                && done.stdout.is_empty()
                && done.stderr.starts_with("error: the store cannot be used: the "),
            format!("{name}: {done:?}"),
        )?;
        ensure(!elsewhere.exists(), format!("made through {name}"))?;
    }
    Ok(())
}

/// What is not the server's own keeps its permissions: a file behind a symbolic or a hard link, one that is no database, and a
/// folder with other files in it.
async fn of_others(kept: Kept) -> Result<(), Failed> {
    let wide = |path: &Path| std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o644));
    let place: fn(&Path, &Path) -> std::io::Result<()> = |from, to| symlink(from, to);
    let hard: fn(&Path, &Path) -> std::io::Result<()> = |from, to| std::fs::hard_link(from, to);
    let copied: fn(&Path, &Path) -> std::io::Result<()> = |from, to| std::fs::copy(from, to).map(|_| ());
    for (at, (name, text, put, code)) in [
        ("freshcontext.sqlite3", "precious", place, 2),
        ("freshcontext.sqlite3", "", place, 2),
        ("freshcontext.sqlite3", "precious", hard, 2),
        ("freshcontext.sqlite3", "precious", copied, 2),
        ("freshcontext.lock", "precious", place, 2),
        ("freshcontext.lock", "precious", hard, 0),
        ("freshcontext.sqlite3-wal", "precious", place, 2),
    ]
    .into_iter()
    .enumerate()
    {
        let folder = kept.folder().join(format!("place-{at}"));
        std::fs::create_dir_all(&folder)?;
        let foreign = kept.folder().join(format!("foreign-{at}"));
        std::fs::write(&foreign, text)?;
        wide(&foreign)?;
        let ours = folder.join(name);
        put(&foreign, &ours)?;
        let done = list(command(&LIST), folder.as_os_str()).await;
        ensure(
            done.code == Some(code) && mode(&foreign)? == 0o644 && mode(&ours)? == 0o644,
            format!("{name} {at}: {:o} {done:?}", mode(&ours)?),
        )?;
        ensure(
            std::fs::read_to_string(&foreign)? == text,
            format!("{name} {at}: written"),
        )?;
    }
    let folder = kept.folder().join("www");
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("index.html"), "page")?;
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755))?;
    let done = list(command(&LIST), folder.as_os_str()).await;
    ensure(
        done.code == Some(0) && mode(&folder)? == 0o755,
        format!("{:o} {done:?}", mode(&folder)?),
    )?;
    ensure(
        mode(&folder.join("freshcontext.sqlite3"))? == 0o600,
        "the database is its owner's alone",
    )
}
