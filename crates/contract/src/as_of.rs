//! What a source can say of an earlier moment: `as_of`.
//!
//! One table in each descriptor says which facts are fixed when an item is published and which move afterwards. An
//! answer as of an earlier moment leaves out what moves; the fields named there are also what an answer of today knows
//! only "as of retrieval", and what a feed of changes reports as figures that moved.

/// How a route answers for an earlier moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AsOf {
    /// The request itself names the moment, in these parameters of the source.
    Asked(&'static str),
    /// The source answers for today; what is dated later, or moves, is left out.
    Filtered,
    /// The source cannot say what it showed then, for this reason: a clause that follows "because".
    NotSupported(&'static str),
}

/// When the facts about a source's items are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FactTimes {
    /// Names of facts that are fixed at publication. [`TEXT`] is the text of an item, [`HEAD`] the line above all items.
    pub fixed: &'static [&'static str],
    /// Names of facts that move afterwards: counters, prices, states, texts that their owners edit.
    pub moving: &'static [&'static str],
    /// Name of the fact that says when the text of an item was last changed, where the source tells that.
    pub edited: Option<&'static str>,
}

/// The reason of items that are left out because they are later, after their count.
pub const LATER: &str = "dated later";
/// The text of an item, in [`FactTimes`].
pub const TEXT: &str = "text";
/// The line above the items of an answer, in [`FactTimes`].
pub const HEAD: &str = "head";

impl FactTimes {
    /// Nothing is known to be fixed.
    pub const NONE: Self = Self {
        fixed: &[],
        moving: &[],
        edited: None,
    };

    /// Whether a fact is fixed at publication. A fact that no list names counts as moving.
    pub fn is_fixed(&self, name: &str) -> bool {
        self.fixed.contains(&name)
    }

    /// Whether a list names the fact.
    pub fn knows(&self, name: &str) -> bool {
        self.fixed.contains(&name) || self.moving.contains(&name)
    }
}
