#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let text = freshcontext_parse::charset::decode_bytes(data, None).text;
    let _ = freshcontext_parse::html::to_text(&text);
});
