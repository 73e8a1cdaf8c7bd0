//! Rows of the fault matrix (tests/faults.toml) that no other group of tests holds, through the whole server.

mod arguments;
mod bodies;
mod inbound;
mod lasting;
mod sources;

use libtest_mimic::Trial;

pub fn trials() -> Vec<Trial> {
    let mut trials = arguments::trials();
    trials.extend(bodies::trials());
    trials.extend(inbound::trials());
    trials.extend(sources::trials());
    trials.extend(lasting::trials());
    trials
}
