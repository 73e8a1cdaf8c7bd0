//! The laws of time and memory, and how measures break them.

use std::fmt;

/// Maximum growth factor of the instructions when the input becomes four times as long. This allows linear work, with
/// room for a logarithmic factor and for tables that double.
pub const GROWTH: f64 = 5.2;
/// Maximum bytes allocated at once, per input byte.
pub const BYTES_PER_BYTE: u64 = 24;
/// Fixed allowance in bytes on top, independent of the input.
pub const BYTES_FREE: u64 = 8 << 20;
/// Maximum instructions per input byte at any size, since linear work can be slow, too. At this limit, 1 MiB takes
/// about a second on one processor in a release build.
pub const INSTRUCTIONS_PER_BYTE: u64 = 10_000;
/// Input sizes of every check, in bytes. Each is four times the previous one.
pub const SIZES: [usize; 2] = [64 << 10, 256 << 10];
/// Additional size in bytes, which only `--full` counts.
pub const LARGE: usize = 1 << 20;

/// Cost of one reader on one shape at one size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measure {
    /// Bytes read.
    pub length: usize,
    /// Instructions executed.
    pub instructions: u64,
    /// Peak of allocated bytes, the input included.
    pub bytes: u64,
}

impl Measure {
    /// Returns instructions per input byte.
    pub fn per_byte(&self) -> f64 {
        self.instructions as f64 / self.length.max(1) as f64
    }

    /// Returns peak allocated bytes per input byte, after the fixed allowance.
    pub fn memory_factor(&self) -> f64 {
        self.bytes.saturating_sub(BYTES_FREE) as f64 / self.length.max(1) as f64
    }

    /// Returns whether larger sizes need no measuring: the limit per byte is already broken.
    pub fn is_hopeless(&self) -> bool {
        self.per_byte() > INSTRUCTIONS_PER_BYTE as f64
    }
}

/// Violation of a law.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Breach {
    /// Growth above [`GROWTH`] for four times the bytes: the smaller size in bytes, and the factor.
    Growth(usize, f64),
    /// More than [`INSTRUCTIONS_PER_BYTE`]: the size in bytes, and the instructions per byte.
    Work(usize, f64),
    /// More than [`BYTES_PER_BYTE`] and [`BYTES_FREE`]: the size in bytes, and the bytes allocated.
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

/// Returns the growth factor between two measures, scaled to four times the bytes.
pub fn growth(small: &Measure, large: &Measure) -> f64 {
    let times = large.instructions as f64 / small.instructions.max(1) as f64;
    let longer = large.length as f64 / small.length.max(1) as f64;
    times * 4.0 / longer
}

/// Returns the laws that the measures of one shape, from small to large, break.
pub fn breaches(measures: &[Measure]) -> Vec<Breach> {
    let mut out = Vec::new();
    for pair in measures.windows(2) {
        if let [small, large] = pair {
            let times = growth(small, large);
            // Only if the body grew: a body with a long fixed part has the same length at both sizes.
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
