//! The share of a limit that a process keeps without Redis.

use std::time::Duration;

/// The shares that a process must keep within: one, or two while not all members have agreed to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shares {
    pub(crate) index: u64,
    pub(crate) n: u64,
    /// The number before, as long as some members may still count by it.
    pub(crate) before: Option<u64>,
}

/// Pace in whole units.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rate {
    pub(crate) requests: u64,
    pub(crate) per_ms: u64,
}

/// What a share allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Allowed {
    /// So many requests in any window of the pace.
    Number(u64),
    /// One request in each turn. Zero if a turn is now, else the milliseconds until the next one.
    Turn(u64),
    /// Nothing, until all members have agreed.
    Nothing,
}

impl Rate {
    /// Returns the distance of turns in milliseconds: the pace, and room for travel and for clocks.
    pub(crate) fn pitch(self) -> u64 {
        self.per_ms + self.room()
    }

    /// Returns how long a turn lasts in milliseconds.
    pub(crate) fn window(self) -> u64 {
        self.room() / 4
    }

    fn room(self) -> u64 {
        (self.per_ms / 2).clamp(500, 2_000)
    }

    /// Returns what a process may use at once when it loses Redis. Redis never grants it. Other limits are silent for
    /// the length of their pace.
    pub(crate) fn reserve(self, shares: Shares) -> u64 {
        let all = shares.most();
        if self.per_ms > 60_000 && self.requests >= 4 * all {
            (self.requests / (8 * all)).max(1)
        } else {
            0
        }
    }

    /// Returns what a share allows at a time by Redis' clock, in milliseconds.
    pub(crate) fn allowed(self, shares: Shares, now: u64) -> Allowed {
        let counts = [Some(shares.n), shares.before];
        if counts.iter().flatten().any(|count| shares.index >= *count) {
            return Allowed::Nothing;
        }
        let most = shares.most();
        if self.requests >= most {
            return Allowed::Number(self.requests / most);
        }
        let counts: Vec<u64> = counts.into_iter().flatten().collect();
        let mut at = now;
        // The turns of two counts meet within the product of the counts, because the index is the same in both.
        for _ in 0..most.saturating_mul(most).saturating_add(2) {
            let wait = counts
                .iter()
                .map(|count| self.until_turn(shares.index, *count, at))
                .max();
            match wait.unwrap_or(0) {
                0 => return Allowed::Turn(at - now),
                wait => at += wait,
            }
        }
        Allowed::Nothing
    }

    fn until_turn(self, index: u64, count: u64, now: u64) -> u64 {
        let groups = count.div_ceil(self.requests.max(1)).max(1);
        if groups == 1 {
            return 0;
        }
        let cycle = groups * self.pitch();
        let start = (index % groups) * self.pitch();
        let at = (now + cycle - start) % cycle;
        if at < self.window() { 0 } else { cycle - at }
    }
}

impl Shares {
    pub(crate) fn most(self) -> u64 {
        self.n.max(self.before.unwrap_or(0)).max(1)
    }
}

impl From<freshcontext_contract::Pace> for Rate {
    fn from(pace: freshcontext_contract::Pace) -> Self {
        Self {
            requests: u64::from(pace.requests.max(1)),
            per_ms: millis(pace.per),
        }
    }
}

pub(crate) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every combination of members that know the shares of before, both, or the new ones.
    #[test]
    fn turns_of_members_keep_the_pace_while_shares_change() {
        for (requests, per_ms) in [(1, 3_000), (1, 6_000), (1, 60_000), (2, 60_000), (5, 1_000)] {
            let rate = Rate { requests, per_ms };
            for (before, n) in [(2, 3), (3, 2), (8, 8), (4, 8), (7, 5), (2, 9)] {
                for knows_new in [false, true] {
                    let mut sends = Vec::new();
                    for index in 0..u64::max(before, n) {
                        // The lower half of the members knows both, the rest only one of them.
                        let shares = match (index % 2 == 0, knows_new) {
                            (true, _) => Shares {
                                index,
                                n,
                                before: Some(before),
                            },
                            (false, true) => Shares {
                                index,
                                n,
                                before: None,
                            },
                            (false, false) => Shares {
                                index,
                                n: before,
                                before: None,
                            },
                        };
                        let mut now = 1_000_000;
                        while now < 1_000_000 + 40 * rate.pitch() {
                            match rate.allowed(shares, now) {
                                Allowed::Turn(0) => {
                                    sends.push(now);
                                    now += rate.pitch() / 2 + 1;
                                }
                                Allowed::Turn(wait) => now += wait,
                                Allowed::Number(number) => {
                                    sends.extend((0..number).map(|_| now));
                                    now += per_ms + 1;
                                }
                                Allowed::Nothing => break,
                            }
                        }
                    }
                    sends.sort_unstable();
                    let most = usize::try_from(requests).unwrap();
                    for pair in sends.windows(most + 1) {
                        assert!(
                            pair[most] - pair[0] > per_ms,
                            "{requests}/{per_ms} {before}->{n}: {pair:?}"
                        );
                    }
                }
            }
        }
    }
}
