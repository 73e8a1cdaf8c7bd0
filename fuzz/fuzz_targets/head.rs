#![no_main]
// The bytes of a connection. How they are split into reads must not change the result.
freshcontext_fuzz::target!(|data| {
    assert_eq!(freshcontext_serve::fuzzing::head(data, 1), freshcontext_serve::fuzzing::head(data, 4096));
});
