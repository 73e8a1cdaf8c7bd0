//! Instructions and bytes of one piece of work.

use std::path::PathBuf;
use std::time::Duration;

use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATED: PeakAlloc = PeakAlloc;

/// What one piece of work took.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    /// Instructions of the whole process while it ran.
    pub instructions: u64,
    /// Most bytes allocated at once beyond what was before.
    pub bytes: u64,
    /// Processor time of the thread. It differs from run to run: it says where to count, and decides nothing.
    pub time: Duration,
}

/// Where callgrind is told to begin its count: it knows functions by their names.
#[inline(never)]
pub fn counting_begins() {
    std::hint::black_box(());
}

/// Where callgrind is told to write down its count.
#[inline(never)]
pub fn counting_ends() {
    std::hint::black_box(());
}

/// The arguments with which callgrind counts between the two.
pub fn callgrind_arguments(folder: &std::path::Path) -> Vec<String> {
    vec![
        "--tool=callgrind".to_owned(),
        "--zero-before=*meter::counting_begins".to_owned(),
        "--dump-before=*meter::counting_ends".to_owned(),
        "--quiet".to_owned(),
        format!("--callgrind-out-file={}/%p", folder.display()),
    ]
}

/// Reads what callgrind counts for this process.
pub struct Meter {
    /// Callgrind's output without the number; `None` where nothing counts.
    dumps: Option<PathBuf>,
    number: u32,
}

impl Meter {
    /// `folder` is the one of [`callgrind_arguments`]; without it only bytes are counted.
    pub fn new(folder: Option<PathBuf>) -> Self {
        Self {
            dumps: folder.map(|folder| folder.join(std::process::id().to_string())),
            number: 0,
        }
    }

    /// Does the work once and tells its cost.
    ///
    /// # Errors
    ///
    /// Callgrind's count cannot be read.
    pub fn cost(&mut self, mut work: impl FnMut()) -> Result<Cost, String> {
        let before = ALLOCATED.current_usage();
        ALLOCATED.reset_peak_usage();
        // Not under callgrind: asking for the time ends the process there.
        let timed = self.dumps.is_none();
        let begun = if timed { processor_time() } else { Duration::ZERO };
        counting_begins();
        work();
        counting_ends();
        let time = if timed {
            processor_time().saturating_sub(begun)
        } else {
            begun
        };
        let bytes = ALLOCATED.peak_usage().saturating_sub(before) as u64;
        let instructions = match &self.dumps {
            None => 0,
            Some(dumps) => {
                self.number += 1;
                let mut file = dumps.clone().into_os_string();
                file.push(format!(".{}", self.number));
                let file = PathBuf::from(file);
                let text =
                    std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
                // What is not read again need not stay.
                let _ = std::fs::remove_file(&file);
                text.lines()
                    .rev()
                    .find_map(|line| {
                        line.strip_prefix("totals:")
                            .or_else(|| line.strip_prefix("summary:"))
                    })
                    .and_then(|count| count.trim().parse().ok())
                    .ok_or_else(|| format!("{} has no total", file.display()))?
            }
        };
        Ok(Cost {
            instructions,
            bytes,
            time,
        })
    }
}

/// Processor time of this thread so far.
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(
        time.tv_sec.unsigned_abs(),
        u32::try_from(time.tv_nsec).unwrap_or(0),
    )
}
