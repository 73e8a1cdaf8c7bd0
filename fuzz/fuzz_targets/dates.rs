#![no_main]
freshcontext_fuzz::target!(|data| {
    if let Ok(text) = std::str::from_utf8(data) {
        let _ = freshcontext_core::date::parse_instant(text);
    }
});
