//! The toolset `time`: an answer has an id, and `recheck` reports whether it still holds. Tested through the
//! tool, with upstreams that change, delete, reorder, displace, refuse and fail.

mod asking;
mod composites;
mod cost;
mod deciding;
mod keeping;
mod large;
mod lists;
mod processes;
pub mod setup;
mod shared;
mod streaming;
mod waiting;
mod window;

use libtest_mimic::Trial;

use crate::run::block_on;

pub use large::is_other_program;

pub fn trials() -> Vec<Trial> {
    let mut trials = lists::trials();
    trials.extend(composites::trials());
    trials.extend(deciding::trials());
    trials.extend(processes::trials());
    trials.extend(shared::trials());
    trials.extend(waiting::trials());
    trials.extend(large::trials());
    trials.extend(streaming::trials());
    trials.extend([
        Trial::test("time::not_modified", || block_on(asking::not_modified())),
        Trial::test("time::renewed_validators", || {
            block_on(asking::renewed_validators())
        }),
        Trial::test("time::around_the_entries", || {
            block_on(asking::around_the_entries())
        }),
        Trial::test("time::named_thing_gone", || block_on(asking::named_thing_gone())),
        Trial::test("time::without_an_id", || block_on(asking::without_an_id())),
        Trial::test("time::wrong_arguments", || block_on(asking::wrong_arguments())),
        Trial::test("time::id_in_a_signal", || block_on(asking::id_in_a_signal())),
        Trial::test("time::restart_between", || block_on(keeping::restart_between())),
        Trial::test("time::owners_are_apart", || block_on(keeping::owners_are_apart())),
        Trial::test("time::damaged_store", || block_on(keeping::damaged_store())),
        Trial::test("time::store_off", || block_on(keeping::store_off())),
        Trial::test("time::cached_answer_keeps_its_id", || block_on(keeping::cached())),
        Trial::test("time::off_by_default", || block_on(keeping::off_by_default())),
        Trial::test("time::never_gone_by_absence", || {
            block_on(window::never_gone_by_absence())
        }),
        Trial::test("time::requests_counted", || block_on(cost::requests_counted())),
    ]);
    trials
}
