//! The suite. Its tests are generated from the registry and the case files, so a source without cases fails
//! by name, and so does a case file without a source.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "this whole binary is a test"
)]

mod as_of;
mod budget;
mod cases;
mod ci;
mod cli;
mod composites;
mod credentials;
mod deliverables;
mod doctor;
mod evidence;
mod faults;
mod floods;
mod forgotten;
mod guidance;
mod handed_over;
mod held;
mod hostile;
mod http;
mod http_surface;
mod judged;
mod known_items;
mod limits;
mod limits_egress;
mod liveness;
mod memory;
mod mutated;
mod oauth;
mod origins;
mod pages_hold;
mod places;
mod politeness;
mod process;
mod protocol;
mod quoted;
mod record;
mod records;
mod redaction;
mod references;
mod refusals;
mod refused_keys;
mod replicas;
mod replicas_told;
mod rest;
mod run;
mod said_errors;
mod standing;
mod stdio;
mod stdio_process;
mod surface;
mod sync;
mod telemetry;
mod time;
mod timeline;
mod upstreams;
mod wire;

use std::num::NonZero;
use std::sync::LazyLock;

use freshcontext_testkit::bodies::{root, shared};
use libtest_mimic::{Arguments, Conclusion, Failed, Trial};

/// Options of the command line.
static ARGUMENTS: LazyLock<Arguments> = LazyLock::new(Arguments::from_args);

fn main() {
    if time::is_other_program() {
        return;
    }
    let arguments = &*ARGUMENTS;
    let mut trials = Vec::new();
    trials.extend(cases::trials());
    trials.extend(rest::trials());
    trials.extend(as_of::trials());
    trials.extend(budget::trials());
    trials.extend(ci::trials());
    trials.extend(forgotten::trials());
    trials.extend(handed_over::trials());
    trials.extend(mutated::trials());
    trials.extend(origins::trials());
    trials.extend(evidence::trials());
    trials.extend(references::trials());
    trials.extend(refusals::trials());
    trials.extend(said_errors::trials());
    trials.extend(surface::trials());
    trials.extend(sync::trials());
    trials.extend(standing::trials());
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
    trials.extend(replicas::trials());
    trials.extend(replicas_told::trials());
    trials.extend(http::trials());
    trials.extend(http_surface::trials());
    trials.extend(held::trials());
    trials.extend(judged::trials());
    trials.extend(known_items::trials());
    trials.extend(limits::trials());
    trials.extend(limits_egress::trials());
    trials.extend(liveness::trials());
    trials.extend(memory::trials());
    trials.extend(faults::trials());
    trials.extend(floods::trials());
    trials.extend(time::trials());
    trials.extend(guidance::trials());
    trials.extend(oauth::trials());
    trials.extend(pages_hold::trials());
    trials.extend(timeline::trials());
    trials.extend(telemetry::trials());
    trials.extend(protocol::trials());
    let (timed, others): (Vec<_>, Vec<_>) = trials.into_iter().partition(|trial| is_timed(trial.name()));
    // Most tests spend their time waiting: for processes, for a pace, for a deadline.
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

/// Concurrent tests per processor, except for timed ones.
const WAITING: usize = 4;

/// Groups of tests with measurements or short timeouts, which a busy machine would falsify.
const TIMED: [&str; 11] = [
    "faults::",
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

/// Whether a test runs last, with at most one per processor.
fn is_timed(name: &str) -> bool {
    TIMED.iter().any(|group| name.starts_with(group))
}

/// Runs the selected tests, if there are any.
fn conclude(mut trials: Vec<Trial>, at_once: usize) -> Option<Conclusion> {
    trials.retain(|trial| !ARGUMENTS.is_filtered_out(trial));
    let mut arguments = ARGUMENTS.clone();
    arguments.test_threads = Some(at_once);
    (!trials.is_empty()).then(|| libtest_mimic::run(&arguments, trials))
}

/// Whether a test of this name is selected: avoids expensive setup for others.
fn wanted(name: &str) -> bool {
    !ARGUMENTS.is_filtered_out(&Trial::test(name, || Ok(())))
}

/// Converts complaints into a test result.
#[expect(clippy::needless_pass_by_value, reason = "whoever complains is done")]
fn verdict(complaints: Vec<String>) -> Result<(), Failed> {
    if complaints.is_empty() {
        Ok(())
    } else {
        Err(Failed::from(complaints.join("\n")))
    }
}

/// Fails unless this holds.
fn ensure(holds: bool, otherwise: impl std::fmt::Display) -> Result<(), Failed> {
    if holds {
        Ok(())
    } else {
        Err(Failed::from(otherwise.to_string()))
    }
}
