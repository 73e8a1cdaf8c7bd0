//! Disjoint sets with the evidence that joined them.

use std::collections::BTreeSet;

use crate::Reason;

/// The members of a set, ascending, and the evidence that joined them.
pub(crate) type Group = (Vec<usize>, BTreeSet<Reason>);

/// Disjoint sets over `0..len`.
pub(crate) struct Sets {
    parent: Vec<usize>,
    joins: Vec<(usize, Reason)>,
}

impl Sets {
    /// As many sets of one member each.
    pub(crate) fn new(len: usize) -> Self {
        Self {
            parent: (0..len).collect(),
            joins: Vec::new(),
        }
    }

    fn root(&mut self, at: usize) -> usize {
        let mut at = at;
        while let Some(&up) = self.parent.get(at) {
            if up == at {
                break;
            }
            let over = self.parent.get(up).copied().unwrap_or(up);
            if let Some(place) = self.parent.get_mut(at) {
                *place = over;
            }
            at = up;
        }
        at
    }

    /// Joins the sets of two members, by this evidence.
    pub(crate) fn join(&mut self, one: usize, other: usize, reason: Reason) {
        let (one, other) = (self.root(one), self.root(other));
        // The smaller number stays, whatever the order of the joins.
        let (low, high) = (one.min(other), one.max(other));
        if let Some(place) = self.parent.get_mut(high) {
            *place = low;
        }
        self.joins.push((low, reason));
    }

    /// The sets with several members, by their first member, each with its evidence; and the number of all sets.
    pub(crate) fn groups(mut self) -> (Vec<Group>, usize) {
        let len = self.parent.len();
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); len];
        for at in 0..len {
            let root = self.root(at);
            if let Some(list) = members.get_mut(root) {
                list.push(at);
            }
        }
        let mut reasons: Vec<BTreeSet<Reason>> = vec![BTreeSet::new(); len];
        for (at, reason) in std::mem::take(&mut self.joins) {
            let root = self.root(at);
            if let Some(set) = reasons.get_mut(root) {
                set.insert(reason);
            }
        }
        let all = members.iter().filter(|list| !list.is_empty()).count();
        let several = members
            .into_iter()
            .zip(reasons)
            .filter(|(list, _)| list.len() > 1)
            .collect();
        (several, all)
    }
}
