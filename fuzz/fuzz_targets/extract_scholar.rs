#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| freshcontext_fuzz::ask("extract_scholar", data));
