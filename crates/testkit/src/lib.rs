//! Test support: cases as data, the bodies readers are tried on, a scripted upstream on loopback, poison
//! and damage, and the suite's checks as plain functions.
//!
//! Nothing here knows an adapter: the suite in `tests/` joins these parts with the registry, so a
//! source without cases fails instead of passing by running nothing.

pub mod bodies;
pub mod case;
pub mod check;
pub mod clock;
pub mod damage;
pub mod descriptor;
pub mod script;
pub mod upstream;

pub use case::{Case, Exchange, Kind, Origin, load_cases};
pub use clock::StepClock;
pub use descriptor::descriptor;
pub use script::{SECRET, Script};
pub use upstream::{Reply, ScriptedUpstream, SeenRequest};
