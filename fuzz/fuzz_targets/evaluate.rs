#![no_main]
use freshcontext_contract::chrono::DateTime;
freshcontext_fuzz::target!(|data| {
    let text = std::str::from_utf8(data).unwrap_or_default();
    if let Ok(arguments) = serde_json::from_str(text) {
        let now = DateTime::from_timestamp(1_795_262_400, 0).expect("a fixed moment");
        let judged = freshcontext_core::evaluate::evaluate(&arguments, now, &Default::default());
        let borrowed = freshcontext_core::evaluate::evaluate_text(text, now, &Default::default());
        assert_eq!(borrowed.ok(), judged.ok());
    }
});
