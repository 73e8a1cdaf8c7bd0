#![no_main]
freshcontext_fuzz::target!(|data| {
    let _ = freshcontext_parse::feed::read(data, "feed");
});
