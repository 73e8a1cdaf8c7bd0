#![no_main]
// The bytes of a connection: how they are cut into pieces does not matter.
freshcontext_fuzz::target!(|data| {
    assert_eq!(freshcontext_serve::fuzzing::head(data, 1), freshcontext_serve::fuzzing::head(data, 4096));
});
