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
mod record;
mod records;
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

use freshcontext_testkit::bodies::{root, shared};
use libtest_mimic::{Arguments, Failed};

fn main() {
    let arguments = Arguments::from_args();
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
    trials.extend(politeness::trials());
    trials.extend(refused_keys::trials());
    trials.extend(http::trials());
    trials.extend(http_surface::trials());
    trials.extend(judged::trials());
    trials.extend(limits::trials());
    trials.extend(limits_egress::trials());
    trials.extend(liveness::trials());
    trials.extend(memory::trials());
    trials.extend(time::trials());
    trials.extend(timeline::trials());
    libtest_mimic::run(&arguments, trials).exit();
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
