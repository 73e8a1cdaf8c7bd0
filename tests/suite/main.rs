//! The suite. Its list of tests is made from the registry and the case files, so that a source
//! without cases fails by name, and a case file that no source claims fails too.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "this whole binary is a test"
)]

mod budget;
mod cases;
mod ci;
mod cli;
mod composites;
mod credentials;
mod deliverables;
mod doctor;
mod evidence;
mod floods;
mod forgotten;
mod hostile;
mod http;
mod http_surface;
mod judged;
mod limits;
mod limits_egress;
mod liveness;
mod memory;
mod mutated;
mod places;
mod politeness;
mod process;
mod quoted;
mod record;
mod records;
mod redaction;
mod refusals;
mod refused_keys;
mod run;
mod stdio;
mod stdio_process;
mod surface;
mod sync;
mod time;
mod timeline;
mod upstreams;
mod wire;

use std::num::NonZero;
use std::sync::LazyLock;

use freshcontext_testkit::bodies::{root, shared};
use libtest_mimic::{Arguments, Conclusion, Failed, Trial};

/// What the command line asks for.
static ARGUMENTS: LazyLock<Arguments> = LazyLock::new(Arguments::from_args);

fn main() {
    if time::is_other_program() {
        return;
    }
    let arguments = &*ARGUMENTS;
    let mut trials = Vec::new();
    trials.extend(cases::trials());
    trials.extend(budget::trials());
    trials.extend(ci::trials());
    trials.extend(forgotten::trials());
    trials.extend(mutated::trials());
    trials.extend(evidence::trials());
    trials.extend(refusals::trials());
    trials.extend(surface::trials());
    trials.extend(sync::trials());
    trials.extend(stdio::trials());
    trials.extend(stdio_process::trials());
    trials.extend(cli::trials());
    trials.extend(composites::trials());
    trials.extend(credentials::trials());
    trials.extend(deliverables::trials());
    trials.extend(doctor::trials());
    trials.extend(record::trials());
    trials.extend(records::trials());
    trials.extend(redaction::trials());
    trials.extend(politeness::trials());
    trials.extend(quoted::trials());
    trials.extend(refused_keys::trials());
    trials.extend(http::trials());
    trials.extend(http_surface::trials());
    trials.extend(judged::trials());
    trials.extend(limits::trials());
    trials.extend(limits_egress::trials());
    trials.extend(liveness::trials());
    trials.extend(memory::trials());
    trials.extend(floods::trials());
    trials.extend(time::trials());
    trials.extend(timeline::trials());
    let (timed, others): (Vec<_>, Vec<_>) = trials.into_iter().partition(|trial| is_timed(trial.name()));
    // Most of the others' time is spent waiting: for processes, for a pace, for a deadline.
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    let at_once = arguments.test_threads.unwrap_or(processors * WAITING);
    let others = conclude(others, at_once);
    let timed = conclude(timed, arguments.test_threads.unwrap_or(processors));
    if others.is_none() && timed.is_none() {
        libtest_mimic::run(arguments, Vec::new()).exit();
    }
    for conclusion in [others, timed].into_iter().flatten() {
        conclusion.exit_if_failed();
    }
}

/// Trials at once for each processor, but for those that are timed.
const WAITING: usize = 4;

/// Groups with trials that measure, or whose time is short: a busy machine would falsify them.
const TIMED: [&str; 10] = [
    "floods::",
    "http::",
    "judged::",
    "limits::",
    "liveness::",
    "memory::",
    "politeness::",
    "process::",
    "stdio::",
    "time::shared::",
];

/// Whether a trial comes last, with no more at once than there are processors.
fn is_timed(name: &str) -> bool {
    TIMED.iter().any(|group| name.starts_with(group))
}

/// Runs those that are asked for, if there are any.
fn conclude(mut trials: Vec<Trial>, at_once: usize) -> Option<Conclusion> {
    trials.retain(|trial| !ARGUMENTS.is_filtered_out(trial));
    let mut arguments = ARGUMENTS.clone();
    arguments.test_threads = Some(at_once);
    (!trials.is_empty()).then(|| libtest_mimic::run(&arguments, trials))
}

/// Whether a trial of this name is asked for: what it takes to know whether it has anything to check is spared for others.
fn wanted(name: &str) -> bool {
    !ARGUMENTS.is_filtered_out(&Trial::test(name, || Ok(())))
}

/// Complaints to a test result.
#[expect(clippy::needless_pass_by_value, reason = "whoever complains is done")]
fn verdict(complaints: Vec<String>) -> Result<(), Failed> {
    if complaints.is_empty() {
        Ok(())
    } else {
        Err(Failed::from(complaints.join("\n")))
    }
}

/// A failure, unless this holds.
fn ensure(holds: bool, otherwise: impl std::fmt::Display) -> Result<(), Failed> {
    if holds {
        Ok(())
    } else {
        Err(Failed::from(otherwise.to_string()))
    }
}
