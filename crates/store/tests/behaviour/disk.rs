//! A disk that fails: errors of reading, of writing and of bringing bytes to the disk, and bytes that a loss of power loses.
//!
//! The store runs in a process of its own, this binary again, with `disk.c` loaded before libc.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::OnceLock;

use freshcontext_store::{Place, Store};
use libtest_mimic::Failed;

use super::damage::{WIDE, id, prefix, put};
use super::{Folder, NOW, block_on, ensure};

/// Set for the process that has the store: its folder.
pub(super) const FOLDER: &str = "FRESHCONTEXT_DISK_FOLDER";
const FILES: [&str; 2] = ["freshcontext.sqlite3", "freshcontext.sqlite3-wal"];

type Trial = fn() -> Result<(), Failed>;
pub(super) const TRIALS: [(&str, Trial); 4] = [
    ("disk_that_cannot_be_read", unreadable),
    ("disk_that_cannot_be_written", unwritable),
    ("disk_that_does_not_sync", unsynced),
    ("disk_that_loses_power", powerless),
];

/// Returns the library, built once; `None` without a C compiler.
fn library() -> Option<&'static Path> {
    static BUILT: OnceLock<Option<Folder>> = OnceLock::new();
    let folder = BUILT.get_or_init(|| {
        let folder = Folder::new();
        std::fs::create_dir_all(&folder.0).ok()?;
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/behaviour/disk.c");
        let built = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .arg(folder.0.join("disk.so"))
            .arg(source)
            .arg("-ldl")
            .status();
        built.is_ok_and(|status| status.success()).then_some(folder)
    });
    folder.as_ref().map(|folder| folder.0.as_path())
}

pub(super) fn is_possible() -> bool {
    let asked = Command::new("cc")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    asked.is_ok_and(|status| status.success())
}

/// The store in a process of its own, on a disk that may fail.
struct OnDisk {
    child: Child,
    asks: ChildStdin,
    told: BufReader<ChildStdout>,
    control: PathBuf,
}

