//! Instructions and bytes of one piece of work.

use std::path::PathBuf;
use std::time::Duration;

use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATED: PeakAlloc = PeakAlloc;

/// Cost of one piece of work.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    /// Instructions of the whole process during the work.
    pub instructions: u64,
    /// Peak of allocated bytes above the level before the work.
    pub bytes: u64,
    /// Processor time of the thread. It varies between runs, so it only selects what to count and decides nothing.
    pub time: Duration,
}

/// Marks where callgrind starts counting. Callgrind finds the function by its name.
#[inline(never)]
pub fn counting_begins() {
    std::hint::black_box(());
}

/// Marks where callgrind writes its count.
#[inline(never)]
pub fn counting_ends() {
    std::hint::black_box(());
}

/// Returns the callgrind arguments that count between the two marks.
pub fn callgrind_arguments(folder: &std::path::Path) -> Vec<String> {
    vec![
        "--tool=callgrind".to_owned(),
        "--zero-before=*meter::counting_begins".to_owned(),
        "--dump-before=*meter::counting_ends".to_owned(),
        "--quiet".to_owned(),
        format!("--callgrind-out-file={}/%p", folder.display()),
    ]
}

/// Reader of callgrind's counts for this process.
pub struct Meter {
    /// Path of callgrind's output without the number; `None` if nothing counts.
    dumps: Option<PathBuf>,
    number: u32,
}

impl Meter {
    /// Creates a meter. `folder` is the folder of [`callgrind_arguments`]; without it, only bytes are counted.
    pub fn new(folder: Option<PathBuf>) -> Self {
        Self {
            dumps: folder.map(|folder| folder.join(std::process::id().to_string())),
            number: 0,
        }
    }

    /// Does the work once and returns its cost.
    ///
    /// # Errors
    ///
    /// Callgrind's count cannot be read.
    pub fn cost(&mut self, mut work: impl FnMut()) -> Result<Cost, String> {
        let before = ALLOCATED.current_usage();
        ALLOCATED.reset_peak_usage();
        // Not under callgrind, where reading the clock ends the process.
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
                // The count is read only once.
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

/// Returns the processor time of this thread so far.
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(
        time.tv_sec.unsigned_abs(),
        u32::try_from(time.tv_nsec).unwrap_or(0),
    )
}
