//! When to leave: signals, and the end of the parent process.

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

/// Completes when the process that is our parent at this call is gone, even if somebody else holds our stdin open. Read at
/// the call and not when first waited for: by then the parent may be gone already, and init in its place.
pub fn parent_gone() -> impl Future<Output = ()> {
    #[cfg(target_os = "linux")]
    let parent = std::os::unix::process::parent_id();
    async move {
        // Started by init, or as init of a container: nothing to watch.
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
