//! Which messages stay together: calls and their results, reasoning and what it led to. A history whose pairs are
//! broken already is refused: its vendor refuses it, too, and no cut makes it whole.

use std::collections::{HashMap, VecDeque};

use freshcontext_contract::SourceError;

use super::form::Form;
use super::message::{Call, Message, Role};

/// For each place before a message, how many pairs it cuts through.
#[derive(Debug)]
pub(super) struct Joined(Vec<i64>);

impl Joined {
    /// Whether a pair goes across the place before this message.
    pub(super) fn at(&self, at: usize) -> bool {
        at > 0 && self.0.get(at).is_some_and(|through| *through > 0)
    }
}

/// The calls so far, by what results name.
#[derive(Default)]
struct Calls<'a> {
    /// The message each is in, the call, and whether it was answered.
    all: Vec<(usize, &'a Call, bool)>,
    /// The newest by each id.
    by_id: HashMap<&'a str, usize>,
    /// Those of a function in order, some of which are answered.
    by_name: HashMap<&'a str, VecDeque<usize>>,
    /// All in order, some of which are answered.
    in_order: VecDeque<usize>,
}

impl<'a> Calls<'a> {
    fn add(&mut self, at: usize, call: &'a Call) {
        let place = self.all.len();
        self.all.push((at, call, false));
        for id in &call.ids {
            self.by_id.insert(id, place);
        }
        if let Some(name) = &call.name {
            self.by_name.entry(name).or_default().push_back(place);
        }
        self.in_order.push_back(place);
    }

    /// Marks the call of a result as answered, and returns its message: by its id, else by the function, else by the
    /// order alone.
    fn answer(&mut self, result: &Call) -> Option<usize> {
        let all = &mut self.all;
        let is_open = |place: &usize| all.get(*place).is_some_and(|(_, _, answered)| !answered);
        let by_id = result
            .ids
            .iter()
            .find_map(|id| self.by_id.get(id.as_str()).copied().filter(is_open));
        let place = by_id.or_else(|| {
            let queue = match &result.name {
                Some(name) => self.by_name.get_mut(name.as_str())?,
                None => &mut self.in_order,
            };
            while queue.front().is_some_and(|place| !is_open(place)) {
                queue.pop_front();
            }
            let fits = |place: &usize| {
                let call = all.get(*place).map(|(_, call, _)| *call);
                call.is_some_and(|call| result.ids.is_empty() || call.ids.is_empty())
            };
            queue.front().copied().filter(fits)
        })?;
        let (at, _, answered) = all.get_mut(place)?;
        *answered = true;
        Some(*at)
    }
}

/// Finds the pairs. `is_whole` is false where earlier messages stand elsewhere, such as with the vendor.
pub(super) fn join(form: Form, messages: &[Message], is_whole: bool) -> Result<Joined, SourceError> {
    let mut through = vec![0_i64; messages.len() + 1];
    let mut join = |from: usize, to: usize| {
        if let Some(place) = through.get_mut(from + 1) {
            *place += 1;
        }
        if let Some(place) = through.get_mut(to + 1) {
            *place -= 1;
        }
    };
    let steps = steps(messages);
    let mut calls = Calls::default();
    for (at, message) in messages.iter().enumerate() {
        let open = message.calls.iter().filter(|call| !call.is_settled);
        open.for_each(|call| calls.add(at, call));
        for result in &message.results {
            match calls.answer(result) {
                Some(call) if form.results_follow() && steps.get(call) != steps.get(at) => {
                    return Err(apart(call, at, result));
                }
                Some(call) => join(call, at),
                None if is_whole => return Err(unasked(at, result)),
                // Its call is elsewhere; whatever stands before it is no worse a beginning.
                None => join(at.saturating_sub(1), at),
            }
        }
        for id in &message.continues {
            if let Some((earlier, ..)) = calls
                .by_id
                .get(id.as_str())
                .and_then(|place| calls.all.get(*place))
            {
                join(*earlier, at);
            }
        }
        if message.leads_on && at + 1 < messages.len() {
            join(at, at + 1);
        }
    }
    let last = steps.last().copied();
    let newest_of_user = messages.iter().rposition(Message::opens);
    let unanswered = calls.all.iter().find(|(at, call, answered)| {
        let is_pending = if form.results_follow() {
            steps.get(*at).copied() == last
        } else {
            newest_of_user.is_none_or(|user| user < *at)
        };
        !answered && !call.is_optional && !is_pending
    });
    if let Some((at, call, _)) = unanswered {
        return Err(unanswered_call(*at, call));
    }
    let mut inside = 0;
    for place in &mut through {
        inside += *place;
        *place = inside;
    }
    Ok(Joined(through))
}

/// The number of each message's step: a turn of the model and the results that follow it. Everything else is a step of
/// its own.
fn steps(messages: &[Message]) -> Vec<usize> {
    let mut step = 0;
    let mut previous: Option<&Message> = None;
    let mut out = Vec::with_capacity(messages.len());
    for message in messages {
        let is_result = !message.results.is_empty();
        let goes_on = previous.is_some_and(|previous| {
            is_models(previous) && (is_result || is_models(message))
                || is_result && !previous.results.is_empty()
        });
        step += usize::from(!goes_on);
        out.push(step);
        previous = Some(message);
    }
    out
}

fn is_models(message: &Message) -> bool {
    message.role == Role::Other && message.results.is_empty()
}

const WHOLE: &str = "a history whose calls have their results directly after them";

fn unasked(at: usize, result: &Call) -> SourceError {
    let problem = format!(
        "has the result of {}, and no message before it has that call without a result",
        named(result)
    );
    SourceError::invalid_input(format!("messages[{at}]"), problem, WHOLE)
}

fn apart(call: usize, at: usize, result: &Call) -> SourceError {
    let problem = format!(
        "has the result of {}, and others stand between it and the call in messages[{call}]: a vendor takes a result \
         only directly after its call",
        named(result)
    );
    SourceError::invalid_input(format!("messages[{at}]"), problem, WHOLE)
}

fn unanswered_call(at: usize, call: &Call) -> SourceError {
    let problem = format!(
        "has the call {}, and no message after it has its result",
        named(call)
    );
    SourceError::invalid_input(format!("messages[{at}]"), problem, WHOLE)
}

/// A call's name, short and on one line.
fn named(call: &Call) -> String {
    let label: String = call
        .label()
        .chars()
        .filter(|c| !c.is_control())
        .take(80)
        .collect();
    format!("`{label}`")
}
