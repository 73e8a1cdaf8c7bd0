//! Shares as people read them.

/// A share of 0 to 1 in percent: whole percents, below 1 % with one decimal. What lies outside is clamped.
///
/// ```
/// use freshcontext_budget::percent;
/// assert_eq!([0.766, 0.004, -0.0, 1.2].map(percent), ["77 %", "0.4 %", "0 %", "100 %"]);
/// ```
pub fn percent(share: f64) -> String {
    let percent = if share > 0.0 { share.min(1.0) * 100.0 } else { 0.0 };
    let whole = percent == 0.0 || percent >= 0.95;
    format!("{percent:.*} %", usize::from(!whole))
}
