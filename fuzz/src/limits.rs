//! What every input must keep to: the laws of `freshcontext-laws`, for one input at a time.

use std::time::Duration;

use freshcontext_laws::laws::{BYTES_FREE, BYTES_PER_BYTE};
use freshcontext_laws::meter::Meter;
use rustix::time::{ClockId, clock_gettime};

/// Processor time for each byte read, under sanitizers and without optimisation worth the name. What is not
/// linear passes this long before `-max_len`.
const TIME_PER_BYTE: Duration = Duration::from_micros(20);
/// Processor time besides, whatever is read: tables that are made at first use.
const TIME_FREE: Duration = Duration::from_millis(500);
/// Who takes too long is asked again: another process may have had the caches.
const ATTEMPTS: u32 = 3;

/// Reads an input within the limits.
///
/// # Panics
///
/// Where it takes more time in three attempts, or more memory in any, than its length allows.
pub fn within(data: &[u8], mut read: impl FnMut()) {
    let length = data.len() as u64;
    let allowed = TIME_FREE + TIME_PER_BYTE * u32::try_from(length).unwrap_or(u32::MAX);
    for attempt in 1..=ATTEMPTS {
        let begun = processor_time();
        let cost = Meter::new(None)
            .cost(&mut read)
            .expect("nothing is counted that could be unreadable");
        let taken = processor_time().saturating_sub(begun);
        let memory = BYTES_PER_BYTE * length + BYTES_FREE;
        assert!(
            cost.bytes <= memory,
            "{} bytes allocated at once for {length} read, at most {memory}",
            cost.bytes
        );
        if taken <= allowed {
            return;
        }
        assert!(
            attempt < ATTEMPTS,
            "{taken:?} of processor time for {length} bytes, at most {allowed:?}"
        );
    }
}

fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(
        time.tv_sec.unsigned_abs(),
        u32::try_from(time.tv_nsec).unwrap_or(0),
    )
}
