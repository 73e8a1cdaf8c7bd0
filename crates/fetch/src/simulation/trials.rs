//! What is asked of simulated days.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::time::Instant;

use super::Fault;
use super::day::{Day, simulate};

/// Days of a quick run. A thousand take a minute on two cores, built for release.
const DAYS: u64 = 4;
/// Days after which a planted fault must have been found.
const DAYS_TO_FIND: u64 = 40;
const HOURS: u64 = 24;

fn number(name: &str) -> Option<u64> {
    Some(std::env::var(name).ok()?.parse().expect("a number"))
}

fn assert_lawful(seed: u64, day: &Day) {
    if let Some(law) = &day.broken {
        let lines: Vec<&str> = day.trace.lines().collect();
        let last = lines[lines.len().saturating_sub(60)..].join("\n");
        if let Ok(file) = std::env::var("FRESHCONTEXT_TRACE") {
            std::fs::write(file, &day.trace).expect("a place for the trace");
        }
        panic!("{last}\n{law}\nrepeat it with FRESHCONTEXT_SEED={seed}");
    }
}

#[test]
fn days_of_many_seeds_keep_the_laws() {
    let given = number("FRESHCONTEXT_SEED");
    let first = given.unwrap_or_else(|| RandomState::new().build_hasher().finish() >> 8);
    let days = number("FRESHCONTEXT_SIMULATED").unwrap_or(if given.is_some() { 1 } else { DAYS });
    println!("FRESHCONTEXT_SEED={first} for the first of {days} days");
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
    let begun = Instant::now();
    let share = |thread: u64| {
        let mut sums = (0, 0, 0, 0);
        for seed in (first..first + days)
            .skip(usize::try_from(thread).unwrap())
            .step_by(usize::try_from(threads).unwrap())
        {
            let day = simulate(seed, HOURS, None);
            assert_lawful(seed, &day);
            sums = (
                sums.0 + day.calls,
                sums.1 + day.answered,
                sums.2 + day.copies,
                sums.3 + day.sent,
            );
            if given.is_some() {
                println!("{:#?}", day.failures);
            }
        }
        sums
    };
    let sums = std::thread::scope(|scope| {
        let share = &share;
        let running: Vec<_> = (0..threads)
            .map(|thread| scope.spawn(move || share(thread)))
            .collect();
        let ended = running
            .into_iter()
            .map(|thread| thread.join().expect("every law is kept"));
        ended.fold((0, 0, 0, 0), |a, b| (a.0 + b.0, a.1 + b.1, a.2 + b.2, a.3 + b.3))
    });
    let (calls, answered, copies, sent) = sums;
    println!(
        "simulation: {days} days in {} ms: {calls} calls, {answered} answered, {copies} of them from the cache, {sent} requests",
        begun.elapsed().as_millis()
    );
    // A day on which nothing happens would keep every law.
    assert!(answered > calls / 4 && copies > 0 && sent > 0, "{sums:?}");
}

#[test]
fn a_seed_repeats_its_day_to_the_byte() {
    for seed in [7, 8] {
        let (one, again) = (simulate(seed, 6, None), simulate(seed, 6, None));
        assert_lawful(seed, &one);
        assert!(
            one.trace.lines().count() > 100,
            "a day of {} events",
            one.trace.lines().count()
        );
        let differing = one.trace.lines().zip(again.trace.lines()).find(|(a, b)| a != b);
        assert_eq!(differing, None);
        assert_eq!(one.trace, again.trace);
    }
    assert_ne!(simulate(7, 2, None).trace, simulate(8, 2, None).trace);
}

#[test]
fn planted_faults_are_found() {
    for (fault, law) in [
        (Fault::LostWaiter, "waiters:"),
        (Fault::SlotFromSending, "pace:"),
        (Fault::SuspensionForgotten, "suspension:"),
        (Fault::AgeUntold, "age:"),
        (Fault::NotCoalesced, "coalescing:"),
    ] {
        let found = (0..DAYS_TO_FIND).find_map(|seed| {
            let day = simulate(seed, HOURS, Some(fault));
            Some((seed, day.broken.clone()?, day))
        });
        let (seed, broken, day) = found.unwrap_or_else(|| panic!("{fault:?} was not found"));
        assert!(broken.starts_with(law), "{fault:?}: {broken}");
        let again = simulate(seed, HOURS, Some(fault));
        assert_eq!(again.trace, day.trace, "{fault:?} repeats to the byte");
    }
}
