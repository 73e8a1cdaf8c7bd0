//! Reads files and stdin, for every command. Each read has a size limit. Devices are refused, and so are named pipes
//! that no program opens for writing: neither may block the program or fill its memory.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use freshcontext_contract::Limits;

/// Maximum wait for a program that opens a named pipe for writing.
const WRITER_WAIT: Duration = Duration::from_secs(5);

/// Size limit of one read, with the setting that it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bound {
    bytes: usize,
    setting: &'static str,
}

impl Bound {
    /// Returns the limit of a command's input.
    pub const fn input(limits: &Limits) -> Self {
        Self {
            bytes: limits.input_bytes,
            setting: "limits.input_bytes",
        }
    }

    /// Returns the limit of settings, keys and certificates.
    pub const fn config(limits: &Limits) -> Self {
        Self {
            bytes: limits.config_bytes,
            setting: "limits.config_bytes",
        }
    }

    /// Returns the limit of a client's configuration.
    pub const fn client_config(limits: &Limits) -> Self {
        Self {
            bytes: limits.client_config_bytes,
            setting: "limits.client_config_bytes",
        }
    }

    /// Returns the limit that remains after this many bytes.
    #[must_use]
    pub const fn less(self, bytes: usize) -> Self {
        Self {
            bytes: self.bytes.saturating_sub(bytes),
            setting: self.setting,
        }
    }
}

/// Reason why an input was not read.
#[derive(Debug)]
pub struct Refused {
    /// The file name, or `-`.
    name: PathBuf,
    why: Why,
}

#[derive(Debug)]
enum Why {
    Failed(io::Error),
    TooLong(Bound),
    NotAFile(&'static str),
    NoWriter,
}

impl Refused {
    /// Returns whether there is no such file.
    pub fn is_absent(&self) -> bool {
        matches!(&self.why, Why::Failed(error) if error.kind() == io::ErrorKind::NotFound)
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = if is_stdin(&self.name) {
            "stdin".to_owned()
        } else {
            self.name.display().to_string()
        };
        match &self.why {
            Why::Failed(error) => write!(f, "cannot read {name}: {error}"),
            Why::TooLong(Bound { bytes, setting }) => {
                write!(f, "{name} is longer than {bytes} bytes (`{setting}`)")
            }
            Why::NotAFile(what) => write!(f, "cannot read {name}: it is {what}"),
            Why::NoWriter => write!(
                f,
                "cannot read {name}: no program wrote to this pipe within {} s",
                WRITER_WAIT.as_secs()
            ),
        }
    }
}

impl std::error::Error for Refused {}

/// Kinds of files that may be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Accepts {
    Files,
    FilesAndPipes,
}

/// Reads a file, a pipe such as `<(command)`, or stdin for `-`.
pub fn read(name: &Path, bound: Bound) -> Result<Vec<u8>, Refused> {
    if is_stdin(name) {
        return whole(name, io::stdin().lock(), bound);
    }
    read_piped(name, bound)
}

/// Reads a file or a pipe. `-` is an ordinary file name.
pub fn read_piped(file: &Path, bound: Bound) -> Result<Vec<u8>, Refused> {
    whole(file, open(file, Accepts::FilesAndPipes)?, bound)
}

/// Reads a regular file.
pub fn read_file(file: &Path, bound: Bound) -> Result<Vec<u8>, Refused> {
    whole(file, open(file, Accepts::Files)?, bound)
}

/// Returns the lines of a file, a pipe or stdin, one at a time. The limit is for each line.
pub fn lines(
    name: &Path,
    bound: Bound,
) -> Result<impl Iterator<Item = Result<Vec<u8>, Refused>> + use<>, Refused> {
    let mut reader: Box<dyn BufRead> = if is_stdin(name) {
        Box::new(io::stdin().lock())
    } else {
        Box::new(BufReader::new(open(name, Accepts::FilesAndPipes)?))
    };
    // Lines of UTF-16 are found once it is read; a mark before UTF-8 is no part of the first line.
    let begin = reader
        .fill_buf()
        .map_err(|error| refused(name, Why::Failed(error)))?;
    match begin {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => {
            let text = whole(name, reader, bound)?;
            reader = Box::new(io::Cursor::new(text));
        }
        [0xEF, 0xBB, 0xBF, ..] => reader.consume(3),
        _ => {}
    }
    Ok(Lines {
        name: name.to_owned(),
        reader,
        bound,
        over: false,
    })
}

struct Lines {
    name: PathBuf,
    reader: Box<dyn BufRead>,
    bound: Bound,
    over: bool,
}

impl Iterator for Lines {
    type Item = Result<Vec<u8>, Refused>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.over {
            return None;
        }
        let mut line = Vec::new();
        let read = (&mut self.reader)
            .take(one_more(self.bound))
            .read_until(b'\n', &mut line);
        let why = match read {
            Ok(0) => return None,
            Ok(_) if line.len() <= self.bound.bytes || line.ends_with(b"\n") => return Some(Ok(line)),
            Ok(_) => Why::TooLong(self.bound),
            Err(error) => Why::Failed(error),
        };
        self.over = true;
        Some(Err(refused(&self.name, why)))
    }
}

fn is_stdin(name: &Path) -> bool {
    name.as_os_str() == "-"
}

fn refused(name: &Path, why: Why) -> Refused {
    Refused {
        name: name.to_owned(),
        why,
    }
}

