#![doc = include_str!("../README.md")]

mod address;
/// From a result to an answer: text envelope and structured content from one value.
pub mod answer;
/// Several answers under one heading, each with its own envelope.
pub mod composite;
/// Date evidence to an instant and a confidence.
pub mod date;
/// How fast each class of source ages, and the score that follows.
pub mod decay;
/// `evaluate_context`: judging context that the caller brings.
pub mod evaluate;
/// How many independent origins the items of an answer have.
pub mod origins;
/// Content hashes and verdict ids.
pub mod provenance;
/// Whether an earlier answer is still so: the verdicts, and both forms in which they leave.
pub mod recheck;
/// Whether each of many references still stands: the verdicts, and both forms in which they leave.
pub mod references;
/// One cleaner for every string that leaves this server.
pub mod sanitize;
/// Whether a thing still stands: from signs to a state with its severity and its words.
pub mod standing;

pub mod unreadable;
pub mod values;
