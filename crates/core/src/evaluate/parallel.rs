//! The same work on many things, on all processors where that pays.

/// Bytes of text from which a call is shared out: below, handing work over costs what it saves.
pub(super) const WORTHWHILE: usize = 64 << 10;

/// Maps each thing with its place, in order. Where it is `worthwhile`, idle threads help the caller's:
/// each takes the next untaken thing, so that no thread waits long for a late one.
#[cfg(feature = "parallel")]
pub(super) fn map<'t, T: Sync, U: Send + Sync>(
    things: &'t [T],
    worthwhile: bool,
    work: impl Fn(usize, &'t T) -> U + Sync,
) -> Vec<U> {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Things from which work is shared out.
    const SHARED: usize = 16;
    /// Things that each thread should find at least.
    const EACH: usize = 8;

    let Some(pool) = helpers().filter(|_| worthwhile && things.len() >= SHARED) else {
        return one_by_one(things, work);
    };
    let next = AtomicUsize::new(0);
    let made: Vec<OnceLock<U>> = things.iter().map(|_| OnceLock::new()).collect();
    let help = || {
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let (Some(thing), Some(slot)) = (things.get(place), made.get(place)) else {
                break;
            };
            // Each place is given out once.
            let _ = slot.set(work(place, thing));
        }
    };
    pool.in_place_scope(|scope| {
        for _ in 0..pool.current_num_threads().min(things.len() / EACH) {
            scope.spawn(|_| help());
        }
        help();
    });
    made.into_iter().filter_map(OnceLock::into_inner).collect()
}

/// The threads that help: one less than there are processors, as the caller's works, too. With one for each,
/// the surplus one looks for work in the caller's time. None where there is one processor.
#[cfg(feature = "parallel")]
fn helpers() -> Option<&'static rayon::ThreadPool> {
    use std::sync::LazyLock;

    /// More would find too little to do.
    const MOST: usize = 7;

    static POOL: LazyLock<Option<rayon::ThreadPool>> = LazyLock::new(|| {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let helpers = (processors - 1).min(MOST);
        let pool = || {
            rayon::ThreadPoolBuilder::new()
                .num_threads(helpers)
                .thread_name(|number| format!("judge-{number}"))
                .build()
        };
        (helpers > 0).then(pool).and_then(Result::ok)
    });
    POOL.as_ref()
}

/// Maps each thing with its place, in order.
#[cfg(not(feature = "parallel"))]
pub(super) fn map<'t, T, U>(things: &'t [T], _worthwhile: bool, work: impl Fn(usize, &'t T) -> U) -> Vec<U> {
    one_by_one(things, work)
}

fn one_by_one<'t, T, U>(things: &'t [T], work: impl Fn(usize, &'t T) -> U) -> Vec<U> {
    let things = things.iter().enumerate();
    things.map(|(place, thing)| work(place, thing)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_out_or_not_the_order_stays() {
        let things: Vec<usize> = (0..1_003).collect();
        let work = |place: usize, thing: &usize| (place, thing * 2);
        let expected: Vec<(usize, usize)> = things.iter().map(|thing| (*thing, thing * 2)).collect();
        for length in [0, 1, 7, 8, 16, 17, 1_003] {
            for worthwhile in [false, true] {
                let made = map(&things[..length], worthwhile, work);
                assert_eq!(made, expected[..length], "{length} {worthwhile}");
            }
        }
    }
}
