#![no_main]
freshcontext_fuzz::target!(|data| {
    let _ = freshcontext_parse::feed::read(&String::from_utf8_lossy(data), "feed");
});
