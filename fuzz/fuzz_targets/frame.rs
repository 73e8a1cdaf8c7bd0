#![no_main]
use freshcontext_contract::bytes::Bytes;

// One line of stdin.
freshcontext_fuzz::target!(|data| {
    let _ = freshcontext_serve::fuzzing::frame(&Bytes::copy_from_slice(data));
});
