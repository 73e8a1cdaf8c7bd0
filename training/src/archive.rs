//! The corpus: texts and labels in one archive, next to the scripts that generated some of them.
//!
//! The archive is deterministic: sorted names, no timestamps, no owners. Packing the same files gives the same bytes.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::path::Path;

use sevenz_rust2::encoder_options::PpmdOptions;
use sevenz_rust2::{ArchiveEntry, ArchiveReader, ArchiveWriter, Password, SourceReader};

/// File name of the archive, relative to this workspace.
pub const ARCHIVE: &str = "corpus.7z";

/// Folder where the archive's files are unpacked for reading and editing. It also holds the scripts.
pub const FOLDER: &str = "corpus";

/// Extensions of the packed files. The other files of the folder (the scripts) stay outside the archive.
const PACKED: [&str; 2] = ["jsonl", "tsv"];

/// Order of the packer's model and its memory in bytes. Unpacking needs the same memory.
const ORDER: u32 = 12;
const MEMORY: u32 = 256 << 20;

/// Files of the corpus by name.
pub type Corpus = BTreeMap<String, Vec<u8>>;

/// Reads the archive of the workspace at `home`.
///
/// # Errors
///
/// A message, if the archive cannot be read or a checksum is wrong.
pub fn open(home: &Path) -> Result<Corpus, String> {
    let path = home.join(ARCHIVE);
    let bytes = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    unpacked(&bytes).map_err(|error| format!("{}: {error}", path.display()))
}

/// Unpacks an archive.
///
/// # Errors
///
/// A message, if the archive is damaged.
pub fn unpacked(archive: &[u8]) -> Result<Corpus, String> {
    let mut corpus = Corpus::new();
    let reader = ArchiveReader::new(Cursor::new(archive), Password::empty());
    let mut reader = reader.map_err(|error| error.to_string())?;
    reader
        .for_each_entries(|entry, bytes| {
            let mut content = Vec::new();
            bytes.read_to_end(&mut content)?;
            corpus.insert(entry.name().to_owned(), content);
            Ok(true)
        })
        .map_err(|error| error.to_string())?;
    Ok(corpus)
}

/// Packs files into an archive.
///
/// # Errors
///
/// A message, if the packer fails.
pub fn packed(corpus: &Corpus) -> Result<Vec<u8>, String> {
    let said = |error: sevenz_rust2::Error| error.to_string();
    let mut writer = ArchiveWriter::new(Cursor::new(Vec::new())).map_err(said)?;
    let options = PpmdOptions::from_order_memory_size(ORDER, MEMORY);
    writer.set_content_methods(vec![options.into()]);
    let entries = corpus.keys().map(|name| ArchiveEntry::new_file(name)).collect();
    let contents = corpus.values().map(|bytes| SourceReader::new(bytes.as_slice()));
    writer
        .push_archive_entries(entries, contents.collect())
        .map_err(said)?;
    let written = writer.finish().map_err(|error| error.to_string())?;
    Ok(written.into_inner())
}

/// Writes the files of the archive into [`FOLDER`].
///
/// # Errors
///
/// A message, if a file cannot be read or written.
pub fn unpack(home: &Path) -> Result<String, String> {
    let corpus = open(home)?;
    for (name, bytes) in &corpus {
        let path = home.join(FOLDER).join(name);
        std::fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(format!("written: {} files into training/{FOLDER}", corpus.len()))
}

/// Packs the data of [`FOLDER`] into the archive.
///
/// # Errors
///
/// A message, if a file cannot be read or written, or if a file of the archive is missing from the folder.
pub fn pack(home: &Path) -> Result<String, String> {
    let folder = home.join(FOLDER);
    let said = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut corpus = Corpus::new();
    for entry in std::fs::read_dir(&folder).map_err(said)? {
        let path = entry.map_err(said)?.path();
        let is_data = path
            .extension()
            .is_some_and(|ending| PACKED.iter().any(|packed| ending == *packed));
        if let Some(name) = path.file_name().filter(|_| is_data) {
            let bytes = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            corpus.insert(name.to_string_lossy().into_owned(), bytes);
        }
    }
    if let Ok(before) = open(home)
        && let Some(name) = before.keys().find(|name| !corpus.contains_key(*name))
    {
        return Err(format!(
            "training/{FOLDER} has no {name}, which the archive holds; run `unpack` first"
        ));
    }
    let archive = packed(&corpus)?;
    std::fs::write(home.join(ARCHIVE), &archive).map_err(|error| format!("{ARCHIVE}: {error}"))?;
    Ok(format!(
        "written: training/{ARCHIVE}, {} files in {} bytes",
        corpus.len(),
        archive.len()
    ))
}
