#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| freshcontext_fuzz::ask("package_trends", data));
