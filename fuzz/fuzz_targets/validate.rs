#![no_main]
freshcontext_fuzz::target!(|data| {
    let text = String::from_utf8_lossy(data);
    let _ = freshcontext_core::validate::validate(&text, None);
});
