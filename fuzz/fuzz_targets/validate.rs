#![no_main]
freshcontext_fuzz::target!(|data| {
    let text = String::from_utf8_lossy(data);
    let _ = freshcontext_spec::validate::validate(&text, None);
});
