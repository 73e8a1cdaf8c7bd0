#![no_main]
use freshcontext_contract::Headers;
use freshcontext_contract::chrono::DateTime;

// Three header values, one per line. They determine how long a host is left alone.
freshcontext_fuzz::target!(|data| {
    let text = String::from_utf8_lossy(data);
    let names = ["retry-after", "x-ratelimit-remaining", "x-ratelimit-reset"];
    let headers = Headers(names.iter().zip(text.split('\n')).map(|(name, value)| ((*name).to_owned(), value.to_owned())).collect());
    for now in [0, 1_795_262_400, 253_402_300_799] {
        let now = DateTime::from_timestamp(now, 0).expect("a fixed moment");
        if let Some(wait) = freshcontext_fetch::fuzzing::wait(&headers, now, 3_600) {
            assert!(wait.as_secs() <= 3_600, "{wait:?}");
        }
    }
});
