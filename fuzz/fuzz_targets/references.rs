#![no_main]
// Any text is recognised or not, and a normal form is recognised as itself. Any document is read.
freshcontext_fuzz::target!(|data| {
    if let Ok(text) = std::str::from_utf8(data) {
        if let Ok(found) = freshcontext_references::recognise(text) {
            let again = freshcontext_references::recognise(&found.id());
            assert_eq!(again.map(|again| again.id()), Ok(found.id()));
        }
        let _ = freshcontext_references::gather(text, 5_000);
    }
});
