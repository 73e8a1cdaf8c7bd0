#![no_main]
use freshcontext_contract::chrono::DateTime;
libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if let Ok(arguments) = serde_json::from_slice(data) {
        let now = DateTime::from_timestamp(1_795_262_400, 0).expect("a fixed moment");
        let _ = freshcontext_core::evaluate::evaluate(&arguments, now, &Default::default());
    }
});
