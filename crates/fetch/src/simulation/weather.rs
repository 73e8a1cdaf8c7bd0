//! What simulated hosts do, for an hour or so at a time.

use super::chance::Chance;
use super::time::{HOUR, MILLISECOND, Nanos, SECOND};

/// How a host behaves for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weather {
    Fair,
    Slow,
    Failing,
    Limiting,
    Refusing,
    Silent,
    Odd,
}

impl Weather {
    /// Returns the next weather and how long it lasts.
    pub(super) fn next(chance: &Chance) -> (Self, Nanos) {
        const ALL: [Weather; 12] = [
            Weather::Fair,
            Weather::Fair,
            Weather::Fair,
            Weather::Fair,
            Weather::Fair,
            Weather::Slow,
            Weather::Failing,
            Weather::Limiting,
            Weather::Limiting,
            Weather::Refusing,
            Weather::Silent,
            Weather::Odd,
        ];
        (chance.one_of(&ALL), chance.between(60 * SECOND, 2 * HOUR))
    }
}

/// What comes of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Answered,
    /// No connection is made, after this time.
    NoConnection,
    /// The host takes the connection and never answers.
    Silence,
    /// The host closes the connection in place of an answer.
    Closed,
    /// The body stops in its middle.
    Stalled,
    /// The connection breaks in the middle of the body.
    Cut,
    Failed(u16),
    /// Status 429, with this wait in seconds.
    Limited(Option<u64>),
    /// Status 503, with this wait in seconds.
    Away(u64),
    /// A page in place of data, with status 200.
    Page,
    /// A redirect to another host.
    Elsewhere,
    /// A body that is larger than it may be.
    TooLarge,
}

/// Returns what comes of a request in this weather.
pub(super) fn fate(weather: Weather, chance: &Chance) -> Fate {
    const WAITS: [u64; 8] = [0, 1, 3, 10, 30, 120, 600, 7_200];
    let common = |chance: &Chance| match chance.below(100) {
        0 => Fate::Failed(404),
        1 => Fate::Failed(500),
        2 => Fate::Limited(Some(chance.one_of(&WAITS))),
        3..=5 => Fate::Elsewhere,
        _ => Fate::Answered,
    };
    match (weather, chance.below(10)) {
        (Weather::Failing, 0..=5) => Fate::Failed(chance.one_of(&[500, 502, 503, 504])),
        (Weather::Limiting, 0..=3) => Fate::Limited(Some(chance.one_of(&WAITS))),
        (Weather::Limiting, 4) => Fate::Limited(None),
        (Weather::Limiting, 5) => Fate::Away(chance.one_of(&WAITS)),
        (Weather::Refusing, 0..=8) => Fate::NoConnection,
        (Weather::Silent, 0..=8) => Fate::Silence,
        (Weather::Odd, 0..=1) => Fate::Page,
        (Weather::Odd, 2) => Fate::Stalled,
        (Weather::Odd, 3) => Fate::Cut,
        (Weather::Odd, 4) => Fate::Closed,
        (Weather::Odd, 5) => Fate::TooLarge,
        _ => common(chance),
    }
}

/// Returns how long a part of the way takes.
pub(super) fn delay(weather: Weather, chance: &Chance) -> Nanos {
    match weather {
        Weather::Slow => chance.between(200 * MILLISECOND, 6 * SECOND),
        _ => chance.between(MILLISECOND, 400 * MILLISECOND),
    }
}
