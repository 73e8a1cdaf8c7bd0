//! Levels of compatibility.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

/// The compatibility levels of the specification, lowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Not a FreshContext response.
    Fail,
    /// States the time of retrieval, but not reliably the age of the content.
    Aware,
    /// A complete envelope or JSON form.
    Compatible,
    /// Compatible, with a score from decay (or null if there is no date).
    Scored,
}

impl Level {
    /// Stars of the specification: 0..=3.
    pub const fn stars(self) -> u8 {
        match self {
            Self::Fail => 0,
            Self::Aware => 1,
            Self::Compatible => 2,
            Self::Scored => 3,
        }
    }

    /// The level's name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fail => "fail",
            Self::Aware => "aware",
            Self::Compatible => "compatible",
            Self::Scored => "scored",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
