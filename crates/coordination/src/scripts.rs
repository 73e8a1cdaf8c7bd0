//! The scripts that run in Redis, each as one step.

use redis::Script;

/// Sets a mark, unless it already stands for longer.
pub(crate) const LATER: &str = include_str!("scripts/later.lua");
/// Leaves a failing host alone.
pub(crate) const OPENED: &str = include_str!("scripts/opened.lua");
/// Counts a slot from now.
pub(crate) const REACHED: &str = include_str!("scripts/reached.lua");
/// Releases a lock.
pub(crate) const UNLOCK: &str = include_str!("scripts/unlock.lua");

/// The scripts whose answers a process waits for.
pub(crate) struct Scripts {
    pub(crate) join: Script,
    pub(crate) beat: Script,
    pub(crate) acquire: Script,
    pub(crate) rate: Script,
}

impl Scripts {
    pub(crate) fn new() -> Self {
        Self {
            join: Script::new(include_str!("scripts/join.lua")),
            beat: Script::new(include_str!("scripts/beat.lua")),
            acquire: Script::new(include_str!("scripts/acquire.lua")),
            rate: Script::new(include_str!("scripts/rate.lua")),
        }
    }
}
