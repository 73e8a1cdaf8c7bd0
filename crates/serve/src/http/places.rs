//! Connection permits: in total, per address, and per caller served on the connection, plus a few that are reserved
//! for probes.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use freshcontext_contract::Limits;

use super::connections::Activity;
use super::rate::Client;

/// How often a new connection lets those before it run, while none of them gives up its permit.
const READ_FIRST: usize = 16;

/// Counts connections.
#[derive(Debug)]
pub(crate) struct Places {
    taken: Mutex<Taken>,
    most: usize,
    most_by_peer: usize,
    most_by_caller: usize,
    most_kept: usize,
    longest_head: Duration,
}

#[derive(Debug, Default)]
struct Taken {
    ordinary: HashMap<u64, Ordinary>,
    /// Reserved connections by age.
    kept: BTreeMap<u64, Arc<Activity>>,
    by_peer: HashMap<Client, usize>,
    by_caller: HashMap<usize, Served>,
    last: u64,
}

/// A connection that accepts any request.
#[derive(Debug)]
struct Ordinary {
    activity: Arc<Activity>,
    /// The peer's client, until a caller is served on the connection.
    peer: Option<Client>,
    /// The named caller that was served last.
    caller: Option<usize>,
}

/// Usage of one caller.
#[derive(Debug, Default)]
struct Served {
    connections: usize,
    requests: usize,
}

/// Whether a new connection gets an unreserved permit.
#[derive(Debug)]
enum Room {
    Free,
    /// That of this connection, whose head is incomplete.
    InPlaceOf(u64),
    None,
}

/// Permit of one connection, released when dropped.
#[derive(Debug)]
pub(crate) struct Permit {
    places: Arc<Places>,
    number: u64,
    kept: bool,
}

/// Permit of one request by a named caller, released when dropped.
#[derive(Debug)]
pub(crate) struct Serving {
    places: Arc<Places>,
    caller: usize,
}

impl Places {
    pub(crate) fn new(limits: &Limits) -> Arc<Self> {
        Arc::new(Self {
            taken: Mutex::default(),
            most: limits.inbound_connections,
            most_by_peer: limits.inbound_connections_per_peer,
            most_by_caller: limits.share_of(limits.inbound_connections),
            most_kept: limits.inbound_connections_kept,
            longest_head: Duration::from_millis(limits.inbound_header_ms),
        })
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets accepted connections be read while a new one of this peer would get no unreserved permit. The head that
    /// tells a slow connection from a new one may lie unread: connections can be accepted faster than they are served.
    pub(crate) async fn read_first(&self, peer: Option<Client>) {
        for _ in 0..READ_FIRST {
            if !matches!(self.room(&self.taken(), peer), Room::None) {
                return;
            }
            tokio::task::yield_now().await;
        }
    }

    fn room(&self, taken: &Taken, peer: Option<Client>) -> Room {
        let own = peer.map_or(0, |peer| taken.by_peer.get(&peer).copied().unwrap_or(0));
        let full_by_peer = own >= self.most_by_peer;
        if !full_by_peer && taken.ordinary.len() < self.most {
            return Room::Free;
        }
        let slow = taken
            .ordinary
            .iter()
            .filter(|(_, one)| !full_by_peer || one.peer == peer)
            .filter_map(|(number, one)| Some((one.activity.waits_since(self.longest_head)?, *number)))
            .min();
        slow.map_or(Room::None, |(_, number)| Room::InPlaceOf(number))
    }

    /// Takes a permit for a connection from this peer; `None` for a peer that stands for many callers. If all permits
    /// are taken, the connection with the longest incomplete head is closed. If there is none, the new connection
    /// gets one of the permits reserved for probes.
    pub(crate) fn permit(self: &Arc<Self>, peer: Option<Client>, activity: &Arc<Activity>) -> Option<Permit> {
        let mut taken = self.taken();
        taken.last += 1;
        let number = taken.last;
        let permit = |kept| Permit {
            places: Arc::clone(self),
            number,
            kept,
        };
        match self.room(&taken, peer) {
            Room::Free => {}
            Room::InPlaceOf(slow) => {
                if let Some(slow) = taken.release(slow) {
                    slow.activity.give_up();
                }
            }
            Room::None => {
                let activity = Arc::clone(activity);
                return taken.keep(number, activity, self.most_kept).then(|| permit(true));
            }
        }
        if let Some(peer) = peer {
            *taken.by_peer.entry(peer).or_default() += 1;
        }
        let ordinary = Ordinary {
            activity: Arc::clone(activity),
            peer,
            caller: None,
        };
        taken.ordinary.insert(number, ordinary);
        Some(permit(false))
    }
}

impl Taken {
    /// Takes a permit reserved for probes; the oldest silent connection among them is closed. Probes send
    /// their request at once and are answered at once.
    fn keep(&mut self, number: u64, activity: Arc<Activity>, most: usize) -> bool {
        if self.kept.len() >= most {
            let silent = self.kept.iter().find(|(_, one)| !one.is_busy());
            let Some(silent) = silent.map(|(number, _)| *number) else {
                return false;
            };
            if let Some(silent) = self.kept.remove(&silent) {
                silent.give_up();
            }
        }
        self.kept.insert(number, activity);
        true
    }

