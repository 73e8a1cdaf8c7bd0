//! The scripts that run in Redis, each as one step.

use redis::Script;

pub(crate) struct Scripts {
    pub(crate) join: Script,
    pub(crate) beat: Script,
    pub(crate) acquire: Script,
    pub(crate) later: Script,
    pub(crate) opened: Script,
    pub(crate) reached: Script,
    pub(crate) unlock: Script,
    pub(crate) rate: Script,
}

impl Scripts {
    pub(crate) fn new() -> Self {
        Self {
            join: Script::new(include_str!("scripts/join.lua")),
            beat: Script::new(include_str!("scripts/beat.lua")),
            acquire: Script::new(include_str!("scripts/acquire.lua")),
            later: Script::new(include_str!("scripts/later.lua")),
            opened: Script::new(include_str!("scripts/opened.lua")),
            reached: Script::new(include_str!("scripts/reached.lua")),
            unlock: Script::new(include_str!("scripts/unlock.lua")),
            rate: Script::new(include_str!("scripts/rate.lua")),
        }
    }
}
