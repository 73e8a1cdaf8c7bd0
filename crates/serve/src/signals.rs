//! Reasons to shut down: signals, and the end of the parent process.

/// Completes at SIGINT, SIGTERM or SIGHUP (Ctrl-C elsewhere). Each call waits for a new one.
pub async fn end() {
    let mut hangups = Hangups::new();
    tokio::select! {
        () = asked_to_end() => {}
        () = hangups.next() => {}
    }
}

/// Completes at SIGINT or SIGTERM (Ctrl-C elsewhere). Each call waits for a new one.
pub async fn asked_to_end() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let (Ok(mut interrupt), Ok(mut terminate)) =
            (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
        else {
            return std::future::pending().await;
        };
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    }
    #[cfg(not(unix))]
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}

/// The signals SIGHUP to this process; none where there is no such signal.
#[derive(Debug)]
pub struct Hangups {
    #[cfg(unix)]
    signals: Option<tokio::signal::unix::Signal>,
}

impl Hangups {
    /// Listens from now on, in place of the system's default, which ends the process.
    #[must_use]
    pub fn new() -> Self {
        Self {
            #[cfg(unix)]
            signals: tokio::signal::unix::signal(tokio::signal::unix::SignalKind::hangup()).ok(),
        }
    }

    /// Completes at the next signal.
    pub async fn next(&mut self) {
        #[cfg(unix)]
        if let Some(signals) = &mut self.signals
            && signals.recv().await.is_some()
        {
            return;
        }
        std::future::pending::<()>().await;
    }
}

impl Default for Hangups {
    fn default() -> Self {
        Self::new()
    }
}

/// Completes when the current parent process ends, even if another process holds stdin open. The parent is
/// read at the call rather than at the first poll, because by then the parent may have ended and init taken
/// its place.
pub fn parent_gone() -> impl Future<Output = ()> {
    #[cfg(target_os = "linux")]
    let parent = std::os::unix::process::parent_id();
    async move {
        // Started by init, or as init of a container: there is no parent to watch.
        #[cfg(target_os = "linux")]
        if parent > 1 {
            let mut tick = tokio::time::interval(std::time::Duration::from_secs(4));
            tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
            while std::os::unix::process::parent_id() == parent {
                tick.tick().await;
            }
            return;
        }
        std::future::pending::<()>().await;
    }
}
