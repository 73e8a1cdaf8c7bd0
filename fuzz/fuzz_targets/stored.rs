#![no_main]
use freshcontext_deliverables::{Definition, Version, chain_hash};

// What the store holds as text: a bundle of context records, a version and the definition of a deliverable. Each is
// refused, or read and written as what it is.
freshcontext_fuzz::target!(|data| {
    let text = String::from_utf8_lossy(data);
    if let Ok(bundle) = freshcontext_records::export::read(&text) {
        let _ = bundle.dangling();
        let again = freshcontext_records::Bundle::of_records(
            bundle.records().into_iter().map(|record| (record.kind, record.value)),
        );
        assert!(again.is_ok(), "a bundle that was read cannot be made again");
    }
    if let Ok(version) = serde_json::from_str::<Version>(&text) {
        let body = serde_json::to_string(&version).expect("a version is JSON");
        let again: Version = serde_json::from_str(&body).expect("what was written is read");
        let again = serde_json::to_string(&again).expect("a version is JSON");
        assert_eq!(chain_hash(1, None, &body), chain_hash(1, None, &again), "{body}");
    }
    if let Ok(definition) = serde_json::from_str::<Definition>(&text) {
        let written = serde_json::to_string(&definition).expect("a definition is JSON");
        assert!(serde_json::from_str::<Definition>(&written).is_ok(), "{written}");
    }
});
