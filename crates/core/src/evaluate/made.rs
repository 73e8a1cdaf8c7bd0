//! Texts that are made while signals are read: numbers as text, lists joined. What a signal says as text is borrowed.

use std::cell::{Cell, OnceCell};

/// How many texts one link of the chain holds.
const HELD: usize = 64;

/// Keeps texts as long as the signals that borrow them.
#[derive(Debug, Default)]
pub(super) struct Made {
    texts: [[OnceCell<String>; 8]; HELD / 8],
    used: Cell<usize>,
    more: OnceCell<Box<Made>>,
}

impl Made {
    /// The text, for as long as this lives.
    pub(super) fn keep(&self, text: String) -> &str {
        let used = self.used.get();
        match self.texts.iter().flatten().nth(used) {
            Some(place) => {
                self.used.set(used + 1);
                place.get_or_init(|| text)
            }
            None => self.more.get_or_init(Box::default).keep(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_stays_what_it_was() {
        let made = Made::default();
        let kept: Vec<&str> = (0..1_000).map(|number| made.keep(number.to_string())).collect();
        assert!(
            kept.iter()
                .enumerate()
                .all(|(number, text)| *text == number.to_string())
        );
    }
}
