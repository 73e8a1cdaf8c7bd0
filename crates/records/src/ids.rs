//! Ids. What a thing is has the same id in every call; what happened has an id by its moment.

use freshcontext_budget::id_of;
pub use freshcontext_budget::sha256_hex;
use sha2::{Digest, Sha256};
use uuid::Builder;

use crate::values::Kind;

/// Makes the ids of one call's records: UUIDv7 (RFC 9562) of the injected clock, with randomness that is derived from
/// one injected seed.
#[derive(Debug, Clone)]
pub struct Ids {
    now_ms: u64,
    seed: [u8; 32],
    made: u64,
}

impl Ids {
    /// At a moment (milliseconds since 1970), from 32 random bytes.
    pub const fn new(now_ms: u64, seed: [u8; 32]) -> Self {
        Self {
            now_ms,
            seed,
            made: 0,
        }
    }

    /// The next id for a record of this kind.
    pub fn next(&mut self, kind: Kind) -> String {
        self.made += 1;
        let mut hash = Sha256::new();
        hash.update(self.seed);
        hash.update(self.made.to_be_bytes());
        let mut random = [0; 10];
        for (to, from) in random.iter_mut().zip(hash.finalize()) {
            *to = from;
        }
        let id = Builder::from_unix_timestamp_millis(self.now_ms, &random).into_uuid();
        format!("{}_{}", prefix(kind), id.hyphenated())
    }
}

/// What ids of this kind begin with, before the underscore.
pub const fn prefix(kind: Kind) -> &'static str {
    match kind {
        Kind::Envelope => "ctx",
        Kind::Surface => "srf",
        Kind::Item => "itm",
        Kind::SourceRef => "src",
        Kind::Selection => "sel",
        Kind::Budget => "bud",
        Kind::Window => "win",
        Kind::Assembly => "asm",
        Kind::Injection => "inj",
        Kind::Compaction => "cmp",
        Kind::Summary => "sum",
        Kind::Missing => "mis",
        Kind::Event => "evt",
    }
}

/// Whether ids of this kind are made of content and address.
pub const fn is_of_content(kind: Kind) -> bool {
    matches!(kind, Kind::Item | Kind::SourceRef | Kind::Missing)
}

/// The kind of record that a text is an id of, by its form.
pub fn kind_of(id: &str) -> Option<Kind> {
    let (begin, rest) = id.split_once('_')?;
    let kind = Kind::ALL.iter().copied().find(|kind| prefix(*kind) == begin)?;
    let right = if is_of_content(kind) {
        freshcontext_budget::is_of_content(rest)
    } else {
        uuid::Uuid::try_parse(rest).is_ok_and(|id| id.get_version_num() == 7) && rest.len() == 36
    };
    right.then_some(kind)
}

/// A source's id, from its kind, address and what is pointed at there.
pub fn source_id(source_kind: &str, uri: &str, part: &str) -> String {
    id_of("src", &["FRESHCONTEXT_SOURCE_V1", source_kind, uri, part])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_say_their_kind_and_are_never_the_same() {
        let mut ids = Ids::new(1_790_000_000_000, [7; 32]);
        let one = ids.next(Kind::Surface);
        let two = ids.next(Kind::Surface);
        assert_ne!(one, two);
        assert_eq!(kind_of(&one), Some(Kind::Surface));
        assert_eq!(Ids::new(1_790_000_000_000, [7; 32]).next(Kind::Surface), one);
        assert_eq!(
            kind_of(&source_id("hackernews", "https://a.example/", "")),
            Some(Kind::SourceRef)
        );
        for other in [
            "srf_x",
            "itm_",
            "zzz_0190",
            "srf_0192e4a0-0000-4000-8000-000000000000",
            "plain",
        ] {
            assert_eq!(kind_of(other), None, "{other}");
        }
    }
}
