#![no_main]
use freshcontext_contract::chrono::DateTime;
use freshcontext_engine::Cursors;
use serde_json::Map;

// A text that nobody sealed opens nothing, and a sealed state comes back as it was. The first byte picks what is damaged.
freshcontext_fuzz::target!(|data| {
    let text = String::from_utf8_lossy(data);
    let now = DateTime::from_timestamp(1_795_262_400, 0).expect("a fixed moment");
    let cursors = Cursors::of(None);
    let arguments = Map::new();
    assert!(cursors.open_token("extract_hackernews", &arguments, &text, now).is_err(), "{text:?} opened");
    if let Some(sealed) = cursors.seal("extract_hackernews", &arguments, &text, now) {
        let opened = cursors.open_token("extract_hackernews", &arguments, &sealed, now);
        assert_eq!(opened.ok().as_deref(), Some(&*text));
        let mut damaged = sealed.into_bytes();
        let at = usize::from(data.first().copied().unwrap_or(0)) % damaged.len();
        damaged[at] = if damaged[at] == b'A' { b'B' } else { b'A' };
        let damaged = String::from_utf8(damaged).expect("base64 is ASCII");
        assert!(cursors.open_token("extract_hackernews", &arguments, &damaged, now).is_err(), "a damaged one opened");
    }
});
