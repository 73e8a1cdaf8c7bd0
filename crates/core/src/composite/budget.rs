//! Sharing a length out by need.

/// Shares `room` out: who needs little gets all of it, and the rest is divided evenly among the
/// others. The shares never exceed the needs, nor `room` in total.
pub fn share_out(room: usize, needs: &[usize]) -> Vec<usize> {
    let mut order: Vec<(usize, usize)> = needs.iter().copied().enumerate().collect();
    order.sort_by_key(|(_, need)| *need);
    let mut shares = vec![0; needs.len()];
    let mut left = room;
    let mut waiting = needs.len();
    for (at, need) in order {
        let share = need.min(left / waiting.max(1));
        if let Some(place) = shares.get_mut(at) {
            *place = share;
        }
        left -= share;
        waiting -= 1;
    }
    shares
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn small_needs_are_met_and_the_rest_is_even() {
        assert_eq!(share_out(1000, &[100, 5000, 5000]), [100, 450, 450]);
        assert_eq!(share_out(1000, &[100, 200, 300]), [100, 200, 300]);
        assert_eq!(share_out(10, &[]), Vec::<usize>::new());
    }

    proptest! {
        #[test]
        fn nothing_is_wasted_or_exceeded(room in 0_usize..50_000, needs in prop::collection::vec(0_usize..30_000, 0..8)) {
            let shares = share_out(room, &needs);
            let given: usize = shares.iter().sum();
            let asked: usize = needs.iter().sum();
            prop_assert!(given <= room.min(asked));
            prop_assert!(given + needs.len() >= room.min(asked));
            let fullest = shares.iter().max().copied().unwrap_or(0);
            for (share, need) in shares.iter().zip(&needs) {
                prop_assert!(share == need || share + 1 >= fullest, "{shares:?} {needs:?}");
            }
        }
    }
}
