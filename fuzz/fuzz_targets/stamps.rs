#![no_main]
use freshcontext_spec::signed::{Checked, KeyDocument, Signature};
use freshcontext_spec::stamp::Stamp;

// Stamps of facts, and signatures with the documents of their keys. Nobody signs here, so no signature is valid.
freshcontext_fuzz::target!(|data| {
    if let Ok(stamp) = Stamp::from_json(data) {
        for key in [None, Some(&b"a key of the fuzz target"[..])] {
            let _ = stamp.verified(key);
        }
        if let Ok(stamped) = stamp.stamped(None, "0.0.0") {
            assert!(stamped.verified(None).is_ok(), "a stamp that was just made cannot be checked");
        }
    }
    let mut parts = data.split(|byte| *byte == 0xfe);
    let document = parts.next().and_then(|part| KeyDocument::from_json(part).ok());
    let signature = parts.next().and_then(|part| serde_json::from_slice::<Signature>(part).ok());
    if let (Some(document), Some(signature)) = (document, signature) {
        let told = signature.check(parts.next().unwrap_or_default(), &document);
        assert!(!matches!(told, Checked::Valid | Checked::Retired | Checked::Expired), "{told:?}");
    }
});
