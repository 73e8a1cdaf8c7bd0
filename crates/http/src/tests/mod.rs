//! The pipeline as a whole, against scripted servers on loopback. Names of tests begin with the row
//! of the fault matrix that they hold.

mod egress;
mod holding;
mod kept;
mod keys;
mod limiters;
mod pace;
mod reading;
mod shared;
mod tls;
mod wire;
