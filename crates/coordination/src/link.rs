//! The connection: made, kept alive, lost, and made again.

use std::sync::Arc;
use std::time::{Duration, Instant};

use redis::AsyncConnectionConfig;
use redis::aio::MultiplexedConnection;
use serde_json::json;
use tokio::sync::mpsc;

use crate::coordinator::{Inner, Link, Message, describe};
use crate::keys::pause_command;
use crate::reply::Reply;
use crate::share::millis;
use crate::{BEAT, BUDGET, CLOCK_TOLERANCE_MS, GATHER, GONE, LASTED, PREFIX};

/// Time to open a connection, and for one command of the background.
const CONNECT: Duration = Duration::from_secs(1);
/// First and longest wait between two connections. The wait doubles while connections do not last. With the time to
/// connect, the longest one stays below [`GATHER`], so that members come before a new generation grants anything.
const RETRY: Duration = Duration::from_millis(100);
const LONGEST_RETRY: Duration = Duration::from_secs(1);
/// Interval of the log line while Redis is out of reach.
const SAID: Duration = Duration::from_mins(1);
/// Time for which members that have left are remembered, in milliseconds: the longest pace and an exchange.
const REMEMBERED_MS: i64 = 3_700_000;
/// Maximum number of remembered members.
const PEERS: usize = 256;

type Failure = String;

impl Inner {
    /// Keeps the connection until the process ends.
    pub(crate) async fn run(self: Arc<Self>, mut inbox: mpsc::Receiver<Message>) {
        let mut retry = RETRY;
        let mut said: Option<Instant> = None;
        loop {
            match self.connect().await {
                Ok(()) => {
                    if said.take().is_some() {
                        tracing::warn!("Redis answers again: pace, cache and limits are shared");
                    } else {
                        tracing::info!("Redis answers: pace, cache and limits are shared");
                    }
                    let begun = self.timer.now();
                    self.keep(&mut inbox).await;
                    let lasted = self.timer.now().saturating_duration_since(begun);
                    retry = if lasted >= LASTED {
                        RETRY
                    } else {
                        (retry * 2).min(LONGEST_RETRY)
                    };
                }
                Err(why) => {
                    self.lock().why.clone_from(&why);
                    retry = (retry * 2).min(LONGEST_RETRY);
                }
            }
            let now = self.timer.now();
            if said.is_none_or(|last| now.saturating_duration_since(last) >= SAID) {
                said = Some(now);
                let why = self.lock().why.clone();
                tracing::warn!(
                    why,
                    "Redis is out of reach: this process keeps to its share of each limit"
                );
            }
            // Leases end by themselves, and own slots are told when Redis is back.
            while inbox.try_recv().is_ok() {}
            self.timer.sleep(retry).await;
        }
    }

    async fn keep(&self, inbox: &mut mpsc::Receiver<Message>) {
        loop {
            let beat = self.timer.sleep(BEAT);
            tokio::pin!(beat);
            loop {
                tokio::select! {
                    biased;
                    // A loss that was dealt with already leaves a signal, too.
                    () = self.lost.notified() => if self.lock().link.is_none() { return },
                    () = &mut beat => break,
                    message = inbox.recv() => {
                        let mut pipe = redis::pipe();
                        for command in message.into_iter().flatten() {
                            pipe.add_command(command);
                        }
                        while let Ok(more) = inbox.try_recv() {
                            for command in more {
                                pipe.add_command(command);
                            }
                        }
                        if pipe.cmd_iter().next().is_some() {
                            let sent = self.ask(async |mut link: Link| pipe.query_async::<redis::Value>(&mut link.connection).await);
                            let _ = sent.await;
                        }
                    }
                }
            }
            if !self.beat().await {
                return;
            }
        }
    }