impl OnDisk {
    fn start(folder: &Folder) -> Result<Self, Failed> {
        std::fs::create_dir_all(&folder.0)?;
        let control = folder.0.with_extension("control");
        std::fs::write(&control, "-")?;
        let library = library().ok_or("the library cannot be built")?;
        let mut child = Command::new(std::env::current_exe()?)
            .env(FOLDER, &folder.0)
            .env("FRESHCONTEXT_DISK", &control)
            .env("FRESHCONTEXT_SYNCED", "1")
            .env("LD_PRELOAD", library.join("disk.so"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let asks = child.stdin.take().ok_or("stdin")?;
        let told = BufReader::new(child.stdout.take().ok_or("stdout")?);
        Ok(Self {
            child,
            asks,
            told,
            control,
        })
    }

    fn fails(&self, what: &str) -> Result<(), Failed> {
        Ok(std::fs::write(&self.control, what)?)
    }

    fn ask(&mut self, what: &str) -> Result<String, Failed> {
        writeln!(self.asks, "{what}")?;
        let mut line = String::new();
        self.told.read_line(&mut line)?;
        Ok(line.trim().to_owned())
    }

    /// Writes answers from this number on, until one is refused or there are so many. Returns how many were kept.
    fn put_all(&mut self, from: usize, to: usize) -> Result<usize, Failed> {
        for number in from..to {
            if self.ask(&format!("put {number}"))? != "kept" {
                return Ok(number);
            }
        }
        Ok(to)
    }
}

impl Drop for OnDisk {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_file(&self.control);
    }
}

/// Does what is asked on stdin, one line each, and tells on stdout how it went.
#[expect(clippy::print_stdout, reason = "the process's protocol")]
pub(super) fn serve(folder: PathBuf) {
    block_on(async {
        let store = Store::new(Place::Folder(folder), WIDE);
        for line in std::io::stdin().lines() {
            let line = line.expect("a line");
            let (what, number) = line.split_once(' ').unwrap_or((&line, "0"));
            let number: usize = number.parse().expect("a number");
            let told = match what {
                "put" => put(&store, number).await.map(|()| "kept".to_owned()),
                "get" => {
                    let found = store.answer("local", &id(number), NOW).await;
                    found.map(|found| if found.is_some() { "found" } else { "none" }.to_owned())
                }
                "vacuum" => store.vacuum(NOW).await.map(|_| "done".to_owned()),
                _ => store
                    .check()
                    .await
                    .map(|problems| format!("{} problems", problems.len())),
            };
            println!("{}", told.unwrap_or_else(|error| format!("failed: {error}")));
        }
    });
}

/// Opens what is left with a sound disk. It must be sound, and hold at least the first `least` answers.
fn holds(folder: &Folder, least: usize, most: usize) -> Result<(), Failed> {
    block_on(async {
        let store = Store::new(Place::Folder(folder.0.clone()), WIDE);
        let problems = store.check().await?;
        ensure(problems.is_empty(), format!("{problems:?}"))?;
        let kept = prefix(&store).await?;
        ensure(
            (least..=most).contains(&kept),
            format!("{kept} of {least} to {most}"),
        )?;
        store.close().await;
        Ok(())
    })
}

fn unreadable() -> Result<(), Failed> {
    let folder = Folder::new();
    let mut disk = OnDisk::start(&folder)?;
    ensure(disk.put_all(0, 20)? == 20, "a sound disk keeps")?;
    disk.fails("r")?;
    let mut told = Vec::new();
    // Pages that SQLite still holds in memory need no disk.
    for number in 0..20 {
        told.push(disk.ask(&format!("get {number}"))?);
    }
    let check = disk.ask("check")?;
    ensure(
        told.iter()
            .all(|told| told == "found" || told.starts_with("failed: ")),
        format!("{told:?}"),
    )?;
    ensure(
        check.starts_with("failed: ") && !check.contains('/'),
        format!("an error that names no path: {check}"),
    )?;
    disk.fails("-")?;
    ensure(comes_back(&mut disk, "get 19")? == "found", "it comes back")?;
    ensure(
        comes_back(&mut disk, "put 20")? == "kept",
        "it comes back for writing",
    )?;
    drop(disk);
    holds(&folder, 21, 21)
}

/// Asks until it is done, for a bounded time: a store that failed is opened again in the background.
fn comes_back(disk: &mut OnDisk, what: &str) -> Result<String, Failed> {
    let mut told = String::new();
    for _ in 0..50 {
        told = disk.ask(what)?;
        if !told.starts_with("failed") {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    Ok(told)
}

fn unwritable() -> Result<(), Failed> {
    let folder = Folder::new();
    let mut disk = OnDisk::start(&folder)?;
    ensure(disk.put_all(0, 20)? == 20, "a sound disk keeps")?;
    disk.fails("w")?;
    let told = disk.ask("put 20")?;
    ensure(told.starts_with("failed: "), &told)?;
    ensure(disk.ask("get 19")? == "found", "what is kept can be read")?;
    ensure(disk.ask("get 20")? == "none", "what was refused is not kept")?;
    disk.fails("-")?;
    ensure(comes_back(&mut disk, "put 20")? == "kept", "it comes back")?;
    drop(disk);
    holds(&folder, 21, 21)
}

fn unsynced() -> Result<(), Failed> {
    let folder = Folder::new();
    let mut disk = OnDisk::start(&folder)?;
    ensure(disk.put_all(0, 20)? == 20, "a sound disk keeps")?;
    disk.fails("s")?;
    // The log is brought to the disk, and then into the database.
    let told = disk.ask("vacuum")?;
    ensure(
        told.starts_with("failed: "),
        format!("it is not passed over: {told}"),
    )?;
    let more = disk.put_all(20, 40)?;
    disk.fails("-")?;
    ensure(comes_back(&mut disk, "vacuum")? == "done", "it comes back")?;
    let more = more.max(20);
    ensure(
        comes_back(&mut disk, &format!("put {more}"))? == "kept",
        "and keeps",
    )?;
    drop(disk);
    holds(&folder, more + 1, more + 1)
}

/// Of each file, what was written since it was last brought to the disk is lost or not. In any case the database is
/// sound, and holds the answers that came first: all until the last time at which the log went into the database.
fn powerless() -> Result<(), Failed> {
    let folder = Folder::new();
    let mut disk = OnDisk::start(&folder)?;
    let mut safe = 0;
    for round in 1..4 {
        let written = round * 30;
        ensure(
            disk.put_all(written - 30, written)? == written,
            "a sound disk keeps",
        )?;
        for lost in 0..4 {
            let left = Folder::new();
            std::fs::create_dir_all(&left.0)?;
            for (at, name) in FILES.iter().enumerate() {
                let whole = folder.0.join(name);
                let synced = folder.0.join(format!("{name}.synced"));
                let from = if lost & (1 << at) == 0 { whole } else { synced };
                // A file that was never brought to the disk may be missing.
                if from.exists() {
                    std::fs::copy(from, left.0.join(name))?;
                }
            }
            holds(&left, safe, written).map_err(|error| {
                format!(
                    "round {round}, lost {lost:02b}: {}",
                    error.message().unwrap_or_default()
                )
            })?;
        }
        ensure(disk.ask("vacuum")? == "done", "the log goes into the database")?;
        safe = written;
    }
    Ok(())
}
