//! Limits as settings: reads and shows them by name.

use freshcontext_contract::Limits;
use serde_json::Value;

/// Limits that may be 0, which means "none" or "off".
const ZERO_MAKES_SENSE: &[&str] = &[
    "redirects",
    "calls_queued",
    "queue_wait_ms",
    "reading_threads",
    "retry_quota",
    "cache_bytes",
    "inbound_rate_per_minute",
    "drain_ms",
];

/// Sets a limit by name.
pub(super) fn store(limits: &mut Limits, name: &str, value: &Value) -> Result<(), String> {
    let number = value.as_u64().ok_or("must be a whole number of 0 or more")?;
    if number == 0 && !ZERO_MAKES_SENSE.contains(&name) {
        return Err("must be 1 or more".to_owned());
    }
    let mut all = serde_json::to_value(&*limits).map_err(|_| "cannot be set")?;
    if let Some(slot) = all.get_mut(name) {
        *slot = value.clone();
    }
    *limits = serde_json::from_value(all).map_err(|_| "is too large")?;
    Ok(())
}

/// Returns a limit's value by name.
pub(super) fn show(limits: &Limits, name: &str) -> String {
    serde_json::to_value(limits)
        .ok()
        .and_then(|all| all.get(name).map(ToString::to_string))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_makes_sense_for_limits_alone() {
        for name in ZERO_MAKES_SENSE {
            assert!(Limits::ABOUT.iter().any(|(known, _)| known == name), "{name}");
        }
    }

    #[test]
    fn zero_is_refused_where_it_would_stop_the_server() {
        let mut limits = Limits::DEFAULT;
        assert!(store(&mut limits, "calls_in_flight", &Value::from(0)).is_err());
        store(&mut limits, "redirects", &Value::from(0)).unwrap();
        assert_eq!(limits.redirects, 0);
    }
}
