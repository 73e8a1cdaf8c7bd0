#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let _ = freshcontext_parse::feed::read(data, "feed");
});