    /// Releases an unreserved permit.
    fn release(&mut self, number: u64) -> Option<Ordinary> {
        let one = self.ordinary.remove(&number)?;
        self.uncount(one.peer, one.caller);
        Some(one)
    }

    /// Removes a connection from the usage of its peer and its caller.
    fn uncount(&mut self, peer: Option<Client>, caller: Option<usize>) {
        if let Some(peer) = peer
            && let Some(count) = self.by_peer.get_mut(&peer)
        {
            *count = count.saturating_sub(1);
            if *count == 0 {
                self.by_peer.remove(&peer);
            }
        }
        if let Some(caller) = caller {
            self.counted(caller, |served| {
                served.connections = served.connections.saturating_sub(1);
            });
        }
    }

    /// Changes the usage of a caller, and forgets a caller without any: subjects of access tokens are without number.
    fn counted(&mut self, caller: usize, change: impl FnOnce(&mut Served)) {
        if let Some(served) = self.by_caller.get_mut(&caller) {
            change(served);
            if served.connections == 0 && served.requests == 0 {
                self.by_caller.remove(&caller);
            }
        }
    }
}

impl Permit {
    /// Returns whether this connection accepts only probes.
    pub(crate) const fn is_kept(&self) -> bool {
        self.kept
    }

    /// Starts a request of this caller. From now on, the connection counts for the caller, whatever its address.
    /// `None` if the caller has reached its limit on concurrent requests.
    pub(crate) fn serve(&self, caller: usize) -> Option<Serving> {
        let most = self.places.most_by_caller;
        let mut taken = self.places.taken();
        let served = taken.by_caller.entry(caller).or_default();
        if served.requests >= most {
            return None;
        }
        served.requests += 1;
        if let Some(one) = taken.ordinary.get_mut(&self.number)
            && one.caller != Some(caller)
        {
            let (peer, before) = (one.peer.take(), one.caller.replace(caller));
            taken.uncount(peer, before);
            taken.by_caller.entry(caller).or_default().connections += 1;
        }
        Some(Serving {
            places: Arc::clone(&self.places),
            caller,
        })
    }
}

impl Serving {
    /// Returns whether the caller exceeds the connection limit, so that one connection must close.
    pub(crate) fn has_too_many(&self) -> bool {
        let most = self.places.most_by_caller;
        let taken = self.places.taken();
        let served = taken.by_caller.get(&self.caller);
        served.is_some_and(|served| served.connections > most)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.places.taken().counted(self.caller, |served| {
            served.requests = served.requests.saturating_sub(1);
        });
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut taken = self.places.taken();
        if self.kept {
            taken.kept.remove(&self.number);
        } else {
            taken.release(self.number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{IpAddr, Ipv4Addr};

    fn places(most: usize, by_peer: usize, kept: usize) -> Arc<Places> {
        Places::new(&Limits {
            inbound_connections: most,
            inbound_connections_per_peer: by_peer,
            inbound_connections_kept: kept,
            ..Limits::DEFAULT
        })
    }

    fn peer(last: u8) -> Client {
        Client::of(IpAddr::from(Ipv4Addr::new(192, 0, 2, last)))
    }

    fn permit(places: &Arc<Places>, peer: Option<Client>) -> Option<(Permit, Arc<Activity>)> {
        let activity = Arc::new(Activity::new());
        Some((places.permit(peer, &activity)?, activity))
    }

    #[test]
    fn places_are_limited_in_all_and_by_peer_and_come_back() {
        let places = places(3, 2, 1);
        let mapped = Some(Client::of(IpAddr::from(
            Ipv4Addr::new(192, 0, 2, 1).to_ipv6_mapped(),
        )));
        let first = permit(&places, Some(peer(1))).unwrap();
        let _second = permit(&places, mapped).unwrap();
        let beyond = permit(&places, Some(peer(1))).unwrap();
        assert!(beyond.0.is_kept(), "the same peer in either notation");
        beyond.1.request_begins(true);
        let _third = permit(&places, Some(peer(2))).unwrap();
        assert!(
            permit(&places, Some(peer(2))).is_none(),
            "full, and the probes' too"
        );
        drop(first);
        assert!(!permit(&places, Some(peer(2))).unwrap().0.is_kept());
    }

    #[test]
    fn who_speaks_for_many_is_no_peer() {
        let places = places(5, 1, 1);
        let held: Vec<_> = (0..5).map(|_| permit(&places, None).unwrap()).collect();
        assert!(held.iter().all(|(permit, _)| !permit.is_kept()));
        assert!(permit(&places, None).unwrap().0.is_kept());
    }

    #[tokio::test(start_paused = true)]
    async fn the_slowest_head_gives_up_its_place() {
        let places = places(3, 2, 1);
        let (_idle, _) = permit(&places, Some(peer(1))).unwrap();
        let (_slow, slow) = permit(&places, Some(peer(1))).unwrap();
        slow.bytes_came();
        tokio::time::advance(Duration::from_millis(5)).await;
        let (_other, other) = permit(&places, Some(peer(2))).unwrap();
        other.bytes_came();
        assert!(
            !permit(&places, Some(peer(1))).unwrap().0.is_kept(),
            "its own, not another's"
        );
        slow.given_up().await;
        let (last, _) = permit(&places, Some(peer(3))).unwrap();
        let (_next, _) = permit(&places, Some(peer(4))).unwrap();
        other.given_up().await;
        assert!(!last.is_kept());
        assert!(
            permit(&places, Some(peer(5))).unwrap().0.is_kept(),
            "none is slow"
        );
        // A silent connection is kept until its timeout.
        tokio::time::advance(Duration::from_secs(11)).await;
        assert!(!permit(&places, Some(peer(5))).unwrap().0.is_kept());
    }

    #[tokio::test]
    async fn a_head_that_has_come_but_is_unread_gives_way_too() {
        let places = places(1, 1, 1);
        let (_slow, slow) = permit(&places, None).unwrap();
        tokio::spawn(async move { slow.bytes_came() });
        places.read_first(None).await;
        assert!(!permit(&places, None).unwrap().0.is_kept());
        // One that is busy stays, and nothing waits for it.
        let places = self::places(1, 1, 1);
        let (_busy, busy) = permit(&places, None).unwrap();
        busy.request_begins(true);
        places.read_first(None).await;
        assert!(permit(&places, None).unwrap().0.is_kept());
    }

    #[tokio::test]
    async fn a_silent_connection_keeps_no_probe_out() {
        let places = places(1, 1, 2);
        let _one = permit(&places, Some(peer(1))).unwrap();
        let (_first, first) = permit(&places, Some(peer(2))).unwrap();
        first.request_begins(true);
        let (_silent, silent) = permit(&places, Some(peer(2))).unwrap();
        assert!(permit(&places, Some(peer(3))).unwrap().0.is_kept());
        silent.given_up().await;
    }

    #[test]
    fn a_connection_is_the_callers_who_is_served_on_it() {
        let places = places(4, 2, 1);
        let first = permit(&places, Some(peer(1))).unwrap().0;
        let second = permit(&places, Some(peer(1))).unwrap().0;
        let (one, two) = (first.serve(1).unwrap(), second.serve(1).unwrap());
        assert!(second.serve(1).is_none(), "half of four");
        let third = permit(&places, Some(peer(1))).unwrap().0;
        assert!(!third.is_kept(), "the first two are no longer the peer's");
        let theirs = third.serve(2).unwrap();
        drop(one);
        let again = third.serve(1).unwrap();
        assert!(again.has_too_many(), "three of four are theirs");
        assert!(!theirs.has_too_many());
        drop((two, again, theirs));
        drop((first, second, third));
        let taken = places.taken();
        assert!(taken.by_peer.is_empty() && taken.ordinary.is_empty());
        assert!(
            taken
                .by_caller
                .values()
                .all(|served| served.connections + served.requests == 0)
        );
    }
}
