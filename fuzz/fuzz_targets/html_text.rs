#![no_main]
freshcontext_fuzz::target!(|data| {
    let text = freshcontext_parse::charset::decode_bytes(data, None).text;
    let _ = freshcontext_parse::html::to_text(&text);
});
