#![no_main]
freshcontext_fuzz::target!(|data| {
    let text = String::from_utf8_lossy(data);
    let verdict = freshcontext_detect::inspect(&text);
    assert!((0.0..=1.0).contains(&verdict.confidence));
});
