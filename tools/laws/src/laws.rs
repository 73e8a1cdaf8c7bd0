//! The laws, and who breaks them.

use std::fmt;

/// For four times the bytes, at most so many times the instructions: linear, with room for what grows with
/// the logarithm and for tables that double.
pub const GROWTH: f64 = 5.2;
/// Most bytes allocated at once for each byte read.
pub const BYTES_PER_BYTE: u64 = 24;
/// Bytes that may be allocated besides, whatever is read.
pub const BYTES_FREE: u64 = 8 << 20;
/// Most instructions for each byte, at any size: what is linear can be slow, too. At this much, 1 MiB takes
/// about a second of one processor in a release build.
pub const INSTRUCTIONS_PER_BYTE: u64 = 10_000;
/// Sizes at which every check counts, in bytes: each four times the one before.
pub const SIZES: [usize; 2] = [64 << 10, 256 << 10];
/// The size that is counted besides by command.
pub const LARGE: usize = 1 << 20;

/// One reader on one shape at one size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measure {
    /// Bytes read.
    pub length: usize,
    /// Instructions.
    pub instructions: u64,
    /// Most bytes allocated at once, the input included.
    pub bytes: u64,
}

impl Measure {
    /// Instructions for each byte.
    pub fn per_byte(&self) -> f64 {
        self.instructions as f64 / self.length.max(1) as f64
    }

    /// Bytes allocated at once for each byte read, without those that are free.
    pub fn memory_factor(&self) -> f64 {
        self.bytes.saturating_sub(BYTES_FREE) as f64 / self.length.max(1) as f64
    }

    /// Whether it is no use to try more of this.
    pub fn is_hopeless(&self) -> bool {
        self.per_byte() > INSTRUCTIONS_PER_BYTE as f64
    }
}

/// How a law is broken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Breach {
    /// More than [`GROWTH`] for four times the bytes: from this many bytes, so many times.
    Growth(usize, f64),
    /// More than [`INSTRUCTIONS_PER_BYTE`]: at this many bytes, so many.
    Work(usize, f64),
    /// More than [`BYTES_PER_BYTE`] and [`BYTES_FREE`]: at this many bytes, so many.
    Memory(usize, u64),
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Growth(from, times) => write!(
                f,
                "four times {} KiB take {times:.1} times the instructions (at most {GROWTH})",
                from >> 10
            ),
            Self::Work(at, count) => write!(
                f,
                "{count:.0} instructions a byte at {} KiB (at most {INSTRUCTIONS_PER_BYTE})",
                at >> 10
            ),
            Self::Memory(at, bytes) => write!(
                f,
                "{:.1} MiB allocated at once at {} KiB (at most {BYTES_PER_BYTE} times that and {} MiB)",
                *bytes as f64 / 1_048_576.0,
                at >> 10,
                BYTES_FREE >> 20
            ),
        }
    }
}

/// The growth from one measure to the next, brought to four times the bytes.
pub fn growth(small: &Measure, large: &Measure) -> f64 {
    let times = large.instructions as f64 / small.instructions.max(1) as f64;
    let longer = large.length as f64 / small.length.max(1) as f64;
    times * 4.0 / longer
}

/// What of the laws these measures of one shape, from small to large, break.
pub fn breaches(measures: &[Measure]) -> Vec<Breach> {
    let mut out = Vec::new();
    for pair in measures.windows(2) {
        if let [small, large] = pair {
            let times = growth(small, large);
            // Only what grew: a body that cannot be made so small is as long at both sizes.
            if large.length > small.length * 2 && times > GROWTH {
                out.push(Breach::Growth(small.length, times));
            }
        }
    }
    for measure in measures {
        if measure.is_hopeless() {
            out.push(Breach::Work(measure.length, measure.per_byte()));
        }
        if measure.bytes > BYTES_PER_BYTE * measure.length as u64 + BYTES_FREE {
            out.push(Breach::Memory(measure.length, measure.bytes));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measure(length: usize, instructions: u64, bytes: u64) -> Measure {
        Measure {
            length,
            instructions,
            bytes,
        }
    }

    #[test]
    fn each_law_can_be_broken() {
        let linear = [measure(65_536, 1_000_000, 0), measure(262_144, 4_100_000, 0)];
        assert_eq!(breaches(&linear), []);
        let squared = [measure(65_536, 1_000_000, 0), measure(262_144, 16_000_000, 0)];
        assert_eq!(breaches(&squared), [Breach::Growth(65_536, 16.0)]);
        let slow = [measure(65_536, 65_536 * 10_001, 0)];
        assert_eq!(breaches(&slow), [Breach::Work(65_536, 10_001.0)]);
        let most = BYTES_FREE + 24 * 65_536;
        assert_eq!(breaches(&[measure(65_536, 1, most)]), []);
        assert_eq!(
            breaches(&[measure(65_536, 1, most + 1)]),
            [Breach::Memory(65_536, most + 1)]
        );
    }

    #[test]
    fn sizes_that_are_not_quite_four_times_are_brought_to_it() {
        let (small, large) = (measure(100_000, 1_000, 0), measure(200_000, 2_000, 0));
        assert!((growth(&small, &large) - 4.0).abs() < 1e-9);
    }
}