    async fn connect(&self) -> Result<(), Failure> {
        let failed = |error: redis::RedisError| describe(&error);
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(CONNECT))
            .set_response_timeout(Some(CONNECT));
        let opening = self.client.get_multiplexed_async_connection_with_config(&config);
        let mut connection = opening.await.map_err(failed)?;
        let info: String = redis::cmd("INFO")
            .arg("server")
            .query_async(&mut connection)
            .await
            .map_err(failed)?;
        let run = info
            .lines()
            .find_map(|line| line.strip_prefix("run_id:"))
            .unwrap_or_default()
            .trim()
            .to_owned();
        self.read_clock(&mut connection).await?;
        self.join(connection, &run).await?;
        if self.beat().await {
            Ok(())
        } else {
            Err(self.lock().why.clone())
        }
    }

    async fn read_clock(&self, connection: &mut MultiplexedConnection) -> Result<(), Failure> {
        let begun = self.timer.now();
        let time: (i64, i64) = redis::cmd("TIME")
            .query_async(connection)
            .await
            .map_err(|error| describe(&error))?;
        let ended = self.timer.now();
        if ended.saturating_duration_since(begun) > BUDGET {
            return Err("slow: no answer within 50 ms".to_owned());
        }
        let middle = i64::midpoint(self.millis(begun), self.millis(ended));
        let clock = time.0 * 1_000 + time.1 / 1_000 - middle;
        let mut state = self.lock();
        if let Some(known) = state.clock
            && (known - clock).abs() > CLOCK_TOLERANCE_MS
        {
            let generation = state.known.generation.clone();
            state.given_up = generation;
            // What was heard when, by the new clock.
            let jump = clock - known;
            state.heard += jump;
            for peer in state.known.peers.values_mut() {
                peer.1 += jump;
            }
        }
        state.clock = Some(clock);
        Ok(())
    }

    /// Becomes a member again, with everything that this process knows.
    async fn join(&self, mut connection: MultiplexedConnection, run: &str) -> Result<(), Failure> {
        let mut random = [0_u8; 4];
        getrandom::fill(&mut random).map_err(|error| error.to_string())?;
        let begun = self.timer.now();
        let (deadline, known, given_up, orphans) = {
            let mut state = self.lock();
            let Some(clock) = state.clock else {
                return Err("no clock".to_owned());
            };
            let deadline = self.deadline(clock);
            // From here on, the others may count on this process going through Redis.
            state.heard = state.heard.max(deadline);
            let now = clock + self.millis(begun);
            let mut slots = Vec::new();
            for (name, own) in &mut state.own {
                own.forget_spent(begun);
                let active = own.active(begun);
                if let Some(longest) = active.iter().map(|slot| slot.1).max() {
                    slots.push(
                        json!({ "name": name, "slots": active, "ttl": longest + millis(own.per) + 60_000 }),
                    );
                }
            }
            state.own.retain(|_, own| !own.is_empty());
            let known = &state.known;
            let peers: Vec<_> = known
                .peers
                .iter()
                .map(|(name, (index, seen, version))| json!([name, index, (now - seen).max(0), version]))
                .collect();
            let known = json!({
                "generation": known.generation, "version": known.version, "n": known.n, "before": known.before,
                "index": known.index, "agreed": known.version, "peers": peers, "slots": slots,
            });
            (
                deadline,
                known.to_string(),
                state.given_up.clone(),
                std::mem::take(&mut state.orphans),
            )
        };
        let new = base16ct::lower::encode_string(&random);
        let mut call = self.scripts.join.key(format!("{PREFIX}members"));
        call.arg(PREFIX)
            .arg(&self.name)
            .arg(deadline)
            .arg(run)
            .arg(given_up)
            .arg(new)
            .arg(known);
        let value = call
            .invoke_async(&mut connection)
            .await
            .map_err(|error| describe(&error))?;
        let reply = Reply::of(value);
        let generation = match (reply.word.as_str(), reply.texts.first()) {
            ("ok", Some(generation)) => generation.clone(),
            _ => return Err("slow: a command came late".to_owned()),
        };
        {
            let mut state = self.lock();
            state.given_up.clear();
            state.known.generation.clone_from(&generation);
            state.link = Some(Link {
                connection,
                generation,
            });
            state.since = Some(self.timer.now());
        }
        let now = self.timer.now();
        let pauses: Message = {
            let mut state = self.lock();
            state.pauses.retain(|_, (until, _)| *until > now);
            let pauses = state.pauses.iter();
            pauses
                .map(|(key, (until, stated))| {
                    pause_command(key, until.saturating_duration_since(now), *stated)
                })
                .collect()
        };
        for message in orphans.into_iter().chain([pauses]) {
            let _ = self.messages.try_send(message);
        }
        Ok(())
    }

    /// Gives a sign of life and learns the members.
    async fn beat(&self) -> bool {
        let begun = self.timer.now();
        let (deadline, version, generation) = {
            let mut state = self.lock();
            let (Some(clock), Some(link)) = (state.clock, &state.link) else {
                return false;
            };
            let generation = link.generation.clone();
            let deadline = self.deadline(clock);
            state.heard = state.heard.max(deadline);
            (deadline, state.known.version, generation)
        };
        let mut call = self.scripts.beat.key(format!("{PREFIX}members"));
        call.arg(&self.name).arg(deadline).arg(generation).arg(version);
        call.arg(millis(GONE)).arg(millis(GATHER));
        let asked = self.ask(async |mut link: Link| call.invoke_async(&mut link.connection).await);
        let Some(value) = asked.await else { return false };
        let reply = Reply::of(value);
        if reply.word != "ok" {
            self.lose(if reply.word == "late" {
                "slow: a command came late"
            } else {
                "it has forgotten this process (flushed or restarted)"
            });
            return false;
        }
        if !self.check_clock(reply.now, begun) {
            return false;
        }
        self.follow_clock(reply.now, begun);
        self.learn(&reply);
        true
    }

    fn learn(&self, reply: &Reply) {
        let mut state = self.lock();
        let known = &mut state.known;
        known.version = reply.number(0);
        known.n = reply.number(1);
        known.before = reply.number(2);
        known.agreed = reply.number(3) == 1;
        for peer in known.peers.values_mut() {
            peer.0 = -1;
        }
        for text in &reply.texts {
            let mut parts = text.split(':');
            let Some(name) = parts.next() else { continue };
            let mut number = || {
                parts
                    .next()
                    .and_then(|part| part.parse::<i64>().ok())
                    .unwrap_or_default()
            };
            let (index, age, version) = (number(), number(), number());
            if name == self.name {
                known.index = index;
            } else {
                known
                    .peers
                    .insert(name.to_owned(), (index, reply.now - age, version));
            }
        }
        known.peers.retain(|_, peer| reply.now - peer.1 < REMEMBERED_MS);
        if known.peers.len() > PEERS {
            let mut seen: Vec<i64> = known.peers.values().map(|peer| peer.1).collect();
            seen.sort_unstable_by(|a, b| b.cmp(a));
            let oldest = seen.get(PEERS).copied().unwrap_or_default();
            known.peers.retain(|_, peer| peer.1 > oldest);
        }
    }
}
