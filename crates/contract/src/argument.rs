//! An argument of a tool, as errors name it.

use std::fmt;

use crate::error::SourceError;

/// An argument, with a right value for errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Argument {
    /// Its name.
    pub name: &'static str,
    /// A right set of arguments, as a JSON object in text.
    pub example: &'static str,
}

impl Argument {
    /// An argument of this name, and a right set of arguments.
    pub const fn new(name: &'static str, example: &'static str) -> Self {
        Self { name, example }
    }

    /// The same with another example, nearer to what the caller meant.
    #[must_use]
    pub const fn like(self, example: &'static str) -> Self {
        Self { example, ..self }
    }

    /// The error for a wrong value. The problem continues a sentence that begins with the argument's name.
    pub fn wrong(self, problem: impl fmt::Display) -> SourceError {
        SourceError::invalid_input(self.name, problem, self.example)
    }
}
