#![no_main]
freshcontext_fuzz::target!(|data| {
    let text = String::from_utf8_lossy(data);
    let once = freshcontext_core::sanitize::clean(&text).into_owned();
    assert_eq!(freshcontext_core::sanitize::clean(&once), once);
    let line = freshcontext_core::sanitize::clean_line(&text).into_owned();
    assert!(!line.contains('\n'));
});
