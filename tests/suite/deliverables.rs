//! Deliverables, through the engine, the command line and an MCP client, on both databases.

mod clocks;
mod defining;
pub(crate) mod fixtures;
mod generating;
mod killed;
mod listening;
#[cfg(unix)]
mod private;
mod resources;
mod setup;
mod story;
mod trouble;
mod useful;
mod watching;
mod webhooks;
mod whole;

use libtest_mimic::Trial;

use crate::places::{on_both, on_postgres, on_sqlite};
use crate::run::block_on;

pub fn trials() -> Vec<Trial> {
    let mut trials = vec![
        Trial::test("deliverables::fresh_sources_see_no_request", || {
            block_on(generating::fresh())
        }),
        Trial::test("deliverables::stale_sources_alone_are_fetched", || {
            block_on(generating::stale_alone())
        }),
        Trial::test("deliverables::week_old_sync_is_judged_now", || {
            block_on(generating::week_old())
        }),
        Trial::test("deliverables::policies", || block_on(generating::policies())),
        Trial::test("deliverables::partial_answers_lose_nothing", || {
            block_on(generating::partial())
        }),
        Trial::test("deliverables::a_stand_in_shows_no_removal", || {
            block_on(generating::stand_in())
        }),
        Trial::test("deliverables::owners_are_apart", || block_on(defining::owners())),
        Trial::test("deliverables::what_is_refused", || block_on(defining::refused())),
        Trial::test("deliverables::resources", || {
            block_on(resources::told_of_changes())
        }),
        Trial::test("deliverables::named_sources_are_relevant", || {
            block_on(useful::named())
        }),
        Trial::test("deliverables::origins", || block_on(useful::copies())),
        Trial::test("deliverables::an_empty_version_is_an_error", || {
            block_on(useful::empty())
        }),
        Trial::test("deliverables::exit_codes_of_a_check", || {
            block_on(useful::checked())
        }),
        Trial::test("deliverables::what_is_stored", || block_on(useful::stored())),
        Trial::test("deliverables::records_of_a_version", || {
            block_on(useful::recorded())
        }),
        Trial::test(
            "deliverables::required_arguments",
            || block_on(useful::required()),
        ),
        Trial::test("deliverables::template", || block_on(defining::template())),
        Trial::test("deliverables::watched", || block_on(watching::watched())),
        Trial::test("deliverables::late_items", || block_on(watching::late())),
        Trial::test("deliverables::watched_by_nobody", || block_on(watching::unread())),
        #[cfg(unix)]
        Trial::test("deliverables::feeds", || block_on(watching::feeds())),
    ];
    trials.extend(on_both("deliverables::example_of_the_page", story::told));
    trials.push(on_sqlite("deliverables::killed", killed::often));
    // It stops its server.
    trials.push(on_postgres("deliverables::killed", killed::often));
    trials.extend(on_both("deliverables::two_at_once", killed::two_at_once));
    trials.extend(on_both(
        "deliverables::webhook_after_a_restart",
        webhooks::after_a_restart,
    ));
    trials.extend(on_both("deliverables::listening_over_http", listening::over_http));
    trials.push(on_sqlite(
        "deliverables::listening_is_bounded",
        listening::bounded,
    ));
    trials.push(on_sqlite("deliverables::webhook_given_up", webhooks::given_up));
    trials.push(on_sqlite(
        "deliverables::webhook_of_a_watcher",
        webhooks::of_a_watcher,
    ));
    trials.push(on_sqlite("deliverables::webhook_addresses", webhooks::addresses));
    trials.extend(fixtures::trials());
    trials.extend(trouble::trials());
    trials.extend(clocks::trials());
    #[cfg(unix)]
    trials.extend(private::trials());
    trials
}
