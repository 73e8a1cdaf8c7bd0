//! Reasons to shut down: signals, and the end of the parent process.

/// Completes at SIGINT, SIGTERM or SIGHUP (Ctrl-C elsewhere). Each call waits for a new one.
pub async fn end() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let (Ok(mut interrupt), Ok(mut terminate), Ok(mut hangup)) = (
            signal(SignalKind::interrupt()),
            signal(SignalKind::terminate()),
            signal(SignalKind::hangup()),
        ) else {
            return std::future::pending().await;
        };
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
    }
    #[cfg(not(unix))]
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
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
