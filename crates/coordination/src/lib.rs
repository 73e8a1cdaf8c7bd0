//! What replicas of the server share through Redis or Valkey, and what each does by itself when Redis is out of reach.
//!
//! Redis' clock decides. A process tells Redis until when a command counts, so a command that a paused server runs later
//! changes nothing. A process that Redis has not heard of for three seconds keeps its own share of each limit, and Redis
//! leaves that share to it. Shares by number need no clock. Shares of a pace that is smaller than the number of replicas
//! are turns by Redis' clock, as each process last saw it.

mod address;
mod coordinator;
mod keys;
mod leases;
mod link;
mod own;
mod port;
mod reply;
mod scripts;
mod share;
mod status;

use std::time::Duration;

pub use address::check_address;
pub use coordinator::{Coordinator, Options};
pub use status::SharedStatus;

/// Time budget of one command on the path of a call.
const BUDGET: Duration = Duration::from_millis(50);
/// Interval of the sign of life.
const BEAT: Duration = Duration::from_secs(1);
/// Time without a sign of life after which a member is missing, and after which it may use its own share.
const SILENT: Duration = Duration::from_secs(3);
/// Time without a sign of life after which a member has no share any more.
const GONE: Duration = Duration::from_mins(2);
/// Time in which the members of a new generation come with what they know.
const GATHER: Duration = Duration::from_secs(2);
/// A connection that lasted this long was a good one.
const LASTED: Duration = Duration::from_secs(5);
/// Difference of Redis' clock from what it was that a process accepts.
const CLOCK_TOLERANCE_MS: i64 = 250;
/// Prefix of every key: the project and the version of the layout.
const PREFIX: &str = "freshcontext:1:";
