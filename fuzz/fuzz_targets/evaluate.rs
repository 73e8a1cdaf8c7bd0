#![no_main]
use freshcontext_contract::chrono::DateTime;
freshcontext_fuzz::target!(|data| {
    if let Ok(arguments) = serde_json::from_slice(data) {
        let now = DateTime::from_timestamp(1_795_262_400, 0).expect("a fixed moment");
        let judged = freshcontext_core::evaluate::judge(&arguments, now, &Default::default());
        if let Ok(judgement) = &judged {
            assert_eq!(judgement.json().ok(), serde_json::to_string(judgement).ok());
        }
        if let Some(plain) = serde_json::from_slice(data)
            .ok()
            .and_then(|plain| freshcontext_core::evaluate::judge_plain(&plain, now, &Default::default()))
        {
            assert_eq!(Some(plain), judged.ok());
        }
    }
});
