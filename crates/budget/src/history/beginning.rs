//! Where what is kept may begin.

use freshcontext_contract::SourceError;

use super::count::Counted;
use super::form::{Form, Opening};
use super::message::{Message, Role};
use super::pairs::Joined;

/// Where messages may be parted.
#[derive(Debug)]
pub(super) struct Places {
    places: Vec<Place>,
    needs: Opening,
}

/// The place before a message.
#[derive(Debug)]
struct Place {
    /// Whether no pair goes across, and something other than instructions follows.
    parts: bool,
    /// Whether the first message from here on that is no instruction is the user's.
    is_opened: bool,
    /// The user's newest message before.
    before: Option<usize>,
    /// Whether the message behind is an instruction.
    is_system: bool,
}

/// Where what is kept begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Beginning {
    /// The first of the newest messages.
    pub at: usize,
    /// An older message of the user that is kept before them.
    pub opening: Option<usize>,
}

pub(super) fn tokens_at(counted: &[Counted], at: usize) -> usize {
    counted.get(at).map_or(0, |counted| counted.tokens)
}

impl Places {
    /// Refuses a conversation that its vendor refuses however it is cut: one without the user's words.
    pub(super) fn of(
        form: Form,
        messages: &[Message],
        joined: &Joined,
        needs: Opening,
    ) -> Result<Self, SourceError> {
        let mut places: Vec<Place> = Vec::with_capacity(messages.len());
        let mut before = None;
        for (at, message) in messages.iter().enumerate() {
            places.push(Place {
                parts: !joined.at(at),
                is_opened: true,
                before,
                is_system: message.role == Role::System,
            });
            if message.opens() {
                before = Some(at);
            }
        }
        let mut is_opened = None;
        for (place, message) in places.iter_mut().zip(messages).rev() {
            if !place.is_system {
                is_opened = Some(message.opens());
            }
            place.parts &= is_opened.is_some();
            place.is_opened = is_opened.unwrap_or(true);
        }
        if needs == Opening::Required && is_opened.is_some() && before.is_none() {
            let problem = format!(
                "holds no message of the user, with which a conversation in the format {} begins",
                form.as_str()
            );
            return Err(SourceError::invalid_input("history", problem, super::EXAMPLE));
        }
        Ok(Self { places, needs })
    }

    /// The beginning of the newest messages that fit into this many tokens; `None` if not even the newest does.
    pub(super) fn fitting(&self, counted: &[Counted], room: usize) -> Option<Beginning> {
        let mut tokens = 0;
        let none = self.places.iter().all(|place| place.is_system);
        let mut found = none.then_some(Beginning { at: 0, opening: None });
        for (at, place) in self.places.iter().enumerate().rev() {
            if !place.is_system {
                tokens += tokens_at(counted, at);
            }
            if tokens > room {
                break;
            }
            if !place.parts {
                continue;
            }
            let opening = self.opening(place);
            let needed = tokens + opening.map_or(0, |opening| tokens_at(counted, opening));
            if needed <= room && self.may_begin(place) {
                found = Some(Beginning { at, opening });
            }
        }
        found
    }

    /// The beginning of the newest messages that must stay together.
    pub(super) fn newest(&self) -> Beginning {
        let mut places = self
            .places
            .iter()
            .enumerate()
            .rev()
            .filter(|(_, place)| place.parts);
        let found = places.find(|(_, place)| self.may_begin(place));
        found.map_or(Beginning { at: 0, opening: None }, |(at, place)| Beginning {
            at,
            opening: self.opening(place),
        })
    }

    /// Whether a conversation may begin here, with the user's message before it where there is one.
    fn may_begin(&self, place: &Place) -> bool {
        self.needs != Opening::Required || place.is_opened || place.before.is_some()
    }

    /// The user's message that is kept before this place, where what follows begins otherwise and needs not to.
    fn opening(&self, place: &Place) -> Option<usize> {
        place
            .before
            .filter(|_| self.needs != Opening::Free && !place.is_opened)
    }
}
