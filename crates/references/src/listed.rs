//! A list of references that ends.

use std::collections::HashSet;

use crate::reference::Cited;

/// References, once each, in their order, until there is one too many.
#[derive(Debug)]
pub(crate) struct Listed {
    pub(crate) references: Vec<Cited>,
    seen: HashSet<String>,
    most: usize,
}

impl Listed {
    pub(crate) fn new(most: usize) -> Self {
        Self {
            references: Vec::new(),
            seen: HashSet::new(),
            most,
        }
    }

    pub(crate) fn add(&mut self, cited: Cited) {
        if !self.is_full() && self.seen.insert(cited.text.clone()) {
            self.references.push(cited);
        }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.references.len() > self.most
    }
}