fn one_more(bound: Bound) -> u64 {
    u64::try_from(bound.bytes).map_or(u64::MAX, |bytes| bytes.saturating_add(1))
}

fn whole(name: &Path, reader: impl Read, bound: Bound) -> Result<Vec<u8>, Refused> {
    let mut bytes = Vec::new();
    match reader.take(one_more(bound)).read_to_end(&mut bytes) {
        Ok(_) if bytes.len() <= bound.bytes => Ok(plain(bytes)),
        Ok(_) => Err(refused(name, Why::TooLong(bound))),
        Err(error) => Err(refused(name, Why::Failed(error))),
    }
}

/// A text file as UTF-8 without a byte order mark: editors set one, and some write UTF-16 (The Unicode Standard, 23.8).
fn plain(bytes: Vec<u8>) -> Vec<u8> {
    let units = |of: fn([u8; 2]) -> u16| -> Vec<u8> {
        let pairs = bytes.chunks_exact(2).skip(1);
        let units = pairs.filter_map(|pair| Some(of(pair.try_into().ok()?)));
        char::decode_utf16(units)
            .map(|read| read.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect::<String>()
            .into_bytes()
    };
    match bytes.as_slice() {
        [0xEF, 0xBB, 0xBF, rest @ ..] => rest.to_vec(),
        [0xFF, 0xFE, ..] => units(u16::from_le_bytes),
        [0xFE, 0xFF, ..] => units(u16::from_be_bytes),
        _ => bytes,
    }
}

fn open(file: &Path, accepts: Accepts) -> Result<File, Refused> {
    let failed = |error| refused(file, Why::Failed(error));
    let about = fs::metadata(file).map_err(failed)?;
    if is_pipe(&about) && accepts == Accepts::FilesAndPipes {
        return open_pipe(file);
    }
    let kind = |about: &fs::Metadata| match about {
        about if about.is_file() => None,
        about if about.is_dir() => Some("a folder"),
        about if is_pipe(about) => Some("a pipe, and a regular file is wanted"),
        _ => Some("a device or a socket"),
    };
    if let Some(what) = kind(&about) {
        return Err(refused(file, Why::NotAFile(what)));
    }
    let opened = open_at_once(file).map_err(failed)?;
    // Another program may have replaced the file meanwhile.
    match kind(&opened.metadata().map_err(failed)?) {
        None => Ok(opened),
        Some(what) => Err(refused(file, Why::NotAFile(what))),
    }
}

/// Opens a file. Does not block, even if a pipe has replaced it.
fn open_at_once(file: &Path) -> io::Result<File> {
    let mut options = fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        let flags = i32::try_from(flags.bits()).unwrap_or_default();
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags);
    }
    options.open(file)
}

/// Opens a pipe, which blocks until a program opens it for writing. After a timeout, the blocked thread stays until
/// the process ends.
fn open_pipe(file: &Path) -> Result<File, Refused> {
    let (opened, waiting) = mpsc::channel();
    let path = file.to_owned();
    std::thread::spawn(move || opened.send(File::open(path)));
    match waiting.recv_timeout(WRITER_WAIT) {
        Ok(Ok(pipe)) => Ok(pipe),
        Ok(Err(error)) => Err(refused(file, Why::Failed(error))),
        Err(_) => Err(refused(file, Why::NoWriter)),
    }
}

fn is_pipe(about: &fs::Metadata) -> bool {
    #[cfg(unix)]
    return std::os::unix::fs::FileTypeExt::is_fifo(&about.file_type());
    #[cfg(not(unix))]
    {
        let _ = about;
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_and_utf_16_are_read() {
        let utf16 = |of: fn(u16) -> [u8; 2]| -> Vec<u8> {
            "\u{feff}k\u{e9}y \u{1f511}".encode_utf16().flat_map(of).collect()
        };
        let text = "k\u{e9}y \u{1f511}".as_bytes();
        for bytes in [
            text.to_vec(),
            [b"\xEF\xBB\xBF", text].concat(),
            utf16(u16::to_le_bytes),
            utf16(u16::to_be_bytes),
        ] {
            assert_eq!(plain(bytes), text);
        }
    }

    const FOUR: Bound = Bound {
        bytes: 4,
        setting: "limits.input_bytes",
    };

    #[test]
    fn a_bound_is_the_last_length_that_is_read() {
        let read = |bytes: &[u8]| whole(Path::new("-"), bytes, FOUR);
        assert_eq!(read(b"four").unwrap(), b"four");
        let said = read(b"fives").unwrap_err().to_string();
        assert_eq!(said, "stdin is longer than 4 bytes (`limits.input_bytes`)");
        assert_eq!(FOUR.less(1).bytes, 3);
        assert_eq!(FOUR.less(5).bytes, 0);
    }

    #[test]
    fn a_line_is_bounded_and_their_number_is_not() {
        let lines = |text: &'static str| {
            let lines = Lines {
                name: "-".into(),
                reader: Box::new(text.as_bytes()),
                bound: FOUR,
                over: false,
            };
            lines
                .map(|line| line.map_err(|why| why.to_string()))
                .collect::<Vec<_>>()
        };
        let whole = lines("four\n2\n\nend");
        assert!(whole.iter().all(Result::is_ok) && whole.len() == 4, "{whole:?}");
        let cut = lines("2\nlonger\n3\n");
        assert!(cut.len() == 2 && cut[1].is_err(), "{cut:?}");
    }
}
