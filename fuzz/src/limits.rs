//! Time and memory limits for one input: the laws of `freshcontext-laws`, applied to each input separately.

use std::time::Duration;

use freshcontext_laws::laws::{BYTES_FREE, BYTES_PER_BYTE};
use freshcontext_laws::meter::Meter;
use rustix::time::{ClockId, clock_gettime};

/// Processor time per input byte, with sanitizers and little optimisation. Superlinear work exceeds this long before
/// `-max_len`.
const TIME_PER_BYTE: Duration = Duration::from_micros(20);
/// Fixed processor time on top, for tables that are built at first use.
const TIME_FREE: Duration = Duration::from_millis(500);
/// Attempts before an input counts as too slow: another process may have evicted the caches.
const ATTEMPTS: u32 = 3;

/// Reads an input within the limits.
///
/// # Panics
///
/// If the input takes too long in all three attempts, or too much memory in any of them, for its length.
pub fn within(data: &[u8], mut read: impl FnMut()) {
    let length = data.len() as u64;
    let allowed = TIME_FREE + TIME_PER_BYTE * u32::try_from(length).unwrap_or(u32::MAX);
    for attempt in 1..=ATTEMPTS {
        let begun = processor_time();
        let cost = Meter::new(None).cost(&mut read).expect("nothing is counted that could be unreadable");
        let taken = processor_time().saturating_sub(begun);
        let memory = BYTES_PER_BYTE * length + BYTES_FREE;
        assert!(cost.bytes <= memory, "{} bytes allocated at once for {length} read, at most {memory}", cost.bytes);
        if taken <= allowed {
            return;
        }
        assert!(attempt < ATTEMPTS, "{taken:?} of processor time for {length} bytes, at most {allowed:?}");
    }
}

fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}
