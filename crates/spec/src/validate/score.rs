//! Score: its range, and whether it matches the date and the rate.

use chrono::{DateTime, TimeDelta, Utc};

use super::{Book, Facts, MISSING, Need, Published, Score, iso_date, verdict};
use crate::level::Level;
use crate::specification::says;
use freshcontext_core::decay::{age_hours, remaining};

/// Tolerance: rounding up, down and to the nearest number are all common.
const ROUNDING: f64 = 1.0;

/// Rates in the schema of specification 1.1 ("Financial=5.0, jobs=3.0, news=2.0, github=1.0, academic=0.3,
/// default=1.5"). They are not lambda per hour, which a rate is since 1.2.
const OLD_SCALE: [f64; 6] = [5.0, 3.0, 2.0, 1.5, 1.0, 0.3];

const NAME: &str = "score";
const AGREES: &str = "score agrees with date and rate";

/// Validates the score.
pub(super) fn check(facts: &Facts<'_>, retrieved: Option<DateTime<Utc>>, book: &mut Book) {
    let needed: Need = (Level::Scored, says::SCORED);
    let [.., shown] = facts.names;
    match (facts.score, facts.published) {
        (Score::Absent, _) => book.lack(shown, needed, MISSING),
        (Score::Unknown, Published::Given(_)) => {
            book.check(NAME, needed, Ok("unknown although there is a date".to_owned()));
            book.lack(shown, needed, "unknown although there is a date");
        }
        (Score::Unknown, _) => {
            book.check(NAME, needed, Ok("unknown, as there is no date".to_owned()));
        }
        (Score::Number(_), Published::Absent | Published::Unknown) => {
            let need = (Level::Scored, says::MISSING);
            book.check(NAME, need, Err("a score without a date".to_owned()));
        }
        (Score::Number(score), Published::Given(published)) => {
            let problem = format!("{score} is not within 0 and 100");
            let within = (0.0..=100.0).contains(&score);
            let outcome = verdict(within, &score.to_string(), &problem);
            if book.check(NAME, (Level::Scored, says::RANGE), outcome)
                && let (Some(rate), Some(retrieved)) = (facts.rate, retrieved)
            {
                agrees(score, published, rate, retrieved, book);
            }
        }
        (Score::Invalid, _) => {
            let problem = "neither a number nor unknown".to_owned();
            book.check(NAME, (Level::Scored, says::RANGE), Err(problem));
        }
    }
}

fn agrees(score: f64, published: &str, rate: f64, retrieved: DateTime<Utc>, book: &mut Book) {
    let Some(problem) = contradiction(score, published, rate, retrieved) else {
        let due = format!("{score} at {rate} per hour");
        book.check(AGREES, (Level::Scored, says::DECAY), Ok(due));
        return;
    };
    if is_old_scale(rate) {
        let note = format!("{problem}; {rate} is a rate of version 1.1, which was not counted per hour");
        book.note(AGREES, &note);
        return;
    }
    book.check(AGREES, (Level::Scored, says::DECAY), Err(problem));
}

fn is_old_scale(rate: f64) -> bool {
    OLD_SCALE.iter().any(|old| (old - rate).abs() < f64::EPSILON)
}

/// Returns the contradiction between a score, its date and its rate (lambda per hour) at the time of
/// retrieval. A date without a time may be any hour of the day.
pub(super) fn contradiction(
    score: f64,
    published: &str,
    rate: f64,
    retrieved: DateTime<Utc>,
) -> Option<String> {
    if !rate.is_finite() || rate <= 0.0 {
        return Some(format!("a decay rate of {rate} is none: it must be above 0"));
    }
    let begun = iso_date(published)?;
    let ended = if published.len() == 10 {
        begun + TimeDelta::days(1)
    } else {
        begun
    };
    let lowest = remaining(rate, age_hours(begun, retrieved));
    let highest = remaining(rate, age_hours(ended, retrieved));
    if (lowest - ROUNDING..=highest + ROUNDING).contains(&score) {
        return None;
    }
    let hours = age_hours(begun, retrieved);
    Some(format!(
        "{score}, but {hours:.0} h after {published} a rate of {rate} per hour leaves {lowest:.0} of 100"
    ))
}

/// Returns the contradiction for an item of a result, if its rate is known.
pub(super) fn item_contradiction(
    score: f64,
    published: &str,
    rate: f64,
    retrieved: DateTime<Utc>,
) -> Option<String> {
    contradiction(score, published, rate, retrieved).filter(|_| !is_old_scale(rate))
}
