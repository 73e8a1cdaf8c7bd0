//! Numbers in sentences.

use std::fmt::Display;

/// A count with its noun: `1 page`, `3 pages`.
pub fn counted<N: Copy + Display + PartialEq + From<u8>>(count: N, one: &str, many: &str) -> String {
    let noun = if count == N::from(1) { one } else { many };
    format!("{count} {noun}")
}

#[cfg(test)]
mod tests {
    #[test]
    fn one_is_singular_and_nothing_is_plural() {
        assert_eq!(super::counted(1_usize, "page is", "pages are"), "1 page is");
        assert_eq!(super::counted(0_u64, "page", "pages"), "0 pages");
    }
}
