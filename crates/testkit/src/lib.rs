#![doc = include_str!("../README.md")]

pub mod bodies;
pub mod case;
pub mod check;
pub mod clock;
pub mod damage;
pub mod descriptor;
pub mod forms;
pub mod script;
pub mod upstream;

pub use case::{Case, Exchange, Kind, Origin, load_cases};
pub use clock::StepClock;
pub use descriptor::descriptor;
pub use script::{SECRET, Script};
pub use upstream::{Reply, ScriptedUpstream, SeenRequest};
