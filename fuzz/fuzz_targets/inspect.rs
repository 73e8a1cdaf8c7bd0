#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let verdict = freshcontext_detect::inspect(&text);
    assert!((0.0..=1.0).contains(&verdict.confidence));
});
